//! Makes the weights from the training text, the same bytes on every machine.
//!
//! Two kinds of text: sentences that several people wrote, each for itself (`said`), and templates, which are expanded and
//! weigh less. Both are varied (openings, typing errors). Each class is separated from the others by a linear support vector machine
//! with balanced classes, and the weights are quantised. Temperature and floor come from runs that leave out one hand of the sentences
//! and are asked about those, so they are what the extractor is worth on the words of somebody it does not know.

use serde::Deserialize;

use super::{
    apart,
    feature::{self, BUCKETS, Features, Vector},
    language::Language,
    model::{self, CLASSES, Classifier, KINDS, Model, NONE},
    signal,
    template::{self, Dice, Slots},
};

pub use super::{model::BadWeights, template::BadTemplate};

const SEED: u64 = 0x6b65_6570_7361_6b65;
/// Precision of "remember" that the floor must reach on the hands left out; above the goal of 0.95, since strangers differ more
/// from the hands than these from each other.
const PRECISION: f64 = 0.965;
/// A hand with fewer sentences that say nothing is no mix as people speak, and would make the floor too low.
const LEAST_NONE: f64 = 0.25;
const LOWEST_FLOOR: usize = 45;
const HIGHEST_FLOOR: usize = 85;

/// A sentence that was said is learnt as it is and as it could have been typed otherwise.
const SAID_DRAWS: usize = 2;
/// Sentences drawn from one template, and how much each weighs beside one that was said. There are fewer templates of typed entities, with more slots.
const DRAWS: usize = 8;
const DRAWS_TYPED: usize = 16;
const TEMPLATE_WEIGHT: f32 = 0.12;
const EPOCHS: usize = 30;
/// What a sentence on the wrong side costs beside the length of the weights; measured on hands left out.
const COST: f32 = 2.0;
/// One of so many weights is clipped; measured on hands left out.
const CLIPPED: usize = 4000;

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
    /// Whole sentences, by the hand that wrote them.
    pub said: Vec<Vec<Labelled>>,
}

/// A sentence with the kind a person gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    pub language: Language,
    /// One of [`ALL_KINDS`].
    pub kind: String,
    pub text: String,
}

/// Lines of `{"kind": …, "text": …}`.
///
/// # Errors
/// A line is no such object, or names another kind than [`ALL_KINDS`].
pub fn labelled(language: Language, lines: &str) -> Result<Vec<Labelled>, serde_json::Error> {
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
            if !ALL_KINDS.contains(&kind.as_str()) {
                return Err(serde::de::Error::custom(format!(
                    "line {}: no kind {kind:?}",
                    number + 1
                )));
            }
            Ok(Labelled {
                language,
                kind,
                text,
            })
        })
        .collect()
}

/// Every label of a sentence.
pub const ALL_KINDS: [&str; CLASSES] = KINDS;

/// Trains all languages. Takes seconds with optimisation.
///
/// # Errors
/// [`BadTemplate`] for a template that cannot be expanded.
pub fn train(corpora: &[Corpus]) -> Result<Model, BadTemplate> {
    let mut classifiers = Vec::new();
    for language in Language::ALL {
        let mut examples = Vec::new();
        let mut hands: Vec<&[Labelled]> = Vec::new();
        for corpus in corpora.iter().filter(|corpus| corpus.language == language) {
            let mut dice = Dice::new(SEED ^ language.index() as u64);
            examples.extend(drawn(corpus, &mut dice)?);
            hands.extend(corpus.said.iter().map(Vec::as_slice));
        }
        let examples = known(examples, language);
        let mut classifier = learn(&examples.iter().collect::<Vec<_>>());
        (classifier.temperature, classifier.floor) = measured(&examples, &hands);
        classifiers.push(classifier);
    }
    Ok(Model { classifiers })
}

/// How many different sentences the training text makes: those that were said, then those out of templates, each in the order of [`ALL_KINDS`].
///
/// # Errors
/// As [`train`].
pub fn sentences(corpus: &Corpus) -> Result<[[usize; CLASSES]; 2], BadTemplate> {
    let mut counts = [[0; CLASSES]; 2];
    for sentence in corpus.said.iter().flatten() {
        counts[0][class_of(&sentence.kind)] += 1;
    }
    let mut dice = Dice::new(SEED ^ corpus.language.index() as u64);
    for example in drawn(corpus, &mut dice)? {
        if example.hand.is_none() {
            counts[1][example.class] += 1;
        }
    }
    Ok(counts)
}

/// One sentence of the training text.
struct Example {
    text: String,
    class: usize,
    weight: f32,
    /// Who said it; `None`: a template.
    hand: Option<usize>,
}

/// One sentence as the classifier sees it.
struct Known {
    features: Features,
    class: usize,
    weight: f32,
    hand: Option<usize>,
}

/// The whole text of a language: what was said, and what the templates give.
fn drawn(corpus: &Corpus, dice: &mut Dice) -> Result<Vec<Example>, BadTemplate> {
    let mut examples = Vec::new();
    for (hand, sentences) in corpus.said.iter().enumerate() {
        for sentence in sentences {
            let texts = once(SAID_DRAWS, |first| {
                Ok(if first {
                    sentence.text.clone()
                } else {
                    varied(sentence.text.clone(), corpus.language, dice)
                })
            })?;
            let weight = 1.0 / texts.len() as f32;
            examples.extend(texts.into_iter().map(|text| Example {
                text,
                class: class_of(&sentence.kind),
                weight,
                hand: Some(hand),
            }));
        }
    }
    let slots: Slots<'_> = template::slots(&corpus.slots);
    for (class, file, draws) in [
        (0, &corpus.preference, DRAWS),
        (1, &corpus.fact, DRAWS),
        (2, &corpus.context, DRAWS),
        (NONE, &corpus.none, DRAWS),
        (3, &corpus.metric, DRAWS_TYPED),
        (4, &corpus.decision, DRAWS_TYPED),
        (5, &corpus.pain_point, DRAWS_TYPED),
        (NONE, &corpus.untyped, DRAWS_TYPED),
    ] {
        for line in template::lines(file) {
            let texts = once(draws, |_| {
                Ok(varied(
                    template::expand(line, &slots, dice)?,
                    corpus.language,
                    dice,
                ))
            })?;
            examples.extend(texts.into_iter().map(|text| Example {
                text,
                class,
                weight: TEMPLATE_WEIGHT,
                hand: None,
            }));
        }
    }
    Ok(examples)
}

/// What `draw` gives, each once; it is told when it is asked for the first time.
fn once(
    draws: usize,
    mut draw: impl FnMut(bool) -> Result<String, BadTemplate>,
) -> Result<Vec<String>, BadTemplate> {
    let mut drawn: Vec<String> = Vec::new();
    for _ in 0..draws {
        let sentence = draw(drawn.is_empty())?;
        if !drawn.contains(&sentence) {
            drawn.push(sentence);
        }
    }
    Ok(drawn)
}

fn known(examples: Vec<Example>, language: Language) -> Vec<Known> {
    examples
        .into_iter()
        .map(|example| Known {
            features: feature::features(
                &example.text,
                language,
                signal::of(&example.text, language),
            ),
            class: example.class,
            weight: example.weight,
            hand: example.hand,
        })
        .collect()
}

/// Temperature and floor, on the words of each hand by a classifier that never saw them.
fn measured(examples: &[Known], hands: &[&[Labelled]]) -> (f32, f32) {
    let mixed = hands.iter().enumerate().filter(|(_, sentences)| {
        let nothing = sentences.iter().filter(|one| one.kind == KINDS[NONE]);
        nothing.count() as f64 >= LEAST_NONE * sentences.len() as f64
    });
    let mixed: Vec<_> = mixed.collect();
    if hands.len() < 2 || mixed.is_empty() {
        return (1.0, LOWEST_FLOOR as f32 / 100.0);
    }
    let mut temperatures = Vec::new();
    let mut judged = Vec::new();
    for (hand, sentences) in mixed {
        let (apart, kept): (Vec<&Known>, Vec<&Known>) = examples
            .iter()
            .partition(|example| example.hand == Some(hand));
        let mut classifier = learn(&kept);
        classifier.temperature = temperature(&classifier, &apart);
        temperatures.push(classifier.temperature);
        // The other languages are not asked.
        let model = Model {
            classifiers: vec![classifier; Language::ALL.len()],
        };
        judged.extend(sentences.iter().filter_map(|sentence| {
            let (_, confidence) = apart::surest(&model, &sentence.text)?;
            Some((confidence, sentence.kind != KINDS[NONE]))
        }));
    }
    let temperature = temperatures.iter().sum::<f32>() / temperatures.len() as f32;
    (temperature, floor(&judged))
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

fn learn(examples: &[&Known]) -> Classifier {
    let mut holding = vec![0usize; BUCKETS];
    for example in examples {
        for bucket in example.features.buckets() {
            holding[bucket as usize] += 1;
        }
    }
    let rarity: Vec<u8> = holding
        .iter()
        .map(|holding| model::rarity_byte(examples.len(), *holding))
        .collect();
    let vectors: Vec<Vector> = examples
        .iter()
        .map(|example| {
            example
                .features
                .weighed(|bucket| model::rarity(&rarity, bucket))
        })
        .collect();
    let mut sums = [0.0f32; CLASSES];
    for example in examples {
        sums[example.class] += example.weight;
    }
    let total: f32 = sums.iter().sum();
    let mut weights = vec![[0.0f32; CLASSES]; BUCKETS];
    let mut bias = [0.0f32; CLASSES];
    for class in 0..CLASSES {
        let share = total / (CLASSES as f32 * sums[class].max(1.0));
        let (row, offset) = separate(class, share, examples, &vectors);
        for (weights, weight) in weights.iter_mut().zip(row) {
            weights[class] = weight;
        }
        bias[class] = offset;
    }
    quantised(&weights, bias, rarity)
}

/// Separates a class from all others: weights and bias that minimise the squared hinge loss with L2 regularisation, by dual
/// coordinate descent (Hsieh et al., "A Dual Coordinate Descent Method for Large-scale Linear SVM", ICML 2008, algorithm 1). The sentences
/// of the class count `share` times as much.
fn separate(class: usize, share: f32, examples: &[&Known], vectors: &[Vector]) -> (Vec<f32>, f32) {
    let mut weights = vec![0.0f32; BUCKETS];
    let mut bias = 0.0f32;
    let mut alphas = vec![0.0f32; examples.len()];
    let squares: Vec<f32> = vectors
        .iter()
        .map(|vector| 1.0 + vector.iter().map(|(_, value)| value * value).sum::<f32>())
        .collect();
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut dice = Dice::new(SEED);
    for _ in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at + 1));
        }
        for index in &order {
            let (example, vector) = (examples[*index], &vectors[*index]);
            let (side, share) = if example.class == class {
                (1.0, share)
            } else {
                (-1.0, 1.0)
            };
            let slack = 0.5 / (COST * share * example.weight);
            let margin = bias
                + vector
                    .iter()
                    .map(|(bucket, value)| weights[*bucket as usize] * value)
                    .sum::<f32>();
            let gradient = side * margin - 1.0 + slack * alphas[*index];
            let alpha = (alphas[*index] - gradient / (squares[*index] + slack)).max(0.0);
            let step = (alpha - alphas[*index]) * side;
            if step != 0.0 {
                alphas[*index] = alpha;
                bias += step;
                for (bucket, value) in vector {
                    weights[*bucket as usize] += step * value;
                }
            }
        }
    }
    (weights, bias)
}

fn quantised(learned: &[[f32; CLASSES]], bias: [f32; CLASSES], rarity: Vec<u8>) -> Classifier {
    let mut weights = vec![0i8; CLASSES * BUCKETS];
    let scale = std::array::from_fn(|class| {
        let mut sizes: Vec<f32> = learned
            .iter()
            .map(|row| row[class].abs())
            .filter(|size| *size > 0.0)
            .collect();
        sizes.sort_unstable_by(f32::total_cmp);
        // The few heaviest weights are clipped, so that the many small ones keep their differences.
        let top = sizes.iter().rev().nth(sizes.len() / CLIPPED).copied();
        let scale = top.unwrap_or(1e-6) / 127.0;
        for (bucket, row) in learned.iter().enumerate() {
            weights[class * BUCKETS + bucket] =
                (row[class] / scale).round().clamp(-127.0, 127.0) as i8;
        }
        scale
    });
    Classifier {
        temperature: 1.0,
        floor: 0.0,
        bias,
        scale,
        rarity,
        weights,
    }
}

/// The temperature with the smallest Brier score on the sentences left out (a score without logarithms, which are the platform's).
fn temperature(classifier: &Classifier, apart: &[&Known]) -> f32 {
    let logits: Vec<([f64; CLASSES], usize)> = apart
        .iter()
        .map(|example| {
            let vector = example
                .features
                .weighed(|bucket| model::rarity(&classifier.rarity, bucket));
            (classifier.logits(&vector), example.class)
        })
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
    for step in 1..60 {
        let candidate = f64::from(step) / 20.0;
        let value = score(candidate);
        if value < best.0 {
            best = (value, candidate);
        }
    }
    best.1 as f32
}

/// The lowest confidence from which "remember" is right as often as [`PRECISION`] asks, out of confidences and whether there was something
/// to remember.
fn floor(judged: &[(f64, bool)]) -> f32 {
    for step in LOWEST_FLOOR..HIGHEST_FLOOR {
        let floor = step as f64 / 100.0;
        let kept = || judged.iter().filter(|(confidence, _)| *confidence >= floor);
        let right = kept().filter(|(_, right)| *right).count();
        if right as f64 >= PRECISION * kept().count() as f64 {
            return floor as f32;
        }
    }
    HIGHEST_FLOOR as f32 / 100.0
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
            said: ["I prefer milk", "I like juice best"]
                .map(|text| {
                    vec![Labelled {
                        language: Language::English,
                        kind: "preference".to_owned(),
                        text: text.to_owned(),
                    }]
                })
                .to_vec(),
        }
    }

    #[test]
    fn training_is_deterministic_and_learns() {
        let first = train(&[corpus()]).expect("trained");
        assert_eq!(
            first.to_bytes(),
            train(&[corpus()]).expect("trained").to_bytes()
        );
        let likeliest = |text: &str| {
            let features =
                feature::features(text, Language::English, signal::of(text, Language::English));
            let chances = first.probabilities(Language::English, &features);
            let best =
                (0..CLASSES).max_by(|left, right| chances[*left].total_cmp(&chances[*right]));
            KINDS[best.expect("seven")]
        };
        assert_eq!(likeliest("I prefer cold tea"), "preference");
        assert_eq!(likeliest("Thanks for the help"), "none");
    }

    #[test]
    fn the_floor_is_the_lowest_that_is_right_often_enough() {
        assert_eq!(floor(&[]), LOWEST_FLOOR as f32 / 100.0);
        assert_eq!(floor(&[(0.5, false), (0.7, true)]), 0.51);
        assert_eq!(floor(&[(0.99, false)]), HIGHEST_FLOOR as f32 / 100.0);
    }

    #[test]
    fn a_wrong_line_is_an_error() {
        assert!(labelled(Language::English, "{\"kind\":\"taste\",\"text\":\"x\"}").is_err());
        let broken = Corpus {
            fact: "I am {nobody}".to_owned(),
            ..corpus()
        };
        assert_eq!(
            train(&[broken]).unwrap_err(),
            BadTemplate::NoSlot("nobody".to_owned())
        );
    }
}
