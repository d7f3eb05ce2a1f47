//! How many tokens a model would count, without its tokenizer.

use super::{is_cjk, is_han};

/// Twelfths of a token: a common unit of the fractions below, so that no rounding adds up.
const TOKEN: usize = 12;

/// An estimate that common tokenizers do not exceed by more than a little, whatever the script: four letters of Latin a token would
/// be right for English and three times too few for Japanese, and a budget that is exceeded cuts somebody's prompt (F10, C7).
pub fn estimate_tokens(text: &str) -> usize {
    let mut twelfths = 0;
    let mut letters = 0_usize;
    let mut digits = 0_usize;
    let mut space = false;
    let mut lower = false;
    for c in text.chars() {
        // A space belongs to the word that follows, except before a digit.
        let spaced = std::mem::replace(&mut space, c == ' ');
        if spaced && c.is_ascii_digit() {
            twelfths += TOKEN;
        }
        if c.is_ascii_alphabetic() {
            // A capital in the middle (StartupCorp) begins another token.
            if c.is_ascii_uppercase() && lower {
                twelfths += word(std::mem::take(&mut letters));
            }
            lower = c.is_ascii_lowercase();
            letters += 1;
            continue;
        }
        lower = false;
        twelfths += word(std::mem::take(&mut letters));
        if c.is_ascii_digit() {
            digits += 1;
            continue;
        }
        twelfths += std::mem::take(&mut digits).div_ceil(2) * TOKEN;
        twelfths += match c {
            ' ' => 0,
            c if c.is_ascii() => 10,
            c if is_han(c) && (c as u32) < 0x20000 => 17,
            c if is_cjk(c) => 13,
            '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}' => 16,
            '\u{AC00}'..='\u{D7A3}' => 18,
            '\u{80}'..='\u{24F}' => 12,
            '\u{370}'..='\u{52F}' => 8,
            '\u{530}'..='\u{6FF}' => 11,
            '\u{2000}'..='\u{206F}' => 14,
            '\u{900}'..='\u{97F}' => 15,
            '\u{E00}'..='\u{E7F}' => 14,
            '\u{700}'..='\u{FFFF}' => 24,
            _ => 36,
        };
    }
    twelfths += word(letters) + digits.div_ceil(2) * TOKEN;
    twelfths.div_ceil(TOKEN)
}

/// A run of Latin letters: short words are one token, long ones about one for each five letters.
fn word(letters: usize) -> usize {
    match letters {
        0 => 0,
        1..=7 => TOKEN,
        more => more * TOKEN / 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // F10: the counts at the right are those of the o200k_base and cl100k_base tokenizers, the higher one.
    #[test]
    fn never_far_below_a_real_tokenizer_and_not_absurdly_above() {
        for (text, real) in MEASURED {
            let estimate = estimate_tokens(text);
            assert!(estimate * 20 >= real * 19, "{text}: {estimate} < {real}");
            assert!(estimate <= real * 2 + 4, "{text}: {estimate} > {real}");
        }
        assert_eq!(estimate_tokens(""), 0);
    }

    const MEASURED: &[(&str, usize)] = &[
        (
            "User prefers code examples in Python rather than pseudocode",
            10,
        ),
        (
            "- User is the CTO of StartupCorp and is building a SaaS platform (said 2026-11-30)",
            26,
        ),
        (
            "Dismissed recommendations concerning internationalization; responsibilities notwithstanding.",
            10,
        ),
        ("ユーザーは疑似コードよりもPythonのコード例を好む", 25),
        (
            "ユーザーはスタートアップ株式会社のCTOで、SaaSプラットフォームを開発している。",
            39,
        ),
        ("来月製品を公開するので、全部すぐに準備する必要がある", 28),
        ("用户更喜欢用Python而不是伪代码的示例", 17),
        ("用户是初创公司的首席技术官，正在搭建一个SaaS平台。", 27),
        ("사용자는 의사 코드보다 파이썬 예제를 선호합니다", 22),
        (
            "Пользователь предпочитает примеры на Python, а не псевдокод",
            22,
        ),
        ("يفضل المستخدم أمثلة بلغة بايثون", 23),
        ("उपयोगकर्ता पायथन में उदाहरण पसंद करता है", 43),
        ("ผู้ใช้ชอบตัวอย่างภาษาไพธอน", 28),
        ("👩‍👩‍👧‍👦🎉🏳️‍🌈 ❤️", 32),
        (
            "L'utilisateur préfère les réponses détaillées à l'école élémentaire",
            19,
        ),
        (
            "https://example.com/a/b?x=1&y=%20#frag {\"k\": [1, 2, 3]}",
            28,
        ),
        ("1,234,567.89 2026-11-30T09:00:00Z 090-1234-5678", 29),
        (
            "<entity_memory>\n### User Preferences\n- User prefers metric units\n</entity_memory>",
            18,
        ),
    ];
}
