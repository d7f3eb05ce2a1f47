//! The flags that can be asked for.

use domain::candidate::Flag;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, Type},
    },
};

/// How the description lists them: those that are worked out on reading are not among them.
pub struct StoredFlag;

impl PartialSchema for StoredFlag {
    fn schema() -> RefOr<Schema> {
        let stored = Flag::ALL.iter().filter(|flag| flag.is_stored());
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(stored.map(|flag| flag.as_str())))
            .into()
    }
}

impl ToSchema for StoredFlag {}
