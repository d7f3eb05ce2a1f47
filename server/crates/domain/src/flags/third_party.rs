//! Statements about somebody else: a friend's taste is not the user's.
//!
//! Judged by grammar, not by meaning: who is the subject of the words that support a statement. A first person as the subject
//! makes them the user's own, whoever else is mentioned.

use std::sync::LazyLock;

use regex::Regex;

use super::pattern;

const RELATIVES: &str = "friend|best friend|buddy|colleague|co-?worker|teammate|boss|manager|supervisor|wife|husband|spouse|partner|fianc[ée]e?|girlfriend|boyfriend|mother|mom|mum|father|dad|parents?|brother|sister|siblings?|sons?|daughters?|kids?|child(?:ren)?|cousin|aunt|uncle|nephew|niece|grand(?:mother|father|ma|pa|son|daughter)|neighbou?r|roommate|flatmate|client|customer|student|teacher|professor|doctor|landlord|intern|assistant|ex(?:-wife|-husband)?";

struct Patterns {
    clause_border: Regex,
    english_subject: Regex,
    english_self: Regex,
    english_pronoun: Regex,
    english_content: Regex,
    japanese_subject: Regex,
    japanese_self: Regex,
    japanese_content: Regex,
    chinese_together: Regex,
    chinese_noise: Regex,
    chinese_relative: Regex,
    chinese_pronoun: Regex,
    chinese_content: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let japanese = "友[達人]|ともだち|同僚|上司|部長|課長|社長|先輩|後輩|部下|妻|夫|旦那|主人|嫁|奥さん|彼氏|母(?:親)?|父(?:親)?|お母さん|お父さん|両親|兄|姉|弟|妹|息子|娘|子ども|子供|祖[父母]|おじいちゃん|おばあちゃん|友だち|隣人|ルームメイト|お客(?:様|さん)|顧客|取引先|先生|生徒|学生さん";
    let chinese = "朋友|闺蜜|哥们|同事|同学|老板|上司|领导|经理|妻子|老婆|太太|丈夫|老公|先生|男友|女友|男朋友|女朋友|对象|妈妈?|母亲|爸爸?|父亲|父母|爸妈|哥哥?|姐姐?|弟弟?|妹妹?|儿子|女儿|孩子|爷爷|奶奶|外公|外婆|表[哥姐弟妹]|客户|邻居|室友|老师|学生|前任|同學|老闆|媽媽|爸媽|兒子|女兒|鄰居|客戶|領導";
    Patterns {
        clause_border: pattern::one(
            r"[,;:.、，；。]|\b(?:so|and|but|because|while|although|yet)\b",
        ),
        // The relative is followed by a verb, a name and a verb, or owns the subject.
        english_subject: pattern::one(&format!(
            r"\b(?:my|our|a|one of my|the user'?s) (?:[a-z]+ )?(?:{RELATIVES})(?:'s [a-z]+)?(?: [A-Za-z'-]+)?,? (?:said|says|told|tells|thinks|thought|wants?|wanted|likes?|liked|loves?|loved|hates?|prefers?|preferred|is|are|was|were|has|have|had|does|did|doesn't|don't|didn't|can|can't|lives?|works?|needs?|moved|got|just|also|always|never|keeps?|bought|uses?|eats?|drinks?|speaks?|will|would|who|went|studies|plays?)\b"
        )),
        english_self: pattern::one(r"\b(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'd|we'll)\b"),
        english_pronoun: pattern::one(r"\b(?:he|she|he's|she's)\b|^(?:his|her) [a-z]+"),
        english_content: pattern::one(&format!(
            r"^\W*(?:the )?user(?:'s|s') (?:[a-z]+ )?(?:{RELATIVES})(?:'s|\b)|^\W*(?:my|our) (?:[a-z]+ )?(?:{RELATIVES})\b|^\W*(?:he|she|they)\b"
        )),
        japanese_subject: pattern::one(&format!(
            r"(?:{japanese})(?:の[^、。 ]{{1,12}})?(?:[はがも]|によると|って(?:さ|ね|、)|いわく|曰く)|彼女?[はがも]|あの人[はがも]|[^\s、。]{{1,10}}(?:さん|くん|ちゃん|氏)[はがも]"
        )),
        japanese_self: pattern::one(
            r"(?:私|僕|俺|わたし|ぼく|おれ|自分|うち|我々|私たち|弊社|当社|ユーザー)(?:たち|達|ら)?(?:に|も)?[はがも]",
        ),
        japanese_content: pattern::one(&format!(
            r"^(?:ユーザーの|私の)?(?:{japanese})(?:の[^、。]{{1,12}})?[はがも]|^彼女?[はがも]|^[^\s、。]{{1,10}}(?:さん|くん|ちゃん|氏)[はがも]"
        )),
        chinese_together: pattern::one("(?:^|[，。,.])我们?[和跟与同]我?的?"),
        chinese_noise: pattern::one(
            "其他|其它|吉他|维他命|排他|利他|他人|和我|跟我|给我|给他|給我|告诉我|告訴我|对我|對我|问我|問我|让我|讓我|帮我|幫我|叫我",
        ),
        chinese_relative: pattern::one(&format!(
            "(?:我们?的?|用户的?|我們的?)(?:一[个位])?(?:{chinese})(?:[A-Za-z]+|小.|老.)?"
        )),
        chinese_pronoun: pattern::one("^[^，。]{0,4}[他她]们?|[，,。：:说說][他她]们?"),
        chinese_content: pattern::one(&format!("^(?:用户的?|我的?)(?:{chinese})|^[他她]们?")),
    }
});

/// Whether a statement is about somebody else: by its own words, or by the words that support it.
pub(super) fn about_another(content: &str, quote: &str) -> bool {
    in_content(content) || in_quote(quote)
}

fn in_content(content: &str) -> bool {
    let patterns = &*PATTERNS;
    let company = patterns
        .chinese_relative
        .find(content)
        .is_some_and(|found| content[found.end()..].starts_with(['和', '跟', '与']));
    patterns.english_content.is_match(content)
        || patterns.japanese_content.is_match(content)
        || (patterns.chinese_content.is_match(content) && !company)
}

fn in_quote(quote: &str) -> bool {
    let patterns = &*PATTERNS;
    let before_self = |subject: &Regex, own: &Regex| {
        let own = own.find(quote).map(|found| found.start());
        match (subject.find(quote).map(|found| found.start()), own) {
            // "My friend says I like tea" is the friend's word; "my boss likes mail, so I write mail" is the user's own.
            (Some(other), Some(own)) => {
                other < own && !patterns.clause_border.is_match(&quote[other..own])
            }
            (other, None) => other.is_some(),
            (None, _) => false,
        }
    };
    let english = before_self(&patterns.english_subject, &patterns.english_self)
        || (patterns.english_pronoun.is_match(quote) && !patterns.english_self.is_match(quote));
    let japanese = before_self(&patterns.japanese_subject, &patterns.japanese_self);
    let chinese = || {
        if patterns.chinese_together.is_match(quote) {
            return false;
        }
        let quote = patterns.chinese_noise.replace_all(quote, "");
        let related = patterns
            .chinese_relative
            .find(&quote)
            .is_some_and(|found| !quote[found.end()..].starts_with(['和', '跟', '与']));
        let rest = patterns.chinese_relative.replace_all(&quote, "");
        !rest.contains('我') && (related || patterns.chinese_pronoun.is_match(&rest))
    };
    english || japanese || chinese()
}

#[cfg(test)]
mod tests {
    use super::about_another;

    #[test]
    fn what_others_are_and_like_is_told_from_what_the_user_does() {
        for (content, quote) in [
            ("User doesn't like football", "he doesn't like football"),
            (
                "User doesn't like football",
                "My friend Jack said he doesn't like football.",
            ),
            ("User's wife is vegetarian", "my wife is vegetarian"),
            ("User loves jazz", "my boss loves jazz"),
            ("ユーザーは猫が好き", "友達は猫が好きです"),
            ("ユーザーは辛いものが苦手", "妻が辛いものが苦手です"),
            ("ユーザーは大阪に住んでいる", "田中さんは大阪に住んでいます"),
            ("用户喜欢足球", "我朋友小李喜欢足球"),
            ("用户是素食者", "她是素食者"),
            ("用户的妻子是医生", "我妻子是医生"),
        ] {
            assert!(about_another(content, quote), "{content} / {quote}");
        }
    }

    #[test]
    fn a_first_person_makes_it_the_users_own() {
        for (content, quote) in [
            (
                "User prefers short mails",
                "My boss wants weekly reports, so I prefer short mails",
            ),
            ("User likes dogs", "I like dogs because they are loyal"),
            (
                "User and wife travel by train",
                "My wife and I prefer trains",
            ),
            (
                "User is the CTO of StartupCorp",
                "I'm the CTO of StartupCorp",
            ),
            (
                "User's favourite player is Messi",
                "My current favourite player is Messi",
            ),
            ("User's team uses Rust", "our team uses Rust"),
            ("ユーザーは母語が日本語", "母語は日本語です"),
            ("ユーザーは妻と旅行するのが好き", "妻と旅行するのが好きです"),
            (
                "ユーザーは電話がいい",
                "私は電話のほうがいいです。上司はメール派ですが",
            ),
            ("用户喜欢弹吉他", "喜欢弹吉他"),
            ("用户和朋友周末踢球", "我和朋友周末踢球"),
            ("用户喜欢简短", "老板让我每周写周报，我喜欢简短"),
            ("用户开了一家花店", "我和我先生开了一家花店"),
            ("用户叫李国松", "我叫李国松，在腾讯工作"),
        ] {
            assert!(!about_another(content, quote), "{content} / {quote}");
        }
    }
}
