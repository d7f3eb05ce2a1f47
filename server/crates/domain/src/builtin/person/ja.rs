//! 「私は…が好きです」 -> 「ユーザーは…が好き」

use super::super::words;

pub(super) fn turn(quote: &str, preference: bool, situation: bool) -> Option<String> {
    let text = opened(quote);
    let (user, text) = with_subject(text, preference, situation);
    let text = plain(&others(&text));
    let turned = format!("{user}{text}");
    let speaks = ["私", "僕", "俺", "弊社", "当社", "わたし", "ぼく"]
        .iter()
        .any(|word| strangers(&turned).contains(word));
    // Named twice as who the sentence is about, or, after 「うちでは」, not at all: it would not read as written by a person.
    let named = turned.matches("ユーザーは").count() + turned.matches("ユーザーが、").count();
    let lost = turned.starts_with("うち");
    (!speaks && named < 2 && !lost).then_some(turned)
}

/// Without its openings; a word that only begins like one stays: 「あとで」, 「メモは」, 「まあまあ」, 「なおみ」.
fn opened(quote: &str) -> &str {
    const SHORT: [&str; 5] = ["あと", "メモ", "まあ", "なお", "一応"];
    const PEOPLE: [&str; 4] = ["わたし", "ぼく", "おれ", "うち"];
    let mut text = quote;
    loop {
        let only_begins = SHORT.iter().any(|opening| {
            text.strip_prefix(opening).is_some_and(|rest| {
                rest.starts_with(|c: char| ('ぁ'..='ん').contains(&c) || c.is_numeric())
                    && !PEOPLE.iter().any(|who| rest.starts_with(who))
            })
        });
        if only_begins {
            return text;
        }
        let Some(opening) = words::ja("openings")
            .iter()
            .find(|opening| text.starts_with(**opening))
        else {
            return text;
        };
        let rest = text[opening.len()..].trim_start_matches([' ', ',', '、', '，', ':', '：', '—']);
        if rest.is_empty() {
            return text;
        }
        text = rest;
    }
}

fn with_subject(text: &str, preference: bool, situation: bool) -> (String, String) {
    for subject in words::ja("subjects") {
        if let Some(rest) = text.strip_prefix(subject) {
            let particle = if subject.ends_with('が') {
                "が"
            } else if subject.ends_with('も') {
                "も"
            } else {
                "は"
            };
            return (
                format!("ユーザー{particle}"),
                rest.trim_start_matches(['、', ' ', '，']).to_owned(),
            );
        }
    }
    if let Some(moved) = behind_an_opening(text) {
        return moved;
    }
    let first_person = [
        "私",
        "僕",
        "俺",
        "弊社",
        "当社",
        "我が社",
        "うち",
        "我々",
        "わたし",
        "ぼく",
    ];
    if first_person
        .iter()
        .any(|word| text.starts_with(word) && strangers(text) == text)
    {
        return (String::new(), text.to_owned());
    }
    let belongs = words::ja("belongings").iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| {
            word.ends_with('な')
                || rest.starts_with(['は', 'が', 'の', 'も'])
                || rest.starts_with('と')
        })
    });
    if belongs {
        return ("ユーザーの".to_owned(), text.to_owned());
    }
    // 「コード例は…」 has a topic of its own; the comma keeps the two apart.
    let topic = text.char_indices().take(14).any(|(at, c)| {
        c == 'は' && at > 0 && !text[..at].ends_with('で') && !text[..at].ends_with('に')
    });
    if topic && situation && !preference {
        return (String::new(), text.to_owned());
    }
    (
        if topic {
            "ユーザーは、"
        } else {
            "ユーザーは"
        }
        .to_owned(),
        text.to_owned(),
    )
}

/// 「最近、私は…」「普段僕は…」 -> 「ユーザーは最近、…」.
fn behind_an_opening(text: &str) -> Option<(String, String)> {
    const WHEN: [&str; 12] = [
        "今",
        "普段",
        "最近",
        "現在",
        "時々",
        "いつも",
        "たまに",
        "昔",
        "以前",
        "昨日",
        "今日",
        "正直",
    ];
    let (at, subject) = words::ja("subjects")
        .iter()
        .filter(|subject| subject.ends_with(['は', 'が', 'も']) && !subject.starts_with("うち"))
        .filter_map(|subject| Some((text.find(subject)?, *subject)))
        .min()?;
    let before = &text[..at];
    let clear = before.ends_with('、')
        && before.chars().count() <= 10
        && !before.contains(['は', 'が', 'も'])
        || WHEN.contains(&before);
    let particle = subject.chars().next_back()?;
    let rest = text[at + subject.len()..].trim_start_matches(['、', ' ', '，']);
    clear.then(|| (format!("ユーザー{particle}"), format!("{before}{rest}")))
}

/// Words that hold the signs of the first person but are none.
fn strangers(text: &str) -> String {
    [
        "私立",
        "私服",
        "私有",
        "私的",
        "私鉄",
        "私物",
        "公私",
        "下僕",
        "俺様",
        "私生活",
        "私小説",
    ]
    .iter()
    .fold(text.to_owned(), |text, word| text.replace(word, ""))
}

fn others(text: &str) -> String {
    if strangers(text) != text {
        return text.to_owned();
    }
    let mut text = text.to_owned();
    for (from, to) in [
        ("私たちの会社", "ユーザーの会社"),
        ("私達の会社", "ユーザーの会社"),
        ("私たち", "ユーザーのチーム"),
        ("私達", "ユーザーのチーム"),
        ("僕たち", "ユーザーのチーム"),
        ("僕ら", "ユーザーのチーム"),
        ("我々", "ユーザーのチーム"),
        ("うちの会社", "ユーザーの会社"),
        ("うちのチーム", "ユーザーのチーム"),
        ("弊社", "ユーザーの会社"),
        ("当社", "ユーザーの会社"),
        ("我が社", "ユーザーの会社"),
        ("うちの", "ユーザーの"),
        ("わたし", "ユーザー"),
        ("ぼく", "ユーザー"),
        ("私", "ユーザー"),
        ("僕", "ユーザー"),
        ("俺", "ユーザー"),
    ] {
        text = text.replace(from, to);
    }
    text
}

/// The polite ending of a sentence as the plain one; what follows no rule stays polite.
fn plain(text: &str) -> String {
    let mut text = text
        .trim_end_matches(['。', '！', '!', '～', '〜', '笑', 'w', '♪', ' ', '、'])
        .to_owned();
    if let Some(stem) = text.strip_suffix("と申します") {
        return format!("{stem}という");
    }
    // The humble forms of いる.
    if let Some(stem) = text.strip_suffix("おります") {
        text = format!("{stem}います");
    }
    // The end of a clause that was cut from the rest: 「シングルファザーで」.
    if let Some(noun) = text.strip_suffix('で')
        && noun.ends_with(|c: char| is_kanji(c) || ('\u{30a1}'..='\u{30fc}').contains(&c))
    {
        return noun.to_owned();
    }
    for end in [
        "んですけどね",
        "んですけど",
        "んですが",
        "のですが",
        "ですけど",
        "ですが",
        "んですよね",
        "んですよ",
        "のです",
        "んです",
        "んだよね",
        "んだけど",
        "んだよ",
        "んだ",
    ] {
        if let Some(rest) = text.strip_suffix(end) {
            // 「住んだ」「飲んだ」 are pasts.
            if end == "んだ" && !rest.ends_with(['る', 'い', 'な', 'た']) {
                continue;
            }
            let rest = rest.strip_suffix('な').unwrap_or(rest);
            return rest.to_owned();
        }
    }
    while let Some(rest) = ["よね", "よ", "ね", "わ", "のよ"]
        .iter()
        .find_map(|end| text.strip_suffix(end))
    {
        if !rest.ends_with(['す', 'だ', 'る', 'い', 'た', 'う', 'く']) {
            break;
        }
        text = rest.to_owned();
    }
    for (end, to) in [
        ("ないでください", "ないでほしい"),
        ("ないで下さい", "ないでほしい"),
        ("てください", "てほしい"),
        ("て下さい", "てほしい"),
        ("でください", "でほしい"),
        ("てほしいです", "てほしい"),
        ("でお願いします", "でと希望"),
        ("でお願いいたします", "でと希望"),
        ("をお願いします", "を希望"),
        ("お願いします", "と希望"),
        ("ではありませんでした", "ではなかった"),
        ("じゃありませんでした", "ではなかった"),
        ("ありませんでした", "なかった"),
        ("ませんでした", ""),
        ("でございます", ""),
        ("ではありません", "ではない"),
        ("じゃありません", "ではない"),
        ("じゃないです", "ではない"),
        ("ありません", "ない"),
        ("でした", "だった"),
        ("ました", ""),
        ("ません", ""),
        ("ます", ""),
        ("です", ""),
        ("だ", ""),
    ] {
        let Some(stem) = text.strip_suffix(end) else {
            continue;
        };
        return match end {
            "ました" => past(stem),
            "ません" => negative(stem),
            "ませんでした" => match negative(stem).strip_suffix("ない") {
                Some(base) => format!("{base}なかった"),
                None => text,
            },
            "ます" => dictionary(stem),
            "だ" if stem.ends_with(['ん', 'い']) => continue,
            _ => format!("{stem}{to}"),
        };
    }
    text
}

const E_ROW: &[char] = &[
    'え', 'け', 'げ', 'せ', 'ぜ', 'て', 'で', 'ね', 'へ', 'べ', 'め', 'れ',
];

fn is_kanji(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// 来, する, いる and the verbs of one step; `None` for the five-step ones.
fn irregular(stem: &str) -> Option<&str> {
    if stem.ends_with("てい")
        || stem.ends_with("でい")
        || [
            "がい", "にい", "はい", "もい", "人い", "匹い", "頭い", "名い", "くい",
        ]
        .iter()
        .any(|end| stem.ends_with(end))
        || stem == "い"
    {
        return Some("る");
    }
    (words::ja("one-step verbs")
        .iter()
        .any(|end| stem.ends_with(end))
        || stem.ends_with(E_ROW))
    .then_some("る")
}

fn is_suru(stem: &str) -> bool {
    let Some(before) = stem.strip_suffix('し') else {
        return false;
    };
    let mut back = before.chars().rev();
    match back.next() {
        // 話します, 出します have one kanji; 勉強します two.
        Some(c) if is_kanji(c) => back.next().is_some_and(is_kanji),
        Some('り' | 'か' | 'ま' | 'ば' | 'ら' | 'わ' | 'さ' | 'や' | 'な' | 'ご') => {
            false
        }
        _ => true,
    }
}

fn shift(stem: &str, rows: [char; 9]) -> Option<String> {
    const I_ROW: [char; 9] = ['い', 'き', 'ぎ', 'し', 'ち', 'に', 'び', 'み', 'り'];
    let last = stem.chars().last()?;
    let at = I_ROW.iter().position(|c| *c == last)?;
    Some(format!(
        "{}{}",
        &stem[..stem.len() - last.len_utf8()],
        rows[at]
    ))
}

fn dictionary(stem: &str) -> String {
    if let Some(end) = irregular(stem) {
        return format!("{stem}{end}");
    }
    // いらっしゃる, おっしゃる, なさる, くださる.
    if let Some(base) = stem.strip_suffix('い')
        && ["っしゃ", "なさ", "くださ", "ござ"]
            .iter()
            .any(|end| base.ends_with(end))
    {
        return format!("{base}る");
    }
    if is_suru(stem) {
        return format!("{}する", stem.trim_end_matches('し'));
    }
    if stem.ends_with('来') {
        return format!("{stem}る");
    }
    // 「勉強してます」
    if stem.ends_with('て') {
        return format!("{stem}る");
    }
    shift(stem, ['う', 'く', 'ぐ', 'す', 'つ', 'ぬ', 'ぶ', 'む', 'る'])
        .unwrap_or_else(|| format!("{stem}ます"))
}

fn negative(stem: &str) -> String {
    if irregular(stem).is_some() {
        return format!("{stem}ない");
    }
    if is_suru(stem) {
        return format!("{stem}ない");
    }
    shift(stem, ['わ', 'か', 'が', 'さ', 'た', 'な', 'ば', 'ま', 'ら'])
        .map_or_else(|| format!("{stem}ません"), |stem| format!("{stem}ない"))
}

fn past(stem: &str) -> String {
    if irregular(stem).is_some() || stem.ends_with('し') || stem.ends_with('来') {
        return format!("{stem}た");
    }
    let Some(last) = stem.chars().last() else {
        return stem.to_owned();
    };
    let base = &stem[..stem.len() - last.len_utf8()];
    match last {
        'き' if base.ends_with('行') => format!("{base}った"),
        'き' => format!("{base}いた"),
        'ぎ' => format!("{base}いだ"),
        'い' | 'ち' | 'り' => format!("{base}った"),
        'に' | 'び' | 'み' => format!("{base}んだ"),
        _ => format!("{stem}ました"),
    }
}

#[cfg(test)]
mod tests;
