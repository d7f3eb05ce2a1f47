//! How good the built-in extractor is on sentences that it never saw.

use std::fmt::Write;

use super::{
    language::Language,
    model::{CLASSES, KINDS, Model, NONE},
    train::{HeldOut, best, class_of},
};

/// Counts of one set of sentences of one language: `table[truth][found]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confusion {
    pub table: [[usize; CLASSES]; CLASSES],
}

impl Confusion {
    /// What the extractor finds at its floor in `sentences` of `language`.
    #[must_use]
    pub fn of(model: &Model, language: Language, sentences: &[HeldOut], tuning: bool) -> Confusion {
        let mut confusion = Confusion::default();
        for sentence in sentences
            .iter()
            .filter(|sentence| sentence.language == language && sentence.tuning == tuning)
        {
            confusion.table[class_of(&sentence.kind)][found(model, sentence)] += 1;
        }
        confusion
    }

    fn truths(&self, class: usize) -> usize {
        self.table[class].iter().sum()
    }

    fn founds(&self, class: usize) -> usize {
        self.table.iter().map(|row| row[class]).sum()
    }

    /// Share of what was found as `class` that is.
    #[must_use]
    pub fn precision(&self, class: usize) -> f64 {
        ratio(self.table[class][class], self.founds(class))
    }

    /// Share of `class` that was found.
    #[must_use]
    pub fn recall(&self, class: usize) -> f64 {
        ratio(self.table[class][class], self.truths(class))
    }

    #[must_use]
    pub fn f1(&self, class: usize) -> f64 {
        let (precision, recall) = (self.precision(class), self.recall(class));
        if precision + recall == 0.0 {
            0.0
        } else {
            2.0 * precision * recall / (precision + recall)
        }
    }

    /// Mean F1 of preference, fact and context.
    #[must_use]
    pub fn macro_f1(&self) -> f64 {
        (0..NONE).map(|class| self.f1(class)).sum::<f64>() / NONE as f64
    }

    /// Share of the proposals that are about something worth remembering, whatever the kind.
    #[must_use]
    pub fn remember_precision(&self) -> f64 {
        let founds: usize = (0..NONE).map(|class| self.founds(class)).sum();
        let junk: usize = (0..NONE).map(|class| self.table[NONE][class]).sum();
        ratio(founds - junk, founds)
    }

    /// Share of what is worth remembering that is proposed, whatever the kind.
    #[must_use]
    pub fn remember_recall(&self) -> f64 {
        let truths: usize = (0..NONE).map(|class| self.truths(class)).sum();
        let missed: usize = (0..NONE).map(|class| self.table[class][NONE]).sum();
        ratio(truths - missed, truths)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

fn found(model: &Model, sentence: &HeldOut) -> usize {
    best(model, &sentence.text)
        .filter(|(_, confidence)| *confidence >= model.floor(sentence.language))
        .map_or(NONE, |(class, _)| class)
}

/// The tables of docs/EXTRACTOR.md: the half that was only used here.
#[must_use]
pub fn markdown(model: &Model, sentences: &[HeldOut]) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{text}");
    };
    line("| language | kind | sentences | precision | recall | F1 |".to_owned());
    line("|---|---|---|---|---|---|".to_owned());
    for language in Language::ALL {
        let confusion = Confusion::of(model, language, sentences, false);
        for (class, kind) in KINDS.iter().enumerate() {
            line(format!(
                "| {} | {kind} | {} | {:.3} | {:.3} | {:.3} |",
                language.tag(),
                confusion.truths(class),
                confusion.precision(class),
                confusion.recall(class),
                confusion.f1(class)
            ));
        }
    }
    line(String::new());
    line("| language | macro-F1 of the three kinds | precision of \"remember\" | recall of \"remember\" | floor | temperature |".to_owned());
    line("|---|---|---|---|---|---|".to_owned());
    for language in Language::ALL {
        let confusion = Confusion::of(model, language, sentences, false);
        line(format!(
            "| {} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} |",
            language.tag(),
            confusion.macro_f1(),
            confusion.remember_precision(),
            confusion.remember_recall(),
            model.floor(language),
            model.classifiers[language.index()].temperature
        ));
    }
    out
}

/// The sentences of the tuning half that are judged wrong, a line each: what it is, what was found, how sure.
#[must_use]
pub fn mistakes(model: &Model, sentences: &[HeldOut]) -> String {
    let mut out = String::new();
    for sentence in sentences.iter().filter(|sentence| sentence.tuning) {
        let found = found(model, sentence);
        if found != class_of(&sentence.kind) {
            let surest = best(model, &sentence.text).map_or(0.0, |(_, confidence)| confidence);
            let _ = writeln!(
                out,
                "{} {:<10} found {:<10} {surest:.2}  {}",
                sentence.language.tag(),
                sentence.kind,
                KINDS[found],
                sentence.text
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_the_table() {
        let confusion = Confusion {
            table: [[8, 1, 0, 1], [0, 10, 0, 0], [0, 0, 9, 1], [1, 0, 0, 9]],
        };
        assert!((confusion.precision(0) - 8.0 / 9.0).abs() < 1e-9);
        assert!((confusion.recall(0) - 0.8).abs() < 1e-9);
        assert!((confusion.remember_precision() - 28.0 / 29.0).abs() < 1e-9);
        assert!((confusion.remember_recall() - 28.0 / 30.0).abs() < 1e-9);
    }
}
