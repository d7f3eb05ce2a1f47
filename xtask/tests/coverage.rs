//! `docs/COVERAGE.md` kept true: a row for every line of the contract that is in place, and behind every test it names a test that
//! is there and says which line it proves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The lines that must have a row, which is all of them: the letter, the first and the last number.
const LINES: [(char, u32, u32); 7] = [
    ('A', 1, 14),
    ('B', 1, 9),
    ('C', 1, 11),
    ('D', 1, 11),
    ('E', 1, 4),
    ('F', 1, 14),
    ('G', 1, 15),
];

/// A test that a row names.
struct Named {
    test: String,
    file: PathBuf,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The rows of the table: the number of the line, and the tests that its last column links to.
fn rows(table: &str) -> BTreeMap<String, Vec<Named>> {
    let mut rows = BTreeMap::new();
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let (number, last) = (cells[0], cells[cells.len() - 1]);
        if !is_number(number) {
            continue;
        }
        let tests = last.split("[`").skip(1).filter_map(|link| {
            let (test, rest) = link.split_once("`](")?;
            let (file, _) = rest.split_once(')')?;
            Some(Named {
                test: test.to_owned(),
                file: root().join("docs").join(file),
            })
        });
        let again = rows.insert(number.to_owned(), tests.collect());
        assert!(again.is_none(), "{number} has two rows");
    }
    rows
}

fn is_number(cell: &str) -> bool {
    let mut letters = cell.chars();
    letters
        .next()
        .is_some_and(|first| ('A'..='G').contains(&first))
        && cell.len() > 1
        && letters.all(|digit| digit.is_ascii_digit())
}

/// Whether a source has a test of this name under a comment that names the line.
fn proves(source: &str, test: &str, number: &str) -> Result<(), &'static str> {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let opening = format!("fn {test}(");
    let at = lines
        .iter()
        .position(|line| {
            line.strip_prefix("async ")
                .unwrap_or(line)
                .starts_with(&opening)
        })
        .ok_or("is not there")?;
    let above: Vec<&str> = lines[..at]
        .iter()
        .rev()
        .take_while(|line| line.starts_with("//") || line.starts_with("#["))
        .copied()
        .collect();
    let is_test = above
        .iter()
        .any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
        // Of a macro that makes a test of each function in it.
        || ["both! {", "story! {", "proptest! {"]
            .iter()
            .any(|begin| lines[..at].iter().any(|line| line.ends_with(begin)));
    if !is_test {
        return Err("is no test");
    }
    let says = above
        .iter()
        .filter(|line| line.starts_with("//"))
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric()))
        .any(|word| word == number);
    says.then_some(()).ok_or("does not say so above it")
}

#[test]
fn every_line_in_place_is_proved_by_a_test_that_says_so() {
    let table = fs::read_to_string(root().join("docs/COVERAGE.md")).unwrap();
    let rows = rows(&table);
    let mut wrong = Vec::new();
    for (letter, first, last) in LINES {
        for number in first..=last {
            let line = format!("{letter}{number}");
            if rows.get(&line).is_none_or(Vec::is_empty) {
                wrong.push(format!("{line}: no row, or no test in it"));
            }
        }
    }
    for (line, tests) in &rows {
        for Named { test, file } in tests {
            let Ok(source) = fs::read_to_string(file) else {
                wrong.push(format!("{line}: {} is not there", file.display()));
                continue;
            };
            if let Err(why) = proves(&source, test, line) {
                wrong.push(format!("{line}: {test} in {} {why}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_row_and_an_empty_claim_are_seen() {
    let source = "
    // A1, B2: why
    #[test]
    fn held() {}

    #[test]
    fn silent() {}

    // A1
    fn helper() {}
    ";
    assert_eq!(proves(source, "held", "B2"), Ok(()));
    assert_eq!(proves(source, "held", "B"), Err("does not say so above it"));
    assert_eq!(
        proves(source, "held", "A11"),
        Err("does not say so above it")
    );
    assert_eq!(
        proves(source, "silent", "A1"),
        Err("does not say so above it")
    );
    assert_eq!(proves(source, "helper", "A1"), Err("is no test"));
    assert_eq!(proves(source, "gone", "A1"), Err("is not there"));
    let found = rows(
        "| line | tests |\n|---|---|\n| A1 | what | [`held`](../a.rs), [`silent`](../b.rs) |\n| F9 | later | |\n",
    );
    assert_eq!(found["A1"].len(), 2);
    assert!(found["F9"].is_empty() && !found.contains_key("line"));
}
