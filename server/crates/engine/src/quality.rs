//! How well extraction does and how people decide, over a span of days (F11). What is a figure of what, `domain::quality` says; here
//! groups that the database counted are added up.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::{AgentName, AgentScope},
    candidate::Reason,
    id::{ConversationId, OperationId},
    permission::{Permission, Permit},
    quality::{BINS, Tally, share},
    time::Span,
};
use serde::Serialize;
pub use store::Judge;
use store::{DecidedFilter, Extracted, ExtractionState, Judged, Pace, Stretch, Tx};

use crate::{
    Engine,
    candidate::CandidateView,
    error::{EngineError, Result},
    need,
    page::{By, List, Page},
    queue::page,
    view::Names,
};

/// The longest span that is counted at once, in days.
pub const MOST_DAYS: i64 = 90;

/// Answers that could not be read and are listed; the newest of them.
const BAD_ANSWERS: u32 = 50;

/// The figures of a span.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Quality {
    /// How many days.
    pub days: i64,
    /// When they began.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// What people decided, and what of it stands.
    pub decided: Rate,
    /// Rejected of decided.
    pub junk_rate: Option<f64>,
    /// Of what people approved, the share that they changed first; `None` where that is of none known.
    pub edited_rate: Option<f64>,
    /// Approved by a policy; in none of the other figures.
    pub by_policy: i64,
    /// Expired before anybody decided; in none of the other figures.
    pub expired: i64,
    /// A newer statement took its place; in none of the other figures.
    pub superseded: i64,
    /// By kind.
    pub by_kind: Vec<Group>,
    /// By the language of the statement.
    pub by_language: Vec<Group>,
    /// By what extracted it.
    pub by_extractor: Vec<ByExtractor>,
    /// By confidence, in ten bins, the least sure first.
    pub by_confidence: Vec<Bin>,
    /// Why people rejected, by reason.
    pub rejected_for: BTreeMap<&'static str, i64>,
    /// From the proposal to the decision, in seconds.
    pub waited: Option<Quantiles>,
    /// The time in view before the decision, in seconds; of the decisions where it is known.
    pub viewed: Option<Quantiles>,
    /// Who decided, and how fast.
    pub people: Vec<PersonPace>,
    /// Drafts that became no candidate, by reason.
    pub dropped: BTreeMap<&'static str, i64>,
    /// The newest answers that could not be read whole.
    pub bad_answers: Vec<BadAnswer>,
}

/// What people made of what was proposed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, utoipa::ToSchema)]
pub struct Rate {
    /// Approved.
    pub approved: i64,
    /// Rejected.
    pub rejected: i64,
    /// Approved of both; `None` of nothing.
    pub acceptance: Option<f64>,
}

impl From<Tally> for Rate {
    fn from(tally: Tally) -> Self {
        Self {
            approved: tally.approved,
            rejected: tally.rejected,
            acceptance: tally.acceptance(),
        }
    }
}

/// The same of one group.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// What people made of it.
    #[serde(flatten)]
    pub rate: Rate,
}

/// The same of one extractor, with how its answers were.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ByExtractor {
    /// The extractor; `None`: proposed by hand, or by Keepsake itself.
    pub extractor: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<String>,
    /// What people made of what it proposed.
    #[serde(flatten)]
    pub rate: Rate,
    /// Its answers.
    pub answers: i64,
    /// Of them, those that could not be read.
    pub failed: i64,
    /// Of them, those that were cut off.
    pub truncated: i64,
}

/// The same of a tenth of confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Bin {
    /// From this confidence.
    pub from: f64,
    /// To this one.
    pub to: f64,
    /// What people made of it.
    #[serde(flatten)]
    pub rate: Rate,
}

/// Half of the spans, and nine of ten of them, are at most so long; in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Quantiles {
    /// The median.
    pub median: f64,
    /// The ninetieth percentile.
    pub p90: f64,
}

impl From<store::Quantiles> for Quantiles {
    fn from(found: store::Quantiles) -> Self {
        Self {
            median: found.median.as_seconds_f64(),
            p90: found.p90.as_seconds_f64(),
        }
    }
}

/// How a person decided.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct PersonPace {
    /// Who.
    pub person: By,
    /// Decisions that stand.
    pub decided: i64,
    /// Of them, those whose time in view is known.
    pub timed: i64,
    /// Of these, those under two seconds.
    pub quick: i64,
    /// Quick of timed; `None` where none is timed.
    pub quick_rate: Option<f64>,
}

/// An answer that could not be read whole.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct BadAnswer {
    /// The agent.
    pub agent: AgentName,
    /// The conversation it was about.
    pub conversation: ConversationId,
    /// The operation, which keeps the answer.
    pub operation: OperationId,
    /// `failed` or `truncated`.
    pub state: &'static str,
    /// What went wrong, as a word.
    pub code: Option<String>,
    /// What answered.
    pub extractor: crate::Provenance,
    /// When.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
}

/// Which decisions are wanted.
#[derive(Debug, Clone)]
pub struct DecisionFilter {
    /// Of one agent.
    pub agent: Option<AgentName>,
    /// About one kind.
    pub kind: Option<String>,
    /// Approvals or rejections.
    pub approved: Option<bool>,
    /// By whom.
    pub judge: Judge,
    /// Since when.
    pub since: Timestamp,
}

impl DecisionFilter {
    fn resolve(&self) -> DecidedFilter {
        DecidedFilter {
            kind: self.kind.clone(),
            approved: self.approved,
            judge: self.judge,
            since: self.since,
        }
    }
}

const READS: &[Permission] = &[
    Permission::ReadCandidates,
    Permission::Decide,
    Permission::ReadAgents,
];

impl Engine {
    /// The figures of the last `days`.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit; [`EngineError::Invalid`] for more than [`MOST_DAYS`].
    pub async fn quality(
        &self,
        permit: &Permit,
        agent: Option<&AgentName>,
        days: i64,
    ) -> Result<Quality> {
        need(permit, READS)?;
        if !(1..=MOST_DAYS).contains(&days) {
            return Err(EngineError::invalid("/days", "range", "1 to 90 days"));
        }
        let since = self.now() - Span::days(days);
        let mut tx = self.read_of(permit, agent).await?;
        let stretch = stretch(&mut tx, since).await?;
        let judged = tx.judged(&stretch).await?;
        let extracted = tx.extracted(&stretch).await?;
        let people = people(&mut tx, &stretch).await?;
        let decided = tally(judged.iter().filter(|group| by_people(group)));
        let waited = tx.waited(&stretch).await?;
        let viewed = tx.viewed(&stretch).await?;
        let bad_answers = tx.bad_answers(&stretch, BAD_ANSWERS).await?;
        Ok(Quality {
            days,
            since,
            decided: decided.into(),
            junk_rate: decided.junk(),
            edited_rate: edited_rate(&judged),
            by_policy: number(&judged, |group| group.judge == Judge::Policy),
            expired: number(&judged, |group| group.reason == Some(Reason::Expired)),
            superseded: number(&judged, |group| group.reason == Some(Reason::Superseded)),
            by_kind: groups(&judged, |group| &group.kind),
            by_language: groups(&judged, |group| &group.language),
            by_extractor: by_extractor(&judged, &extracted),
            by_confidence: bins(&judged),
            rejected_for: rejected_for(&judged),
            waited: waited.map(Quantiles::from),
            viewed: viewed.map(Quantiles::from),
            people,
            dropped: dropped(&extracted),
            bad_answers: bad_answers.into_iter().map(BadAnswer::from).collect(),
        })
    }

    /// What was decided and stands, newest decision first.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for an agent outside the permit; [`EngineError::Invalid`] for a cursor that is not ours.
    pub async fn decisions(
        &self,
        permit: &Permit,
        filter: &DecisionFilter,
        wanted: &Page,
    ) -> Result<List<CandidateView>> {
        need(permit, READS)?;
        let mut tx = self.read_of(permit, filter.agent.as_ref()).await?;
        let rows = tx.decided(&filter.resolve(), &page(wanted)?).await?;
        Ok(List {
            data: Names::at(self.now()).candidates(&mut tx, rows.rows).await?,
            next: rows.next.map(|cursor| cursor.to_string()),
        })
    }

    /// How many those are.
    ///
    /// # Errors
    /// As [`Engine::decisions`].
    pub async fn count_decisions(&self, permit: &Permit, filter: &DecisionFilter) -> Result<i64> {
        need(permit, READS)?;
        let mut tx = self.read_of(permit, filter.agent.as_ref()).await?;
        Ok(tx.decided_count(&filter.resolve()).await?)
    }

    /// A transaction that reads one agent's rows, or those of all that the permit holds for.
    pub(crate) async fn read_of(&self, permit: &Permit, agent: Option<&AgentName>) -> Result<Tx> {
        let Some(agent) = agent else {
            return self.read(permit).await;
        };
        if !permit.scope().contains(agent) {
            return Err(EngineError::NotFound);
        }
        let mut tx = self.db().read(AgentScope::One(agent.clone())).await?;
        tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
        Ok(tx)
    }
}

/// All agents of the transaction.
pub(crate) async fn stretch(tx: &mut Tx, since: Timestamp) -> Result<Stretch> {
    let agents = tx.agents().await?;
    Ok(Stretch {
        agents: agents.into_iter().map(|agent| agent.name).collect(),
        since,
    })
}

async fn people(tx: &mut Tx, stretch: &Stretch) -> Result<Vec<PersonPace>> {
    let paces = tx.paces(stretch).await?;
    let ids: Vec<_> = paces.iter().map(|pace| pace.person.clone()).collect();
    let names = tx.person_names(&ids).await?;
    let outward = |pace: Pace| PersonPace {
        person: By::person(&pace.person, names.get(&pace.person).cloned()),
        decided: pace.decided,
        timed: pace.timed,
        quick: pace.quick,
        quick_rate: share(pace.quick, pace.timed),
    };
    Ok(paces.into_iter().map(outward).collect())
}

fn by_people(group: &Judged) -> bool {
    group.judge == Judge::Person
}

fn tally<'a>(groups: impl Iterator<Item = &'a Judged>) -> Tally {
    let mut tally = Tally::default();
    for group in groups {
        tally.add(group.approved, group.count);
    }
    tally
}

fn number(judged: &[Judged], fits: impl Fn(&Judged) -> bool) -> i64 {
    let fitting = judged.iter().filter(|group| fits(group));
    fitting.map(|group| group.count).sum()
}

fn edited_rate(judged: &[Judged]) -> Option<f64> {
    let with = |edited: &[Option<bool>]| {
        number(judged, |group| {
            by_people(group) && group.approved && edited.contains(&group.edited)
        })
    };
    share(with(&[Some(true)]), with(&[Some(true), Some(false)]))
}

/// Acceptance by whatever a name is made of, what was decided most first.
pub(crate) fn groups(judged: &[Judged], name: impl Fn(&Judged) -> &String) -> Vec<Group> {
    let mut tallies: BTreeMap<&String, Tally> = BTreeMap::new();
    for group in judged.iter().filter(|group| by_people(group)) {
        let tally = tallies.entry(name(group)).or_default();
        tally.add(group.approved, group.count);
    }
    let mut tallies: Vec<_> = tallies.into_iter().collect();
    tallies.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.decided()));
    let outward = |(name, tally): (&String, Tally)| Group {
        name: name.clone(),
        rate: tally.into(),
    };
    tallies.into_iter().map(outward).collect()
}

fn by_extractor(judged: &[Judged], extracted: &[Extracted]) -> Vec<ByExtractor> {
    type Key<'a> = Option<(&'a str, &'a str, Option<&'a str>, Option<&'a str>)>;
    // The version of the schema says which agent asked rather than what answered.
    fn key(made_by: &store::Provenance) -> Key<'_> {
        let store::Provenance {
            name,
            version,
            model,
            prompt_version,
            schema_version: _,
        } = made_by;
        Some((name, version, model.as_deref(), prompt_version.as_deref()))
    }
    #[derive(Default)]
    struct Sums {
        tally: Tally,
        answers: i64,
        failed: i64,
        truncated: i64,
    }
    let mut all: BTreeMap<Key<'_>, Sums> = BTreeMap::new();
    for group in judged.iter().filter(|group| by_people(group)) {
        let sums = all.entry(group.made_by.as_ref().and_then(key)).or_default();
        sums.tally.add(group.approved, group.count);
    }
    for group in extracted {
        let sums = all.entry(key(&group.made_by)).or_default();
        sums.answers += group.count;
        match group.state {
            ExtractionState::Parsed => {}
            ExtractionState::Failed => sums.failed += group.count,
            ExtractionState::Truncated => sums.truncated += group.count,
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, sums)| std::cmp::Reverse((sums.tally.decided(), sums.answers)));
    let own = |word: &str| word.to_owned();
    all.into_iter()
        .map(|(key, sums)| ByExtractor {
            extractor: key.map(|key| own(key.0)),
            version: key.map(|key| own(key.1)),
            model: key.and_then(|key| key.2).map(own),
            prompt_version: key.and_then(|key| key.3).map(own),
            rate: sums.tally.into(),
            answers: sums.answers,
            failed: sums.failed,
            truncated: sums.truncated,
        })
        .collect()
}

fn bins(judged: &[Judged]) -> Vec<Bin> {
    let edge = |tenth: usize| f64::from(u32::try_from(tenth).unwrap_or_default()) / 10.0;
    (0..BINS)
        .map(|bin| {
            let of_bin = judged
                .iter()
                .filter(|group| by_people(group) && group.bin == bin);
            Bin {
                from: edge(bin),
                to: edge(bin + 1),
                rate: tally(of_bin).into(),
            }
        })
        .collect()
}

fn rejected_for(judged: &[Judged]) -> BTreeMap<&'static str, i64> {
    let mut reasons = BTreeMap::new();
    for group in judged.iter().filter(|group| by_people(group)) {
        if let Some(reason) = group.reason {
            *reasons.entry(reason.as_str()).or_default() += group.count;
        }
    }
    reasons
}

fn dropped(extracted: &[Extracted]) -> BTreeMap<&'static str, i64> {
    let mut reasons = BTreeMap::new();
    for group in extracted {
        for (reason, each) in &group.dropped {
            *reasons.entry(reason.as_str()).or_default() += i64::from(*each) * group.count;
        }
    }
    reasons
}

impl From<store::BadAnswer> for BadAnswer {
    fn from(found: store::BadAnswer) -> Self {
        Self {
            agent: found.agent,
            conversation: found.conversation,
            operation: found.operation,
            state: found.state.as_str(),
            code: found.error,
            extractor: found.made_by.into(),
            at: found.at,
        }
    }
}
