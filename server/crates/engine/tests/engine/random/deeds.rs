//! What is done, one thing at a time.

use domain::{
    candidate::{Action, Edit, Reason, Status},
    id::MemoryId,
    permission::Permission,
    time::Span,
    user::Scope,
};
use engine::{
    Approval, CandidateView, EngineError, MemoryView, NewMemory, ProposeAnswer, Proposed,
};
use serde_json::{Value, json};

use super::{CITIES, Dice, Everything, USERS};
use crate::world::World;

impl World {
    /// A conversation out of which the model makes this.
    async fn says(&self, user: &str, words: &str, candidate: Value) {
        self.script.says(&json!({"candidates": [candidate]}));
        self.say(user, &[words]).await;
        self.work().await;
        self.script.forget();
    }

    /// Something, and what it came to.
    pub(super) async fn something(
        &self,
        dice: &mut Dice,
        there: &Everything,
    ) -> Result<&'static str, EngineError> {
        let user = *dice.pick(&USERS).unwrap();
        let city = *dice.pick(&CITIES).unwrap();
        match dice.roll(17) {
            0..=2 => {
                let (kind, name, content) = match dice.roll(4) {
                    0 => ("fact", Some("lives in"), format!("User lives in {city}")),
                    1 => ("fact", None, format!("User lives in {city}")),
                    2 => ("fact", None, format!("User owns a flat in {city}")),
                    _ => (
                        "preference",
                        None,
                        format!("User's favourite city is {city}"),
                    ),
                };
                let words = format!("As for me: {city}");
                let candidate = json!({"kind": kind, "name": name, "content": content, "confidence": 0.9, "importance": 0.6, "evidence": words});
                self.says(user, &words, candidate).await;
                Ok("said")
            }
            3 => self.propose_something(dice, there, user, city).await,
            4 => {
                let theirs: Vec<&MemoryView> = there
                    .approved
                    .iter()
                    .filter(|memory| memory.user_id.as_deref() == Some(user))
                    .collect();
                let (Some(one), Some(other)) = (dice.pick(&theirs), dice.pick(&theirs)) else {
                    return Ok("nothing");
                };
                let words = format!("{city} is where I live and what I like");
                let candidate = json!({
                    "action": "merge", "targets": [one.id, other.id], "kind": "fact", "content": format!("User lives in and loves {city}"),
                    "confidence": 0.9, "importance": 0.6, "evidence": words});
                self.says(user, &words, candidate).await;
                Ok("said")
            }
            5..=8 => self.approve_something(dice, there, city).await,
            9 => {
                let Some(candidate) = there.candidate(dice) else {
                    return Ok("nothing");
                };
                let reason = *dice.pick(Reason::OF_A_PERSON).unwrap();
                let decide = self.aiko(Permission::Decide);
                self.engine
                    .reject(&decide, &candidate.id, None, reason, None)
                    .await?;
                Ok("rejected")
            }
            10 => {
                let approved: Vec<&CandidateView> = there
                    .candidates
                    .iter()
                    .filter(|candidate| candidate.status == Status::Approved)
                    .collect();
                let undoes = dice.one_in(2) && !approved.is_empty();
                let picked = if undoes {
                    dice.pick(&approved).copied()
                } else {
                    dice.pick(&there.candidates)
                };
                let Some(candidate) = picked else {
                    return Ok("nothing");
                };
                let decide = self.mia(Permission::Decide);
                self.engine
                    .reopen(&decide, &candidate.id, None, None)
                    .await?;
                Ok(if undoes { "undone" } else { "reopened" })
            }
            11..=14 => self.change_something(dice, there, user, city).await,
            15 => {
                // What is past its time is not served, whether or not the clock has come round to it.
                self.pass(Span::hours(i64::try_from(dice.roll(60)).unwrap()));
                Ok("passed")
            }
            _ => {
                self.engine.tick().await?;
                let gone = self.all_memories(&self.agent, true).await;
                Ok(if gone.len() > there.retired.len() {
                    "expired"
                } else {
                    "ticked"
                })
            }
        }
    }

    async fn propose_something(
        &self,
        dice: &mut Dice,
        there: &Everything,
        user: &str,
        city: &str,
    ) -> Result<&'static str, EngineError> {
        let theirs: Vec<&MemoryView> = there
            .approved
            .iter()
            .filter(|memory| memory.user_id.as_deref() == Some(user))
            .collect();
        let target = dice.pick(&theirs).filter(|_| !dice.one_in(3));
        let action = target.map(|_| {
            if dice.one_in(2) {
                Action::Retire
            } else {
                Action::Update
            }
        });
        let proposed = Proposed {
            action,
            target: target.map(|memory| memory.id.clone()),
            scope: Scope::user_id(user).unwrap(),
            kind: target.map_or("fact".into(), |memory| memory.kind.clone()),
            name: None,
            content: Some(format!("User works for the city of {city}")),
            metadata: Default::default(),
            tags: vec![],
            confidence: None,
            importance: None,
            explanation: None,
        };
        let propose = self.key(Permission::Propose);
        let answer = self.engine.propose(&propose, &self.agent, proposed).await?;
        Ok(match answer {
            ProposeAnswer::Proposed { .. } => "proposed",
            _ => "seen again",
        })
    }

    async fn approve_something(
        &self,
        dice: &mut Dice,
        there: &Everything,
        city: &str,
    ) -> Result<&'static str, EngineError> {
        let Some(candidate) = there.candidate(dice) else {
            return Ok("nothing");
        };
        let mut approval = Approval::default();
        if dice.one_in(3) {
            approval.edit = Edit {
                content: Some(format!("User has moved to {city}")),
                ..Edit::default()
            };
        }
        if dice.one_in(4) {
            approval.merge_into = dice.pick(&there.approved).map(|memory| memory.id.clone());
        }
        if dice.one_in(2) {
            // Both were in view: what is stored now, and what was proposed against an earlier one.
            let present = |id: &MemoryId| {
                let found = there.approved.iter().find(|memory| memory.id == *id);
                found.map(|memory| memory.revision)
            };
            approval.seen_target = candidate.target.as_ref().and_then(present);
            approval.seen_absorbed = candidate
                .absorbed
                .iter()
                .filter_map(|id| Some((id.clone(), present(id)?)))
                .collect();
        }
        let into = approval.merge_into.clone();
        let decide = if dice.one_in(2) {
            self.mia(Permission::Decide)
        } else {
            self.aiko(Permission::Decide)
        };
        let version = dice.version(candidate.version);
        let done = self
            .engine
            .approve(&decide, &candidate.id, Some(version), approval)
            .await?;
        let served = self.all_memories(&self.agent, false).await;
        let is_served = |id: &MemoryId| served.iter().any(|memory| memory.id == *id);
        match candidate.action {
            // One memory is left, and all of what it took in is there to read.
            Action::Merge => {
                assert!(is_served(done.memory.as_ref().unwrap()), "{done:?}");
                assert!(!candidate.absorbed.iter().any(is_served), "{done:?}");
                for absorbed in &candidate.absorbed {
                    let revisions = self.revisions_of(absorbed).await;
                    assert_eq!(revisions[0].candidate.as_ref(), Some(&candidate.id));
                }
                Ok("merge approved")
            }
            Action::Update => {
                assert_eq!(done.memory, into.or(candidate.target.clone()));
                assert!(is_served(done.memory.as_ref().unwrap()));
                Ok("update approved")
            }
            Action::Retire => {
                assert!(!is_served(candidate.target.as_ref().unwrap()));
                Ok("retirement approved")
            }
            Action::Create => {
                assert!(is_served(done.memory.as_ref().unwrap()));
                Ok("approved")
            }
        }
    }

    async fn change_something(
        &self,
        dice: &mut Dice,
        there: &Everything,
        user: &str,
        city: &str,
    ) -> Result<&'static str, EngineError> {
        let decide = self.mia(Permission::Decide);
        let of_any = if dice.one_in(2) {
            &there.approved
        } else {
            &there.retired
        };
        let Some(memory) = dice.pick(of_any) else {
            let new = NewMemory {
                scope: Scope::user_id(user).unwrap(),
                kind: "preference".into(),
                name: None,
                content: format!("User prefers trains to {city}"),
                metadata: Default::default(),
                tags: vec![],
                importance: None,
                note: None,
            };
            self.engine.add_memory(&decide, &self.agent, new).await?;
            return Ok("added");
        };
        let version = dice.version(memory.revision);
        match dice.roll(3) {
            0 => {
                self.engine
                    .retire_memory(&decide, &memory.id, version, None)
                    .await?;
                Ok("retired")
            }
            1 => {
                let edit = Edit {
                    content: Some(format!("User lives in {city}")),
                    ..Edit::default()
                };
                self.engine
                    .edit_memory(&decide, &memory.id, version, edit, None)
                    .await?;
                Ok("edited")
            }
            _ => {
                let revision = i64::try_from(dice.roll(memory.revision.unsigned_abs())).unwrap();
                self.engine
                    .restore_memory(&decide, &memory.id, version, Some(revision + 1), None)
                    .await?;
                Ok("restored")
            }
        }
    }
}
