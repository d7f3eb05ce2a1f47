//! Makes the weights from the training text, the same bytes on every machine.
//!
//! Templates are expanded and varied (openings, typing errors), the classifier learns by AdaGrad on the logistic loss with
//! balanced classes, and the weights are quantised. The temperature comes from a second run that leaves out every fifth
//! template and is asked about those: the held-out sentences were read while the templates were written, so they would make
//! the extractor look surer than it is. Every second held-out sentence sets the floor; the other half is only ever used by
//! the report.

use serde::Deserialize;

use super::{
    feature::{self, BUCKETS, Vector},
    judge,
    language::Language,
    model::{self, CLASSES, Classifier, KINDS, Model, NONE},
    signal,
    template::{self, Dice, Slots},
};

pub use super::{model::BadWeights, template::BadTemplate};

const SEED: u64 = 0x6b65_6570_7361_6b65;
/// Sentences drawn from one template; the same sentence counts once.
const DRAWS: usize = 40;
/// The same for typed entities, of which there are fewer templates with more slots.
const DRAWS_TYPED: usize = 90;
/// Every so many-th template is left out where the temperature is set.
const LEFT_OUT: usize = 5;
const EPOCHS: usize = 12;
const RATE: f32 = 0.35;
const DECAY: f32 = 2e-5;
/// Junk costs a reviewer's time: a missed memory costs less than a wrong one.
const NONE_WEIGHT: f32 = 1.15;
/// Precision of "remember" that the floor must reach on the tuning half.
const PRECISION: f64 = 0.965;
const LOWEST_FLOOR: usize = 60;
const HIGHEST_FLOOR: usize = 72;

/// The training text of one language: the contents of the files of `data/builtin/<tag>`.
#[derive(Debug, Clone)]
pub struct Corpus {
    pub language: Language,
    pub slots: String,
    pub preference: String,
    pub fact: String,
    pub context: String,
    pub none: String,
    pub metric: String,
    pub decision: String,
    pub pain_point: String,
    /// What looks like one of the last three and is none.
    pub untyped: String,
}

/// A sentence written apart from the templates, with the kind a person gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldOut {
    pub language: Language,
    /// `preference`, `fact`, `context` or `none`.
    pub kind: String,
    pub text: String,
    /// The half that sets the floor; the other one is for the report.
    pub tuning: bool,
}

/// Lines of `{"kind": …, "text": …}`; every second line, the first among them, is for tuning.
///
/// # Errors
/// A line is no such object, or names another kind.
pub fn held_out(language: Language, lines: &str) -> Result<Vec<HeldOut>, serde_json::Error> {
    read_lines(language, lines, &KINDS)
}

fn read_lines(
    language: Language,
    lines: &str,
    kinds: &[&str],
) -> Result<Vec<HeldOut>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Line {
        kind: String,
        text: String,
    }
    lines
        .lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
        .map(|(number, line)| {
            let Line { kind, text } = serde_json::from_str(line)?;
            if !kinds.contains(&kind.as_str()) {
                return Err(serde::de::Error::custom(format!(
                    "line {}: no kind {kind:?}",
                    number + 1
                )));
            }
            Ok(HeldOut {
                language,
                kind,
                text,
                tuning: number % 2 == 0,
            })
        })
        .collect()
}

/// Lines of `{"kind": …, "text": …}` written by somebody who never saw the templates; kinds of [`ALL_KINDS`]. They set nothing.
///
/// # Errors
/// As [`held_out`].
pub fn written_apart(language: Language, lines: &str) -> Result<Vec<HeldOut>, serde_json::Error> {
    read_lines(language, lines, &ALL_KINDS)
}

/// Every label of a sentence written apart.
pub const ALL_KINDS: [&str; 7] = [
    "preference",
    "fact",
    "context",
    "metric",
    "decision",
    "pain_point",
    "none",
];

/// Trains all languages. Takes seconds with optimisation.
///
/// # Errors
/// [`BadTemplate`] for a template that cannot be expanded.
pub fn train(corpora: &[Corpus], held_out: &[HeldOut]) -> Result<Model, BadTemplate> {
    let mut model = Model {
        classifiers: Vec::new(),
        typed: Vec::new(),
    };
    for language in Language::ALL {
        let mut dice = Dice::new(SEED ^ language.index() as u64);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for corpus in corpora.iter().filter(|corpus| corpus.language == language) {
            let texts = expanded(corpus, &statements(corpus), DRAWS, &mut dice)?;
            let statements = vectored(&texts, language);
            let texts = expanded(corpus, &entities(corpus), DRAWS_TYPED, &mut dice)?;
            second.extend(vectored(&texts, language));
            // Whatever is worth remembering otherwise, or nothing, is none of the typed kinds.
            second.extend(statements.iter().map(|statement| Vectored {
                class: OTHER,
                ..statement.clone()
            }));
            first.extend(statements);
        }
        model.classifiers.push(classifier(&first, &mut dice));
        model.typed.push(classifier(&second, &mut dice));
    }
    for language in Language::ALL {
        let tuning: Vec<&HeldOut> = held_out
            .iter()
            .filter(|sentence| sentence.language == language && sentence.tuning)
            .collect();
        model.classifiers[language.index()].floor = floor(&model, &tuning);
    }
    Ok(model)
}

/// How many different sentences the training text makes: preference, fact, context, none, metric, decision, pain point, and what
/// only looks like the last three.
///
/// # Errors
/// As [`train`].
pub fn sentences(corpus: &Corpus) -> Result<[usize; 2 * CLASSES], BadTemplate> {
    let mut dice = Dice::new(SEED ^ corpus.language.index() as u64);
    let mut counts = [0; 2 * CLASSES];
    for example in expanded(corpus, &statements(corpus), DRAWS, &mut dice)? {
        counts[example.class] += 1;
    }
    for example in expanded(corpus, &entities(corpus), DRAWS_TYPED, &mut dice)? {
        counts[CLASSES + example.class] += 1;
    }
    Ok(counts)
}

/// The texts of the first classifier, in the order of [`KINDS`].
fn statements(corpus: &Corpus) -> [&str; CLASSES] {
    [
        &corpus.preference,
        &corpus.fact,
        &corpus.context,
        &corpus.none,
    ]
}

/// The texts of the second classifier, in the order of [`model::TYPED`].
fn entities(corpus: &Corpus) -> [&str; CLASSES] {
    [
        &corpus.metric,
        &corpus.decision,
        &corpus.pain_point,
        &corpus.untyped,
    ]
}

const OTHER: usize = CLASSES - 1;

fn vectored(examples: &[Example], language: Language) -> Vec<Vectored> {
    examples
        .iter()
        .map(|example| Vectored {
            vector: feature::vector(&example.text, language, signal::of(&example.text, language)),
            class: example.class,
            left_out: example.template % LEFT_OUT == 0,
        })
        .collect()
}

fn classifier(vectors: &[Vectored], dice: &mut Dice) -> Classifier {
    let (apart, kept): (Vec<&Vectored>, Vec<&Vectored>) =
        vectors.iter().partition(|example| example.left_out);
    let temperature = temperature(&quantised(&learn(&kept, dice)), &apart);
    let mut classifier = quantised(&learn(&vectors.iter().collect::<Vec<_>>(), dice));
    classifier.temperature = temperature;
    classifier
}

/// One sentence of the training text.
struct Example {
    text: String,
    class: usize,
    /// Number of its template in its file.
    template: usize,
}

#[derive(Clone)]
struct Vectored {
    vector: Vector,
    class: usize,
    left_out: bool,
}

fn expanded(
    corpus: &Corpus,
    files: &[&str; CLASSES],
    draws: usize,
    dice: &mut Dice,
) -> Result<Vec<Example>, BadTemplate> {
    let slots: Slots<'_> = template::slots(&corpus.slots);
    let mut examples = Vec::new();
    for (class, file) in files.iter().enumerate() {
        for (template, line) in template::lines(file).enumerate() {
            let mut drawn: Vec<String> = Vec::new();
            for _ in 0..draws {
                let sentence = varied(template::expand(line, &slots, dice)?, corpus.language, dice);
                if !drawn.contains(&sentence) {
                    drawn.push(sentence);
                }
            }
            examples.extend(drawn.into_iter().map(|text| Example {
                text,
                class,
                template,
            }));
        }
    }
    Ok(examples)
}

/// A sentence as people type it.
fn varied(sentence: String, language: Language, dice: &mut Dice) -> String {
    let openings: &[&str] = match language {
        Language::English => &[
            "btw ",
            "by the way, ",
            "also, ",
            "oh and ",
            "hey, ",
            "just so you know, ",
            "actually, ",
            "fyi, ",
            "well, ",
            "ok so ",
            "hi, ",
            "and ",
            "but ",
            "tbh ",
            "honestly, ",
            "so ",
            "ok, ",
            "quick note: ",
            "one more thing, ",
            "yeah ",
            "for the record, ",
        ],
        Language::Japanese => &[
            "ちなみに",
            "あと、",
            "実は",
            "えっと、",
            "そういえば、",
            "なお、",
            "あ、",
            "でも",
            "ところで、",
            "正直、",
            "ついでに言うと、",
            "念のため、",
        ],
        Language::Chinese => &[
            "对了，",
            "另外，",
            "顺便说一下，",
            "其实",
            "还有，",
            "嗯，",
            "哦，",
            "不过",
            "说起来，",
            "老实说，",
            "补充一下，",
            "那个，",
        ],
    };
    let mut sentence = sentence;
    if dice.percent(18) {
        let opening = openings[dice.below(openings.len())];
        sentence = format!("{opening}{sentence}");
    }
    match language {
        Language::English => {
            if dice.percent(12) {
                // "im", "dont", "cant": as it is typed on a telephone.
                sentence = sentence.replace('\'', "");
            } else if dice.percent(12) {
                sentence = sentence
                    .replace("I'm ", "I am ")
                    .replace("we're ", "we are ")
                    .replace("don't ", "do not ")
                    .replace("can't ", "cannot ")
                    .replace("I've ", "I have ");
            }
            if dice.percent(6) {
                sentence = mistyped(&sentence, dice);
            }
            if dice.percent(7) {
                sentence.push_str(
                    [
                        " lol", " tbh", " :)", " though", "!!", " btw", ", fyi", " haha",
                    ][dice.below(8)],
                );
            }
        }
        Language::Japanese => {
            if dice.percent(22) {
                sentence = spoken(&sentence, dice);
            }
            if dice.percent(8) {
                sentence.push_str(["！", "～", "。", "笑"][dice.below(4)]);
            }
        }
        Language::Chinese => {
            if dice.percent(14) {
                sentence
                    .push_str(["啊", "哈", "哦", "啦", "～", "！", "。", "哈哈"][dice.below(8)]);
            }
            if dice.percent(8) {
                sentence = sentence.replace('，', " ");
            }
        }
    }
    sentence
}

/// A polite end as it is said among friends, or with a particle: 「です」 -> 「なんだ」, 「ています」 -> 「てる」.
fn spoken(sentence: &str, dice: &mut Dice) -> String {
    const ENDS: [(&str, [&str; 4]); 6] = [
        ("ています", ["てる", "てます", "ているよ", "てるんだ"]),
        ("でいます", ["でる", "でます", "でいるよ", "でるんです"]),
        ("です", ["だよ", "なんです", "ですね", "ですけど"]),
        (
            "ました",
            ["ましたよ", "ましたね", "ました、はい", "ましたけど"],
        ),
        ("ます", ["ますね", "ますよ", "ますけど", "るよ"]),
        (
            "ください",
            ["くださいね", "下さい", "ほしいな", "くださいませ"],
        ),
    ];
    for (end, others) in ENDS {
        if let Some(front) = sentence.strip_suffix(end) {
            return format!("{front}{}", others[dice.below(4)]);
        }
    }
    sentence.to_owned()
}

/// Two neighbouring letters swapped, or one left out.
fn mistyped(sentence: &str, dice: &mut Dice) -> String {
    let mut chars: Vec<char> = sentence.chars().collect();
    if chars.len() < 8 {
        return sentence.to_owned();
    }
    let at = 1 + dice.below(chars.len() - 3);
    if chars[at].is_alphabetic() && chars[at + 1].is_alphabetic() {
        if dice.percent(50) {
            chars.swap(at, at + 1);
        } else {
            chars.remove(at);
        }
    }
    chars.into_iter().collect()
}

struct Learned {
    weights: Vec<[f32; CLASSES]>,
    bias: [f32; CLASSES],
}

fn learn(examples: &[&Vectored], dice: &mut Dice) -> Learned {
    let mut counts = [0usize; CLASSES];
    for example in examples {
        counts[example.class] += 1;
    }
    let share: [f32; CLASSES] = std::array::from_fn(|class| {
        let balanced = examples.len() as f32 / (CLASSES as f32 * counts[class].max(1) as f32);
        if class == NONE {
            balanced * NONE_WEIGHT
        } else {
            balanced
        }
    });
    let mut learned = Learned {
        weights: vec![[0.0; CLASSES]; BUCKETS],
        bias: [0.0; CLASSES],
    };
    let mut squares = vec![[1e-4f32; CLASSES]; BUCKETS];
    let mut bias_squares = [1e-2f32; CLASSES];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    for _ in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at + 1));
        }
        for index in &order {
            let Vectored { vector, class, .. } = examples[*index];
            let mut logits = learned.bias.map(f64::from);
            for (bucket, value) in vector {
                let row = &learned.weights[*bucket as usize];
                for (logit, weight) in logits.iter_mut().zip(row) {
                    *logit += f64::from(weight * value);
                }
            }
            let p = model::softmax(logits, 1.0);
            let errors: [f32; CLASSES] = std::array::from_fn(|other| {
                (p[other] as f32 - if other == *class { 1.0 } else { 0.0 }) * share[*class]
            });
            for (bucket, value) in vector {
                let row = &mut learned.weights[*bucket as usize];
                let seen = &mut squares[*bucket as usize];
                for (at, error) in errors.iter().enumerate() {
                    let gradient = error * value + DECAY * row[at];
                    seen[at] += gradient * gradient;
                    row[at] -= RATE * gradient / seen[at].sqrt();
                }
            }
            for (at, error) in errors.iter().enumerate() {
                bias_squares[at] += error * error;
                learned.bias[at] -= RATE * 0.1 * error / bias_squares[at].sqrt();
            }
        }
    }
    learned
}

fn quantised(learned: &Learned) -> Classifier {
    let mut weights = vec![0i8; CLASSES * BUCKETS];
    let scale = std::array::from_fn(|class| {
        let mut sizes: Vec<f32> = learned.weights.iter().map(|row| row[class].abs()).collect();
        sizes.sort_unstable_by(f32::total_cmp);
        // The few heaviest weights are clipped, so that the many small ones keep their differences.
        let top = sizes[sizes.len() - 1 - sizes.len() / 2000].max(1e-6);
        let scale = top / 127.0;
        for (bucket, row) in learned.weights.iter().enumerate() {
            weights[class * BUCKETS + bucket] =
                (row[class] / scale).round().clamp(-127.0, 127.0) as i8;
        }
        scale
    });
    Classifier {
        temperature: 1.0,
        floor: 0.0,
        bias: learned.bias,
        scale,
        weights,
    }
}

/// The temperature with the smallest Brier score on the left-out templates (a score without logarithms, which are the
/// platform's).
fn temperature(classifier: &Classifier, apart: &[&Vectored]) -> f32 {
    let logits: Vec<([f64; CLASSES], usize)> = apart
        .iter()
        .map(|example| (classifier.logits(&example.vector), example.class))
        .collect();
    let score = |temperature: f64| -> f64 {
        logits
            .iter()
            .map(|(logits, class)| {
                let p = model::softmax(*logits, temperature);
                (0..CLASSES)
                    .map(|at| (p[at] - if at == *class { 1.0 } else { 0.0 }).powi(2))
                    .sum::<f64>()
            })
            .sum()
    };
    let mut best = (f64::INFINITY, 1.0);
    for step in 8..60 {
        let candidate = f64::from(step) / 20.0;
        let value = score(candidate);
        if value < best.0 {
            best = (value, candidate);
        }
    }
    best.1 as f32
}

/// The lowest confidence from which "remember" is right as often as [`PRECISION`] asks.
fn floor(model: &Model, tuning: &[&HeldOut]) -> f32 {
    let judged: Vec<(f64, bool)> = tuning
        .iter()
        .filter_map(|sentence| {
            best(model, &sentence.text)
                .map(|(_, confidence)| (confidence, class_of(&sentence.kind) != NONE))
        })
        .collect();
    for step in LOWEST_FLOOR..HIGHEST_FLOOR {
        let floor = step as f64 / 100.0;
        let kept: Vec<bool> = judged
            .iter()
            .filter(|(confidence, _)| *confidence >= floor)
            .map(|(_, right)| *right)
            .collect();
        let right = kept.iter().filter(|right| **right).count();
        if kept.is_empty() || right as f64 >= PRECISION * kept.len() as f64 {
            return floor as f32;
        }
    }
    HIGHEST_FLOOR as f32 / 100.0
}

/// Class and confidence of the surest thing found in `text`, whatever the floor.
pub(super) fn best(model: &Model, text: &str) -> Option<(usize, f64)> {
    judge::readings(model, text, &[])
        .into_iter()
        .map(|(_, reading)| (class_of(reading.kind()), reading.confidence()))
        .max_by(|left, right| left.1.total_cmp(&right.1))
}

pub(super) fn class_of(kind: &str) -> usize {
    KINDS.iter().position(|name| *name == kind).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        Corpus {
            language: Language::English,
            slots: "drink: tea | coffee | milk".to_owned(),
            preference: "I prefer {drink}\nI like {drink} best".to_owned(),
            fact: "I work as a {drink} taster\nMy job is making {drink}".to_owned(),
            context: "We launch a {drink} shop next month\nThe {drink} fair is next week"
                .to_owned(),
            none: "Thanks for the {drink}\nWhere is the {drink}?".to_owned(),
            metric: "{drink} sales hit $500 last week\nour {drink} revenue is $2000".to_owned(),
            decision: "we decided to sell {drink}\nwe agreed to drop {drink}".to_owned(),
            pain_point: "the {drink} machine keeps breaking\n{drink} always arrives late"
                .to_owned(),
            untyped: "decide for me\n{drink} is {drink}".to_owned(),
        }
    }

    #[test]
    fn training_is_deterministic_and_learns() {
        let held = held_out(
            Language::English,
            "{\"kind\":\"preference\",\"text\":\"I prefer milk\"}\n",
        )
        .expect("parsed");
        let first = train(&[corpus()], &held).expect("trained");
        assert_eq!(
            first.to_bytes(),
            train(&[corpus()], &held).expect("trained").to_bytes()
        );
        assert_eq!(
            best(&first, "I prefer cold tea").map(|(class, _)| class),
            Some(0)
        );
        assert_eq!(
            best(&first, "Thanks for the help").map(|(class, _)| class),
            None
        );
    }

    #[test]
    fn a_wrong_line_is_an_error() {
        assert!(held_out(Language::English, "{\"kind\":\"taste\",\"text\":\"x\"}").is_err());
        let broken = Corpus {
            fact: "I am {nobody}".to_owned(),
            ..corpus()
        };
        assert_eq!(
            train(&[broken], &[]).unwrap_err(),
            BadTemplate::NoSlot("nobody".to_owned())
        );
    }
}
