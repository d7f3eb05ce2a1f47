//! Values of profile fields at the gate (D2): only fields of a schema, only values that fit.

use serde_json::{Map, Value};

use super::Kept;
use crate::{
    answer::FieldDraft,
    candidate::Action,
    draft::Draft,
    profile::{self, ProfileSchema},
};

/// Field values as drafts of the kind [`profile::KIND`]. A value is written as its schema wants it where that loses nothing
/// (`"Student"` for the `student` of an enum); what fits nothing goes on as it is, and the gate drops and counts it.
pub fn field_drafts(fields: Vec<FieldDraft>, schemas: &[ProfileSchema]) -> Vec<Draft> {
    fields
        .into_iter()
        .map(|field| draft(field, schemas))
        .collect()
}

fn draft(draft: FieldDraft, schemas: &[ProfileSchema]) -> Draft {
    let FieldDraft {
        schema,
        field,
        value,
        confidence,
        importance,
        evidence,
        explanation,
    } = draft;
    // A model that was shown one schema may leave its name out.
    let mut with_field = schemas
        .iter()
        .filter(|one| schema.is_empty() && one.field(&field).is_some());
    let schema = match (with_field.next(), with_field.next()) {
        (Some(only), None) => only.id.clone(),
        _ => schema,
    };
    let value = schemas
        .iter()
        .find(|one| one.id == schema)
        .and_then(|one| one.coerce(&field, &value))
        .unwrap_or(value);
    Draft {
        action: Action::Create,
        targets: Vec::new(),
        kind: profile::KIND.to_owned(),
        name: Some(profile::name(&schema, &field)),
        content: profile::words(&value),
        metadata: profile::metadata(&schema, &field, &value, &value),
        confidence,
        importance,
        evidence,
        explanation,
        tags: Vec::new(),
        third_party: false,
    }
}

/// Whether metadata is that of a field of one of the schemas, with a value that may stand there, and the name and words of it.
pub(super) fn fits(
    name: Option<&str>,
    content: &str,
    metadata: &Map<String, Value>,
    schemas: &[ProfileSchema],
) -> bool {
    let text = |key: &str| metadata.get(key).and_then(Value::as_str);
    let (Some(schema), Some(field), Some(value)) =
        (text("schema"), text("field"), metadata.get("value"))
    else {
        return false;
    };
    name == Some(profile::name(schema, field).as_str())
        && content == profile::words(value)
        && schemas
            .iter()
            .find(|one| one.id == schema)
            .is_some_and(|one| one.fits(field, value))
}

/// Two values of one window for a field that takes several are one proposal: `"ADK"` and then `"Python"` are `"ADK, Python"`, with the
/// words for both.
pub(super) fn joined(kept: Vec<Kept>, schemas: &[ProfileSchema]) -> Vec<Kept> {
    let mut out: Vec<Kept> = Vec::new();
    for kept in kept {
        let earlier = out.iter_mut().find(|earlier| {
            let (earlier, kept) = (&earlier.proposal, &kept.proposal);
            kept.kind == profile::KIND && earlier.kind == kept.kind && earlier.name == kept.name
        });
        let value = earlier.as_ref().and_then(|earlier| {
            let (schema, field) = profile::parse_name(kept.proposal.name.as_deref()?)?;
            let schema = schemas.iter().find(|one| one.id == schema)?;
            let field = schema.field(field).filter(|field| field.joins())?;
            let of = |kept: &Kept| kept.proposal.metadata.get("value").cloned();
            let joined = profile::consolidate(field, &of(earlier)?, &of(&kept)?).value;
            schema.fits(field.name, &joined).then(|| {
                (
                    profile::metadata(&schema.id, field.name, &joined, &joined),
                    joined,
                )
            })
        });
        match (earlier, value) {
            (Some(earlier), Some((metadata, value))) => {
                let (into, from) = (&mut earlier.proposal, kept.proposal);
                into.content = profile::words(&value);
                into.metadata = metadata;
                into.confidence = into.confidence.min(from.confidence);
                into.importance = into.importance.max(from.importance);
                into.flags.extend(from.flags);
                into.flags.sort();
                into.flags.dedup();
                for piece in from.evidence {
                    if !into.evidence.contains(&piece) {
                        into.evidence.push(piece);
                    }
                }
                into.explanation = into.explanation.take().or(from.explanation);
            }
            _ => out.push(kept),
        }
    }
    out
}
