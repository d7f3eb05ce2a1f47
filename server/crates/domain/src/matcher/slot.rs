//! Slots: what a person has one value of at a time. A second value is an update, never a second memory (B4).

use super::{
    decision::{self, Decision},
    family::{family, favourite},
};
use crate::{gate::SUMMARY, profile, text::normal_form};

/// Whether memories of a kind are told apart by their name alone: the field of a profile, the conversation of a summary. Their words
/// are compared with nothing else, and their slot is the name to the letter: `job_status` is not `job-status`.
pub fn by_name(kind: &str) -> bool {
    matches!(kind, profile::KIND | SUMMARY)
}

/// The slot a statement fills, with its kind in it: from its name, else from wording that is sure. `None` where it fills none: most
/// statements do not, and a pattern never does.
pub fn slot(kind: &str, name: Option<&str>, content: &str) -> Option<String> {
    slot_and_value(kind, name, &normal_form(content)).0
}

/// The slot, and the value in normal form where the wording is one that is known; `form` is the normal form of the statement.
pub(super) fn slot_and_value(
    kind: &str,
    name: Option<&str>,
    form: &str,
) -> (Option<String>, Option<String>) {
    if by_name(kind) {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        return (name.map(|name| format!("{kind}\u{1f}{name}")), None);
    }
    if kind == "pattern" {
        return (None, None);
    }
    if kind == decision::KIND {
        let said = Decision::new(form);
        let what = match name.map(normal_form).filter(|name| !name.is_empty()) {
            Some(name) => Decision::new(&name).what,
            None => said.what.clone(),
        };
        let slot = (!what.is_empty()).then(|| format!("{kind}\u{1f}{what}"));
        return (slot, Some(said.value()));
    }
    let (said, value) = worded(kind, form).unzip();
    let named = name
        .map(normal_form)
        .filter(|name| !name.is_empty())
        .map(|name| family(&name));
    let slot = named.or(said).map(|slot| format!("{kind}\u{1f}{slot}"));
    (slot, value.filter(|value| !value.is_empty()))
}

/// Slot and value by wording that leaves no doubt. The kind is asked because "works at home this week" is a context, no employer.
fn worded(kind: &str, form: &str) -> Option<(String, String)> {
    let taste = matches!(kind, "preference" | "fact");
    if taste && let Some(found) = favourite_in(form) {
        return Some(found);
    }
    if kind == "preference" {
        return answer_length(form);
    }
    if kind != "fact" {
        return None;
    }
    let after = |openings: &[&str]| {
        openings
            .iter()
            .find_map(|opening| form.strip_prefix(opening))
            .map(str::to_owned)
    };
    if let Some(value) = after(&[
        "users name is ",
        "user is called ",
        "user is named ",
        "user goes by ",
        "ユーザーの名前は",
        "用户的名字是",
        "用户的名字叫",
        "用户名叫",
        "用户叫",
    ]) {
        return Some(("name".to_owned(), value));
    }
    if let Some(value) = after(&[
        "user lives in ",
        "user is living in ",
        "user now lives in ",
        "user currently lives in ",
        "user resides in ",
        "user is based in ",
        "用户住在",
        "用户居住在",
        "用户现在住在",
        "用户目前住在",
    ]) {
        return Some((
            "lives in".to_owned(),
            value.trim_end_matches(" now").to_owned(),
        ));
    }
    if let Some(value) = between(
        form,
        "ユーザーは",
        &["に住んでいる", "在住", "に在住", "で暮らしている", "に住む"],
    ) {
        return Some((
            "lives in".to_owned(),
            value
                .trim_start_matches("今")
                .trim_start_matches("現在")
                .to_owned(),
        ));
    }
    if let Some(value) = after(&[
        "user works at ",
        "user works for ",
        "user is employed by ",
        "user is employed at ",
        "用户就职于",
        "用户任职于",
    ]) {
        let place = !matches!(
            value.as_str(),
            "home" | "night" | "nights" | "fun" | "free" | "a" | "the"
        );
        return place.then(|| ("employer".to_owned(), value));
    }
    if let Some(value) = between(
        form,
        "ユーザーは",
        &[
            "に勤めている",
            "に勤務している",
            "で働いている",
            "に勤務",
            "勤務",
        ],
    ) {
        return Some(("employer".to_owned(), value));
    }
    between(form, "用户在", &["工作", "上班"]).map(|value| ("employer".to_owned(), value))
}

fn between(form: &str, opening: &str, endings: &[&str]) -> Option<String> {
    let rest = form.strip_prefix(opening)?;
    let value = endings
        .iter()
        .find_map(|ending| rest.strip_suffix(ending))?;
    (!value.is_empty()).then(|| value.to_owned())
}

fn favourite_in(form: &str) -> Option<(String, String)> {
    for opening in [
        "users favourite ",
        "users favorite ",
        "users current favourite ",
        "users current favorite ",
        "users all time favourite ",
    ] {
        if let Some(rest) = form.strip_prefix(opening)
            && let Some((thing, value)) =
                rest.split_once(" is ").or_else(|| rest.split_once(" are "))
        {
            return Some((
                favourite(thing),
                value.trim_start_matches("now ").to_owned(),
            ));
        }
    }
    for (opening, is) in [
        ("ユーザーの一番好きな", "は"),
        ("ユーザーが一番好きな", "は"),
        ("ユーザーの好きな", "は"),
        ("ユーザーが好きな", "は"),
        ("ユーザーは一番好きな", "は"),
        ("用户最喜欢的", "是"),
        ("用户现在最喜欢的", "是"),
        ("用户最爱的", "是"),
    ] {
        if let Some(rest) = form.strip_prefix(opening)
            && let Some((thing, value)) = rest.split_once(is)
        {
            return Some((favourite(thing), value.to_owned()));
        }
    }
    None
}

fn answer_length(form: &str) -> Option<(String, String)> {
    let padded = format!(" {form} ");
    let holds = |words: &[&str]| words.iter().any(|word| padded.contains(word));
    let answers = holds(&[
        " answers ",
        " responses ",
        " replies ",
        " explanations ",
        " answer ",
        " response ",
        "回答",
        "返答",
        "答え",
        "返事",
        "回复",
        "答案",
    ]);
    let wish = form.starts_with("user likes ")
        || form.starts_with("user wants ")
        || form.contains("好き")
        || form.contains("好み")
        || form.contains("希望")
        || form.contains("ほしい")
        || form.starts_with("用户喜欢")
        || form.starts_with("用户希望");
    if !answers || !wish {
        return None;
    }
    let short = holds(&[
        " short ",
        " concise ",
        " brief ",
        " shorter ",
        " terse ",
        "簡潔",
        "短い",
        "短め",
        "短く",
        "简短",
        "简洁",
        "简明",
    ]);
    let long = holds(&[
        " long ",
        " detailed ",
        " longer ",
        " thorough ",
        " in depth ",
        "詳しい",
        "詳細",
        "長め",
        "長い",
        "詳しく",
        "详细",
        "详尽",
    ]);
    match (short, long) {
        (true, false) => Some(("answer length".to_owned(), "short".to_owned())),
        (false, true) => Some(("answer length".to_owned(), "long".to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, name: Option<&str>, content: &str) -> String {
        slot(kind, name, content)
            .unwrap_or_default()
            .replace('\u{1f}', "/")
    }

    // A3, B4
    #[test]
    fn one_slot_whatever_the_wording_or_the_language() {
        for (kind, name, content, is) in [
            (
                "fact",
                Some("Lives in"),
                "User lives in Oslo",
                "fact/lives in",
            ),
            ("fact", None, "User lives in Oslo", "fact/lives in"),
            ("fact", None, "I live in Bergen now.", "fact/lives in"),
            (
                "fact",
                None,
                "ユーザーは東京に住んでいます",
                "fact/lives in",
            ),
            ("fact", Some("居住地"), "東京", "fact/lives in"),
            ("fact", None, "用户住在上海", "fact/lives in"),
            (
                "preference",
                Some("favourite player"),
                "User's favourite player is Messi",
                "preference/favourite player",
            ),
            (
                "preference",
                None,
                "User's current favorite player is Messi",
                "preference/favourite player",
            ),
            (
                "preference",
                Some("好きな選手"),
                "メッシ",
                "preference/favourite player",
            ),
            (
                "preference",
                None,
                "用户最喜欢的颜色是蓝色",
                "preference/favourite color",
            ),
            (
                "preference",
                None,
                "My favourite colour is blue",
                "preference/favourite color",
            ),
            (
                "preference",
                None,
                "User prefers concise answers",
                "preference/answer length",
            ),
            (
                "preference",
                None,
                "ユーザーは簡潔な回答を好む",
                "preference/answer length",
            ),
            (
                "preference",
                Some("verbosity"),
                "x",
                "preference/answer length",
            ),
            ("fact", None, "User's name is Ana", "fact/name"),
            ("fact", None, "User works at Initech", "fact/employer"),
            ("fact", None, "用户在谷歌工作", "fact/employer"),
            ("context", Some("予算"), "予算は５０万円", "context/budget"),
            (
                "context",
                Some("Budget"),
                "The budget is $500",
                "context/budget",
            ),
            (
                "campaign",
                Some("Alpha"),
                "campaign Alpha moved to target CPA",
                "campaign/alpha",
            ),
        ] {
            assert_eq!(of(kind, name, content), is, "{content}");
        }
    }

    // D4, C4
    #[test]
    fn a_field_and_a_summary_are_told_apart_by_their_name_alone() {
        assert_eq!(
            of("profile_field", Some("user-profile/job_status"), "student"),
            "profile_field/user-profile/job_status"
        );
        assert_ne!(
            slot("profile_field", Some("p/home_city"), "x"),
            slot("profile_field", Some("p/home-city"), "x")
        );
        assert_eq!(
            of("session_summary", Some("conv_1"), "x"),
            "session_summary/conv_1"
        );
    }

    #[test]
    fn most_statements_fill_no_slot() {
        for (kind, content) in [
            ("context", "User works at home this week"),
            ("fact", "User works at home"),
            ("preference", "User prefers dark mode"),
            ("preference", "User prefers tabs over spaces in short files"),
            ("fact", "User has two children"),
            ("fact", ""),
        ] {
            assert_eq!(slot(kind, None, content), None, "{content}");
        }
        assert_eq!(slot("pattern", Some("x"), "y"), None);
        assert_eq!(slot("session_summary", None, "y"), None);
        assert_eq!(slot("fact", Some("  "), "User has two children"), None);
    }
}
