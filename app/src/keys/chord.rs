//! How a key, or two after each other, is written: `a`, `Shift+X`, `Ctrl+Enter`, `g o`.

use super::Wrong;

/// Keys that have a name instead of a character.
const NAMED: [&str; 10] = [
    "Enter",
    "ArrowUp",
    "ArrowDown",
    "ArrowLeft",
    "ArrowRight",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Insert",
];

/// Keys that stay the browser's, or that would be pressed for another reason: a decision must never be the answer to a key that
/// deletes.
const RESERVED: [&str; 6] = ["Delete", "Backspace", "Escape", "Esc", "Tab", "Space"];

/// Letters with Ctrl that a browser does not give away, or that everybody's hands know for something else.
const BROWSERS: &str = "ACLNPQRTVWXZ";

/// Most keys after each other.
const STROKES: usize = 2;

/// What was pressed, as it is written. A letter's case is that of Shift alone, so that Caps Lock changes nothing.
pub fn stroke(key: &str, ctrl: bool, shift: bool) -> String {
    let letter = key.len() == 1 && key.as_bytes()[0].is_ascii_alphabetic();
    match (ctrl, shift, letter) {
        (true, _, true) => format!("Ctrl+{}", key.to_ascii_uppercase()),
        (true, ..) => format!("Ctrl+{key}"),
        (false, true, true) => format!("Shift+{}", key.to_ascii_uppercase()),
        (false, false, true) => key.to_ascii_lowercase(),
        // Shift is already in what another key writes: `?` and not `/`.
        (false, _, false) => key.to_owned(),
    }
}

/// What a person typed, as [`stroke`] writes it.
///
/// # Errors
/// [`Wrong::Shape`] for what is no key; [`Wrong::Reserved`] for one that is not to be had.
pub fn parse(typed: &str) -> Result<String, Wrong> {
    let strokes = typed
        .split_whitespace()
        .map(parse_stroke)
        .collect::<Result<Vec<_>, _>>()?;
    let ctrl = strokes.iter().any(|stroke| stroke.starts_with("Ctrl+"));
    match strokes.len() {
        1 => Ok(strokes.concat()),
        2..=STROKES if !ctrl => Ok(strokes.join(" ")),
        _ => Err(Wrong::Shape),
    }
}

fn parse_stroke(typed: &str) -> Result<String, Wrong> {
    let (mut ctrl, mut shift, mut key) = (false, false, typed);
    while let Some((modifier, rest)) = key.split_once('+').filter(|(_, rest)| !rest.is_empty()) {
        match modifier.to_ascii_lowercase().as_str() {
            "ctrl" | "control" if !ctrl => ctrl = true,
            "shift" if !shift => shift = true,
            _ => return Err(Wrong::Shape),
        }
        key = rest;
    }
    if RESERVED.iter().any(|name| name.eq_ignore_ascii_case(key)) {
        return Err(Wrong::Reserved);
    }
    if let Some(name) = NAMED.iter().find(|name| name.eq_ignore_ascii_case(key)) {
        return if shift {
            Err(Wrong::Shape)
        } else {
            Ok(stroke(name, ctrl, false))
        };
    }
    let mut characters = key.chars();
    let one = characters.next().filter(|_| characters.next().is_none());
    let Some(character) = one.filter(|character| !character.is_control()) else {
        return Err(Wrong::Shape);
    };
    let letter = character.is_ascii_alphabetic();
    if ctrl && (shift || BROWSERS.contains(character.to_ascii_uppercase())) {
        return Err(Wrong::Reserved);
    }
    if shift && !letter {
        return Err(Wrong::Shape);
    }
    let shift = shift || (letter && character.is_ascii_uppercase());
    Ok(stroke(key, ctrl, shift))
}

/// As a badge shows it.
pub fn label(chord: &str) -> String {
    chord
        .replace("Ctrl+", "Ctrl ")
        .replace("Shift+", "Shift ")
        .replace("Arrow", "")
}

/// As `aria-keyshortcuts` names it, which has no way to say two keys after each other.
pub fn aria(chord: &str) -> Option<String> {
    let one = !chord.is_empty() && !chord.contains(' ');
    one.then(|| chord.replace("Ctrl+", "Control+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_lock_changes_no_letter_and_shift_is_said_of_letters_only() {
        assert_eq!(stroke("A", false, false), "a");
        assert_eq!(stroke("x", false, true), "Shift+X");
        assert_eq!(stroke("?", false, true), "?");
        assert_eq!(stroke("k", true, false), "Ctrl+K");
        assert_eq!(stroke("Enter", true, false), "Ctrl+Enter");
        assert_eq!(stroke("é", false, false), "é");
    }

    #[test]
    fn what_is_typed_is_read_as_it_is_pressed() {
        for (typed, chord) in [
            ("a", "a"),
            ("X", "Shift+X"),
            (" shift+x ", "Shift+X"),
            ("control+enter", "Ctrl+Enter"),
            ("ctrl+k", "Ctrl+K"),
            ("g  O", "g Shift+O"),
            ("+", "+"),
            ("arrowdown", "ArrowDown"),
            ("ü", "ü"),
        ] {
            assert_eq!(parse(typed).as_deref(), Ok(chord), "{typed}");
        }
    }

    #[test]
    fn what_deletes_what_the_browser_keeps_and_what_is_no_key_is_refused() {
        for typed in [
            "Delete",
            "backspace",
            "esc",
            "Tab",
            "ctrl+w",
            "Ctrl+V",
            "g Delete",
        ] {
            assert_eq!(parse(typed), Err(Wrong::Reserved), "{typed}");
        }
        for typed in [
            "",
            "  ",
            "ab",
            "a b c",
            "Alt+a",
            "Ctrl+Ctrl+a",
            "g Ctrl+o",
            "Shift+1",
            "あい",
        ] {
            assert_eq!(parse(typed), Err(Wrong::Shape), "{typed}");
        }
    }

    #[test]
    fn a_chord_is_shown_and_named() {
        assert_eq!(label("Ctrl+Enter"), "Ctrl Enter");
        assert_eq!(label("g o"), "g o");
        assert_eq!(label("ArrowUp"), "Up");
        assert_eq!(label("+"), "+");
        assert_eq!(aria("Ctrl+K").as_deref(), Some("Control+K"));
        assert_eq!(aria("Shift+X").as_deref(), Some("Shift+X"));
        assert_eq!(aria("g o"), None);
        assert_eq!(aria(""), None);
    }
}
