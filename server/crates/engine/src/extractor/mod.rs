//! Extractors: a window of messages in, drafts out. They never decide: the gate and the matcher are the same for all of them.

pub mod builtin;
pub mod model;
mod sessions;

pub use sessions::{Session, Sessions};

use std::{collections::HashMap, sync::Arc, time::Duration};

use domain::{
    Timestamp,
    agent::{AgentSettings, Destination},
    answer::{FieldDraft, Summary},
    conversation::{Role, Source},
    draft::Draft,
    gate::SUMMARY,
    id::{MemoryId, MessageId},
    kind::Kind,
    profile::ProfileSchema,
};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

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
    /// The kinds in use; of an agent that makes only profiles, the one of their fields.
    pub kinds: Vec<Kind>,
    /// The profile schemas whose fields may be filled.
    pub schemas: Vec<ProfileSchema>,
    /// What the user's profiles hold: schema, field, value.
    pub profile: Vec<(String, String, serde_json::Value)>,
    /// What the conversation was about before this window.
    pub summary_so_far: Option<String>,
    /// The user's nearest memories.
    pub nearest: Vec<Nearest>,
    /// The zone in which relative dates are meant.
    pub time_zone: Option<String>,
    /// Whether the conversation has ended with this window. Its turns are then all for reference where they were read before the end
    /// came, and only the summary is wanted.
    pub ended: bool,
    /// The agent's settings.
    pub settings: AgentSettings,
    /// When this is read.
    pub now: Timestamp,
}

impl Window {
    /// Whether a summary of the conversation up to here is wanted: of every window, because nobody knows which is the last. It becomes
    /// a candidate at the end (C4), and is kept sealed until then.
    pub fn wants_summary(&self) -> bool {
        self.kinds.iter().any(|kind| kind.name == SUMMARY)
    }

    /// Eight hexadecimal digits that change with the schemas in use: those of the metadata of the kinds, and of the profiles (C8).
    pub fn schema_hash(&self) -> String {
        let kinds = self
            .kinds
            .iter()
            .map(|kind| (kind.name.as_str(), kind.metadata_schema.as_ref()));
        let schemas = self
            .schemas
            .iter()
            .map(|schema| (schema.id.as_str(), Some(&schema.schema)));
        let mut hash = Sha256::new();
        for (name, schema) in kinds.chain(schemas) {
            let schema = schema.map(ToString::to_string).unwrap_or_default();
            hash.update(format!("{name}\u{1f}{schema}\u{1e}"));
        }
        domain::audit::hex(&hash.finalize()[..4])
    }
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

impl Provenance {
    /// What a file was read by (G13): no model, no prompt.
    pub(crate) fn of_imports() -> Self {
        Self {
            name: "import".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: None,
            prompt_version: None,
            schema_version: None,
        }
    }
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
    /// Values of profile fields, not yet through the gate.
    pub fields: Vec<FieldDraft>,
    /// What the conversation was about up to here, where [`Window::wants_summary`] asked for it.
    pub summary: Option<Summary>,
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

impl Extracted {
    /// Nothing was found, and all was read.
    pub fn nothing(provenance: Provenance) -> Self {
        Self {
            drafts: Vec::new(),
            fields: Vec::new(),
            summary: None,
            state: ExtractedState::Parsed,
            provenance,
            raw: None,
            tokens_in: None,
            tokens_out: None,
        }
    }
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
    /// Tokens read by then, and paid for all the same.
    pub tokens_in: i64,
    /// Tokens written by then.
    pub tokens_out: i64,
}

/// Anything that turns a window into drafts.
pub trait Extract: Send + Sync {
    /// Reads a window.
    fn extract<'a>(&'a self, window: &'a Window) -> BoxFuture<'a, Result<Extracted, ExtractError>>;

    /// Looks for behaviour that repeats over sessions (C1); only where [`Extract::finds_patterns`].
    fn patterns<'a>(
        &'a self,
        _sessions: &'a Sessions,
    ) -> BoxFuture<'a, Result<Extracted, ExtractError>> {
        Box::pin(std::future::ready(Ok(Extracted::nothing(
            self.provenance(),
        ))))
    }

    /// Whether it looks for patterns at all.
    fn finds_patterns(&self) -> bool {
        false
    }

    /// What it is.
    fn provenance(&self) -> Provenance;

    /// The same with the versions of what it is asked over this window (C8).
    fn provenance_over(&self, _window: &Window) -> Provenance {
        self.provenance()
    }

    /// What it is told before the messages of this window, as it is sent; `None` where it is told nothing.
    fn prompt(&self, _window: &Window) -> Option<String> {
        None
    }

    /// The base URL at which it is asked, where that is not its provider's own.
    fn address(&self) -> Option<&str> {
        None
    }

    /// The variable of the environment in which its key is looked for, where it takes no call without one and was given none.
    fn key_variable(&self) -> Option<&'static str> {
        None
    }
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

    /// Looks for behaviour that repeats over sessions. The built-in extractor finds none: trends are found by rules for all of them.
    ///
    /// # Errors
    /// [`ExtractError`] says whether another try makes sense.
    pub async fn patterns(&self, sessions: &Sessions) -> Result<Extracted, ExtractError> {
        match self {
            Self::Builtin => Ok(Extracted::nothing(builtin::provenance())),
            Self::Custom(custom) => custom.patterns(sessions).await,
        }
    }

    /// Whether it looks for patterns at all.
    pub fn finds_patterns(&self) -> bool {
        match self {
            Self::Builtin => false,
            Self::Custom(custom) => custom.finds_patterns(),
        }
    }

    /// What it is.
    pub fn provenance(&self) -> Provenance {
        match self {
            Self::Builtin => builtin::provenance(),
            Self::Custom(custom) => custom.provenance(),
        }
    }

    /// The same with the versions of what it is asked over this window (C8).
    pub fn provenance_over(&self, window: &Window) -> Provenance {
        match self {
            Self::Builtin => builtin::provenance(),
            Self::Custom(custom) => custom.provenance_over(window),
        }
    }

    /// What it is told before the messages of this window, as it is sent; `None` where it is told nothing.
    pub fn prompt(&self, window: &Window) -> Option<String> {
        match self {
            Self::Builtin => None,
            Self::Custom(custom) => custom.prompt(window),
        }
    }

    /// Whether it reads the words that an agent's people write for it: guidance, and the descriptions and guidelines of kinds. The built-in
    /// one works by rules of its own and only asks which kinds are in use.
    pub fn reads_words(&self) -> bool {
        match self {
            Self::Builtin => false,
            Self::Custom(_) => true,
        }
    }

    /// The variable of the environment in which its key is looked for, where it takes no call without one and was given none.
    pub fn key_variable(&self) -> Option<&'static str> {
        match self {
            Self::Builtin => None,
            Self::Custom(custom) => custom.key_variable(),
        }
    }

    /// Whether an agent's list lets it be asked (G11).
    pub fn is_allowed(&self, settings: &AgentSettings) -> bool {
        settings.allows(self.destination(&self.provenance()))
    }

    /// The name that means it alone: `builtin`, or `provider::model`.
    pub fn name(&self) -> String {
        self.destination(&self.provenance()).name()
    }

    fn destination<'a>(&'a self, is: &'a Provenance) -> Destination<'a> {
        Destination {
            provider: &is.name,
            model: is.model.as_deref(),
            address: match self {
                Self::Builtin => None,
                Self::Custom(custom) => custom.address(),
            },
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
    is_set: fn(&str) -> bool,
}

impl Extractors {
    /// `default` for every agent that sets nothing else; `builtin` is always there.
    pub fn new(default: Extractor) -> Self {
        Self {
            default,
            named: HashMap::from([("builtin".to_owned(), Extractor::Builtin)]),
            make: None,
            is_set: |_| true,
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

    /// Tells which variables of the environment are set: a provider's own key is looked for there. Without it all are taken to be.
    #[must_use]
    pub fn in_environment(mut self, is_set: fn(&str) -> bool) -> Self {
        self.is_set = is_set;
        self
    }

    /// The variable that would have to hold the key of this one, where it takes no call without and there is none.
    pub fn missing_key(&self, extractor: &Extractor) -> Option<&'static str> {
        let variable = extractor.key_variable()?;
        (!(self.is_set)(variable)).then_some(variable)
    }

    /// An entry of a list of allowed extractors in the one spelling that is compared: `builtin`, a provider, `provider::model`, or a base
    /// URL; `None` where it means nothing here.
    pub fn entry(&self, text: &str) -> Option<String> {
        let text = text.trim();
        if let Some(named) = self.named.get(text) {
            return Some(named.name());
        }
        model::place(text).or_else(|| {
            let own = self.default.name();
            (text == own)
                .then_some(own)
                .or_else(|| Some(self.of(Some(text))?.name()))
        })
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
