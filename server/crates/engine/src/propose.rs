//! Proposing by hand (`POST /candidates`): an agent or a person says what should be remembered; a person still decides. Without
//! words of the user behind it, it is flagged `no_evidence`.

use domain::{
    agent::AgentName,
    candidate::{Action, Evidence, Flag, Proposal},
    flags,
    id::{CandidateId, MemoryId},
    matcher::{self, Judgement, Seen},
    permission::{Actor, Permission, Permit},
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
    worker::stored,
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
    /// Its kind.
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

impl Engine {
    /// Proposes by hand. While the agent does not learn, a key of the agent gets [`ProposeAnswer::Skipped`].
    ///
    /// # Errors
    /// `invalid`, `secret`; `not_found` for a target of somebody else.
    pub async fn propose(
        &self,
        permit: &Permit,
        agent: &AgentName,
        proposed: Proposed,
    ) -> Result<ProposeAnswer> {
        self.propose_upon(permit, agent, proposed, &[]).await
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
        need(permit, &[Permission::Propose])?;
        let permit = permit.within(agent).ok_or(EngineError::NotFound)?;
        again!(self.propose_once(&permit, agent, &proposed, words).await)
    }

    async fn propose_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        proposed: &Proposed,
        words: &[Evidence],
    ) -> Result<ProposeAnswer> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
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
        if let Some(why) = left_alone(&mut tx, permit, agent, &proposed.scope).await? {
            return Ok(skipped(why));
        }
        let user = tx.ensure_user(agent, &proposed.scope, &stamp).await?;
        let user = match &proposed.target {
            Some(target) => join::owner(&mut tx, user, target).await?,
            None => user,
        };
        let known = tx.known(agent, &user.id, stamp.now).await?;
        // Who opted out while this waited for the lock has opted out.
        if let Some(why) = left_alone(&mut tx, permit, agent, &proposed.scope).await? {
            return Ok(skipped(why));
        }
        let target = match &proposed.target {
            None => None,
            Some(id) => Some(
                known
                    .memories
                    .iter()
                    .find(|memory| memory.id == *id)
                    .ok_or(EngineError::NotFound)?,
            ),
        };
        let content = match (&proposed.content, target) {
            (Some(content), _) => content.clone(),
            (None, Some(memory)) if action == Action::Retire => memory.content.clone(),
            (None, _) => {
                return Err(EngineError::invalid(
                    "/content",
                    "required",
                    "write what is to be remembered; it must not be empty",
                ));
            }
        };
        let kind = statement::kind(&mut tx, agent, &proposed.kind).await?;
        let name = proposed.name.as_deref();
        statement::check(&kind, name, &content, &proposed.metadata, None)?;
        let name = name.or_else(|| target.and_then(|memory| memory.name.as_deref()));
        let (content, metadata) = if action == Action::Retire {
            (content, proposed.metadata.clone())
        } else {
            let before = target.map(|memory| (memory.content.as_str(), &memory.metadata));
            let written = (content, proposed.metadata.clone());
            settled(&mut tx, agent, &kind.name, name, written, before).await?
        };
        statement::check(&kind, name, &content, &metadata, None)?;
        let life = time_to_live(&mut tx, agent, &kind, name).await?;
        let mut warnings = flags::of_statement(&content);
        warnings.extend(words.is_empty().then_some(Flag::NoEvidence));
        let mut proposal = Proposal {
            action,
            targets: Vec::new(),
            kind: kind.name.clone(),
            name: proposed
                .name
                .clone()
                .or_else(|| target.and_then(|memory| memory.name.clone())),
            language: domain::text::language(&content).to_owned(),
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
            &mut tx, agent, &user.id, judgement, &proposal, &wanted, stamp.now,
        )
        .await?;
        let judgement = match found {
            Elsewhere::Own(judgement) => judgement,
            Elsewhere::Known(Seen::Memory(memory)) => {
                return Ok(ProposeAnswer::SeenAgain {
                    candidate: None,
                    memory: Some(memory),
                });
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
                ProposeAnswer::SeenAgain {
                    candidate: None,
                    memory: Some(memory),
                }
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
                match tx.propose(&new, &stamp).await {
                    Ok(candidate) => {
                        let candidate = review::view(&mut tx, &candidate.id).await?;
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
        tx.commit().await?;
        Ok(answer)
    }
}

/// Why nothing is proposed. A person's own proposal is no learning; but who opted out is left alone by everybody.
async fn left_alone(
    tx: &mut Tx,
    permit: &Permit,
    agent: &AgentName,
    scope: &Scope,
) -> Result<Option<Skipped>> {
    let agent = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
    let by_agent = matches!(permit.actor(), Actor::Key { .. });
    let left_alone = opt_out::left_alone(tx, &agent.name, &agent.settings, scope).await?;
    Ok(match left_alone {
        Some(Skipped::OptedOut) => left_alone,
        _ if by_agent && !agent.settings.learn => Some(Skipped::MemoryOff),
        _ if by_agent => left_alone,
        _ => None,
    })
}
