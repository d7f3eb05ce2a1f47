//! What a report tells of the instant that its export is about (G6): what was approved, what waited, and what the agent had been told. It has
//! an end, as the rest of the report has; `as-of.ndjson` names all of it.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::{Timestamp, agent::AgentName, export::ReportLanguage, id::MemoryId, text};
use store::{Serving, Stood, Waited};

/// Rows of one list at most.
pub(super) const LISTED: usize = 300;

/// What stood, as far as it was gathered.
pub(super) struct Then {
    pub words: &'static Words,
    pub title: String,
    pub known: Vec<Known>,
    pub waiting: Vec<Waiting>,
    /// The newest first.
    pub told: Vec<Told>,
    more: bool,
}

/// A text in its language.
pub(super) struct Statement {
    pub content: String,
    pub language: &'static str,
}

/// A memory as it stood.
pub(super) struct Known {
    pub statement: Statement,
    pub of: String,
    pub revision: i64,
    pub by: String,
    pub at: String,
    pub until: String,
}

/// A candidate as it waited.
pub(super) struct Waiting {
    pub statement: Statement,
    pub of: String,
    pub since: String,
    pub until: String,
}

/// One answer that the agent had got.
pub(super) struct Told {
    instant: Timestamp,
    pub at: String,
    pub of: String,
    pub said: Vec<Statement>,
}

impl Statement {
    fn of(content: &str) -> Self {
        Self {
            content: content.to_owned(),
            language: text::language(content),
        }
    }
}

impl Then {
    pub(super) fn new(language: ReportLanguage, at: Timestamp) -> Self {
        let words = words(language);
        Self {
            words,
            title: (words.title)(&time(at)),
            known: Vec::new(),
            waiting: Vec::new(),
            told: Vec::new(),
            more: false,
        }
    }

    /// Takes a memory up; `by` made the revision, `agreed_by` had agreed before, where two people were needed.
    pub(super) fn know(
        &mut self,
        agent: &AgentName,
        stood: &Stood,
        by: String,
        agreed_by: Option<&str>,
    ) {
        if self.known.len() == LISTED {
            self.more = true;
            return;
        }
        let revision = &stood.revision;
        let by = match agreed_by {
            Some(first) => (self.words.agreed)(&by, first),
            None => by,
        };
        self.known.push(Known {
            statement: Statement::of(&revision.content),
            of: of(agent.as_str(), &revision.kind),
            revision: revision.number,
            by,
            at: time(revision.at),
            until: stood
                .expires_at
                .map_or_else(|| self.words.never.to_owned(), time),
        });
    }

    /// Takes a candidate up.
    pub(super) fn wait(&mut self, waited: &Waited) {
        if self.waiting.len() == LISTED {
            self.more = true;
            return;
        }
        let candidate = &waited.candidate;
        self.waiting.push(Waiting {
            statement: Statement::of(&candidate.proposal.content),
            of: of(candidate.agent.as_str(), &candidate.proposal.kind),
            since: time(waited.since),
            until: time(waited.until),
        });
    }

    /// Puts the answers of all agents in one order, and lists no more of them than of the rest.
    pub(super) fn newest_first(&mut self) {
        self.told.sort_by_key(|told| Reverse(told.instant));
        self.more |= self.told.len() > LISTED;
        self.told.truncate(LISTED);
    }

    /// Notes that there is more than is listed.
    pub(super) fn leave_out(&mut self) {
        self.more = true;
    }

    /// Takes an answer up, with the words of the revisions that were told. Those of another id of the person are named, and their words
    /// stay with that id.
    pub(super) fn tell(&mut self, serving: &Serving, said: &BTreeMap<(MemoryId, i64), String>) {
        let items = serving.items.iter().map(|item| match said.get(item) {
            Some(content) => Statement::of(content),
            None => Statement {
                content: format!("{} · {}", item.0, item.1),
                language: "und",
            },
        });
        let session = serving.conversation.as_deref();
        self.told.push(Told {
            instant: serving.at,
            at: time(serving.at),
            of: of(
                serving.agent.as_str(),
                session.unwrap_or(self.words.no_session),
            ),
            said: items.collect(),
        });
    }

    /// That not all of it is listed.
    pub(super) fn cut(&self) -> Option<String> {
        self.more.then(|| (self.words.cut)(LISTED))
    }
}

fn of(agent: &str, what: &str) -> String {
    format!("{agent} · {what}")
}

fn time(at: Timestamp) -> String {
    at.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// What the report says around it. The English constant beside each name says what it is.
pub(super) struct Words {
    pub title: fn(&str) -> String,
    pub lead: &'static str,
    pub cut: fn(usize) -> String,
    pub statement: &'static str,
    pub known: &'static str,
    pub known_none: &'static str,
    pub revision: &'static str,
    pub approved: &'static str,
    pub by: &'static str,
    pub agreed: fn(&str, &str) -> String,
    pub ends: &'static str,
    pub never: &'static str,
    pub waiting: &'static str,
    pub waiting_none: &'static str,
    pub since: &'static str,
    pub until: &'static str,
    pub told: &'static str,
    pub told_none: &'static str,
    pub when: &'static str,
    pub session: &'static str,
    pub no_session: &'static str,
    pub what: &'static str,
    pub nothing: &'static str,
}

const ENGLISH: Words = Words {
    title: |at| format!("What was known and served at {at}"),
    lead: "Which memories were approved and had not ended, what waited for a decision, and what the agent had been told by then. as-of.ndjson names each of them; either command at the end of this report works it out once more from the events.",
    cut: |n| format!("No more than {n} of each are listed; as-of.ndjson names all of them."),
    statement: "Statement",
    known: "Approved and unexpired",
    known_none: "Nothing was approved.",
    revision: "Revision",
    approved: "Approved",
    by: "By",
    agreed: |by, first| format!("{by} (agreed before by {first})"),
    ends: "Was to end",
    never: "never",
    waiting: "Waiting for a decision",
    waiting_none: "Nothing waited.",
    since: "Waited since",
    until: "Was to wait until",
    told: "Told to the agent up to then, the newest first",
    told_none: "Nothing had been told.",
    when: "When",
    session: "Session",
    no_session: "in no named session",
    what: "What was told",
    nothing: "nothing",
};

const JAPANESE: Words = Words {
    title: |at| format!("{at} 時点で記憶され、渡されていた内容"),
    lead: "この時点で承認済みかつ有効だった記憶、審査待ちだった提案、それまでにエージェントに渡された内容です。as-of.ndjson がそのすべてを挙げています。このレポートの末尾にあるどちらのコマンドも、イベントからあらためて導いて照合します。",
    cut: |n| format!("それぞれ最大 {n} 件を表示しています。すべては as-of.ndjson にあります。"),
    statement: "内容",
    known: "承認済みで有効だった内容",
    known_none: "承認済みの内容はありませんでした。",
    revision: "版",
    approved: "承認日時",
    by: "承認者",
    agreed: |by, first| format!("{by}（先に {first} が同意）"),
    ends: "当時の有効期限",
    never: "なし",
    waiting: "審査待ちだった内容",
    waiting_none: "審査待ちはありませんでした。",
    since: "待ち始め",
    until: "当時の期限",
    told: "それまでにエージェントに渡された内容（新しい順）",
    told_none: "何も渡されていませんでした。",
    when: "日時",
    session: "セッション",
    no_session: "セッション名なし",
    what: "渡された内容",
    nothing: "なし",
};

const CHINESE: Words = Words {
    title: |at| format!("截至 {at} 已知和已提供的内容"),
    lead: "该时刻已批准且未到期的记忆、待审的提议，以及到那时为止提供给智能体的内容。as-of.ndjson 列出其中每一项；本报告末尾的任一命令都会根据事件重新推导并核对。",
    cut: |n| format!("每类最多列出 {n} 条；全部内容在 as-of.ndjson 中。"),
    statement: "内容",
    known: "已批准且未到期",
    known_none: "当时没有已批准的内容。",
    revision: "版本",
    approved: "批准时间",
    by: "批准者",
    agreed: |by, first| format!("{by}（此前 {first} 已同意）"),
    ends: "当时的到期时间",
    never: "无",
    waiting: "待审的内容",
    waiting_none: "当时没有待审的内容。",
    since: "开始等待",
    until: "当时的期限",
    told: "到那时为止提供给智能体的内容（由新到旧）",
    told_none: "当时尚未提供任何内容。",
    when: "时间",
    session: "会话",
    no_session: "未指明会话",
    what: "提供的内容",
    nothing: "无",
};

fn words(language: ReportLanguage) -> &'static Words {
    match language {
        ReportLanguage::English => &ENGLISH,
        ReportLanguage::Japanese => &JAPANESE,
        ReportLanguage::Chinese => &CHINESE,
    }
}

#[cfg(test)]
mod tests {
    use domain::time::Span;

    use super::*;

    #[test]
    fn the_newest_answers_of_all_agents_are_listed() {
        let begins = Timestamp::UNIX_EPOCH;
        let told = |of: &str, second: i64| Told {
            instant: begins + Span::seconds(second),
            at: second.to_string(),
            of: of.to_owned(),
            said: Vec::new(),
        };
        let mut then = Then::new(ReportLanguage::English, begins);
        // One agent was asked often, and another one since.
        then.told = (0..300).rev().map(|second| told("busy", second)).collect();
        then.newest_first();
        assert_eq!((then.told.len(), then.cut()), (300, None));
        then.told.extend([told("late", 500), told("late", 100)]);
        then.newest_first();
        let first: Vec<&str> = then
            .told
            .iter()
            .take(2)
            .map(|told| told.at.as_str())
            .collect();
        assert_eq!(first, ["500", "299"]);
        assert_eq!(then.told[299].at, "2");
        assert!(then.told.len() == 300 && then.cut().is_some());
    }
}
