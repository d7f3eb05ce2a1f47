//! Extractors: a window of messages in, drafts out. They never decide: the gate and the matcher are the same for all of them.

pub mod builtin;
pub mod model;

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    Timestamp,
    agent::AgentSettings,
    conversation::{Role, Source},
    draft::Draft,
    id::{MemoryId, MessageId},
    kind::Kind,
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

/// A turn of a window. `text` is what may be read: secrets masked one for one, served blocks and machine-made turns blanked at the
/// same length, so that offsets in it are offsets in the stored message.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowTurn {
    /// The message.
    pub message: MessageId,
    /// Who speaks.
    pub role: Role,
    /// Who made the words.
    pub source: Source,
    /// When.
    pub at: Timestamp,
    /// What may be read of it.
    pub text: String,
    /// Whether it is there for reference only: it was read with the window before.
    pub reference: bool,
}

/// A memory near to what is said, so that an extractor can propose a change instead of a second one.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Which.
    pub id: MemoryId,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: Option<String>,
    /// Its statement.
    pub content: String,
}

/// What an extractor reads at once (C3).
#[derive(Debug, Clone)]
pub struct Window {
    /// Up to four turns for reference, then up to twenty new ones.
    pub turns: Vec<WindowTurn>,
    /// The kinds in use.
    pub kinds: Vec<Kind>,
    /// The user's nearest memories.
    pub nearest: Vec<Nearest>,
    /// The zone in which relative dates are meant.
    pub time_zone: Option<String>,
    /// Whether the conversation has ended with this window, so that a summary is wanted.
    pub ended: bool,
    /// The agent's settings.
    pub settings: AgentSettings,
    /// When this is read.
    pub now: Timestamp,
}

/// What made a draft (C8): shown to every reviewer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Provenance {
    /// `builtin`, or the provider.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_version: Option<String>,
    /// The version of the answer's schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<String>,
}

impl From<store::Provenance> for Provenance {
    fn from(stored: store::Provenance) -> Self {
        let store::Provenance {
            name,
            version,
            model,
            prompt_version,
            schema_version,
        } = stored;
        Self {
            name,
            version,
            model,
            prompt_version,
            schema_version,
        }
    }
}

impl From<Provenance> for store::Provenance {
    fn from(made: Provenance) -> Self {
        let Provenance {
            name,
            version,
            model,
            prompt_version,
            schema_version,
        } = made;
        Self {
            name,
            version,
            model,
            prompt_version,
            schema_version,
        }
    }
}

/// How an extractor's answer was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtractedState {
    /// Whole. No drafts means that there was nothing to find.
    Parsed,
    /// Cut off; the drafts that were whole are here.
    Truncated,
    /// Not to be read, for this reason.
    Failed(&'static str),
}

/// What came of a window.
#[derive(Debug, Clone)]
pub struct Extracted {
    /// The drafts, not yet through the gate.
    pub drafts: Vec<Draft>,
    /// How the answer was.
    pub state: ExtractedState,
    /// What made it.
    pub provenance: Provenance,
    /// The answer as it came, kept sealed.
    pub raw: Option<String>,
    /// Tokens read.
    pub tokens_in: Option<i64>,
    /// Tokens written.
    pub tokens_out: Option<i64>,
}

/// Whether to try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Yes, after this long where the provider said so, else after the usual back-off.
    After(Option<Duration>),
    /// No: the same would come of it.
    Never,
}

/// Why nothing came of a window. It never holds a provider's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the extractor failed: {code}")]
pub struct ExtractError {
    /// Whether to try again.
    pub retry: Retry,
    /// A word: `rate_limited`, `timeout`, `refused`.
    pub code: &'static str,
    /// What came instead of an answer, kept sealed for a look.
    pub raw: Option<String>,
}

/// Anything that turns a window into drafts.
pub trait Extract: Send + Sync {
    /// Reads a window.
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>>;

    /// What it is.
    fn provenance(&self) -> Provenance;
}

/// An extractor.
#[derive(Clone)]
pub enum Extractor {
    /// The built-in one.
    Builtin,
    /// A model, or one that a test wrote down.
    Custom(Arc<dyn Extract>),
}

impl Extractor {
    /// Reads a window.
    ///
    /// # Errors
    /// [`ExtractError`] says whether another try makes sense.
    pub async fn extract(&self, window: &Window) -> Result<Extracted, ExtractError> {
        match self {
            Self::Builtin => Ok(builtin::extract(window)),
            Self::Custom(custom) => custom.extract(window).await,
        }
    }

    /// What it is.
    pub fn provenance(&self) -> Provenance {
        match self {
            Self::Builtin => builtin::provenance(),
            Self::Custom(custom) => custom.provenance(),
        }
    }
}

/// Makes an extractor out of a name that an agent's settings hold; `None` where the name is no model.
pub type Make = Arc<dyn Fn(&str) -> Option<Extractor> + Send + Sync>;

/// The extractors of an installation: the default one, and one for each name that an agent asks for.
#[derive(Clone)]
pub struct Extractors {
    default: Extractor,
    named: HashMap<String, Extractor>,
    make: Option<Make>,
}

impl Extractors {
    /// `default` for every agent that sets nothing else; `builtin` is always there.
    pub fn new(default: Extractor) -> Self {
        Self {
            default,
            named: HashMap::from([("builtin".to_owned(), Extractor::Builtin)]),
            make: None,
        }
    }

    /// The built-in one alone.
    pub fn builtin() -> Self {
        Self::new(Extractor::Builtin)
    }

    /// Adds one under a name.
    #[must_use]
    pub fn with(mut self, name: &str, extractor: Extractor) -> Self {
        self.named.insert(name.to_owned(), extractor);
        self
    }

    /// Makes every other name by `make`.
    #[must_use]
    pub fn made_by(mut self, make: Make) -> Self {
        self.make = Some(make);
        self
    }

    /// The one an agent uses; `None` where its name means nothing here.
    pub fn of(&self, name: Option<&str>) -> Option<Extractor> {
        match name {
            None => Some(self.default.clone()),
            Some(name) => self
                .named
                .get(name)
                .cloned()
                .or_else(|| self.make.as_ref()?(name)),
        }
    }
}
