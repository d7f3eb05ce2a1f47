//! A dry run beside what came of its conversations, as it stands now: people go on deciding.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Action, Candidate, Dropped, Flag, Reason, State, Status},
    dry_run::{Difference, Found, Judged, Said, TrialState, side_by_side},
    id::{CandidateId, ConversationId, DryRunId, UserId},
    permission::Permit,
};
use serde::Serialize;
use store::{CameOf, DryRunItem, Triable};

use super::{DryRunView, admin_of, there};
use crate::{Engine, error::Result, view::Names};

/// A dry run, conversation by conversation, beside what came of each.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct DryRunDetail {
    /// Itself.
    #[serde(flatten)]
    pub run: DryRunView,
    /// All conversations together.
    pub totals: DryRunTotals,
    /// The conversations, newest first.
    pub items: Vec<DryRunItemView>,
}

/// The conversations that were read, together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, utoipa::ToSchema)]
pub struct DryRunTotals {
    /// Statements that both have.
    pub same: u32,
    /// Statements that both have under different kinds.
    pub other_kind: u32,
    /// Statements that only what came of the conversations has.
    pub only_today: u32,
    /// Statements that only the dry run has.
    pub only_new: u32,
    /// What people decided on what came of the conversations.
    pub today: Judged,
    /// The share of it that was rejected; `None` where nothing was decided.
    pub today_junk: Option<f64>,
    /// The same of what is like it in the dry run, with what a person had rejected before.
    pub new: Judged,
    /// The share of that which is like something rejected: an estimate, because on what is new nobody has decided.
    pub new_junk: Option<f64>,
    /// How often the dry run said what was known.
    pub sightings: u32,
    /// How often it said what a person had rejected before.
    pub suppressed: u32,
    /// What it made and the gate dropped, by reason.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub dropped: BTreeMap<Dropped, u32>,
    /// Tokens that the conversations cost when they were read.
    pub today_tokens_in: i64,
    /// Tokens that were written then.
    pub today_tokens_out: i64,
    /// Their price by the agent's prices; `None` without any.
    pub today_cost: Option<f64>,
}

/// A conversation of a dry run.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct DryRunItemView {
    /// Which.
    pub conversation: ConversationId,
    /// With whom.
    pub user: UserId,
    /// What a person reads as the user's name.
    #[serde(skip)]
    pub who: String,
    /// When the last of its messages was said; `null` where they are gone.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub said_at: Option<Timestamp>,
    /// `waits`, `done`, `failed`, `skipped`.
    pub state: TrialState,
    /// Why it was not read, or why one of its answers could not be.
    pub error: Option<String>,
    /// Answers.
    pub windows: i64,
    /// Answers that could not be read.
    pub windows_failed: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// How long the answers took, in milliseconds.
    pub took_ms: i64,
    /// Tokens read when it was read for good.
    pub today_tokens_in: i64,
    /// Tokens written then.
    pub today_tokens_out: i64,
    /// How often it said what was known.
    pub sightings: u32,
    /// How often it said what a person had rejected before.
    pub suppressed: u32,
    /// What it made and the gate dropped, by reason.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub dropped: BTreeMap<Dropped, u32>,
    /// The statements of both, side by side; empty until it was read.
    pub lines: Vec<DryRunLine>,
}

/// A statement that came of a conversation, the one of the dry run that is like it, or one of them alone.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct DryRunLine {
    /// `same`, `other_kind`, `only_today`, `only_new`.
    pub difference: Difference,
    /// What came of the conversation.
    pub today: Option<TodayView>,
    /// What came of the dry run.
    pub new: Option<FoundView>,
}

/// A candidate that came of a conversation.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct TodayView {
    /// Which.
    pub candidate: CandidateId,
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// Its status now.
    pub status: Status,
    /// Why it was rejected.
    pub reason: Option<Reason>,
}

/// A statement of a dry run.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct FoundView {
    /// What it would do.
    pub action: Action,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
    /// The statement.
    pub content: String,
    /// Its language.
    pub language: String,
    /// How sure the extractor is, 0.0 to 1.0.
    pub confidence: f64,
    /// How much it matters, 0.0 to 1.0.
    pub importance: f64,
    /// Warnings.
    pub flags: Vec<Flag>,
}

impl Engine {
    /// A dry run beside what came of its conversations.
    ///
    /// # Errors
    /// `not_found`.
    pub async fn dry_run(
        &self,
        permit: &Permit,
        agent: &AgentName,
        id: &DryRunId,
    ) -> Result<DryRunDetail> {
        let permit = &admin_of(permit, agent)?;
        let mut tx = self.read(permit).await?;
        let run = there(&mut tx, agent, id).await?;
        let items = tx.dry_run_items(&run).await?;
        let over: Vec<Triable> = items.iter().map(triable).collect();
        let mut came = tx.came_of(agent, &over).await?;
        let said_at = tx.last_said(agent, &over).await?;
        let mut names = Names::default();
        let mut totals = DryRunTotals::default();
        let mut views = Vec::with_capacity(items.len());
        for item in items {
            let who = names.scope(&mut tx, &item.user).await?;
            let who = who.map(|scope| scope.display()).unwrap_or_default();
            let of = came.remove(&item.conversation).unwrap_or_default();
            let said_at = said_at.get(&item.conversation).copied();
            views.push(beside(item, &of, who, said_at, &mut totals));
        }
        totals.today_junk = totals.today.junk();
        totals.new_junk = totals.new.junk();
        let agent = tx.agent(agent).await?;
        let prices = agent.map(|agent| agent.settings.budget).unwrap_or_default();
        let priced = prices.price_in.is_some() || prices.price_out.is_some();
        totals.today_cost =
            priced.then(|| prices.cost(totals.today_tokens_in, totals.today_tokens_out));
        Ok(DryRunDetail {
            run: self.dry_run_view(&mut tx, run).await?,
            totals,
            items: views,
        })
    }
}

fn triable(item: &DryRunItem) -> Triable {
    Triable {
        conversation: item.conversation.clone(),
        user: item.user.clone(),
        upto: item.upto,
    }
}

/// A conversation of both results; what was read whole counts into the totals.
fn beside(
    item: DryRunItem,
    of: &CameOf,
    who: String,
    said_at: Option<Timestamp>,
    totals: &mut DryRunTotals,
) -> DryRunItemView {
    let result = item.result;
    let lines = if item.state == TrialState::Done {
        totals.sightings += result.sightings;
        totals.suppressed += result.suppressed;
        // A person rejected it before, and would again.
        totals.new.rejected += result.suppressed;
        for (why, count) in &result.dropped {
            *totals.dropped.entry(*why).or_default() += count;
        }
        totals.today_tokens_in += of.cost.tokens_in;
        totals.today_tokens_out += of.cost.tokens_out;
        lines(&of.candidates, &result.found, totals)
    } else {
        Vec::new()
    };
    DryRunItemView {
        who,
        said_at,
        conversation: item.conversation,
        user: item.user,
        state: item.state,
        error: item.error,
        windows: item.windows,
        windows_failed: item.windows_failed,
        tokens_in: item.tokens_in,
        tokens_out: item.tokens_out,
        took_ms: item.took_ms,
        today_tokens_in: of.cost.tokens_in,
        today_tokens_out: of.cost.tokens_out,
        sightings: result.sightings,
        suppressed: result.suppressed,
        dropped: result.dropped,
        lines,
    }
}

fn lines(today: &[Candidate], new: &[Found], totals: &mut DryRunTotals) -> Vec<DryRunLine> {
    let said: Vec<Said<'_>> = today.iter().map(|one| Said::from(&one.proposal)).collect();
    let found: Vec<Said<'_>> = new.iter().map(Said::from).collect();
    side_by_side(&said, &found)
        .into_iter()
        .map(|line| {
            let candidate = line.today.map(|at| &today[at]);
            *match line.difference {
                Difference::Same => &mut totals.same,
                Difference::OtherKind => &mut totals.other_kind,
                Difference::OnlyToday => &mut totals.only_today,
                Difference::OnlyNew => &mut totals.only_new,
            } += 1;
            let status = candidate.map(Candidate::status);
            let by_a_person = candidate
                .and_then(rejected_for)
                .is_some_and(|reason| Reason::OF_A_PERSON.contains(&reason));
            if candidate.is_some() {
                totals.today.count(status, by_a_person);
            }
            if line.new.is_some() {
                totals.new.count(status, by_a_person);
            }
            DryRunLine {
                difference: line.difference,
                today: candidate.map(today_view),
                new: line.new.map(|at| found_view(&new[at])),
            }
        })
        .collect()
}

fn rejected_for(candidate: &Candidate) -> Option<Reason> {
    match candidate.state {
        State::Rejected { reason, .. } => Some(reason),
        State::Pending | State::Approved { .. } => None,
    }
}

fn today_view(candidate: &Candidate) -> TodayView {
    TodayView {
        candidate: candidate.id.clone(),
        action: candidate.proposal.action,
        kind: candidate.proposal.kind.clone(),
        name: candidate.proposal.name.clone(),
        content: candidate.proposal.content.clone(),
        language: candidate.proposal.language.clone(),
        status: candidate.status(),
        reason: rejected_for(candidate),
    }
}

fn found_view(found: &Found) -> FoundView {
    FoundView {
        action: found.action,
        kind: found.kind.clone(),
        name: found.name.clone(),
        content: found.content.clone(),
        language: found.language.clone(),
        confidence: found.confidence,
        importance: found.importance,
        flags: found.flags.clone(),
    }
}
