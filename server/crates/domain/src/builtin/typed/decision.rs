//! An explicit choice: what was decided, why, what it touches, and whether it can be taken back.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, json};

use super::Parts;
use crate::builtin::{language::Language, words};

/// B3: explicit decisions.
const IMPORTANCE: f64 = 0.9;

static REASON: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)(?:,| -| –|;)?\s*\b(?:because of|because|since|so that|due to|given that|as it|as we|as they|as the|in order to|to avoid|to save|to cut|to reduce|after|mainly for|for cost reasons|the reason being|otherwise)\b\s*(.+)$",
        r"^(.+?)(?:ので|ため(?:に)?|から|という理由で|を理由に|を受けて|を考えて|を考慮して|を踏まえて)、?",
        r"(?:因为|由于|鉴于|考虑到)(.+?)(?:，|,|所以|$)|，?(?:主要是|理由是|原因是)(.+)$",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

static ACTION: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        r"(?i)\b(?:decided|chose|agreed|opted|voted|resolved|committed|elected)\s+(?:unanimously |together |today |yesterday |finally |internally )?(?:(?:to|on|that|against|for)\s+)?(.+)$|\b(?:settled on|went with|going with|go with|signed off on|approved|opted for|picked|selected|greenlit|ruled out|decision is|decision was|decision:|verdict is|call is)\s*(?:to |that |on |going with )?(.+)$|\b((?:switched|switching|moved|moving|dropped|dropping|scrapped|scrapping|killed|killing|cancelled|cancelling|canceled|postponed|postponing|sunsetting|stopping|stopped|keeping|hiring|adopting|standardi[sz]ing|phasing out|pausing|paused|discontinuing|outsourcing|rolling back)\b.+)$",
        r"(?:^|、|。|は、?|結果、?|上で、?)?([^、。]+?(?:する|しない|やめる|使う|移す|切り替える|見送る|延期する|採用する|導入する|続ける|変える|統一する|中止する|[うくすつぬむるぐぶ])|[^、。]+?)(?:ことに(?:なりました|なった|しました|した|決めました|決まりました|決定しました|決めた|合意しました|します|決定)|方針(?:に|で|と)(?:決まりました|決めました|しました|なりました|決定しました)|と(?:決めました|決定しました|決めた)|で(?:決まりました|決定しました|合意しました|行くと決めました|決まり)|に(?:決まりました|決定しました|決めました|決めた|決定|切り替えました|変更しました|一本化しました|統一しました)|を(?:決めました|決定しました|採用しました|見送りました|中止しました|廃止しました|延期しました|承認しました|選びました|決定))",
        r"(?:决定了?|敲定|一致同意|同意了?|商定|确定|拍板了?|选定了?|选择了?|定下来|最终|讨论后|商量后|决议)(?:：|:|，)?(?:要|了|是|用)?(.+)$|(?:通过了?|选了)(.+)$|^(.+?)，?(?:已经|就这么|就)?(?:定了|敲定了|拍板了|决定了)$|((?:改用|换成|停掉|砍掉|放弃|采用|不再|转向|取消|推迟|暂停|沿用|统一用).+)$",
    ]
    .map(|pattern| Regex::new(pattern).expect("a written pattern"))
});

static FINAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:irreversibl|no going back|no way back|for good\b|permanently|once and for all|final and)|後戻りでき|元に戻せ|不可逆|取り消せ|不可逆|不能反悔|没有回头|無法撤|无法撤")
        .expect("a written pattern")
});

static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[A-Z][A-Za-z0-9+#.]*[A-Za-z0-9+#](?: [A-Z][A-Za-z0-9+#]+){0,2}|\b[A-Z]\b[+#]*|[\p{Katakana}ー]{3,}|「[^」]{1,30}」|“[^”]{1,30}”|《[^》]{1,30}》")
        .expect("a written pattern")
});

pub(super) fn parts(clause: &str, language: Language) -> Parts {
    let (rest, rationale) = without_reason(clause, language);
    // Where no verb of the list says where the action begins, all of it is the action.
    let action = action(&rest, language).unwrap_or_else(|| without_label(&rest));
    let action = with_its_campaign(&rest, action);
    let entities = entities(&action);
    let mut metadata = Map::new();
    metadata.insert("action".to_owned(), json!(action));
    metadata.insert("rationale".to_owned(), json!(rationale));
    metadata.insert("affected_entities".to_owned(), json!(entities));
    metadata.insert("reversible".to_owned(), json!(!FINAL.is_match(clause)));
    Parts {
        name: Some(action),
        metadata,
        importance: IMPORTANCE,
    }
}

/// "Campaign Gamma moved to …": the campaign that opens the sentence is what the decision is about.
fn with_its_campaign(text: &str, action: String) -> String {
    static OPENS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[Tt]he |[Oo]ur )?((?:[Cc]ampaign [A-Z0-9][\w-]*(?: [A-Z0-9][\w-]*){0,2}|[A-Z][\w-]*(?: [A-Z0-9][\w-]*){0,2} [Cc]ampaign)) (?:is |was |has |has been |will be )?$")
            .expect("a written pattern")
    });
    let opening = text.find(&action).map(|at| &text[..at]);
    match opening.and_then(|opening| OPENS.captures(opening)) {
        Some(found) => format!("{} {action}", &found[1]),
        None => action,
    }
}

/// "Final call: no price increase" -> "no price increase".
fn without_label(text: &str) -> String {
    let said = match text.split_once([':', '：']) {
        Some((label, rest)) if label.chars().count() <= 20 && !rest.trim().is_empty() => rest,
        _ => text,
    };
    trimmed(said)
}

/// The clause without its reason, and the reason: "" where none was said.
fn without_reason(clause: &str, language: Language) -> (String, String) {
    let Some(found) = REASON[language as usize].captures(clause) else {
        return (clause.to_owned(), String::new());
    };
    let (Some(whole), Some(reason)) = (found.get(0), found.get(1).or_else(|| found.get(2))) else {
        return (clause.to_owned(), String::new());
    };
    let rest = format!("{}{}", &clause[..whole.start()], &clause[whole.end()..]);
    let purpose = whole.as_str().trim_start_matches([',', ' ', '-', '–', ';']);
    let reason = match purpose.to_lowercase() {
        // "to save money", "so that nobody waits": the purpose needs its word.
        words
            if words.starts_with("to ")
                || words.starts_with("in order to ")
                || words.starts_with("after ") =>
        {
            purpose
        }
        words
            if words.starts_with("as it")
                || words.starts_with("as we")
                || words.starts_with("as they")
                || words.starts_with("as the") =>
        {
            purpose.get(3..).unwrap_or(purpose)
        }
        _ => reason.as_str(),
    };
    if ACTION[language as usize].is_match(&rest) {
        (rest, trimmed(reason))
    } else {
        (clause.to_owned(), String::new())
    }
}

fn action(text: &str, language: Language) -> Option<String> {
    let found = ACTION[language as usize].captures(text)?;
    let words = (1..found.len())
        .find_map(|group| found.get(group))?
        .as_str();
    let words = super::without_opening(
        trimmed(words).as_str(),
        &[
            "that we will ",
            "that we'll ",
            "that we would ",
            "that we ",
            "we will ",
            "we'll ",
            "to ",
        ],
    )
    .to_owned();
    let bare = words.trim_start_matches(['は', 'が', '、', '，', ' ']);
    let bare = [
        "私たちは",
        "弊社は",
        "チームで",
        "会議で",
        "うちは",
        "結局",
        "最終的に",
        "話し合って",
    ]
    .iter()
    .find_map(|opening| bare.strip_prefix(opening))
    .unwrap_or(bare)
    .trim_start_matches(['、', '，', ' ']);
    (bare.chars().count() >= 2).then(|| bare.to_owned())
}

fn trimmed(text: &str) -> String {
    text.trim_matches(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | '.' | '、' | '。' | '，' | ';' | ':' | '：' | '!' | '！'
            )
    })
    .to_owned()
}

/// Names in the action: with capitals, in katakana, in quotation marks.
fn entities(action: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in NAMED.find_iter(action) {
        let name = name
            .as_str()
            .trim_matches(['「', '」', '“', '”', '《', '》']);
        // "CPA" is what is measured, not what it is measured of.
        let common = words::en("no entity").contains(&name.to_lowercase().as_str())
            || words::en("metric").contains(&name.to_lowercase().as_str())
            || words::ja("no entity").contains(&name);
        if !common && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}
