//! Who did something, in the reader's language.

use app::text::Text;
use engine::By;

/// A person's or key's name; a policy with who switched it on; nothing for Keepsake itself.
pub fn by(text: &Text, by: &By) -> Option<String> {
    match (&by.policy, &by.name) {
        (Some(policy), Some(person)) => Some((text.words.by_policy)(policy, person)),
        (Some(policy), None) => Some(policy.clone()),
        (None, name) => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A12
    #[test]
    fn a_policy_is_named_with_who_switched_it_on() {
        let text = app::text::Language::English.text();
        let policy = By {
            r#type: "policy".to_owned(),
            id: None,
            name: Some("Mia".to_owned()),
            policy: Some("sure facts".to_owned()),
        };
        let line = by(text, &policy).unwrap();
        assert!(
            line.contains("sure facts") && line.contains("Mia"),
            "{line}"
        );
        assert_eq!(by(text, &By::system()), None);
    }
}
