//! A memory as clients write one.
//!
//! What would change how long something is kept, or that its history is, is refused and not ignored. What would only stand beside it
//! is not kept, and named in the operation.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    candidate::Edit,
    time::{Span, micros},
    user::Scope,
};
use engine::{FieldError, MemoryEdit, MemoryView, Proposed};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    memory::scope_of,
    metadata::{self, Given},
    topic::{self, Topic},
};
use crate::api::subject::{field, scope};

/// Our names of what a client gives.
pub const NAMES: &[(&str, &str)] = &[
    ("/content", "/fact"),
    ("/kind", "/topics"),
    ("/expires_at", "/expireTime"),
];

/// A memory. Other fields are named in the operation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryPost {
    fact: Option<String>,
    scope: Option<BTreeMap<String, String>>,
    topics: Option<Vec<Topic>>,
    metadata: Option<Given>,
    #[serde(alias = "expire_time")]
    expire_time: Option<Timestamp>,
    /// Seconds with an `s`: `3600s`.
    ttl: Option<String>,
    #[serde(alias = "revision_ttl")]
    revision_ttl: Option<Value>,
    #[serde(alias = "revision_expire_time")]
    revision_expire_time: Option<Value>,
    #[serde(default, alias = "disable_memory_revisions")]
    disable_memory_revisions: bool,
    #[serde(alias = "revision_labels")]
    revision_labels: Option<Value>,
    #[serde(alias = "structured_content")]
    structured_content: Option<Value>,
    #[serde(alias = "display_name")]
    display_name: Option<String>,
    description: Option<String>,
}

/// A fault of something that Memory Bank has and Keepsake has not.
pub fn not_supported(name: &str, detail: &str) -> FieldError {
    field(&format!("/{name}"), "not_supported", detail)
}

/// Refuses what would change the history of a memory.
///
/// # Errors
/// One of these was given.
pub fn history_stays(
    revision_ttl: Option<&Value>,
    revision_expire_time: Option<&Value>,
    disable_memory_revisions: bool,
) -> Result<(), FieldError> {
    let stays = "the history of a memory stays as long as the memory";
    for (name, given) in [
        ("revisionTtl", revision_ttl.is_some()),
        ("revisionExpireTime", revision_expire_time.is_some()),
        ("disableMemoryRevisions", disable_memory_revisions),
    ] {
        if given {
            return Err(not_supported(name, stays));
        }
    }
    Ok(())
}

/// Refuses what would change how something new is put together with what is known.
///
/// # Errors
/// One of these was given.
pub fn always_compared(
    metadata_merge_strategy: Option<&str>,
    disable_consolidation: bool,
) -> Result<(), FieldError> {
    let compared = "what is proposed is always compared with what is known";
    for (name, given) in [
        ("disableConsolidation", disable_consolidation),
        ("metadataMergeStrategy", metadata_merge_strategy.is_some()),
    ] {
        if given {
            return Err(not_supported(name, compared));
        }
    }
    Ok(())
}

/// Says what was given and is not kept.
pub fn not_kept(warnings: &mut Vec<String>, given: &[(&str, bool)]) {
    let given = given.iter().filter(|(_, given)| *given);
    warnings.extend(given.map(|(name, _)| format!("not kept: {name}")));
}

impl MemoryPost {
    /// What is proposed when it is created.
    ///
    /// # Errors
    /// At what is missing or cannot be.
    pub fn proposed(self, warnings: &mut Vec<String>) -> Result<Proposed, FieldError> {
        self.possible()?;
        for (name, given) in [
            ("expireTime", self.expire_time.is_some()),
            ("ttl", self.ttl.is_some()),
        ] {
            if given {
                let detail = "how long a memory lives is a setting of its kind; a person can change its end once it is approved";
                return Err(not_supported(name, detail));
            }
        }
        self.warn(warnings);
        let needed = "write what is to be remembered";
        let fact = self
            .fact
            .ok_or_else(|| field("/fact", "required", needed))?;
        let kind = topic::kind(self.topics.as_deref().unwrap_or_default())?.to_owned();
        let metadata = metadata::kept(self.metadata.unwrap_or_default());
        Ok(proposed(about(self.scope)?, kind, fact, metadata))
    }

    /// What changes of a memory. Without a mask that is what was given.
    ///
    /// # Errors
    /// At what cannot be changed.
    pub fn edit(
        self,
        mask: &Mask,
        memory: &MemoryView,
        now: Timestamp,
        warnings: &mut Vec<String>,
    ) -> Result<MemoryEdit, FieldError> {
        self.possible()?;
        self.warn(warnings);
        if let Some(pairs) = self.scope
            && scope_of(memory) != Some(about(Some(pairs))?)
        {
            return Err(field(
                "/scope",
                "immutable",
                "the scope of a memory never changes",
            ));
        }
        let topics = self.topics.filter(|_| mask.takes("topics"));
        if let Some(topics) = topics
            && topic::kind(&topics)? != memory.kind
        {
            let detail = "the topic of a memory stays; propose another memory instead";
            return Err(field("/topics", "immutable", detail));
        }
        let content = self.fact.filter(|_| mask.takes("fact"));
        if content.is_none() && mask.names("fact") {
            let detail = "a memory says something; to take it away, delete it";
            return Err(field("/fact", "required", detail));
        }
        let metadata = match self.metadata {
            None if mask.names("metadata") => Some(Map::new()),
            given => given.filter(|_| mask.takes("metadata")).map(metadata::kept),
        };
        let end = self.expire_time.filter(|_| mask.takes("expireTime"));
        let life = self.ttl.filter(|_| mask.takes("ttl"));
        let expires_at = match (end, life) {
            (Some(end), _) => Some(Some(micros(end))),
            (None, Some(life)) => Some(Some(now + duration(&life)?)),
            (None, None) if mask.names("expireTime") => Some(None),
            (None, None) => None,
        };
        Ok(MemoryEdit {
            edit: Edit {
                content,
                metadata,
                ..Edit::default()
            },
            expires_at,
        })
    }

    fn possible(&self) -> Result<(), FieldError> {
        history_stays(
            self.revision_ttl.as_ref(),
            self.revision_expire_time.as_ref(),
            self.disable_memory_revisions,
        )?;
        if self.structured_content.is_some() {
            let detail =
                "fields of profiles come from conversations, or from POST /api/v1/candidates";
            return Err(not_supported("structuredContent", detail));
        }
        Ok(())
    }

    fn warn(&self, warnings: &mut Vec<String>) {
        let given = [
            ("displayName", self.display_name.is_some()),
            ("description", self.description.is_some()),
            ("revisionLabels", self.revision_labels.is_some()),
        ];
        not_kept(warnings, &given);
    }
}

/// A new statement as it is proposed.
pub fn proposed(
    scope: Scope,
    kind: String,
    fact: String,
    metadata: Map<String, Value>,
) -> Proposed {
    Proposed {
        action: None,
        target: None,
        scope,
        kind,
        name: None,
        content: Some(fact),
        metadata,
        tags: Vec::new(),
        confidence: None,
        importance: None,
        explanation: None,
    }
}

/// Whom a call is about.
///
/// # Errors
/// No pairs, or some that name nobody.
pub fn about(pairs: Option<BTreeMap<String, String>>) -> Result<Scope, FieldError> {
    let needed = "say whom it is about, such as {\"user_id\": \"ana\"}";
    let pairs = pairs.ok_or_else(|| field("/scope", "required", needed))?;
    scope(None, Some(pairs))
}

/// Which fields a change is about.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Mask(Option<Vec<&'static str>>);

impl Mask {
    /// Reads one.
    ///
    /// # Errors
    /// It names a field that cannot be changed.
    pub fn parse(text: Option<&str>) -> Result<Self, FieldError> {
        let Some(text) = text
            .map(str::trim)
            .filter(|text| !matches!(*text, "" | "*"))
        else {
            return Ok(Self::default());
        };
        let fields: Result<Vec<_>, FieldError> = text
            .split(',')
            .map(|name| match name.trim() {
                "fact" => Ok("fact"),
                "metadata" => Ok("metadata"),
                "topics" => Ok("topics"),
                "ttl" => Ok("ttl"),
                "expireTime" | "expire_time" => Ok("expireTime"),
                name => {
                    let detail =
                        format!("{name} cannot be changed; fact, metadata, expireTime and ttl can");
                    Err(field("/updateMask", "not_supported", detail))
                }
            })
            .collect();
        Ok(Self(Some(fields?)))
    }

    /// Whether what was given there counts.
    fn takes(&self, name: &str) -> bool {
        self.0.is_none() || self.names(name)
    }

    /// Whether it is named, so that nothing given means that it goes.
    fn names(&self, name: &str) -> bool {
        let fields = self.0.as_deref().unwrap_or_default();
        fields.contains(&name)
    }
}

fn duration(text: &str) -> Result<Span, FieldError> {
    let seconds = text
        .strip_suffix('s')
        .and_then(|text| text.parse::<u32>().ok());
    let seconds = seconds.filter(|&seconds| seconds > 0);
    let wrong = || field("/ttl", "invalid", "whole seconds are needed, such as 3600s");
    seconds
        .map(|seconds| Span::seconds(seconds.into()))
        .ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_names_fields_in_either_spelling() {
        let mask = |text| Mask::parse(Some(text)).unwrap();
        assert!(mask("fact, expire_time").takes("expireTime"));
        assert!(!mask("fact").takes("metadata") && !mask("fact").names("ttl"));
        for all in ["", "*", " "] {
            assert_eq!(mask(all), Mask::default());
            assert!(
                mask(all).takes("metadata") && !mask(all).names("metadata"),
                "{all}"
            );
        }
        for other in ["scope", "fact,displayName", "fact,,ttl"] {
            assert_eq!(
                Mask::parse(Some(other)).unwrap_err().pointer,
                "/updateMask",
                "{other}"
            );
        }
    }

    #[test]
    fn a_life_is_told_in_seconds() {
        assert_eq!(duration("3600s"), Ok(Span::hours(1)));
        for other in ["3600", "0s", "-1s", "1h", "s", "99999999999s"] {
            assert_eq!(duration(other).unwrap_err().pointer, "/ttl", "{other}");
        }
    }
}
