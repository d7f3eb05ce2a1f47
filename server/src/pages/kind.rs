//! `/agents/{name}/kinds/{kind}`, `/agents/{name}/kinds/new`, and the forms that change a kind and its guidelines.

use std::collections::BTreeMap;

use app::{
    pages::{
        agent::Proposed,
        kind::{Guideline, Page, Version, kind},
    },
    shell::Place,
};
use axum::{
    Form,
    extract::{Path, State},
    response::Response,
};
use domain::{
    agent::AgentName,
    guideline::GuidelineLanguage,
    kind::{EvidenceRule, Kind},
    permission::Permission,
};
use engine::{EngineError, GuidelineView, KindPatch, KindView, NewKind};
use serde::Deserialize;
use serde_json::Value;

use super::{
    by::by,
    form::{figure, id, keep, maybe, number, typed, typed_of, version},
    look::Look,
    source::{Refusal, faults_of, read, refused, written},
};
use crate::{
    auth::{Admin, Need, Signed, need},
    flash::{Flash, Flashes},
    page_error::PageError,
    state::AppState,
};

/// The form of a kind of one's own.
pub async fn new(
    admin: Admin,
    look: Look,
    Path(agent): Path<String>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let beginning = Kind {
        name: String::new(),
        set: "own".to_owned(),
        label: String::new(),
        description: String::new(),
        metadata_schema: None,
        ttl_days: None,
        position: 6,
        cap: None,
        always: false,
        evidence: EvidenceRule::UserQuote,
        enabled: true,
        guideline: None,
    };
    draw(&look, &admin, &agent, beginning, None).await
}

/// One kind.
pub async fn show(
    signed: Signed<need::ReadAgents>,
    look: Look,
    Path((agent, kind)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let found = look.engine().kind(&signed.permit, &agent, &kind).await?;
    let seen = (found.version, found.misfits);
    draw(&look, &signed, &agent, stored(found), Some(seen)).await
}

fn stored(view: KindView) -> Kind {
    Kind {
        name: view.name,
        set: view.set,
        label: view.label,
        description: view.description,
        metadata_schema: view.metadata_schema,
        ttl_days: view.ttl_days,
        position: view.position,
        cap: view.cap,
        always: view.always,
        evidence: view.evidence,
        enabled: view.enabled,
        guideline: view.guideline,
    }
}

/// The page; `seen` are the agent's version and the misfits of a kind that is there.
async fn draw<P: Need>(
    look: &Look,
    signed: &Signed<P>,
    agent: &AgentName,
    found: Kind,
    seen: Option<(i64, i64)>,
) -> Result<Response, PageError> {
    let frame = look.frame(signed, Place::Agents).await?;
    let reads = signed.ask(Permission::ReadAgents)?;
    let settings = look.engine().agent(&reads, agent).await?.settings;
    let has_schemas = !look.engine().schemas(&reads, agent).await?.is_empty();
    let guidelines = match seen {
        Some(_) => look.engine().guidelines(&reads, agent, &found.name).await?,
        None => Vec::new(),
    };
    let flash = look.flash.as_ref();
    let page = Page {
        agent: agent.to_string(),
        proposed: Proposed::of(&found.name, found.enabled, &settings, has_schemas),
        schema: found
            .metadata_schema
            .as_ref()
            .map(written)
            .unwrap_or_default(),
        kind: found,
        version: seen.map(|(version, _)| version),
        misfits: seen.map_or(0, |(_, misfits)| misfits),
        guidelines: by_language(look, &guidelines),
        may_change: signed.may(Permission::Administer),
        faults: faults_of(flash),
        typed: typed_of(flash),
    };
    look.draw(move || kind(&frame, &page)).await
}

/// The guidelines, a language each with its versions, newest first.
fn by_language(look: &Look, all: &[GuidelineView]) -> Vec<Guideline> {
    let mut guidelines: Vec<Guideline> = Vec::new();
    for (at, view) in all.iter().enumerate() {
        let before = all
            .get(at + 1)
            .filter(|before| before.language == view.language && !before.content.is_empty());
        let version = Version {
            number: view.version,
            content: view.content.clone(),
            diff: before.map_or_else(Vec::new, |before| {
                domain::diff::words(&before.content, &view.content)
            }),
            by: view.by.as_ref().and_then(|one| by(look.text(), one)),
            at: view.at,
        };
        match guidelines.last_mut() {
            // What a kind of one's own began with is nothing.
            Some(last) if last.language == view.language => {
                if version.number > 0 || !version.content.is_empty() {
                    last.versions.push(version);
                }
            }
            _ => guidelines.push(Guideline {
                language: view.language,
                versions: vec![version],
            }),
        }
    }
    guidelines
}

/// What the forms send; a switch that is off sends nothing.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Written {
    /// The agent's version that the form was drawn with; 0: it names none.
    version: i64,
    name: String,
    label: String,
    description: String,
    guideline: String,
    enabled: String,
    always: String,
    ttl_days: String,
    position: String,
    cap: String,
    evidence: String,
    metadata_schema: String,
}

/// What the forms say, read.
struct Said {
    schema: Option<Value>,
    ttl_days: Option<i64>,
    position: i64,
    cap: Option<i64>,
    evidence: EvidenceRule,
}

impl Written {
    fn read(&self) -> Result<Said, Refusal> {
        let evidence: Result<EvidenceRule, _> = self.evidence.parse();
        let unknown = |_| EngineError::invalid("/evidence", "unknown", "no such rule");
        Ok(Said {
            schema: read(&self.metadata_schema)?,
            ttl_days: maybe(&self.ttl_days, "/ttl_days")?,
            position: number(&self.position, "/position")?,
            cap: maybe(&self.cap, "/cap")?,
            evidence: evidence.map_err(unknown)?,
        })
    }

    fn typed(&self) -> [(&'static str, &str); 11] {
        [
            ("name", &self.name),
            ("label", &self.label),
            ("description", &self.description),
            ("guideline", &self.guideline),
            ("enabled", &self.enabled),
            ("always", &self.always),
            ("ttl_days", &self.ttl_days),
            ("position", &self.position),
            ("cap", &self.cap),
            ("evidence", &self.evidence),
            ("metadata_schema", &self.metadata_schema),
        ]
    }
}

/// Makes a kind.
pub async fn create(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path(agent): Path<String>,
    Form(form): Form<Written>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let made: Result<KindView, Refusal> = async {
        let said = form.read()?;
        let new = NewKind {
            name: form.name.trim().to_owned(),
            label: form.label.trim().to_owned(),
            description: form.description.trim().to_owned(),
            metadata_schema: said.schema,
            ttl_days: said.ttl_days,
            position: said.position,
            cap: said.cap,
            always: !form.always.is_empty(),
            evidence: said.evidence,
            enabled: !form.enabled.is_empty(),
            guideline: typed(&form.guideline),
        };
        Ok(app.engine.create_kind(&admin.permit, &agent, new).await?)
    }
    .await;
    match made {
        Ok(view) => {
            let here = format!("/agents/{agent}/kinds/{}", view.name);
            flashes.see_other(&here, Flash::new("saved")).await
        }
        Err(refusal) => {
            let flash = refused(refusal, "metadata_schema", &form.typed())?;
            flashes
                .see_other(&format!("/agents/{agent}/kinds/new"), flash)
                .await
        }
    }
}

/// Changes a kind.
pub async fn change(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((agent, kind)): Path<(String, String)>,
    Form(form): Form<Written>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let saved: Result<KindView, Refusal> = async {
        let said = form.read()?;
        let seen = (form.version > 0).then(|| version(form.version));
        let patch = KindPatch {
            label: Some(form.label.trim().to_owned()),
            description: Some(form.description.trim().to_owned()),
            metadata_schema: Some(said.schema),
            ttl_days: Some(said.ttl_days),
            position: Some(said.position),
            cap: Some(said.cap),
            always: Some(!form.always.is_empty()),
            evidence: Some(said.evidence),
            enabled: Some(!form.enabled.is_empty()),
            guideline: Some(typed(&form.guideline)),
        };
        Ok(app
            .engine
            .change_kind(&admin.permit, &agent, &kind, seen, patch)
            .await?)
    }
    .await;
    let flash = match saved {
        Ok(_) => Flash::new("saved"),
        Err(refusal) => refused(refusal, "metadata_schema", &form.typed())?,
    };
    flashes
        .see_other(&format!("/agents/{agent}/kinds/{kind}"), flash)
        .await
}

/// A guideline, written anew.
#[derive(Deserialize)]
pub struct Rewritten {
    /// The version that the form was drawn with.
    #[serde(deserialize_with = "figure")]
    version: i64,
    /// The one text area, whose name says its language.
    #[serde(flatten)]
    texts: BTreeMap<String, String>,
}

/// Writes what the kind should and should not hold in one language.
pub async fn guideline(
    admin: Admin,
    flashes: Flashes,
    State(app): State<AppState>,
    Path((agent, kind, language)): Path<(String, String, String)>,
    Form(form): Form<Rewritten>,
) -> Result<Response, PageError> {
    let agent: AgentName = id(&agent)?;
    let language: GuidelineLanguage = id(&language)?;
    let name = format!("guideline_{language}");
    let content = form.texts.get(&name).map_or("", String::as_str);
    let seen = version(form.version);
    let written = app
        .engine
        .write_guideline(&admin.permit, &agent, &kind, language, seen, content)
        .await;
    let kept = [(name.as_str(), content)];
    let flash = match written {
        Ok(_) => Flash::new("saved"),
        Err(error @ EngineError::Stale { .. }) => keep(Flash::new(error.code()), &kept),
        Err(EngineError::Invalid(faults)) => {
            let code = faults.first().map_or("invalid", |fault| fault.code);
            let flash = Flash::new("refused").with(&format!("fault.{name}"), code);
            keep(flash, &kept)
        }
        Err(error) => return Err(error.into()),
    };
    flashes
        .see_other(&format!("/agents/{agent}/kinds/{kind}#guidelines"), flash)
        .await
}
