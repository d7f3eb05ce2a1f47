//! The queue: what waits, in the order in which it would expire, and one candidate with everything a decision needs.

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate, Evidence, Flag, State, Status},
    conversation::Conversation,
    id::{CandidateId, ConversationId, PersonId, UserId},
    permission::{Permission, Permit},
    secret,
    time::Span,
    user::Scope,
    values::Values,
};
use store::{ClaimedBy, Cursor, HandedFor, QueueFilter, Sort, Tx, View};

use crate::{
    Engine,
    candidate::{CandidateDetail, CandidateView, Mark, Transcript, Turn, Was},
    error::{EngineError, Result},
    handover::speaks_natively,
    join::meets_elsewhere,
    need,
    page::{List, Page},
    recall::recalled,
    view::{Names, told},
};

/// Turns shown before and after each piece of evidence.
const AROUND: i64 = 3;

/// For whom a candidate was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    /// Whoever asks.
    ToMe,
    /// This person.
    To(PersonId),
    /// Whoever speaks its language.
    Native,
}

/// By whom a candidate is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claims {
    /// Whoever asks.
    Mine,
    /// Nobody else than whoever asks.
    Free,
}

/// Which candidates. The default is what waits.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateFilter {
    /// Their status; `None`: all.
    pub status: Option<Status>,
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one user, by our id.
    pub user: Option<UserId>,
    /// About one user, by the agent's own name (with `agent`, or where the permit holds for one agent).
    pub scope: Option<Scope>,
    /// Of one kind.
    pub kind: Option<String>,
    /// That would do this.
    pub action: Option<Action>,
    /// With this flag, one of those that are stored.
    pub flag: Option<Flag>,
    /// In one of these languages; empty: in any.
    pub languages: Vec<String>,
    /// At least this confident.
    pub confidence_from: Option<f64>,
    /// That have waited longer than this.
    pub waits_longer_than: Option<Span>,
    /// That expire within this span.
    pub expiring_within: Option<Span>,
    /// From one conversation.
    pub conversation: Option<ConversationId>,
    /// With these words.
    pub text: Option<String>,
    /// That were handed over.
    pub handed: Option<Handed>,
    /// That are claimed, or free.
    pub claims: Option<Claims>,
    /// Only those that expired before anybody decided.
    pub expired_unseen: bool,
    /// Newest first, not soonest to expire first.
    pub newest_first: bool,
    /// None at all: a condition was given that means nothing, and to leave it out would match more than was asked for.
    pub nothing: bool,
}

impl Default for CandidateFilter {
    fn default() -> Self {
        Self {
            status: Some(Status::Pending),
            agent: None,
            user: None,
            scope: None,
            kind: None,
            action: None,
            flag: None,
            languages: Vec::new(),
            confidence_from: None,
            waits_longer_than: None,
            expiring_within: None,
            conversation: None,
            text: None,
            handed: None,
            claims: None,
            expired_unseen: false,
            newest_first: false,
            nothing: false,
        }
    }
}

impl CandidateFilter {
    /// The store's form of it; `None` where it names a user nobody knows, or a person and there is none, or matches nothing. `invalid` for a
    /// flag that no row holds.
    pub(crate) async fn resolve(
        &self,
        tx: &mut Tx,
        permit: &Permit,
        now: Timestamp,
    ) -> Result<Option<QueueFilter>> {
        if self.nothing {
            return Ok(None);
        }
        if let Some(flag) = self.flag.filter(|flag| !flag.is_stored()) {
            let detail =
                format!("{flag} is worked out when a candidate is read; it cannot be looked for");
            return Err(EngineError::invalid("/flag", "worked_out", detail));
        }
        let user = match (&self.user, &self.scope) {
            (None, Some(scope)) => {
                let agent = crate::only_agent(permit, self.agent.as_ref())?;
                match tx.find_user(&agent, scope).await? {
                    Some(user) => Some(user.id),
                    None => return Ok(None),
                }
            }
            (user, _) => user.clone(),
        };
        let me = permit.actor().person();
        let handed_for = match (&self.handed, me) {
            (None, _) => None,
            (Some(Handed::Native), _) => Some(HandedFor::Native),
            (Some(Handed::To(person)), _) | (Some(Handed::ToMe), Some(person)) => {
                let speaks = match tx.person(person).await? {
                    Some(known) => speaks_natively(&known),
                    None => Vec::new(),
                };
                Some(HandedFor::Person(person.clone(), speaks))
            }
            (Some(Handed::ToMe), None) => return Ok(None),
        };
        let claimed_by = match (self.claims, me) {
            (None, _) => None,
            (Some(Claims::Mine), Some(me)) => Some(ClaimedBy::Person(me.clone())),
            (Some(Claims::Free), Some(me)) => Some(ClaimedBy::NobodyBut(me.clone())),
            (Some(_), None) => return Ok(None),
        };
        Ok(Some(QueueFilter {
            agent: self.agent.clone(),
            user,
            view: match self.status {
                _ if self.expired_unseen => View::ExpiredUnseen,
                Some(Status::Pending) => View::Waiting,
                Some(status) => View::Status(status),
                None => View::All,
            },
            kind: self.kind.clone(),
            action: self.action,
            flag: self.flag,
            languages: self.languages.clone(),
            min_confidence: self.confidence_from,
            created_before: self
                .waits_longer_than
                .and_then(|span| now.checked_sub_signed(span)),
            reopened_before: None,
            expires_before: self
                .expiring_within
                .and_then(|span| now.checked_add_signed(span)),
            conversation: self.conversation.clone(),
            search: self.text.clone(),
            handed_for,
            claimed_by,
            sort: if self.newest_first
                || self.expired_unseen
                || self.status != Some(Status::Pending)
            {
                Sort::Newest
            } else {
                Sort::ExpiresFirst
            },
        }))
    }
}

/// The store's form of a page.
pub(crate) fn page(page: &Page) -> Result<store::Page> {
    let after = match &page.cursor {
        None => None,
        Some(text) => Some(Cursor::parse(text).ok_or_else(EngineError::cursor)?),
    };
    Ok(store::Page {
        after,
        limit: page.rows(),
    })
}

/// A page of the queue with the figures around it, all of one moment.
#[derive(Debug, Clone)]
pub struct Desk {
    /// The rows.
    pub rows: List<CandidateView>,
    /// How many there are on all pages.
    pub fitting: i64,
    /// All that wait, whatever the filter.
    pub waiting: i64,
    /// Of these, those that expire within a day.
    pub expiring_soon: i64,
    /// When the oldest of them was proposed.
    pub oldest: Option<Timestamp>,
    /// Where there is no row because others have claimed what fits: how many, and until when.
    pub claimed: Option<(i64, Timestamp)>,
}

impl Engine {
    /// A page of the queue with the figures around it.
    ///
    /// # Errors
    /// As [`Engine::candidates`].
    pub async fn desk(
        &self,
        permit: &Permit,
        filter: &CandidateFilter,
        wanted: &Page,
    ) -> Result<Desk> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let figures = tx.queue_figures(now).await?;
        let mut desk = Desk {
            rows: List::whole(Vec::new()),
            fitting: 0,
            waiting: figures.waiting,
            expiring_soon: figures.expiring_24h,
            oldest: figures.oldest,
            claimed: None,
        };
        let Some(found) = filter.resolve(&mut tx, permit, now).await? else {
            return Ok(desk);
        };
        desk.fitting = if *filter == CandidateFilter::default() {
            figures.waiting
        } else {
            tx.queue_count(&found, now).await?
        };
        if desk.fitting == 0
            && let Some(ClaimedBy::NobodyBut(me)) = &found.claimed_by
        {
            desk.claimed = tx.claimed_by_others(&found, me, now).await?;
        }
        let rows = tx.queue(&found, &page(wanted)?, now).await?;
        desk.rows = List {
            data: Names::at(now).candidates(&mut tx, rows.rows).await?,
            next: rows.next.map(|cursor| cursor.to_string()),
        };
        Ok(desk)
    }

    /// A page of candidates.
    ///
    /// # Errors
    /// [`EngineError::Invalid`] for a cursor that is not ours.
    pub async fn candidates(
        &self,
        permit: &Permit,
        filter: &CandidateFilter,
        wanted: &Page,
    ) -> Result<List<CandidateView>> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let Some(filter) = filter.resolve(&mut tx, permit, now).await? else {
            return Ok(List::whole(Vec::new()));
        };
        let rows = tx.queue(&filter, &page(wanted)?, now).await?;
        let data = Names::at(self.now()).candidates(&mut tx, rows.rows).await?;
        Ok(List {
            data,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// How many there are.
    ///
    /// # Errors
    /// As [`Engine::candidates`].
    pub async fn count_candidates(&self, permit: &Permit, filter: &CandidateFilter) -> Result<i64> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let now = self.now();
        let mut tx = self.read(permit).await?;
        match filter.resolve(&mut tx, permit, now).await? {
            None => Ok(0),
            Some(filter) => Ok(tx.queue_count(&filter, now).await?),
        }
    }

    /// One candidate with everything a decision needs (A14, F2).
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; [`EngineError::CandidateRemoved`].
    pub async fn candidate(&self, permit: &Permit, id: &CandidateId) -> Result<CandidateDetail> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let mut tx = self.read(permit).await?;
        let Some(row) = tx.candidate(id).await? else {
            let removed = tx.candidate_removed_at(id).await?;
            return Err(removed.map_or(EngineError::NotFound, |at| {
                EngineError::CandidateRemoved { at }
            }));
        };
        let mut names = Names::at(self.now());
        names.met(&row.user);
        let candidate = row.candidate.clone();
        let superseded_by = row.superseded_by.clone();

        let mut base = None;
        let mut stored = None;
        let mut absorbed_memories = Vec::new();
        for target in &candidate.proposal.targets {
            let Some(memory) = tx.memory(&target.memory).await? else {
                continue;
            };
            let says = (memory.content.clone(), Values::from(&memory));
            let Some(view) = names.memory(&mut tx, memory).await? else {
                continue;
            };
            if target.absorbed {
                absorbed_memories.push(view);
            } else {
                base = Some(view);
                stored = Some(says);
            }
        }
        let before = self.value_before(&mut tx, &candidate).await?.or(stored);
        let (diff, changes) = match (candidate.proposal.action, before) {
            (Action::Create, _) | (_, None) => (Vec::new(), Vec::new()),
            (Action::Retire, Some((before, _))) => (domain::diff::words(&before, ""), Vec::new()),
            (_, Some((before, values))) => {
                let proposal = &candidate.proposal;
                let after = values.revised(Values::from(proposal), proposal.cause);
                (
                    domain::diff::words(&before, &proposal.content),
                    values.changes(&after),
                )
            }
        };
        let elsewhere = meets_elsewhere(&mut tx, &mut names, &candidate, self.now()).await?;
        let superseded = tx.superseded_by(&candidate).await?;
        let supersedes = names.candidates(&mut tx, superseded).await?;
        let transcripts =
            transcripts(&mut tx, &candidate.proposal.evidence, Some(&candidate.id)).await?;
        let decisions = tx.decisions_of(&candidate).await?;
        let decisions = names.decisions(&mut tx, decisions).await?;
        let told = match &candidate.state {
            State::Approved {
                decision, memory, ..
            } => {
                let revisions = tx.revisions(memory).await?;
                match revisions
                    .iter()
                    .find(|revision| revision.decision.as_ref() == Some(decision))
                {
                    Some(revision) => {
                        told(&mut tx, &candidate.agent, memory, revision.number).await?
                    }
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        let recalled = match &candidate.state {
            State::Approved { memory, .. } => match tx.memory(memory).await? {
                Some(memory) => recalled(&mut tx, &memory).await?,
                None => None,
            },
            _ => None,
        };
        let view = names
            .candidates(&mut tx, vec![row])
            .await?
            .into_iter()
            .next()
            .ok_or(EngineError::NotFound)?;
        let was = if view.flags.contains(&Flag::TargetMoved) {
            was(&mut tx, &candidate).await?
        } else {
            None
        };
        Ok(CandidateDetail {
            candidate: view,
            base,
            was,
            absorbed_memories,
            diff,
            changes,
            elsewhere,
            supersedes,
            superseded_by,
            transcripts,
            decisions,
            told,
            recalled,
        })
    }

    /// For a candidate that was approved: what was stored before it, so that its diff stays what the reviewer saw.
    async fn value_before(
        &self,
        tx: &mut Tx,
        candidate: &Candidate,
    ) -> Result<Option<(String, Values)>> {
        let State::Approved {
            decision, memory, ..
        } = &candidate.state
        else {
            return Ok(None);
        };
        let revisions = tx.revisions(memory).await?;
        let at = revisions
            .iter()
            .position(|revision| revision.decision.as_ref() == Some(decision));
        Ok(at
            .and_then(|at| at.checked_sub(1))
            .map(|before| &revisions[before])
            .map(|before| (before.content.clone(), Values::from(before))))
    }
}

/// What a change was proposed against.
async fn was(tx: &mut Tx, candidate: &Candidate) -> Result<Option<Was>> {
    let targets = &candidate.proposal.targets;
    let Some(target) = targets.iter().find(|target| !target.absorbed) else {
        return Ok(None);
    };
    let revisions = tx.revisions(&target.memory).await?;
    Ok(revisions
        .into_iter()
        .find(|revision| revision.number == target.revision)
        .map(|revision| Was {
            revision: revision.number,
            kind: revision.kind,
            name: revision.name,
            content: revision.content,
            metadata: revision.metadata,
            tags: revision.tags,
            importance: revision.importance,
        }))
}

/// The turns around pieces of evidence, with the words marked by their stored offsets.
pub(crate) async fn transcripts(
    tx: &mut Tx,
    evidence: &[Evidence],
    candidate: Option<&CandidateId>,
) -> Result<Vec<Transcript>> {
    let mut ids: Vec<ConversationId> = Vec::new();
    for piece in evidence {
        if !ids.contains(&piece.conversation) {
            ids.push(piece.conversation.clone());
        }
    }
    let mut transcripts = Vec::new();
    for id in ids {
        let Some(conversation) = tx.conversation(&id).await? else {
            continue;
        };
        let mut positions = std::collections::BTreeSet::new();
        for piece in evidence.iter().filter(|piece| piece.conversation == id) {
            let at = match &piece.message {
                Some(message) => tx
                    .message(&conversation, message)
                    .await?
                    .map(|message| message.position),
                None => Some(conversation.messages),
            };
            let Some(at) = at else { continue };
            positions.extend((at - AROUND).max(1)..=(at + AROUND).min(conversation.messages));
        }
        // What is not there any more is not looked for.
        let first = positions.first().copied().unwrap_or(1);
        let last = positions.last().copied().unwrap_or(0);
        let marks: Vec<_> = evidence
            .iter()
            .filter(|piece| piece.conversation == id)
            .map(|piece| (piece.clone(), candidate.cloned()))
            .collect();
        let turns = turns(tx, &conversation, first, last, &marks).await?;
        if turns.is_empty() {
            transcripts.extend(only_words(conversation, &marks));
            continue;
        }
        transcripts.push(Transcript {
            conversation: id,
            external_id: conversation.external_id.clone(),
            turns: turns
                .into_iter()
                .filter(|turn| positions.contains(&turn.position))
                .collect(),
            before: first - 1,
            after: conversation.messages - last,
            quotes: Vec::new(),
        });
    }
    Ok(transcripts)
}

/// What is left of a conversation that retention removed: the words that something rests on.
fn only_words(
    conversation: Conversation,
    evidence: &[(Evidence, Option<CandidateId>)],
) -> Option<Transcript> {
    let mut quotes: Vec<String> = Vec::new();
    for (piece, _) in evidence {
        let quote = secret::mask(&piece.quote);
        if !quote.is_empty() && !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    (!quotes.is_empty()).then(|| Transcript {
        conversation: conversation.id,
        external_id: conversation.external_id,
        turns: Vec::new(),
        before: 0,
        after: 0,
        quotes,
    })
}

/// Turns `from` to `upto` as a person reads them.
pub(crate) async fn turns(
    tx: &mut Tx,
    conversation: &Conversation,
    from: i64,
    upto: i64,
    evidence: &[(Evidence, Option<CandidateId>)],
) -> Result<Vec<Turn>> {
    let messages = tx.messages(conversation, from, upto).await?;
    Ok(messages
        .into_iter()
        .map(|message| {
            let mut marks: Vec<Mark> = evidence
                .iter()
                .filter(|(piece, _)| piece.message.as_ref() == Some(&message.id))
                .map(|(piece, candidate)| Mark {
                    start: piece.start,
                    end: piece.end,
                    candidate: candidate.clone(),
                })
                .collect();
            marks.sort_by_key(|mark| (mark.start, mark.end));
            Turn {
                position: message.position,
                role: message.role,
                source: message.source,
                at: message.at,
                content: secret::mask(&message.content),
                marks,
                message: message.id,
            }
        })
        .collect())
}
