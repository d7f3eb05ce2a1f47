//! The normal form: two statements with equal normal forms are the same statement.
//!
//! It folds what people vary without meaning anything by it (case, width, punctuation, notation of numbers, "the user prefers" for
//! "user likes") and keeps everything that could mean something: signs, currency, `C++`, emoji, negation.

use super::{fold_case, is_cjk, is_han, is_hiragana, is_katakana, number};

/// The normal form of a statement; empty where it says nothing.
pub fn normal_form(text: &str) -> String {
    let folded = number::rewrite(&fold_case(text));
    let normal = spell_money(&squeeze(&folded));
    let normal = if normal.chars().any(|c| is_hiragana(c) || is_katakana(c)) {
        japanese(&normal)
    } else if normal.chars().any(is_han) {
        chinese(&normal)
    } else {
        english(&normal)
    };
    normal.trim().to_owned()
}

/// Punctuation out, one space between words, none beside a script that has none.
fn squeeze(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |i: Option<usize>| {
        i.and_then(|i| chars.get(i))
            .is_some_and(char::is_ascii_digit)
    };
    let mut out = String::with_capacity(text.len());
    let mut space = false;
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1);
        let kept = match c {
            '\'' | '\u{2018}' | '\u{2019}' | '\u{2BC}' => continue,
            '.' => digit(before) && digit(Some(i + 1)),
            '-' | '\u{2212}' => {
                let opens = before.is_none_or(|b| {
                    chars[b].is_whitespace()
                        || super::is_currency(chars[b])
                        || is_cjk(chars[b])
                        || chars[b] == '('
                });
                opens && digit(Some(i + 1))
            }
            c => !c.is_whitespace() && !is_punctuation(c),
        };
        if !kept {
            space = true;
            continue;
        }
        let c = if c == '\u{2212}' { '-' } else { c };
        let last = out.chars().last();
        if space && last.is_some_and(|last| !is_cjk(last)) && !is_cjk(c) {
            out.push(' ');
        }
        space = false;
        out.push(c);
    }
    out
}

/// Punctuation that says nothing. Signs of money, of comparison and of sums say something, and so do `+ # & @ *`.
fn is_punctuation(c: char) -> bool {
    matches!(c, '!' | '"' | '(' | ')' | ',' | '-' | '.' | '/' | ':' | ';' | '?' | '[' | '\\' | ']' | '_' | '`' | '{' | '|' | '}' | '^'
        | '\u{A1}' | '\u{A7}' | '\u{AB}' | '\u{B6}' | '\u{B7}' | '\u{BB}' | '\u{BF}'
        | '\u{2010}'..='\u{2027}' | '\u{2032}'..='\u{203B}' | '\u{203D}'..='\u{2043}' | '\u{2045}'..='\u{205E}'
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}' | '\u{3030}' | '\u{30FB}' | '\u{A9F}' | '\u{61F}' | '\u{60C}' | '\u{6D4}' | '\u{964}')
}

/// `500 dollars` and `usd 500` are `$500`, `500 yen` is `500円`.
fn spell_money(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let amount = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.ends_with(|c: char| c.is_ascii_digit())
    };
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let (word, next) = (words[at], words.get(at + 1));
        let sign = |word: &str| match word {
            "dollar" | "dollars" | "usd" => Some(("$", "")),
            "euro" | "euros" | "eur" => Some(("€", "")),
            "gbp" => Some(("£", "")),
            "yen" | "jpy" => Some(("", "円")),
            "yuan" | "rmb" | "cny" => Some(("", "元")),
            "percent" => Some(("", "%")),
            _ => None,
        };
        if amount(&word)
            && let Some((before, after)) = next.and_then(|next| sign(next))
        {
            out.push(format!("{before}{word}{after}"));
            at += 2;
        } else if matches!(word, "usd" | "eur" | "gbp" | "jpy" | "rmb" | "cny")
            && let Some(next) = next.filter(|next| amount(next))
            && let Some((before, after)) = sign(word)
        {
            out.push(format!("{before}{next}{after}"));
            at += 2;
        } else {
            out.push(word.to_owned());
            at += 1;
        }
    }
    out.join(" ")
}

/// Replaces the first opening that fits at the border of a word.
fn opening(text: &str, table: &[(&str, &str)]) -> String {
    for (from, to) in table {
        if let Some(rest) = text.strip_prefix(from) {
            return format!("{to}{rest}");
        }
    }
    text.to_owned()
}

fn english(text: &str) -> String {
    let text = opening(
        text,
        &[
            ("the users ", "users "),
            ("this users ", "users "),
            ("my ", "users "),
            ("the user ", "user "),
            ("this user ", "user "),
            ("im ", "user is "),
            ("i am ", "user is "),
            ("ive ", "user has "),
            ("i have ", "user has "),
            ("i do not ", "user doesnt "),
            ("i dont ", "user doesnt "),
            ("i live ", "user lives "),
            ("i work ", "user works "),
            ("i use ", "user uses "),
            ("i need ", "user needs "),
            ("i want ", "user wants "),
            ("i speak ", "user speaks "),
            ("i hate ", "user hates "),
            ("i dislike ", "user dislikes "),
            ("i prefer ", "user likes "),
            ("i like ", "user likes "),
            ("i love ", "user likes "),
            ("i enjoy ", "user likes "),
        ],
    );
    opening(
        &text,
        &[
            ("user does not ", "user doesnt "),
            ("user is not ", "user isnt "),
            ("user did not ", "user didnt "),
            ("user prefers ", "user likes "),
            ("user loves ", "user likes "),
            ("user enjoys ", "user likes "),
            ("user dislikes ", "user doesnt like "),
            ("user doesnt prefer ", "user doesnt like "),
        ],
    )
}

fn japanese(text: &str) -> String {
    let mut text = text.to_owned();
    for person in [
        "ユーザー",
        "ユーザ",
        "利用者",
        "わたし",
        "わたくし",
        "私",
        "ぼく",
        "僕",
        "俺",
        "自分",
    ] {
        if let Some(rest) = text.strip_prefix(person)
            && rest.starts_with(['は', 'の', 'が', 'も'])
        {
            text = format!("ユーザー{rest}");
            break;
        }
    }
    for (ending, plain) in [
        ("を好みます", "が好き"),
        ("を好んでいます", "が好き"),
        ("を好む", "が好き"),
        ("が好きです", "が好き"),
        ("が好きだ", "が好き"),
        ("ています", "ている"),
        ("でいます", "でいる"),
        ("します", "する"),
        ("である", ""),
        ("です", ""),
    ] {
        if let Some(stem) = text.strip_suffix(ending) {
            return format!("{stem}{plain}");
        }
    }
    text
}

fn chinese(text: &str) -> String {
    let mut text = text.to_owned();
    for person in ["这位用户", "该用户", "用户", "用戶", "使用者", "本人", "我"] {
        if let Some(rest) = text.strip_prefix(person)
            && !rest.starts_with(['们', '們'])
        {
            text = format!("用户{rest}");
            break;
        }
    }
    if let Some(rest) = text.strip_prefix("用户") {
        for verb in [
            "更喜欢",
            "更喜歡",
            "比较喜欢",
            "很喜欢",
            "喜欢",
            "喜歡",
            "喜爱",
            "偏好",
            "偏爱",
        ] {
            if let Some(rest) = rest.strip_prefix(verb) {
                return format!("用户喜欢{rest}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_says_the_same_has_one_form() {
        let same = [
            [
                "User prefers dark mode",
                "The user likes dark mode.",
                "I love dark-mode!",
            ],
            ["予算は５０万円", "予算は500,000円", "予算は 50 万円です。"],
            [
                "ユーザーは寿司が好き",
                "私は寿司が好きです。",
                "ユーザは寿司を好む",
            ],
            ["用户喜欢吃素", "我更喜欢吃素。", "该用户偏好吃素"],
            [
                "The budget is $500",
                "the budget is 500 dollars",
                "The budget is USD 500.",
            ],
            [
                "User doesn’t like tea",
                "User does not like tea",
                "I don't like tea",
            ],
            ["ＣＰＡ", "CPA", "cpa\u{200B}."],
        ];
        for group in same {
            for text in group {
                assert_eq!(normal_form(text), normal_form(group[0]), "{text}");
            }
        }
    }

    #[test]
    fn what_says_something_else_does_not() {
        for (a, b) in [
            ("予算は500万円", "予算は50万円"),
            ("予算是50万元", "予算は50万円"),
            ("User codes in C++", "User codes in C#"),
            ("User codes in C", "User codes in C++"),
            ("It is -5 outside", "It is 5 outside"),
            ("x < 5", "x > 5"),
            ("👍", "👎"),
            ("User likes tea", "User doesn't like tea"),
            ("我们喜欢吃素", "我喜欢吃素"),
            ("Growth of 5%", "Growth of 5"),
            ("$5", "€5"),
            ("1 2", "12"),
        ] {
            assert_ne!(normal_form(a), normal_form(b), "{a} / {b}");
        }
        assert_eq!(normal_form(" 。!\u{200B}…"), "");
    }

    proptest! {
        #[test]
        fn any_text_has_a_form_that_spaces_and_width_do_not_change(text in "\\PC{0,40}") {
            let form = normal_form(&text);
            let padded = format!("  {text}\u{3000}\n");
            prop_assert_eq!(&form, &normal_form(&padded));
        }
    }
}
