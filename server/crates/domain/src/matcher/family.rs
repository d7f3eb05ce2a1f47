//! Names of slots: one for all wordings and languages.

/// Families of names for one slot, whatever the language or the wording, in normal form; the first is the slot's own.
const FAMILIES: &[&[&str]] = &[
    &[
        "name",
        "first name",
        "full name",
        "user name",
        "users name",
        "名前",
        "氏名",
        "お名前",
        "姓名",
        "名字",
    ],
    &[
        "lives in",
        "home",
        "home city",
        "home town",
        "hometown",
        "city",
        "residence",
        "place of residence",
        "location",
        "lives",
        "居住地",
        "住まい",
        "住所",
        "住んでいる場所",
        "住んでいる所",
        "所在地",
        "居住城市",
        "住址",
        "住在",
    ],
    &[
        "employer",
        "works at",
        "works for",
        "company",
        "workplace",
        "勤務先",
        "会社",
        "職場",
        "勤め先",
        "公司",
        "单位",
        "工作单位",
        "雇主",
    ],
    &[
        "role",
        "job",
        "job title",
        "job role",
        "position",
        "occupation",
        "profession",
        "役職",
        "職業",
        "仕事",
        "職種",
        "職位",
        "职位",
        "职业",
        "职务",
    ],
    &[
        "answer length",
        "response length",
        "reply length",
        "length of answers",
        "verbosity",
        "回答の長さ",
        "返答の長さ",
        "回答長",
        "回答长度",
        "回复长度",
    ],
    &[
        "answer language",
        "response language",
        "reply language",
        "language of answers",
        "preferred language",
        "回答の言語",
        "回答言語",
        "返答の言語",
        "回答语言",
        "回复语言",
    ],
    &[
        "answer format",
        "response format",
        "output format",
        "回答の形式",
        "出力形式",
        "回答格式",
        "输出格式",
    ],
    &[
        "tone",
        "answer tone",
        "response tone",
        "tone of voice",
        "口調",
        "トーン",
        "话风",
        "语气",
    ],
    &["age", "年齢", "年龄"],
    &[
        "birthday",
        "date of birth",
        "birth date",
        "誕生日",
        "生年月日",
        "生日",
    ],
    &["budget", "予算", "预算"],
    &["time zone", "timezone", "タイムゾーン", "时区"],
];

/// Things one can have a favourite of, by their English name.
const FAVOURITES: &[&[&str]] = &[
    &["color", "colour", "色", "颜色"],
    &["food", "食べ物", "料理", "食物", "菜"],
    &["player", "選手", "球员", "选手"],
    &["team", "チーム", "球队"],
    &["movie", "film", "映画", "电影"],
    &["music", "音楽", "音乐"],
    &["song", "曲", "歌"],
    &["book", "本", "书"],
    &["sport", "スポーツ", "运动"],
    &["drink", "飲み物", "饮料"],
    &["animal", "動物", "动物"],
    &["programming language", "プログラミング言語", "编程语言"],
    &["editor", "エディタ", "エディター", "编辑器"],
    &["season", "季節", "季节"],
    &["city", "都市", "街", "城市"],
    &["fruit", "果物", "水果"],
    &["game", "ゲーム", "游戏"],
    &["artist", "アーティスト", "歌手"],
    &["restaurant", "レストラン", "餐厅"],
];

/// The slot's own name for a name in normal form.
pub(super) fn family(name: &str) -> String {
    for family in FAMILIES {
        if family.contains(&name) {
            return family[0].to_owned();
        }
    }
    for prefix in [
        "users favourite ",
        "users favorite ",
        "users fav ",
        "favourite ",
        "favorite ",
        "fav ",
        "current favourite ",
        "current favorite ",
        "一番好きな",
        "最も好きな",
        "好きな",
        "最喜欢的",
        "最爱的",
        "喜欢的",
    ] {
        if let Some(thing) = name.strip_prefix(prefix) {
            return favourite(thing);
        }
    }
    name.strip_prefix("users ").unwrap_or(name).to_owned()
}

/// The slot of a favourite thing.
pub(super) fn favourite(thing: &str) -> String {
    let thing = thing.trim();
    let english = FAVOURITES
        .iter()
        .find(|names| names.contains(&thing))
        .map_or(thing, |names| names[0]);
    format!("favourite {english}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::normal_form;

    #[test]
    fn the_families_are_in_normal_form() {
        for member in FAMILIES
            .iter()
            .chain(FAVOURITES)
            .flat_map(|family| family.iter())
        {
            assert_eq!(normal_form(member), *member);
        }
    }
}
