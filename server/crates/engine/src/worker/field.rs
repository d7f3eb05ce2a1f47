//! Consolidating a field of a profile (D3): what was said now, beside what is approved and what waits.

use domain::{
    candidate::{Action, Candidate, Flag, MAX_CONTENT, Proposal},
    id::CandidateId,
    memory::Memory,
    profile::{self, Field, ProfileSchema},
    text,
};
use serde_json::Value;
use store::Known;

/// Makes a field's new value the whole value of the field, where the field takes several: the approved value and the waiting one with the
/// new one beside them. The words for what waits are carried along, because the candidate takes its place. What says nothing new is
/// put in the words of what it repeats, so that the matcher sees it.
///
/// A waiting value counts only while the approved one is what it was proposed against; after that only what was said for it does, so
/// that nothing comes back that a person has taken out meanwhile.
///
/// `extracted` in the metadata stays what was said since the approved value (D7). Answers a rejection that keeps what was said now out
/// (F4): whatever it would be joined with, it is the same again.
pub(super) fn consolidate(
    proposal: &mut Proposal,
    schemas: &[ProfileSchema],
    known: &Known,
) -> Option<CandidateId> {
    let name = proposal.name.clone();
    let parsed = name.as_deref().and_then(profile::parse_name);
    let (schema, field) = parsed.and_then(|(schema, field)| {
        let schema = schemas.iter().find(|one| one.id == schema)?;
        Some((schema, schema.field(field).filter(Field::joins)?))
    })?;
    let new = proposal.metadata.get("value").cloned()?;
    let of = |kind: &str, other: &Option<String>| kind == profile::KIND && *other == name;
    let approved = known
        .memories
        .iter()
        .find(|memory| of(&memory.kind, &memory.name));
    let waiting = known.waiting.iter().rfind(|candidate| {
        let proposal = &candidate.proposal;
        let states = matches!(proposal.action, Action::Create | Action::Update);
        states && of(&proposal.kind, &proposal.name)
    });
    let words = profile::words(&new);
    if let Some(memory) = approved.filter(|memory| profile::covers(&memory.content, &words)) {
        proposal.content.clone_from(&memory.content);
        proposal.metadata.clone_from(&memory.metadata);
        return None;
    }
    let stands = waiting.filter(|waiting| is_against(waiting, approved));
    if let Some(waiting) =
        stands.filter(|waiting| profile::covers(&waiting.proposal.content, &words))
    {
        proposal.content.clone_from(&waiting.proposal.content);
        proposal.metadata.clone_from(&waiting.proposal.metadata);
        return None;
    }
    let rejected = known.rejected.iter().find(|candidate| {
        let before = &candidate.proposal;
        let said = before.metadata.get("extracted").map(profile::words);
        before.action != Action::Retire
            && of(&before.kind, &before.name)
            && said.is_some_and(|said| {
                profile::covers(&said, &words) && profile::covers(&words, &said)
            })
    });
    if let Some(rejected) = rejected {
        return Some(rejected.id.clone());
    }
    let join = |old: Option<Value>, new: &Value| match old {
        Some(old) => profile::consolidate(field, &old, new).value,
        None => new.clone(),
    };
    let held = approved.and_then(|memory| memory.metadata.get("value").cloned());
    let waits = |key: &str| waiting.and_then(|waiting| waiting.proposal.metadata.get(key).cloned());
    let base = match waits(if stands.is_some() {
        "value"
    } else {
        "extracted"
    }) {
        Some(waits) => Some(join(held, &waits)),
        None => held,
    };
    let value = join(base, &new);
    let extracted = join(waits("extracted"), &new);
    let content = profile::words(&value);
    // A field of at most so many characters or items takes the new value alone.
    if !schema.fits(field.name, &value) || text::length(&content) > MAX_CONTENT {
        return None;
    }
    proposal.language =
        text::language_with(&content, true, [proposal.language.as_str()]).to_owned();
    proposal.content = content;
    proposal.metadata = profile::metadata(&schema.id, field.name, &value, &extracted);
    if let Some(waiting) = waiting {
        carry(proposal, waiting);
    }
    None
}

/// Whether a waiting candidate was proposed against what is approved now.
fn is_against(waiting: &Candidate, approved: Option<&Memory>) -> bool {
    match (waiting.proposal.targets.first(), approved) {
        (Some(target), Some(memory)) => {
            target.memory == memory.id && target.revision == memory.revision
        }
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// What a waiting candidate rests on goes on with the one that takes its place.
fn carry(proposal: &mut Proposal, waiting: &Candidate) {
    let before = &waiting.proposal;
    for piece in &before.evidence {
        if !proposal.evidence.contains(piece) {
            proposal.evidence.push(piece.clone());
        }
    }
    // These two tell of what it was compared with.
    let of_the_words = before
        .flags
        .iter()
        .filter(|flag| !matches!(flag, Flag::Contradiction | Flag::PossibleDuplicate));
    proposal.flags.extend(of_the_words);
    proposal.confidence = proposal.confidence.min(before.confidence);
    proposal.importance = proposal.importance.max(before.importance);
}
