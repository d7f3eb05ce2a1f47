//! Lists: a page of rows, and where the next one begins.

use serde::Serialize;

/// Which page of a list.
#[derive(Debug, Clone)]
pub struct Page {
    /// Where the page before ended; opaque.
    pub cursor: Option<String>,
    /// How many rows, 1 to [`Page::MOST`].
    pub limit: u32,
}

impl Page {
    /// The most rows of a page.
    pub const MOST: u32 = 200;

    /// The limit within its bounds.
    pub fn rows(&self) -> u32 {
        self.limit.clamp(1, Self::MOST)
    }
}

impl Default for Page {
    fn default() -> Self {
        Self {
            cursor: None,
            limit: 50,
        }
    }
}

/// A page of a list.
#[derive(Debug, Clone, Serialize)]
pub struct List<T> {
    /// The rows.
    pub data: Vec<T>,
    /// Where the next page begins; `None`: this is the last.
    pub next: Option<String>,
}

impl<T> List<T> {
    /// Everything in one page.
    pub fn whole(data: Vec<T>) -> Self {
        Self { data, next: None }
    }

    /// The same page with its rows turned into something else.
    pub fn map<U>(self, turn: impl FnMut(T) -> U) -> List<U> {
        List {
            data: self.data.into_iter().map(turn).collect(),
            next: self.next,
        }
    }
}

/// Who did something, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct By {
    /// `person`, `key`, `policy`, `system`.
    pub r#type: String,
    /// Which.
    #[serde(skip)]
    pub id: Option<String>,
    /// The person's or key's name; of a policy, who switched it on.
    pub name: Option<String>,
    /// The policy that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

impl By {
    /// Keepsake itself.
    pub fn system() -> Self {
        Self {
            r#type: "system".to_owned(),
            id: None,
            name: None,
            policy: None,
        }
    }

    /// A person.
    pub fn person(id: &domain::id::PersonId, name: Option<String>) -> Self {
        Self {
            r#type: "person".to_owned(),
            id: Some(id.to_string()),
            name,
            policy: None,
        }
    }

    /// A policy, with the person who switched it on.
    pub fn policy(policy: &str, by: &domain::id::PersonId, name: Option<String>) -> Self {
        Self {
            r#type: "policy".to_owned(),
            policy: Some(policy.to_owned()),
            ..Self::person(by, name)
        }
    }
}
