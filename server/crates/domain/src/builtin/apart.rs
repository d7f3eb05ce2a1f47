//! How good an extractor is on sentences that somebody else wrote, of every kind: the built-in one, and whatever it is compared with.

use std::fmt::Write;

use super::{
    judge,
    language::Language,
    model::Model,
    train::{ALL_KINDS, Labelled},
    typed,
};

const NONE: usize = ALL_KINDS.len() - 1;

/// Counts of one set of sentences: `table[truth][found]`, in the order of [`ALL_KINDS`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    table: [[usize; ALL_KINDS.len()]; ALL_KINDS.len()],
}

impl Counts {
    /// Counts what `judge` finds in `sentences`.
    pub fn of<'a>(
        sentences: impl Iterator<Item = &'a Labelled>,
        judge: impl Fn(&Labelled) -> &'static str,
    ) -> Counts {
        let mut counts = Counts::default();
        for sentence in sentences {
            counts.table[place(&sentence.kind)][place(judge(sentence))] += 1;
        }
        counts
    }

    /// Sentences of this kind.
    #[must_use]
    pub fn sentences(&self, kind: usize) -> usize {
        self.table[kind].iter().sum()
    }

    fn found(&self, kind: usize) -> usize {
        self.table.iter().map(|row| row[kind]).sum()
    }

    /// Share of what was found as `kind` that is.
    #[must_use]
    pub fn precision(&self, kind: usize) -> f64 {
        share(self.table[kind][kind], self.found(kind))
    }

    /// Share of `kind` that was found.
    #[must_use]
    pub fn recall(&self, kind: usize) -> f64 {
        share(self.table[kind][kind], self.sentences(kind))
    }

    #[must_use]
    pub fn f1(&self, kind: usize) -> f64 {
        let (precision, recall) = (self.precision(kind), self.recall(kind));
        if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        }
    }

    /// Mean F1 of the kinds that have sentences, "none" left out.
    #[must_use]
    pub fn macro_f1(&self) -> f64 {
        let there: Vec<f64> = (0..NONE)
            .filter(|kind| self.sentences(*kind) > 0)
            .map(|kind| self.f1(kind))
            .collect();
        if there.is_empty() {
            0.0
        } else {
            there.iter().sum::<f64>() / there.len() as f64
        }
    }

    /// Share of the proposals that are about something worth remembering, whatever the kind.
    #[must_use]
    pub fn remember_precision(&self) -> f64 {
        let found: usize = (0..NONE).map(|kind| self.found(kind)).sum();
        let junk: usize = self.table[NONE][..NONE].iter().sum();
        share(found - junk, found)
    }

    /// Share of what is worth remembering that is proposed, whatever the kind.
    #[must_use]
    pub fn remember_recall(&self) -> f64 {
        let all: usize = (0..NONE).map(|kind| self.sentences(kind)).sum();
        let missed: usize = (0..NONE).map(|kind| self.table[kind][NONE]).sum();
        share(all - missed, all)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn place(kind: &str) -> usize {
    ALL_KINDS
        .iter()
        .position(|name| *name == kind)
        .unwrap_or(NONE)
}

/// The surest thing that is found in `text`, whatever the floor, all kinds in use: its kind and how sure.
pub(super) fn surest(model: &Model, text: &str) -> Option<(&'static str, f64)> {
    judge::readings(model, text, &typed::KINDS)
        .into_iter()
        .map(|(_, reading)| (reading.kind(), reading.confidence()))
        .max_by(|left, right| left.1.total_cmp(&right.1))
}

/// The kind of the surest thing that the built-in extractor finds at its floor; `none` where it finds nothing.
#[must_use]
pub fn found(model: &Model, sentence: &Labelled) -> &'static str {
    surest(model, &sentence.text)
        .filter(|(_, confidence)| *confidence >= model.floor(sentence.language))
        .map_or("none", |(kind, _)| kind)
}

/// Something to compare with: its name, and the kind it finds in a sentence.
pub type Baseline = (&'static str, fn(&Labelled) -> &'static str);

/// The sentences that are judged wrong, a line each: what it is, what was found, how sure, whatever the floor.
#[must_use]
pub fn mistakes(model: &Model, sentences: &[Labelled]) -> String {
    let mut out = String::new();
    for sentence in sentences {
        let found = found(model, sentence);
        if found != sentence.kind {
            let _ = writeln!(
                out,
                "{} {:<10} found {found:<10} {:.2} {}",
                sentence.language.tag(),
                sentence.kind,
                surest(model, &sentence.text).map_or(0.0, |(_, confidence)| confidence),
                sentence.text
            );
        }
    }
    out
}

/// The tables of docs/EXTRACTOR.md over `sentences`, beside `others` (a name and what it finds).
#[must_use]
pub fn markdown(model: &Model, sentences: &[Labelled], others: &[Baseline]) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{text}");
    };
    let of = |language: Language| {
        sentences
            .iter()
            .filter(move |sentence| sentence.language == language)
    };
    line("| language | kind | sentences | precision | recall | F1 |".to_owned());
    line("|---|---|---|---|---|---|".to_owned());
    for language in Language::ALL {
        let counts = Counts::of(of(language), |sentence| found(model, sentence));
        for (kind, name) in ALL_KINDS.iter().enumerate() {
            if counts.sentences(kind) == 0 {
                continue;
            }
            line(format!(
                "| {} | {name} | {} | {:.3} | {:.3} | {:.3} |",
                language.tag(),
                counts.sentences(kind),
                counts.precision(kind),
                counts.recall(kind),
                counts.f1(kind)
            ));
        }
    }
    line(String::new());
    line("| language | what | macro-F1 over the kinds | precision of \"remember\" | recall of \"remember\" |".to_owned());
    line("|---|---|---|---|---|".to_owned());
    for language in Language::ALL {
        let row = |name: &str, counts: &Counts| {
            format!(
                "| {} | {name} | {:.3} | {:.3} | {:.3} |",
                language.tag(),
                counts.macro_f1(),
                counts.remember_precision(),
                counts.remember_recall()
            )
        };
        let built_in = Counts::of(of(language), |sentence| found(model, sentence));
        line(row("built-in", &built_in));
        for (name, judge) in others {
            line(row(name, &Counts::of(of(language), judge)));
        }
    }
    out
}

/// Floor and temperature of each language, as a table.
#[must_use]
pub fn settings(model: &Model) -> String {
    let mut out = "| language | floor | temperature |\n|---|---|---|\n".to_owned();
    for language in Language::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {} | {:.2} | {:.2} |",
            language.tag(),
            model.floor(language),
            model.classifiers[language.index()].temperature
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_the_table() {
        let sentence = |kind: &str| Labelled {
            language: Language::English,
            kind: kind.to_owned(),
            text: String::new(),
        };
        let all = [
            sentence("fact"),
            sentence("fact"),
            sentence("metric"),
            sentence("none"),
        ];
        let counts = Counts::of(all.iter(), |_| "fact");
        assert!((counts.precision(1) - 0.5).abs() < 1e-9);
        assert!((counts.remember_precision() - 0.75).abs() < 1e-9);
        assert!((counts.remember_recall() - 1.0).abs() < 1e-9);
        assert!((counts.macro_f1() - (2.0 / 3.0) / 2.0).abs() < 1e-9);
    }
}
