//! A change of an agent's settings: what is absent stays, what is there is checked, and a policy gets the name of who switched it on.

use std::collections::BTreeSet;

use domain::{
    Timestamp,
    agent::{AgentName, AgentSettings, AutoApprove, Budget, ExtractionTrigger, MOST_GRACE},
    id::PersonId,
};
use serde::{Deserialize, Serialize};

use super::FourEyesPatch;
use crate::{
    error::{EngineError, FieldError, Result},
    kind::KindsPatch,
};

/// A change of an agent's settings; what is absent stays.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentPatch {
    /// Whether conversations become candidates.
    pub learn: Option<bool>,
    /// Whether approved memories are given out.
    pub serve: Option<bool>,
    /// Whether extraction proposes memories in natural language; off, only profiles are made.
    pub natural_language: Option<bool>,
    /// Most approved memories a user may have, 1 to 10,000.
    pub max_memories: Option<u32>,
    /// Drafts under this confidence are dropped.
    pub confidence_floor: Option<f64>,
    /// Most candidates of one window, 1 to 100.
    pub max_candidates: Option<u32>,
    /// When extraction starts.
    pub trigger: Option<TriggerPatch>,
    /// The extractor; `null`: the installation's.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<String>)]
    pub extractor: Option<Option<String>>,
    /// The only extractors that may read what this agent's users say, at most 20: `builtin`, a provider (`openai`), a model
    /// (`openai::gpt-4.1-mini`) or a base URL; empty: all that the installation has.
    pub allowed_extractors: Option<Vec<String>>,
    /// What the extractor is told beside the rules that hold for every agent, at most 4,000 characters.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<String>)]
    pub guidance: Option<Option<String>>,
    /// All policies that approve in a person's place, at most 20. One that is as it was keeps who switched it on; a new or changed
    /// one is switched on by who makes this call.
    pub auto_approve: Option<Vec<PolicyPatch>>,
    /// What needs a second, different person.
    pub four_eyes: Option<FourEyesPatch>,
    /// How many seconds after its approval a memory is not told to agents yet, 0 to 3,600.
    pub grace_seconds: Option<u32>,
    /// All patterns of user ids that never learn, at most 100; `*` stands for any characters.
    pub shared_ids: Option<Vec<String>>,
    /// What extraction may cost.
    pub budget: Option<BudgetPatch>,
    /// Kinds in use.
    pub kinds: Option<KindsPatch>,
}

/// A change of when extraction starts; `null` turns a trigger off. With all off a conversation is read at its end or when flushed.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TriggerPatch {
    /// As soon as this many messages are new, 1 to 1,000; 1: with every post.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<u32>)]
    pub messages: Option<Option<u32>>,
    /// When nothing new came for this many seconds, at most 86,400.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<u32>)]
    pub quiet_seconds: Option<Option<u32>>,
    /// This many seconds after the first message that was not read yet, at most 86,400.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<u32>)]
    pub interval_seconds: Option<Option<u32>>,
}

impl From<ExtractionTrigger> for TriggerPatch {
    fn from(all: ExtractionTrigger) -> Self {
        Self {
            messages: Some(all.messages),
            quiet_seconds: Some(all.quiet_seconds),
            interval_seconds: Some(all.interval_seconds),
        }
    }
}

/// A change of the budget; `null` takes a limit or a price away.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetPatch {
    /// Tokens a day, read and written together.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<i64>)]
    pub tokens_per_day: Option<Option<i64>>,
    /// Money a day; needs a price.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<f64>)]
    pub money_per_day: Option<Option<f64>>,
    /// What a million tokens read cost.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<f64>)]
    pub price_in: Option<Option<f64>>,
    /// What a million tokens written cost.
    #[serde(deserialize_with = "crate::patch::given")]
    #[schema(value_type = Option<f64>)]
    pub price_out: Option<Option<f64>>,
}

impl From<Budget> for BudgetPatch {
    fn from(all: Budget) -> Self {
        Self {
            tokens_per_day: Some(all.tokens_per_day),
            money_per_day: Some(all.money_per_day),
            price_in: Some(all.price_in),
            price_out: Some(all.price_out),
        }
    }
}

/// A policy: what it decides on. Who switched it on, and when, is written down by Keepsake.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyPatch {
    /// What it is called: 1 to 64 letters a-z, digits, `-` or `_`.
    pub name: String,
    /// The kinds it decides on, at least one.
    pub kinds: Vec<String>,
    /// From this confidence on, 0.0 to 1.0.
    pub min_confidence: f64,
}

impl PolicyPatch {
    /// Whether the policy is this one already.
    fn is(&self, policy: &AutoApprove) -> bool {
        self.name == policy.name
            && self.kinds == policy.kinds
            && self.min_confidence.to_bits() == policy.min_confidence.to_bits()
    }
}

/// Who changes settings, and when; `None`: the command line.
pub(super) struct Changer<'a> {
    pub person: Option<&'a PersonId>,
    pub now: Timestamp,
}

impl AgentPatch {
    /// Changes `settings`; answers what has changed, by name. `kinds` are those of the agent's registry.
    pub(super) fn apply(
        &self,
        settings: &mut AgentSettings,
        kinds: &BTreeSet<&str>,
        by: &Changer<'_>,
    ) -> Result<Vec<&'static str>> {
        let before = settings.clone();
        put(&mut settings.learn, self.learn);
        put(&mut settings.serve, self.serve);
        put(&mut settings.natural_language, self.natural_language);
        put(&mut settings.max_memories, self.max_memories);
        put(&mut settings.grace_seconds, self.grace_seconds);
        put(&mut settings.confidence_floor, self.confidence_floor);
        put(&mut settings.max_candidates, self.max_candidates);
        put(&mut settings.extractor, self.extractor.clone());
        put(
            &mut settings.allowed_extractors,
            self.allowed_extractors.clone(),
        );
        if let Some(guidance) = &self.guidance {
            let said = guidance.as_deref().map(str::trim);
            settings.guidance = said.filter(|said| !said.is_empty()).map(str::to_owned);
        }
        if let Some(trigger) = self.trigger {
            put(&mut settings.trigger.messages, trigger.messages);
            put(&mut settings.trigger.quiet_seconds, trigger.quiet_seconds);
            put(
                &mut settings.trigger.interval_seconds,
                trigger.interval_seconds,
            );
        }
        if let Some(budget) = self.budget {
            put(&mut settings.budget.tokens_per_day, budget.tokens_per_day);
            put(&mut settings.budget.money_per_day, budget.money_per_day);
            put(&mut settings.budget.price_in, budget.price_in);
            put(&mut settings.budget.price_out, budget.price_out);
        }
        put(&mut settings.shared_ids, self.shared_ids.clone());
        if let Some(policies) = &self.auto_approve {
            settings.auto_approve = switched_on(policies, &before.auto_approve, by)?;
        }
        if let Some(four_eyes) = &self.four_eyes {
            four_eyes
                .apply(&mut settings.four_eyes, kinds)
                .map_err(EngineError::Invalid)?;
        }
        let wrong = faults(settings, self.auto_approve.is_some().then_some(kinds));
        if !wrong.is_empty() {
            return Err(EngineError::Invalid(wrong));
        }
        Ok(changed(&before, settings))
    }
}

fn put<T>(setting: &mut T, given: Option<T>) {
    if let Some(value) = given {
        *setting = value;
    }
}

/// The policies with who switched each on: whoever did before where it is as it was, else the person who changes it now.
fn switched_on(
    wanted: &[PolicyPatch],
    before: &[AutoApprove],
    by: &Changer<'_>,
) -> Result<Vec<AutoApprove>> {
    let mut policies = Vec::with_capacity(wanted.len());
    for (at, policy) in wanted.iter().enumerate() {
        let as_it_was = before.iter().find(|before| policy.is(before)).cloned();
        let policy = match (as_it_was, by.person) {
            (Some(as_it_was), _) => as_it_was,
            (None, Some(person)) => AutoApprove {
                name: policy.name.clone(),
                kinds: policy.kinds.clone(),
                min_confidence: policy.min_confidence,
                by: person.clone(),
                at: domain::time::micros(by.now),
            },
            (None, None) => {
                return Err(EngineError::invalid(
                    format!("/auto_approve/{at}"),
                    "person",
                    "only a person switches a policy on",
                ));
            }
        };
        policies.push(policy);
    }
    Ok(policies)
}

/// What cannot be set. `kinds` where policies were given.
fn faults(settings: &AgentSettings, kinds: Option<&BTreeSet<&str>>) -> Vec<FieldError> {
    let mut wrong = Vec::new();
    let mut check = |fits: bool, pointer: &str, code: &'static str, detail: &str| {
        if !fits {
            wrong.push(FieldError::new(pointer, code, detail));
        }
    };
    let share = |number: f64| (0.0..=1.0).contains(&number);
    check(
        (1..=10_000).contains(&settings.max_memories),
        "/max_memories",
        "range",
        "a number from 1 to 10,000",
    );
    check(
        (1..=100).contains(&settings.max_candidates),
        "/max_candidates",
        "range",
        "a number from 1 to 100",
    );
    check(
        settings.grace_seconds <= MOST_GRACE,
        "/grace_seconds",
        "range",
        "a number of seconds from 0 to 3,600",
    );
    check(
        share(settings.confidence_floor),
        "/confidence_floor",
        "range",
        "a number from 0.0 to 1.0",
    );
    let guidance = settings.guidance.as_deref().unwrap_or_default();
    check(
        guidance.chars().count() <= 4000 && !guidance.contains('\0'),
        "/guidance",
        "too_long",
        "at most 4,000 characters, without NUL",
    );
    let trigger = &settings.trigger;
    check(
        trigger
            .messages
            .is_none_or(|messages| (1..=1000).contains(&messages)),
        "/trigger/messages",
        "range",
        "a number from 1 to 1,000",
    );
    for (pointer, seconds) in [
        ("/trigger/quiet_seconds", trigger.quiet_seconds),
        ("/trigger/interval_seconds", trigger.interval_seconds),
    ] {
        check(
            seconds.is_none_or(|seconds| seconds <= 86_400),
            pointer,
            "range",
            "at most 86,400 seconds",
        );
    }
    let Budget {
        tokens_per_day,
        money_per_day,
        price_in,
        price_out,
    } = settings.budget;
    check(
        tokens_per_day.is_none_or(|tokens| tokens >= 1),
        "/budget/tokens_per_day",
        "range",
        "a number from 1 on",
    );
    check(
        money_per_day.is_none_or(|money| money > 0.0 && money.is_finite()),
        "/budget/money_per_day",
        "range",
        "a number over 0",
    );
    check(
        money_per_day.is_none() || price_in.or(price_out).is_some(),
        "/budget/money_per_day",
        "required",
        "a budget in money needs the price of a million tokens",
    );
    for (pointer, price) in [
        ("/budget/price_in", price_in),
        ("/budget/price_out", price_out),
    ] {
        check(
            price.is_none_or(|price| price >= 0.0 && price.is_finite()),
            pointer,
            "range",
            "a number from 0 on",
        );
    }
    check(
        settings.shared_ids.len() <= 100,
        "/shared_ids",
        "too_long",
        "at most 100 patterns",
    );
    for (at, pattern) in settings.shared_ids.iter().enumerate() {
        let fits =
            (1..=256).contains(&pattern.chars().count()) && !pattern.chars().any(char::is_control);
        let pointer = format!("/shared_ids/{at}");
        check(
            fits,
            &pointer,
            "length",
            "1 to 256 characters, without control characters",
        );
        check(
            !fits || pattern.contains(|c| c != '*'),
            &pointer,
            "everyone",
            "this fits every id; turn learning off instead",
        );
    }
    if let Some(kinds) = kinds {
        policy_faults(&settings.auto_approve, kinds, &mut check);
    }
    wrong
}

fn policy_faults(
    policies: &[AutoApprove],
    kinds: &BTreeSet<&str>,
    check: &mut impl FnMut(bool, &str, &'static str, &str),
) {
    check(
        policies.len() <= 20,
        "/auto_approve",
        "too_long",
        "at most 20 policies",
    );
    let mut names = BTreeSet::new();
    for (at, policy) in policies.iter().enumerate() {
        let place = |field: &str| format!("/auto_approve/{at}/{field}");
        // The chain names the policy, and holds no free text.
        check(
            AgentName::parse(&policy.name).is_ok(),
            &place("name"),
            "shape",
            "1 to 64 letters a-z, digits, '-' or '_'",
        );
        check(
            names.insert(policy.name.as_str()),
            &place("name"),
            "exists",
            "two policies have this name",
        );
        check(
            !policy.kinds.is_empty(),
            &place("kinds"),
            "required",
            "a policy decides on at least one kind",
        );
        for (number, kind) in policy.kinds.iter().enumerate() {
            check(
                kinds.contains(kind.as_str()),
                &place(&format!("kinds/{number}")),
                "unknown",
                "this agent has no such kind",
            );
        }
        check(
            (0.0..=1.0).contains(&policy.min_confidence),
            &place("min_confidence"),
            "range",
            "a number from 0.0 to 1.0",
        );
    }
}

fn changed(before: &AgentSettings, after: &AgentSettings) -> Vec<&'static str> {
    let changes = [
        ("learn", before.learn != after.learn),
        ("serve", before.serve != after.serve),
        (
            "natural_language",
            before.natural_language != after.natural_language,
        ),
        ("max_memories", before.max_memories != after.max_memories),
        (
            "confidence_floor",
            before.confidence_floor.to_bits() != after.confidence_floor.to_bits(),
        ),
        (
            "max_candidates",
            before.max_candidates != after.max_candidates,
        ),
        ("trigger", before.trigger != after.trigger),
        ("extractor", before.extractor != after.extractor),
        (
            "allowed_extractors",
            before.allowed_extractors != after.allowed_extractors,
        ),
        ("guidance", before.guidance != after.guidance),
        ("auto_approve", before.auto_approve != after.auto_approve),
        ("four_eyes", before.four_eyes != after.four_eyes),
        ("grace_seconds", before.grace_seconds != after.grace_seconds),
        ("shared_ids", before.shared_ids != after.shared_ids),
        ("budget", before.budget != after.budget),
    ];
    changes
        .into_iter()
        .filter(|(_, changed)| *changed)
        .map(|(name, _)| name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counter(u8);
    impl domain::Entropy for Counter {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    fn apply(
        patch: &str,
        settings: &mut AgentSettings,
        person: Option<&PersonId>,
        now: Timestamp,
    ) -> Result<Vec<&'static str>> {
        let patch: AgentPatch = serde_json::from_str(patch).unwrap();
        let kinds = BTreeSet::from(["fact", "preference"]);
        patch.apply(settings, &kinds, &Changer { person, now })
    }

    #[test]
    fn a_patch_tells_null_from_absent() {
        let patch: AgentPatch = serde_json::from_str(r#"{"extractor": null}"#).unwrap();
        assert_eq!(patch.extractor, Some(None));
        let patch: AgentPatch = serde_json::from_str("{}").unwrap();
        assert_eq!(patch.extractor, None);
        assert!(serde_json::from_str::<AgentPatch>(r#"{"lern": true}"#).is_err());
    }

    // C2, D10
    #[test]
    fn one_trigger_changes_and_the_others_stay() {
        let mut settings = AgentSettings::default();
        let now = Timestamp::UNIX_EPOCH;
        let changed = apply(
            r#"{"trigger": {"interval_seconds": 300}}"#,
            &mut settings,
            None,
            now,
        );
        assert_eq!(changed.unwrap(), ["trigger"]);
        assert_eq!(
            settings.trigger,
            ExtractionTrigger {
                interval_seconds: Some(300),
                ..ExtractionTrigger::default()
            }
        );
        apply(
            r#"{"trigger": {"messages": null, "quiet_seconds": null, "interval_seconds": null}}"#,
            &mut settings,
            None,
            now,
        )
        .unwrap();
        assert_eq!(
            settings.trigger,
            ExtractionTrigger {
                messages: None,
                quiet_seconds: None,
                interval_seconds: None
            }
        );
    }

    // A12
    #[test]
    fn who_switched_a_policy_on_is_who_calls_and_stays_while_it_is_as_it_was() {
        let (mia, aiko) = (
            PersonId::new(Timestamp::UNIX_EPOCH, &Counter(1)),
            PersonId::new(Timestamp::UNIX_EPOCH, &Counter(2)),
        );
        let (monday, tuesday) = (
            Timestamp::UNIX_EPOCH,
            Timestamp::UNIX_EPOCH + domain::time::Span::days(1),
        );
        let mut settings = AgentSettings::default();
        let one = r#"{"auto_approve": [{"name": "tastes", "kinds": ["preference"], "min_confidence": 0.9}]}"#;
        let nobody = apply(one, &mut settings.clone(), None, monday).unwrap_err();
        assert_eq!(nobody.fields()[0].code, "person");
        assert_eq!(
            apply(one, &mut settings, Some(&mia), monday).unwrap(),
            ["auto_approve"]
        );
        assert_eq!(
            apply(one, &mut settings, Some(&aiko), tuesday).unwrap(),
            [""; 0]
        );
        let two = r#"{"auto_approve": [{"name": "tastes", "kinds": ["preference"], "min_confidence": 0.9},
                                       {"name": "facts", "kinds": ["fact"], "min_confidence": 0.95}]}"#;
        apply(two, &mut settings, Some(&aiko), tuesday).unwrap();
        let who = |settings: &AgentSettings| {
            settings
                .auto_approve
                .iter()
                .map(|policy| (policy.by.clone(), policy.at))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            who(&settings),
            [(mia, monday), (aiko.clone(), tuesday)],
            "each by who switched it on"
        );
        // A lower bar is another policy, and whoever lowers it answers for it.
        let lower = r#"{"auto_approve": [{"name": "tastes", "kinds": ["preference"], "min_confidence": 0.1}]}"#;
        apply(lower, &mut settings, Some(&aiko), tuesday).unwrap();
        assert_eq!(who(&settings), [(aiko, tuesday)]);
        // The body does not say who.
        let forged = r#"{"auto_approve": [{"name": "a", "kinds": ["fact"], "min_confidence": 1, "by": "per_x"}]}"#;
        assert!(serde_json::from_str::<AgentPatch>(forged).is_err());
        assert_eq!(
            apply(r#"{"auto_approve": []}"#, &mut settings, None, tuesday).unwrap(),
            ["auto_approve"],
            "off needs nobody in particular"
        );
    }

    // A12, G2, G14
    #[test]
    fn what_cannot_be_is_refused_with_its_place_and_changes_nothing() {
        let mia = PersonId::new(Timestamp::UNIX_EPOCH, &Counter(1));
        for (patch, pointer, code) in [
            (
                r#"{"trigger": {"messages": 0}}"#,
                "/trigger/messages",
                "range",
            ),
            (
                r#"{"trigger": {"interval_seconds": 90000}}"#,
                "/trigger/interval_seconds",
                "range",
            ),
            (
                r#"{"budget": {"tokens_per_day": 0}}"#,
                "/budget/tokens_per_day",
                "range",
            ),
            (
                r#"{"budget": {"money_per_day": 5}}"#,
                "/budget/money_per_day",
                "required",
            ),
            (
                r#"{"budget": {"price_in": -1}}"#,
                "/budget/price_in",
                "range",
            ),
            (
                r#"{"shared_ids": ["guest-*", ""]}"#,
                "/shared_ids/1",
                "length",
            ),
            (r#"{"shared_ids": ["**"]}"#, "/shared_ids/0", "everyone"),
            (
                r#"{"auto_approve": [{"name": "My policy", "kinds": ["fact"], "min_confidence": 0.9}]}"#,
                "/auto_approve/0/name",
                "shape",
            ),
            (
                r#"{"auto_approve": [{"name": "a", "kinds": [], "min_confidence": 0.9}]}"#,
                "/auto_approve/0/kinds",
                "required",
            ),
            (
                r#"{"auto_approve": [{"name": "a", "kinds": ["fact", "mood"], "min_confidence": 0.9}]}"#,
                "/auto_approve/0/kinds/1",
                "unknown",
            ),
            (
                r#"{"auto_approve": [{"name": "a", "kinds": ["fact"], "min_confidence": 1.5}]}"#,
                "/auto_approve/0/min_confidence",
                "range",
            ),
        ] {
            let mut settings = AgentSettings::default();
            let refused =
                apply(patch, &mut settings, Some(&mia), Timestamp::UNIX_EPOCH).unwrap_err();
            let field = &refused.fields()[0];
            assert_eq!(
                (field.pointer.as_str(), field.code),
                (pointer, code),
                "{patch}"
            );
        }
    }
}
