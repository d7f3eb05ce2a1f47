//! What keeps hurting: how bad, how often, whether it is over.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, json};

use super::Parts;
use crate::builtin::{language::Language, words};

static FREQUENCY: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(?:(?:almost |nearly )?(?:every|each) (?:single |other )?(?:time|day|night|morning|evening|week|month|quarter|year|sprint|release|monday|tuesday|wednesday|thursday|friday|weekend|deploy|deployment)|(?:once|twice|three times|several times|a few times|\d+ times) (?:a|per|every) (?:day|week|month|quarter|year)|daily|weekly|monthly|quarterly|all the time|constantly|always|often|frequently|sometimes|regularly|repeatedly|again and again|over and over|most days|at the end of every (?:month|quarter)|on a regular basis)\b",
        r"(?:毎(?:回|日|週|月|朝|晩|年|度)(?:のように)?|(?:日|週|月|年)に\d*[一二三四五]?[〜～]?\d*回(?:は|も|ほど|くらい)?|いつも|よく|頻繁に|たびたび|しょっちゅう|ときどき|時々|しばしば|何度も|月末(?:になると|ごとに|のたびに)?|リリースのたびに|デプロイのたびに|常に|ほぼ毎日)",
        r"(?:每(?:次|天|周|个?月|年|晚|季度|到月底|逢[^，。]{1,4})(?:都)?|一(?:周|天|个月)[一二两三四五\d]+次|总是|老是|经常|常常|时不时|动不动|一直|反复|三天两头|隔三差五|有时候|偶尔|频繁)",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

/// What hurts stands before these words.
static SUBJECT: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)^(?:also,? |and |but |honestly,? |unfortunately,? )?(?:(?:our|my|the|this|these|those)\s+)?(.{2,50}?)\s+(?:(?:is|are) (?:always|constantly|still|so|too|way too|really|such|a|an|the|killing|driving|slowing|blocking|eating|costing|painful|unreliable|frustrating|broken|a pain|a nightmare|our biggest)\b|keeps?\b|constantly\b|always\b|often\b|never\b|still\b|takes?\b|wastes?\b|eats?\b|costs?\b|drives?\b|breaks?\b|fails?\b|crash(?:es)?\b|times? out\b|slows?\b|blocks?\b|goes down\b|frustrates?\b|annoys?\b|makes?\b|doesn't\b|don't\b|can't\b|freezes\b|loses\b|has been\b|have been\b)",
        r"^(?:うちの|弊社の|私の|社内の|今の)?(.{2,30}?)(?:が|は|に|で|を|も)(?:毎|いつも|よく|頻繁|何度|すぐ|遅|重|面倒|手間|時間が|困|悩|つら|辛|止ま|落ち|壊れ|使いにく|ストレス|大変|一番|たびたび|しょっちゅう|うんざり|苦労|追われ|ボトルネック|ネック)",
        r"^(?:我们的?|我的?|公司的?|店里的?|现在的?|团队的?|目前)?(.{2,20}?)(?:每|总是|总|老是|老|经常|一直|太|特别|又|动不动|反复|很|让|是我们|是最|真的|常常|三天两头|时不时|浪费|拖|崩|卡)",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

pub(super) fn parts(clause: &str, language: Language) -> Parts {
    let lower = clause.to_lowercase();
    let says = |list| words::of(language).has(list, &lower);
    let severity = if says("pain high") {
        "high"
    } else if says("pain low") {
        "low"
    } else {
        "medium"
    };
    let resolved = says("pain over");
    let frequency = FREQUENCY[language as usize]
        .find(clause)
        .map(|found| found.as_str().trim().to_lowercase());
    let campaigns: Vec<String> = super::campaign(clause, language).into_iter().collect();
    let mut metadata = Map::new();
    metadata.insert("severity".to_owned(), json!(severity));
    metadata.insert("frequency".to_owned(), json!(frequency));
    metadata.insert("resolved".to_owned(), json!(resolved));
    metadata.insert("related_campaigns".to_owned(), json!(campaigns));
    Parts {
        name: subject(clause, language),
        metadata,
        importance: match (resolved, severity) {
            (true, _) => 0.4,
            (_, "high") => 0.85,
            (_, "low") => 0.5,
            _ => 0.7,
        },
    }
}

fn subject(clause: &str, language: Language) -> Option<String> {
    let found = SUBJECT[language as usize].captures(clause)?;
    let name = found.get(1)?.as_str().trim().to_lowercase();
    let no_name = words::of(language)
        .items("no metric")
        .any(|word| name == word);
    let letters = name.chars().filter(|c| c.is_alphanumeric()).count();
    (!no_name && letters >= 2 && !name.contains(['、', '，', ','])).then_some(name)
}
