//! What a tool is: a call of REST that a model makes.

use std::sync::Arc;

use domain::{
    agent::AgentName,
    permission::{Actor, Permission, Permit},
};
use futures::future::BoxFuture;
use rmcp::model::{self, CallToolResult, ContentBlock, JsonObject, ToolAnnotations};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use utoipa::ToSchema;

use super::schema;
use crate::{
    api::body::{self, Body},
    auth::{self, Need},
    problem::Problem,
    state::AppState,
};

/// The argument in which a key that names every agent says which one it means.
const AGENT: &str = "agent";

/// A tool. It takes the body of the call of REST that does the same, and answers the same.
pub trait Tool: 'static {
    /// What models call it.
    const NAME: &'static str;
    /// What people see.
    const TITLE: &'static str;
    /// When a model should call it, and with what.
    const DESCRIPTION: &'static str;
    /// What the key must grant.
    type Need: Need;
    /// The arguments.
    type Input: DeserializeOwned + ToSchema + Send;
    /// The structured answer.
    type Output: Serialize + ToSchema;

    /// What a client may tell its person before it calls.
    fn hints() -> ToolAnnotations;

    /// Does it.
    fn call(
        app: &AppState,
        permit: &Permit,
        agent: &AgentName,
        input: Body<Self::Input>,
    ) -> impl Future<Output = Result<Self::Output, Problem>> + Send;

    /// The answer in words, for models that are given only text; `None`: its JSON.
    fn words(_: &Self::Output) -> Option<String> {
        None
    }
}

/// A tool among the others.
pub struct Entry {
    /// What models call it.
    pub name: &'static str,
    needs: Permission,
    /// Described for a key that names one agent.
    of_one: model::Tool,
    /// Described for a key that names every agent.
    of_all: model::Tool,
    call: fn(AppState, Actor, JsonObject) -> BoxFuture<'static, Result<CallToolResult, Problem>>,
}

impl Entry {
    /// That of a tool.
    pub fn of<T: Tool>() -> Self {
        let described = |input: JsonObject| {
            model::Tool::new(T::NAME, T::DESCRIPTION, input)
                .with_title(T::TITLE)
                .with_raw_output_schema(Arc::new(schema::output::<T::Output>()))
                .with_annotations(T::hints())
        };
        let input = schema::input::<T::Input>();
        Self {
            name: T::NAME,
            needs: T::Need::PERMISSION,
            of_all: described(schema::with_agent(input.clone(), AGENT)),
            of_one: described(input),
            call: |app, actor, arguments| Box::pin(run::<T>(app, actor, arguments)),
        }
    }

    /// How it is described to who asks; `None` where their key does not grant it.
    pub fn listed(&self, actor: &Actor) -> Option<model::Tool> {
        Permit::ask(actor.clone(), self.needs).ok()?;
        let described = if names_one_agent(actor) {
            &self.of_one
        } else {
            &self.of_all
        };
        Some(described.clone())
    }

    /// Calls it.
    pub fn call(
        &self,
        app: AppState,
        actor: Actor,
        arguments: JsonObject,
    ) -> BoxFuture<'static, Result<CallToolResult, Problem>> {
        (self.call)(app, actor, arguments)
    }
}

/// A refusal: the document with which REST would answer. Only as text, since structured content has to fit the schema of an answer.
pub fn refused(problem: Problem) -> CallToolResult {
    let document = serde_json::to_string(&problem.document()).unwrap_or_default();
    CallToolResult::error(vec![ContentBlock::text(document)])
}

async fn run<T: Tool>(
    app: AppState,
    actor: Actor,
    mut arguments: JsonObject,
) -> Result<CallToolResult, Problem> {
    let permit = auth::permit::<T::Need>(&actor)?;
    let agent = agent(&permit, arguments.remove(AGENT))?;
    // Written out and read again: what does not fit is found, and told, as in the body of REST.
    let raw = serde_json::to_vec(&arguments).map_err(|_| Problem::internal())?;
    let input = body::parse::<T::Input>(raw.into())?;
    let answer = T::call(&app, &permit, &agent, input).await?;
    let value = serde_json::to_value(&answer).map_err(|_| Problem::internal())?;
    let mut result = CallToolResult::structured(value);
    if let Some(words) = T::words(&answer) {
        result.content = vec![ContentBlock::text(words)];
    }
    Ok(result)
}

/// The agent that a call is about. Only a key that names every agent says which, and it always does.
fn agent(permit: &Permit, asked: Option<Value>) -> Result<AgentName, Problem> {
    let pointer = format!("/{AGENT}");
    let asked = asked.filter(|asked| !asked.is_null());
    match (names_one_agent(permit.actor()), asked) {
        (true, None) => Ok(engine::only_agent(permit, None)?),
        (true, Some(_)) => Err(Problem::invalid(
            pointer,
            "not_allowed",
            "this key names its agent; leave this out",
        )),
        (false, Some(Value::String(name))) => {
            let name = AgentName::parse(&name)
                .map_err(|error| Problem::invalid(pointer, "invalid", error.to_string()))?;
            Ok(engine::only_agent(permit, Some(&name))?)
        }
        (false, None) => Err(Problem::invalid(
            pointer,
            "required",
            "this key names every agent: say which one is meant",
        )),
        (false, Some(_)) => Err(Problem::invalid(pointer, "wrong_type", "text is needed")),
    }
}

fn names_one_agent(actor: &Actor) -> bool {
    match actor {
        Actor::Key { .. } => true,
        Actor::PersonKey { agent, .. } => agent.is_some(),
        Actor::Person { .. } | Actor::System => false,
    }
}
