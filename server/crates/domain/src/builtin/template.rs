//! The training text: templates and what they expand to.
//!
//! A line is one template. `[a|b|]` picks one alternative (the last one here is nothing), `{slot}` a value of the slot
//! list, alternatives nest. Lines that begin with `#` are comments. A slot file has lines `name: value | value`.

use std::collections::BTreeMap;

/// Lists by name.
pub(super) type Slots<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// The training text names something that is not there, or does not close a bracket.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTemplate {
    #[error("no slot list {0:?}")]
    NoSlot(String),
    #[error("unclosed bracket in {0:?}")]
    Unclosed(String),
}

/// splitmix64: small, and the same everywhere.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to `count` - 1; `count` is at least 1.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

/// The lines of a template file.
pub(super) fn lines(file: &str) -> impl Iterator<Item = &str> {
    file.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A slot file.
pub(super) fn slots(file: &str) -> Slots<'_> {
    let mut slots = Slots::new();
    for line in lines(file) {
        if let Some((name, values)) = line.split_once(':') {
            slots.entry(name.trim()).or_default().extend(
                values
                    .split('|')
                    .map(str::trim)
                    .filter(|value| !value.is_empty()),
            );
        }
    }
    slots
}

/// One sentence of `template`.
pub(super) fn expand(
    template: &str,
    slots: &Slots<'_>,
    dice: &mut Dice,
) -> Result<String, BadTemplate> {
    let mut out = String::new();
    write(template, template, slots, dice, &mut out)?;
    Ok(out.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn write(
    template: &str,
    line: &str,
    slots: &Slots<'_>,
    dice: &mut Dice,
    out: &mut String,
) -> Result<(), BadTemplate> {
    let mut rest = template;
    while let Some(at) = rest.find(['[', '{']) {
        out.push_str(&rest[..at]);
        if rest.as_bytes()[at] == b'{' {
            let end = rest[at..]
                .find('}')
                .ok_or_else(|| BadTemplate::Unclosed(line.to_owned()))?
                + at;
            let name = &rest[at + 1..end];
            let values = slots
                .get(name)
                .filter(|values| !values.is_empty())
                .ok_or_else(|| BadTemplate::NoSlot(name.to_owned()))?;
            let value = values[dice.below(values.len())];
            write(value, line, slots, dice, out)?;
            rest = &rest[end + 1..];
        } else {
            let (alternatives, end) = alternatives(&rest[at + 1..])
                .ok_or_else(|| BadTemplate::Unclosed(line.to_owned()))?;
            write(
                alternatives[dice.below(alternatives.len())],
                line,
                slots,
                dice,
                out,
            )?;
            rest = &rest[at + 1 + end..];
        }
    }
    out.push_str(rest);
    Ok(())
}

/// What stands between the brackets, cut at the bars of this depth, and where the bracket ends.
fn alternatives(text: &str) -> Option<(Vec<&str>, usize)> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => {
                parts.push(&text[start..at]);
                return Some((parts, at + 1));
            }
            ']' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_slots_and_nested_alternatives() {
        let slots = slots("# comment\ndrink: tea\nsize: small | small\n");
        let mut dice = Dice::new(7);
        assert_eq!(
            expand("I [like|like] {size} {drink}[|[|]]", &slots, &mut dice),
            Ok("I like small tea".to_owned())
        );
        assert_eq!(
            expand("{none}", &slots, &mut dice),
            Err(BadTemplate::NoSlot("none".to_owned()))
        );
        assert_eq!(
            expand("[a", &slots, &mut dice),
            Err(BadTemplate::Unclosed("[a".to_owned()))
        );
    }
}
