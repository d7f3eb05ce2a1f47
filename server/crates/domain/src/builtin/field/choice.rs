//! Enum and boolean fields: a label is found by its words, said of the user.

use serde_json::Value;

use super::{Read, Saying, Target};
use crate::builtin::{language::Language, signal::Signal, slot, words};

/// Said outright: "I'm a student".
const STATED: f64 = 0.9;
/// Said by the way, in a question: "courses for students".
const IMPLIED: f64 = 0.78;
/// A label nobody knows, beside a word of the field's name.
const BESIDE_ITS_NAME: f64 = 0.72;
const IMPORTANCE: f64 = 0.7;

pub(super) fn read(
    target: &Target<'_>,
    saying: &Saying<'_>,
    values: &[Value],
    many: bool,
) -> Option<Read> {
    let mut found: Vec<(&Value, f64, String)> = values
        .iter()
        .filter_map(|value| {
            let label = value.as_str()?;
            let (confidence, phrase) = says(target, saying, label)?;
            Some((value, confidence, phrase))
        })
        .collect();
    // "PhD student" says more than "student".
    found.sort_by(|left, right| {
        right
            .1
            .total_cmp(&left.1)
            .then(right.2.chars().count().cmp(&left.2.chars().count()))
    });
    let (value, confidence, phrase) = found.first()?.clone();
    Some(Read {
        value: if many {
            found.iter().map(|(value, _, _)| (*value).clone()).collect()
        } else {
            value.clone()
        },
        confidence,
        importance: IMPORTANCE,
        phrase,
    })
}

/// How sure `saying` says `label` of the user, and by which words.
fn says(target: &Target<'_>, saying: &Saying<'_>, label: &str) -> Option<(f64, String)> {
    let label = normal(label);
    if words::en("empty labels").contains(&label.as_str()) || label.is_empty() {
        return None;
    }
    let known = known(&label);
    let here = words::of(saying.language);
    if let Some(known) = known {
        let whole = here.items(&format!("says {known}")).find(|phrase| {
            place(saying, phrase).is_some_and(|at| {
                !undone(&saying.folded[at + phrase.trim().len()..], saying.language)
            })
        });
        if let Some(phrase) = whole {
            return Some((STATED, phrase.trim().to_owned()));
        }
        let employed = known == "employed"
            && slot::name(saying.text, saying.language, "fact", false).as_deref()
                == Some("employer");
        if employed && !saying.asks && !undone(&saying.folded, saying.language) {
            return Some((STATED, saying.text.to_owned()));
        }
    }
    let mut nouns: Vec<&str> = known
        .map(|known| here.items(&format!("label {known}")).collect())
        .unwrap_or_default();
    nouns.push(&label);
    nouns.sort_by_key(|noun| std::cmp::Reverse(noun.len()));
    for noun in nouns {
        if let Some(confidence) = framed(saying, noun) {
            return Some((confidence, noun.to_owned()));
        }
    }
    let style = saying.has(Signal::FirstPerson)
        || saying.has(Signal::Standing)
        || saying.has(Signal::Taste)
        || saying.has(Signal::Answering);
    (style && !saying.asks && beside_its_name(target, saying, &label, known))
        .then_some((BESIDE_ITS_NAME, label))
}

/// What follows takes it back or wishes for it: 「会社で働いていません」「会社で働きたい」, and 「働いていました」 is over.
fn undone(after: &str, language: Language) -> bool {
    let clause = after
        .split(['、', '。', '，', '！'])
        .next()
        .unwrap_or_default();
    language == Language::Japanese
        && [
            "いません",
            "いない",
            "いなか",
            "ていた",
            "でいた",
            "ていまし",
            "でいまし",
            "たい",
            "たかった",
        ]
        .iter()
        .any(|word| clause.contains(word))
}

/// `full_time-Student` -> "full time student".
fn normal(label: &str) -> String {
    label
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The name of the list of labels that mean the same, in whatever language the label is written.
fn known(label: &str) -> Option<&'static str> {
    let names = words::of(Language::English).named("label ");
    let by_name = names.map(|(name, _)| name).find(|name| *name == label);
    by_name.or_else(|| {
        Language::ALL.into_iter().find_map(|language| {
            words::of(language)
                .named("label ")
                .find(|(_, words)| words.contains(&label))
                .map(|(name, _)| name)
        })
    })
}

/// Where `phrase` stands in `saying`; in English only as whole words.
fn place(saying: &Saying<'_>, phrase: &str) -> Option<usize> {
    match saying.language {
        Language::English => saying.folded.find(&format!(" {} ", phrase.trim())),
        _ => saying.folded.find(phrase.trim()),
    }
}

/// How sure `noun` is said of the user, where it is.
fn framed(saying: &Saying<'_>, noun: &str) -> Option<f64> {
    match saying.language {
        Language::English => english(saying, noun),
        Language::Japanese => japanese(saying, noun),
        Language::Chinese => chinese(saying, noun),
    }
}

fn english(saying: &Saying<'_>, noun: &str) -> Option<f64> {
    let words: Vec<&str> = saying.folded.split_whitespace().collect();
    let wanted: Vec<&str> = noun.split_whitespace().collect();
    let same = |word: &str, wanted: &str| word == wanted || word.strip_suffix('s') == Some(wanted);
    let at = words.windows(wanted.len()).position(|window| {
        window
            .iter()
            .zip(&wanted)
            .all(|(word, wanted)| same(word, wanted))
    })?;
    let before = &words[..at];
    let negated = before.iter().any(|word| {
        matches!(
            *word,
            "not" | "never" | "longer" | "isn't" | "was" | "wasn't" | "former" | "used"
        )
    });
    if negated {
        return None;
    }
    // What follows makes another noun of it, or another meaning: "student loans officer" is none, and who is working on an essay
    // may have no employer.
    let last = wanted.last().copied().unwrap_or_default();
    let goes_on = words.get(at + wanted.len()).is_some_and(|next| {
        words::en("label goes on").contains(next)
            || words::en(&format!("after {last}")).contains(next)
    });
    if goes_on {
        return None;
    }
    for (steps, word) in before.iter().rev().enumerate() {
        if matches!(*word, "i'm" | "im" | "as" | "being" | "we're") {
            return Some(STATED);
        }
        if *word == "am" || *word == "are" && before.contains(&"we") {
            return Some(STATED);
        }
        if matches!(*word, "for" | "to") && saying.asks {
            let own = before
                .iter()
                .any(|word| words::en("asked for oneself").contains(word));
            return own.then_some(IMPLIED);
        }
        let passes = steps < 4 && !words::en("label borders").contains(word);
        if !passes {
            return None;
        }
    }
    None
}

fn japanese(saying: &Saying<'_>, noun: &str) -> Option<f64> {
    let at = saying.folded.rfind(noun)?;
    let after = saying.folded[at + noun.len()..].trim_start();
    let no = [
        "ではな",
        "じゃな",
        "ではあり",
        "じゃあり",
        "でした",
        "だった",
        "でない",
        "をしていた",
        "をしていまし",
        "をやっていた",
        "をやっていまし",
        "として働いていた",
        "として働いていまし",
        "の頃",
        "時代",
        "のとき",
        "の時",
    ];
    if no.iter().any(|end| after.starts_with(end)) {
        return None;
    }
    let ties = [
        "です",
        "だ",
        "で、",
        "で,",
        "なので",
        "なん",
        "として",
        "をして",
        "をやって",
        "の身",
        "なのです",
        "中",
        "ですが",
        "ですけど",
        "でして",
        "やってます",
    ];
    if after.is_empty() && !saying.asks || ties.iter().any(|tie| after.starts_with(tie)) {
        return Some(STATED);
    }
    let meant = [
        "向け",
        "におすすめ",
        "でも",
        "のため",
        "に合",
        "が使える",
        "にお勧め",
        "に人気",
        "割",
    ];
    (saying.asks || saying.has(Signal::Request))
        .then(|| meant.iter().any(|word| after.starts_with(word)))
        .filter(|meant| *meant)
        .map(|_| IMPLIED)
}

fn chinese(saying: &Saying<'_>, noun: &str) -> Option<f64> {
    let at = saying.folded.rfind(noun)?;
    let before = &saying.folded[..at];
    let after = &saying.folded[at + noun.len()..];
    // 学生的家长, 全职妈妈 and 在职业… are something else.
    let other = after
        .strip_prefix('的')
        .is_some_and(|rest| rest.starts_with(char::is_alphabetic))
        || noun == "全职"
            && ["妈", "爸", "太太", "主妇", "在家带"]
                .iter()
                .any(|word| after.starts_with(word))
        || noun == "在职" && after.starts_with('业');
    if other {
        return None;
    }
    let no = [
        "不是",
        "曾经",
        "以前是",
        "不再是",
        "不算",
        "没有",
        "还不是",
        "教",
        "给学",
    ];
    if no.iter().any(|word| before.contains(word)) {
        return None;
    }
    let openings = [
        "我是",
        "我还是",
        "我只是",
        "作为",
        "身为",
        "本人",
        "我目前",
        "我现在",
        "我们是",
        "我属于",
        "我正",
        "我一直是",
        "我已经",
        "我也是",
    ];
    let opening = openings
        .iter()
        .filter_map(|opening| {
            before
                .rfind(opening)
                .map(|at| &before[at + opening.len()..])
        })
        .min_by_key(|rest| rest.len());
    if let Some(rest) = opening
        && rest.chars().count() <= 12
    {
        return Some(STATED);
    }
    // 学生一枚, 在读研究生.
    if before.is_empty() && !saying.asks && saying.folded.chars().count() <= 12 {
        return Some(STATED);
    }
    let meant = ["适合", "给", "面向", "针对", "为"]
        .iter()
        .any(|word| before.trim_end_matches(['我', '们', '像']).ends_with(word));
    (meant && (saying.asks || saying.has(Signal::Request))).then_some(IMPLIED)
}

/// "Please contact me by email" with a field `preferred_contact`.
fn beside_its_name(
    target: &Target<'_>,
    saying: &Saying<'_>,
    label: &str,
    known: Option<&'static str>,
) -> bool {
    let here = words::of(saying.language);
    let said = place(saying, label).is_some()
        || known.is_some_and(|known| {
            here.items(&format!("label {known}"))
                .any(|word| place(saying, word).is_some())
        });
    let negated = [" not ", " don't ", " never ", " no "]
        .iter()
        .any(|no| saying.folded.contains(no))
        || ["ない", "ません", "不", "没", "别"]
            .iter()
            .any(|no| saying.language != Language::English && saying.folded.contains(no));
    if !said || negated {
        return false;
    }
    let prefers = target.about.contains("prefer") && saying.has(Signal::Taste);
    let named = target
        .name
        .iter()
        .filter(|word| {
            word.chars().count() >= 4 && !words::en("empty field words").contains(&word.as_str())
        })
        .any(|word| {
            place(saying, word).is_some()
                || here
                    .items(&format!("field {word}"))
                    .any(|word| place(saying, word).is_some())
        });
    prefers || named
}

/// A boolean field: `is_vegetarian`, `has_pets`, `uses_docker`.
pub(super) fn yes_or_no(target: &Target<'_>, saying: &Saying<'_>) -> Option<Read> {
    if saying.asks || saying.has(Signal::Hedge) {
        return None;
    }
    let (verb, rest) = target.name.split_first()?;
    let has = matches!(
        verb.as_str(),
        "has"
            | "have"
            | "owns"
            | "own"
            | "uses"
            | "use"
            | "drives"
            | "speaks"
            | "likes"
            | "drinks"
            | "eats"
    );
    let is = matches!(verb.as_str(), "is" | "am" | "are");
    let noun = if has || is {
        rest.join(" ")
    } else {
        target.name.join(" ")
    };
    if noun.is_empty() {
        return None;
    }
    let known = known(&noun).or_else(|| known(noun.trim_end_matches('s')));
    let here = words::of(saying.language);
    let mut nouns: Vec<&str> = known
        .map(|known| here.items(&format!("label {known}")).collect())
        .unwrap_or_default();
    nouns.push(&noun);
    let (yes, phrase) = nouns.into_iter().find_map(|noun| {
        Some((
            polarity(saying, noun.trim_end_matches('s'), has, verb)?,
            noun,
        ))
    })?;
    Some(Read {
        value: Value::Bool(yes),
        confidence: STATED,
        importance: IMPORTANCE,
        phrase: phrase.to_owned(),
    })
}

fn polarity(saying: &Saying<'_>, noun: &str, has: bool, verb: &str) -> Option<bool> {
    let folded = &saying.folded;
    match saying.language {
        Language::English => {
            let at = folded
                .find(&format!(" {noun} "))
                .or_else(|| folded.find(&format!(" {noun}s ")))?;
            let before = &folded[..at + 1];
            let no = ["not ", "don't ", "no ", "never ", "haven't ", "without "]
                .iter()
                .any(|word| before.contains(&format!(" {word}")));
            let base = verb.trim_end_matches('s');
            let subject = if has {
                [
                    " have ",
                    " own ",
                    " 've got ",
                    " we've got ",
                    " i've got ",
                    format!(" {base} ").as_str(),
                ]
                .iter()
                .any(|verb| before.contains(verb))
                    && saying.has(Signal::FirstPerson)
                    || before.ends_with(" my ")
                    || before.ends_with(" our ")
            } else {
                [" i'm ", " i am ", " im ", " as a ", " as an ", " we're "]
                    .iter()
                    .any(|subject| before.contains(subject))
            };
            subject.then_some(!no)
        }
        Language::Japanese => {
            let at = folded.find(noun)?;
            let after = &folded[at + noun.len()..];
            let no = after.contains("ない") || after.contains("ません");
            let tie = if has {
                ["を", "が", "は", "も"]
                    .iter()
                    .any(|tie| after.starts_with(tie))
                    && ["持", "飼", "い", "使", "あり", "飲", "食", "話"]
                        .iter()
                        .any(|verb| after.contains(verb))
            } else {
                ["です", "だ", "なので", "で、", "では", "じゃ", "なん"]
                    .iter()
                    .any(|tie| after.starts_with(tie))
            };
            tie.then_some(!no)
        }
        Language::Chinese => {
            let at = folded.find(noun)?;
            let before = &folded[..at];
            let no = before.ends_with("没有") || before.contains('不') || before.contains('没');
            let tie = if has {
                ["有", "养", "用", "开", "会", "喜欢", "喝", "吃"]
                    .iter()
                    .any(|verb| before.contains(verb))
            } else {
                before.contains('是')
            };
            (before.contains('我') && tie).then_some(!no)
        }
    }
}
