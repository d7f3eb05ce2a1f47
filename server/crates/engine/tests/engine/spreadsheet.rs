//! The table of an export in a spreadsheet. Events hold no text of anybody, so what a spreadsheet would run is put into them past the
//! store here, and comes out through a real export. Where `KEEPSAKE_SOFFICE` names LibreOffice, it opens the table as well;
//! `cargo xtask accept` asks for that.

use std::{fs, process::Command};

use engine::NewExport;
use store::testing::TestDb;

use crate::exports::{House, everything, holds, unpacked};

/// Reads what LibreOffice made of a table.
const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engine/spreadsheet.py");

/// What a spreadsheet would run, or take for a number.
const RUN: [&str; 8] = [
    "=HYPERLINK(\"http://x\",\"y\")",
    "=1+1",
    "@SUM(1)",
    "-2+3",
    "+1",
    "-7",
    "\t=1+1",
    "\r=1+1",
];
/// What it shows as it is.
const SHOWN: [&str; 6] = [
    "日本語の記憶",
    "中文记忆",
    "🙂 an emoji",
    "a = 1, \"b\"; c",
    "two  spaces",
    "two\nlines",
];

/// The columns of text that take whatever an event says: `actor_id`, `user` and `subject`.
const TEXTS: [usize; 3] = [5, 6, 7];
/// The one column of numbers.
const SEQ: usize = 1;

/// Formula, type, and what the cell holds.
type Cell = (Option<String>, Option<String>, String);

/// What is put into the event of this number.
fn put_into(seq: i64) -> Option<&'static str> {
    let place = usize::try_from(seq - 1).ok()?;
    RUN.iter().chain(&SHOWN).nth(place).copied()
}

/// The cells of a table that begins with a byte order mark.
fn rows(table: &[u8]) -> Vec<Vec<String>> {
    let table = table.strip_prefix("\u{feff}".as_bytes()).unwrap();
    csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(table)
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect()
}

/// The cells as LibreOffice has them, once somebody has told it that the file is UTF-8.
fn opened(soffice: &str, table: &[u8]) -> Vec<Vec<Cell>> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("events.csv");
    fs::write(&file, table).unwrap();
    // A profile of its own: a second LibreOffice hands its work over to a first one that has the same.
    let profile = dir.path().join("profile");
    let done = Command::new(soffice)
        .arg(format!(
            "-env:UserInstallation=file://{}",
            profile.display()
        ))
        .args(["--headless", "--infilter=CSV:44,34,UTF8"])
        .args(["--convert-to", "fods", "--outdir"])
        .arg(dir.path())
        .arg(&file)
        .output()
        .expect("KEEPSAKE_SOFFICE names no program");
    let made = dir.path().join("events.fods");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(made.exists(), "LibreOffice opened no table: {said}");
    let read = Command::new("python3")
        .arg(READER)
        .arg(&made)
        .output()
        .expect("python3 is missing, which reads the table");
    let said = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success(), "{said}");
    serde_json::from_slice(&read.stdout).unwrap()
}

store::both! {
    // E4
    async fn a_spreadsheet_runs_no_cell_of_the_table_and_counts_with_its_numbers(db: &TestDb) {
        let house = House::new(db).await;
        house.live("ana", "canary-ana").await;
        house.live("bo", "canary-bo").await;
        house.world.say("=zoe()", &["=zoe()", "+zoe"]).await;
        house.world.work().await;
        house.world.engine.flush().await.unwrap();
        db.unlock_history().await;
        db.rewrite_chain("support", 1, |body| {
            if let Some(text) = put_into(body.seq) {
                body.actor.id = Some(text.to_owned());
                body.user = Some(text.to_owned());
                body.subject = text.to_owned();
            }
        })
        .await;
        let made = house.made(NewExport { bom: true, ..everything() }).await;
        let files = unpacked(&house.file(&made).await);
        let table = &files["events.csv"];
        assert!(holds(&files["conversations.ndjson"], "=zoe()"));
        assert!(!holds(table, "zoe"), "nobody's words are in the table");

        let rows = rows(table);
        let mut met = 0;
        for row in rows.iter().filter(|row| row[0] == "support") {
            let Some(text) = put_into(row[SEQ].parse().unwrap()) else {
                continue;
            };
            let safe = if RUN.contains(&text) { format!("'{text}") } else { text.to_owned() };
            assert_eq!(TEXTS.map(|column| &row[column]), [&safe; 3]);
            met += 1;
        }
        assert_eq!(met, RUN.len() + SHOWN.len());

        let Ok(soffice) = std::env::var("KEEPSAKE_SOFFICE") else {
            return;
        };
        // No event has a number below 1; a column that gets one must be counted with.
        let below = [table.as_slice(), b"below,-7,,,,,,,,,\r\n"].concat();
        let mut shown = opened(&soffice, &below);
        let counted = shown.pop().unwrap();
        assert_eq!(counted[SEQ], (None, Some("float".to_owned()), "-7".to_owned()));
        assert_eq!(shown.len(), rows.len());
        for (number, (row, shown)) in rows.iter().zip(&shown).enumerate() {
            assert_eq!(shown.len(), row.len(), "row {number}");
            for (column, (text, cell)) in row.iter().zip(shown).enumerate() {
                let kind = match (number, column) {
                    _ if text.is_empty() => None,
                    (1.., SEQ) => Some("float"),
                    _ => Some("string"),
                };
                // It shows one line end as another.
                let text = text.replace('\r', "\n");
                let (formula, found, holds) = cell;
                assert_eq!((formula.as_deref(), found.as_deref(), holds), (None, kind, &text), "row {number}, column {column}");
            }
        }
    }
}
