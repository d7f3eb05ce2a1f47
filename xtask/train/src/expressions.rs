//! What regular expressions alone would find: the baseline of the report. A dozen patterns a language, as one would write them in an
//! afternoon; the first that matches says the kind.

use std::sync::LazyLock;

use domain::builtin::{Language, train::Labelled};
use regex::Regex;

const ENGLISH: &[(&str, &str)] = &[
    (
        "none",
        r"\?\s*$|^(?:please |can you|could you|write|fix|show|thanks|thank you)",
    ),
    (
        "decision",
        r"\b(?:we|i|team|board)(?:'ve| have)? (?:finally )?(?:decided|agreed|chose|settled on)\b",
    ),
    ("decision", r"\b(?:going|went) with\b"),
    (
        "metric",
        r"\b(?:revenue|churn|conversion|cpa|ctr|cac|nps|mrr|sales|traffic|rate)\b.*\d",
    ),
    (
        "pain_point",
        r"\bkeeps? (?:breaking|failing|crashing)\b|\b(?:takes forever|drives me crazy|frustrating|pain|nightmare)\b",
    ),
    (
        "context",
        r"\b(?:next (?:week|month|year)|tomorrow|deadline|launch(?:ing)?|right now|currently|this (?:week|month))\b",
    ),
    (
        "context",
        r"\bi(?:'m| am) (?:preparing|planning|working on|learning|looking for|moving)\b",
    ),
    (
        "preference",
        r"\bi(?:'d)? (?:really |always |usually )?(?:prefer|like|love|hate|enjoy|dislike)\b",
    ),
    (
        "preference",
        r"^(?:always|never|from now on|don't)\b|\bfavou?rite\b",
    ),
    (
        "fact",
        r"\bmy (?:name|wife|husband|son|daughter|job|dog|cat|birthday)\b",
    ),
    (
        "fact",
        r"\bi(?:'m| am) (?:a|an|the|from|allergic|married|based)\b|\bas an? \w+",
    ),
    (
        "fact",
        r"\bi (?:work|live|study|have|own|speak|was born)\b|\bwe (?:use|have)\b",
    ),
];

const JAPANESE: &[(&str, &str)] = &[
    (
        "none",
        r"[？?]\s*$|か。?$|(?:書いて|直して|教えて|お願い)(?:ください)?|^(?:ありがとう|了解|なるほど)",
    ),
    ("decision", r"ことに(?:しました|した|決めました|なりました)"),
    ("decision", r"(?:決定|合意|決め)(?:し|まし)"),
    ("metric", r"(?:売上|率|数|費|単価|CPA|ROAS|CTR).*[0-9０-９]"),
    (
        "pain_point",
        r"(?:困って|面倒|ストレス|うんざり|つらい|時間がかか)",
    ),
    (
        "context",
        r"(?:来月|来週|明日|締め切り|納期|までに|予定です|準備)",
    ),
    (
        "context",
        r"(?:最近|現在|今は|今月|今週).*(?:います|中です)",
    ),
    ("preference", r"(?:好き|嫌い|苦手|方がいい|好み)"),
    (
        "preference",
        r"(?:いつも|必ず|今後|常に).*(?:ください|して)",
    ),
    ("fact", r"(?:名前は|と申します|といいます|歳です)"),
    (
        "fact",
        r"(?:住んで|在住|働いて|勤め|出身|アレルギー|飼って)",
    ),
    ("fact", r"^(?:私|僕|俺)は.*です"),
];

const CHINESE: &[(&str, &str)] = &[
    ("none", r"[？?]\s*$|吗。?$|^(?:请|帮我|写一?个|谢谢|好的)"),
    (
        "decision",
        r"我们?(?:最终|已经|最后)?(?:决定|同意|选定|敲定)",
    ),
    ("decision", r"(?:改用|换成|定下来)"),
    ("metric", r"(?:率|额|量|成本|用户|CPA|ROAS|CTR).*[0-9]"),
    (
        "pain_point",
        r"(?:老是|总是|每次都|头疼|太慢|受不了|浪费时间)",
    ),
    ("context", r"(?:下个月|下周|明天|截止|上线|准备|打算|计划)"),
    ("context", r"(?:最近|目前|现在|正在)"),
    ("preference", r"(?:喜欢|讨厌|更爱|偏好|不爱)"),
    ("preference", r"(?:以后|每次|一律).*(?:请|用|要)"),
    ("fact", r"(?:我叫|我的名字|我今年.*岁)"),
    ("fact", r"(?:住在|来自|过敏|我老婆|我老公|我有)"),
    ("fact", r"我(?:是|在.*(?:工作|上班))"),
];

static COMPILED: LazyLock<[Vec<(&str, Regex)>; 3]> = LazyLock::new(|| {
    [ENGLISH, JAPANESE, CHINESE].map(|patterns| {
        patterns
            .iter()
            .map(|(kind, pattern)| {
                let pattern = Regex::new(&format!("(?i){pattern}")).expect("a written pattern");
                (*kind, pattern)
            })
            .collect()
    })
});

/// The kind of the first pattern that matches; `none` where none does.
pub fn kind(sentence: &Labelled) -> &'static str {
    let at = match sentence.language {
        Language::English => 0,
        Language::Japanese => 1,
        Language::Chinese => 2,
    };
    COMPILED[at]
        .iter()
        .find(|(_, pattern)| pattern.is_match(&sentence.text))
        .map_or("none", |(kind, _)| kind)
}
