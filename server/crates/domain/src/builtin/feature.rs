//! A clause as a sparse vector: hashed character n-grams, words and signals.

use unicode_normalization::UnicodeNormalization;

use super::{language::Language, signal::Signals};

/// Buckets of one language's classifier.
pub(super) const BUCKETS: usize = 1 << 16;

const LONGEST_GRAM: usize = 4;
/// How much each family weighs before the classifier learns: a signal is worth many n-grams.
const GRAM_NORM: f32 = 1.0;
const WORD_NORM: f32 = 1.0;
const SIGNAL_WEIGHT: f32 = 0.35;
const PAIR_WEIGHT: f32 = 0.15;

/// `(bucket, value)`, sorted by bucket, each bucket once.
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
pub(super) fn vector(clause: &str, language: Language, signals: Signals) -> Vector {
    let folded = fold(clause);
    let mut vector = Vec::with_capacity(folded.len() * 4);
    grams(&folded, &mut vector);
    if language == Language::English {
        words(&folded, &mut vector);
    }
    let active: Vec<usize> = signals.active().collect();
    for (position, first) in active.iter().enumerate() {
        vector.push((bucket(b'S', &[*first as u8]), SIGNAL_WEIGHT));
        for second in &active[position + 1..] {
            vector.push((bucket(b'P', &[*first as u8, *second as u8]), PAIR_WEIGHT));
        }
    }
    vector.sort_unstable_by_key(|(bucket, _)| *bucket);
    vector.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    vector
}

fn grams(folded: &str, vector: &mut Vector) {
    // Marks for the two ends: "i prefer" at the start is not "as i prefer".
    let marked = format!("\u{2}{folded}\u{3}");
    let borders: Vec<usize> = marked
        .char_indices()
        .map(|(at, _)| at)
        .chain([marked.len()])
        .collect();
    let mut buckets = Vec::with_capacity(borders.len() * LONGEST_GRAM);
    for length in 1..=LONGEST_GRAM {
        for window in borders.windows(length + 1) {
            buckets.push(bucket(b'C', &marked.as_bytes()[window[0]..window[length]]));
        }
    }
    push_normalised(buckets, GRAM_NORM, vector);
}

fn words(folded: &str, vector: &mut Vector) {
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let mut buckets = Vec::with_capacity(words.len() * 3 + 3);
    for word in &words {
        buckets.push(bucket(b'W', word.as_bytes()));
    }
    for pair in words.windows(2) {
        buckets.push(bucket(b'B', format!("{} {}", pair[0], pair[1]).as_bytes()));
    }
    for length in 1..=3.min(words.len()) {
        buckets.push(bucket(b'O', words[..length].join(" ").as_bytes()));
    }
    push_normalised(buckets, WORD_NORM, vector);
}

fn push_normalised(mut buckets: Vec<u32>, norm: f32, vector: &mut Vector) {
    buckets.sort_unstable();
    buckets.dedup();
    if buckets.is_empty() {
        return;
    }
    let value = norm / (buckets.len() as f32).sqrt();
    vector.extend(buckets.into_iter().map(|bucket| (bucket, value)));
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
    fn a_vector_is_sorted_and_has_each_bucket_once() {
        let vector = vector(
            "I prefer tea, I prefer tea",
            Language::English,
            Signals::default(),
        );
        assert!(vector.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
