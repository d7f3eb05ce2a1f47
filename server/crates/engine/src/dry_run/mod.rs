//! A dry run before a change of model or words (G14): the last conversations are read again by another extractor, and what would come of
//! them stands beside what came of them. It goes through the same gate and matcher, against what was known before each conversation was
//! first read; nothing of it is proposed, seen again, or stored but here.
//!
//! Asking says first what it would cost. It is then work in the background, a window a claim: a process that dies leaves the rest to
//! another, the budget of the day holds it up like any reading, and what it spends counts to the agent and is told apart.

mod read;
mod run;

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::{Agent, AgentName, AgentSettings},
    dry_run::{DryRunState, KEPT_FOR, MOST_CONVERSATIONS, Trial, TrialState, TriedKind},
    id::DryRunId,
    kind::Kind,
    permission::{Permission, Permit},
};
pub use read::{DryRunDetail, DryRunItemView, DryRunLine, DryRunTotals, FoundView, TodayView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{DryRun, Triable, Tx};

use crate::{
    Engine, again,
    budget::today,
    error::{EngineError, FieldError, Result},
    extractor::Extractor,
    kind::{KindPatch, tried},
    need,
    page::{By, List, Page},
    queue::page,
    view::Names,
    worker::windows,
};

/// Days of past use that an estimate may rest on.
const DAYS: i64 = 30;

/// What is to be tried.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewDryRun {
    /// The extractor, as an agent's settings have it; `null`: the installation's; left out: the agent's own.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<String>)]
    pub extractor: Option<Option<String>>,
    /// What it is told beside the rules that hold for every agent, at most 4,000 characters; left out: what the agent has.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<String>)]
    pub guidance: Option<Option<String>>,
    /// Kinds with other words, by name; what is left out is as the agent has it.
    pub kinds: BTreeMap<String, TriedWords>,
    /// How many of the last conversations that were read, 1 to 200; left out: 20.
    pub conversations: Option<u32>,
    /// What a million tokens read would cost; left out: what the agent's budget says.
    pub price_in: Option<f64>,
    /// What a million tokens written would cost.
    pub price_out: Option<f64>,
    /// Whether to begin; without it only what it would be over and cost is answered.
    pub confirm: bool,
}

/// Other words for a kind.
#[derive(Debug, Clone, Default, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TriedWords {
    /// What it holds.
    pub description: Option<String>,
    /// What belongs in it and what does not; `null`: nothing is said.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<String>)]
    pub guideline: Option<Option<String>>,
    /// JSON Schema of its metadata; `null`: anything.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<Object>)]
    pub metadata_schema: Option<Option<Value>>,
    /// Whether extraction proposes it.
    pub enabled: Option<bool>,
}

/// On what an estimate rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// What answers about these very conversations cost.
    Conversations,
    /// What the agent's windows cost on the last 31 days.
    Agent,
    /// The built-in extractor costs nothing.
    Free,
    /// Nothing was ever measured.
    Unknown,
}

/// What a dry run would be over, and what it would cost, as far as the past tells.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct DryRunEstimate {
    /// The extractor, by the name that means it alone.
    pub extractor: String,
    /// How many conversations there are.
    pub conversations: i64,
    /// Windows of 20 messages, each at least one call.
    pub windows: i64,
    /// Tokens read.
    pub tokens_in: Option<i64>,
    /// Tokens written.
    pub tokens_out: Option<i64>,
    /// Their price; `None` without prices.
    pub cost: Option<f64>,
    /// On what this rests.
    pub basis: Basis,
    /// How much of the day's budget is used, 1.0 for all of it; `None` without a limit.
    pub used: Option<f64>,
    /// How much would be after it. From 1.0 on it waits for the next day in the middle.
    pub used_after: Option<f64>,
    /// Whether guidance, a description or a guideline is tried on the built-in extractor, which reads none of them: as far as that goes,
    /// like is compared with like.
    pub words_unread: bool,
}

/// A dry run.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct DryRunView {
    /// Ours.
    pub id: DryRunId,
    /// Of which agent.
    pub agent: AgentName,
    /// `running`, `done`, `failed`, `stopped`.
    pub state: DryRunState,
    /// Why it could not go on: `no_extractor`, `not_allowed`, `gone`; `deactivated` or `forbidden`: whoever asked may not any more; while it runs, what it waits for: `budget`, or the code of what the
    /// provider answered.
    pub error: Option<String>,
    /// Until when it waits for that.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub waits_until: Option<Timestamp>,
    /// Who asked for it.
    pub by: By,
    /// What is tried.
    pub trial: Trial,
    /// The extractor, by the name that means it alone; `None` where it does not exist here any more.
    pub extractor: Option<String>,
    /// Whether words are tried that this extractor does not read, as the estimate says.
    pub words_unread: bool,
    /// How many conversations there are. One that was erased meanwhile is none of them any more.
    pub conversations: i64,
    /// How many were read.
    pub done: i64,
    /// Of how many no answer could be had.
    pub failed: i64,
    /// How many are not to be read.
    pub skipped: i64,
    /// Answers.
    pub windows: i64,
    /// Answers that could not be read.
    pub windows_failed: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// Their price by the prices that were given; `None` without any.
    pub cost: Option<f64>,
    /// How long the answers took, in milliseconds.
    pub took_ms: i64,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it ended. What came of it goes thirty days later.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
}

/// What is tried, over what, by what.
struct Drafted {
    trial: Trial,
    extractor: Extractor,
    over: Vec<Triable>,
    agent: Agent,
    words_unread: bool,
}

impl Engine {
    /// What a dry run would be over and cost.
    ///
    /// # Errors
    /// `not_found`; `invalid` for what cannot be tried, `no_key` at `/extractor` where its provider could not be asked, or where no
    /// conversation was read yet.
    pub async fn estimate_dry_run(
        &self,
        permit: &Permit,
        agent: &AgentName,
        new: &NewDryRun,
    ) -> Result<DryRunEstimate> {
        let permit = &admin_of(permit, agent)?;
        let mut tx = self.read(permit).await?;
        let drafted = self.draft_dry_run(&mut tx, agent, new).await?;
        self.estimate(&mut tx, &drafted).await
    }

    /// Begins a dry run.
    ///
    /// # Errors
    /// As [`Engine::estimate_dry_run`]; `forbidden` for who is no person.
    pub async fn start_dry_run(
        &self,
        permit: &Permit,
        agent: &AgentName,
        new: &NewDryRun,
    ) -> Result<DryRunView> {
        let permit = &admin_of(permit, agent)?;
        if permit.actor().person().is_none() {
            return Err(EngineError::Forbidden);
        }
        let id = again!(self.start_dry_run_once(permit, agent, new).await)?;
        let mut tx = self.read(permit).await?;
        let run = there(&mut tx, agent, &id).await?;
        self.dry_run_view(&mut tx, run).await
    }

    async fn start_dry_run_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        new: &NewDryRun,
    ) -> Result<DryRunId> {
        let mut tx = self.write(permit).await?;
        let Drafted { trial, over, .. } = self.draft_dry_run(&mut tx, agent, new).await?;
        let new = store::NewDryRun {
            agent: agent.clone(),
            person: permit.actor().person().cloned(),
            trial,
            over,
        };
        let id = tx.create_dry_run(&new, &self.stamp(permit)).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The dry runs of an agent, newest first.
    ///
    /// # Errors
    /// `not_found`; `invalid` for a cursor that is not ours.
    pub async fn dry_runs(
        &self,
        permit: &Permit,
        agent: &AgentName,
        wanted: &Page,
    ) -> Result<List<DryRunView>> {
        let permit = &admin_of(permit, agent)?;
        let mut tx = self.read(permit).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let listed = tx.dry_runs(agent, &page(wanted)?).await?;
        let mut data = Vec::with_capacity(listed.rows.len());
        for run in listed.rows {
            data.push(self.dry_run_view(&mut tx, run).await?);
        }
        Ok(List {
            data,
            next: listed.next.map(|cursor| cursor.to_string()),
        })
    }

    /// Stops a dry run: what came of it so far stays to be looked at.
    ///
    /// # Errors
    /// `not_found`; `bulk_over` where it has ended.
    pub async fn stop_dry_run(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &DryRunId,
    ) -> Result<DryRunView> {
        let permit = &admin_of(permit, agent)?;
        again!(self.stop_dry_run_once(permit, agent, id).await)?;
        let mut tx = self.read(permit).await?;
        let run = there(&mut tx, agent, id).await?;
        self.dry_run_view(&mut tx, run).await
    }

    async fn stop_dry_run_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &DryRunId,
    ) -> Result<()> {
        let mut tx = self.write(permit).await?;
        let run = there(&mut tx, agent, id).await?;
        if !tx.stop_dry_run(&run, &self.stamp(permit)).await? {
            return Err(EngineError::BulkOver);
        }
        Ok(tx.commit().await?)
    }

    /// Removes what came of dry runs that ended thirty days ago.
    pub(crate) async fn remove_dry_runs(&self) -> Result<u64> {
        let mut tx = self.write_all().await?;
        let removed = tx.remove_dry_runs(self.now() - KEPT_FOR).await?;
        tx.commit().await?;
        Ok(removed)
    }

    /// Checks what is to be tried, and finds the conversations.
    async fn draft_dry_run(
        &self,
        tx: &mut Tx,
        agent: &AgentName,
        new: &NewDryRun,
    ) -> Result<Drafted> {
        let agent = tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let kinds = tx.kinds(&agent.name).await?;
        let mut wrong = Vec::new();
        let mut tried_kinds = Vec::with_capacity(new.kinds.len());
        for (name, words) in &new.kinds {
            let Some(kind) = kinds.iter().find(|kind| kind.name == *name) else {
                let pointer = format!("/kinds/{name}");
                wrong.push(FieldError::new(
                    pointer,
                    "unknown",
                    "this agent has no such kind",
                ));
                continue;
            };
            match tried(kind, &words.patch()) {
                Ok(after) if after == *kind => {}
                Ok(after) => tried_kinds.push(TriedKind {
                    name: after.name,
                    description: after.description,
                    guideline: after.guideline,
                    metadata_schema: after.metadata_schema,
                    enabled: after.enabled,
                }),
                Err(error) => wrong.extend(error.fields()),
            }
        }
        let settings = &agent.settings;
        let trial = Trial {
            extractor: match &new.extractor {
                Some(extractor) => extractor.clone(),
                None => settings.extractor.clone(),
            },
            guidance: match &new.guidance {
                Some(guidance) => said(guidance.as_deref()),
                None => settings.guidance.clone(),
            },
            kinds: tried_kinds,
            price_in: new.price_in.or(settings.budget.price_in),
            price_out: new.price_out.or(settings.budget.price_out),
        };
        wrong.extend(faults(new, &trial));
        if !wrong.is_empty() {
            return Err(EngineError::Invalid(wrong));
        }
        self.usable_extractor(&trial.settings(settings))?;
        let extractor = self
            .extractors()
            .of(trial.extractor.as_deref())
            .ok_or(EngineError::NotFound)?;
        if let Some(variable) = self.extractors().missing_key(&extractor) {
            return Err(no_key(&extractor, variable));
        }
        let over = tx
            .last_read(&agent.name, new.conversations.unwrap_or(20))
            .await?;
        if over.is_empty() {
            return Err(EngineError::invalid(
                "/conversations",
                "empty",
                "no conversation of this agent was read yet, so there is nothing to compare with",
            ));
        }
        Ok(Drafted {
            words_unread: !extractor.reads_words() && other_words(&trial, settings, &kinds),
            trial,
            extractor,
            over,
            agent,
        })
    }

    async fn estimate(&self, tx: &mut Tx, drafted: &Drafted) -> Result<DryRunEstimate> {
        let Drafted {
            trial,
            extractor,
            over,
            agent,
            words_unread,
        } = drafted;
        let windows = over
            .iter()
            .map(|one| windows(1, one.upto).len())
            .sum::<usize>();
        let windows = i64::try_from(windows).unwrap_or(i64::MAX);
        let spent = today(tx, agent, self.now()).await?;
        let (basis, each) = if matches!(extractor, Extractor::Builtin) {
            (Basis::Free, Some((0.0, 0.0)))
        } else {
            self.measured(tx, agent, over).await?
        };
        let of = |each: f64| (each * windows as f64).ceil() as i64;
        let tokens = each.map(|(tokens_in, tokens_out)| (of(tokens_in), of(tokens_out)));
        let budget = &agent.settings.budget;
        Ok(DryRunEstimate {
            extractor: extractor.name(),
            conversations: i64::try_from(over.len()).unwrap_or(i64::MAX),
            windows,
            tokens_in: tokens.map(|(tokens_in, _)| tokens_in),
            tokens_out: tokens.map(|(_, tokens_out)| tokens_out),
            cost: tokens.and_then(|(tokens_in, tokens_out)| trial.cost(tokens_in, tokens_out)),
            basis,
            used: budget.used(spent.tokens_in, spent.tokens_out),
            used_after: tokens.and_then(|(tokens_in, tokens_out)| {
                budget.used(spent.tokens_in + tokens_in, spent.tokens_out + tokens_out)
            }),
            words_unread: *words_unread,
        })
    }

    /// What a window has cost: tokens read and written.
    async fn measured(
        &self,
        tx: &mut Tx,
        agent: &Agent,
        over: &[Triable],
    ) -> Result<(Basis, Option<(f64, f64)>)> {
        let share = |tokens: i64, of: i64| tokens as f64 / of as f64;
        let cost = tx.answers_cost(&agent.name, over).await?;
        if cost.answers > 0 {
            let each = (
                share(cost.tokens_in, cost.answers),
                share(cost.tokens_out, cost.answers),
            );
            return Ok((Basis::Conversations, Some(each)));
        }
        let days = tx.usage(&agent.name, DAYS, self.now()).await?;
        // A day on which nothing was counted was one of the built-in extractor.
        let days = days.iter().filter(|day| day.tokens_in > 0);
        let (read, tokens_in, tokens_out) = days.fold((0, 0, 0), |sum, day| {
            (
                sum.0 + day.extractions,
                sum.1 + day.tokens_in,
                sum.2 + day.tokens_out,
            )
        });
        if read == 0 {
            return Ok((Basis::Unknown, None));
        }
        let each = (share(tokens_in, read), share(tokens_out, read));
        Ok((Basis::Agent, Some(each)))
    }

    async fn dry_run_view(&self, tx: &mut Tx, run: DryRun) -> Result<DryRunView> {
        let mut names = Names::default();
        names.learn_people(tx, run.person.clone()).await?;
        let by = match &run.person {
            Some(person) => names.person(person),
            None => By::system(),
        };
        let sums = &run.sums;
        let count = |state| sums.counts.get(&state).copied().unwrap_or_default();
        let waits = run.state == DryRunState::Running && run.error.is_some();
        let extractor = self.extractors().of(run.trial.extractor.as_deref());
        let reads = extractor.as_ref().is_none_or(Extractor::reads_words);
        let agent = if reads {
            None
        } else {
            tx.agent(&run.agent).await?
        };
        let words_unread = match agent {
            None => false,
            Some(agent) => {
                let kinds = tx.kinds(&run.agent).await?;
                other_words(&run.trial, &agent.settings, &kinds)
            }
        };
        Ok(DryRunView {
            by,
            words_unread,
            extractor: extractor.map(|extractor| extractor.name()),
            conversations: sums.counts.values().sum(),
            done: count(TrialState::Done),
            failed: count(TrialState::Failed),
            skipped: count(TrialState::Skipped),
            windows: sums.windows,
            windows_failed: sums.windows_failed,
            tokens_in: sums.tokens_in,
            tokens_out: sums.tokens_out,
            cost: run.trial.cost(sums.tokens_in, sums.tokens_out),
            took_ms: sums.took_ms,
            waits_until: run.lease_until.filter(|_| waits),
            id: run.id,
            agent: run.agent,
            state: run.state,
            error: run.error,
            trial: run.trial,
            created_at: run.created_at,
            finished_at: run.finished_at,
        })
    }
}

impl TriedWords {
    fn patch(&self) -> KindPatch {
        KindPatch {
            description: self.description.clone(),
            guideline: self.guideline.clone(),
            metadata_schema: self.metadata_schema.clone(),
            enabled: self.enabled,
            ..KindPatch::default()
        }
    }
}

/// The permit for the agent alone.
fn admin_of(permit: &Permit, agent: &AgentName) -> Result<Permit> {
    need(permit, &[Permission::Administer])?;
    permit.within(agent).ok_or(EngineError::NotFound)
}

/// A dry run of this agent: that of another is none.
async fn there(tx: &mut Tx, agent: &AgentName, id: &DryRunId) -> Result<DryRun> {
    let run = tx.dry_run(id).await?;
    run.filter(|run| run.agent == *agent)
        .ok_or(EngineError::NotFound)
}

/// Whether a trial says otherwise than the agent does what an extractor is told.
fn other_words(trial: &Trial, settings: &AgentSettings, kinds: &[Kind]) -> bool {
    let differs = |tried: &TriedKind| {
        let kind = kinds.iter().find(|kind| kind.name == tried.name);
        kind.is_some_and(|kind| {
            kind.description != tried.description || kind.guideline != tried.guideline
        })
    };
    trial.guidance != said(settings.guidance.as_deref()) || trial.kinds.iter().any(differs)
}

fn no_key(extractor: &Extractor, variable: &str) -> EngineError {
    EngineError::invalid(
        "/extractor",
        "no_key",
        format!(
            "no key of the provider of {} is configured: set KEEPSAKE_EXTRACTOR_API_KEY, or {variable}, and restart; or try another extractor",
            extractor.name()
        ),
    )
}

fn said(text: Option<&str>) -> Option<String> {
    text.map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

fn faults(new: &NewDryRun, trial: &Trial) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let mut check = |fits: bool, pointer: &str, code: &'static str, detail: &str| {
        if !fits {
            wrong.push(FieldError::new(pointer, code, detail));
        }
    };
    check(
        new.conversations
            .is_none_or(|number| (1..=MOST_CONVERSATIONS).contains(&number)),
        "/conversations",
        "range",
        "a number from 1 to 200",
    );
    let guidance = trial.guidance.as_deref().unwrap_or_default();
    check(
        guidance.chars().count() <= 4000 && !guidance.contains('\0'),
        "/guidance",
        "too_long",
        "at most 4,000 characters, without NUL",
    );
    for (pointer, price) in [("/price_in", new.price_in), ("/price_out", new.price_out)] {
        check(
            price.is_none_or(|price| price >= 0.0 && price.is_finite()),
            pointer,
            "range",
            "a number from 0 on",
        );
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    // G14
    #[test]
    fn what_is_left_out_is_as_the_agent_has_it_and_null_is_nothing() {
        let new: NewDryRun = serde_json::from_str(
            r#"{"extractor": null, "kinds": {"fact": {"guideline": null}}, "price_in": 2}"#,
        )
        .unwrap();
        assert_eq!((new.extractor, new.guidance), (Some(None), None));
        let patch = new.kinds["fact"].patch();
        assert_eq!((patch.guideline, patch.description), (Some(None), None));
        assert!(serde_json::from_str::<NewDryRun>(r#"{"model": "x"}"#).is_err());
        let over = NewDryRun {
            conversations: Some(201),
            price_out: Some(f64::NAN),
            ..NewDryRun::default()
        };
        let wrong: Vec<String> = faults(&over, &Trial::default())
            .into_iter()
            .map(|fault| fault.pointer)
            .collect();
        assert_eq!(wrong, ["/conversations", "/price_out"]);
    }
}
