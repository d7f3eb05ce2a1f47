//! From the lines of a bundle to what the store takes in. Words of lists that grow are read here: one that this version does not know is
//! refused, because what it means is not known either.

use std::str::FromStr;

use domain::{
    candidate::DecidedBy,
    user::{Scope, User},
};
use store::{
    ExportedDecision, ExportedRemark, ExportedServing, ImportedCandidate, ImportedPost,
    ImportedRevision, Proof, Serving,
};

use crate::export::bundle::{
    self, CandidateLine, Decider, DecisionLine, PostLine, RemarkLine, RevisionLine, ServingLine,
    UserLine,
};

/// Why a line cannot be taken in.
type Result<T> = std::result::Result<T, String>;

fn word<T: FromStr>(word: &str) -> Result<T> {
    word.parse().map_err(|_| {
        format!("this version of Keepsake does not know {word:?}: update Keepsake where you import")
    })
}

fn word_opt<T: FromStr>(text: Option<&str>) -> Result<Option<T>> {
    text.map(word).transpose()
}

fn proof(proof: bundle::Proof) -> Proof {
    Proof {
        salt: proof.salt.to_string(),
        committed: proof.committed,
    }
}

fn decided_by(by: Decider) -> Result<DecidedBy> {
    match (by.r#type.as_str(), by.id, by.policy) {
        ("person", Some(person), None) => Ok(DecidedBy::Person(person)),
        ("policy", Some(by), Some(name)) => Ok(DecidedBy::Policy { name, by }),
        ("system", None, None) => Ok(DecidedBy::System),
        _ => Err("it does not say who decided".to_owned()),
    }
}

/// Somebody; `None`: they were erased, and stay so.
pub(super) fn user(line: UserLine) -> Result<Option<User>> {
    let Some(pairs) = line.scope.filter(|_| line.erased_at.is_none()) else {
        return Ok(None);
    };
    let scope = Scope::parse(pairs).map_err(|error| error.to_string())?;
    Ok(Some(User {
        agent: line.agent,
        id: line.id,
        scope,
        created_at: line.created_at,
    }))
}

pub(super) fn post(line: PostLine) -> ImportedPost {
    ImportedPost {
        agent: line.agent,
        conversation: line.id,
        user: line.user,
        at: line.at,
        proof: proof(line.proof),
    }
}

pub(super) fn candidate(line: CandidateLine) -> Result<ImportedCandidate> {
    Ok(ImportedCandidate {
        agent: line.agent,
        id: line.id,
        user: line.user,
        action: word(&line.action)?,
        status: word(&line.status)?,
        reason: word_opt(line.reason.as_deref())?,
        version: line.version,
        confidence: line.confidence,
        importance: line.importance,
        flags: line
            .flags
            .iter()
            .map(|flag| word(flag))
            .collect::<Result<_>>()?,
        targets: line.targets,
        extraction: line.extraction,
        cause: word_opt(line.cause.as_deref())?,
        created_at: line.created_at,
        expires_at: line.expires_at,
        proof: proof(line.proof),
    })
}

pub(super) fn decision(line: DecisionLine) -> Result<ExportedDecision> {
    Ok(ExportedDecision {
        agent: line.agent,
        id: line.id,
        candidate: line.candidate,
        user: line.user,
        version: line.version,
        verdict: line.verdict,
        reason: word_opt(line.reason.as_deref())?,
        by: decided_by(line.by)?,
        agreed_by: line.agreed_by,
        memory: line.memory,
        superseded_by: line.superseded_by,
        at: line.at,
        proof: line.proof.map(proof),
    })
}

pub(super) fn remark(line: RemarkLine) -> Result<ExportedRemark> {
    let DecidedBy::Person(person) = decided_by(line.by)? else {
        return Err("only a person hands over or agrees".to_owned());
    };
    Ok(ExportedRemark {
        agent: line.agent,
        candidate: line.candidate,
        user: line.user,
        r#type: word(&line.occasion)?,
        person,
        at: line.at,
        proof: proof(line.proof),
    })
}

pub(super) fn revision(line: RevisionLine) -> Result<ImportedRevision> {
    Ok(ImportedRevision {
        agent: line.agent,
        memory: line.id,
        number: line.revision,
        id: line.revision_id,
        user: line.user,
        action: word(&line.action)?,
        by: decided_by(line.by)?,
        confidence: line.confidence,
        importance: line.importance,
        conversation: line.conversation,
        said_at: line.said_at,
        candidate: line.candidate,
        decision: line.decision,
        expires_at: line.expires_at,
        at: line.at,
        proof: proof(line.proof),
    })
}

pub(super) fn serving(line: ServingLine) -> ExportedServing {
    ExportedServing {
        serving: Serving {
            id: line.id,
            agent: line.agent,
            user: line.user,
            conversation: line.conversation,
            tokens: line.tokens,
            items: line
                .items
                .into_iter()
                .map(|item| (item.memory, item.revision))
                .collect(),
            cut: line.cut,
            at: line.at,
        },
        batch: line.batch,
    }
}
