//! `cargo xtask train`: makes the weights of the built-in extractor from the text in `server/crates/domain/data/builtin` and
//! writes them with the report. `--check` writes nothing and fails where the committed weights are others; `--mistakes`
//! prints the tuning sentences that are judged wrong; `--try=<folder>` only measures on sentences of one's own and prints those that are judged wrong.

mod expressions;

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail};
use domain::builtin::{
    Language, VERSION, apart,
    report::{markdown, mistakes},
    train::{Corpus, HeldOut, held_out, sentences, train, written_apart},
};

const REPORT: &str = "docs/EXTRACTOR.md";
const MEASURED: &str = "<!-- measured -->";

const APART: &str = "\nOn the sentences that somebody else wrote, who never saw the templates (`apart/*.jsonl`), with all kinds in use; \
    nothing was set or corrected by them. \"Always yes\" calls every sentence a fact; the regular expressions are a dozen a language \
    (`xtask/train/src/expressions.rs`).\n\n";

const BASELINES: &[apart::Baseline] = &[
    ("always yes", |_| "fact"),
    ("regular expressions", expressions::kind),
];

/// The sentences of `folder`: `en.jsonl`, `ja.jsonl`, `zh.jsonl`.
fn sentences_of(folder: PathBuf) -> Result<Vec<HeldOut>> {
    let mut all = Vec::new();
    for language in Language::ALL {
        let path = folder.join(format!("{}.jsonl", language.tag()));
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        all.extend(written_apart(language, &text).with_context(|| path.display().to_string())?);
    }
    Ok(all)
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let own = args.iter().find_map(|arg| arg.strip_prefix("--try="));
    if let Some(unknown) = args
        .iter()
        .find(|arg| !matches!(arg.as_str(), "--check" | "--mistakes") && !arg.starts_with("--try="))
    {
        bail!("unknown option {unknown}; train knows --check, --mistakes and --try=<folder>");
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = root.join("server/crates/domain/data/builtin");
    let read = |path: PathBuf| {
        fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
    };
    let mut corpora = Vec::new();
    let mut sentences_apart: Vec<HeldOut> = Vec::new();
    for language in Language::ALL {
        let file = |name: &str| read(data.join(language.tag()).join(name));
        corpora.push(Corpus {
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
        });
        let path = data
            .join("heldout")
            .join(format!("{}.jsonl", language.tag()));
        sentences_apart.extend(
            held_out(language, &read(path.clone())?).with_context(|| path.display().to_string())?,
        );
    }
    let model = train(&corpora, &sentences_apart)?;
    if let Some(folder) = own {
        let sentences = sentences_of(PathBuf::from(folder))?;
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
    let mut figures = format!(
        "Extractor version {VERSION}, {} KB of weights. Different training sentences:\n\n",
        bytes.len() / 1024
    );
    figures.push_str("| language | preference | fact | context | none | metric | decision | pain point | looks like the last three |\n|---|---|---|---|---|---|---|---|---|\n");
    for corpus in &corpora {
        let counts = sentences(corpus)?.map(|count| count.to_string());
        figures.push_str(&format!(
            "| {} | {} |\n",
            corpus.language.tag(),
            counts.join(" | ")
        ));
    }
    figures.push_str("\nOn the half of the held-out sentences that sets nothing:\n\n");
    figures.push_str(&markdown(&model, &sentences_apart));
    figures.push_str(APART);
    let apart = sentences_of(data.join("apart"))?;
    figures.push_str(&apart::markdown(&model, &apart, BASELINES));
    println!("{figures}");
    if args.iter().any(|arg| arg == "--mistakes") {
        println!("{}", mistakes(&model, &sentences_apart));
    }
    fs::write(&weights, &bytes)?;
    let path = root.join(REPORT);
    let text = read(path.clone())?;
    let (before, _) = text
        .split_once(MEASURED)
        .with_context(|| format!("{REPORT} has no {MEASURED}"))?;
    fs::write(&path, format!("{before}{MEASURED}\n\n{figures}"))?;
    Ok(())
}
