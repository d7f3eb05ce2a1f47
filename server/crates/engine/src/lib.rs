//! The use cases: what an agent, a reviewer or the clock can do with Keepsake.
//!
//! [`Engine`] is one type over many files, one a subject. Every use case takes a [`Permit`], which only `domain::permission`
//! grants, and binds each statement to its agents. Nothing is decided here that `domain` can decide: the engine reads, asks the
//! rules, and writes the change with its event in one transaction.

pub mod agent;
mod allowed;
pub mod as_of;
mod asked;
pub mod audit;
pub mod budget;
pub mod bulk;
pub mod candidate;
pub mod claim;
pub mod clock;
pub mod context;
pub mod conversation;
mod demo;
pub mod digest;
pub mod dry_run;
pub mod erasure;
pub mod error;
pub mod export;
pub mod extractor;
pub mod feedback;
mod first_steps;
pub mod handover;
pub mod hold;
pub mod hook_client;
pub mod idempotency;
pub mod import;
pub mod ingest;
pub mod jobs;
pub mod join;
pub mod key;
pub mod kind;
pub mod live;
pub mod memory;
pub mod operation;
pub mod opt_out;
pub mod outside;
pub mod overview;
pub mod own_keys;
pub mod page;
mod passed;
pub mod password;
pub mod patch;
mod pattern;
pub mod person;
pub mod profile;
pub mod propose;
pub mod quality;
pub mod queue;
pub mod recall;
pub mod report;
pub mod request;
pub mod retention;
pub mod review;
pub mod saved_view;
pub mod schema;
pub mod second_factor;
pub mod series;
pub mod serving;
pub mod session;
pub mod settings;
pub mod sheet;
pub mod sign_in;
mod standing;
mod suggest;
pub mod timeline;
pub mod user;
mod view;
pub mod webhook;
pub mod worker;

use std::sync::Arc;

use domain::{
    Entropy, Timestamp,
    agent::{AgentName, AgentScope},
    permission::{Permission, Permit},
};
use store::{Db, InBulk, Stamp, Tx};

pub use crate::{
    agent::{
        AgentPatch, AgentView, BudgetPatch, Figures, FourEyesPatch, PolicyPatch, PolicyView,
        Prompt, TriggerPatch,
    },
    as_of::{AsOf, CandidateThen, MemoryThen},
    audit::{
        AuditKeyView, CheckpointView, EventFilter, EventView, SignedChain, SignedCheckpoint,
        VerificationView, Verified,
    },
    budget::{UsageDay, UsageView},
    bulk::{BulkItemView, BulkPreview, BulkView, Gathering, Listing, NewBulk},
    candidate::{
        AgreedBy, CandidateDetail, CandidateView, DecisionView, Mark, Told, Transcript, Turn, Was,
    },
    claim::ClaimView,
    clock::{Clock, ManualClock, OsEntropy, SystemClock},
    context::{
        Context, ContextAnswer, ContextPreview, ContextRequest, PreviewLine, PreviewRequest,
        Standing,
    },
    conversation::{ConversationDetail, ConversationRow},
    demo::Filled,
    digest::{DigestSettings, DigestView, SentBy, Shape},
    dry_run::{
        Basis, DryRunDetail, DryRunEstimate, DryRunItemView, DryRunLine, DryRunTotals, DryRunView,
        FoundView, NewDryRun, TodayView, TriedWords,
    },
    erasure::{Erase, ErasedWith, ErasurePreview, ErasureView, LIST_OF_ERASURES},
    error::{Current, EngineError, FieldError, Result},
    export::{ExportKey, ExportView, ExportedFile, ExportedPart, Fetched, NewExport},
    extractor::{Extractor, Extractors, Provenance},
    feedback::Feedback,
    first_steps::FirstSteps,
    handover::{Colleague, HandedOver, HandoverView},
    hold::{HoldView, NewHold},
    hook_client::{CallError, HookClient},
    idempotency::{Begun, Ticket},
    import::{
        Becomes, ImportGuess, ImportLook, ImportRowView, ImportView, ImportedFrom, NewUpload,
    },
    ingest::{Accepted, Incoming},
    jobs::{AgentJobs, GivenUp, JobFigures, Jobs, ScheduleView, TriedAgain},
    join::{ConflictView, JoinFilter, JoinView, JoinedId, NewJoin},
    key::{KeyView, NewKey},
    kind::{GuidelineView, KindPatch, KindView, KindsInUse, KindsPatch, NewGuideline, NewKind},
    live::{Happening, Heard, News},
    memory::{
        CameOf, Found, MemoryDetail, MemoryEdit, MemoryFilter, MemoryView, NewMemory, RevisionView,
    },
    operation::{OperationError, OperationView},
    opt_out::OptOutView,
    outside::Outgoing,
    overview::{Health, KindFigures, Overview},
    own_keys::OwnKeys,
    page::{By, List, Page},
    person::{
        Invitation, Invited, Joining, LinkToken, NewPerson, PersonPatch, PersonState, PersonView,
        RoleView, SessionView,
    },
    profile::{ProfileRow, ProfileTable, ProfileView},
    propose::{MemoryChange, ProposeAnswer, Proposed},
    quality::{
        BadAnswer, Bin, ByExtractor, DecisionFilter, Group, Judge, PersonPace, Quality, Quantiles,
        Rate,
    },
    queue::{CandidateFilter, Claims, Desk, Handed},
    recall::{Made, MadeBy, RecallView, Recalled, ToldSession},
    report::{NeverHelpful, Report},
    request::{
        FoundElsewhere, FoundInAgent, FoundUser, NewRequest, ProofEvent, RequestDetail,
        RequestProof, RequestView, RequestsStanding,
    },
    review::{Approval, Choice, DecisionResult, OneDecision, Remark, Reopened, Version},
    saved_view::SavedView,
    schema::{FieldView, SchemaView},
    second_factor::{RecoveryCodes, SecondFactorSetup},
    series::{MentionView, Point, Series},
    serving::{ServedItem, ServingView},
    settings::{Retention, Settings},
    sheet::{Numbered, Run, Sheet, SignedUpTo},
    sign_in::Entry,
    standing::InstallationStanding,
    timeline::{Said, TimelineEntry},
    user::{Alike, UserDetail, UserRef, UserView},
    webhook::{DeliveryView, FailureView, NewWebhook, TestedView, WebhookPatch, WebhookView},
};

/// Everything Keepsake can do. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
    /// The bulk in which this handle decides; what it decides is signed with it (F7).
    bulk: Option<InBulk>,
}

struct Inner {
    db: Db,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    extractors: Extractors,
    settings: Settings,
    passwords: password::Passwords,
    servings: context::ServingBuffer,
}

impl Engine {
    /// Puts it together. The database is open and migrated.
    pub fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        extractors: Extractors,
        settings: Settings,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                clock,
                entropy,
                extractors,
                settings,
                passwords: password::Passwords::new(),
                servings: context::ServingBuffer::default(),
            }),
            bulk: None,
        }
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.inner.db
    }

    /// The timers.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// Now, by the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    pub(crate) fn entropy(&self) -> &dyn Entropy {
        &*self.inner.entropy
    }

    pub(crate) fn extractors(&self) -> &Extractors {
        &self.inner.extractors
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// [`EngineError::Unavailable`] where it does not.
    pub async fn ready(&self) -> Result<()> {
        self.db().ping().await.map_err(|_| EngineError::Unavailable)
    }

    pub(crate) async fn read(&self, permit: &Permit) -> Result<Tx> {
        Ok(self.db().read(permit.scope().clone()).await?)
    }

    pub(crate) async fn write(&self, permit: &Permit) -> Result<Tx> {
        Ok(self.db().write(permit.scope().clone()).await?)
    }

    pub(crate) async fn read_all(&self) -> Result<Tx> {
        Ok(self.db().read(AgentScope::All).await?)
    }

    pub(crate) async fn write_all(&self) -> Result<Tx> {
        Ok(self.db().write(AgentScope::All).await?)
    }

    pub(crate) fn stamp(&self, permit: &Permit) -> Stamp {
        Stamp {
            bulk: self.bulk.clone(),
            ..Stamp::by(permit.actor(), self.now())
        }
    }

    /// The same engine, whose decisions are items of a bulk.
    pub(crate) fn in_bulk(&self, bulk: InBulk) -> Self {
        Self {
            bulk: Some(bulk),
            ..self.clone()
        }
    }
}

/// Does a write again when another transaction was in its way; PostgreSQL asks for that, and nothing was stored.
macro_rules! again {
    ($work:expr) => {{
        let mut tries = 0;
        loop {
            match $work {
                Err($crate::error::EngineError::Busy) if tries < 8 => {
                    tries += 1;
                    tokio::time::sleep(std::time::Duration::from_millis(1 << tries)).await;
                }
                done => break done,
            }
        }
    }};
}
pub(crate) use again;

/// Refuses a permit of another permission than the use case needs.
pub(crate) fn need(permit: &Permit, any: &[Permission]) -> Result<()> {
    if any.contains(&permit.permission()) {
        Ok(())
    } else {
        Err(EngineError::Forbidden)
    }
}

/// Refuses a decision about content in a language that the person's role does not cover (G7).
pub(crate) fn speaks(permit: &Permit, agent: &AgentName, language: &str) -> Result<()> {
    let within = permit.within(agent).ok_or(EngineError::NotFound)?;
    match within.languages() {
        Some(languages) if !languages.iter().any(|tag| tag == language) => {
            Err(EngineError::LanguageNotYours {
                language: language.to_owned(),
                languages,
            })
        }
        _ => Ok(()),
    }
}

/// Whether a permit to decide holds for content of an agent in a language (G7).
pub fn decides_on(permit: &Permit, agent: &AgentName, language: &str) -> bool {
    speaks(permit, agent, language).is_ok()
}

/// [`speaks`] of what a person writes, whose language short words do not always tell.
pub(crate) fn writes(permit: &Permit, agent: &AgentName, language: &str) -> Result<()> {
    if language == "und" {
        return Ok(());
    }
    speaks(permit, agent, language)
}

/// The one agent a call is about: the one the key names, or the one that was asked for.
///
/// # Errors
/// [`EngineError::Invalid`] at `/agent` where none was named and there could be several; [`EngineError::NotFound`] for one outside
/// the permit.
pub fn only_agent(permit: &Permit, asked: Option<&AgentName>) -> Result<AgentName> {
    match (permit.scope(), asked) {
        (scope, Some(agent)) if scope.contains(agent) => Ok(agent.clone()),
        (_, Some(_)) => Err(EngineError::NotFound),
        (AgentScope::One(agent), None) => Ok(agent.clone()),
        (AgentScope::Some(agents), None) if agents.len() == 1 => Ok(agents[0].clone()),
        (_, None) => Err(EngineError::invalid(
            "/agent",
            "required",
            "say which agent by ?agent=",
        )),
    }
}
