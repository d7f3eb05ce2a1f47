//! Whether a key is one that a hook can use, asked before it is written down.
//!
//! Both calls of a hook are made without a user: Keepsake looks at the key first, then misses the user, and keeps nothing.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use engine::{CallError, HookClient};
use secrecy::SecretString;
use serde_json::json;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the Keepsake at an address. Without an answer of it there is a line to show: the key may be right.
///
/// # Errors
/// The key is refused; the message says what to do.
pub fn key(url: &str, key: SecretString) -> Result<Option<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("start the runtime")?;
    let error = match runtime.block_on(asked(url, key)) {
        Ok(()) => return Ok(None),
        Err(error) => error,
    };
    let CallError::Refused {
        status,
        of_key: true,
        ..
    } = error
    else {
        return Ok(Some(format!(
            "Note: {url} does not answer as Keepsake does ({error}). What is said waits on this machine until it does."
        )));
    };
    let why = match status {
        401 => "it is unknown, has expired or was revoked",
        403 => "it may not send conversations and ask for a context",
        _ => "it names no single agent, and a hook speaks for one",
    };
    bail!(
        "nothing was written: {url} refuses the key, because {why}; make one where Keepsake runs with `keepsake key create --agent NAME > key.txt` and give --key-file key.txt"
    );
}

async fn asked(url: &str, key: SecretString) -> Result<(), CallError> {
    let keepsake = HookClient::new(url, key)?;
    for path in ["/conversations", "/context"] {
        match keepsake.post(path, &json!({}), PATIENCE).await {
            Err(CallError::Refused {
                status: 422,
                of_key: false,
                ..
            }) => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(CallError::Unreadable),
        }
    }
    Ok(())
}
