//! The texts of a bundle: each is what an event here committed to when it was written, and stands where that event says.

use std::io;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    BundleFaultKind, Findings,
    archive::Archive,
    ledger::{Ledger, Place},
    lines,
};
use crate::export::bundle::{
    CandidateLine, DecisionLine, Part, PostLine, Proof, RemarkLine, RevisionLine, canonical,
};

/// A line that may have a text.
pub(super) trait TextLine: Serialize + DeserializeOwned {
    /// The file of such lines.
    const PART: Part;

    /// What tells it apart from others about the same thing.
    fn mark(&self) -> String;

    /// Where its text belongs.
    fn place<'a>(&'a self, mark: &'a str) -> Place<'a>;

    /// The text and its proof; of a decision neither may be there.
    fn text(&self) -> (Option<&Value>, Option<&Proof>);
}

macro_rules! text_line {
    ($line:ty, $part:ident, subject: $subject:ident, mark: $mark:expr) => {
        impl TextLine for $line {
            const PART: Part = Part::$part;

            fn mark(&self) -> String {
                let mark: fn(&Self) -> String = $mark;
                mark(self)
            }

            fn place<'a>(&'a self, mark: &'a str) -> Place<'a> {
                Place {
                    part: Self::PART,
                    agent: self.agent.as_str(),
                    user: self.user.as_str(),
                    subject: self.$subject.as_str(),
                    mark,
                }
            }

            fn text(&self) -> (Option<&Value>, Option<&Proof>) {
                (Option::from(&self.text), Option::from(&self.proof))
            }
        }
    };
}

text_line!(PostLine, Conversations, subject: id, mark: |_| String::new());
text_line!(CandidateLine, Candidates, subject: id, mark: |_| String::new());
text_line!(DecisionLine, Decisions, subject: candidate, mark: |line| line.id.to_string());
text_line!(RemarkLine, Remarks, subject: candidate, mark: |line| line.occasion.clone());
text_line!(RevisionLine, Memories, subject: id, mark: |line| line.revision.to_string());

/// Checks the texts of a file; answers how many lines it has.
pub(super) fn check<T: TextLine>(
    archive: &mut Archive,
    ledger: &mut Ledger,
    found: &mut Findings,
) -> io::Result<u64> {
    lines::each(archive, T::PART, found, |found, number, line: T| {
        let mut fault = |kind, detail: &str| {
            found.add(T::PART.name(), Some(number), kind, detail);
        };
        let (text, proof) = match line.text() {
            (Some(text), Some(proof)) => (text, proof),
            (None, None) => return,
            _ => {
                fault(
                    BundleFaultKind::Format,
                    "a text has a proof, and a proof a text",
                );
                return;
            }
        };
        if let Err(detail) = ledger.use_up(line.place(&line.mark()), proof) {
            fault(BundleFaultKind::Commitment, detail);
        }
        if canonical(text) != proof.committed {
            fault(
                BundleFaultKind::Text,
                "what was committed to is not the canonical JSON of the text",
            );
        }
    })
}
