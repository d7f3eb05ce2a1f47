//! The rows of roles in a form: `role.0`, `agent.0`, and a check box for each language.

use std::collections::BTreeMap;

use app::pages::admin::{EVERY, RoleRow, language_field};
use domain::{permission::Grant, text::LANGUAGES};
use engine::{EngineError, FieldError, RoleView};

/// The rows that a form sent, those without a role too.
pub fn sent(form: &BTreeMap<String, String>) -> Vec<RoleRow> {
    (0..)
        .map_while(|at| {
            let role = form.get(&format!("role.{at}"))?.clone();
            let languages = LANGUAGES
                .into_iter()
                .filter(|tag| form.contains_key(&language_field(at, tag)));
            Some(RoleRow {
                role,
                agent: form
                    .get(&format!("agent.{at}"))
                    .cloned()
                    .unwrap_or_default(),
                languages: languages.map(str::to_owned).collect(),
            })
        })
        .collect()
}

/// The roles that a form means.
///
/// # Errors
/// `invalid` for a word that is no role, or a name that is no agent's.
pub fn grants(form: &BTreeMap<String, String>) -> Result<Vec<Grant>, EngineError> {
    let mut grants = Vec::new();
    for row in sent(form) {
        if row.role.is_empty() {
            continue;
        }
        let at = grants.len();
        let wrong = |_| {
            EngineError::invalid(
                format!("/roles/{at}/role"),
                "unknown",
                "there is no such role",
            )
        };
        let view = RoleView {
            agent: row.agent,
            role: row.role.parse().map_err(wrong)?,
            languages: row.languages,
        };
        grants.push(view.grant(at).map_err(invalid)?);
    }
    Ok(grants)
}

fn invalid(fault: FieldError) -> EngineError {
    EngineError::Invalid(vec![fault])
}

/// The rows of roles that are there, and an empty one.
pub fn stored(roles: &[RoleView]) -> Vec<RoleRow> {
    let rows = roles.iter().map(|one| RoleRow {
        role: one.role.to_string(),
        agent: one.agent.clone(),
        languages: one.languages.clone(),
    });
    let more = RoleRow {
        agent: EVERY.to_owned(),
        ..RoleRow::default()
    };
    rows.chain([more]).collect()
}

#[cfg(test)]
mod tests {
    use domain::permission::RoleName;

    use super::*;

    // G7
    #[test]
    fn a_form_means_the_rows_that_hold_a_role() {
        let form: BTreeMap<String, String> = [
            ("role.0", "reviewer"),
            ("agent.0", "support"),
            ("language.0.ja", "true"),
            ("role.1", ""),
            ("agent.1", "*"),
            ("role.2", "viewer"),
            ("agent.2", "*"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let grants = grants(&form).unwrap();
        assert_eq!(grants.len(), 2);
        assert_eq!(grants[0].languages, ["ja"]);
        assert_eq!(grants[1], Grant::everywhere(RoleName::Viewer));
        assert_eq!(sent(&form).len(), 3);
    }
}
