//! Files of memories, read into rows: tables with a head, and the JSON that mem0 gives out, whole or a memory a line.

use std::collections::HashSet;

use domain::import::{ImportFormat, MAX_COLUMNS, MAX_ROWS};
use serde_json::{Map, Value};

use super::{Fault, table::csv};
use crate::error::{EngineError, FieldError, Result};

/// A file as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its form.
    pub format: ImportFormat,
    /// The names of its columns, in the order in which they first come.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<TableRow>,
}

/// A row as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRow {
    /// In which line of the file it begins, from 1; `None` where nothing tells.
    pub line: Option<i64>,
    /// By the names of the columns, without what is empty; or what is wrong with it as a whole.
    pub record: Result<Map<String, Value>, Fault>,
}

/// Where lists lie in what mem0 and its like give out.
const LISTS: [&str; 3] = ["results", "memories", "data"];

/// What is below the names of columns that several values share: a list inside, a level of an object outside.
const NESTED: char = '.';

/// Reads a file; without a form it is the one that its first letter shows.
///
/// # Errors
/// `invalid` at `/content` where it is not UTF-8, not of this form, empty or too long.
pub fn read(content: &[u8], format: Option<ImportFormat>) -> Result<Table> {
    let text = utf8(content)?;
    if text.trim().is_empty() {
        return Err(bad("empty_file", "the file is empty"));
    }
    let format = format.unwrap_or_else(|| sniffed(text));
    let table = match format {
        ImportFormat::Csv => csv(text)?,
        ImportFormat::Json => json(text)?,
        ImportFormat::JsonLines => json_lines(text),
    };
    if table.rows.is_empty() {
        return Err(bad("no_rows", "the file has no rows"));
    }
    if table.rows.len() > MAX_ROWS {
        return Err(bad(
            "too_many_rows",
            &format!(
                "the file has {} rows, at most {MAX_ROWS} are taken at once; cut it in parts",
                table.rows.len()
            ),
        ));
    }
    if table.columns.len() > MAX_COLUMNS {
        return Err(bad(
            "too_many_columns",
            &format!(
                "the file has {} columns, at most {MAX_COLUMNS} are taken; take out those that are not needed",
                table.columns.len()
            ),
        ));
    }
    Ok(table)
}

pub(super) fn bad(code: &'static str, detail: &str) -> EngineError {
    EngineError::invalid("/content", code, detail)
}

/// The same about one line or column, which `detail` names too.
pub(super) fn bad_at(code: &'static str, detail: &str, which: impl Into<String>) -> EngineError {
    EngineError::Invalid(vec![FieldError::new("/content", code, detail).about(which)])
}

fn utf8(content: &[u8]) -> Result<&str> {
    if content.starts_with(&[0xff, 0xfe]) || content.starts_with(&[0xfe, 0xff]) {
        return Err(bad(
            "not_utf8",
            "the file is UTF-16; save it as UTF-8 (in Excel: \"CSV UTF-8\")",
        ));
    }
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let text = std::str::from_utf8(content).map_err(|error| {
        let before = &content[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        bad(
            "not_utf8",
            &format!("line {line} is not UTF-8; save the file as UTF-8 (in Excel: \"CSV UTF-8\")"),
        )
    })?;
    if text.contains('\0') {
        return Err(bad("nul", "the character NUL cannot be kept"));
    }
    Ok(text)
}

fn sniffed(text: &str) -> ImportFormat {
    match text.trim_start().chars().next() {
        Some('[') => ImportFormat::Json,
        Some('{') => {
            // A line that is an object by itself, and more after it.
            let mut lines = text.lines().filter(|line| !line.trim().is_empty());
            let first = lines.next().unwrap_or_default();
            let whole = serde_json::from_str::<Map<String, Value>>(first).is_ok();
            if whole && (lines.next().is_some() || list_in(text).is_none()) {
                ImportFormat::JsonLines
            } else {
                ImportFormat::Json
            }
        }
        _ => ImportFormat::Csv,
    }
}

fn list_in(text: &str) -> Option<Vec<Value>> {
    list(serde_json::from_str(text).ok()?)
}

fn json(text: &str) -> Result<Table> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        bad(
            "not_json",
            &format!(
                "the file is not JSON: line {}, column {}",
                error.line(),
                error.column()
            ),
        )
    })?;
    let items = list(value).ok_or_else(|| {
        bad(
            "no_list",
            "the file has no list of memories; there must be one, or one inside \"results\", \"memories\" or \"data\"",
        )
    })?;
    let rows = items.into_iter().map(|item| TableRow {
        line: None,
        record: flat(item),
    });
    Ok(gathered(ImportFormat::Json, rows.collect()))
}

fn json_lines(text: &str) -> Table {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(number, line)| TableRow {
        line: Some(number),
        record: match serde_json::from_str(line) {
            Ok(value) => flat(value),
            Err(_) => Err(("row", "not_json")),
        },
    });
    gathered(ImportFormat::JsonLines, rows.collect())
}

/// The list of memories: the text itself, or what lies in it under a name that is known, at most two levels down.
fn list(value: Value) -> Option<Vec<Value>> {
    let mut value = value;
    for _ in 0..3 {
        match value {
            Value::Array(items) => return Some(items),
            Value::Object(mut members) => {
                let inner = LISTS.iter().find_map(|name| members.remove(*name));
                value = inner?;
            }
            _ => return None,
        }
    }
    None
}

/// A memory as a row, without what is empty: what its members hold lies beside them under both names.
fn flat(value: Value) -> Result<Map<String, Value>, Fault> {
    let members = match value {
        Value::Object(members) => members,
        value @ Value::String(_) => {
            return Ok([("memory".to_owned(), value)].into_iter().collect());
        }
        _ => return Err(("row", "not_an_object")),
    };
    let mut row = Map::new();
    for (name, value) in members {
        match value {
            Value::Object(inner) => {
                let inner = inner.into_iter().filter(|(_, value)| !is_empty(value));
                row.extend(inner.map(|(below, value)| (format!("{name}{NESTED}{below}"), value)));
            }
            value if is_empty(&value) => {}
            value => {
                row.insert(name, value);
            }
        }
    }
    Ok(row)
}

/// Whether nothing stands there, as in an empty cell of a table.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn gathered(format: ImportFormat, rows: Vec<TableRow>) -> Table {
    let mut columns: Vec<String> = Vec::new();
    let mut met = HashSet::new();
    for record in rows.iter().filter_map(|row| row.record.as_ref().ok()) {
        for name in record.keys() {
            if met.insert(name.clone()) {
                columns.push(name.clone());
            }
        }
    }
    Table {
        format,
        columns,
        rows,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn rows(table: &Table) -> Vec<Value> {
        let told = |row: &TableRow| match &row.record {
            Ok(record) => Value::Object(record.clone()),
            Err((field, code)) => json!([field, code]),
        };
        table.rows.iter().map(told).collect()
    }

    fn code(content: &[u8], format: Option<ImportFormat>) -> &'static str {
        read(content, format).unwrap_err().fields()[0].code
    }

    // G13
    #[test]
    fn a_table_is_read_whatever_parts_its_columns() {
        for text in [
            "user,memory\nana,\"likes tea, green\nor not\"\n",
            "\u{feff}user;memory\r\nana;\"likes tea, green\nor not\"\r\n\r\n",
            "user\tmemory\nana\t\"likes tea, green\nor not\"",
        ] {
            let table = read(text.as_bytes(), None).unwrap();
            assert_eq!(table.format, ImportFormat::Csv);
            assert_eq!(table.columns, ["user", "memory"]);
            let row = json!({"user": "ana", "memory": "likes tea, green\nor not"});
            assert_eq!(rows(&table), [row]);
        }
    }

    #[test]
    fn a_row_with_more_or_fewer_cells_than_the_head_fails_alone() {
        let table = read(b"user,memory\nana,a,b\nbo\n,,\ndi,\ncy,c\n", None).unwrap();
        assert_eq!(
            rows(&table),
            [
                json!(["row", "columns"]),
                json!(["row", "columns"]),
                json!({"user": "di"}),
                json!({"user": "cy", "memory": "c"}),
            ]
        );
    }

    #[test]
    fn what_is_no_such_file_is_refused_with_what_to_do() {
        assert_eq!(code(b"", None), "empty_file");
        assert_eq!(code(b" \n", None), "empty_file");
        assert_eq!(code(b"user,memory\n", None), "no_rows");
        assert_eq!(code(b"[]", None), "no_rows");
        assert_eq!(code(b"user\n\xff\n", None), "not_utf8");
        assert_eq!(code(b"\xff\xfea\0", None), "not_utf8");
        assert_eq!(code(b"user\na\0b\n", None), "nul");
        assert_eq!(code(b"[1", None), "not_json");
        assert_eq!(
            code(b"{\"memory\": 1", Some(ImportFormat::Json)),
            "not_json"
        );
        assert_eq!(code(b"{\"count\": 1}", Some(ImportFormat::Json)), "no_list");
        let many = format!("memory\n{}", "x\n".repeat(MAX_ROWS + 1));
        assert_eq!(code(many.as_bytes(), None), "too_many_rows");
        let wide = |columns: usize| {
            let head: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
            format!("{}\nx\n", head.join(","))
        };
        assert!(read(wide(MAX_COLUMNS).as_bytes(), None).is_ok());
        assert_eq!(
            code(wide(MAX_COLUMNS + 1).as_bytes(), None),
            "too_many_columns"
        );
        let keys: Map<String, Value> = (0..=MAX_COLUMNS)
            .map(|key| (key.to_string(), json!(1)))
            .collect();
        assert_eq!(
            code(json!([keys]).to_string().as_bytes(), None),
            "too_many_columns"
        );
        let refused = read(b"a\nb\n\xe3\x81", None).unwrap_err();
        assert!(refused.fields()[0].detail.starts_with("line 3 "));
    }

    #[test]
    fn what_mem0_gives_out_is_found_in_each_of_its_shapes() {
        let memory = json!({"id": "m1", "memory": "likes tea", "metadata": {"type": "taste", "of": null, "by": ""}, "score": null, "kind": " "});
        let row = json!({"id": "m1", "memory": "likes tea", "metadata.type": "taste"});
        for whole in [
            json!([memory]),
            json!({"results": [memory], "relations": []}),
            json!({"count": 1, "next": null, "results": [memory]}),
            json!({"memories": [memory]}),
            json!({"results": {"memories": [memory]}}),
        ] {
            let table = read(whole.to_string().as_bytes(), None).unwrap();
            assert_eq!(table.format, ImportFormat::Json, "{whole}");
            assert_eq!(rows(&table), std::slice::from_ref(&row), "{whole}");
            assert_eq!(table.columns, ["id", "memory", "metadata.type"]);
        }
        let lines = format!("{memory}\n\n{memory}\nno json\n[]\n");
        let table = read(lines.as_bytes(), None).unwrap();
        assert_eq!(table.format, ImportFormat::JsonLines);
        let not_json = json!(["row", "not_json"]);
        let no_object = json!(["row", "not_an_object"]);
        assert_eq!(
            rows(&table),
            [row.clone(), row.clone(), not_json, no_object]
        );
        let one = read(memory.to_string().as_bytes(), None).unwrap();
        assert_eq!(
            (one.format, rows(&one)),
            (ImportFormat::JsonLines, vec![row])
        );
    }

    proptest! {
        // G13
        #[test]
        fn a_table_that_was_written_reads_back(
            names in proptest::collection::hash_set("[a-z]{1,8}", 1..6),
            cells in proptest::collection::vec(proptest::collection::vec("[ -~\n日語]{0,20}", 6), 1..12),
            delimiter in proptest::sample::select(vec![b',', b';', b'\t']),
        ) {
            let names: Vec<String> = names.into_iter().collect();
            // One column shows no delimiter, and then a comma is taken.
            prop_assume!(names.len() > 1 || delimiter == b',');
            let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
            writer.write_record(&names).unwrap();
            let mut expected = Vec::new();
            for row in &cells {
                let row = &row[..names.len()];
                writer.write_record(row).unwrap();
                if row.iter().any(|cell| !cell.trim().is_empty()) {
                    let cells = names.iter().zip(row).filter(|(_, cell)| !cell.trim().is_empty());
                    let cells = cells.map(|(name, cell)| (name.clone(), Value::from(cell.as_str())));
                    expected.push(Value::Object(cells.collect()));
                }
            }
            let file = writer.into_inner().unwrap();
            prop_assume!(!expected.is_empty());
            let table = read(&file, Some(ImportFormat::Csv)).unwrap();
            prop_assert_eq!(&table.columns, &names);
            prop_assert_eq!(rows(&table), expected);
        }

        #[test]
        fn no_file_makes_the_reader_panic(content in proptest::collection::vec(any::<u8>(), 0..200), text in ".{0,200}") {
            let _ = read(&content, None);
            for &format in ImportFormat::ALL {
                let _ = read(text.as_bytes(), Some(format));
            }
        }
    }
}
