//! The classifier: a linear one over n-grams, rare ones weighing more, with quantised weights; one for each language. The margins of
//! the classes become probabilities by a softmax, whose temperature the trainer measures.
//!
//! The file: `KSBX`, format version (u8), then for each language its temperature and floor (f32 each), seven biases (f32), seven
//! scales (f32), [`BUCKETS`] rarities (u8, 0 for what the training text never holds twice) and seven rows of [`BUCKETS`] weights (i8). Little-endian.

use std::sync::OnceLock;

use super::{
    feature::{BUCKETS, Features, Vector},
    language::Language,
};

pub(super) const CLASSES: usize = 7;
/// The names of the classes: what a sentence states, then the typed entities, then nothing to remember.
pub(super) const KINDS: [&str; CLASSES] = [
    "preference",
    "fact",
    "context",
    "metric",
    "decision",
    "pain_point",
    "none",
];
/// The first of the typed entities.
pub(super) const TYPED: usize = 3;
pub(super) const NONE: usize = CLASSES - 1;

/// A rarity of 1.0 in the file.
const RARITY: f32 = 20.0;

const MAGIC: &[u8; 4] = b"KSBX";
const FORMAT: u8 = 4;
const HEADER: usize = 5;
const PER_CLASSIFIER: usize = 4 * (2 + 2 * CLASSES) + (CLASSES + 1) * BUCKETS;

/// The one of a language.
#[derive(Debug, Clone)]
pub(super) struct Classifier {
    pub temperature: f32,
    pub floor: f32,
    pub bias: [f32; CLASSES],
    pub scale: [f32; CLASSES],
    pub rarity: Vec<u8>,
    pub weights: Vec<i8>,
}

/// The classifiers of all languages.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) classifiers: Vec<Classifier>,
}

/// The bytes are no weights of this version.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("not built-in extractor weights of format {FORMAT}: {0}")]
pub struct BadWeights(&'static str);

impl Model {
    /// Reads what [`Model::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`BadWeights`] when length, magic or format differ.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, BadWeights> {
        if bytes.len() != HEADER + PER_CLASSIFIER * Language::ALL.len() {
            return Err(BadWeights("length"));
        }
        if &bytes[..4] != MAGIC || bytes[4] != FORMAT {
            return Err(BadWeights("magic or format"));
        }
        let classifiers = bytes[HEADER..]
            .chunks_exact(PER_CLASSIFIER)
            .map(|part| {
                let (numbers, rest) = part.split_at(PER_CLASSIFIER - (CLASSES + 1) * BUCKETS);
                let (rarity, weights) = rest.split_at(BUCKETS);
                let mut numbers = numbers
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|four| f32::from_le_bytes(*four));
                let mut next = || numbers.next().unwrap_or_default();
                Classifier {
                    temperature: next(),
                    floor: next(),
                    bias: std::array::from_fn(|_| next()),
                    scale: std::array::from_fn(|_| next()),
                    rarity: rarity.to_vec(),
                    weights: weights.iter().map(|byte| byte.cast_signed()).collect(),
                }
            })
            .collect();
        Ok(Model { classifiers })
    }

    /// The file format above.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + PER_CLASSIFIER * self.classifiers.len());
        bytes.extend_from_slice(MAGIC);
        bytes.push(FORMAT);
        for classifier in &self.classifiers {
            let numbers = [classifier.temperature, classifier.floor]
                .into_iter()
                .chain(classifier.bias)
                .chain(classifier.scale);
            bytes.extend(numbers.flat_map(f32::to_le_bytes));
            bytes.extend_from_slice(&classifier.rarity);
            bytes.extend(
                classifier
                    .weights
                    .iter()
                    .map(|weight| weight.cast_unsigned()),
            );
        }
        bytes
    }

    pub(super) fn floor(&self, language: Language) -> f64 {
        // Stored as f32: 0.6 must come out as 0.6.
        (f64::from(self.classifiers[language.index()].floor) * 1000.0).round() / 1000.0
    }

    /// Probabilities in the order of [`KINDS`].
    pub(super) fn probabilities(&self, language: Language, features: &Features) -> [f64; CLASSES] {
        let classifier = &self.classifiers[language.index()];
        let logits =
            classifier.logits(&features.weighed(|bucket| rarity(&classifier.rarity, bucket)));
        softmax(logits, f64::from(classifier.temperature))
    }
}

/// How rare a bucket is: 1.0 and more, 0.0 where the training text does not know it.
pub(super) fn rarity(file: &[u8], bucket: u32) -> f32 {
    f32::from(file[bucket as usize]) / RARITY
}

/// The smoothed inverse document frequency, `1 + ln((1 + documents) / (1 + holding))`, as a byte of the file; 0 for what one document holds.
pub(super) fn rarity_byte(documents: usize, holding: usize) -> u8 {
    if holding < 2 {
        return 0;
    }
    let share = (1 + documents) as f64 / (1 + holding) as f64;
    ((1.0 + ln(share)) * f64::from(RARITY))
        .round()
        .clamp(1.0, 255.0) as u8
}

impl Classifier {
    pub(super) fn logits(&self, vector: &Vector) -> [f64; CLASSES] {
        std::array::from_fn(|class| {
            let row = &self.weights[class * BUCKETS..(class + 1) * BUCKETS];
            let sum: f32 = vector
                .iter()
                .map(|(bucket, value)| f32::from(row[*bucket as usize]) * value)
                .sum();
            f64::from(sum * self.scale[class] + self.bias[class])
        })
    }
}

pub(super) fn softmax(logits: [f64; CLASSES], temperature: f64) -> [f64; CLASSES] {
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = logits.map(|logit| exp((logit - top) / temperature));
    let sum: f64 = powers.iter().sum();
    powers.map(|power| power / sum)
}

/// e to the power of `x` for x <= 0 by additions and multiplications only: `f64::exp` is the platform's, and training must
/// give the same bytes on every machine.
pub(super) fn exp(x: f64) -> f64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    if x < -700.0 {
        return 0.0;
    }
    let halvings = (x / LN_2).round();
    let rest = x - halvings * LN_2;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..16 {
        term *= rest / f64::from(n);
        sum += term;
    }
    let mut power = sum;
    for _ in 0..halvings.abs() as u32 {
        power = if halvings < 0.0 {
            power * 0.5
        } else {
            power * 2.0
        };
    }
    power
}

/// The natural logarithm of `x` >= 1 by additions, multiplications and divisions only, for the same reason.
pub(super) fn ln(x: f64) -> f64 {
    let mut rest = x;
    let mut halvings = 0.0;
    while rest > 1.5 {
        rest *= 0.5;
        halvings += 1.0;
    }
    // 2 artanh((rest - 1) / (rest + 1))
    let step = (rest - 1.0) / (rest + 1.0);
    let mut power = step;
    let mut sum = 0.0;
    for n in 0..20 {
        sum += power / f64::from(2 * n + 1);
        power *= step * step;
    }
    2.0 * sum + halvings * std::f64::consts::LN_2
}

/// The weights of this build.
pub(super) fn embedded() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        Model::from_bytes(include_bytes!("../../data/builtin/weights.bin"))
            .expect("the weights are committed with the code that reads them")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_exp() {
        for x in [0.0, -0.1, -1.0, -3.7, -25.0, -300.0, 2.0] {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "{x}");
        }
        assert_eq!(exp(-1e9), 0.0);
    }

    #[test]
    fn ln_is_ln() {
        for x in [1.0, 1.4, 2.0, 3.7, 1e3, 5e6] {
            assert!((ln(x) - x.ln()).abs() < 1e-10, "{x}");
        }
        assert_eq!(rarity_byte(100, 1), 0);
        assert!(rarity_byte(100, 2) > rarity_byte(100, 50));
    }

    #[test]
    fn weights_survive_the_file_and_strangers_are_refused() {
        let bytes = embedded().to_bytes();
        assert_eq!(Model::from_bytes(&bytes).expect("read").to_bytes(), bytes);
        assert!(bytes.len() <= 8 << 20);
        assert_eq!(
            Model::from_bytes(b"KSBX").unwrap_err(),
            BadWeights("length")
        );
    }
}
