//! A clause as a sparse vector: hashed character n-grams, words and signals.

use unicode_normalization::UnicodeNormalization;

use super::{language::Language, signal::Signals};

/// Buckets of one language's classifier.
pub(super) const BUCKETS: usize = 1 << 18;

/// How much a signal weighs beside the n-grams, which have length 1 together.
const SIGNAL_WEIGHT: f32 = 0.35;
const PAIR_WEIGHT: f32 = 0.15;

/// What a clause is made of, as buckets: each once, sorted. How rare a bucket is, the model knows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Features {
    /// Of character n-grams.
    grams: Vec<u32>,
    /// Of words, pairs and openings; only where words stand apart.
    words: Vec<u32>,
    /// Of signals and pairs of them, with their weights.
    signals: Vector,
}

impl Features {
    /// Every n-gram and word.
    pub(super) fn buckets(&self) -> impl Iterator<Item = u32> {
        self.grams.iter().chain(&self.words).copied()
    }

    /// The vector in which what is rare weighs more; `weight` says how much, and 0.0 of what is unknown.
    pub(super) fn weighed(&self, weight: impl Fn(u32) -> f32) -> Vector {
        let mut vector = self.signals.clone();
        for family in [&self.grams, &self.words] {
            let known = || family.iter().map(|bucket| (*bucket, weight(*bucket)));
            let length = known()
                .map(|(_, weight)| weight * weight)
                .sum::<f32>()
                .sqrt();
            if length > 0.0 {
                vector.extend(
                    known()
                        .filter(|(_, weight)| *weight > 0.0)
                        .map(|(bucket, weight)| (bucket, weight / length)),
                );
            }
        }
        vector
    }
}

/// `(bucket, value)`.
pub(super) type Vector = Vec<(u32, f32)>;

/// NFKC, lower case, one space between words, digits as `0`, straight apostrophes.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc().flat_map(char::to_lowercase) {
        let c = match c {
            '’' | '‘' | '`' => '\'',
            c if c.is_ascii_digit() => '0',
            c => c,
        };
        if c.is_whitespace() {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else if !(c == '0' && folded.ends_with('0')) {
            folded.push(c);
        }
    }
    folded.trim().to_owned()
}

/// The features of `clause`, whose signals are known already.
pub(super) fn features(clause: &str, language: Language, signals: Signals) -> Features {
    let folded = fold(clause);
    let active: Vec<usize> = signals.active().collect();
    let mut found = Vec::new();
    for (position, first) in active.iter().enumerate() {
        found.push((bucket(b'S', &[*first as u8]), SIGNAL_WEIGHT));
        for second in &active[position + 1..] {
            found.push((bucket(b'P', &[*first as u8, *second as u8]), PAIR_WEIGHT));
        }
    }
    Features {
        grams: grams(&folded, language),
        words: match language {
            Language::English => words(&folded),
            Language::Japanese | Language::Chinese => Vec::new(),
        },
        signals: found,
    }
}

fn grams(folded: &str, language: Language) -> Vec<u32> {
    let longest = match language {
        Language::English => 5,
        Language::Japanese | Language::Chinese => 4,
    };
    // Marks for the two ends: "i prefer" at the start is not "as i prefer".
    let marked = format!("\u{2}{folded}\u{3}");
    let borders: Vec<usize> = marked
        .char_indices()
        .map(|(at, _)| at)
        .chain([marked.len()])
        .collect();
    let mut buckets = Vec::with_capacity(borders.len() * longest);
    for length in 1..=longest {
        for window in borders.windows(length + 1) {
            buckets.push(bucket(b'C', &marked.as_bytes()[window[0]..window[length]]));
        }
    }
    once(buckets)
}

fn words(folded: &str) -> Vec<u32> {
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let mut buckets = Vec::with_capacity(words.len() * 3 + 3);
    for length in 1..=3 {
        for run in words.windows(length) {
            buckets.push(bucket(b'W', run.join(" ").as_bytes()));
        }
        if length <= words.len() {
            buckets.push(bucket(b'O', words[..length].join(" ").as_bytes()));
        }
    }
    once(buckets)
}

fn once(mut buckets: Vec<u32>) -> Vec<u32> {
    buckets.sort_unstable();
    buckets.dedup();
    buckets
}

/// FNV-1a with a final mix, so that short grams spread over all buckets.
fn bucket(family: u8, bytes: &[u8]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in std::iter::once(&family).chain(bytes) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (hash >> 40) as u32 % BUCKETS as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_widths_case_digits_and_spaces() {
        assert_eq!(fold("  I’m  ５０歳  in 2024 "), "i'm 0歳 in 0");
    }

    #[test]
    fn a_bucket_counts_once_and_what_is_unknown_does_not() {
        let features = features(
            "I prefer tea, I prefer tea",
            Language::English,
            Signals::default(),
        );
        assert!(features.grams.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(features.weighed(|_| 0.0).is_empty());
        let square: f32 = features
            .weighed(|_| 2.0)
            .iter()
            .map(|(_, value)| value * value)
            .sum();
        // Two families of length 1.
        assert!((square - 2.0).abs() < 1e-4, "{square}");
    }
}
