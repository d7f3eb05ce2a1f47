//! That the memory a candidate made was recalled since (G4).

use domain::Timestamp;
use leptos::prelude::*;

use super::Candidate;
use crate::{components::time::ago, shell::Frame};

/// Who recalled it.
#[derive(Debug, Clone)]
pub struct Recalled {
    /// By whom.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
}

pub(super) fn recalled(frame: &Frame, candidate: &Candidate) -> Option<AnyView> {
    let Recalled { by, at, reason } = candidate.recalled.as_ref()?;
    let text = frame.text();
    let line = (text.recall.of_candidate)(by, &ago(text, frame.now, *at));
    let reason = reason
        .clone()
        .map(|reason| view! { <p class="said">{reason}</p> });
    Some(
        view! {
            <div class="callout" data-tone="bad">
                <p>
                    <strong>{line}</strong>
                </p>
                {reason}
            </div>
        }
        .into_any(),
    )
}
