//! `/agents/{name}/dry-runs`, and one of them.

use std::collections::BTreeMap;

use app::{
    pages::dry_runs::{
        Came, Decided, DryRun, DryRuns, Estimate, Item, Line, Run, Spent, Statement, Words,
        dry_run, dry_runs,
    },
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, Query, State},
    response::Response,
};
use domain::{
    agent::AgentName,
    dry_run::{Difference, DryRunState},
    id::DryRunId,
    permission::Permission,
};
use engine::{
    Basis, DryRunDetail, DryRunEstimate, DryRunItemView, DryRunLine, DryRunView, EngineError,
    FoundView, KindView, NewDryRun, Page, TodayView, TriedWords,
};
use serde::Deserialize;

use super::{
    by::by,
    form::{id, keep, maybe, refused, typed, typed_of},
    look::Look,
};
use crate::{
    auth::Admin,
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// The flash that only says what was typed, so that the page tells what it would cost.
const ESTIMATE: &str = "dry_run_estimate";

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    after: String,
}

/// What the form says; the words of kinds under names of their own.
struct Written<'a>(&'a BTreeMap<String, String>);

impl Written<'_> {
    fn value(&self, field: &str) -> Option<String> {
        typed(&self.0.get(field)?.replace("\r\n", "\n"))
    }

    fn number<T: std::str::FromStr>(
        &self,
        field: &str,
        pointer: &'static str,
    ) -> Result<Option<T>, EngineError> {
        maybe(self.0.get(field).map_or("", String::as_str), pointer)
    }

    fn read(&self, kinds: &[KindView]) -> Result<NewDryRun, EngineError> {
        let words = kinds.iter().filter_map(|kind| {
            let field = |what: &str| format!("kinds_{}_{what}", kind.name);
            // Of a kind that the form did not have everything stays.
            self.0.get(&field("description"))?;
            let words = TriedWords {
                description: Some(self.value(&field("description")).unwrap_or_default()),
                guideline: Some(self.value(&field("guideline"))),
                ..TriedWords::default()
            };
            Some((kind.name.clone(), words))
        });
        Ok(NewDryRun {
            extractor: Some(self.value("extractor")),
            guidance: Some(self.value("guidance")),
            kinds: words.collect(),
            conversations: self.number("conversations", "/conversations")?,
            price_in: self.number("price_in", "/price_in")?,
            price_out: self.number("price_out", "/price_out")?,
            confirm: self.0.contains_key("confirm"),
        })
    }
}

/// The form, and all that there is.
pub async fn list(
    admin: Admin,
    look: Look,
    Path(text): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&admin, Place::Agents).await?;
    let name: AgentName = id(&text)?;
    let (engine, permit) = (look.engine(), &admin.permit);
    let page = Page {
        cursor: Some(asked.after).filter(|cursor| !cursor.is_empty()),
        ..Page::default()
    };
    let listed = engine.dry_runs(permit, &name, &page).await?;
    let reads = admin.ask(Permission::ReadAgents)?;
    let settings = engine.agent(&reads, &name).await?.settings;
    let kinds = engine.kinds(&reads, &name).await?;
    let typed = typed_of(look.flash.as_ref());
    let asks = look
        .flash
        .as_ref()
        .is_some_and(|flash| flash.code == ESTIMATE);
    let estimate = match Written(&typed.values).read(&kinds) {
        // What it would be is worked out anew: a conversation may have come, or the budget been used, since the form was sent.
        Ok(new) if asks => engine.estimate_dry_run(permit, &name, &new).await.ok(),
        _ => None,
    };
    let price = |price: Option<f64>| price.map(|price| price.to_string()).unwrap_or_default();
    let page = DryRuns {
        agent: name.to_string(),
        extractor: settings.extractor.unwrap_or_default(),
        guidance: settings.guidance.unwrap_or_default(),
        prices: (
            price(settings.budget.price_in),
            price(settings.budget.price_out),
        ),
        kinds: kinds.into_iter().map(words).collect(),
        estimate: estimate.map(estimated),
        rows: listed.data.iter().map(|one| run(&look, one)).collect(),
        next: listed.next,
        typed,
    };
    look.draw(move || dry_runs(&frame, &page)).await
}

fn words(kind: KindView) -> Words {
    Words {
        name: kind.name,
        description: kind.description,
        guideline: kind.guideline.unwrap_or_default(),
    }
}

fn estimated(estimate: DryRunEstimate) -> Estimate {
    Estimate {
        extractor: estimate.extractor,
        conversations: estimate.conversations,
        windows: estimate.windows,
        tokens: estimate.tokens_in.zip(estimate.tokens_out),
        cost: estimate.cost,
        basis: match estimate.basis {
            Basis::Conversations => "conversations",
            Basis::Agent => "agent",
            Basis::Free => "free",
            Basis::Unknown => "unknown",
        },
        over_budget: estimate.used_after.is_some_and(|used| used >= 1.0),
        words_unread: estimate.words_unread,
    }
}

fn run(look: &Look, one: &DryRunView) -> Run {
    let named = one.trial.extractor.clone();
    Run {
        id: one.id.clone(),
        extractor: one
            .extractor
            .clone()
            .or(named)
            .unwrap_or_else(|| "–".to_owned()),
        by: by(look.text(), &one.by).unwrap_or_default(),
        state: one.state,
        over: one.done + one.failed + one.skipped,
        done: one.done,
        failed: one.failed,
        conversations: one.conversations,
        created_at: one.created_at,
    }
}

/// Tells what it would cost, or begins it.
pub async fn start(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(text): Path<String>,
    Form(form): Form<BTreeMap<String, String>>,
) -> Result<Response, PageError> {
    let name: AgentName = id(&text)?;
    let path = format!("/agents/{name}/dry-runs");
    let (engine, permit) = (&app.engine, &admin.permit);
    let reads = admin.ask(Permission::ReadAgents)?;
    let kinds = engine.kinds(&reads, &name).await?;
    let values: Vec<(&str, &str)> = form
        .iter()
        .filter(|(field, _)| field.as_str() != "confirm")
        .map(|(field, value)| (field.as_str(), value.as_str()))
        .collect();
    let done = async {
        let new = Written(&form).read(&kinds)?;
        if new.confirm {
            return engine.start_dry_run(permit, &name, &new).await.map(Some);
        }
        engine.estimate_dry_run(permit, &name, &new).await?;
        Ok(None)
    };
    match done.await {
        Ok(Some(run)) => {
            let flash = Flash::new("dry_run_started");
            flashes
                .see_other(&format!("{path}/{}", run.id), flash)
                .await
        }
        Ok(None) => {
            let flash = keep(Flash::new(ESTIMATE), &values);
            flashes.see_other(&format!("{path}#try"), flash).await
        }
        Err(error) => {
            let flash = refused(error, &values)?;
            flashes.see_other(&format!("{path}#try"), flash).await
        }
    }
}

/// One, beside what came of its conversations.
pub async fn show(
    admin: Admin,
    look: Look,
    Path((agent, run)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let frame = look.frame(&admin, Place::Agents).await?;
    let (agent, run): (AgentName, DryRunId) = (id(&agent)?, id(&run)?);
    let engine = look.engine();
    let found = engine.dry_run(&admin.permit, &agent, &run).await?;
    let reads = admin.ask(Permission::ReadAgents)?;
    let own = engine.agent(&reads, &agent).await?.settings.guidance;
    let runs = found.run.state == DryRunState::Running;
    let page = shown(&look, found, own.as_deref());
    look.draw_while(runs, move || dry_run(&frame, &page)).await
}

fn shown(look: &Look, found: DryRunDetail, own_guidance: Option<&str>) -> DryRun {
    let view = self::run(look, &found.run);
    let totals = &found.totals;
    let decided = |judged: domain::dry_run::Judged, junk| Decided {
        approved: judged.approved,
        rejected: judged.rejected,
        undecided: judged.undecided,
        junk,
    };
    let trial = &found.run.trial;
    DryRun {
        run: view,
        agent: found.run.agent.to_string(),
        error: found.run.error.clone(),
        waits_until: found.run.waits_until,
        kinds: trial.kinds.iter().map(|kind| kind.name.clone()).collect(),
        guidance: trial
            .guidance
            .clone()
            .filter(|guidance| own_guidance != Some(guidance.as_str())),
        counts: vec![
            (Difference::Same, totals.same),
            (Difference::OtherKind, totals.other_kind),
            (Difference::OnlyToday, totals.only_today),
            (Difference::OnlyNew, totals.only_new),
        ],
        decided: (
            decided(totals.today, totals.today_junk),
            decided(totals.new, totals.new_junk),
        ),
        spent: (
            Spent {
                tokens_in: totals.today_tokens_in,
                tokens_out: totals.today_tokens_out,
                cost: totals.today_cost,
            },
            Spent {
                tokens_in: found.run.tokens_in,
                tokens_out: found.run.tokens_out,
                cost: found.run.cost,
            },
        ),
        took_ms: found.run.took_ms,
        unreadable: found.run.windows_failed,
        left_out: found.run.skipped,
        words_unread: found.run.words_unread,
        items: found.items.into_iter().map(item).collect(),
    }
}

fn item(one: DryRunItemView) -> Item {
    Item {
        conversation: one.conversation,
        who: one.who,
        said_at: one.said_at,
        state: one.state,
        error: one.error,
        sightings: one.sightings,
        suppressed: one.suppressed,
        lines: one.lines.into_iter().map(line).collect(),
    }
}

fn line(one: DryRunLine) -> Line {
    Line {
        difference: one.difference,
        today: one.today.map(came),
        new: one.new.map(statement),
    }
}

fn came(today: TodayView) -> Came {
    Came {
        candidate: today.candidate,
        status: today.status,
        reason: today.reason,
        says: Statement {
            action: today.action,
            kind: today.kind,
            content: today.content,
            language: today.language,
            flags: Vec::new(),
        },
    }
}

fn statement(found: FoundView) -> Statement {
    Statement {
        action: found.action,
        kind: found.kind,
        content: found.content,
        language: found.language,
        flags: found.flags,
    }
}

/// Stops one.
pub async fn stop(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((agent, run)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let (agent, run): (AgentName, DryRunId) = (id(&agent)?, id(&run)?);
    let stopped = app.engine.stop_dry_run(&admin.permit, &agent, &run).await;
    let flash = match stopped {
        Ok(_) => Flash::new("dry_run_stopped"),
        Err(EngineError::BulkOver) => Flash::new("dry_run_over"),
        Err(error) => return Err(error.into()),
    };
    flashes
        .see_other(&format!("/agents/{agent}/dry-runs/{run}"), flash)
        .await
}
