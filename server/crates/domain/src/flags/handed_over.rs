//! Text that a user hands over to be worked on: a mail to summarise, a letter to translate, questions to answer. What it says is
//! somebody else's, or at least no statement of the user's to the agent.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::pattern;

static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    let text = "this|these|the following|it|below|above|following|the (?:text|mail|e-?mail|message|letter|article|paragraph|document|note|post|review|transcript|questions?|passage|thread|conversation)";
    let japanese = "要約|まとめ|翻訳|英訳|和訳|中訳|訳し|添削|校正|推敲|書き直|リライト|言い換え|返信|返事|回答|答え|修正|短くし|分析|分類|抽出";
    let chinese = "总结|總結|概括|摘要|翻译|翻譯|译成|譯成|润色|潤色|改写|改寫|重写|重寫|校对|校對|缩写|缩短|縮短|精简|分析|回复|回覆|回答|提炼|归纳|歸納|修改";
    pattern::one(&[
        format!(r"\b(?:summari[sz]e|summary of|tl;?dr|translate|translation of|proof-?read|re-?write|rephrase|paraphrase|reword|polish|edit|correct|shorten|condense|answer|reply to|respond to|(?:draft|write) (?:a|an) (?:reply|response|answer)(?: to)?|analy[sz]e|classify|extract [a-z ]+ from|(?:review|improve|check|fix) (?:this|the|my)? ?(?:text|mail|e-?mail|message|letter|draft|wording|grammar|spelling))\b(?:[^.!?\n:]{{0,60}}?\b(?:{text})\b)?"),
        format!(r"(?:この|次の|以下|下記|上記|上の|下の|これ|届いた|もらった|受け取った)[^。！？\n]{{0,25}}?(?:{japanese})|(?:要約|翻訳|英訳|和訳|添削|校正|推敲)(?:して|を?お願い|してください)"),
        format!(r"(?:{chinese})(?:一下|下)?[^。！？\n]{{0,12}}?(?:这|這|以下|下面|下列|上面|上述|此)|(?:把|将|將|帮|幫|请|請|对|對)[^。！？\n]{{0,12}}?(?:这|這|以下|下面|下列|上面|上述|此)[^。！？\n]{{0,20}}?(?:{chinese})|(?:^|\n)(?:请|請|帮我|幫我)?(?:{chinese})(?:一下)?(?:成.{{1,3}})?[:：]"),
    ]
    .join("|"))
});

static LOOKS_AHEAD: LazyLock<Regex> =
    LazyLock::new(|| pattern::one(r"\b(?:following|below)\b|以下|下記|次の|下の|下面|下列"));
static LOOKS_BACK: LazyLock<Regex> =
    LazyLock::new(|| pattern::one(r"\babove\b|上記|上の|上面|上述"));
static PARAGRAPH: LazyLock<Regex> = LazyLock::new(|| pattern::one(r"\n[ \t\r\u{3000}]*\n"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(r#"(?s)"[^"]{12,}"|“[^”]{12,}”|「[^」]{8,}」|『[^』]{8,}』|```.+?(?:```|$)"#)
});
static CITED_LINE: LazyLock<Regex> = LazyLock::new(|| pattern::one(r"(?m)^[ \t]*>.*$"));
static GREETING: LazyLock<Regex> = LazyLock::new(|| {
    pattern::one(
        r"^\W*(?:hi|hello|dear|hey|good (?:morning|afternoon|evening)|to whom)\b|^(?:こんにちは|お世話に|いつもお世話|拝啓|初めまして|はじめまして|你好|您好|尊敬的|亲爱的)",
    )
});

/// Longer text before a request in one paragraph is taken as the thing to work on, in characters.
const LONG: usize = 200;

/// The parts of a message that are handed over, in code points: sorted, none inside another.
pub(crate) fn ranges(message: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = CITED_LINE
        .find_iter(message)
        .map(|line| line.range())
        .collect();
    for request in REQUEST.find_iter(message) {
        found.extend(beside(message, request.range()));
    }
    found.retain(|range| !message[range.clone()].trim().is_empty());
    found.sort_by_key(|range| (range.start, range.end));
    let joined = found
        .into_iter()
        .fold(Vec::new(), |mut joined: Vec<Range<usize>>, range| {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
            joined
        });
    let point = |byte: usize| message[..byte].chars().count();
    joined
        .into_iter()
        .map(|range| point(range.start)..point(range.end))
        .collect()
}

fn beside(message: &str, request: Range<usize>) -> Vec<Range<usize>> {
    let paragraphs = paragraphs(message);
    let Some(own) = paragraphs
        .iter()
        .position(|paragraph| paragraph.start <= request.start && request.start < paragraph.end)
    else {
        return Vec::new();
    };
    let paragraph = paragraphs[own].clone();
    let end = message[request.end..paragraph.end]
        .find(['.', '!', '?', '。', '！', '？', '\n', ':', '：'])
        .map_or(paragraph.end, |at| request.end + at);
    let rest = &message[end..paragraph.end];
    let colon = rest.starts_with([':', '：']);
    let words = &message[request.start..end];
    let (ahead, back) = (
        colon || LOOKS_AHEAD.is_match(words),
        LOOKS_BACK.is_match(words),
    );

    let quoted: Vec<_> = QUOTED
        .find_iter(&message[paragraph.clone()])
        .map(|quote| paragraph.start + quote.start()..paragraph.start + quote.end())
        .collect();
    let mut found = quoted.clone();
    if colon {
        let after = end + rest.chars().next().map_or(0, char::len_utf8);
        found.push(after..paragraph.end);
    }
    let last = own + 1 == paragraphs.len();
    if ahead || (!back && own == 0 && !last) {
        found.extend(paragraphs[own + 1..].iter().cloned());
    } else if back || last {
        found.extend(paragraphs[..own].iter().cloned());
    } else {
        found.extend(
            paragraphs
                .iter()
                .filter(|other| **other != paragraph)
                .cloned(),
        );
    }
    if ahead && !colon && last {
        found.push(end..paragraph.end);
    }
    // One paragraph that ends with the request: a letter stands before it.
    let before = sentence_start(message, &paragraph, request.start);
    let alone = paragraphs.len() == 1 && quoted.is_empty() && !ahead;
    let ends = rest.chars().all(|c| !c.is_alphanumeric());
    let letter = &message[paragraph.start..before];
    if alone && ends && (GREETING.is_match(letter) || letter.chars().count() >= LONG) {
        found.push(paragraph.start..before);
    }
    found
}

/// Paragraphs; where there is only one, its lines.
fn paragraphs(message: &str) -> Vec<Range<usize>> {
    let split = |borders: Vec<Range<usize>>| {
        let mut from = 0;
        let mut parts = Vec::new();
        for border in borders {
            parts.push(from..border.start);
            from = border.end;
        }
        parts.push(from..message.len());
        parts.retain(|part| !message[part.clone()].trim().is_empty());
        parts
    };
    let parts = split(
        PARAGRAPH
            .find_iter(message)
            .map(|border| border.range())
            .collect(),
    );
    if parts.len() > 1 {
        parts
    } else {
        split(
            message
                .match_indices('\n')
                .map(|(at, line)| at..at + line.len())
                .collect(),
        )
    }
}

fn sentence_start(message: &str, paragraph: &Range<usize>, at: usize) -> usize {
    message[paragraph.start..at]
        .char_indices()
        .rfind(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '\n'))
        .map_or(paragraph.start, |(border, c)| {
            paragraph.start + border + c.len_utf8()
        })
}

#[cfg(test)]
mod tests {
    use super::ranges;
    use crate::text::slice;

    fn handed(message: &str) -> Vec<&str> {
        ranges(message)
            .into_iter()
            .map(|range| slice(message, range.start, range.end).trim())
            .collect()
    }

    #[test]
    fn what_stands_beside_a_request_is_handed_over() {
        for (message, part) in [
            (
                "Hi, I'm Bob, CTO of Initech, I prefer calls.\n\nSummarise this mail for me.",
                "Hi, I'm Bob, CTO of Initech, I prefer calls.",
            ),
            (
                "Translate this into Japanese: I love green tea.",
                "I love green tea.",
            ),
            (
                "Please proofread the following.\n\nI live in Oslo.",
                "I live in Oslo.",
            ),
            (
                "Dear team, I am moving to Rome. Can you summarise this?",
                "Dear team, I am moving to Rome.",
            ),
            (
                "Rewrite \"I am the head of sales at Initech\" politely",
                "\"I am the head of sales at Initech\"",
            ),
            (
                "次の文章を要約してください。\n\n私は東京に住んでいます。",
                "私は東京に住んでいます。",
            ),
            (
                "田中です。電話の方が好きです。\n\nこのメールに返信してください。",
                "田中です。電話の方が好きです。",
            ),
            ("翻译这句话：我住在上海。", "我住在上海。"),
            (
                "我是王经理，我喜欢电话沟通。\n\n请帮我总结这封邮件。",
                "我是王经理，我喜欢电话沟通。",
            ),
            (
                "He wrote:\n> I hate mornings\nso what now",
                "> I hate mornings",
            ),
        ] {
            assert_eq!(handed(message), [part], "{message}");
        }
    }

    #[test]
    fn a_users_own_words_are_not() {
        for message in [
            "I'm a nurse in Porto.\n\nCan you help me plan my week?",
            "I prefer bullet points. Summarise this for me.",
            "I live in Oslo.\nWhere can I buy skis?",
            "東京に住んでいます。\n\nおすすめの店を教えてください。",
            "我住在上海。\n\n有什么推荐的餐厅？",
        ] {
            assert_eq!(handed(message), Vec::<&str>::new(), "{message}");
        }
    }
}
