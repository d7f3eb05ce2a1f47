//! Names of resources: `projects/{project}/locations/{location}/reasoningEngines/{agent}/…`. Project and location are the client's
//! own words and come back as they came; the reasoning engine is the agent.

use std::{
    collections::BTreeMap,
    fmt::{self, Display},
    str::FromStr,
};

use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use domain::{
    agent::AgentName,
    id::{CandidateId, InvalidId, MemoryId, OperationId},
    permission::Permit,
};
use engine::{CameOf, MemoryView};

use crate::{
    auth::{self, Caller, Need, need::ReadMemories},
    problem::Problem,
    state::AppState,
};

/// The memories of an agent.
pub struct Bank {
    name: String,
    /// The agent.
    pub agent: AgentName,
}

impl Bank {
    /// What the caller may do here.
    ///
    /// # Errors
    /// 404 for an agent outside the key's.
    pub fn permit<P>(&self, caller: &Caller<P>) -> Result<Permit, Problem> {
        self.narrowed(&caller.permit)
    }

    /// The same for another need than that of the route.
    ///
    /// # Errors
    /// 403 where the key has no such scope; 404 for an agent outside.
    pub fn permit_to<Other: Need, P>(&self, caller: &Caller<P>) -> Result<Permit, Problem> {
        self.narrowed(&auth::permit::<Other>(caller.permit.actor())?)
    }

    fn narrowed(&self, permit: &Permit) -> Result<Permit, Problem> {
        permit.within(&self.agent).ok_or_else(Problem::not_found)
    }

    /// The name of a memory, or of a candidate that may become one.
    pub fn memory(&self, id: impl Display) -> String {
        format!("{}/memories/{id}", self.name)
    }

    /// The name of an operation.
    pub fn operation(&self, id: &OperationId) -> String {
        format!("{}/operations/{id}", self.name)
    }

    /// What a name stands for.
    ///
    /// # Errors
    /// 404 for what is not served to an agent, whoever asks.
    pub async fn find(
        &self,
        app: &AppState,
        reads: &Permit,
        name: &MemoryName,
    ) -> Result<CameOf, Problem> {
        let engine = &app.engine;
        match name {
            MemoryName::Candidate(id) => Ok(engine.came_of(reads, id).await?),
            MemoryName::Memory(id) => {
                let memory = engine.memory(reads, id).await?;
                if memory.served(engine.now()) {
                    Ok(CameOf::Memory(Box::new(memory)))
                } else {
                    Err(Problem::not_found())
                }
            }
        }
    }

    /// The memory that a caller means to change.
    ///
    /// # Errors
    /// As [`Bank::find`], and for what waits; 403 for a key that cannot read memories.
    pub async fn approved<P>(
        &self,
        app: &AppState,
        caller: &Caller<P>,
        name: &MemoryName,
    ) -> Result<MemoryView, Problem> {
        let reads = self.permit_to::<ReadMemories, P>(caller)?;
        match self.find(app, &reads, name).await? {
            CameOf::Memory(memory) => Ok(*memory),
            CameOf::Waits { .. } => Err(Problem::not_found()),
        }
    }
}

/// What stands after `memories/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryName {
    /// A memory.
    Memory(MemoryId),
    /// A candidate; once it is approved the memory that it became.
    Candidate(CandidateId),
}

impl Display for MemoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(id) => id.fmt(f),
            Self::Candidate(id) => id.fmt(f),
        }
    }
}

impl FromStr for MemoryName {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        match CandidateId::parse(text) {
            Ok(id) => Ok(Self::Candidate(id)),
            Err(_) => MemoryId::parse(text).map(Self::Memory),
        }
    }
}

/// A memory that is to be rolled back: `{memory}:rollback`.
pub struct RolledBack(pub MemoryName);

impl FromStr for RolledBack {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        // Without the verb it is no name that a POST could be about.
        let name = text.strip_suffix(":rollback").unwrap_or_default();
        name.parse().map(Self)
    }
}

/// What a path ends in, in its bank.
pub struct Of<T> {
    pub bank: Bank,
    pub id: T,
}

/// Which parameter of the path it is.
pub trait Part: FromStr + Send {
    const NAME: &'static str;
}

impl Part for MemoryName {
    const NAME: &'static str = "memory";
}

impl Part for RolledBack {
    const NAME: &'static str = "memory";
}

impl Part for OperationId {
    const NAME: &'static str = "operation";
}

/// A revision of a memory.
pub struct RevisionOf {
    pub bank: Bank,
    pub memory: MemoryName,
    pub number: i64,
}

impl FromRequestParts<AppState> for Bank {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        Ok(read(parts, app).await?.0)
    }
}

impl<T: Part> FromRequestParts<AppState> for Of<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let (bank, rest) = read(parts, app).await?;
        let id = part(&rest, T::NAME)?;
        Ok(Self { bank, id })
    }
}

impl FromRequestParts<AppState> for RevisionOf {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let (bank, rest) = read(parts, app).await?;
        Ok(Self {
            bank,
            memory: part(&rest, MemoryName::NAME)?,
            number: part(&rest, "revision")?,
        })
    }
}

type Parameters = BTreeMap<String, String>;

async fn read(parts: &mut Parts, app: &AppState) -> Result<(Bank, Parameters), Problem> {
    let parameters = Path::<Parameters>::from_request_parts(parts, app).await;
    let Path(parameters) = parameters.map_err(|_| Problem::not_found())?;
    let agent: AgentName = part(&parameters, "engine")?;
    let name = match (parameters.get("project"), parameters.get("location")) {
        (Some(project), Some(location)) => {
            format!("projects/{project}/locations/{location}/reasoningEngines/{agent}")
        }
        _ => format!("reasoningEngines/{agent}"),
    };
    Ok((Bank { name, agent }, parameters))
}

fn part<T: FromStr>(parameters: &Parameters, name: &str) -> Result<T, Problem> {
    let text = parameters.get(name).map(String::as_str).unwrap_or_default();
    text.parse().map_err(|_| Problem::not_found())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_of_a_memory_or_of_what_may_become_one() {
        let letters = "0".repeat(26);
        let memory = MemoryId::parse(&format!("mem_{letters}")).unwrap();
        let candidate = CandidateId::parse(&format!("cand_{letters}")).unwrap();
        for (text, name) in [
            (memory.as_str(), MemoryName::Memory(memory.clone())),
            (candidate.as_str(), MemoryName::Candidate(candidate.clone())),
        ] {
            assert_eq!(text.parse(), Ok(name.clone()));
            let rolled_back = format!("{text}:rollback").parse::<RolledBack>().unwrap();
            assert_eq!(rolled_back.0, name);
            for other in ["", ":purge", ":rollback:rollback", "/rollback"] {
                assert!(
                    format!("{text}{other}").parse::<RolledBack>().is_err(),
                    "{other}"
                );
            }
        }
        assert!("op_x".parse::<MemoryName>().is_err());
    }
}
