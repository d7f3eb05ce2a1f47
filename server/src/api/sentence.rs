//! What the parsers say of a value that does not fit, in words of whoever sent it.

/// A time, as every place that takes one says it.
const TIME: &str = "a time as in RFC 3339, such as 2026-12-01T09:30:00Z";

/// A sentence of serde's, or of what it calls, said by what is wanted.
pub fn plain(detail: &str) -> String {
    let wanted = match detail {
        // Those of chrono.
        "input contains invalid characters"
        | "premature end of input"
        | "trailing input"
        | "input is out of range"
        | "no possible date and time matching input"
        | "input is not enough for unique date and time" => TIME,
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "a whole number"
        }
        "number too large to fit in target type" => "a smaller number",
        "number too small to fit in target type" => "a larger number",
        "invalid float literal" | "cannot parse float from empty string" => "a number",
        "provided string was not `true` or `false`" => "true or false",
        // A list is read into the fields of an object in their order, as far as it goes.
        _ if is_short_list(detail) => "an object, not a list,",
        _ => return of_another_type(detail).unwrap_or_else(|| detail.to_owned()),
    };
    format!("{wanted} is needed")
}

/// Whether a list came where an object belongs.
pub fn is_short_list(detail: &str) -> bool {
    detail.starts_with("invalid length ") && detail.contains(", expected struct ")
}

fn of_another_type(detail: &str) -> Option<String> {
    let rest = ["invalid type: ", "invalid value: "]
        .iter()
        .find_map(|prefix| detail.strip_prefix(*prefix))?;
    let (found, wanted) = rest.rsplit_once(", expected ")?;
    let wanted = match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "a borrowed string" => "text",
        "a sequence" => "a list",
        "a map" => "an object",
        wanted if wanted.starts_with("a nonzero ") => "a whole number from 1",
        wanted if wanted.starts_with("struct ") => "an object",
        wanted if wanted.contains("date and time") => TIME,
        wanted => wanted,
    };
    Some(format!("{wanted} is needed, not {found}"))
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn refused<T: serde::de::DeserializeOwned>(value: Value) -> String {
        match serde_json::from_value::<T>(value) {
            Ok(_) => panic!("it was taken"),
            Err(error) => plain(&error.to_string()),
        }
    }

    #[test]
    fn every_time_that_is_none_is_told_by_one_that_is() {
        for wrong in [
            json!("yesterday"),
            json!("2026-12-03"),
            json!("2026-12-03T09:30:00Z tomorrow"),
            json!("2026-13-40T09:30:00Z"),
            json!("2026-12-03T99:30:00Z"),
            json!(""),
            json!(17),
        ] {
            let told = refused::<Timestamp>(wrong.clone());
            assert!(
                told.contains("such as 2026-12-01T09:30:00Z"),
                "{wrong}: {told}"
            );
        }
    }

    #[test]
    fn a_list_for_an_object_is_told_as_one() {
        #[derive(serde::Deserialize)]
        #[expect(dead_code, reason = "only its form matters")]
        struct Two {
            first: String,
            second: u32,
        }
        for wrong in [json!([]), json!(["x"])] {
            assert_eq!(refused::<Two>(wrong), "an object, not a list, is needed");
        }
    }

    #[test]
    fn a_type_is_told_in_words_of_people() {
        assert_eq!(
            refused::<u32>(json!("three")),
            "a whole number from 0 is needed, not string \"three\""
        );
        assert_eq!(
            refused::<bool>(json!(1)),
            "true or false is needed, not integer `1`"
        );
        assert_eq!(
            refused::<Vec<bool>>(json!("x")),
            "a list is needed, not string \"x\""
        );
        assert_eq!(refused::<String>(json!(null)), "text is needed, not null");
        assert_eq!(
            plain("invalid digit found in string"),
            "a whole number is needed"
        );
        assert_eq!(plain("something else"), "something else");
    }
}
