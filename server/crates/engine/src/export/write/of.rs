//! What an export is of: chains, agents and users.

use std::collections::BTreeMap;

use domain::agent::AgentName;
use store::{ChainPart, Export, ExportPart, Tx};

use super::{NotWritten, Result};
use crate::export::ask::{called, present};

/// What an export is of, looked up in the view that it is read in.
pub(in crate::export) struct Of {
    pub chains: Vec<ChainPart>,
    pub parts: Vec<ExportPart>,
    /// The user it is about.
    pub who: Option<String>,
}

/// Looks up what an export is of.
pub(in crate::export) async fn of(
    tx: &mut Tx,
    export: &Export,
    heads: &BTreeMap<String, i64>,
) -> Result<Of> {
    let (from, to) = (export.from, export.to);
    let part = |agent: AgentName, users| ExportPart {
        agent,
        users,
        from,
        to,
    };
    let unknown = || NotWritten::Refused("user_unknown");
    let mut who = None;
    let mut parts: Vec<ExportPart> = match (&export.user, &export.named, &export.agent) {
        (Some(user), _, _) => {
            let user = present(tx.user(user).await)?.ok_or_else(unknown)?;
            who = Some(user.scope.display());
            vec![part(user.agent, Some(vec![user.id]))]
        }
        (None, Some(named), _) => {
            who = Some(named.display());
            let users = called(tx, named).await?;
            users
                .into_iter()
                .map(|user| part(user.agent, Some(vec![user.id])))
                .collect()
        }
        (None, None, Some(agent)) => vec![part(agent.clone(), None)],
        (None, None, None) => tx
            .agents()
            .await?
            .into_iter()
            .map(|agent| part(agent.name, None))
            .collect(),
    };
    if who.is_some() && parts.is_empty() {
        return Err(unknown());
    }
    parts.sort_by(|one, other| one.agent.as_str().cmp(other.agent.as_str()));
    let everything = who.is_none() && export.agent.is_none();
    let chain = |chain: &str, users| ChainPart {
        chain: chain.to_owned(),
        users,
        from,
        to,
    };
    let chains = if everything {
        // Also that of the system, and those of agents that were removed. The map is in the order of their names.
        heads.keys().map(|name| chain(name, None)).collect()
    } else {
        parts
            .iter()
            .map(|part| chain(part.agent.as_str(), part.users.clone()))
            .collect()
    };
    Ok(Of { chains, parts, who })
}
