//! Recovery codes: for who has lost the app, each good for one sign-in. Fifty random bits each, so that nobody guesses one; written with
//! Crockford's letters, which are hard to mistake for one another on paper.

use domain::Entropy;

/// How many a person has at first.
const MANY: usize = 10;
/// The letters of one.
const LENGTH: usize = 10;
/// Crockford's alphabet: 32 letters, so that each byte gives one without favour.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Ten recovery codes, to be shown this once; only their hashes are stored.
#[derive(Clone)]
pub struct RecoveryCodes(Vec<String>);

impl std::fmt::Debug for RecoveryCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecoveryCodes(…)")
    }
}

impl RecoveryCodes {
    pub(super) fn new(entropy: &dyn Entropy) -> Self {
        let one = || {
            let mut bytes = [0_u8; LENGTH];
            entropy.fill(&mut bytes);
            let letter = |byte: &u8| char::from(ALPHABET[usize::from(byte % 32)]);
            let (first, second) = bytes.split_at(LENGTH / 2);
            let half = |bytes: &[u8]| bytes.iter().map(letter).collect::<String>();
            format!("{}-{}", half(first), half(second))
        };
        Self((0..MANY).map(|_| one()).collect())
    }

    /// The codes as people write them down.
    pub fn reveal(&self) -> &[String] {
        &self.0
    }

    /// The codes as they are compared.
    pub(super) fn plain(&self) -> Vec<String> {
        self.0.iter().map(|code| typed(code)).collect()
    }
}

/// What was typed, as codes are compared: in small letters, without spaces and hyphens, and as plain characters where an input method has
/// made wide ones.
pub(super) fn typed(code: &str) -> String {
    let plain = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    };
    code.chars()
        .map(plain)
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The code that was meant: letters that the alphabet has not are the digits they look like.
pub(super) fn meant(typed: &str) -> String {
    let digit = |c: char| match c {
        'o' => '0',
        'i' | 'l' => '1',
        c => c,
    };
    typed.chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_codes_differ_and_are_read_as_they_are_typed() {
        let codes = RecoveryCodes::new(&crate::clock::OsEntropy);
        let plain = codes.plain();
        let different: std::collections::BTreeSet<_> = plain.iter().collect();
        assert_eq!((different.len(), codes.reveal().len()), (MANY, MANY));
        for (shown, plain) in codes.reveal().iter().zip(&plain) {
            assert_eq!((shown.len(), plain.len()), (LENGTH + 1, LENGTH));
            assert_eq!(&meant(&typed(&shown.to_uppercase())), plain);
            assert_eq!(&typed(&format!(" {} ", shown.replace('-', " "))), plain);
        }
        assert_eq!(format!("{codes:?}"), "RecoveryCodes(…)");
    }

    #[test]
    fn letters_that_look_like_digits_and_wide_ones_are_taken_as_meant() {
        assert_eq!(meant(&typed("OIl2a-bcdef")), "0112abcdef");
        assert_eq!(typed("１２３ ４５６"), "123456");
    }
}
