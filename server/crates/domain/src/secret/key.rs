//! Keys, tokens and passwords, by the shapes that their makers give them.

use std::{ops::Range, sync::LazyLock};

use regex::{Regex, RegexSet};

/// Each shape by itself. The group `secret` narrows the part to mask; `value` does so too, where only one that no word looks like is
/// meant.
const SHAPES: [&str; 27] = [
    // PEM; an unfinished block runs to the end.
    r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    // JSON web tokens
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    // OpenAI, Anthropic and their like
    r"\bsk-[A-Za-z0-9_-]{20,}",
    // Stripe
    r"\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}",
    // GitHub
    r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    // GitLab
    r"\bgl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{20,}",
    // Slack
    r"\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,})",
    r"https://hooks\.slack\.com/services/(?P<secret>T[A-Za-z0-9]+/B[A-Za-z0-9]+/[A-Za-z0-9]{16,})",
    // AWS
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"(?i)aws_?secret_?(?:access_?)?key\W{1,5}(?P<secret>[A-Za-z0-9/+=]{40})",
    // Google
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"\bya29\.[0-9A-Za-z_-]{20,}",
    r"\bGOCSPX-[0-9A-Za-z_-]{20,}",
    // Azure
    r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})",
    // Hugging Face, npm, PyPI, DigitalOcean, SendGrid, Groq, xAI, Replicate, Perplexity
    r"\b(?:hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}|gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{40,})",
    r"\bpypi-AgEI[A-Za-z0-9_-]{40,}",
    r"\bdo[oprt]_v1_[a-f0-9]{64}",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    // Telegram, Discord
    r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,}",
    r"\b[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    // age
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}",
    // our own
    r"\bkeep_live_[0-9A-Za-z]{30,}",
    // authorization headers
    r"(?i)\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/-]{20,}=*)",
    // a password in an address
    r"[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,64}:(?P<secret>[^\s:/@]{3,})@[^\s]",
    // what is called a password, with a value that looks like one
    r#"(?i)(?:\b(?:pass(?:word|wd|phrase|code)|pwd)\b|パスワード|パスフレーズ|密码|密碼|口令)(?:\s*(?:is|was|:|=|は|が|是|为|為))+\s*["'`「“]?(?P<value>[!-~]{6,64})"#,
    r#"(?i)(?:\b(?:api|access|secret|private|auth)[ _-]?(?:key|token|secret)\b|APIキー|アクセスキー|API密钥|密钥|秘密鍵)(?:\s*(?:is|was|:|=|は|が|是|为|為))+\s*["'`「“]?(?P<value>[A-Za-z0-9_/+=.-]{12,})"#,
    // PINs
    r"(?i)(?:\bpin(?: code| number)?\b|暗証番号|PIN码)(?:\s*(?:is|:|=|は|是|为))+\s*(?P<secret>\d{4,8})\b",
];

static ANY: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(SHAPES.map(super::ascii)).expect("valid patterns"));
static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    SHAPES
        .iter()
        .map(|shape| Regex::new(&super::ascii(shape)).expect("a valid pattern"))
        .collect()
});

pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    ANY.matches(text)
        .iter()
        .flat_map(|shape| EACH[shape].captures_iter(text))
        .filter_map(|found| {
            let value = found.name("value");
            let secret = value.or(found.name("secret")).or(found.get(0))?;
            let token = secret
                .as_str()
                .trim_end_matches(['.', ',', ';', '!', '?', ')', '"', '\'', '`']);
            // Hyphenated words begin with `sk-` too, and what follows "my password is" may be a word of the sentence.
            let random = if token.starts_with("sk-") {
                dense(token)
            } else {
                value.is_none() || mixed(token)
            };
            (random && !token.is_empty()).then(|| secret.start()..secret.start() + token.len())
        })
        .collect()
}

/// Whether one stretch without hyphens is long and holds digits.
fn dense(token: &str) -> bool {
    token
        .split(['-', '_'])
        .any(|part| part.len() >= 10 && part.contains(|c: char| c.is_ascii_digit()))
}

/// Whether it holds what words do not: a digit, or in eight characters a sign.
fn mixed(token: &str) -> bool {
    token.contains(|c: char| c.is_ascii_digit())
        || (token.len() >= 8
            && token.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '~']))
}
