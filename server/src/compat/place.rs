//! Where something is wrong, by the names that the client knows.

use engine::{EngineError, FieldError};

/// The same error, with pointers into what the client sent: each of `names` is ours and the client's.
pub fn placed(error: EngineError, names: &[(&str, &str)]) -> EngineError {
    let EngineError::Invalid(fields) = error else {
        return error;
    };
    let place = |field: FieldError| {
        let theirs = names
            .iter()
            .find_map(|(ours, theirs)| Some((theirs, field.pointer.strip_prefix(ours)?)));
        match theirs {
            Some((theirs, rest)) => FieldError {
                pointer: format!("{theirs}{rest}"),
                ..field
            },
            None => field,
        }
    };
    EngineError::Invalid(fields.into_iter().map(place).collect())
}

/// The same error at one place, from which all of it came.
pub fn all_at(error: EngineError, at: &str) -> EngineError {
    let EngineError::Invalid(fields) = error else {
        return error;
    };
    let fields = fields.into_iter().map(|field| FieldError {
        pointer: at.to_owned(),
        ..field
    });
    EngineError::Invalid(fields.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_clients_name_and_the_rest_stays() {
        let names = [("/content", "/messages/3/content")];
        for (ours, theirs) in [
            ("/content", "/messages/3/content"),
            ("/metadata/a", "/metadata/a"),
        ] {
            let error = placed(EngineError::invalid(ours, "required", "write"), &names);
            let field = error.fields().remove(0);
            assert_eq!((field.pointer.as_str(), field.code), (theirs, "required"));
        }
    }
}
