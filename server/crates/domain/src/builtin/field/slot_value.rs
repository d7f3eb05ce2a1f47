//! Texts and numbers whose slot is known: name, city, employer, role, age.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::{Read, Saying, Target};
use crate::builtin::{language::Language, signal::Signal, slot};

const STATED: f64 = 0.88;

/// Names of fields, the slot of [`slot::name`] that fills them, and what follows the opening in each language.
struct Family {
    names: &'static [&'static str],
    slot: &'static str,
    importance: f64,
    said: [&'static str; 3],
}

const FAMILIES: &[Family] = &[
    Family {
        names: &[
            "city",
            "location",
            "residence",
            "hometown",
            "town",
            "address",
            "home",
        ],
        slot: "lives in",
        importance: 0.8,
        said: [
            r"\b(?i:live|living|based|reside|moved|relocated)(?i: in| to)\s+(\p{Lu}[\p{L}.'-]+(?:[ -]\p{Lu}[\p{L}.'-]+){0,2})",
            r"(?:私は|僕は|今は|現在は?|今|ずっと)?、?([^はがを、。]{1,12}?)(?:に住んで|在住|で暮らし|に引っ越し|に移住)",
            r"(?:住在|搬到了?|定居在?)([\p{Han}A-Za-z ]{2,10}?)(?:，|。|,|了|$)",
        ],
    },
    Family {
        names: &[
            "company",
            "employer",
            "organization",
            "organisation",
            "workplace",
        ],
        slot: "employer",
        importance: 0.85,
        said: [
            r"\b(?i:work|working|employed)(?i: at| for| by)\s+((?:the )?\p{Lu}[\w&.'-]*(?: \p{Lu}[\w&.'-]*){0,3})",
            r"(?:私は|僕は|俺は|現在は?)?、?([^はがを、。]{1,20}?)(?:で働|に勤め|に勤務|勤務です|の社員)",
            r"在([\p{Han}A-Za-z0-9 ]{2,16}?)(?:工作|上班|任职|就职|供职)",
        ],
    },
    Family {
        names: &[
            "occupation",
            "profession",
            "role",
            "job",
            "title",
            "position",
        ],
        slot: "role",
        importance: 0.85,
        said: [
            r"\b(?i:i'm|i am|im|i work as|my (?:job title|title|role|profession|occupation) is|as)\s+(?i:currently |now )?(?i:an?|the)?\s*([\w/&-]+(?: [\w/&-]+){0,4}?)(?i:\s+(?:at|of|in|for|with|and|who|from|based|by|but|working|specializing)\b|,|\.|$)",
            r"(?:私は|僕は|仕事は|職業は|の)?、?([^はがを、。の]{2,14}?)(?:です|をしています|をして|をやって|として働|で、|なので)",
            r"(?:我是|我的职业是|我做|我在[^，。]{2,12}(?:做|当|担任))(?:一名|一个|一位|个|名)?([\p{Han}A-Za-z]{2,10}?)(?:，|。|,|的|$)",
        ],
    },
    Family {
        names: &["name", "nickname"],
        slot: "name",
        importance: 0.9,
        said: [
            r"\b(?i:my (?:full |first )?name(?:'s| is)|i'm called|i am called|i go by)\s+(\p{Lu}[\p{L}.'-]+(?: \p{Lu}[\p{L}.'-]+){0,2})",
            r"(?:名前は|私は|本名は|^)、?([^はがを、。]{1,12}?)(?:です|といいます|と言います|と申します)",
            r"(?:我叫|我的名字是|我的名字叫|我姓名是)([\p{Han}A-Za-z· ]{2,12}?)(?:，|。|,|$)",
        ],
    },
];

static SAID: LazyLock<Vec<[Regex; 3]>> = LazyLock::new(|| {
    FAMILIES
        .iter()
        .map(|family| {
            family
                .said
                .map(|pattern| Regex::new(pattern).expect("a written pattern"))
        })
        .collect()
});

/// Fields of these names are about something else than the user: `project_name`, `favorite_city`.
const ANOTHERS: &[&str] = &[
    "project",
    "product",
    "pet",
    "dog",
    "cat",
    "team",
    "manager",
    "partner",
    "spouse",
    "child",
    "file",
    "campaign",
    "favorite",
    "favourite",
    "birth",
    "target",
    "desired",
    "dream",
    "previous",
    "former",
    "last",
    "event",
    "user2",
    "school",
    "brand",
    "game",
];

pub(super) fn text(target: &Target<'_>, saying: &Saying<'_>) -> Option<Read> {
    if target.is_named(ANOTHERS) || saying.has(Signal::Question) && !saying.asks {
        return None;
    }
    let (at, family) = FAMILIES
        .iter()
        .enumerate()
        .find(|(_, family)| target.is_named(family.names))?;
    // "company_name" is no name of a person: the first family that fits counts, and names stand last.
    let fills = slot::name(saying.text, saying.language, "fact", false);
    if fills.as_deref() != Some(family.slot) {
        return None;
    }
    let captures = SAID[at][saying.language as usize].captures(saying.text)?;
    let value = captures
        .get(1)?
        .as_str()
        .trim()
        .trim_end_matches(['.', ',', '。', '、']);
    let value = if family.slot == "role" {
        role(value, saying.language)
    } else {
        value.to_owned()
    };
    (!value.is_empty()).then(|| Read {
        phrase: value.clone(),
        value: Value::String(value),
        confidence: STATED,
        importance: family.importance,
    })
}

/// 「StartupCorpのCTO」 -> 「CTO」; "freelance designer" stays.
fn role(value: &str, language: Language) -> String {
    match language {
        Language::Japanese => value.rsplit('の').next().unwrap_or(value).to_owned(),
        Language::Chinese => value.rsplit('的').next().unwrap_or(value).to_owned(),
        Language::English => value.trim_start_matches("a ").to_owned(),
    }
}

static AGE: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(?:i'm|i am|im|i just turned|i turned|i'm turning)\s+(\d{1,2})(?:\s+years?[ -]old\b|\s*$|,| and\b)",
        r"(\d{1,2})(?:歳|才)(?:です|の|で|になり|に)",
        r"我(?:今年|现在|刚满|已经)?(\d{1,2})岁",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

static YEARS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(\d{1,2})\+?\s+years?(?:'|s')?\s+(?:of\s+)?(?:\w+\s+){0,2}experience\b",
        r"(?:経験(?:は|が)?(\d{1,2})年|(\d{1,2})年(?:の|間の)?経験)",
        r"(\d{1,2})年(?:的)?[\p{Han}A-Za-z]{0,8}经验",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

pub(super) fn number(target: &Target<'_>, saying: &Saying<'_>) -> Option<Read> {
    if target.is_named(ANOTHERS) {
        return None;
    }
    let patterns = if target.name == ["age"] || target.name == ["user", "age"] {
        &AGE
    } else if target.is_named(&["experience"]) && target.is_named(&["years", "year"]) {
        &YEARS
    } else {
        return None;
    };
    let captures = patterns[saying.language as usize].captures(saying.text)?;
    let digits = (1..captures.len()).find_map(|group| captures.get(group))?;
    let value: u32 = digits.as_str().parse().ok()?;
    Some(Read {
        value: json!(value),
        confidence: STATED,
        importance: 0.75,
        phrase: captures.get(0)?.as_str().trim().to_owned(),
    })
}
