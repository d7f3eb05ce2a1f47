//! What an export holds, taken in (E4): the way back of `export/`, into an installation that knows nothing of the agents in it. Every row
//! keeps its id, its time and its state; texts and names are sealed anew, under keys that are made here, and what is compared or searched
//! is hashed anew with them.
//!
//! Of what comes no event is written: the chains come as they were hashed, and what is a row because of an event alone (conversations,
//! erasures, holds, joins, opt-outs) is made of that event. What is here because of no event at all is refused: texts were compared with
//! the chains before, and users, decisions and servings are here. The transaction is one for the agents of the export and no others, so that a
//! line about another one is refused as everywhere. The text of a row is what its proof says was committed to; one that would be committed to in another
//! way here is refused, because nobody could prove it any more.
//!
//! The caller keeps an order: agents, users, events, then messages, candidates, decisions, remarks, memories, servings, then
//! [`Tx::settle_import`] for each agent, and [`Tx::import_opt_outs`] last.

mod agents;
mod candidates;
mod chains;
mod conversations;
mod decisions;
mod memories;
mod servings;
mod users;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::{
    agents::{ImportCounts, Leftover},
    candidates::ImportedCandidate,
    chains::ImportedEvent,
    conversations::ImportedPost,
    memories::ImportedRevision,
};
use crate::{Error, Proof, Result, column::canonical};

/// Keys of users that are kept unwrapped; then they are forgotten and read anew.
const KEYS: usize = 4096;

/// What a proof says was committed to.
fn text<T: DeserializeOwned>(proof: &Proof) -> Result<T> {
    serde_json::from_str(&proof.committed).map_err(|_| Error::Corrupt("form of a text"))
}

/// Refuses a text that would be committed to in another way here.
fn same(proof: &Proof, text: &Value) -> Result<()> {
    if canonical(text) == proof.committed {
        Ok(())
    } else {
        Err(Error::Corrupt("form of a text"))
    }
}
