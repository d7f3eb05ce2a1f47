//! Files of one JSON object a line, read one by one.

use std::io::{self, BufRead, Read};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    BundleFaultKind, Findings,
    archive::{Archive, PartReader},
};
use crate::export::bundle::{self, Part};

/// The longest line. A post has at most 1 MiB, and its line says it twice, once as a string in a string.
const LONGEST: u64 = 16 << 20;

/// The most lines of a file: what is remembered of each must fit into memory. A larger export is made by period.
const MOST: u64 = 20_000_000;

/// A line that is of its form.
#[derive(Debug)]
pub(in crate::export) struct Line<T> {
    /// Its number, from 1.
    pub(in crate::export) number: u64,
    /// What it says.
    pub(in crate::export) content: T,
    /// The line itself, without its end.
    pub(in crate::export) text: String,
}

/// The lines of a file.
#[derive(Debug)]
pub(in crate::export) struct Lines<'a> {
    reader: PartReader<'a>,
    part: Part,
    buffer: Vec<u8>,
    number: u64,
    ended: bool,
}

impl<'a> Lines<'a> {
    pub(in crate::export) fn of(archive: &'a mut Archive, part: Part) -> io::Result<Self> {
        Ok(Self {
            reader: archive.read(part)?,
            part,
            buffer: Vec::new(),
            number: 0,
            ended: false,
        })
    }

    /// How many lines came so far, those with faults among them.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line that is of its form; those that are not are told of.
    pub(in crate::export) fn next<T: Serialize + DeserializeOwned>(
        &mut self,
        found: &mut Findings,
    ) -> io::Result<Option<Line<T>>> {
        self.next_by(bundle::read_line, found)
    }

    /// The same, by a reader of such lines.
    pub(in crate::export) fn next_by<T>(
        &mut self,
        read_line: impl Fn(&[u8]) -> Result<(T, String), String>,
        found: &mut Findings,
    ) -> io::Result<Option<Line<T>>> {
        while !self.ended {
            self.buffer.clear();
            let read = self
                .reader
                .by_ref()
                .take(LONGEST + 1)
                .read_until(b'\n', &mut self.buffer)? as u64;
            if read == 0 {
                break;
            }
            self.number += 1;
            let mut fault = |kind, detail: String| {
                found.add(self.part.name(), Some(self.number), kind, detail);
            };
            if read > LONGEST || self.number > MOST {
                let detail = "it is longer than lines are, or one too many; the rest is not read";
                fault(BundleFaultKind::Form, detail.to_owned());
                break;
            }
            match read_line(&self.buffer) {
                Ok((content, text)) => {
                    return Ok(Some(Line {
                        number: self.number,
                        content,
                        text,
                    }));
                }
                Err(detail) => fault(BundleFaultKind::Format, detail),
            }
        }
        self.ended = true;
        Ok(None)
    }
}

/// Does something with each line of a file that is of its form; answers how many lines it has.
pub(super) fn each<T: Serialize + DeserializeOwned>(
    archive: &mut Archive,
    part: Part,
    found: &mut Findings,
    mut take: impl FnMut(&mut Findings, u64, T),
) -> io::Result<u64> {
    let mut lines = Lines::of(archive, part)?;
    while let Some(line) = lines.next(found)? {
        take(found, line.number, line.content);
    }
    Ok(lines.number())
}
