//! `cargo xtask train`: makes the weights of the built-in extractor from the text in `server/crates/domain/data/builtin` and
//! writes them with the report. `--check` writes nothing and fails where the committed weights are others; `--try=<folder>` only measures on sentences of one's own and prints those that are judged wrong.

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

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let own = args.iter().find_map(|arg| arg.strip_prefix("--try="));
    if let Some(unknown) = args
        .iter()
        .find(|arg| *arg != "--check" && !arg.starts_with("--try="))
    {
        bail!("unknown option {unknown}; train knows --check and --try=<folder>");
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = root.join("server/crates/domain/data/builtin");
    let mut corpora = Vec::new();
    for language in Language::ALL {
        corpora.push(corpus(&data, language)?);
    }
    let model = train(&corpora)?;
    if let Some(folder) = own {
        let sentences = sentences_of(Path::new(folder))?;
        print!("{}", apart::mistakes(&model, &sentences));
        println!("{}", apart::markdown(&model, &sentences, BASELINES));
        return Ok(());
    }
    let bytes = model.to_bytes();
    let weights = data.join("weights.bin");
    if args.iter().any(|arg| arg == "--check") {
        if fs::read(&weights)? != bytes {
            bail!(
                "{} is not what the committed text gives: run `cargo xtask train`",
                weights.display()
            );
        }
        println!("weights: as committed");
        return Ok(());
    }
    let figures = figures(&model, &corpora, &data)?;
    println!("{figures}");
    fs::write(&weights, &bytes)?;
    let path = root.join(REPORT);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let (before, _) = text
        .split_once(MEASURED)
        .with_context(|| format!("{REPORT} has no {MEASURED}"))?;
    fs::write(&path, format!("{before}{MEASURED}\n\n{figures}"))?;
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
