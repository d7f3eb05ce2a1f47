//! A story of two agents with two people each, and what every file of a bundle says of it; written from the form of a bundle alone.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use domain::{
    Entropy, Timestamp,
    agent::AgentName,
    audit::{EventActor, GENESIS, Hash, commitment, leaf_hash},
    candidate::DecidedBy,
    id::{
        CandidateId, ConversationId, DecisionId, MemoryId, PersonId, RevisionId, ServingId, UserId,
    },
    time::Span,
};
use engine::export::bundle::{
    AsOfLine, CandidateLine, Decider, DecisionLine, EventLine, Held, Hex, PostLine, Proof,
    RemarkLine, RevisionLine, Served, ServingLine, UserLine, canonical,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Gives the same ids and salts in every run.
#[derive(Default)]
struct Counter(AtomicU64);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let hash = Sha256::digest(number.to_le_bytes());
        for (byte, other) in bytes.iter_mut().zip(hash.iter()) {
            *byte = *other;
        }
    }
}

/// What happened, as the lines of the files.
pub struct Story {
    entropy: Counter,
    now: Timestamp,
    pub events: Vec<EventLine>,
    pub users: Vec<UserLine>,
    pub posts: Vec<PostLine>,
    pub candidates: Vec<CandidateLine>,
    pub decisions: Vec<DecisionLine>,
    pub remarks: Vec<RemarkLine>,
    pub revisions: Vec<RevisionLine>,
    pub servings: Vec<ServingLine>,
}

/// What an event tells besides its chain, its time and its text.
struct Telling<'a> {
    r#type: &'a str,
    user: Option<&'a UserId>,
    subject: &'a str,
    data: Value,
}

impl Story {
    /// The whole of it.
    pub fn told() -> Self {
        let mut story = Self {
            entropy: Counter::default(),
            now: Timestamp::UNIX_EPOCH + Span::days(20_000),
            events: Vec::new(),
            users: Vec::new(),
            posts: Vec::new(),
            candidates: Vec::new(),
            decisions: Vec::new(),
            remarks: Vec::new(),
            revisions: Vec::new(),
            servings: Vec::new(),
        };
        for name in ["sales", "support"] {
            let agent = AgentName::parse(name).unwrap();
            story.system("agent.created", name);
            story.agent(&agent);
        }
        story.system("export.requested", "exp_1");
        // As in the files: by chain, then by number.
        story
            .events
            .sort_by(|one, other| (&one.agent, one.seq).cmp(&(&other.agent, other.seq)));
        story
    }

    /// When the last of it happened.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The people of an agent.
    pub fn people(&self, agent: &str) -> Vec<UserId> {
        let of_agent = self
            .users
            .iter()
            .filter(|user| user.agent.as_str() == agent);
        of_agent.map(|user| user.id.clone()).collect()
    }

    /// Adds an event at the end of an agent's chain, which tells of no text.
    pub fn happens(&mut self, agent: &str, r#type: &str, subject: &str) {
        let telling = Telling {
            r#type,
            user: None,
            subject,
            data: json!({}),
        };
        self.tell(agent, telling, None);
        self.events
            .sort_by(|one, other| (&one.agent, one.seq).cmp(&(&other.agent, other.seq)));
    }

    /// Goes on for the first person of `support`, and tells of an instant after it and of what stood then: memories that end, that were said
    /// again or retired, a candidate that waits, one that came back. What comes later changes nothing of it.
    pub fn past(&mut self) -> (UserId, Timestamp, Vec<AsOfLine>) {
        let agent = AgentName::parse("support").unwrap();
        let user = self.people("support").remove(0);
        let line = |what, id: &str, at, revision, until| AsOfLine {
            agent: AgentName::parse("support").unwrap(),
            user: user.clone(),
            what,
            id: id.to_owned(),
            revision,
            at,
            until,
        };
        let mut stood = Vec::new();
        for event in &self.events {
            let about_them = event.user.as_deref() == Some(user.as_str());
            if about_them && event.r#type == "memory.updated" {
                let at = time(event.at_us);
                stood.push(line(Held::Memory, &event.subject, at, Some(2), None));
            }
        }
        let first: MemoryId = stood[0].id.parse().unwrap();
        for told in self.servings.iter().filter(|told| told.user == user) {
            stood.push(line(Held::Serving, told.id.as_str(), told.at, None, None));
        }
        let hour = |hours| self.now + Span::hours(hours);
        let (soon, then, later) = (hour(1), hour(2), hour(3));

        let conversation = self.post(&agent, &user, 7);
        let waits = self.propose(&agent, &user, &conversation, 7);
        let at = self.last();
        let until = Some(at + Span::days(7));
        stood.push(line(Held::Candidate, waits.as_str(), at, None, until));
        let back = self.propose(&agent, &user, &conversation, 8);
        let rejected = ("reject", "candidate.rejected");
        self.decide(&agent, &user, &back, rejected, None);
        let reopened = ("reopen", "candidate.reopened");
        let decision = self.decide(&agent, &user, &back, reopened, None);
        self.says("expires_at", later.timestamp_micros());
        let at = self.last();
        stood.push(line(Held::Candidate, back.as_str(), at, None, Some(later)));

        let renewed = self.ending(&agent, &user, &decision, soon);
        let at = self.last();
        let telling = Telling {
            r#type: "candidate.seen_again",
            user: Some(&user),
            subject: renewed.as_str(),
            data: json!({ "expires_at": later.timestamp_micros() }),
        };
        self.tell("support", telling, None);
        stood.push(line(
            Held::Memory,
            renewed.as_str(),
            at,
            Some(1),
            Some(later),
        ));
        self.ending(&agent, &user, &decision, soon);
        let retired = self.ending(&agent, &user, &decision, later);
        self.revise(&agent, &user, &retired, (2, &decision));
        self.turns("memory.retired");

        self.now = then + Span::seconds(1);
        self.revise(&agent, &user, &first, (3, &decision));
        self.turns("memory.retired");
        let approved = ("approve", "candidate.approved");
        self.decide(&agent, &user, &waits, approved, None);
        self.serve(&agent, std::slice::from_ref(&user), true);
        self.propose(&agent, &user, &conversation, 9);
        self.events
            .sort_by(|one, other| (&one.agent, one.seq).cmp(&(&other.agent, other.seq)));
        (user, then, stood)
    }

    /// A memory of one revision, which ends.
    fn ending(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        decision: &DecisionId,
        end: Timestamp,
    ) -> MemoryId {
        let memory = MemoryId::new(self.pass(), &self.entropy);
        self.revise(agent, user, &memory, (1, decision));
        if let Some(revision) = self.revisions.last_mut() {
            revision.expires_at = Some(end);
        }
        memory
    }

    /// When the last event happened.
    fn last(&self) -> Timestamp {
        time(self.events.last().unwrap().at_us)
    }

    /// Lets the last event say more.
    fn says(&mut self, name: &str, number: i64) {
        let event = self.events.last_mut().unwrap();
        event.data.insert(name.to_owned(), json!(number));
    }

    /// Lets the last event be of another type.
    fn turns(&mut self, r#type: &str) {
        r#type.clone_into(&mut self.events.last_mut().unwrap().r#type);
    }

    fn agent(&mut self, agent: &AgentName) {
        let people = [self.user(agent, "ana"), self.user(agent, "ボブ")];
        for round in 0..3 {
            for user in &people {
                self.round(agent, user, round);
            }
            self.serve(agent, &people, round > 0);
        }
        self.serve(agent, &people[..1], true);
    }

    fn round(&mut self, agent: &AgentName, user: &UserId, round: i64) {
        let conversation = self.post(agent, user, round);
        let candidate = self.propose(agent, user, &conversation, round);
        match round {
            0 => self.remark(agent, user, &candidate, "handed_over"),
            1 => self.remark(agent, user, &candidate, "agreed"),
            _ => {}
        }
        if round == 2 {
            self.decide(
                agent,
                user,
                &candidate,
                ("reject", "candidate.rejected"),
                None,
            );
            return;
        }
        let note = json!({ "edit": null, "note": format!("Fits. {round}") });
        let approved = ("approve", "candidate.approved");
        let decision = self.decide(agent, user, &candidate, approved, Some(note));
        let memory = MemoryId::new(self.pass(), &self.entropy);
        for number in 1..=2 {
            self.revise(agent, user, &memory, (number, &decision));
        }
    }

    fn pass(&mut self) -> Timestamp {
        self.now += Span::milliseconds(1250);
        self.now
    }

    fn system(&mut self, r#type: &str, subject: &str) {
        let telling = Telling {
            r#type,
            user: None,
            subject,
            data: json!({ "version": 1 }),
        };
        self.tell("system", telling, None);
    }

    fn tell(&mut self, chain: &str, telling: Telling<'_>, text: Option<Hash>) {
        let at = self.pass();
        let before = self
            .events
            .iter()
            .filter(|event| event.agent == chain)
            .max_by_key(|event| event.seq);
        let (seq, prev_hash) = before.map_or((1, GENESIS), |event| {
            (event.seq + 1, leaf_hash(&canonical(event)))
        });
        let data = match telling.data {
            Value::Object(data) => data,
            _ => Map::new(),
        };
        self.events.push(EventLine {
            v: 1,
            agent: chain.to_owned(),
            seq,
            prev_hash: Hex(prev_hash),
            at_us: at.timestamp_micros(),
            r#type: telling.r#type.to_owned(),
            actor: EventActor {
                r#type: "system".to_owned(),
                id: None,
            },
            user: telling.user.map(ToString::to_string),
            subject: telling.subject.to_owned(),
            data,
            commitment: text.map(Hex),
        });
    }

    /// Commits to a text.
    fn commit(&self, text: &Value) -> (Proof, Hash) {
        let mut salt = [0; 32];
        self.entropy.fill(&mut salt);
        let committed = canonical(text);
        let hash = commitment(&salt, &committed);
        let salt = Hex(salt);
        (Proof { salt, committed }, hash)
    }

    fn user(&mut self, agent: &AgentName, name: &str) -> UserId {
        let at = self.pass();
        let id = UserId::new(at, &self.entropy);
        self.users.push(UserLine {
            agent: agent.clone(),
            id: id.clone(),
            user_id: Some(name.to_owned()),
            scope: Some(BTreeMap::from([("user_id".to_owned(), name.to_owned())])),
            created_at: at,
            erased_at: None,
        });
        let telling = Telling {
            r#type: "user.created",
            user: Some(&id),
            subject: id.as_str(),
            data: json!({}),
        };
        self.tell(agent.as_str(), telling, None);
        id
    }

    fn post(&mut self, agent: &AgentName, user: &UserId, round: i64) -> ConversationId {
        let at = self.pass();
        let id = ConversationId::new(at, &self.entropy);
        let text = json!([{
            "id": format!("msg_{round}"),
            "position": 1,
            "role": "user",
            "source": "human",
            "at_us": at.timestamp_micros(),
            "external_id": null,
            "content": format!("I said \"no\" {round} times,\nin Oslo\u{7f} & 大阪 😀 \\o/"),
        }]);
        let (proof, hash) = self.commit(&text);
        self.posts.push(PostLine {
            agent: agent.clone(),
            id: id.clone(),
            user: user.clone(),
            at,
            text,
            proof,
        });
        let telling = Telling {
            r#type: "conversation.received",
            user: Some(user),
            subject: id.as_str(),
            data: json!({ "from": 1, "messages": 1, "ended": 0 }),
        };
        self.tell(agent.as_str(), telling, Some(hash));
        id
    }

    fn propose(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        conversation: &ConversationId,
        round: i64,
    ) -> CandidateId {
        let at = self.pass();
        let id = CandidateId::new(at, &self.entropy);
        let text = json!({
            "kind": "fact",
            "name": null,
            "content": format!("User says no {round} times"),
            // Numbers and names that are easily written or sorted in another way.
            "metadata": {
                "share": 0.1 + 0.2, "sum": 1e21, "small": 1.5e-7, "whole": 3.0, "debt": -12.5, "large": 9_007_199_254_740_992_i64,
                "\u{e9}": 1, "\u{1f600}": 2, "\u{ff5e}": 3,
            },
            "tags": ["b", "a"],
            "language": "en",
            "explanation": "They say so.",
            "evidence": [{ "conversation": conversation, "message": null, "start": 0, "end": 6, "quote": "I said" }],
        });
        let (proof, hash) = self.commit(&text);
        self.candidates.push(CandidateLine {
            agent: agent.clone(),
            id: id.clone(),
            user: user.clone(),
            action: "create".to_owned(),
            status: "approved".to_owned(),
            reason: None,
            version: 2,
            confidence: 0.85,
            importance: 1.0,
            flags: vec!["sensitive".to_owned()],
            targets: Vec::new(),
            extraction: None,
            cause: None,
            superseded_by: None,
            created_at: at,
            expires_at: at + Span::days(7),
            text,
            proof,
        });
        let telling = Telling {
            r#type: "candidate.proposed",
            user: Some(user),
            subject: id.as_str(),
            data: json!({ "action": "create", "confidence": 850, "version": 1 }),
        };
        self.tell(agent.as_str(), telling, Some(hash));
        id
    }

    fn remark(&mut self, agent: &AgentName, user: &UserId, candidate: &CandidateId, what: &str) {
        let at = self.pass();
        let text = json!({ "note": format!("Please look: {what}") });
        let (proof, hash) = self.commit(&text);
        let by = self.reviewer();
        self.remarks.push(RemarkLine {
            agent: agent.clone(),
            candidate: candidate.clone(),
            user: user.clone(),
            occasion: what.to_owned(),
            by,
            at,
            text,
            proof,
        });
        let r#type = format!("candidate.{what}");
        let telling = Telling {
            r#type: &r#type,
            user: Some(user),
            subject: candidate.as_str(),
            data: json!({}),
        };
        self.tell(agent.as_str(), telling, Some(hash));
    }

    fn decide(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        candidate: &CandidateId,
        (verdict, r#type): (&str, &str),
        text: Option<Value>,
    ) -> DecisionId {
        let at = self.pass();
        let id = DecisionId::new(at, &self.entropy);
        let (proof, hash) = text.as_ref().map(|text| self.commit(text)).unzip();
        let by = self.reviewer();
        self.decisions.push(DecisionLine {
            agent: agent.clone(),
            id: id.clone(),
            candidate: candidate.clone(),
            user: user.clone(),
            version: 2,
            verdict: verdict.to_owned(),
            reason: None,
            by,
            agreed_by: None,
            memory: None,
            superseded_by: None,
            at,
            text,
            proof,
        });
        let telling = Telling {
            r#type,
            user: Some(user),
            subject: candidate.as_str(),
            data: json!({ "decision": id, "version": 2, "edited": false }),
        };
        self.tell(agent.as_str(), telling, hash);
        id
    }

    fn revise(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        memory: &MemoryId,
        (number, decision): (i64, &DecisionId),
    ) {
        let at = self.pass();
        let text = json!({
            "kind": "fact", "name": null, "content": format!("Says no, {number}"), "metadata": {}, "tags": [],
            "language": "en", "note": null,
        });
        let (proof, hash) = self.commit(&text);
        let id = RevisionId::new(at, &self.entropy);
        self.revisions.push(RevisionLine {
            agent: agent.clone(),
            id: memory.clone(),
            revision: number,
            revision_id: id.clone(),
            user: user.clone(),
            action: "update".to_owned(),
            by: Decider::of(&DecidedBy::System, None),
            confidence: 0.5,
            importance: 0.25,
            conversation: None,
            said_at: at,
            candidate: None,
            decision: Some(decision.clone()),
            expires_at: None,
            at,
            text,
            proof,
        });
        let telling = Telling {
            r#type: if number == 1 {
                "memory.created"
            } else {
                "memory.updated"
            },
            user: Some(user),
            subject: memory.as_str(),
            data: json!({ "revision": number, "id": id, "decision": decision }),
        };
        self.tell(agent.as_str(), telling, Some(hash));
    }

    /// Serves each of them once, told by one event. Of servings of before batches were kept only the event knows which are together.
    fn serve(&mut self, agent: &AgentName, people: &[UserId], kept: bool) {
        let memory = self.revisions.last().map(|revision| revision.id.clone());
        let mut lines: Vec<ServingLine> = Vec::new();
        for user in people {
            let at = self.pass();
            let id = ServingId::new(at, &self.entropy);
            let first = lines.first().map_or(&id, |line| &line.id).clone();
            lines.push(ServingLine {
                agent: agent.clone(),
                id,
                user: user.clone(),
                at,
                conversation: Some("theirs".to_owned()),
                tokens: 12,
                cut: 0,
                items: memory
                    .iter()
                    .map(|memory| Served {
                        memory: memory.clone(),
                        revision: 2,
                    })
                    .collect(),
                batch: kept.then_some(first),
            });
        }
        let told: Vec<String> = lines.iter().map(ServingLine::told).collect();
        let hash = Hex(Sha256::digest(format!("[{}]", told.join(","))).into());
        let telling = Telling {
            r#type: "context.served",
            user: None,
            subject: lines[0].id.as_str(),
            data: json!({ "servings": lines.len(), "hash": hash }),
        };
        self.tell(agent.as_str(), telling, None);
        self.servings.extend(lines);
    }

    fn reviewer(&self) -> Decider {
        let person = PersonId::new(Timestamp::UNIX_EPOCH, &self.entropy);
        Decider::of(&DecidedBy::Person(person), Some("Bo Review".to_owned()))
    }
}

fn time(at_us: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + Span::microseconds(at_us)
}
