//! Rows of the database as lines of a bundle.

use domain::{candidate::State, user::User};
use serde_json::Value;
use store::{
    Erasure, ExportedCandidate, ExportedDecision, ExportedPost, ExportedRemark, ExportedRevision,
    ExportedServing,
};

use super::{NotWritten, Result, text};
use crate::export::bundle::{
    CandidateLine, Decider, DecisionLine, Hex, PostLine, Proof, RemarkLine, RevisionLine, Served,
    ServingLine, UserLine,
};

fn proof(proof: store::Proof) -> Result<Proof> {
    // What has no salt cannot be proven: the row is not one of ours.
    let salt = Hex::parse(&proof.salt).ok_or(NotWritten::Refused("internal"))?;
    Ok(Proof {
        salt,
        committed: proof.committed,
    })
}

pub(super) fn user_line(user: &User) -> UserLine {
    UserLine {
        agent: user.agent.clone(),
        id: user.id.clone(),
        user_id: user.scope.as_user_id().map(str::to_owned),
        scope: Some(user.scope.pairs().clone()),
        created_at: user.created_at,
        erased_at: None,
    }
}

/// Of who was erased only our id and the times are left.
pub(super) fn erased_line(erasure: Erasure) -> UserLine {
    UserLine {
        agent: erasure.agent,
        id: erasure.user,
        user_id: None,
        scope: None,
        created_at: erasure.known_since,
        erased_at: Some(erasure.at),
    }
}

pub(super) fn post_line(post: ExportedPost) -> Result<PostLine> {
    Ok(PostLine {
        agent: post.agent,
        id: post.conversation,
        user: post.user,
        at: post.at,
        text: text(&post.proof)?,
        proof: proof(post.proof)?,
    })
}

pub(super) fn candidate_line(one: ExportedCandidate) -> Result<CandidateLine> {
    let candidate = one.candidate;
    let reason = match &candidate.state {
        State::Rejected { reason, .. } => Some(reason.as_str().to_owned()),
        State::Pending | State::Approved { .. } => None,
    };
    Ok(CandidateLine {
        action: candidate.proposal.action.as_str().to_owned(),
        status: candidate.status().as_str().to_owned(),
        reason,
        version: candidate.version,
        confidence: candidate.proposal.confidence,
        importance: candidate.proposal.importance,
        flags: candidate
            .proposal
            .flags
            .iter()
            .map(|flag| flag.as_str().to_owned())
            .collect(),
        targets: candidate.proposal.targets,
        extraction: candidate.extraction,
        cause: candidate
            .proposal
            .cause
            .map(|cause| cause.as_str().to_owned()),
        superseded_by: one.superseded_by,
        created_at: candidate.created_at,
        expires_at: candidate.expires_at,
        text: text(&one.proof)?,
        proof: proof(one.proof)?,
        agent: candidate.agent,
        id: candidate.id,
        user: candidate.user,
    })
}

pub(super) fn decision_line(one: ExportedDecision, by: Decider) -> Result<DecisionLine> {
    Ok(DecisionLine {
        agent: one.agent,
        id: one.id,
        candidate: one.candidate,
        user: one.user,
        version: one.version,
        verdict: one.verdict,
        reason: one.reason.map(|reason| reason.as_str().to_owned()),
        by,
        agreed_by: one.agreed_by,
        memory: one.memory,
        superseded_by: one.superseded_by,
        at: one.at,
        text: one.proof.as_ref().map(text).transpose()?,
        proof: one.proof.map(proof).transpose()?,
    })
}

pub(super) fn remark_line(one: ExportedRemark, by: Decider) -> Result<RemarkLine> {
    Ok(RemarkLine {
        agent: one.agent,
        candidate: one.candidate,
        user: one.user,
        occasion: one.r#type.as_str().to_owned(),
        by,
        at: one.at,
        text: text(&one.proof)?,
        proof: proof(one.proof)?,
    })
}

pub(super) fn revision_line(
    one: ExportedRevision,
    text: Value,
    by: Decider,
) -> Result<RevisionLine> {
    Ok(RevisionLine {
        agent: one.agent,
        id: one.memory,
        revision: one.number,
        revision_id: one.id,
        user: one.user,
        action: one.action.as_str().to_owned(),
        by,
        confidence: one.confidence,
        importance: one.importance,
        conversation: one.conversation,
        said_at: one.said_at,
        candidate: one.candidate,
        decision: one.decision,
        expires_at: one.expires_at,
        at: one.at,
        text,
        proof: proof(one.proof)?,
    })
}

pub(super) fn serving_line(ExportedServing { serving, batch }: ExportedServing) -> ServingLine {
    ServingLine {
        agent: serving.agent,
        id: serving.id,
        user: serving.user,
        at: serving.at,
        conversation: serving.conversation,
        tokens: serving.tokens,
        cut: serving.cut,
        items: serving
            .items
            .into_iter()
            .map(|(memory, revision)| Served { memory, revision })
            .collect(),
        batch,
    }
}
