//! 我更喜欢… -> 用户更喜欢…

use super::{super::words, without_openings};

const PARTICLES: &[char] = &[
    '啦', '呢', '哦', '哈', '啊', '呀', '嘛', '喔', '吧', '。', '！', '!', '.', '～', '~', ' ',
];
const TRADITIONAL: &[char] = &[
    '們', '說', '為', '這', '國', '學', '會', '來', '對', '時', '麼', '點', '個', '歡', '將', '還',
    '讓', '寫', '與', '應', '幾', '爾', '過', '們', '嗎', '簡', '語', '請',
];
const NOT_ME: &[(&str, &str)] = &[
    ("自我", "\u{e000}"),
    ("忘我", "\u{e001}"),
    ("敌我", "\u{e002}"),
];

pub(super) fn turn(quote: &str, preference: bool, situation: bool) -> Option<String> {
    let user = if quote.contains(TRADITIONAL) {
        "用戶"
    } else {
        "用户"
    };
    let text = without_openings(quote, words::zh("openings")).trim_end_matches(PARTICLES);
    let mut text = text.to_owned();
    for (word, mark) in NOT_ME {
        text = text.replace(word, mark);
    }
    let orders = [
        "请你",
        "请您",
        "請你",
        "请",
        "請",
        "麻烦你",
        "麻烦您",
        "麻烦",
    ]
    .iter()
    .find_map(|word| text.strip_prefix(word).map(str::to_owned));
    if let Some(rest) = orders {
        text = format!("{user}要求{rest}");
    } else if let Some(rest) = text
        .strip_prefix("作为一名")
        .or_else(|| text.strip_prefix("作为一个"))
        .or_else(|| text.strip_prefix("作为"))
    {
        text = format!("{user}是{rest}");
    } else if text.starts_with("叫我")
        || text.starts_with("称呼我")
        || text.starts_with("別")
        || text.starts_with('别')
        || text.starts_with("不要")
    {
        text = format!("{user}要求{text}");
    }
    let group = if words::zh("household")
        .iter()
        .any(|word| text.contains(word))
    {
        "一家"
    } else {
        "的团队"
    };
    let named = text.starts_with(user);
    for we in ["我们", "我們", "咱们"] {
        for place in [
            "公司",
            "团队",
            "團隊",
            "部门",
            "小组",
            "组",
            "学校",
            "实验室",
            "店",
            "单位",
            "班",
            "厂",
            "医院",
            "工作室",
            "科室",
            "家",
            "一家",
        ] {
            let owner = if matches!(place, "家" | "一家") {
                user.to_owned()
            } else {
                format!("{user}的")
            };
            text = text.replace(&format!("{we}{place}"), &format!("{owner}{place}"));
        }
    }
    for (from, to) in [
        ("我公司", format!("{user}的公司")),
        ("我司", format!("{user}的公司")),
        ("我们的", format!("{user}{group}的")),
        ("我们", format!("{user}{group}")),
        ("我們", format!("{user}{group}")),
        ("咱们", format!("{user}{group}")),
        ("本人", user.to_owned()),
        ("我", user.to_owned()),
        ("俺", user.to_owned()),
        ("你的", "助手的".to_owned()),
        ("您的", "助手的".to_owned()),
        ("你", "助手".to_owned()),
        ("您", "助手".to_owned()),
    ] {
        text = text.replace(from, &to);
    }
    for (word, mark) in NOT_ME {
        text = text.replace(mark, word);
    }
    if named || text.starts_with(user) {
        return Some(text);
    }
    if words::zh("belongings")
        .iter()
        .any(|word| text.starts_with(word))
    {
        return Some(format!("{user}的{text}"));
    }
    if situation || text.contains(user) {
        return Some(text);
    }
    if preference {
        return Some(format!("{user}希望：{text}"));
    }
    Some(format!("{user}{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_the_speaker_into_the_user() {
        for (from, preference, to) in [
            ("我更喜欢用中文回答", true, "用户更喜欢用中文回答"),
            ("并且我是素食者", false, "用户是素食者"),
            ("我叫李国松", false, "用户叫李国松"),
            ("在腾讯工作", false, "用户在腾讯工作"),
            ("请用中文回答", true, "用户要求用中文回答"),
            ("希望你回答简短一点", true, "用户希望：希望助手回答简短一点"),
            ("我希望你回答简短一点", true, "用户希望助手回答简短一点"),
            ("我们公司用的是Python", false, "用户的公司用的是Python"),
            ("我们组一共七个人", false, "用户的组一共七个人"),
            ("我们家正在装修", false, "用户家正在装修"),
            ("我老婆不吃辣", false, "用户老婆不吃辣"),
            ("我需要一段自我介绍", false, "用户需要一段自我介绍"),
            ("我更喜歡簡短的回答", true, "用戶更喜歡簡短的回答"),
        ] {
            assert_eq!(turn(from, preference, false).as_deref(), Some(to));
        }
    }
}
