//! The classifier: multinomial logistic regression with quantised weights, one for each language.
//!
//! Two for each language: what there is to remember ([`KINDS`]), and whether it is a typed entity ([`TYPED`]), which is asked
//! first where its kinds are in use. Apart, so that the first says of a sentence the same whatever kinds an agent keeps.
//!
//! The file: `KSBX`, format version (u8), then for each language and classifier its temperature and floor (f32 each), four biases
//! (f32), four scales (f32), and four rows of [`BUCKETS`] weights (i8). Little-endian.

use std::sync::OnceLock;

use super::{
    feature::{BUCKETS, Vector},
    language::Language,
};

pub(super) const CLASSES: usize = 4;
/// The names of the classes; the last one is "nothing to remember".
pub(super) const KINDS: [&str; CLASSES] = ["preference", "fact", "context", "none"];
pub(super) const NONE: usize = 3;

/// The classes of the second classifier; the last one is everything else.
pub(super) const TYPED: [&str; CLASSES] = ["metric", "decision", "pain_point", "other"];

const MAGIC: &[u8; 4] = b"KSBX";
const FORMAT: u8 = 2;
const HEADER: usize = 5;
const PER_CLASSIFIER: usize = 4 * (2 + 2 * CLASSES) + CLASSES * BUCKETS;

/// One of the two of a language.
#[derive(Debug, Clone)]
pub(super) struct Classifier {
    pub temperature: f32,
    pub floor: f32,
    pub bias: [f32; CLASSES],
    pub scale: [f32; CLASSES],
    pub weights: Vec<i8>,
}

/// The classifiers of all languages.
#[derive(Debug, Clone)]
pub struct Model {
    pub(super) classifiers: Vec<Classifier>,
    pub(super) typed: Vec<Classifier>,
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
        if bytes.len() != HEADER + 2 * PER_CLASSIFIER * Language::ALL.len() {
            return Err(BadWeights("length"));
        }
        if &bytes[..4] != MAGIC || bytes[4] != FORMAT {
            return Err(BadWeights("magic or format"));
        }
        let mut classifiers: Vec<Classifier> = bytes[HEADER..]
            .chunks_exact(PER_CLASSIFIER)
            .map(|part| {
                let (numbers, weights) = part.split_at(PER_CLASSIFIER - CLASSES * BUCKETS);
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
                    weights: weights.iter().map(|byte| byte.cast_signed()).collect(),
                }
            })
            .collect();
        let typed = classifiers.split_off(Language::ALL.len());
        Ok(Model { classifiers, typed })
    }

    /// The file format above.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 2 * PER_CLASSIFIER * self.classifiers.len());
        bytes.extend_from_slice(MAGIC);
        bytes.push(FORMAT);
        for classifier in self.classifiers.iter().chain(&self.typed) {
            let numbers = [classifier.temperature, classifier.floor]
                .into_iter()
                .chain(classifier.bias)
                .chain(classifier.scale);
            bytes.extend(numbers.flat_map(f32::to_le_bytes));
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

    /// Probabilities in the order of [`TYPED`].
    pub(super) fn typed(&self, language: Language, vector: &Vector) -> [f64; CLASSES] {
        let classifier = &self.typed[language.index()];
        softmax(classifier.logits(vector), f64::from(classifier.temperature))
    }

    /// Probabilities in the order of [`KINDS`].
    pub(super) fn probabilities(&self, language: Language, vector: &Vector) -> [f64; CLASSES] {
        let classifier = &self.classifiers[language.index()];
        softmax(classifier.logits(vector), f64::from(classifier.temperature))
    }
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
    fn weights_survive_the_file_and_strangers_are_refused() {
        let bytes = embedded().to_bytes();
        assert_eq!(Model::from_bytes(&bytes).expect("read").to_bytes(), bytes);
        assert!(bytes.len() <= 2 << 20);
        assert_eq!(
            Model::from_bytes(b"KSBX").unwrap_err(),
            BadWeights("length")
        );
    }
}
