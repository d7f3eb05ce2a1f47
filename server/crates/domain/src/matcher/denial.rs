//! What a statement would say without its denial: "no longer likes" and "likes" are about the same thing.
//!
//! Grammar moves letters when it denies ("does not use" and "uses", 働いていない and 働いている), so both sides of a comparison are
//! brought to one form. That form is for comparing only; it need not be a word.

use crate::text::{is_han, is_hiragana, is_katakana};

/// A statement without its denials.
pub(super) struct Affirmed {
    words: Vec<String>,
    /// Where a verb stands whose form the denial changed.
    verb: Option<usize>,
}

impl Affirmed {
    /// Of a statement in normal form.
    pub(super) fn new(normal: &str) -> Self {
        let text = if normal.chars().any(|c| is_hiragana(c) || is_katakana(c)) {
            japanese(normal)
        } else if normal.chars().any(is_han) {
            chinese(normal)
        } else {
            return english(normal);
        };
        Self {
            words: vec![text],
            verb: None,
        }
    }

    /// The texts of two to be compared: the verbs that a denial changed are the roots of both.
    pub(super) fn beside(&self, other: &Self) -> (String, String) {
        let verbs = [self.verb, other.verb];
        let text = |words: &[String]| -> String {
            let words: Vec<&str> = words
                .iter()
                .enumerate()
                .map(|(at, word)| {
                    if verbs.contains(&Some(at)) {
                        root(word)
                    } else {
                        word
                    }
                })
                .collect();
            words.join(" ")
        };
        (text(&self.words), text(&other.words))
    }
}

const ENGLISH: &[&str] = &[
    "not", "no", "never", "none", "nothing", "nobody", "without", "neither", "nor", "cannot",
    "cant", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "wont", "wouldnt",
    "shouldnt", "couldnt", "hasnt", "havent", "hadnt", "dislikes", "dislike", "hates", "hate",
    "avoids", "stopped", "stops", "quit", "quits", "ceased",
];

const ASIAN: &[&str] = &[
    "ない",
    "なくな",
    "ません",
    "ずに",
    "嫌い",
    "苦手",
    "やめ",
    "を止め",
    "を辞め",
    "不",
    "没",
    "沒",
    "无",
    "別に",
    "别",
    "讨厌",
    "討厭",
    "非",
    "停止",
    "放弃",
];

/// What holds a word of denial and denies nothing.
const NO_DENIAL: &[&str] = &[
    "なければならない",
    "なければなりません",
    "なければいけない",
    "なくてはならない",
    "かもしれない",
    "しかない",
    "少ない",
    "危ない",
    "非常",
    "特别",
    "特別",
    "区别",
    "级别",
    "性别",
    "分别",
    "类别",
    "别人",
    "不仅",
    "不但",
    "不错",
    "不断",
    "无论",
    "无线",
];

/// How often a statement in normal form denies something.
pub(super) fn denials(normal: &str) -> usize {
    let words: Vec<&str> = normal.split(' ').collect();
    let single = words.iter().filter(|word| ENGLISH.contains(word)).count();
    let double = words.windows(2).filter(|pair| gives_up(pair)).count();
    let only = words
        .windows(2)
        .filter(|pair| matches!(pair, ["not", "only"]))
        .count();
    let mut bare = normal.to_owned();
    for word in NO_DENIAL {
        bare = bare.replace(word, " ");
    }
    let asian: usize = ASIAN.iter().map(|word| bare.matches(word).count()).sum();
    single + double + asian - only
}

fn gives_up(pair: &[&str]) -> bool {
    matches!(pair, ["gave" | "gives" | "given", "up"])
}

/// "using", not "king".
fn is_gerund(word: &str) -> bool {
    word.len() >= 5 && word.ends_with("ing")
}

fn english(normal: &str) -> Affirmed {
    let words: Vec<&str> = normal.split(' ').collect();
    let mut out: Vec<&str> = Vec::with_capacity(words.len());
    let mut verb = None;
    let mut at = 0;
    while at < words.len() {
        let word = words[at];
        let next = words.get(at + 1).copied().unwrap_or_default();
        let last = at + 2 >= words.len();
        at += 1;
        match (word, next) {
            ("no" | "not" | "any", "longer") | ("at", "all") => at += 1,
            ("any", "more") if last => at += 1,
            ("do" | "does" | "did", next) if ENGLISH.contains(&next) => verb = Some(out.len()),
            ("dont" | "doesnt" | "didnt", _) => verb = Some(out.len()),
            ("stopped" | "stops" | "quit" | "quits" | "ceased", next) if is_gerund(next) => {
                ceases(&mut out);
                verb = Some(out.len());
            }
            ("gave" | "gives" | "given", "up") => {
                at += 1;
                if words.get(at).is_some_and(|next| is_gerund(next)) {
                    ceases(&mut out);
                    verb = Some(out.len());
                }
            }
            (word, _) => out.extend(plain(word)),
        }
    }
    // "is using" says what "uses" says.
    if let Some(be) = out.windows(2).position(|pair| {
        matches!(pair[0], "is" | "are" | "am" | "was" | "were") && is_gerund(pair[1])
    }) {
        out.remove(be);
        verb = Some(be);
    }
    let words = out.into_iter().map(singular).map(str::to_owned).collect();
    Affirmed { words, verb }
}

/// "has stopped": the "has" belongs to what is dropped.
fn ceases(out: &mut Vec<&str>) {
    if out.last() == Some(&"have") {
        out.pop();
    }
}

/// The word that stands where nothing is denied; none where there is no such word.
fn plain(word: &str) -> Option<&str> {
    Some(match word {
        "a" | "an" | "the" | "any" | "anymore" | "now" | "currently" | "already" | "still"
        | "ever" | "even" | "really" => return None,
        "isnt" => "is",
        "arent" => "are",
        "wasnt" => "was",
        "werent" => "were",
        "wont" => "will",
        "wouldnt" => "would",
        "shouldnt" => "should",
        "couldnt" => "could",
        "cant" | "cannot" => "can",
        "has" | "hasnt" | "havent" => "have",
        "hadnt" => "had",
        "does" => "do",
        "without" => "with",
        "dislike" | "dislikes" | "hate" | "hates" => "like",
        word if ENGLISH.contains(&word) => return None,
        word => word,
    })
}

/// "does not eat" and "eats" differ by a letter that grammar moves.
fn singular(word: &str) -> &str {
    word.strip_suffix('s')
        .filter(|stem| stem.len() > 2)
        .unwrap_or(word)
}

/// What the forms of a verb have in common: "us" of "use", "uses" and "using".
pub(super) fn root(word: &str) -> &str {
    if !word.is_ascii() {
        return word;
    }
    let mut root = word;
    loop {
        let shorter = [
            ("ing", 2),
            ("ed", 3),
            ("s", 2),
            ("e", 2),
            ("y", 3),
            ("i", 3),
        ]
        .iter()
        .find_map(|(ending, least)| {
            root.strip_suffix(ending)
                .filter(|stem| stem.len() >= *least)
        });
        let bytes = root.as_bytes();
        let doubled = bytes.len() > 3 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
        root = match shorter {
            _ if doubled => &root[..root.len() - 1],
            Some(shorter) => shorter,
            None => return root,
        };
    }
}

fn japanese(normal: &str) -> String {
    let mut text = normal.to_owned();
    for filler in [
        "もう",
        "もはや",
        "現在は",
        "今は",
        "現在",
        "全く",
        "まったく",
        "全然",
        "あまり",
    ] {
        text = text.replace(filler, "");
    }
    text = predicate(&text);
    for (denied, said) in [
        ("ていない", "ている"),
        ("ではない", ""),
        ("じゃない", ""),
        ("が嫌い", "が好き"),
        ("べない", "べる"),
        ("まない", "む"),
        ("わない", "う"),
        ("らない", "る"),
        ("には", "に"),
        ("では", "で"),
        // What is denied becomes the topic: コーヒーが好き, コーヒーは好きではない.
        ("は", "が"),
        ("を", "が"),
    ] {
        text = text.replace(denied, said);
    }
    text
}

/// A statement that ends in one form of its predicate, whether that was denied, polite, going on or given up.
pub(super) fn predicate(text: &str) -> String {
    let replaced = |text: &str, table: &[(&str, &str)]| {
        table
            .iter()
            .find_map(|(ending, plain)| Some(format!("{}{plain}", text.strip_suffix(ending)?)))
    };
    let mut text = text.to_owned();
    for gone in [
        "やめた",
        "やめました",
        "やめている",
        "やめる",
        "止めた",
        "辞めた",
    ] {
        let before = text.strip_suffix(gone);
        let doing = before.and_then(|before| {
            ["のを", "のは", "ことを"]
                .iter()
                .find_map(|particle| before.strip_suffix(particle))
        });
        if let Some(doing) = doing {
            text = doing.to_owned();
            break;
        }
    }
    if let Some(before) = replaced(&text, &[("なくなりました", "ない"), ("なくなった", "ない")])
    {
        text = before;
    }
    let noun = [
        ("ではありません", ""),
        ("じゃありません", ""),
        ("ではない", ""),
        ("じゃない", ""),
        ("くありません", "い"),
        ("くない", "い"),
        ("がありません", "がある"),
        ("はありません", "がある"),
        ("がない", "がある"),
        ("はない", "がある"),
        ("嫌い", "好き"),
        ("苦手", "得意"),
    ];
    let verb = [
        ("てない", "てい"),
        ("んでない", "んでい"),
        ("でない", ""),
        ("ません", ""),
        ("ます", ""),
        ("ない", ""),
    ];
    text = replaced(&text, &noun)
        .or_else(|| replaced(&text, &verb))
        .unwrap_or(text);
    if let Some(stem) = ["る", "ら", "り"]
        .iter()
        .find_map(|ending| text.strip_suffix(ending))
    {
        text = stem.to_owned();
    }
    let going_on = [
        ("ってい", "う"),
        ("してい", "す"),
        ("いてい", "く"),
        ("んでい", "む"),
        ("いでい", "ぐ"),
        ("てい", ""),
    ];
    text = replaced(&text, &going_on).unwrap_or(text);
    // 飲ま(ない), 飲み(ます) and 飲む.
    let rows = [
        ("わいあ", 'う'),
        ("かき", 'く'),
        ("がぎ", 'ぐ'),
        ("さし", 'す'),
        ("たち", 'つ'),
        ("なに", 'ぬ'),
        ("ばび", 'ぶ'),
        ("まみ", 'む'),
    ];
    if let Some(last) = text.pop() {
        let row = rows.iter().find(|(row, _)| row.contains(last));
        text.push(row.map_or(last, |(_, plain)| *plain));
    }
    text
}

fn chinese(normal: &str) -> String {
    let mut text = normal.strip_suffix('了').unwrap_or(normal).to_owned();
    for (denied, said) in [
        ("现在", ""),
        ("目前", ""),
        ("已经", ""),
        ("已不", "不"),
        ("不再", ""),
        ("停止", ""),
        ("放弃", ""),
        ("没有", "有"),
        ("没", ""),
        ("讨厌", "喜欢"),
        ("不", ""),
        ("使用", "用"),
    ] {
        text = text.replace(denied, said);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_verb_have_one_root() {
        for forms in [
            ["use", "uses", "using"],
            ["run", "runs", "running"],
            ["watch", "watches", "watching"],
            ["study", "studies", "studying"],
            ["need", "needs", "needing"],
            ["pause", "pauses", "pausing"],
            ["go", "goes", "going"],
            ["call", "calls", "calling"],
            ["play", "plays", "playing"],
        ] {
            for form in forms {
                assert_eq!(root(form), root(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn a_japanese_predicate_has_one_form() {
        for forms in [
            ["飲む", "飲まない", "飲んでいない"],
            ["食べる", "食べません", "食べなくなった"],
            ["分かる", "分からない", "分かりません"],
            ["高い", "高くない", "高くありません"],
            ["使う", "使わない", "使うのをやめた"],
            ["する", "しない", "していない"],
            ["好き", "好きではない", "好きではなくなった"],
            ["起きる", "起きない", "起きません"],
        ] {
            for form in forms {
                assert_eq!(predicate(form), predicate(forms[0]), "{form}");
            }
        }
    }
}
