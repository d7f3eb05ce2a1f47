//! Truth values of a query as clients in Python write them: some as JSON has them, some as Python does.

use serde::{Deserialize, Deserializer, de::Error};

/// Reads one; nothing written is false.
///
/// # Errors
/// It is neither.
pub fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match String::deserialize(from)?.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" | "" => Ok(false),
        _ => Err(D::Error::custom("true or false is needed")),
    }
}

#[cfg(test)]
mod tests {
    use serde::de::{IntoDeserializer, value};

    use super::*;

    #[test]
    fn a_truth_value_is_read_in_both_spellings() {
        let read = |text: &str| {
            let from: value::StrDeserializer<'_, value::Error> = text.into_deserializer();
            truth(from).ok()
        };
        for (text, told) in [
            ("true", Some(true)),
            ("True", Some(true)),
            ("1", Some(true)),
            ("false", Some(false)),
            ("False", Some(false)),
            ("", Some(false)),
            ("yes please", None),
        ] {
            assert_eq!(read(text), told, "{text}");
        }
    }
}
