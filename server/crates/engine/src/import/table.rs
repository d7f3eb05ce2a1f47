//! Tables with a head, as spreadsheets write them. The reader of the crate forgives a quote that is out of place, and would then file the
//! words of one row under another; such a file is refused instead, with the line.

use std::collections::HashMap;

use domain::import::ImportFormat;
use serde_json::Value;

use super::read::{Table, TableRow, bad, bad_at};
use crate::error::{EngineError, Result};

/// Reads a table that begins with the names of its columns.
///
/// # Errors
/// `invalid` at `/content`.
pub(super) fn csv(text: &str) -> Result<Table> {
    let (delimiter, begin) = delimiter(text);
    quotes_are_closed(text, begin, delimiter)?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(&text.as_bytes()[begin..]);
    let unreadable = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        bad(
            "not_csv",
            &format!("the table cannot be read from line {line} on"),
        )
    };
    let columns: Vec<String> = reader
        .headers()
        .map_err(unreadable)?
        .iter()
        .map(|name| name.trim().to_owned())
        .collect();
    each_has_a_name(&columns)?;
    let mut ruler = Ruler::along(text);
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let place = record.position().map(csv::Position::byte);
        let place = place.and_then(|byte| usize::try_from(byte).ok());
        rows.push(TableRow {
            line: place.map(|place| ruler.line_of_record(begin + place)),
            record: if record.len() == columns.len() {
                let cells = columns.iter().zip(&record);
                let cells = cells.filter(|(_, cell)| !cell.trim().is_empty());
                Ok(cells
                    .map(|(name, cell)| (name.clone(), Value::from(cell)))
                    .collect())
            } else {
                Err(("row", "columns"))
            },
        });
    }
    Ok(Table {
        format: ImportFormat::Csv,
        columns,
        rows,
    })
}

fn each_has_a_name(columns: &[String]) -> Result<()> {
    let mut met: HashMap<&str, usize> = HashMap::new();
    for (number, name) in (1..).zip(columns) {
        if name.is_empty() {
            return Err(bad_at(
                "no_head",
                &format!("column {number} has no name; the first line must name the columns"),
                number.to_string(),
            ));
        }
        if let Some(first) = met.insert(name, number) {
            return Err(bad_at(
                "head_twice",
                &format!(
                    "columns {first} and {number} are both called {name:?}; give each a name of its own"
                ),
                name.as_str(),
            ));
        }
    }
    Ok(())
}

/// What parts the columns, and where the table begins: what a first line like `sep=;` says, which spreadsheets write and read, else
/// whichever of three comes most often in the first line, outside of quotes.
fn delimiter(text: &str) -> (u8, usize) {
    said(text).unwrap_or_else(|| (counted(text), 0))
}

fn said(text: &str) -> Option<(u8, usize)> {
    let end = text.find(['\r', '\n'])?;
    let (word, sign) = text[..end].trim_matches('"').split_at_checked(4)?;
    let &[sign] = sign.as_bytes() else {
        return None;
    };
    let parts = sign == b'\t' || sign.is_ascii_punctuation();
    (parts && word.eq_ignore_ascii_case("sep=")).then_some((sign, end))
}

fn counted(text: &str) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b';', 0), (b'\t', 0)];
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' | b'\r' if !quoted => break,
            _ if quoted => {}
            _ => {
                for (delimiter, count) in &mut counts {
                    *count += usize::from(byte == *delimiter);
                }
            }
        }
    }
    // Of equals the first, so that one column without any is a comma's.
    let most = counts.iter().rev().max_by_key(|(_, count)| *count);
    most.map_or(b',', |(delimiter, _)| *delimiter)
}

/// Where in a cell one is.
#[derive(Clone, Copy)]
enum Within {
    Start,
    Plain,
    /// Since the quote at this place.
    Quoted(usize),
    /// Behind a quote that closes the cell, or is the first half of one that stands for itself.
    Closed(usize),
    /// Behind a closed cell and blanks.
    Behind,
}

/// Refuses quotes that are out of place. One that belongs to another cell than it seems cannot be told from an honest cell of several
/// lines where it comes out even; where it does not, the file is not guessed at.
fn quotes_are_closed(text: &str, begin: usize, delimiter: u8) -> Result<()> {
    let mut within = Within::Start;
    for (place, byte) in text.bytes().enumerate().skip(begin) {
        let ends = byte == delimiter || matches!(byte, b'\n' | b'\r');
        within = match (within, byte) {
            (Within::Quoted(opened), b'"') => Within::Closed(opened),
            (Within::Closed(opened), b'"') => Within::Quoted(opened),
            (Within::Quoted(_), _) => within,
            _ if ends => Within::Start,
            (Within::Start, b'"') => Within::Quoted(place),
            (Within::Start | Within::Plain, _) => Within::Plain,
            (Within::Closed(_) | Within::Behind, b' ' | b'\t') => Within::Behind,
            (Within::Closed(_) | Within::Behind, _) => return Err(behind_a_quote(text, place)),
        };
    }
    match within {
        Within::Quoted(opened) => Err(never_closed(text, opened)),
        _ => Ok(()),
    }
}

fn behind_a_quote(text: &str, place: usize) -> EngineError {
    let line = Ruler::along(text).line_of(place);
    bad_at(
        "after_quote",
        &format!(
            "line {line}: something stands behind a closing quote; a quote inside a cell in quotes is written twice: \"likes \"\"big\"\" cars\""
        ),
        line.to_string(),
    )
}

fn never_closed(text: &str, opened: usize) -> EngineError {
    let line = Ruler::along(text).line_of(opened);
    bad_at(
        "open_quote",
        &format!(
            "line {line}: a quote is opened that nothing closes, so all that follows would be one cell; close it, or take it out"
        ),
        line.to_string(),
    )
}

/// Counts lines along a text, from 1: each ends with LF, CR LF or CR, as the rows of the table do.
struct Ruler<'a> {
    bytes: &'a [u8],
    place: usize,
    line: i64,
}

impl<'a> Ruler<'a> {
    fn along(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            place: 0,
            line: 1,
        }
    }

    /// The line of a place that is not before the last one.
    fn line_of(&mut self, place: usize) -> i64 {
        while self.place < place {
            let ends = match self.bytes.get(self.place) {
                Some(b'\r') => true,
                Some(b'\n') => self.place == 0 || self.bytes[self.place - 1] != b'\r',
                _ => false,
            };
            self.line += i64::from(ends);
            self.place += 1;
        }
        self.line
    }

    /// The line of the record that the reader met from this place on: it looks for it behind empty lines.
    fn line_of_record(&mut self, from: usize) -> i64 {
        let before = self.bytes[from..].iter();
        let empty = before.take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let place = from + empty.count();
        self.line_of(place)
    }
}

#[cfg(test)]
mod tests {
    use crate::import::read::read;

    fn told(content: &str) -> (&'static str, String, Option<String>) {
        let field = read(content.as_bytes(), None)
            .unwrap_err()
            .fields()
            .remove(0);
        (field.code, field.detail, field.which)
    }

    fn lines(content: &str) -> Vec<Option<i64>> {
        let table = read(content.as_bytes(), None).unwrap();
        table.rows.iter().map(|row| row.line).collect()
    }

    // G13
    #[test]
    fn a_quote_out_of_place_files_no_words_under_another_row() {
        for (table, code, line) in [
            (
                "user,memory\nana,\"User likes \"big\" cars\nbo,User is short\ncy,\"User likes rum\ndi,User is tall\n",
                "after_quote",
                "2",
            ),
            (
                "user,memory\r\n\r\nana,User is short\r\ncy,\"User likes rum\r\ndi,User is tall\r\n",
                "open_quote",
                "4",
            ),
            (
                "user,memory\ncy,\"User likes rum\ndi,\"User is tall\"\n",
                "after_quote",
                "3",
            ),
            ("user,memory\nana,\"tea\" \"rum\"\n", "after_quote", "2"),
            ("user,memory\nana,\"tea\n", "open_quote", "2"),
            ("user,\"memory\nana,tea\n", "open_quote", "1"),
        ] {
            let (told, detail, which) = told(table);
            assert_eq!((told, which.as_deref()), (code, Some(line)), "{table}");
            assert!(detail.starts_with(&format!("line {line}: ")), "{detail}");
        }
    }

    // G13
    #[test]
    fn an_honest_cell_holds_quotes_and_lines() {
        for table in [
            "user,memory\nana,\"User likes \"\"big\"\" cars,\nand green ones\"\n",
            "user,memory\nana,\"User is tall\" \nbo,\"\"\"big\"\"\"\n",
            "user,memory\nana,a 5\" nail\nbo,\"\"\n",
            "user;memory\rana;\"tea\"\r",
        ] {
            assert!(read(table.as_bytes(), None).is_ok(), "{table}");
        }
    }

    // G13
    #[test]
    fn a_row_says_in_which_line_it_begins() {
        for end in ["\n", "\r\n", "\r"] {
            let table = [
                "user,memory",
                "ana,tea",
                "",
                "bo,\"rum",
                "and ale\"",
                "cy",
                "",
            ]
            .join(end);
            assert_eq!(lines(&table), [Some(2), Some(4), Some(6)], "{end:?}");
        }
        assert_eq!(lines("sep=;\nuser;memory\nana;tea\n"), [Some(3)]);
        assert_eq!(
            lines("\n{\"memory\": \"tea\"}\n\n{\"memory\": \"rum\"}\n"),
            [Some(2), Some(4)]
        );
        assert_eq!(lines("[{\"memory\": \"tea\"}]"), [None]);
    }

    // G13
    #[test]
    fn what_parts_the_columns_can_be_said_in_the_first_line() {
        for (table, cell) in [
            ("sep=;\r\nuser;memory\r\nana;tea, green\r\n", "tea, green"),
            ("SEP=,\nuser,memory\nana,tea; green\n", "tea; green"),
            ("\"sep=|\"\nuser|memory\nana|a, b; c\n", "a, b; c"),
            ("sep=\t\nuser\tmemory\nana\ttea\n", "tea"),
        ] {
            let table = read(table.as_bytes(), None).unwrap();
            assert_eq!(table.columns, ["user", "memory"]);
            let row = table.rows[0].record.as_ref().unwrap();
            assert_eq!(row["memory"], cell);
        }
        let named = read(b"sep=x,memory\nana,tea\n", None).unwrap();
        assert_eq!(named.columns, ["sep=x", "memory"]);
    }

    #[test]
    fn columns_without_a_name_of_their_own_are_named() {
        let (code, detail, which) = told("user,memory,user\nana,tea,x\n");
        assert_eq!((code, which.as_deref()), ("head_twice", Some("user")));
        assert!(
            detail.contains("columns 1 and 3") && detail.contains("\"user\""),
            "{detail}"
        );
        let (code, detail, which) = told("user,\nana,tea\n");
        assert_eq!((code, which.as_deref()), ("no_head", Some("2")));
        assert!(detail.contains("column 2"), "{detail}");
    }
}
