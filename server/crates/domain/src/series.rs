//! What was said of one thing over time (B9): the values of a metric, in the order in which they were said, and how often a pain
//! point came up.
//!
//! A metric's history is the revisions of its memory, and of other memories of the same metric: one that ran out is still history.
//! A revision that a person made by hand corrects the value that is there, and one without words of a conversation behind it that
//! leaves the value as it is (after a change of the schema) says nothing: both are no new values.

use std::collections::BTreeSet;

use crate::{
    Timestamp,
    candidate::Evidence,
    id::{ConversationId, MemoryId, MessageId},
    memory::{Memory, Revision, RevisionAction},
    period,
    text::normal_form,
};

/// The kind whose values are drawn.
pub const METRIC: &str = "metric";
/// The kind whose mentions are counted.
pub const PAIN_POINT: &str = "pain_point";

/// A value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The memory that had it.
    pub memory: MemoryId,
    /// In which revision.
    pub revision: i64,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: Option<String>,
    /// The period it is of, as it was said.
    pub period: Option<String>,
    /// When it was said.
    pub at: Timestamp,
    /// In which conversation; `None` where it was written by hand.
    pub conversation: Option<ConversationId>,
    /// The words.
    pub evidence: Option<Evidence>,
}

/// A time at which a thing was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// In which conversation.
    pub conversation: ConversationId,
    /// In which message.
    pub message: Option<MessageId>,
    /// When.
    pub at: Timestamp,
    /// The words.
    pub evidence: Option<Evidence>,
}

/// What a metric's memory is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The metric.
    pub metric: String,
    /// Of which campaign.
    pub campaign: Option<String>,
}

impl Measured {
    /// What a memory of the kind `metric` measures; `None` where it does not say.
    pub fn of(memory: &Memory) -> Option<Self> {
        let text = |key: &str| {
            let text = memory.metadata.get(key)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let metric = text("metric").or_else(|| memory.name.clone())?;
        (memory.kind == METRIC).then(|| Self {
            metric,
            campaign: text("campaign"),
        })
    }

    /// The same for the same metric, however it is written.
    pub fn key(&self) -> String {
        let metric = normal_form(&self.metric);
        match &self.campaign {
            None => metric,
            Some(campaign) => format!("{metric} / {}", normal_form(campaign)),
        }
    }
}

/// The values of one metric out of the histories of its memories (each oldest first), in the order in which they were said. Of two
/// of one period the later one counts; "last month" is another period in October than it was in September.
pub fn points(histories: &[Vec<Revision>]) -> Vec<Point> {
    let mut all: Vec<Point> = histories
        .iter()
        .flat_map(|history| of_memory(history))
        .collect();
    all.sort_by_key(|point| (point.at, point.revision));
    let mut points: Vec<Point> = Vec::with_capacity(all.len());
    for point in all {
        let period = period_of(&point);
        points.retain(|other| {
            period.is_none() || other.unit != point.unit || period_of(other) != period
        });
        points.push(point);
    }
    points
}

fn period_of(point: &Point) -> Option<String> {
    period::key(point.period.as_deref()?, point.at.date_naive())
}

fn of_memory(history: &[Revision]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for revision in history {
        if revision.action == RevisionAction::Retire {
            continue;
        }
        let Some(value) = revision
            .metadata
            .get("value")
            .and_then(serde_json::Value::as_f64)
        else {
            continue;
        };
        let text = |key: &str| {
            let text = revision.metadata.get(key)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let mut point = Point {
            memory: revision.memory.clone(),
            revision: revision.number,
            value,
            unit: text("unit"),
            period: text("period"),
            at: revision.said_at,
            conversation: revision.conversation.clone(),
            evidence: revision.evidence.first().cloned(),
        };
        if revision.action == RevisionAction::Restore {
            let before = points
                .iter()
                .rposition(|other| other.value == point.value && other.period == point.period);
            if let Some(before) = before {
                points.truncate(before + 1);
                continue;
            }
        }
        let same = |other: &Point| {
            (other.value, &other.period, &other.unit) == (point.value, &point.period, &point.unit)
        };
        if revision.candidate.is_none() {
            if let Some(corrected) = points.pop() {
                point.at = corrected.at;
                point.conversation = corrected.conversation;
                point.evidence = corrected.evidence;
            }
        } else if revision.evidence.is_empty() && points.last().is_some_and(same) {
            continue;
        }
        points.push(point);
    }
    points
}

/// Each message in which something was said, where it is first mentioned; in the order of the mentions.
pub fn messages(mentions: &[Mention]) -> Vec<&Mention> {
    let mut seen = BTreeSet::new();
    mentions
        .iter()
        .filter(|mention| seen.insert((&mention.conversation, &mention.message)))
        .collect()
}

/// How often something was said: in how many messages, and in how many conversations. What was written by hand counts once.
pub fn counted(mentions: &[Mention]) -> (u32, u32) {
    let sessions: BTreeSet<_> = mentions
        .iter()
        .map(|mention| &mention.conversation)
        .collect();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let messages = messages(mentions).len();
    (number(messages).max(1), number(sessions.len()))
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        Entropy,
        candidate::DecidedBy,
        id::{CandidateId, RevisionId},
        time::Span,
    };

    pub(crate) struct Fixed(pub u8);
    impl Entropy for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    pub(crate) fn day(number: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + Span::days(20_000 + number)
    }

    pub(crate) fn conversation(number: u8) -> ConversationId {
        ConversationId::new(day(0), &Fixed(number))
    }

    /// A revision that was said in the conversation of its number, on that day.
    fn said(number: u8, value: f64, period: Option<&str>) -> Revision {
        let at = day(i64::from(number));
        let serde_json::Value::Object(metadata) =
            json!({"metric": "CTR", "value": value, "unit": "%", "period": period})
        else {
            unreachable!("an object")
        };
        Revision {
            id: RevisionId::new(at, &Fixed(number)),
            memory: MemoryId::new(day(0), &Fixed(1)),
            number: i64::from(number),
            action: if number == 1 {
                RevisionAction::Create
            } else {
                RevisionAction::Update
            },
            kind: METRIC.to_owned(),
            name: Some("ctr".to_owned()),
            content: format!("CTR is {value}%"),
            metadata,
            tags: vec![],
            confidence: 0.9,
            importance: 0.7,
            conversation: Some(conversation(number)),
            said_at: at,
            candidate: Some(CandidateId::new(at, &Fixed(number))),
            decision: None,
            by: DecidedBy::System,
            proposed: None,
            note: None,
            evidence: vec![Evidence {
                conversation: conversation(number),
                message: Some(MessageId::new(at, &Fixed(number))),
                start: 0,
                end: 3,
                quote: "CTR".to_owned(),
            }],
            explanation: None,
            expires_at: None,
            at,
        }
    }

    fn by_hand(number: u8, value: f64, action: RevisionAction) -> Revision {
        Revision {
            action,
            candidate: None,
            evidence: vec![],
            conversation: None,
            ..said(number, value, None)
        }
    }

    fn values(histories: &[Vec<Revision>]) -> Vec<f64> {
        points(histories).iter().map(|point| point.value).collect()
    }

    // B9
    #[test]
    fn each_value_that_was_said_is_a_point() {
        let history = vec![
            said(1, 2.1, Some("May")),
            said(2, 2.6, Some("June")),
            said(3, 3.4, Some("July")),
        ];
        let points = points(std::slice::from_ref(&history));
        assert_eq!(
            points
                .iter()
                .map(|point| (point.revision, point.value, point.period.as_deref()))
                .collect::<Vec<_>>(),
            [
                (1, 2.1, Some("May")),
                (2, 2.6, Some("June")),
                (3, 3.4, Some("July"))
            ]
        );
        assert_eq!(points[2].conversation, Some(conversation(3)));
        let other = vec![Revision {
            memory: MemoryId::new(day(0), &Fixed(2)),
            ..said(4, 9.9, Some("august"))
        }];
        assert_eq!(values(&[other, history]), [2.1, 2.6, 3.4, 9.9]);
    }

    #[test]
    fn a_correction_and_a_second_value_of_one_period_are_no_new_points() {
        let corrected = vec![
            said(1, 2.1, None),
            said(2, 26.0, None),
            by_hand(3, 2.6, RevisionAction::Update),
        ];
        let found = points(std::slice::from_ref(&corrected));
        assert_eq!((found.len(), found[1].value), (2, 2.6));
        assert_eq!(found[1].conversation, Some(conversation(2)));
        let migrated = Revision {
            evidence: vec![],
            ..said(2, 2.1, None)
        };
        assert_eq!(values(&[vec![said(1, 2.1, None), migrated.clone()]]), [2.1]);
        let reported = vec![said(1, 2.0, None), migrated];
        assert_eq!(values(&[reported]), [2.0, 2.1], "an agent's own report");
        let again = vec![said(1, 2.1, Some("May")), said(2, 2.2, Some("MAY"))];
        assert_eq!(values(&[again]), [2.2]);
    }

    // B9
    #[test]
    fn a_period_that_moves_with_the_day_is_the_same_only_within_it() {
        // Thirty-five days apart: three months, three weeks, three days.
        for words in [
            "last month",
            "先月",
            "上个月",
            "this week",
            "yesterday",
            "monthly",
        ] {
            let history = vec![
                said(1, 2.1, Some(words)),
                said(36, 2.6, Some(words)),
                said(71, 3.4, Some(words)),
            ];
            assert_eq!(
                values(std::slice::from_ref(&history)),
                [2.1, 2.6, 3.4],
                "{words}"
            );
            let measured = Measured {
                metric: "CTR".to_owned(),
                campaign: None,
            };
            let found = crate::trend::of_metric(&measured, &points(&[history]), "en");
            assert_eq!(found.expect("a trend").metadata["sessions"], 3, "{words}");
        }
        // Days 1 and 2 lie in one month, and the day after names the month outright.
        let again = vec![
            said(1, 2.1, Some("last month")),
            said(2, 2.2, Some("Last month")),
            said(3, 2.3, Some("2024-09")),
        ];
        assert_eq!(values(&[again]), [2.3]);
    }

    #[test]
    fn a_restored_value_takes_back_what_came_after_it_and_a_retirement_says_nothing() {
        let history = vec![
            said(1, 2.1, None),
            said(2, 2.6, None),
            by_hand(3, 2.1, RevisionAction::Restore),
            by_hand(4, 2.1, RevisionAction::Retire),
        ];
        assert_eq!(values(&[history]), [2.1]);
    }

    // B9
    #[test]
    fn a_message_is_counted_once() {
        let mention = |conversation_number: u8, message: u8| Mention {
            conversation: conversation(conversation_number),
            message: Some(MessageId::new(day(0), &Fixed(message))),
            at: day(0),
            evidence: None,
        };
        let said = [mention(1, 1), mention(1, 1), mention(1, 2), mention(2, 3)];
        assert_eq!(counted(&said), (3, 2));
        assert_eq!(counted(&[]), (1, 0));
        assert_eq!(messages(&said), [&said[0], &said[2], &said[3]]);
    }
}
