//! `report.html`: what an export holds, told for a reader. It is gathered while the files are written, and has an end: what is many is
//! listed in part, and the files beside it hold the rest.

use std::collections::BTreeMap;

use askama::Template;
use chrono::NaiveDate;
use domain::{
    Timestamp,
    candidate::{DecidedBy, Reason, State},
    export::ReportLanguage,
    memory::RevisionAction,
};
use serde_json::Value;
use store::{ExportedCandidate, ExportedRevision};

use super::{
    bundle::Manifest,
    then::Then,
    words::{Words, words},
};

/// Statements, and proposals, of one report at most.
const LISTED: usize = 300;
/// Revisions of one statement at most, the first of them.
const REVISIONS: usize = 50;
/// Days of one report at most, the last of them.
const DAYS: usize = 1000;

/// What happened on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Day {
    /// Posts to conversations.
    pub posts: u64,
    /// Candidates that were proposed.
    pub proposed: u64,
    /// That were approved.
    pub approved: u64,
    /// That a person or a policy rejected.
    pub rejected: u64,
    /// That expired, or made room for newer ones.
    pub expired: u64,
    /// Servings.
    pub served: u64,
}

/// A memory with its history.
struct Statement {
    agent: String,
    id: String,
    kind: String,
    language: String,
    content: String,
    revisions: Vec<Revision>,
}

struct Revision {
    number: i64,
    action: &'static str,
    content: String,
    by: String,
    at: String,
}

/// A proposal that is no memory.
struct TurnedDown {
    content: String,
    language: String,
    outcome: &'static str,
    at: String,
}

struct ChainRow {
    name: String,
    events: u64,
    size: u64,
    root: String,
}

/// What the report will tell, as far as it was gathered.
pub(super) struct Story {
    words: &'static Words,
    /// Whether it is about one user: only then are statements listed.
    of_a_user: bool,
    days: BTreeMap<NaiveDate, Day>,
    statements: Vec<Statement>,
    more_statements: bool,
    turned_down: Vec<TurnedDown>,
    more_turned_down: bool,
    /// What stood at the instant that it is about.
    pub(super) then: Option<Then>,
}

#[derive(Template)]
#[template(path = "export/report.html")]
struct Page<'a> {
    words: &'static Words,
    facts: Vec<(&'static str, String)>,
    then: Option<&'a Then>,
    counts: Vec<(&'a str, u64)>,
    chains: Vec<ChainRow>,
    days: Vec<(String, Day)>,
    days_cut: Option<String>,
    of_a_user: bool,
    statements: &'a [Statement],
    statements_cut: Option<String>,
    turned_down: &'a [TurnedDown],
    turned_down_cut: Option<String>,
    file_name: &'static str,
    fingerprint: &'a str,
}

/// Who asked, and about whom, as people read it.
pub(super) struct Whose {
    /// Who asked for it.
    pub by: String,
    /// The user it is about.
    pub who: Option<String>,
}

impl Story {
    pub(super) fn new(language: ReportLanguage, of_a_user: bool) -> Self {
        Self {
            words: words(language),
            of_a_user,
            days: BTreeMap::new(),
            statements: Vec::new(),
            more_statements: false,
            turned_down: Vec::new(),
            more_turned_down: false,
            then: None,
        }
    }

    /// A day, to be counted on.
    pub(super) fn day(&mut self, at: Timestamp) -> &mut Day {
        self.days.entry(at.date_naive()).or_default()
    }

    /// Counts an event.
    pub(super) fn event(&mut self, r#type: &str, at: Timestamp) {
        match r#type {
            "candidate.proposed" => self.day(at).proposed += 1,
            "candidate.approved" => self.day(at).approved += 1,
            "candidate.rejected" => self.day(at).rejected += 1,
            "candidate.expired" | "candidate.superseded" => self.day(at).expired += 1,
            _ => {}
        }
    }

    /// Takes a revision up; those of one memory come one after the other.
    pub(super) fn revision(&mut self, one: &ExportedRevision, text: &Value, name: Option<&str>) {
        if !self.of_a_user {
            return;
        }
        let same = |statement: &Statement| statement.id == one.memory.as_str();
        if !self.statements.last().is_some_and(same) {
            if self.statements.len() == LISTED {
                self.more_statements = true;
                return;
            }
            self.statements.push(Statement {
                agent: one.agent.to_string(),
                id: one.memory.to_string(),
                kind: word(text, "kind"),
                language: word(text, "language"),
                content: String::new(),
                revisions: Vec::new(),
            });
        }
        let by = self.by(&one.by, name);
        let words = self.words;
        let Some(statement) = self.statements.last_mut() else {
            return;
        };
        statement.kind = word(text, "kind");
        statement.language = word(text, "language");
        statement.content.clone_from(&one.content);
        if statement.revisions.len() == REVISIONS {
            self.more_statements = true;
            return;
        }
        statement.revisions.push(Revision {
            number: one.number,
            action: action(words, one.action),
            content: one.content.clone(),
            by,
            at: time(one.at),
        });
    }

    /// Takes a proposal up, where it is no memory.
    pub(super) fn candidate(&mut self, one: &ExportedCandidate) {
        let outcome = match &one.candidate.state {
            State::Approved { .. } => return,
            State::Pending => self.words.waits,
            State::Rejected { reason, .. } => outcome(self.words, *reason),
        };
        if !self.of_a_user {
            return;
        }
        if self.turned_down.len() == LISTED {
            self.more_turned_down = true;
            return;
        }
        self.turned_down.push(TurnedDown {
            content: one.candidate.proposal.content.clone(),
            language: one.candidate.proposal.language.clone(),
            outcome,
            at: time(one.candidate.created_at),
        });
    }

    /// Who did something, in the words of the report.
    pub(super) fn by(&self, by: &DecidedBy, name: Option<&str>) -> String {
        match by {
            DecidedBy::Person(id) => name.map_or_else(|| id.to_string(), str::to_owned),
            DecidedBy::Policy { name, .. } => (self.words.policy)(name),
            DecidedBy::System => self.words.system.to_owned(),
        }
    }

    /// The report as HTML.
    pub(super) fn tell(&self, manifest: &Manifest, whose: &Whose, fingerprint: &str) -> String {
        let words = self.words;
        let skipped = self.days.len().saturating_sub(DAYS);
        let days = self.days.iter().skip(skipped);
        let page = Page {
            words,
            facts: facts(words, manifest, whose),
            then: self.then.as_ref(),
            counts: manifest
                .counts
                .iter()
                .map(|(file, lines)| (file.as_str(), *lines))
                .collect(),
            chains: manifest
                .chains
                .iter()
                .map(|(name, chain)| ChainRow {
                    name: name.clone(),
                    events: chain.events,
                    size: chain.size,
                    root: chain.root.to_string(),
                })
                .collect(),
            days: days
                .map(|(day, counts)| (day.to_string(), *counts))
                .collect(),
            days_cut: (skipped > 0).then(|| (words.days_cut)(DAYS)),
            of_a_user: self.of_a_user,
            statements: &self.statements,
            statements_cut: self
                .more_statements
                .then(|| (words.statements_cut)(self.statements.len())),
            turned_down: &self.turned_down,
            turned_down_cut: self
                .more_turned_down
                .then(|| (words.turned_down_cut)(self.turned_down.len())),
            file_name: "BUNDLE.zip",
            fingerprint,
        };
        page.render()
            .expect("the template draws whatever was gathered")
    }
}

fn facts(words: &'static Words, manifest: &Manifest, whose: &Whose) -> Vec<(&'static str, String)> {
    let filter = &manifest.filter;
    let agent = filter
        .agent
        .as_ref()
        .map_or_else(|| words.all_agents.to_owned(), ToString::to_string);
    let user = whose
        .who
        .clone()
        .unwrap_or_else(|| words.everybody.to_owned());
    let ends = [
        filter.from.map(|from| (words.from)(&time(from))),
        filter.to.map(|to| (words.to)(&time(to))),
    ];
    let ends: Vec<String> = ends.into_iter().flatten().collect();
    let period = if ends.is_empty() {
        words.whole.to_owned()
    } else {
        ends.join(" ")
    };
    let instant = filter.as_of.map(|at| (words.instant, time(at)));
    [
        (words.instance, manifest.instance.clone()),
        (words.made_at, time(manifest.made_at)),
        (words.by, whose.by.clone()),
        (words.agent, agent),
        (words.user, user),
        (words.period, period),
    ]
    .into_iter()
    .chain(instant)
    .collect()
}

fn action(words: &Words, action: RevisionAction) -> &'static str {
    (words.action)(action)
}

fn outcome(words: &Words, reason: Reason) -> &'static str {
    (words.reason)(reason)
}

fn word(text: &Value, name: &str) -> String {
    text.get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn time(at: Timestamp) -> String {
    at.format("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use domain::export::ExportSort;

    use super::{
        super::bundle::{ChainCount, FORMAT, Filter, Hex},
        *,
    };

    fn manifest() -> Manifest {
        Manifest {
            format: FORMAT.to_owned(),
            software: "keepsake 0".to_owned(),
            instance: "test".to_owned(),
            made_at: Timestamp::UNIX_EPOCH,
            sort: ExportSort::Audit,
            filter: Filter::default(),
            counts: BTreeMap::from([("events.ndjson".to_owned(), 2)]),
            chains: BTreeMap::from([(
                "support".to_owned(),
                ChainCount {
                    size: 9,
                    root: Hex([7; 32]),
                    events: 2,
                },
            )]),
        }
    }

    #[test]
    fn a_report_is_told_in_each_language_loads_nothing_and_encodes_what_people_said() {
        for language in ReportLanguage::ALL {
            let mut story = Story::new(*language, true);
            story.event("candidate.proposed", Timestamp::UNIX_EPOCH);
            story.turned_down.push(TurnedDown {
                content: "<script>alert(1)</script> & \"more\"".to_owned(),
                language: "en".to_owned(),
                outcome: story.words.waits,
                at: time(Timestamp::UNIX_EPOCH),
            });
            let whose = Whose {
                by: "Odo <b>".to_owned(),
                who: Some("ana".to_owned()),
            };
            let html = story.tell(&manifest(), &whose, "0a0b");
            assert!(html.contains(words(*language).title) && html.contains("1970-01-01"));
            for outside in [
                "<script", "http://", "https://", "src=", "@import", "Odo <b>",
            ] {
                assert!(!html.contains(outside), "{outside}");
            }
        }
    }

    #[test]
    fn of_many_days_the_last_are_listed_and_it_says_so() {
        let mut story = Story::new(ReportLanguage::English, false);
        for day in 0..1200 {
            story
                .day(Timestamp::UNIX_EPOCH + domain::time::Span::days(day))
                .served += 1;
        }
        let whose = Whose {
            by: String::new(),
            who: None,
        };
        let html = story.tell(&manifest(), &whose, "");
        assert!(html.contains("Only the last 1000 days"));
        assert!(!html.contains("1970-01-01</th>") && html.contains("1970-07-20</th>"));
    }
}
