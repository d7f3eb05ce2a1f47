//! `about-you.html`: what `about-you.json` says, in plain language. It has an end: of what is many the newest is listed, and the files
//! beside it hold the rest.

use std::collections::{HashMap, VecDeque};

use askama::Template;
use domain::{Timestamp, conversation::Role, id::MemoryId};

use super::{
    about::{AboutYou, Decision, Memory, Proposal, Said, Text, Version, Who},
    words::Words,
};
use crate::export::bundle::Part;

/// Rows of one list at most, the newest.
const LISTED: usize = 500;
/// Versions of one memory at most, the newest.
const VERSIONS: usize = 50;
/// Characters of one message at most.
const LONGEST: usize = 2000;

/// What was said, as far as the page shows it.
#[derive(Default)]
pub(super) struct Talk {
    turns: VecDeque<Said>,
    more: bool,
}

impl Talk {
    /// Takes a message up; the oldest makes room.
    pub(super) fn take(&mut self, mut said: Said) {
        if self.turns.len() == LISTED {
            self.turns.pop_front();
            self.more = true;
        }
        if let Some((end, _)) = said.content.char_indices().nth(LONGEST) {
            said.content.truncate(end);
            said.content.push('…');
            self.more = true;
        }
        self.turns.push_back(said);
    }
}

#[derive(Template)]
#[template(path = "export/about-you.html")]
struct Page<'a> {
    words: &'static Words,
    made: String,
    known: Vec<String>,
    opted_out: bool,
    groups: [Group<'a>; 2],
    told: Vec<ToldRow<'a>>,
    told_cut: Option<String>,
    proposals: Vec<ProposalRow<'a>>,
    proposals_cut: Option<String>,
    talks: Vec<TalkOf<'a>>,
    talks_cut: Option<String>,
    left_out: Option<String>,
}

/// Memories under one heading.
struct Group<'a> {
    title: &'static str,
    statements: Vec<Statement<'a>>,
    cut: Option<String>,
}

struct Statement<'a> {
    text: &'a Text,
    facts: Vec<String>,
    versions: Vec<VersionRow<'a>>,
}

struct VersionRow<'a> {
    text: &'a Text,
    action: &'static str,
    by: &'static str,
    at: String,
}

struct ToldRow<'a> {
    at: String,
    agent: &'a str,
    said: Vec<&'a Text>,
}

struct ProposalRow<'a> {
    text: Option<&'a Text>,
    agent: &'a str,
    proposal: &'static str,
    outcome: &'static str,
    by: String,
    at: String,
}

/// One conversation.
struct TalkOf<'a> {
    agent: &'a str,
    at: String,
    turns: Vec<Turn<'a>>,
}

struct Turn<'a> {
    who: &'static str,
    at: String,
    content: &'a str,
}

/// The page as HTML.
pub(super) fn draw(words: &'static Words, about: &AboutYou, talk: &Talk) -> String {
    let (now, before): (Vec<&Memory>, Vec<&Memory>) =
        about.memories.iter().partition(|memory| memory.remembered);
    let told = told(about);
    let open = about
        .proposals
        .iter()
        .filter(|one| (words.outcome)(one.status, one.reason).is_some());
    let all = open.clone().count();
    let proposals: Vec<ProposalRow<'_>> = open
        .rev()
        .take(LISTED)
        .map(|one| proposal(words, one))
        .collect();
    let known = about.you.iter().map(|you| {
        let since = time(you.known_since);
        (words.known)(&you.scope.display(), you.agent.as_str(), &since)
    });
    let left_out = about.counts.messages_left_out;
    let page = Page {
        words,
        made: (words.made)(&time(about.made_at)),
        known: known.collect(),
        opted_out: about.you.iter().any(|you| you.opted_out),
        groups: [
            group(words, words.now, &now),
            group(words, words.before, &before),
        ],
        told_cut: cut(words, about.told.len() > told.len(), told.len()),
        told,
        proposals_cut: cut(words, all > proposals.len(), proposals.len()),
        proposals,
        talks: talks(words, talk),
        talks_cut: talk
            .more
            .then(|| (words.cut)(talk.turns.len(), Part::Conversations.name())),
        left_out: (left_out > 0).then(|| (words.left_out)(left_out)),
    };
    page.render()
        .expect("the template draws whatever was gathered")
}

/// What is said where a list is not all there is.
fn cut(words: &'static Words, more: bool, shown: usize) -> Option<String> {
    more.then(|| (words.cut)(shown, Part::About.name()))
}

fn group<'a>(words: &'static Words, title: &'static str, memories: &[&'a Memory]) -> Group<'a> {
    let newest = memories.iter().copied().rev().take(LISTED);
    let statements: Vec<Statement<'a>> = newest.map(|memory| statement(words, memory)).collect();
    let mut versions = memories.iter().map(|memory| memory.revisions.len());
    let more = memories.len() > LISTED || versions.any(|versions| versions > VERSIONS);
    Group {
        cut: cut(words, more, statements.len()),
        title,
        statements,
    }
}

fn statement<'a>(words: &'static Words, memory: &'a Memory) -> Statement<'a> {
    let mut facts = vec![
        memory.agent.to_string(),
        memory.text.kind.clone(),
        (words.since)(&time(memory.created_at)),
        (words.said_on)(&time(memory.said_at)),
    ];
    match (memory.ended, memory.expires_at) {
        (Some(why), _) => facts.push((words.ended)(why, &time(memory.updated_at))),
        (None, Some(end)) => facts.push((words.until)(&time(end))),
        (None, None) => {}
    }
    facts.push((words.times_told)(memory.told));
    let skipped = memory.revisions.len().saturating_sub(VERSIONS);
    let versions = memory.revisions.iter().skip(skipped);
    Statement {
        text: &memory.text,
        facts,
        versions: versions.map(|version| row(words, version)).collect(),
    }
}

fn row<'a>(words: &'static Words, version: &'a Version) -> VersionRow<'a> {
    VersionRow {
        text: &version.text,
        action: (words.action)(version.action),
        by: who(words, version.by),
        at: time(version.at),
    }
}

/// The newest answers to agents, with what each said then.
fn told(about: &AboutYou) -> Vec<ToldRow<'_>> {
    let versions: HashMap<(&MemoryId, i64), &Text> = about
        .memories
        .iter()
        .flat_map(|memory| {
            let versions = memory.revisions.iter();
            versions.map(|version| ((&memory.id, version.revision), &version.text))
        })
        .collect();
    let newest = about.told.iter().rev().take(LISTED);
    newest
        .map(|told| ToldRow {
            at: time(told.at),
            agent: told.agent.as_str(),
            said: told
                .memories
                .iter()
                .filter_map(|item| versions.get(&(&item.memory, item.revision)).copied())
                .collect(),
        })
        .collect()
}

fn proposal<'a>(words: &'static Words, one: &'a Proposal) -> ProposalRow<'a> {
    let by = |decision: &Decision| {
        let by = who(words, decision.by);
        if decision.agreed {
            (words.agreed)(by)
        } else {
            by.to_owned()
        }
    };
    let last = one.decisions.last();
    ProposalRow {
        text: one.text.as_ref(),
        agent: one.agent.as_str(),
        proposal: (words.proposal)(one.action),
        outcome: (words.outcome)(one.status, one.reason).unwrap_or_default(),
        by: last.map(by).unwrap_or_default(),
        at: time(last.map_or(one.proposed_at, |decision| decision.at)),
    }
}

/// What was said, conversation by conversation.
fn talks<'a>(words: &'static Words, talk: &'a Talk) -> Vec<TalkOf<'a>> {
    let mut talks: Vec<(&Said, TalkOf<'a>)> = Vec::new();
    for said in &talk.turns {
        let turn = Turn {
            who: match said.role {
                Role::User => words.you,
                Role::Assistant | Role::System | Role::Tool => words.answered,
            },
            at: time(said.at),
            content: &said.content,
        };
        match talks.last_mut() {
            Some((first, talk)) if first.conversation == said.conversation => talk.turns.push(turn),
            _ => talks.push((
                said,
                TalkOf {
                    agent: said.agent.as_str(),
                    at: time(said.at),
                    turns: vec![turn],
                },
            )),
        }
    }
    talks.into_iter().map(|(_, talk)| talk).collect()
}

fn who(words: &'static Words, who: Who) -> &'static str {
    match who {
        Who::Person => words.person,
        Who::Policy => words.policy,
        Who::System => words.system,
    }
}

fn time(at: Timestamp) -> String {
    at.format("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use domain::{
        agent::AgentName,
        export::ReportLanguage,
        id::{ConversationId, UserId},
        user::Scope,
    };

    use super::{
        super::{
            about::{Counts, FORMAT, Told, You},
            words::words,
        },
        *,
    };
    use crate::export::bundle::Served;

    fn agent() -> AgentName {
        AgentName::parse("support").unwrap()
    }

    fn text(content: &str) -> Text {
        Text {
            kind: "fact".to_owned(),
            name: None,
            content: content.to_owned(),
            metadata: serde_json::Map::new(),
            tags: Vec::new(),
            language: "en".to_owned(),
        }
    }

    fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(prefix: &str) -> T {
        format!("{prefix}_{}", "0".repeat(26)).parse().unwrap()
    }

    fn said(content: &str) -> Said {
        Said {
            agent: agent(),
            conversation: id::<ConversationId>("conv"),
            at: Timestamp::UNIX_EPOCH,
            role: Role::User,
            content: content.to_owned(),
        }
    }

    fn about(language: ReportLanguage) -> AboutYou {
        let version = |revision, content| Version {
            revision,
            action: domain::memory::RevisionAction::Update,
            by: Who::Policy,
            at: Timestamp::UNIX_EPOCH,
            text: text(content),
        };
        let memory = Memory {
            agent: agent(),
            id: id("mem"),
            remembered: true,
            ended: None,
            text: text("User <b>lives</b> in Oslo & likes it"),
            confidence: 0.9,
            importance: 0.7,
            conversation: None,
            said_at: Timestamp::UNIX_EPOCH,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
            told: 2,
            revisions: vec![
                version(1, "User lives in Bergen"),
                version(2, "User lives in Oslo"),
            ],
        };
        AboutYou {
            format: FORMAT,
            software: "keepsake 0".to_owned(),
            instance: "test".to_owned(),
            made_at: Timestamp::UNIX_EPOCH,
            language,
            you: vec![You {
                agent: agent(),
                id: id::<UserId>("usr"),
                user_id: Some("ana".to_owned()),
                scope: Scope::user_id("ana").unwrap(),
                known_since: Timestamp::UNIX_EPOCH,
                opted_out: true,
            }],
            told: vec![Told {
                agent: agent(),
                at: Timestamp::UNIX_EPOCH,
                conversation: None,
                memories: vec![Served {
                    memory: memory.id.clone(),
                    revision: 1,
                }],
            }],
            memories: vec![memory],
            proposals: Vec::new(),
            counts: Counts {
                messages_left_out: 3,
                ..Counts::default()
            },
        }
    }

    // G5
    #[test]
    fn it_is_told_in_each_language_loads_nothing_and_encodes_what_people_said() {
        for language in ReportLanguage::ALL {
            let words = words(*language);
            let mut talk = Talk::default();
            talk.take(said("<script>alert(1)</script>"));
            let html = draw(words, &about(*language), &talk);
            for there in [
                words.title,
                words.opted_out,
                words.policy,
                "User lives in Bergen",
                "1970-01-01 00:00",
            ] {
                assert!(html.contains(there), "{there}");
            }
            assert!(html.contains(&(words.left_out)(3)) && html.contains(&(words.times_told)(2)));
            for right in words.rights {
                assert!(html.contains(*right), "{right}");
            }
            for outside in ["<script", "http://", "https://", "src=", "@import", "<b>"] {
                assert!(!html.contains(outside), "{outside}");
            }
            assert!(words.readme.contains("SHA256SUMS") && words.readme.ends_with('\n'));
        }
    }

    #[test]
    fn of_many_messages_the_newest_are_listed_and_it_says_so() {
        let words = words(ReportLanguage::English);
        let mut talk = Talk::default();
        for number in 0..LISTED + 2 {
            talk.take(said(&format!("message {number} of many")));
        }
        let html = draw(words, &about(ReportLanguage::English), &talk);
        assert!(!html.contains("message 1 of many") && html.contains("message 2 of many"));
        assert!(html.contains(&(words.cut)(LISTED, "conversations.ndjson")));
        let mut talk = Talk::default();
        talk.take(said(&"記".repeat(LONGEST + 1)));
        assert_eq!(talk.turns[0].content.chars().count(), LONGEST + 1);
        assert!(talk.turns[0].content.ends_with('…') && talk.more);
    }
}
