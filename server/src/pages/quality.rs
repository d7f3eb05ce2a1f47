//! `/quality`.

use std::{collections::BTreeMap, str::FromStr};

use app::{
    pages::quality::{BadAnswer, Extractor, Group, Person, Quality, Quantiles, quality},
    shell::Place,
};
use axum::{extract::Query, response::Response};
use domain::{
    agent::AgentName,
    builtin::{self, Language},
    permission::Permission,
};
use engine::{ByExtractor, Rate};
use serde::Deserialize;

use super::{candidate::made_by, look::Look};
use crate::{auth::Viewer, page_error::PageError};

/// What the address asks for.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Asked {
    agent: String,
    days: String,
}

/// The figures.
pub async fn show(
    viewer: Viewer,
    look: Look,
    Query(asked): Query<Asked>,
) -> Result<Response, PageError> {
    let frame = look.frame(&viewer, Place::Quality).await?;
    let page = load(&look, &viewer, &asked).await?;
    look.draw(move || quality(&frame, &page)).await
}

async fn load(look: &Look, viewer: &Viewer, asked: &Asked) -> Result<Quality, PageError> {
    let agents = look
        .engine()
        .agents(&viewer.ask(Permission::ReadAgents)?)
        .await?;
    let agent = AgentName::parse(&asked.agent).ok();
    let agent = agent.filter(|agent| agents.iter().any(|known| known.name == *agent));
    // Only the spans that are offered: each has a word of its own in the bar.
    let offered = app::pages::decisions::SPANS;
    let days = asked
        .days
        .parse()
        .ok()
        .filter(|days| offered.contains(days));
    let days: u64 = days.unwrap_or(30);
    let found = look
        .engine()
        .quality(&viewer.permit, agent.as_ref(), days.cast_signed())
        .await?;
    Ok(Quality {
        agents: agents
            .into_iter()
            .map(|agent| agent.name.to_string())
            .collect(),
        agent: agent.map(|agent| agent.to_string()).unwrap_or_default(),
        days,
        all: group(String::new(), found.decided),
        junk: found.junk_rate,
        edited: found.edited_rate,
        left_out: (found.by_policy, found.expired, found.superseded),
        kinds: groups(found.by_kind),
        languages: groups(found.by_language),
        extractors: found.by_extractor.into_iter().map(extractor).collect(),
        confidence: found
            .by_confidence
            .into_iter()
            .map(|bin| group(format!("{:.1}–{:.1}", bin.from, bin.to), bin.rate))
            .collect(),
        reasons: by_size(found.rejected_for),
        waited: quantiles(found.waited),
        viewed: quantiles(found.viewed),
        people: found.people.into_iter().map(person).collect(),
        dropped: by_size(found.dropped),
        bad: found.bad_answers.into_iter().map(bad).collect(),
        floors: floors(),
    })
}

/// From which confidence the built-in extractor proposes, in each of its languages.
fn floors() -> Vec<(String, f64)> {
    let of = |language: Language| (language.tag().to_owned(), builtin::floor(language));
    Language::ALL.map(of).to_vec()
}

fn group(name: String, rate: Rate) -> Group {
    Group {
        name,
        approved: rate.approved,
        rejected: rate.rejected,
        acceptance: rate.acceptance,
    }
}

fn groups(found: Vec<engine::Group>) -> Vec<Group> {
    let outward = |one: engine::Group| group(one.name, one.rate);
    found.into_iter().map(outward).collect()
}

fn extractor(found: ByExtractor) -> Extractor {
    let name = match (found.extractor, found.version) {
        (Some(name), Some(version)) => made_by(&engine::Provenance {
            name,
            version,
            model: found.model,
            prompt_version: found.prompt_version,
            schema_version: None,
        }),
        _ => String::new(),
    };
    Extractor {
        group: group(name, found.rate),
        answers: found.answers,
        failed: found.failed,
        truncated: found.truncated,
    }
}

fn person(found: engine::PersonPace) -> Person {
    Person {
        name: found.person.name,
        decided: found.decided,
        timed: found.timed,
        quick: found.quick_rate,
    }
}

fn quantiles(found: Option<engine::Quantiles>) -> Quantiles {
    found.map(|found| (found.median, found.p90))
}

/// Counts by a word of a closed list, most first.
fn by_size<T: FromStr>(found: BTreeMap<&'static str, i64>) -> Vec<(T, i64)> {
    let known = |(word, count): (&str, i64)| Some((word.parse().ok()?, count));
    let mut counts: Vec<(T, i64)> = found.into_iter().filter_map(known).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn bad(found: engine::BadAnswer) -> BadAnswer {
    BadAnswer {
        extractor: made_by(&found.extractor),
        // Where nothing else is told, the answer was cut off.
        code: found.code.unwrap_or_else(|| found.state.to_owned()),
        agent: found.agent.to_string(),
        conversation: found.conversation,
        operation: found.operation,
        at: found.at,
    }
}
