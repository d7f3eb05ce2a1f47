//! Bodies of events, read along their canonical form: without a copy, and without a second writing to compare with.
//!
//! Of what events are made of (ids, words, integers) RFC 8785 knows one spelling, so reading can insist on it. A body that is spelled
//! otherwise, or holds something rarer (an escape, a fraction, deep nesting), is not refused here but left to the slow way: read by
//! serde, written anew and compared.

use super::{EventBody, EventType};

/// Up to here every integer has a double of its own, and RFC 8785 writes integers as doubles.
const LARGEST_EXACT: i64 = 1 << 53;

/// Deeper nesting takes the slow way: the reader calls itself for each level.
const DEEPEST: usize = 8;

/// The parts of a body that stand beside it in columns.
#[derive(Debug, PartialEq)]
pub(super) struct Columns<'a> {
    pub(super) agent: &'a str,
    pub(super) seq: i64,
    pub(super) prev_hash: &'a str,
    pub(super) at_us: i64,
    pub(super) r#type: EventType,
    pub(super) user: Option<&'a str>,
    pub(super) subject: &'a str,
}

impl<'a> Columns<'a> {
    /// Those of a body that serde has read.
    pub(super) fn of(body: &'a EventBody) -> Self {
        Self {
            agent: &body.agent,
            seq: body.seq,
            prev_hash: &body.prev_hash,
            at_us: body.at_us,
            r#type: body.r#type,
            user: body.user.as_deref(),
            subject: &body.subject,
        }
    }

    /// Those of a body that is canonical and plain. `None` says only that it has to be read the slow way.
    pub(super) fn read(body: &'a str) -> Option<Self> {
        let body = PlainBody::read(body)?;
        Some(Self {
            agent: body.agent,
            seq: body.seq,
            prev_hash: body.prev_hash,
            at_us: body.at_us,
            r#type: body.r#type.parse().ok()?,
            user: body.user,
            subject: body.subject,
        })
    }
}

/// A body of an event that is canonical and plain, where it lies. Each text is what it says, for it holds no escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainBody<'a> {
    /// The sort of who did it.
    pub actor: &'a str,
    /// Which of them.
    pub actor_id: Option<&'a str>,
    /// The chain.
    pub agent: &'a str,
    /// Microseconds since 1970 in UTC.
    pub at_us: i64,
    /// The commitment to a text; whether it is hex is not looked at.
    pub commitment: Option<&'a str>,
    /// The canonical JSON of an object.
    pub data: &'a str,
    /// The hash of the event before; whether it is hex is not looked at.
    pub prev_hash: &'a str,
    /// The number in the chain.
    pub seq: i64,
    /// The thing it is about.
    pub subject: &'a str,
    /// What happened; it need not be a word that this version knows.
    pub r#type: &'a str,
    /// The user it is about.
    pub user: Option<&'a str>,
}

impl<'a> PlainBody<'a> {
    /// Reads one. `None` says only that it has to be read the slow way: by serde, written anew and compared.
    pub fn read(body: &'a str) -> Option<Self> {
        let mut reader = Reader { rest: body };
        reader.take(r#"{"actor":{"id":"#)?;
        let actor_id = reader.text_or_null()?;
        reader.take(r#","type":"#)?;
        let actor = reader.text()?;
        reader.take(r#"},"agent":"#)?;
        let agent = reader.text()?;
        reader.take(r#","at_us":"#)?;
        let at_us = reader.integer()?;
        let commitment = match reader.take(r#","commitment":"#) {
            Some(()) => Some(reader.text()?),
            None => None,
        };
        reader.take(r#","data":"#)?;
        let before = reader.rest;
        reader.object(DEEPEST)?;
        let data = &before[..before.len() - reader.rest.len()];
        reader.take(r#","prev_hash":"#)?;
        let prev_hash = reader.text()?;
        reader.take(r#","seq":"#)?;
        let seq = reader.integer()?;
        reader.take(r#","subject":"#)?;
        let subject = reader.text()?;
        reader.take(r#","type":"#)?;
        let r#type = reader.text()?;
        reader.take(r#","user":"#)?;
        let user = reader.text_or_null()?;
        reader.take(r#","v":1}"#)?;
        reader.rest.is_empty().then_some(Self {
            actor,
            actor_id,
            agent,
            at_us,
            commitment,
            data,
            prev_hash,
            seq,
            subject,
            r#type,
            user,
        })
    }
}

/// What is still to be read. Each method takes something off its front, or answers `None`.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Exactly this; where it is not there, nothing is taken.
    fn take(&mut self, exactly: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(exactly)?;
        Some(())
    }

    /// A string without escapes.
    fn text(&mut self) -> Option<&'a str> {
        let rest = self.rest.strip_prefix('"')?;
        let end = rest
            .bytes()
            .position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
        let (text, rest) = rest.split_at(end);
        self.rest = rest.strip_prefix('"')?;
        Some(text)
    }

    fn text_or_null(&mut self) -> Option<Option<&'a str>> {
        match self.take("null") {
            Some(()) => Some(None),
            None => self.text().map(Some),
        }
    }

    /// An integer that a double holds exactly.
    fn integer(&mut self) -> Option<i64> {
        let digits = self.rest.strip_prefix('-').unwrap_or(self.rest);
        let length = digits
            .bytes()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (number, rest) = self.rest.split_at(self.rest.len() - digits.len() + length);
        // Neither a zero in front nor a negative one is canonical.
        if digits.starts_with('0') && number != "0" {
            return None;
        }
        let value: i64 = number.parse().ok()?;
        if !(-LARGEST_EXACT..=LARGEST_EXACT).contains(&value) {
            return None;
        }
        self.rest = rest;
        Some(value)
    }

    fn value(&mut self, levels: usize) -> Option<()> {
        match self.rest.as_bytes().first()? {
            b'"' => self.text().map(drop),
            b'{' => self.object(levels),
            b'[' => self.array(levels),
            b'n' => self.take("null"),
            b't' => self.take("true"),
            b'f' => self.take("false"),
            _ => self.integer().map(drop),
        }
    }

    /// An object with its names in order, each once.
    fn object(&mut self, levels: usize) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        self.take("{")?;
        if self.take("}").is_some() {
            return Some(());
        }
        let mut before: Option<&str> = None;
        loop {
            let name = self.text()?;
            // The order is that of UTF-16, which is that of bytes in ASCII but not beyond.
            if !name.is_ascii() || before.is_some_and(|before| before >= name) {
                return None;
            }
            before = Some(name);
            self.take(":")?;
            self.value(levels)?;
            if self.take("}").is_some() {
                return Some(());
            }
            self.take(",")?;
        }
    }

    fn array(&mut self, levels: usize) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        self.take("[")?;
        if self.take("]").is_some() {
            return Some(());
        }
        loop {
            self.value(levels)?;
            if self.take("]").is_some() {
                return Some(());
            }
            self.take(",")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::audit::{EventActor, hex};

    fn body(data: Map<String, Value>) -> EventBody {
        EventBody {
            v: 1,
            agent: "support".into(),
            seq: 12,
            prev_hash: hex(&[171; 32]),
            at_us: 1_750_000_000_123_456,
            r#type: EventType::MemoryMerged,
            actor: EventActor {
                r#type: "person".into(),
                id: Some("per_1".into()),
            },
            user: Some("usr_1".into()),
            subject: "mem_1".into(),
            data,
            commitment: Some(hex(&[205; 32])),
        }
    }

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// What events hold.
    fn plain() -> impl Strategy<Value = Value> {
        values(
            prop_oneof![
                Just(Value::Null),
                any::<bool>().prop_map(Value::from),
                (-LARGEST_EXACT..=LARGEST_EXACT).prop_map(Value::from),
                (-3_i64..1001).prop_map(Value::from),
                "[a-zA-Z0-9_.é東-]{0,12}".prop_map(Value::from),
            ]
            .boxed(),
            "[a-z_]{0,6}",
        )
    }

    /// What JSON can hold.
    fn any_json() -> impl Strategy<Value = Value> {
        values(
            prop_oneof![
                any::<i64>().prop_map(Value::from),
                any::<f64>().prop_map(Value::from),
                "(\\PC|[\"\\\\\n\t\u{7f}]){0,8}".prop_map(Value::from),
            ]
            .boxed(),
            "[a-c\"é\u{ff5e}😀]{0,3}",
        )
    }

    fn values(leaf: BoxedStrategy<Value>, names: &'static str) -> impl Strategy<Value = Value> {
        leaf.prop_recursive(3, 16, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                object(inner, names),
            ]
        })
    }

    fn object(
        values: impl Strategy<Value = Value>,
        names: &'static str,
    ) -> impl Strategy<Value = Value> {
        prop::collection::btree_map(names, values, 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    /// The quick reader may leave a body, but never take one that the slow way would find fault with or read otherwise.
    fn agrees_with_the_slow_way(text: &str) -> Result<(), TestCaseError> {
        if let Some(quick) = Columns::read(text) {
            let slow: EventBody = serde_json::from_str(text)
                .map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
            prop_assert_eq!(&quick, &Columns::of(&slow));
            prop_assert_eq!(slow.canonical(), text);
            let plain = PlainBody::read(text);
            let data = serde_json::to_string(&slow.data).unwrap();
            prop_assert_eq!(
                plain.map(|plain| (plain.actor, plain.actor_id, plain.commitment)),
                Some((
                    slow.actor.r#type.as_str(),
                    slow.actor.id.as_deref(),
                    slow.commitment.as_deref(),
                ))
            );
            prop_assert_eq!(plain.map(|plain| plain.data), Some(data.as_str()));
        }
        Ok(())
    }

    #[test]
    fn what_is_not_canonical_is_left() {
        let text = body(map(json!({"count": 3}))).canonical();
        assert!(Columns::read(&text).is_some());
        for (from, to) in [
            (r#""count":3"#, r#""count": 3"#),
            (r#""count":3"#, r#""count":03"#),
            (r#""count":3"#, r#""count":-0"#),
            (r#""count":3"#, r#""count":3.0"#),
            (r#""count":3"#, r#""count":3e0"#),
            (r#""count":3"#, r#""count":+3"#),
            (r#""count":3"#, r#""count":"#),
            (r#""count":3"#, r#""count":-"#),
            (r#""count":3"#, r#""count":9007199254740993"#),
            (r#""count":3"#, r#""count":3,"count":3"#),
            (r#""count":3"#, r#""count":3,"a":3"#),
            (r#""count":3"#, r#""c\u006funt":3"#),
            (r#""count":3"#, r#""count":3,"#),
            (r#""count":3"#, r#""count":[[[[[[[[[]]]]]]]]]"#),
            (r#""v":1"#, r#""v":2"#),
            (r#""v":1}"#, r#""v":1} "#),
            (r#""v":1}"#, r#""v":1"#),
            (r#""seq":12"#, r#""seq":"12""#),
            ("memory.merged", "memory.told"),
            (r#""agent":"support","#, ""),
        ] {
            let other = text.replace(from, to);
            assert_ne!(other, text);
            assert_eq!(Columns::read(&other), None, "{other}");
        }
    }

    #[test]
    fn a_body_without_user_actor_and_commitment_is_plain() {
        let mut body = body(Map::new());
        body.user = None;
        body.actor.id = None;
        body.commitment = None;
        assert_eq!(Columns::read(&body.canonical()), Some(Columns::of(&body)));
    }

    proptest! {
        #[test]
        fn every_plain_body_is_read(data in object(plain(), "[a-z_]{0,6}")) {
            let body = body(map(data));
            let text = body.canonical();
            prop_assert_eq!(Columns::read(&text), Some(Columns::of(&body)));
        }

        #[test]
        fn the_quick_way_agrees_with_the_slow_one(data in object(any_json(), "[a-c\"é\u{ff5e}😀]{0,3}")) {
            agrees_with_the_slow_way(&body(map(data)).canonical())?;
        }

        #[test]
        fn it_agrees_on_damaged_bodies_too(
            data in object(plain(), "[a-z_]{0,6}"),
            damages in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..3, prop::sample::select(r#"{}[]":,\- .019eEntu"#.chars().collect::<Vec<_>>())), 1..3),
        ) {
            let mut text: Vec<char> = body(map(data)).canonical().chars().collect();
            for (place, how, letter) in damages {
                let place = place.index(text.len());
                match how {
                    0 => text[place] = letter,
                    1 => text.insert(place, letter),
                    _ => {
                        text.remove(place);
                    }
                }
            }
            agrees_with_the_slow_way(&text.into_iter().collect::<String>())?;
        }
    }
}
