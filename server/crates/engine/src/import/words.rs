//! What to do about a row that does not fit, in English: for the API and the command line. The dashboard says it in three languages.

/// One sentence, by the part that does not fit and why.
pub fn what_to_do(field: &str, code: &str) -> String {
    match (field, code) {
        ("row", "columns") => "The row has more or fewer cells than the head; put quotes around a cell that holds the delimiter, and keep the delimiters of empty cells.",
        ("row", "not_json") => "The line is no JSON.",
        ("row", "not_an_object") => "A memory is an object with fields.",
        ("user_id", "required") => "Say whom it is about, or give one user for all rows.",
        ("user_id", "too_long") => "A user id has 1 to 256 characters, without control characters.",
        ("user_id", "reserved") => "A user id does not begin with \"usr_\".",
        ("user_id", "opted_out") => "This person has opted out: nothing is remembered of them.",
        ("user_id", "shared_id") => "The agent counts this id as one that several people share.",
        ("user_id", "mapping_changed") => "A value that named all rows was erased, so nobody can tell any more whom this row is about; upload it again with that value.",
        ("scope", "too_long") => "A person is named by at most five pairs, their names of 1 to 64 characters and their values of 1 to 256.",
        ("content", "required") => "There is nothing to remember in this row.",
        ("content", "too_long") => "A memory has at most 2,000 characters; shorten it, or cut it in two.",
        ("content", "hidden_characters") => "Take out the characters that do not show.",
        ("content", "rejected_before") => "A person rejected the same within the last 90 days.",
        (_, "secret") => "Take out the key, password or card number; secrets are never stored.",
        ("kind", "required") => "Say of which kind it is, or give one kind for all rows.",
        ("kind", _) => "Use a kind that the agent keeps; profile fields, summaries and patterns are not imported.",
        ("name", _) => "A name has 1 to 200 characters, without control characters.",
        ("tags", _) => "Tags are texts: at most 20, of 64 characters each.",
        ("importance", _) => "Importance is a number from 0.0 to 1.0.",
        ("said_at", "range") => "The date lies in the future, or before 1970.",
        ("said_at", _) => "Write the date as 2026-03-01 or 2026-03-01T10:00:00Z; one that begins with the day or the month could be either, and is not guessed.",
        ("source_id", "too_long") => "An id has 1 to 256 characters, without control characters.",
        ("metadata", _) => "The metadata does not fit the kind’s schema; look at the kind, or leave the column out.",
        (_, "wrong_type") => "A text is wanted here, not a list or a truth value.",
        (_, "internal") => "It failed inside Keepsake; the log says why. Run the import again.",
        _ => "This cannot be stored as it is.",
    }
    .to_owned()
}
