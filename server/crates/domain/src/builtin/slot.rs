//! The slot a statement fills, where its words make that sure: a later value for the same slot is a change, whatever the
//! language it is said in.

use super::{feature::fold, language::Language};

/// The slot of `clause` in lower-case English, or `None`: most statements fill none.
pub(super) fn name(clause: &str, language: Language, kind: &str, third_party: bool) -> Option<String> {
    if third_party {
        return None;
    }
    let folded = fold(clause);
    if kind == "context" {
        // A situation names no slot of a person; of its own it has the one figure that people correct.
        return BUDGET.iter().any(|word| folded.contains(word)).then(|| "budget".to_owned());
    }
    if kind == "fact" {
        let own = match language {
            Language::English => None,
            Language::Japanese => japanese_fact(&folded),
            Language::Chinese => works_in_chinese(&folded).then_some("employer"),
        };
        if own.is_some() {
            return own.map(str::to_owned);
        }
    }
    let favourite = match language {
        Language::English => favourite_english(&folded),
        Language::Japanese => favourite_japanese(&folded),
        Language::Chinese => favourite_chinese(&folded),
    };
    if favourite.is_some() {
        return favourite;
    }
    let families = match language {
        Language::English => ENGLISH,
        Language::Japanese => JAPANESE,
        Language::Chinese => CHINESE,
    };
    let subject = if language == Language::English { format!(" {folded} ") } else { folded };
    families
        .iter()
        .filter(|family| family.slot != "employer" || !NO_EMPLOYER.iter().any(|word| subject.contains(word)))
        .find(|family| family.kind == kind && family.words.iter().all(|any| any.iter().any(|word| found(&subject, word))))
        .map(|family| family.slot.to_owned())
}

/// `word` in `subject`; `^` binds it to the start.
fn found(subject: &str, word: &str) -> bool {
    match word.strip_prefix('^') {
        Some(word) => subject.trim_start().starts_with(word.trim_start()),
        None => subject.contains(word),
    }
}

struct Family {
    slot: &'static str,
    kind: &'static str,
    /// One word of every list must be there.
    words: &'static [&'static [&'static str]],
}

/// Working, but for nobody that is named.
const NO_EMPLOYER: &[&str] = &[
    "work for myself", "work at night", "work at home", "work at my", "work for fun", "找工作", "换工作", "在家工作", "在家上班", "正在工作", "在工作", "在上班", "晚上工作", "早上工作", "在宅で働", "リモートで働", "自宅で働", "夜勤で働", "週4日で働", "フルタイムで働", "正社員で働",
];

const fn fact(slot: &'static str, words: &'static [&'static [&'static str]]) -> Family {
    Family { slot, kind: "fact", words }
}

const fn taste(slot: &'static str, words: &'static [&'static [&'static str]]) -> Family {
    Family { slot, kind: "preference", words }
}

const ENGLISH_ROLES: &[&str] = &[
    " engineer", " developer", " manager", " cto", " ceo", " cfo", " coo", " designer", " analyst", " teacher", " nurse", " doctor", " student",
    " lawyer", " accountant", " professor", " scientist", " consultant", " architect", " founder", " co-founder", " director", " writer",
    " journalist", " chef", " researcher", " programmer", " marketer", " product owner", " head of", " vp of", " electrician", " pharmacist",
    " freelancer", " physicist", " biologist", " translator", " photographer", " carpenter", " plumber", " pilot", " dentist", " librarian",
    " intern ", " recruiter", " editor", " team lead", " tech lead", " sysadmin", " administrator", " vet ", " barista", " musician", " postdoc",
];

const ENGLISH: &[Family] = &[
    fact("name", &[&["my name is ", "my name's ", "my full name is ", " i'm called ", " i am called ", "i go by "]]),
    fact("form of address", &[&["^call me ", " call me ", "my pronouns are"]]),
    fact("birthday", &[&["my birthday is", "my birthday's", "i was born on "]]),
    fact("age", &[&["^i'm 0 ", "^i am 0 ", " years old"], &["i'm ", "i am "]]),
    fact("native language", &[&["native language is", "mother tongue is", "first language is"]]),
    fact("time zone", &[&["my timezone is", "my time zone is", "i'm in the pacific time", "i'm on cet", "i'm in cet", "time zone: "]]),
    fact("diet", &[&["i'm vegan", "i am vegan", "i'm vegetarian", "i am vegetarian", "a vegetarian", "a vegan", "i'm a pescatarian", "i'm pescatarian"]]),
    fact("role", &[&["^i'm ", "^i am ", "^im ", "^i work as ", "^as a ", "^as an ", "^as the ", " i'm a", " i'm the ", "my job title is ", "my title is ", "my role is ", "^since i'm "], ENGLISH_ROLES]),
    fact("role", &[&["i work as a ", "i work as an ", "my job title is ", "my title is ", "my role is ", "my profession is "]]),
    fact("employer", &[&["i work at ", "i work for ", "i'm employed at ", "i'm employed by ", "my employer is ", "i'm working at ", "i'm working for ", "i joined ", "i now work at ", "i currently work at "]]),
    fact("lives in", &[&["i live in ", "i'm living in ", "i currently live in ", "i now live in ", "i moved to ", "i've moved to ", "^i'm based in ", " i'm based in ", "i am based in ", "i reside in ", "^based in ", "we live in "]]),
    fact("from", &[&["i'm from ", "i am from ", "i come from ", "my hometown is ", "i'm originally from "]]),
    taste("form of address", &[&["^call me ", " call me ", "my pronouns are", "address me as ", "refer to me as "]]),
    taste("answer length", &[
        &["answer", "repl", "respon", "explanation"],
        &["short", "brief", "concise", " long", "detailed", "verbose", "succinct", "thorough", "to the point", "wordy", "one paragraph", "in depth", "in-depth"],
    ]),
    taste("answer language", &[
        &["answer", "repl", "respond", "response", "write to me", "talk to me", "speak to me", "speak "],
        &["in english", "in spanish", "in french", "in german", "in japanese", "in chinese", "in korean", "in portuguese", "in italian", "in dutch", "in mandarin"],
    ]),
    taste("units", &[&["metric", "imperial", "celsius", "fahrenheit"]]),
    taste("theme", &[&["dark mode", "light mode", "dark theme", "light theme"]]),
    taste("indentation", &[&["tabs", "spaces", "indent"], &["indent", "tabs over", "spaces over", "tabs to spaces", "spaces to tabs", "prefer tabs", "prefer spaces", "tabs, not", "spaces, not"]]),
    taste("tone", &[&["tone"], &["formal", "casual", "friendly", "informal", "professional", "direct", "relaxed"]]),
    taste("emojis", &[&["emoji"]]),
];

const JAPANESE_ROLES: &[&str] = &[
    "エンジニア", "cto", "ceo", "cfo", "デザイナー", "マネージャー", "教師", "看護師", "医師", "医者", "学生", "弁護士", "会計士", "研究者", "コンサルタント", "開発者", "プログラマー", "営業",
    "経理", "部長", "課長", "代表", "創業者", "社長", "薬剤師", "主婦", "会社員", "公務員", "フリーランス", "ライター", "翻訳者", "保育士", "料理人", "アナリスト", "美容師", "編集者", "大学院生", "校長", "店長", "リーダー", "pm", "警察官", "消防士", "パイロット", "記者", "作家",
];

const JAPANESE: &[Family] = &[
    fact("name", &[&["名前は", "と申します", "と申す", "本名は", "氏名は"]]),
    fact("name", &[&["私は", "僕は", "俺は"], &["といいます", "と言います"]]),
    fact("birthday", &[&["誕生日は", "生年月日は"]]),
    fact("age", &[&["0歳です", "0歳の", "0歳、", "今年で0歳", "年齢は"]]),
    fact("native language", &[&["母語は", "母国語は"]]),
    fact("time zone", &[&["タイムゾーンは"]]),
    fact("diet", &[&["ベジタリアン", "ヴィーガン", "ビーガン", "菜食主義"]]),
    fact("employer", &[&["で働いて", "に勤めて", "に勤務", "の社員", "勤務先は", "に入社", "に転職しました", "に所属"]]),
    fact("lives in", &[&["に住んで", "在住", "に引っ越しました", "に引越しました", "で暮らして", "に暮らして", "に移住し"]]),
    fact("from", &[&["出身", "生まれは"]]),
    taste("answer length", &[&["回答", "答え", "返信", "返事", "説明", "返答"], &["短", "簡潔", "手短", "長め", "詳し", "詳細", "丁寧に長", "一言"]]),
    taste("answer language", &[&["日本語で", "英語で", "中国語で", "韓国語で", "フランス語で"], &["答え", "回答", "返信", "返事", "お願い", "話し", "書い"]]),
    taste("form of address", &[&["と呼んで", "って呼んで", "とお呼び"]]),
    taste("units", &[&["メートル法", "ヤードポンド", "摂氏", "華氏"]]),
    taste("theme", &[&["ダークモード", "ライトモード", "ダークテーマ", "ライトテーマ"]]),
    taste("indentation", &[&["インデント"]]),
    taste("tone", &[&["敬語", "タメ口", "口調", "ですます"]]),
    taste("emojis", &[&["絵文字"]]),
];

const CHINESE_ROLES: &[&str] = &[
    "工程师", "工程師", "cto", "ceo", "cfo", "设计师", "設計師", "产品经理", "老师", "教师", "护士", "医生", "醫生", "学生", "學生", "律师", "会计", "教授", "研究员", "顾问", "创始人", "程序员", "开发者", "分析师", "经理", "总监", "司机",
    "厨师", "记者", "作家", "翻译", "药剂师", "摄影师", "公务员", "自由职业者", "销售", "研究生", "博士生", "编辑", "主管", "架构师", "运营", "店长", "飞行员", "警察", "负责人",
];

const CHINESE: &[Family] = &[
    fact("name", &[&["我叫", "我的名字是", "我名叫", "我姓", "本人姓", "我的全名"]]),
    fact("birthday", &[&["我的生日", "我生日", "我出生于"]]),
    fact("age", &[&["我今年0岁", "我0岁", "我今年0歲", "年龄是"]]),
    fact("native language", &[&["母语是", "母語是"]]),
    fact("time zone", &[&["我的时区", "时区是"]]),
    fact("diet", &[&["素食者", "我吃素", "纯素", "素食主义"]]),
    fact("role", &[&["我是", "我的职业", "我做", "担任", "我当", "^作为", "职位是", "是一名", "是个"], CHINESE_ROLES]),
    fact("lives in", &[&["我住在", "住在", "我住", "我搬到", "我现居", "我家在", "我定居"]]),
    fact("from", &[&["我来自", "我來自", "我老家", "我是四川人", "我的家乡", "籍贯"]]),
    taste("answer length", &[&["回答", "回复", "答案", "解释", "回應", "回覆"], &["简短", "简洁", "简单", "短", "详细", "长一", "精简", "詳細", "簡短", "一句话"]]),
    taste("answer language", &[&["用中文", "用英文", "用英语", "用日语", "用日文", "用粤语", "用繁体", "用简体", "中文回", "英文回"]]),
    taste("form of address", &[&["叫我", "称呼我", "稱呼我"]]),
    taste("units", &[&["公制", "英制", "摄氏", "华氏"]]),
    taste("theme", &[&["深色模式", "浅色模式", "暗色模式", "暗黑模式", "深色主题", "浅色主题"]]),
    taste("indentation", &[&["缩进"]]),
    taste("tone", &[&["语气"]]),
    taste("emojis", &[&["表情符号", "表情", "emoji"]]),
];

const BUDGET: &[&str] = &["budget is", "予算は", "预算是", "预算只有", "預算是", "预算大概", "预算不超过"];

/// A role of the list and what it is tied by: 「エンジニアです」, 「デザイナーとして」; and a name that is all there is said.
fn japanese_fact(folded: &str) -> Option<&'static str> {
    let ties = ["です", "で、", "で,", "として", "をして", "をやって", "なので", "なん", "だ", "を務め", "、", "でした", "で働", "と申"];
    let introduced = ["といいます", "と言います", "と申します"].iter().any(|end| folded.trim_end_matches('。').ends_with(end));
    if introduced && folded.chars().count() <= 14 && !folded.contains('は') {
        return Some("name");
    }
    let others = ["名前", "チームは", "顧客", "会社は"].iter().any(|word| folded.starts_with(word)) && !folded.contains('私');
    let role = JAPANESE_ROLES.iter().any(|role| {
        folded.match_indices(role).any(|(at, _)| {
            let rest = &folded[at + role.len()..];
            rest.is_empty() || ties.iter().any(|tie| rest.starts_with(tie))
        })
    });
    (role && !others && !folded.contains("以前は") && !folded.contains("もともと")).then_some("role")
}

/// 在…工作, with somebody between.
fn works_in_chinese(folded: &str) -> bool {
    folded.match_indices('在').any(|(at, word)| {
        let rest = &folded[at + word.len()..];
        let clause = rest.split(['，', ',', '。']).next().unwrap_or_default();
        ["工作", "上班", "任职", "就职", "供职"].iter().any(|work| clause.find(work).is_some_and(|at| at > 0)) && !["家", "找", "这里", "晚上", "早上", "哪"].iter().any(|no| clause.starts_with(no))
    })
}

/// Things one can have a favourite of: English, Japanese, Chinese. The first word is the slot's.
const FAVOURITES: &[(&str, &str, &str)] = &[
    ("programming language", "プログラミング言語", "编程语言"), ("colour", "色", "颜色"), ("food", "食べ物", "食物"), ("player", "選手", "球员"), ("film", "映画", "电影"),
    ("music", "音楽", "音乐"), ("book", "本", "书"), ("language", "言語", "语言"), ("drink", "飲み物", "饮料"), ("sport", "スポーツ", "运动"), ("editor", "エディタ", "编辑器"),
    ("team", "チーム", "球队"), ("season", "季節", "季节"), ("animal", "動物", "动物"), ("dish", "料理", "菜"), ("song", "曲", "歌"), ("game", "ゲーム", "游戏"), ("author", "作家", "作家"),
    ("actor", "俳優", "演员"), ("singer", "歌手", "歌手"), ("city", "街", "城市"), ("fruit", "果物", "水果"), ("artist", "アーティスト", "艺术家"), ("subject", "科目", "科目"),
];

fn favourite_english(folded: &str) -> Option<String> {
    let at = ["my favourite ", "my favorite ", "my current favourite ", "my current favorite ", "my all-time favourite ", "my all-time favorite "]
        .iter()
        .find_map(|opening| folded.find(opening).map(|at| at + opening.len()))?;
    let rest = &folded[at..];
    let end = [" is ", " are ", " has always been ", " would be ", "'s "].iter().filter_map(|verb| rest.find(verb)).min()?;
    let thing = rest[..end].trim();
    if thing.is_empty() || thing.split(' ').count() > 3 {
        return None;
    }
    let thing = match thing {
        "color" => "colour",
        "movie" => "film",
        other => other,
    };
    Some(format!("favourite {thing}"))
}

fn favourite_japanese(folded: &str) -> Option<String> {
    let rest = ["一番好きな", "いちばん好きな", "お気に入りの", "好きな"].iter().find_map(|opening| folded.split_once(opening).map(|parts| parts.1))?;
    FAVOURITES.iter().find(|(_, word, _)| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with('は'))).map(|(slot, ..)| format!("favourite {slot}"))
}

fn favourite_chinese(folded: &str) -> Option<String> {
    let rest = ["最喜欢的", "最喜歡的", "最爱的"].iter().find_map(|opening| folded.split_once(opening).map(|parts| parts.1))?;
    FAVOURITES.iter().find(|(_, _, word)| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with('是'))).map(|(slot, ..)| format!("favourite {slot}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_slot_in_three_languages() {
        let of = |text, language, preference| name(text, language, if preference { "preference" } else { "fact" }, false);
        for (slot, preference, en, ja, zh) in [
            ("lives in", false, "I live in Oslo", "大阪に住んでいます", "我住在上海"),
            ("employer", false, "I work at Google", "トヨタで働いています", "在腾讯工作"),
            ("name", false, "My name is Ana", "田中と申します", "我叫李国松"),
            ("role", false, "I'm the CTO of StartupCorp", "私はStartupCorpのCTOです", "我是一名工程师"),
            ("favourite colour", true, "My favorite color is blue", "好きな色は青です", "我最喜欢的颜色是蓝色"),
            ("answer length", true, "Keep your answers short", "回答は短くしてください", "回答简短一点"),
        ] {
            assert_eq!(of(en, Language::English, preference).as_deref(), Some(slot), "{en}");
            assert_eq!(of(ja, Language::Japanese, preference).as_deref(), Some(slot), "{ja}");
            assert_eq!(of(zh, Language::Chinese, preference).as_deref(), Some(slot), "{zh}");
        }
        assert_eq!(of("My current favourite player is Messi", Language::English, true).as_deref(), Some("favourite player"));
        assert_eq!(of("I'm allergic to peanuts", Language::English, false), None);
        assert_eq!(of("我在找工作", Language::Chinese, false), None);
        assert_eq!(of("私はStartupCorpのCTOで、SaaSを構築しています", Language::Japanese, false).as_deref(), Some("role"));
        assert_eq!(of("週末だけ友人とカフェを営業しています", Language::Japanese, false), None);
        assert_eq!(of("我拿的是工作签证，在东京住了四年", Language::Chinese, false), None);
        assert_eq!(name("My wife works at Google", Language::English, "fact", true), None);
        assert_eq!(name("The budget is $500", Language::English, "context", false).as_deref(), Some("budget"));
        assert_eq!(name("I'm retraining as a developer", Language::English, "context", false), None);
    }
}
