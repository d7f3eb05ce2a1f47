//! Amounts in a text: "$1.2k", "3.5 percent", 「50万円」, 「1億2000万」, "百分之十二".

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// A number with what it counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amount {
    /// Bytes of the text, unit included.
    pub range: Range<usize>,
    pub value: f64,
    /// `USD`, `JPY`, … for money, `%`, else the word that was said, in lower case.
    pub unit: Option<String>,
}

static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?P<cur>us\$|hk\$|nt\$|[$€£¥￥₩]|\b(?:usd|eur|gbp|jpy|rmb|cny)\s?)?(?P<num>\d[\d,]*(?:\.\d+)?)")
        .expect("a written pattern")
});

/// What may stand behind a number and multiplies it.
const MAGNITUDES: &[(&str, f64)] = &[
    (" million", 1e6),
    (" billion", 1e9),
    (" thousand", 1e3),
    ("million", 1e6),
    ("mn", 1e6),
    ("bn", 1e9),
    ("千万", 1e7),
    ("百万", 1e6),
    ("万", 1e4),
    ("萬", 1e4),
    ("億", 1e8),
    ("亿", 1e8),
    ("千", 1e3),
    ("k", 1e3),
    ("m", 1e6),
    ("b", 1e9),
];

/// Units with their names: the longest first where one begins another.
const UNITS: &[(&str, &str)] = &[
    ("percentage points", "percentage points"),
    ("percentage point", "percentage points"),
    ("percent", "%"),
    ("per cent", "%"),
    ("%", "%"),
    ("％", "%"),
    ("パーセント", "%"),
    ("ポイント", "ポイント"),
    ("个百分点", "百分点"),
    ("us dollars", "USD"),
    ("dollars", "USD"),
    ("dollar", "USD"),
    ("bucks", "USD"),
    ("usd", "USD"),
    ("米ドル", "USD"),
    ("ドル", "USD"),
    ("美元", "USD"),
    ("美金", "USD"),
    ("刀", "USD"),
    ("euros", "EUR"),
    ("euro", "EUR"),
    ("eur", "EUR"),
    ("€", "EUR"),
    ("ユーロ", "EUR"),
    ("欧元", "EUR"),
    ("pounds", "GBP"),
    ("gbp", "GBP"),
    ("yen", "JPY"),
    ("jpy", "JPY"),
    ("円", "JPY"),
    ("日元", "JPY"),
    ("人民币", "CNY"),
    ("元", "CNY"),
    ("块钱", "CNY"),
    ("块", "CNY"),
    ("rmb", "CNY"),
    ("yuan", "CNY"),
    ("cny", "CNY"),
];

/// Words after a number that are units as they are.
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s?(?P<unit>(?:ms|milliseconds?|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?|weeks?|months?|users?|customers?|clients?|people|visitors?|visits|views|clicks|leads?|signups?|sign-ups|subscribers?|followers?|orders?|tickets?|calls?|emails?|downloads?|installs?|sessions?|requests?|points?|pts|stars?|bugs?|defects?|incidents?|units?|pieces|items|seats|rooms|students|patients|employees|x|times|gb|tb|mb|kwh|tons?|tonnes?|kg|rps|qps|impressions|conversions|demos|deals|reviews|bookings|returns|complaints|story points)\b|ミリ秒|秒|分間?|時間|日間?|週間|か月|ヶ月|件|人|名|回|倍|個|本|社|台|冊|店舗|枚|点|通|セッション|ユーザー|クリック|毫秒|分钟|小时|个小时|天|周|个月|人次|人|个用户|用户|单|条|次|件|个|家|台|倍|分|元|万次|票|桌|杯|车|组|场|笔|户|位|张|桶|箱|吨|組|席|室|食|杯)")
        .expect("a written pattern")
});

static HAN_PERCENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"百分之(?P<num>\d+(?:\.\d+)?|[一二三四五六七八九十]{1,3})")
        .expect("a written pattern")
});

/// 三成, 3割, 一万.
static HAN_AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?P<num>\d{1,2}(?:\.\d)?|[一二两三四五六七八九十]{1,3})(?P<times>成|割|百|千|万|萬|亿|億)",
    )
    .expect("a written pattern")
});

/// Numbers that are no amounts: dates, quarters, versions, ordinals.
static NO_AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bq[1-4]\b(?:\s?20\d\d)?|\bh[12]\b|\bp\d{2}\b|\bfy\s?\d{2,4}|\b(?:19|20)\d\d-\d\d(?:-\d\d)?|\b(?:in|since|of|by|until|for)\s(?:19|20)\d\d\b|\b20(?:1[5-9]|2\d|3[0-5])\b(?:年度?)?|第\s?\d+|\d{1,2}月(?:\d{1,2}[日号])?|\d{1,2}\s?(?:am|pm)\b|\d{1,2}[:：]\d\d|\d{1,2}(?:st|nd|rd|th)\b|\bv\d[\d.]*|\b\d+(?:\.\d+){2,}|(?:last|past|next|previous|trailing)\s\d+\s(?:days?|weeks?|months?)|(?:直近|過去|最近|过去|近)\s?\d+\s?(?:日間?|週間|か月|ヶ月|天|周|个月)")
        .expect("a written pattern")
});

/// Whether `text` holds an amount with a unit.
pub(crate) fn any(text: &str) -> bool {
    text.chars()
        .any(|c| c.is_numeric() || "百一二两三四五六七八九十".contains(c))
        && amounts(text, false)
            .iter()
            .any(|amount| amount.unit.is_some())
}

/// All amounts of `text`, in their order. `chinese` decides what ¥ is.
pub(crate) fn amounts(text: &str, chinese: bool) -> Vec<Amount> {
    let no: Vec<Range<usize>> = NO_AMOUNT
        .find_iter(text)
        .map(|found| found.range())
        .collect();
    let mut found: Vec<Amount> = Vec::new();
    for captures in HAN_PERCENT.captures_iter(text) {
        let Some(value) = captures["num"]
            .parse()
            .ok()
            .or_else(|| han(&captures["num"]))
        else {
            continue;
        };
        let range = captures
            .get(0)
            .map(|whole| whole.range())
            .unwrap_or_default();
        found.push(Amount {
            range,
            value,
            unit: Some("%".to_owned()),
        });
    }
    for captures in HAN_AMOUNT.captures_iter(text) {
        let (Some(whole), Some(number)) = (captures.get(0), captures.name("num")) else {
            continue;
        };
        let Some(value) = plain(number.as_str()).or_else(|| han(number.as_str())) else {
            continue;
        };
        let (times, tenths) = match &captures["times"] {
            "成" | "割" => (10.0, true),
            "千" => (1e3, false),
            "百" => (1e2, false),
            "万" | "萬" => (1e4, false),
            _ => (1e8, false),
        };
        let digits = number.as_str().starts_with(|c: char| c.is_numeric());
        // 5万 is read with what may follow it below.
        if digits && !tenths {
            continue;
        }
        let (unit, end) = match (tenths, unit(&text[whole.end()..])) {
            (true, _) => (Some("%".to_owned()), whole.end()),
            (false, Some((unit, length))) => (Some(unit), whole.end() + length),
            (false, None) => (None, whole.end()),
        };
        found.push(Amount {
            range: whole.start()..end,
            value: value * times,
            unit,
        });
    }
    let mut upto = 0;
    for captures in NUMBER.captures_iter(text) {
        let (Some(whole), Some(digits)) = (captures.get(0), captures.name("num")) else {
            continue;
        };
        let overlaps =
            |range: &Range<usize>| range.start < whole.end() && whole.start() < range.end;
        if whole.start() < upto
            || no.iter().any(overlaps)
            || found.iter().any(|amount| overlaps(&amount.range))
            || glued(text, digits.start())
        {
            continue;
        }
        let currency = captures
            .name("cur")
            .map(|mark| currency(mark.as_str().trim(), chinese));
        let Some((value, end)) = value(text, digits.range(), currency.is_some()) else {
            continue;
        };
        let (unit, end) = match unit(&text[end..]) {
            Some((unit, length)) => (Some(currency.map_or(unit, str::to_owned)), end + length),
            None => (currency.map(str::to_owned), end),
        };
        upto = end;
        found.push(Amount {
            range: whole.start()..end,
            value,
            unit,
        });
    }
    found.sort_by_key(|amount| amount.range.start);
    found
}

/// The digits are the end of a word: "GPT4", "utf8".
fn glued(text: &str, start: usize) -> bool {
    text[..start]
        .chars()
        .next_back()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '#' || c == '.')
}

fn currency(mark: &str, chinese: bool) -> &'static str {
    match mark.to_ascii_lowercase().as_str() {
        "€" | "eur" => "EUR",
        "£" | "gbp" => "GBP",
        "₩" => "KRW",
        "hk$" => "HKD",
        "nt$" => "TWD",
        "jpy" => "JPY",
        "rmb" | "cny" => "CNY",
        "¥" | "￥" => {
            if chinese {
                "CNY"
            } else {
                "JPY"
            }
        }
        _ => "USD",
    }
}

/// The value that begins with `digits`, and where it ends: 1億2000万 is one value.
fn value(text: &str, digits: Range<usize>, money: bool) -> Option<(f64, usize)> {
    let mut total = plain(&text[digits.clone()])?;
    let mut end = digits.end;
    let Some((times, length)) = magnitude(&text[end..], money) else {
        return Some((total, end));
    };
    total *= times;
    end += length;
    let mut last = times;
    // 1億 2000万: each part is smaller than the one before.
    while let Some(part) = NUMBER.find_at(text, end).filter(|part| part.start() == end) {
        let Some((times, length)) =
            magnitude(&text[part.end()..], false).filter(|(times, _)| *times < last)
        else {
            break;
        };
        total += plain(part.as_str())? * times;
        end = part.end() + length;
        last = times;
    }
    Some((total, end))
}

fn plain(digits: &str) -> Option<f64> {
    let ascii: String = digits
        .trim_end_matches(',')
        .chars()
        .filter(|c| *c != ',')
        .map(|c| match c {
            '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
            c => c,
        })
        .collect();
    let value: f64 = ascii.parse().ok()?;
    value.is_finite().then_some(value)
}

fn magnitude(rest: &str, money: bool) -> Option<(f64, usize)> {
    MAGNITUDES.iter().find_map(|(word, times)| {
        let head = rest.get(..word.len())?;
        if !head.eq_ignore_ascii_case(word) {
            return None;
        }
        let next = rest[word.len()..].chars().next();
        let word_goes_on = word.is_ascii() && next.is_some_and(char::is_alphanumeric);
        // "5m" alone may be metres.
        let may_be_a_measure = *word == "m"
            && !money
            && !rest[1..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_alphabetic());
        (!word_goes_on && !may_be_a_measure).then_some((*times, word.len()))
    })
}

/// The unit at the start of `rest`, and its length in bytes.
fn unit(rest: &str) -> Option<(String, usize)> {
    let trimmed = rest.trim_start_matches([' ', '\u{a0}']);
    let spaces = rest.len() - trimmed.len();
    let named = UNITS.iter().find(|(word, _)| {
        trimmed
            .get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
            && !(word.is_ascii()
                && word.ends_with(|c: char| c.is_ascii_alphabetic())
                && trimmed[word.len()..].starts_with(|c: char| c.is_ascii_alphabetic()))
    });
    if let Some((word, name)) = named {
        return Some(((*name).to_owned(), spaces + word.len()));
    }
    let found = COUNTED.captures(rest)?;
    let unit = found.name("unit")?;
    let word = unit.as_str().to_lowercase();
    Some((
        if word == "times" {
            "x".to_owned()
        } else {
            word
        },
        unit.end(),
    ))
}

fn han(number: &str) -> Option<f64> {
    let digit = |c: char| {
        "一二三四五六七八九"
            .chars()
            .position(|known| known == c)
            .map(|at| at as f64 + 1.0)
    };
    let (mut tens, mut ones) = (0.0, 0.0);
    for c in number.chars() {
        if c == '十' {
            tens = if ones == 0.0 { 10.0 } else { ones * 10.0 };
            ones = 0.0;
        } else {
            ones = digit(c)?;
        }
    }
    Some(tens + ones)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<(f64, Option<String>)> {
        amounts(text, false)
            .into_iter()
            .next()
            .map(|amount| (amount.value, amount.unit))
    }

    // B1
    #[test]
    fn amounts_in_three_scripts() {
        for (text, value, unit) in [
            ("CPA is $45.20", 45.2, Some("USD")),
            ("revenue hit $1.2 million", 1_200_000.0, Some("USD")),
            ("MRR is 45k dollars", 45_000.0, Some("USD")),
            ("we have 3m users", 3_000_000.0, Some("users")),
            ("churn is 3.5%", 3.5, Some("%")),
            ("12 percent", 12.0, Some("%")),
            ("latency is 230 ms", 230.0, Some("ms")),
            ("ROAS is 4.2x", 4.2, Some("x")),
            ("€5,000 spent", 5_000.0, Some("EUR")),
            ("売上は50万円です", 500_000.0, Some("JPY")),
            ("1億2000万円", 120_000_000.0, Some("JPY")),
            ("解約率は3.5%", 3.5, Some("%")),
            ("問い合わせは120件", 120.0, Some("件")),
            ("销售额是50万元", 500_000.0, Some("CNY")),
            ("转化率百分之十二", 12.0, Some("%")),
            ("毛利不到三成", 30.0, Some("%")),
            ("粗利が3割", 30.0, Some("%")),
            ("日活刚过一万", 10_000.0, None),
            ("NPS is 42", 42.0, None),
        ] {
            assert_eq!(
                first(text),
                Some((value, unit.map(str::to_owned))),
                "{text}"
            );
        }
    }

    #[test]
    fn dates_quarters_and_names_are_no_amounts() {
        for text in [
            "in Q3 2025",
            "since 2019",
            "GPT4",
            "at 10:30",
            "v1.2.3",
            "the last 30 days",
            "3月5日",
            "第3章",
            "p95",
        ] {
            assert_eq!(amounts(text, false), Vec::new(), "{text}");
        }
    }
}
