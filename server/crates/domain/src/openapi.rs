//! How the types that serde writes as plain text look in the OpenAPI document: one schema each, with its shape or its closed list.

macro_rules! text {
    ($type:ty, $pattern:expr) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some($pattern))
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {}
    };
}

macro_rules! closed_list {
    ($type:ty) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .enum_values(Some(<$type>::ALL.iter().map(|word| word.as_str())))
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {}
    };
}

macro_rules! pairs {
    ($type:ty) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::schema::ObjectBuilder::new()
                    .additional_properties(Some(
                        utoipa::openapi::schema::ObjectBuilder::new()
                            .schema_type(utoipa::openapi::schema::Type::String),
                    ))
                    .into()
            }
        }

        impl utoipa::ToSchema for $type {}
    };
}

pub(crate) use {closed_list, pairs, text};
