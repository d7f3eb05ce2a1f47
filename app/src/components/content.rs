//! What people said, as it is: in its own language, with what does not show made to show.

use leptos::prelude::*;

use crate::text::Text;

/// A stretch of text.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Shown(String),
    Hidden(char),
}

fn pieces(content: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut shown = String::new();
    for letter in content.chars() {
        if letter != '\n' && letter != '\t' && domain::text::is_hidden(letter) {
            if !shown.is_empty() {
                pieces.push(Piece::Shown(std::mem::take(&mut shown)));
            }
            pieces.push(Piece::Hidden(letter));
        } else {
            shown.push(letter);
        }
    }
    if !shown.is_empty() {
        pieces.push(Piece::Shown(shown));
    }
    pieces
}

/// Text with a labelled chip for each character that does not show.
pub fn revealed(text: &'static Text, content: &str) -> AnyView {
    pieces(content)
        .into_iter()
        .map(|piece| match piece {
            Piece::Shown(shown) => shown.into_any(),
            Piece::Hidden(letter) => {
                let code = format!("U+{:04X}", u32::from(letter));
                let label = (text.candidate.hidden_character)(&code);
                view! {
                    <span class="unseen" title=label>
                        {code}
                    </span>
                }
                .into_any()
            }
        })
        .collect_view()
        .into_any()
}

/// The `lang` of content: nothing where the language is not known, so that the page's own does not stand for it.
pub fn lang(language: &str) -> Option<String> {
    Some(
        match language {
            "zh" => "zh-Hans",
            "und" => "",
            known => known,
        }
        .to_owned(),
    )
}

/// The first words of a statement, to name it in a message.
pub fn excerpt(content: &str) -> String {
    const MOST: usize = 60;
    let mut letters = content.chars();
    let mut short: String = letters.by_ref().take(MOST).collect();
    if letters.next().is_some() {
        short.truncate(short.trim_end().len());
        short.push('…');
    }
    short
}

/// A line of the dashboard's own in which what stands between backticks is a command.
pub fn with_code(line: &str) -> AnyView {
    line.split('`')
        .enumerate()
        .map(|(at, part)| match at % 2 {
            0 => part.to_owned().into_any(),
            _ => view! { <code>{part.to_owned()}</code> }.into_any(),
        })
        .collect_view()
        .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_is_named() {
        assert_eq!(
            pieces("pay\u{200b}me\nnow"),
            [
                Piece::Shown("pay".into()),
                Piece::Hidden('\u{200b}'),
                Piece::Shown("me\nnow".into())
            ]
        );
    }

    #[test]
    fn an_excerpt_is_cut_at_characters_never_inside_one() {
        assert_eq!(excerpt("短い"), "短い");
        assert_eq!(excerpt(&"長".repeat(61)).chars().count(), 61);
    }
}
