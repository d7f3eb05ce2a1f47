//! A change of what two people must agree to (G9).

use std::collections::BTreeSet;

use domain::{agent::FourEyes, candidate::Flag};
use serde::{Deserialize, Serialize};

use crate::error::FieldError;

/// A change of what needs a second, different person; what is absent stays. Memories that a person writes by hand are not meant.
#[derive(Debug, Clone, Default, Deserialize, Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FourEyesPatch {
    /// Whether everything does.
    pub all: Option<bool>,
    /// All kinds that do.
    pub kinds: Option<Vec<String>>,
    /// All flags that do.
    pub flags: Option<Vec<Flag>>,
}

impl FourEyesPatch {
    /// Changes `present`. `known` are the kinds of the agent's registry.
    pub(super) fn apply(
        &self,
        present: &mut FourEyes,
        known: &BTreeSet<&str>,
    ) -> Result<(), Vec<FieldError>> {
        let mut wrong = Vec::new();
        for (at, kind) in self.kinds.iter().flatten().enumerate() {
            if !known.contains(kind.as_str()) {
                wrong.push(FieldError::new(
                    format!("/four_eyes/kinds/{at}"),
                    "unknown",
                    "this agent has no such kind",
                ));
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        if let Some(all) = self.all {
            present.all = all;
        }
        if let Some(kinds) = &self.kinds {
            present.kinds = each_once(kinds);
        }
        if let Some(flags) = &self.flags {
            present.flags = each_once(flags);
        }
        Ok(())
    }
}

fn each_once<T: Ord + Clone>(all: &[T]) -> Vec<T> {
    BTreeSet::from_iter(all).into_iter().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // G9
    #[test]
    fn what_is_absent_stays_and_an_unknown_kind_changes_nothing() {
        let known = BTreeSet::from(["fact", "preference"]);
        let mut present = FourEyes::default();
        let change = |json: &str, present: &mut FourEyes| {
            let patch: FourEyesPatch = serde_json::from_str(json).unwrap();
            patch.apply(present, &known)
        };
        change(
            r#"{"kinds": ["preference", "fact", "fact"], "flags": ["instruction"]}"#,
            &mut present,
        )
        .unwrap();
        change(r#"{"all": true}"#, &mut present).unwrap();
        let set = FourEyes {
            all: true,
            kinds: vec!["fact".into(), "preference".into()],
            flags: vec![Flag::Instruction],
        };
        assert_eq!(present, set);
        let wrong =
            change(r#"{"all": false, "kinds": ["fact", "mood"]}"#, &mut present).unwrap_err();
        assert_eq!(wrong[0].pointer, "/four_eyes/kinds/1");
        assert_eq!(present, set);
    }
}
