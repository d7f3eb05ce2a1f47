//! English: memories that come from elsewhere.

use domain::import::{ImportFormat, ImportState, RowState};

use super::{super::*, many};

/// Imports.
pub const IMPORTS: Imports = Imports {
    title: "Imports",
    lead: "Existing memories from a table or from mem0. They wait in the queue like all others; nothing is approved by importing it.",
    upload: "Upload a file",
    upload_how: "First you see what each row would become. Nothing is proposed before you say so, and an upload that nobody runs is forgotten after a week.",
    file: "File",
    file_how: "CSV with a head, JSON as mem0 gives it out, or a memory in JSON a line; UTF-8, at most 8 MB and 10,000 rows.",
    format: "Form",
    as_it_looks: "As the file looks",
    formats: |format| match format {
        ImportFormat::Csv => "Table (CSV)",
        ImportFormat::Json => "JSON, as mem0 gives it out",
        ImportFormat::JsonLines => "A memory in JSON a line",
    },
    submit: "Upload and look",
    file_fault: |code, which| {
        match code {
        "required" => "Choose a file.",
        "empty_file" => "The file is empty.",
        "no_rows" => "The file has no rows, or its only line was taken for the names of the columns.",
        "open_quote" => {
            return format!(
                "In line {which} a quote is opened that nothing closes, so all that follows would be one cell. Close it, or take it out."
            );
        }
        "after_quote" => {
            return format!(
                "In line {which} something stands behind a closing quote. Write a quote inside a cell in quotes twice: “\"likes \"\"big\"\" cars\"”."
            );
        }
        "not_utf8" => "The file is not UTF-8. Save it as UTF-8; in Excel that is “CSV UTF-8”.",
        "nul" => "The file holds the character NUL, so it is no text.",
        "too_large" => "The file is larger than 8 MB. Cut it in parts.",
        "too_many_rows" => "The file has more than 10,000 rows. Cut it in parts.",
        "too_many_columns" => {
            "The file has more than 200 columns. Take out those that are not needed."
        }
        "no_head" => {
            return format!("Column {which} has no name. The first line must name the columns.");
        }
        "head_twice" => {
            return format!("Two columns are called “{which}”. Give each a name of its own.");
        }
        "not_json" => "The file is not JSON.",
        "no_list" => "There is no list of memories in the file.",
        _ => "The file cannot be read.",
    }
    .to_owned()
    },
    list: "Uploaded so far",
    none: "No imports yet",
    none_how: "Upload a file above to bring memories from another system into the queue.",
    uploaded: "Uploaded",
    command_line: "Command line",
    standing: "State",
    rows: |n| many(n, "row", "rows"),
    state: |state| match state {
        ImportState::Ready => "Looked at, not run",
        ImportState::Running => "Being proposed",
        ImportState::Stopped => "Stopped",
        ImportState::Done => "Done",
        ImportState::Withdrawing => "Being withdrawn",
        ImportState::Withdrawn => "Withdrawn",
        ImportState::Expired => "Forgotten; nobody ran it",
    },
    row_state: |state| match state {
        RowState::Waits => "fits",
        RowState::Proposed => "proposed",
        RowState::Duplicate => "there already",
        RowState::Known => "imported before",
        RowState::Failed => "does not fit",
    },
    error: |code| match code {
        "deactivated" => "Whoever uploaded it was deactivated.",
        "forbidden" => "Whoever uploaded it may not import this any more.",
        "key_ended" => "The key that uploaded it was revoked or has expired.",
        _ => "It failed inside Keepsake; the log says why.",
    },
    no_name: "Upload",
    of_file: |file| format!("Import of {file}"),
    look_again: "Look again",
    progress: |done, total| format!("{} of {} rows", grouped(done), grouped(total)),
    run: |n| format!("Propose {}", many(n, "row", "rows")),
    run_how: "Each becomes a candidate with the flag “imported” and waits for a decision.",
    stop: "Stop",
    stop_how: "What was proposed waits; the rest can be proposed later.",
    withdraw: "Withdraw",
    withdraw_how: "Takes out of the queue what nobody has decided yet. What was decided stays, and the file can be imported again.",
    forget: "Forget this upload",
    forget_how: "Nothing of it was proposed. What was uploaded is removed now, instead of after a week.",
    no_content: |names| {
        format!(
            "No column was taken for the statement. The first line of the file was taken for the names of the columns: {names}. If it is a row like the others, put a line of names above it, such as user_id,content, and upload the file again; else choose below which column holds the statement."
        )
    },
    in_queue: "See them in the queue",
    mapping: "What the columns become",
    mapping_how: "Guessed from their names. Change what is wrong and look again.",
    column: "Column",
    becomes: "Becomes",
    not_taken: "– not taken over –",
    as_metadata: |name| format!("Metadata: {name}"),
    as_pair: |name| format!("Part of the user: {name}"),
    field: |word| match word {
        "user_id" => "User",
        "content" => "Statement",
        "kind" => "Kind",
        "name" => "Name",
        "tags" => "Tags",
        "importance" => "Importance",
        "said_at" => "When it was said",
        "source_id" => "Id where it comes from",
        "metadata" => "Metadata",
        "scope" => "Part of the user",
        _ => "The whole row",
    },
    for_all: "The same for all rows",
    for_all_how: "Where no column says it.",
    check_again: "Look again with this",
    mapping_fault: |code| match code {
        "required" => {
            "Say which column holds the statement, the user and the kind, or give a user and a kind for all rows."
        }
        "twice" => "Two columns become the same. Choose one.",
        _ => "This does not fit the file.",
    },
    preview: "The first rows, as they would become",
    preview_how: "Up to 20 rows.",
    number: "Row",
    line: "Line",
    faults: "Rows that do not fit",
    faults_how: "The others are proposed without them. Mend them in the file and upload it again: what was proposed is not proposed twice.",
    download: "Download as a table",
    what_to_do: "What to do",
    fault: |field, code| match (field, code) {
        ("row", "columns") => {
            "The row has more or fewer cells than the head. Put quotes around a cell that holds the delimiter, and keep the delimiters of empty cells."
        }
        ("row", "not_json") => "The line is no JSON.",
        ("row", "not_an_object") => "A memory is an object with fields.",
        ("user_id", "required") => "Say whom it is about, or give one user for all rows.",
        ("user_id", "too_long") => "A user id has 1 to 256 characters, without control characters.",
        ("user_id", "reserved") => "A user id does not begin with usr_.",
        ("user_id", "opted_out") => "This person has opted out: nothing is remembered of them.",
        ("user_id", "shared_id") => "The agent counts this id as one that several people share.",
        ("user_id", "mapping_changed") => {
            "A value that named all rows was erased, so nobody can tell any more whom this row is about; upload it again with that value."
        }
        ("scope", "too_long") => {
            "A person is named by at most five pairs, their names of 1 to 64 characters and their values of 1 to 256."
        }
        ("content", "required") => "There is nothing to remember in this row.",
        ("content", "too_long") => {
            "A memory has at most 2,000 characters. Shorten it, or cut it in two."
        }
        ("content", "hidden_characters") => "Take out the characters that do not show.",
        ("content", "rejected_before") => "A person rejected the same within the last 90 days.",
        (_, "secret") => "Take out the key, password or card number. Secrets are never stored.",
        ("kind", "required") => "Say of which kind it is, or give one kind for all rows.",
        ("kind", _) => {
            "Use a kind that the agent keeps. Profile fields, summaries and patterns are not imported."
        }
        ("name", _) => "A name has 1 to 200 characters, without control characters.",
        ("tags", _) => "Tags are texts: at most 20, of 64 characters each.",
        ("importance", _) => "Importance is a number from 0.0 to 1.0.",
        ("said_at", "range") => "The date lies in the future, or before 1970.",
        ("said_at", _) => {
            "Write the date as 2026-03-01 or 2026-03-01T10:00:00Z. One that begins with the day or the month could be either, and is not guessed."
        }
        ("source_id", "too_long") => "An id has 1 to 256 characters, without control characters.",
        ("metadata", _) => {
            "It does not fit the kind’s schema. Look at the kind, or leave the column out."
        }
        (_, "wrong_type") => "A text is wanted here, not a list or a truth value.",
        (_, "internal") => "It failed inside Keepsake; the log says why. Run the import again.",
        _ => "This cannot be stored as it is.",
    },
    all: "All imports",
    from_file: |row| format!("From row {} of an imported file", grouped(row)),
    flash_uploaded: "Uploaded. Look at what the rows would become, then propose them.",
    flash_mapped: "All rows were looked at again.",
    flash_running: "The rows are being proposed. You can leave this page.",
    flash_stopped: "Stopped.",
    flash_withdrawn: "It is being withdrawn. What was decided stays.",
    flash_forgotten: "The upload is being forgotten.",
    flash_not_now: "Not while it runs, and not after it has ended.",
};
