//! A look at rows before anything is proposed: whether they could be kept, and whether the same is there already.

use std::collections::{HashMap, HashSet};

use domain::{
    agent::{AgentName, AgentSettings},
    candidate::{Action, Flag, Proposal},
    flags,
    import::{ImportMapping, RowState},
    kind::Kind,
    matcher::{self, Judgement},
    permission::Permit,
    secret,
    user::Scope,
};
use serde_json::{Map, Value};
use store::{CheckedRow, Skipped, Tx};

use super::{
    Fault,
    draft::{Draft, draft, whom},
};
use crate::{
    Engine,
    error::{EngineError, Result},
    opt_out,
    review::statement,
    worker::stored,
};

/// A row by its number, or what is wrong with it as a whole.
pub(super) type Record = (i64, Result<Map<String, Value>, Fault>);

impl Engine {
    /// Looks at rows, in their order. Nothing is written.
    ///
    /// # Errors
    /// Only the database's; `not_found` where the agent is gone.
    pub(super) async fn check_rows(
        &self,
        permit: &Permit,
        agent: &AgentName,
        mapping: &ImportMapping,
        records: &[Record],
    ) -> Result<Vec<CheckedRow>> {
        let now = self.now();
        let mut tx = self.read(permit).await?;
        let there = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(agent).await?;
        let mut look = Look {
            agent,
            mapping,
            settings: &there.settings,
            left_alone: HashMap::new(),
            stored: HashMap::new(),
            met: HashSet::new(),
        };
        let mut checked = Vec::with_capacity(records.len());
        for (_, record) in records {
            checked.push(match record {
                Err(fault) => failed(None, *fault),
                Ok(record) => look.at(&mut tx, record, &kinds, now).await?,
            });
        }
        Ok(checked)
    }
}

struct Look<'a> {
    agent: &'a AgentName,
    mapping: &'a ImportMapping,
    settings: &'a AgentSettings,
    left_alone: HashMap<String, Option<&'static str>>,
    stored: HashMap<String, Option<matcher::Stored>>,
    /// What stands further up in the file.
    met: HashSet<Vec<u8>>,
}

impl Look<'_> {
    async fn at(
        &mut self,
        tx: &mut Tx,
        record: &Map<String, Value>,
        kinds: &[Kind],
        now: domain::Timestamp,
    ) -> Result<CheckedRow> {
        // First of all, because of whoever opted out nothing is kept, whatever else is wrong with the row.
        let whom = whom(record, self.mapping);
        let left_alone = match &whom {
            Ok(scope) => self.left_alone(tx, scope).await?,
            Err(_) => None,
        };
        let mut drafted = match left_alone {
            Some(why) => Err(("user_id", why)),
            None => draft(record, self.mapping, kinds, now),
        };
        drafted = drafted.and_then(|draft| keepable(&draft, kinds).map(|()| draft));
        // What a column without a meaning holds is kept with the row, too.
        if !matches!(drafted, Err((_, "secret" | "opted_out")))
            && holds_secret(record, self.mapping)
        {
            drafted = Err(("row", "secret"));
        }
        let draft = match drafted {
            Ok(draft) => draft,
            Err(fault) => return Ok(failed(whom.ok(), fault)),
        };
        let (scope, draft) = (draft.scope.clone(), &draft);
        let source = source(tx, self.agent, draft);
        let state = if tx.import_known(self.agent, &source).await? {
            RowState::Known
        } else if !self.met.insert(source.clone()) {
            RowState::Duplicate
        } else {
            match self.judged(tx, draft, now).await? {
                Some(Judgement::SeenAgain(_)) => RowState::Duplicate,
                Some(Judgement::Suppressed(_)) => {
                    return Ok(failed(Some(scope), ("content", "rejected_before")));
                }
                Some(Judgement::Propose { .. } | Judgement::NoTarget) | None => RowState::Waits,
            }
        };
        Ok(CheckedRow {
            state,
            fault: None,
            scope: Some(scope),
            source: Some(source),
        })
    }

    async fn left_alone(&mut self, tx: &mut Tx, scope: &Scope) -> Result<Option<&'static str>> {
        let name = scope.canonical();
        if let Some(known) = self.left_alone.get(&name) {
            return Ok(*known);
        }
        let why = left_alone(tx, self.agent, self.settings, scope).await?;
        self.left_alone.insert(name, why);
        Ok(why)
    }

    /// What the matcher says of it; `None` where nobody knows the user yet.
    async fn judged(
        &mut self,
        tx: &mut Tx,
        draft: &Draft,
        now: domain::Timestamp,
    ) -> Result<Option<Judgement>> {
        let name = draft.scope.canonical();
        if !self.stored.contains_key(&name) {
            let known = match tx.find_user(self.agent, &draft.scope).await? {
                Some(user) => Some(stored(&tx.known(self.agent, &user.id, now).await?)),
                None => None,
            };
            self.stored.insert(name.clone(), known);
        }
        let known = self.stored.get(&name).and_then(Option::as_ref);
        Ok(known.map(|known| matcher::judge(&proposal(draft), &[], known)))
    }
}

fn failed(scope: Option<Scope>, fault: Fault) -> CheckedRow {
    CheckedRow {
        state: RowState::Failed,
        fault: Some(fault),
        scope,
        source: None,
    }
}

/// Whether something in a row is a secret, but for whom it is about: an id may look like anything.
fn holds_secret(record: &Map<String, Value>, mapping: &ImportMapping) -> bool {
    let mut cells = record.iter();
    cells.any(|(name, value)| !mapping.names_somebody(name) && secret::mask_json(value) != *value)
}

/// Why nothing is remembered of somebody.
pub(super) async fn left_alone(
    tx: &mut Tx,
    agent: &AgentName,
    settings: &AgentSettings,
    scope: &Scope,
) -> Result<Option<&'static str>> {
    let why = opt_out::left_alone(tx, agent, settings, scope).await?;
    Ok(why.map(|why| match why {
        Skipped::SharedId => "shared_id",
        Skipped::OptedOut | Skipped::MemoryOff => "opted_out",
    }))
}

/// What tells a row from others, wherever it stands.
pub(super) fn source(tx: &Tx, agent: &AgentName, draft: &Draft) -> Vec<u8> {
    let name = draft.name.as_deref().unwrap_or_default();
    let parts = [draft.kind.as_str(), name, draft.content.as_str()];
    tx.import_source(agent, &draft.scope, &parts)
}

/// Whether a statement may be kept: what an extractor may not propose is not imported either. Characters that do not show are refused,
/// because a file can be mended, and a conversation cannot.
///
/// # Errors
/// Which part may not, and why.
pub(super) fn keepable(draft: &Draft, kinds: &[Kind]) -> Result<(), Fault> {
    let kind = kinds.iter().find(|kind| kind.name == draft.kind);
    let kind = kind.ok_or(("kind", "unknown"))?;
    statement::check(
        kind,
        draft.name.as_deref(),
        &draft.content,
        &draft.metadata,
        draft.importance,
    )
    .map_err(|error| fault(&error))?;
    if draft.tags.iter().any(|tag| secret::holds(tag)) {
        return Err(("tags", "secret"));
    }
    if draft.source_id.as_deref().is_some_and(secret::holds) {
        return Err(("source_id", "secret"));
    }
    if flags::of_statement(&draft.content).contains(&Flag::HiddenCharacters) {
        return Err(("content", "hidden_characters"));
    }
    Ok(())
}

/// A refusal as the part that does not fit and why. What a schema says of a value may repeat it, so only where is kept.
pub(super) fn fault(error: &EngineError) -> Fault {
    let fields = error.fields();
    let Some(first) = fields.first() else {
        return ("row", error.code());
    };
    let part = first.pointer.trim_start_matches('/');
    let part = part.split('/').next().unwrap_or_default();
    let known = [
        "user_id",
        "scope",
        "content",
        "kind",
        "name",
        "tags",
        "importance",
        "metadata",
    ];
    let part = known.into_iter().find(|known| *known == part);
    (part.unwrap_or("row"), first.code)
}

fn proposal(draft: &Draft) -> Proposal {
    Proposal {
        action: Action::Create,
        targets: Vec::new(),
        kind: draft.kind.clone(),
        name: draft.name.clone(),
        content: draft.content.clone(),
        metadata: draft.metadata.clone(),
        tags: draft.tags.clone(),
        confidence: 0.5,
        importance: draft.importance.unwrap_or(0.5),
        language: domain::text::language(&draft.content).to_owned(),
        flags: Vec::new(),
        evidence: Vec::new(),
        explanation: None,
        cause: None,
    }
}
