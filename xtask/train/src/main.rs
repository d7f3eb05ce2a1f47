//! `cargo xtask train`: makes the weights of the built-in extractor from the text in `server/crates/domain/data/builtin` and
//! writes them with the report. `--check` writes nothing and fails where the committed weights, or the figures of the report, are others; `--try=<folder>` only measures on sentences of one's own and prints those that are judged wrong.

mod expressions;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use domain::builtin::{
    Language, Model, VERSION, apart,
    train::{ALL_KINDS, Corpus, Labelled, labelled, sentences, train},
};

const REPORT: &str = "docs/EXTRACTOR.md";
const MEASURED: &str = "<!-- measured -->";
const WEIGHTS: &str = "weights.bin";

/// What is measured on, and what it is.
const SETS: [(&str, &str); 2] = [
    (
        "\nOn the sentences that somebody else wrote, who never saw the training text (`apart/*.jsonl`), with all kinds in use; \
        nothing was set or corrected by them. \"Always yes\" calls every sentence a fact; the regular expressions are a dozen a language \
        (`xtask/train/src/expressions.rs`).\n\n",
        "apart",
    ),
    (
        "\nOn the older held-out sentences of three kinds and nothing, by those who wrote the templates (`heldout/*.jsonl`):\n\n",
        "heldout",
    ),
];

const BASELINES: &[apart::Baseline] = &[
    ("always yes", |_| "fact"),
    ("regular expressions", expressions::kind),
];

/// Sentences with their kinds, of one file.
fn labelled_of(language: Language, path: &Path) -> Result<Vec<Labelled>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    labelled(language, &text).with_context(|| path.display().to_string())
}

/// The sentences of `folder`: `en.jsonl`, `ja.jsonl`, `zh.jsonl`.
fn sentences_of(folder: &Path) -> Result<Vec<Labelled>> {
    let mut all = Vec::new();
    for language in Language::ALL {
        let path = folder.join(format!("{}.jsonl", language.tag()));
        all.extend(labelled_of(language, &path)?);
    }
    Ok(all)
}

/// The training text of a language: `<tag>/*.txt` and `said/<tag>-*.jsonl`, a file a hand.
fn corpus(data: &Path, language: Language) -> Result<Corpus> {
    let file = |name: &str| {
        let path = data.join(language.tag()).join(name);
        fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
    };
    let mut said = Vec::new();
    for hand in 1.. {
        let path = data.join(format!("said/{}-{hand}.jsonl", language.tag()));
        if !path.exists() {
            break;
        }
        said.push(labelled_of(language, &path)?);
    }
    Ok(Corpus {
        language,
        slots: file("slots.txt")?,
        preference: file("preference.txt")?,
        fact: file("fact.txt")?,
        context: file("context.txt")?,
        none: file("none.txt")?,
        metric: file("metric.txt")?,
        decision: file("decision.txt")?,
        pain_point: file("pain_point.txt")?,
        untyped: file("untyped.txt")?,
        said,
    })
}

/// The repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the built-in extractor is made of.
fn data() -> PathBuf {
    root().join("server/crates/domain/data/builtin")
}

fn corpora(data: &Path) -> Result<Vec<Corpus>> {
    let all = Language::ALL.into_iter();
    all.map(|language| corpus(data, language)).collect()
}

/// The report as it is, and as it would be with these figures.
fn report(figures: &str) -> Result<(String, String)> {
    let path = root().join(REPORT);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let (before, _) = text
        .split_once(MEASURED)
        .with_context(|| format!("{REPORT} has no {MEASURED}"))?;
    let wanted = format!("{before}{MEASURED}\n\n{figures}");
    Ok((text, wanted))
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let own = args.iter().find_map(|arg| arg.strip_prefix("--try="));
    if let Some(unknown) = args
        .iter()
        .find(|arg| *arg != "--check" && !arg.starts_with("--try="))
    {
        bail!("unknown option {unknown}; train knows --check and --try=<folder>");
    }
    let data = data();
    let corpora = corpora(&data)?;
    let model = train(&corpora)?;
    if let Some(folder) = own {
        let sentences = sentences_of(Path::new(folder))?;
        print!("{}", apart::mistakes(&model, &sentences));
        println!("{}", apart::markdown(&model, &sentences, BASELINES));
        return Ok(());
    }
    let bytes = model.to_bytes();
    let weights = data.join(WEIGHTS);
    let figures = figures(&model, &corpora, &data)?;
    let (present, wanted) = report(&figures)?;
    if args.iter().any(|arg| arg == "--check") {
        if fs::read(&weights)? != bytes {
            bail!(
                "{} is not what the committed text gives: run `cargo xtask train`",
                weights.display()
            );
        }
        if present != wanted {
            bail!("the figures in {REPORT} are not those of the weights: run `cargo xtask train`");
        }
        println!("weights and figures: as committed");
        return Ok(());
    }
    println!("{figures}");
    fs::write(&weights, &bytes)?;
    fs::write(root().join(REPORT), wanted)?;
    Ok(())
}

/// What stands in the report: the text that was trained on, then how good it is on each held-out set.
fn figures(model: &Model, corpora: &[Corpus], data: &Path) -> Result<String> {
    let mut figures = format!(
        "Extractor version {VERSION}, {} KB of weights. Different training sentences:\n\n",
        model.to_bytes().len() / 1024
    );
    figures.push_str(&format!(
        "| language | text | {} |\n",
        ALL_KINDS.join(" | ")
    ));
    figures.push_str(&format!("|---|---|{}\n", "---|".repeat(ALL_KINDS.len())));
    for corpus in corpora {
        for (what, counts) in ["said", "templates"].iter().zip(sentences(corpus)?) {
            let counts = counts.map(|count| count.to_string()).join(" | ");
            let language = corpus.language.tag();
            figures.push_str(&format!("| {language} | {what} | {counts} |\n"));
        }
    }
    figures.push('\n');
    figures.push_str(&apart::settings(model));
    for (lead, folder) in SETS {
        figures.push_str(lead);
        let sentences = sentences_of(&data.join(folder))?;
        figures.push_str(&apart::markdown(model, &sentences, BASELINES));
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weights that every build has in it.
    fn embedded() -> Model {
        let bytes = fs::read(data().join(WEIGHTS)).unwrap();
        Model::from_bytes(&bytes).unwrap()
    }

    /// What extraction without a model is worth: kinds told apart, and little that wastes a reviewer's time.
    const MACRO_F1: f64 = 0.90;
    const PRECISION: f64 = 0.95;

    // F11
    #[test]
    fn on_sentences_of_somebody_else_the_goals_are_met_in_each_language() {
        let model = embedded();
        let sentences = sentences_of(&data().join("apart")).unwrap();
        for language in Language::ALL {
            let own = sentences.iter().filter(|one| one.language == language);
            let counts = apart::Counts::of(own, |sentence| apart::found(&model, sentence));
            for (kind, name) in ALL_KINDS.iter().enumerate() {
                assert!(counts.sentences(kind) >= 25, "{language:?} {name}");
            }
            let (f1, precision) = (counts.macro_f1(), counts.remember_precision());
            assert!(f1 >= MACRO_F1, "{language:?}: macro-F1 {f1:.3}");
            assert!(
                precision >= PRECISION,
                "{language:?}: precision {precision:.3}"
            );
        }
    }

    // F11
    #[test]
    fn the_report_holds_the_figures_of_the_weights() {
        let data = data();
        let corpora = corpora(&data).unwrap();
        let figures = figures(&embedded(), &corpora, &data).unwrap();
        let (present, wanted) = report(&figures).unwrap();
        assert_eq!(present, wanted, "run `cargo xtask train`");
    }
}
