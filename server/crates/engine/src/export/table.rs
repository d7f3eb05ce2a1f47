//! The events as a table for a spreadsheet (RFC 4180).
//!
//! A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, also after a tab or a line end. Such a cell of text gets an apostrophe
//! in front, with which it is a text; spreadsheets show the apostrophe. Numbers are left alone: they are what is counted with.
//!
//! Events hold no text of anybody, so none of these letters is expected at the beginning of a cell. That is no reason to rely on it.

use domain::{Timestamp, audit::hex};
use serde_json::Value;
use store::ExportedEvent;

use super::bundle::EventLine;

/// What makes a spreadsheet that expects another encoding read UTF-8.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

const HEADS: [&str; 11] = [
    "chain",
    "seq",
    "time",
    "type",
    "actor",
    "actor_id",
    "user",
    "subject",
    "data",
    "commitment",
    "hash",
];

/// The first line.
pub(super) fn head() -> Vec<u8> {
    rows([HEADS.map(str::to_owned)])
}

/// The lines of some events of a chain.
pub(super) fn lines(chain: &str, events: &[ExportedEvent]) -> Vec<u8> {
    rows(events.iter().map(|event| line(chain, event)))
}

fn line(chain: &str, event: &ExportedEvent) -> [String; 11] {
    let body: Option<EventLine> = serde_json::from_str(&event.body).ok();
    let (mut actor, mut actor_id, mut user) = (String::new(), String::new(), String::new());
    let (mut subject, mut data, mut commitment) = (String::new(), String::new(), String::new());
    if let Some(body) = body {
        actor = body.actor.r#type;
        actor_id = body.actor.id.unwrap_or_default();
        user = body.user.unwrap_or_default();
        subject = body.subject;
        data = Value::Object(body.data).to_string();
        commitment = body
            .commitment
            .map(|hash| hash.to_string())
            .unwrap_or_default();
    }
    [
        text(chain),
        event.seq.to_string(),
        text(&time(event.at)),
        text(&event.r#type),
        text(&actor),
        text(&actor_id),
        text(&user),
        text(&subject),
        text(&data),
        text(&commitment),
        text(&hex(&event.hash)),
    ]
}

fn time(at: Timestamp) -> String {
    domain::time::rfc3339(at)
}

/// Lines of text as a table that a spreadsheet reads and does not run.
pub(crate) fn spreadsheet<const CELLS: usize>(lines: &[[String; CELLS]]) -> Vec<u8> {
    let mut table = BYTE_ORDER_MARK.as_bytes().to_vec();
    let safe = lines
        .iter()
        .map(|line| line.each_ref().map(|cell| text(cell)));
    table.extend(rows(safe));
    table
}

fn rows<const CELLS: usize>(rows: impl IntoIterator<Item = [String; CELLS]>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    for row in rows {
        writer
            .write_record(&row)
            .expect("a row has as many cells as the one before, and memory takes it");
    }
    writer.into_inner().expect("memory takes it")
}

/// A cell of text that no spreadsheet runs.
fn text(cell: &str) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_of_text_is_run_and_numbers_stay_numbers() {
        for (cell, safe) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@sum", "'@sum"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            assert_eq!(text(cell), safe);
        }
        let event = ExportedEvent {
            seq: -7,
            hash: [1; 32],
            at: Timestamp::UNIX_EPOCH,
            r#type: "agent.created".to_owned(),
            body: "{}".to_owned(),
        };
        let line = String::from_utf8(lines("-x", &[event])).unwrap();
        assert!(
            line.starts_with("'-x,-7,1970-01-01T00:00:00Z,agent.created,"),
            "{line}"
        );
        assert!(line.ends_with("0101\r\n"));
    }

    #[test]
    fn a_cell_with_commas_and_quotes_stays_one_cell() {
        let mut row = HEADS.map(|_| String::new());
        row[8] = "{\"a\":\"b,c\"}".to_owned();
        let line = String::from_utf8(rows([row])).unwrap();
        assert!(line.contains("\"{\"\"a\"\":\"\"b,c\"\"}\""), "{line}");
    }
}
