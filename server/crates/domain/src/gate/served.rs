//! What Keepsake itself had served (F6): blocks by their fence, and single lines by what the caller knows was served.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::{conversation::Role, flags::pattern};

/// The fences of every layout; one that never closes runs to the end of the message.
static BLOCK: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    ["entity_memory", "prior_knowledge", "recent_sessions", "user_profile"]
        .map(|fence| pattern::one(&format!(r"(?s)(?:<|&lt;)\s*{fence}\b[^>\n]*?(?:>|&gt;).*?(?:(?:<|&lt;)\s*/\s*{fence}\s*(?:>|&gt;)|\z)")))
});

/// The mark of a list or a kind before a served statement, and the date behind it.
static MARK: LazyLock<Regex> =
    LazyLock::new(|| pattern::one(r"^\s*(?:(?:[-*•]|\d+[.)])\s+|\[[^\]]{1,40}\]\s*)"));
static SAID: LazyLock<Regex> = LazyLock::new(|| pattern::one(r"\s*\(said [^)]{1,40}\)\s*$"));

/// Where served text is, in code points: sorted, not touching. A line of the user's own counts only with the mark of a list or in the
/// third person: who says again what is stored in the first person has said it.
pub(super) fn spans(message: &str, role: Role, served: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = BLOCK
        .iter()
        .flat_map(|block| block.find_iter(message))
        .map(|block| block.range())
        .collect();
    let mut start = 0;
    for line in message.split_inclusive('\n') {
        let marked = MARK.find(line);
        let statement = &line[marked.map_or(0, |mark| mark.end())..];
        let statement = SAID.replace(statement, "");
        let statement = statement
            .trim()
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let third_person = ["User", "ユーザー", "用户"]
            .iter()
            .any(|subject| statement.starts_with(subject));
        if !statement.is_empty()
            && (role != Role::User || marked.is_some() || third_person)
            && served(&statement)
        {
            found.push(start..start + line.len());
        }
        start += line.len();
    }
    found.sort_by_key(|range| (range.start, range.end));
    let point = |byte: usize| message[..byte].chars().count();
    found
        .into_iter()
        .fold(Vec::new(), |mut joined: Vec<Range<usize>>, bytes| {
            let range = point(bytes.start)..point(bytes.end);
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
            joined
        })
}

/// The message with served text blanked one for one, so that offsets and lines stay.
pub(super) fn blank(message: &str, spans: &[Range<usize>]) -> String {
    message
        .chars()
        .enumerate()
        .map(|(at, c)| {
            if c != '\n' && spans.iter().any(|span| span.contains(&at)) {
                ' '
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(message: &str, role: Role, served: &dyn Fn(&str) -> bool) -> String {
        blank(message, &spans(message, role, served))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    // F6
    #[test]
    fn blocks_and_lines_that_were_served_are_blanked_and_the_rest_stays_in_place() {
        let none = |_: &str| false;
        let block = "My context was:\n<entity_memory>\n- User prefers metric units\n</entity_memory>\nAlso, I moved.";
        assert_eq!(
            left(block, Role::User, &none),
            "My context was: Also, I moved."
        );
        assert_eq!(
            blank(block, &spans(block, Role::User, &none))
                .chars()
                .count(),
            block.chars().count()
        );
        assert_eq!(left("a <ENTITY_MEMORY> b", Role::User, &none), "a");
        assert_eq!(
            left(
                "a &lt;prior_knowledge&gt; b &lt;/prior_knowledge&gt; c",
                Role::User,
                &none
            ),
            "a c"
        );

        let stored = |line: &str| ["User likes <b>", "I like tea"].contains(&line);
        assert_eq!(
            left(
                "you said\n- User likes &lt;b&gt; (said 2026-03-01)\nok",
                Role::User,
                &stored
            ),
            "you said ok"
        );
        assert_eq!(
            left("[FACT] User likes <b>\nok", Role::Assistant, &stored),
            "ok"
        );
        assert_eq!(left("I like tea", Role::User, &stored), "I like tea");
        assert_eq!(left("* I like tea", Role::User, &stored), "");
    }
}
