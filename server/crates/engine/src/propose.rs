//! Proposing by hand (`POST /candidates`): an agent or a person says what should be remembered; a person still decides. Without
//! words of the user behind it, it is flagged `no_evidence`.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Evidence, Flag, Proposal, WAITS_FOR},
    flags,
    id::{CandidateId, MemoryId},
    matcher::{self, Judgement, Seen},
    memory::Memory,
    permission::{Actor, Permission, Permit},
    profile, text,
    time::Span,
    user::Scope,
};
use serde::Serialize;
use serde_json::{Map, Value};
use store::{NewCandidate, Skipped, Tx};

use crate::{
    Engine, again,
    candidate::CandidateView,
    error::{EngineError, Result},
    join::{self, Elsewhere},
    need, opt_out,
    profile::{settled, time_to_live},
    review::{self, statement},
    worker::{languages_of, stored},
};

/// A proposal by hand.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// What it would do; a create unless said.
    pub action: Option<Action>,
    /// The memory it is about.
    pub target: Option<MemoryId>,
    /// Whom it is about.
    pub scope: Scope,
    /// Its kind; a retire proposal has that of its target, and the name, the statement and the metadata as well.
    pub kind: String,
    /// What identifies the thing within its kind.
    pub name: Option<String>,
    /// The statement; may be absent of a retire proposal.
    pub content: Option<String>,
    /// Metadata that fits the kind's schema.
    pub metadata: Map<String, Value>,
    /// Free tags.
    pub tags: Vec<String>,
    /// How sure the proposer is; 0.5 unless said.
    pub confidence: Option<f64>,
    /// How much it matters; 0.5 unless said.
    pub importance: Option<f64>,
    /// One sentence on why.
    pub explanation: Option<String>,
}

/// What became of a proposal by hand.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum ProposeAnswer {
    /// It waits.
    Proposed {
        /// The candidate.
        candidate: Box<CandidateView>,
    },
    /// The same waits or is stored already.
    SeenAgain {
        /// The waiting candidate.
        candidate: Option<CandidateId>,
        /// The memory.
        memory: Option<MemoryId>,
    },
    /// A person rejected the same within the last 90 days (F4).
    Suppressed {
        /// What was rejected.
        candidate: CandidateId,
    },
    /// Nothing was stored (A1).
    Skipped {
        /// Why: `memory_off`, `opted_out`, `shared_id`.
        skipped: &'static str,
    },
}

/// What a proposal by hand may come with.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Beside<'a> {
    /// Words of a conversation that it rests on.
    pub words: &'a [Evidence],
    /// How long it waits, where an import brought it.
    pub imported: Option<Span>,
}

/// What should become of a memory.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryChange {
    /// It says something else. Proposals are told apart by their words: other metadata alone is nothing new.
    Update {
        /// Its kind; `None`: as it has.
        kind: Option<String>,
        /// The statement.
        content: String,
        /// Metadata that fits its kind's schema; `None`: as it has.
        metadata: Option<Map<String, Value>>,
    },
    /// It is no longer served.
    Retire,
}

impl Engine {
    /// Proposes by hand that a memory say something else or be retired, in everything else as it is. [`ProposeAnswer::SeenAgain`] with a
    /// memory means that it is so already. Where a memory says the same and that is not so, nothing is kept: the reason is
    /// `said_elsewhere` where another memory does, `metadata_alone` where this one does with other metadata.
    ///
    /// # Errors
    /// As [`Engine::propose`]; [`EngineError::NotFound`] for a memory that is not served, for an agent's key also for one that agents are
    /// not told of yet, and of who opted out.
    pub async fn propose_change(
        &self,
        permit: &Permit,
        id: &MemoryId,
        change: MemoryChange,
    ) -> Result<ProposeAnswer> {
        need(permit, &[Permission::Propose])?;
        again!(self.propose_change_once(permit, id, &change).await)
    }

    async fn propose_change_once(
        &self,
        permit: &Permit,
        id: &MemoryId,
        change: &MemoryChange,
    ) -> Result<ProposeAnswer> {
        let mut tx = self.write(permit).await?;
        // Under the lock that the proposal needs, too: what is left as it is is what the approver sees there, not what was there before.
        let memory = tx.memory_for_update(id).await?;
        let served = memory.filter(|memory| known_to(permit, memory, self.now()));
        let readable = opt_out::readable(&mut tx, permit, served.into_iter().collect()).await?;
        let memory = readable.into_iter().next().ok_or(EngineError::NotFound)?;
        let user = tx.user(&memory.user).await?.ok_or(EngineError::NotFound)?;
        let before = memory.metadata.clone();
        let (action, kind, content, metadata) = match change.clone() {
            MemoryChange::Update {
                kind,
                content,
                metadata,
            } => (Action::Update, kind, Some(content), metadata),
            MemoryChange::Retire => (Action::Retire, None, None, None),
        };
        let proposed = Proposed {
            action: Some(action),
            target: Some(memory.id),
            scope: user.scope,
            kind: kind.unwrap_or(memory.kind),
            name: memory.name,
            content,
            metadata: metadata.unwrap_or(memory.metadata),
            tags: memory.tags,
            confidence: None,
            importance: Some(memory.importance),
            explanation: None,
        };
        let permit = permit.within(&memory.agent).ok_or(EngineError::NotFound)?;
        let beside = Beside::default();
        let answer = self
            .propose_in(&mut tx, &permit, &memory.agent, &proposed, beside)
            .await?;
        let answer = match answer {
            ProposeAnswer::SeenAgain {
                memory: Some(said), ..
            } if said != *id => ProposeAnswer::Skipped {
                skipped: "said_elsewhere",
            },
            ProposeAnswer::SeenAgain {
                memory: Some(_), ..
            } if !equal(&proposed.metadata, &before) => ProposeAnswer::Skipped {
                skipped: "metadata_alone",
            },
            answer => answer,
        };
        kept(tx, answer).await
    }

    /// Proposes by hand. While the agent does not learn, a key of the agent gets [`ProposeAnswer::Skipped`], but for a retirement.
    ///
    /// # Errors
    /// `invalid`, `secret`; `not_found` for a target of somebody else.
    pub async fn propose(
        &self,
        permit: &Permit,
        agent: &AgentName,
        proposed: Proposed,
    ) -> Result<ProposeAnswer> {
        let beside = Beside::default();
        self.propose_beside(permit, agent, proposed, beside).await
    }

    /// The same upon words of a conversation, which by hand nobody can name.
    ///
    /// # Errors
    /// As [`Engine::propose`].
    pub(crate) async fn propose_upon(
        &self,
        permit: &Permit,
        agent: &AgentName,
        proposed: Proposed,
        words: &[Evidence],
    ) -> Result<ProposeAnswer> {
        let beside = Beside {
            words,
            ..Beside::default()
        };
        self.propose_beside(permit, agent, proposed, beside).await
    }

    async fn propose_beside(
        &self,
        permit: &Permit,
        agent: &AgentName,
        proposed: Proposed,
        beside: Beside<'_>,
    ) -> Result<ProposeAnswer> {
        need(permit, &[Permission::Propose])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        again!(self.propose_once(&permit, agent, &proposed, beside).await)
    }

    async fn propose_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        proposed: &Proposed,
        beside: Beside<'_>,
    ) -> Result<ProposeAnswer> {
        let mut tx = self.write(permit).await?;
        let answer = self
            .propose_in(&mut tx, permit, agent, proposed, beside)
            .await?;
        kept(tx, answer).await
    }

    /// Proposes within a transaction. One that ends in [`ProposeAnswer::Skipped`] must not be committed.
    ///
    /// # Errors
    /// As [`Engine::propose`].
    pub(crate) async fn propose_in(
        &self,
        tx: &mut Tx,
        permit: &Permit,
        agent: &AgentName,
        proposed: &Proposed,
        beside: Beside<'_>,
    ) -> Result<ProposeAnswer> {
        let stamp = self.stamp(permit);
        let Beside { words, imported } = beside;
        let action = proposed.action.unwrap_or(Action::Create);
        if action == Action::Merge {
            return Err(EngineError::invalid(
                "/action",
                "unknown",
                "by hand: create, update or retire; a merge is approved with merge_into",
            ));
        }
        if (action == Action::Create) != proposed.target.is_none() {
            return Err(EngineError::invalid(
                "/target",
                "required",
                "update and retire name a target, a create does not",
            ));
        }
        let range = |pointer, score: Option<f64>| match score {
            Some(score) if !(0.0..=1.0).contains(&score) => Err(EngineError::invalid(
                pointer,
                "range",
                "a number from 0.0 to 1.0",
            )),
            score => Ok(score.unwrap_or(0.5)),
        };
        let (confidence, importance) = (
            range("/confidence", proposed.confidence)?,
            range("/importance", proposed.importance)?,
        );
        let skipped = |why: Skipped| ProposeAnswer::Skipped {
            skipped: why.as_str(),
        };
        if let Some(why) = left_alone(tx, permit, agent, proposed).await? {
            return Ok(skipped(why));
        }
        let user = tx.ensure_user(agent, &proposed.scope, &stamp).await?;
        let user = match &proposed.target {
            Some(target) => join::owner(tx, user, target).await?,
            None => user,
        };
        let known = tx.known(agent, &user.id, stamp.now).await?;
        // Who opted out while this waited for the lock has opted out.
        if let Some(why) = left_alone(tx, permit, agent, proposed).await? {
            return Ok(skipped(why));
        }
        let target = match &proposed.target {
            None => None,
            Some(id) => Some(
                known
                    .memories
                    .iter()
                    .find(|memory| memory.id == *id && known_to(permit, memory, stamp.now))
                    .ok_or(EngineError::NotFound)?,
            ),
        };
        let Stated {
            kind,
            name,
            content,
            metadata,
            life,
        } = match target {
            // Nothing is written by it: what is stored goes, whatever has become of its kind and of the rules meanwhile.
            Some(memory) if action == Action::Retire => Stated::of(memory),
            _ => stated(tx, agent, proposed, target).await?,
        };
        let of_a_field = kind == profile::KIND;
        let language = match target {
            Some(memory) => text::language_with(&content, of_a_field, [memory.language.as_str()]),
            None => text::language_with(&content, of_a_field, languages_of(&known.memories)),
        };
        let language = language.to_owned();
        let mut warnings = flags::of_statement(&content);
        warnings.extend(words.is_empty().then_some(Flag::NoEvidence));
        warnings.extend(imported.map(|_| Flag::Imported));
        let mut proposal = Proposal {
            action,
            targets: Vec::new(),
            kind,
            name,
            language,
            content,
            metadata,
            tags: proposed.tags.clone(),
            confidence,
            importance,
            flags: warnings,
            evidence: words.to_vec(),
            explanation: proposed.explanation.clone(),
            cause: None,
        };
        let wanted: Vec<MemoryId> = proposed.target.iter().cloned().collect();
        let known = stored(&known);
        let judgement = matcher::judge(&proposal, &wanted, &known);
        let found = join::beside(
            tx, agent, &user.id, judgement, &proposal, &wanted, stamp.now,
        )
        .await?;
        let judgement = match found {
            Elsewhere::Own(judgement) => judgement,
            Elsewhere::Known(Seen::Memory(memory)) => {
                return seen_again(tx, permit, memory, stamp.now).await;
            }
            Elsewhere::Known(Seen::Waiting(candidate)) => {
                return Ok(ProposeAnswer::SeenAgain {
                    candidate: Some(candidate),
                    memory: None,
                });
            }
            Elsewhere::Rejected(candidate) => return Ok(ProposeAnswer::Suppressed { candidate }),
        };
        let answer = match judgement {
            Judgement::NoTarget => return Err(EngineError::NotFound),
            // Nobody says it again: it lies in a file. So nothing lives longer for it, and nothing is counted.
            Judgement::Suppressed(candidate) if imported.is_some() => {
                ProposeAnswer::Suppressed { candidate }
            }
            Judgement::SeenAgain(Seen::Memory(memory)) if imported.is_some() => {
                seen_again(tx, permit, memory, stamp.now).await?
            }
            Judgement::SeenAgain(Seen::Waiting(candidate)) if imported.is_some() => {
                ProposeAnswer::SeenAgain {
                    candidate: Some(candidate),
                    memory: None,
                }
            }
            Judgement::Suppressed(candidate) => {
                tx.suppress(agent, &user.id, &candidate, words, None, &stamp)
                    .await?;
                ProposeAnswer::Suppressed { candidate }
            }
            Judgement::SeenAgain(Seen::Memory(memory)) => {
                for older in matcher::overtaken(&memory, &known) {
                    tx.supersede(&older, None, &stamp).await?;
                }
                let expires_at = life.map(|life| stamp.now + life);
                tx.see_again(
                    agent,
                    &user.id,
                    store::Seen::Memory(memory.clone()),
                    words,
                    None,
                    expires_at,
                    &stamp,
                )
                .await?;
                seen_again(tx, permit, memory, stamp.now).await?
            }
            Judgement::SeenAgain(Seen::Waiting(candidate)) => {
                tx.see_again(
                    agent,
                    &user.id,
                    store::Seen::Waiting(candidate.clone()),
                    words,
                    None,
                    None,
                    &stamp,
                )
                .await?;
                ProposeAnswer::SeenAgain {
                    candidate: Some(candidate),
                    memory: None,
                }
            }
            Judgement::Propose {
                action,
                targets,
                flags,
                supersedes,
            } => {
                proposal.action = action;
                proposal.targets = targets;
                proposal.flags.extend(flags);
                proposal.flags.sort();
                proposal.flags.dedup();
                let new = NewCandidate {
                    agent: agent.clone(),
                    user: user.id.clone(),
                    proposal,
                    extraction: None,
                    supersedes,
                };
                match tx
                    .propose_for(&new, imported.unwrap_or(WAITS_FOR), &stamp)
                    .await
                {
                    Ok(candidate) => {
                        let candidate = review::view(tx, &candidate.id).await?;
                        ProposeAnswer::Proposed {
                            candidate: Box::new(candidate),
                        }
                    }
                    Err(store::Error::StillWaiting(candidate)) => ProposeAnswer::SeenAgain {
                        candidate: Some(candidate),
                        memory: None,
                    },
                    Err(error) => return Err(error.into()),
                }
            }
        };
        Ok(answer)
    }
}

/// Whether a memory stands for whoever proposes: an agent's key knows of none that agents are not told of yet.
fn known_to(permit: &Permit, memory: &Memory, now: Timestamp) -> bool {
    let by_agent = matches!(permit.actor(), Actor::Key { .. });
    memory.served(now) && !(by_agent && memory.has_grace(now))
}

/// That a memory says so already. What an agent is not told of yet still waits for it, as the candidate that it came of.
async fn seen_again(
    tx: &mut Tx,
    permit: &Permit,
    memory: MemoryId,
    now: Timestamp,
) -> Result<ProposeAnswer> {
    let stored = tx.memory(&memory).await?;
    if stored.is_none_or(|stored| known_to(permit, &stored, now)) {
        return Ok(ProposeAnswer::SeenAgain {
            candidate: None,
            memory: Some(memory),
        });
    }
    let revisions = tx.revisions(&memory).await?;
    let candidate = revisions
        .into_iter()
        .rev()
        .find_map(|revision| revision.candidate);
    Ok(ProposeAnswer::SeenAgain {
        candidate,
        memory: None,
    })
}

/// What a proposal says.
struct Stated {
    kind: String,
    name: Option<String>,
    content: String,
    metadata: Map<String, Value>,
    /// How long a memory lives that says it.
    life: Option<Span>,
}

impl Stated {
    /// The words of a memory that is to go.
    fn of(memory: &Memory) -> Self {
        Self {
            kind: memory.kind.clone(),
            name: memory.name.clone(),
            content: memory.content.clone(),
            metadata: memory.metadata.clone(),
            life: None,
        }
    }
}

/// What is to be written down, checked.
async fn stated(
    tx: &mut Tx,
    agent: &AgentName,
    proposed: &Proposed,
    target: Option<&Memory>,
) -> Result<Stated> {
    let content = proposed.content.clone().ok_or_else(|| {
        EngineError::invalid(
            "/content",
            "required",
            "write what is to be remembered; it must not be empty",
        )
    })?;
    let kind = statement::kind(tx, agent, &proposed.kind).await?;
    let name = proposed.name.as_deref();
    statement::check(&kind, name, &content, &proposed.metadata, None)?;
    let name = name.or_else(|| target.and_then(|memory| memory.name.as_deref()));
    let before = target.map(|memory| (memory.content.as_str(), &memory.metadata));
    let written = (content, proposed.metadata.clone());
    let (content, metadata) = settled(tx, agent, &kind.name, name, written, before).await?;
    statement::check(&kind, name, &content, &metadata, None)?;
    let life = time_to_live(tx, agent, &kind, name).await?;
    Ok(Stated {
        name: name.map(str::to_owned),
        kind: kind.name,
        content,
        metadata,
        life,
    })
}

/// Whether the metadata is the same: 1 is 1.0, because not every client tells them apart.
fn equal(asked: &Map<String, Value>, before: &Map<String, Value>) -> bool {
    let same = |one: &Value, other: &Value| match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other,
    };
    asked.len() == before.len()
        && asked
            .iter()
            .all(|(name, one)| before.get(name).is_some_and(|other| same(one, other)))
}

/// Ends what proposed. Of who opted out meanwhile nothing is kept, not even that they are there; nor that of a change that came to
/// nothing.
async fn kept(tx: Tx, answer: ProposeAnswer) -> Result<ProposeAnswer> {
    if !matches!(answer, ProposeAnswer::Skipped { .. }) {
        tx.commit().await?;
    }
    Ok(answer)
}

/// Why nothing is proposed. A person's own proposal is no learning, nor is that something be forgotten; but who opted out is left alone
/// by everybody.
async fn left_alone(
    tx: &mut Tx,
    permit: &Permit,
    agent: &AgentName,
    proposed: &Proposed,
) -> Result<Option<Skipped>> {
    let agent = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
    let by_agent = matches!(permit.actor(), Actor::Key { .. });
    let learns = by_agent && proposed.action != Some(Action::Retire);
    let left_alone = opt_out::left_alone(tx, &agent.name, &agent.settings, &proposed.scope).await?;
    Ok(match left_alone {
        Some(Skipped::OptedOut) => left_alone,
        _ if learns && !agent.settings.learn => Some(Skipped::MemoryOff),
        _ if learns => left_alone,
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_the_same_in_whatever_form_its_numbers_come() {
        let same =
            |one: Value, other: Value| equal(one.as_object().unwrap(), other.as_object().unwrap());
        assert!(same(json!({"a": 1, "b": "x"}), json!({"b": "x", "a": 1.0})));
        for other in [
            json!({}),
            json!({"a": 2}),
            json!({"a": "1"}),
            json!({"b": 1}),
        ] {
            assert!(!same(json!({"a": 1}), other.clone()), "{other}");
            assert!(!same(other, json!({"a": 1})));
        }
    }
}
