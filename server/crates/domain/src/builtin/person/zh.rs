//! 我更喜欢… -> 用户更喜欢…

use super::super::words;

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
    ("我国", "\u{e003}"),
    ("我國", "\u{e004}"),
    ("我行我素", "\u{e005}"),
    ("迷你", "\u{e006}"),
    ("玩我的世界", "\u{e007}"),
    ("他本人", "\u{e008}"),
    ("她本人", "\u{e009}"),
    ("你我", "\u{e00a}"),
];
/// They only begin like an opening, or like an order.
const NO_OPENINGS: &[&str] = &[
    "还有三",
    "还有两",
    "还有一",
    "还有几",
    "还有半",
    "但愿",
    "但丁",
    "但凡",
    "而立",
    "而是",
    "另外一",
    "另外两",
    "对了解",
    "那个人",
    "那个项目",
    "那个公司",
    "顺便宜",
    "啊呀",
    "其实现",
    "然后代",
];
const NO_ORDERS: &[&str] = &[
    "请假",
    "请客",
    "请了",
    "请过",
    "请教",
    "請假",
    "請客",
    "请柬",
    "麻烦的",
    "麻烦事",
    "别人",
    "別人",
    "别的",
    "別的",
    "别墅",
    "別墅",
    "别克",
    "别名",
    "不要紧",
    "不要緊",
];
/// Who is meant beside the user is not known.
const TWO: &[&str] = &[
    "我们俩",
    "我們倆",
    "咱俩",
    "我俩",
    "我们夫妻",
    "我们两个",
    "我们两口子",
    "我们兄弟",
    "我们姐妹",
];
const WHEN: &[&str] = &[
    "有时候",
    "有时",
    "目前",
    "现在",
    "平时",
    "通常",
    "最近",
    "一般",
    "经常",
    "偶尔",
    "如今",
];

pub(super) fn turn(quote: &str, preference: bool, situation: bool) -> Option<String> {
    let user = if quote.contains(TRADITIONAL) {
        "用戶"
    } else {
        "用户"
    };
    if TWO.iter().any(|two| quote.contains(two)) {
        return None;
    }
    let mut text = without_particles(opened(quote)).to_owned();
    if let Some(moved) = with_when_inside(&text) {
        text = moved;
    }
    for (word, mark) in NOT_ME {
        text = text.replace(word, mark);
    }
    let no_order = NO_ORDERS.iter().any(|word| text.starts_with(word));
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
    .find_map(|word| text.strip_prefix(word).map(str::to_owned))
    .filter(|_| !no_order);
    if let Some(rest) = orders {
        text = format!("{user}要求{rest}");
    } else if let Some(rest) = text
        .strip_prefix("作为一名")
        .or_else(|| text.strip_prefix("作为一个"))
        .or_else(|| text.strip_prefix("作为"))
    {
        text = format!("{user}是{rest}");
    } else if !no_order
        && ["叫我", "称呼我", "別", "别", "不要"]
            .iter()
            .any(|word| text.starts_with(word))
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
        ("咱", user.to_owned()),
        ("本人", user.to_owned()),
        ("我", user.to_owned()),
        ("俺", user.to_owned()),
        ("你们", "助手".to_owned()),
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

/// Without its openings, again and again.
fn opened(quote: &str) -> &str {
    let mut text = quote;
    loop {
        if NO_OPENINGS.iter().any(|word| text.starts_with(word)) {
            return text;
        }
        let Some(opening) = words::zh("openings")
            .iter()
            .find(|opening| text.starts_with(**opening))
        else {
            return text;
        };
        let rest = text[opening.len()..]
            .trim_start_matches([' ', ',', '，', '、', ':', '：', '—', '！', '!']);
        if rest.is_empty() {
            return text;
        }
        text = rest;
    }
}

/// 酒吧 and 网吧 end in the sign of a particle and hold none.
fn without_particles(text: &str) -> &str {
    let bare = text.trim_end_matches(PARTICLES);
    let place = bare.ends_with(['酒', '网', '網', '贴']);
    let ended = &text[bare.len()..];
    if place && ended.starts_with('吧') {
        return &text[..bare.len() + '吧'.len_utf8()];
    }
    bare
}

/// 有时候我喜欢… -> 我有时候喜欢…
fn with_when_inside(text: &str) -> Option<String> {
    let (when, rest) = WHEN
        .iter()
        .find_map(|when| Some((*when, text.strip_prefix(when)?)))?;
    let rest = rest.trim_start_matches(['，', ',']).strip_prefix('我')?;
    let alone = ![
        "们", "們", "的", "家", "司", "公司", "老", "妈", "爸", "女", "儿", "孩", "妻", "丈", "朋",
        "同", "和",
    ]
    .iter()
    .any(|next| rest.starts_with(next));
    alone.then(|| format!("我{when}{rest}"))
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

    // A13
    #[test]
    fn twenty_sentences_read_as_a_person_would_write_them() {
        let mut wrong = Vec::new();
        for (from, to) in [
            ("我不再在Acme工作了", "用户不再在Acme工作了"),
            ("目前我在写论文", "用户目前在写论文"),
            ("有时候，我更喜欢喝茶", "用户有时候更喜欢喝茶"),
            ("其实我住在柏林", "用户住在柏林"),
            ("你好，我是李雷", "用户是李雷"),
            ("还有一个女儿在上学", "用户还有一个女儿在上学"),
            ("还有，我对花生过敏", "用户对花生过敏"),
            ("别人都叫我小李", "别人都叫用户小李"),
            ("请假三天去旅行", "用户请假三天去旅行"),
            ("别用表情符号", "用户要求别用表情符号"),
            ("我在我国西部长大", "用户在我国西部长大"),
            ("我开一辆迷你库珀", "用户开一辆迷你库珀"),
            ("我喜欢玩我的世界", "用户喜欢玩我的世界"),
            ("我常去那家酒吧", "用户常去那家酒吧"),
            ("我喜欢喝茶吧", "用户喜欢喝茶"),
            (
                "作为一名老师，我喜欢简短的回答",
                "用户是老师，用户喜欢简短的回答",
            ),
            ("我自己做饭", "用户自己做饭"),
            ("但愿我能去日本", "但愿用户能去日本"),
            ("咱家养了两只猫", "用户家养了两只猫"),
            ("最近我们公司在招人", "最近用户的公司在招人"),
        ] {
            let turned = turn(from, false, false);
            if turned.as_deref() != Some(to) {
                wrong.push((from, turned));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(turn("我们俩住在上海", false, false), None);
    }
}
