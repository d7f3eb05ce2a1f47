//! Cursor: JSONL, a line a message with `role` and `message.content`. What a person typed stands in `<user_query>`, behind what the
//! editor adds. Messages have no names and no times: their place names them.

use domain::conversation::Role;

use super::{Said, lines, text_of};

pub(super) fn said(text: &str) -> Vec<Said> {
    let messages = lines(text).enumerate().filter_map(|(at, line)| {
        let role = match line["role"].as_str()? {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        let content = text_of(&line["message"]["content"], &["text"]);
        let words = match role {
            Role::User => query(&content),
            _ => content.as_str(),
        };
        Said::new(&at.to_string(), role, words, None)
    });
    messages.collect()
}

/// What stands in the first `<user_query>` up to the last end of one, or everything where there is none.
fn query(content: &str) -> &str {
    let Some((_, inside)) = content.split_once("<user_query>") else {
        return content;
    };
    inside
        .rsplit_once("</user_query>")
        .map_or(inside, |(query, _)| query)
}
