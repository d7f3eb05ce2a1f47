//! A person's own copy (G5): what is kept about them, to read and to take elsewhere (GDPR, articles 15 and 20), and nothing of others.
//!
//! Whoever reads a copy is no colleague of those who decided: these are told of by what they are, not by name, and what they wrote to each
//! other stays with them. What speaks of somebody else and did not become a memory is told of without its words. There is no chain in a
//! copy: its events name reviewers, and some tell of several people at once.

mod about;
mod page;
mod words;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
};

use domain::{
    agent::AgentScope,
    candidate::{Candidate, Flag, Reason, State},
    conversation::{Message, Role, Source},
    id::{CandidateId, MemoryId},
    secret,
};
use serde::{Deserialize, de::IgnoredAny};
use store::{Export, ExportFile, ExportPart, ExportedCandidate, ExportedDecision, Tx};

use self::{
    about::{
        AboutYou, Counts, Decision, FORMAT, Memory, Proposal, Said, Text, Told, Version, Who, You,
    },
    page::Talk,
    words::words,
};
use super::{
    bundle::{self, Form, Part, Served, line},
    files::{self, Paths},
    write::{NotWritten, Progress, Result, finish, of, text},
    zip::Zip,
};
use crate::Engine;

impl Engine {
    /// Writes the copy of an export into its file; the folder is there. The caller renames it.
    pub(super) async fn write_copy(
        &self,
        export: &Export,
        scope: AgentScope,
        paths: &Paths,
        progress: &Progress,
    ) -> Result<ExportFile> {
        // Who was served within the last second waits in memory.
        self.flush().await?;
        let key = self.db().audit_key().await?;
        let mut tx = self.db().read(scope).await?;
        let of = of(&mut tx, export, &BTreeMap::new()).await?;
        if of.who.is_none() {
            // Whoever it was of is forgotten; without them it would be of everybody.
            return Err(NotWritten::Refused("user_unknown"));
        }
        progress.expect(&mut tx, &of.parts).await?;
        let mut copying = Copying {
            tx,
            zip: Zip::new(files::create(&paths.part)?),
            progress,
            about: AboutYou {
                format: FORMAT,
                software: format!("keepsake {}", env!("CARGO_PKG_VERSION")),
                instance: key.instance().to_owned(),
                made_at: domain::time::micros(self.now()),
                language: export.language,
                you: Vec::new(),
                memories: Vec::new(),
                told: Vec::new(),
                proposals: Vec::new(),
                counts: Counts::default(),
            },
            talk: Talk::default(),
        };
        copying.conversations(&of.parts).await?;
        for part in &of.parts {
            copying.you(part).await?;
            copying.memories(part).await?;
            copying.told(part).await?;
            copying.proposals(part).await?;
        }
        let zip = copying.put_together()?;
        finish(zip, paths)
    }
}

/// A copy that is being written.
struct Copying<'a> {
    tx: Tx,
    zip: Zip<File>,
    progress: &'a Progress,
    about: AboutYou,
    talk: Talk,
}

impl Copying<'_> {
    /// What was said, each message a line.
    async fn conversations(&mut self, parts: &[ExportPart]) -> Result<()> {
        self.zip.begin(Part::Conversations.name())?;
        for part in parts {
            let mut along = self.tx.along_conversations(part).await?;
            while let Some(posts) = self.tx.exported_posts(part, &mut along).await? {
                for post in posts {
                    let (of_the_two, others): (Vec<_>, Vec<_>) =
                        post.messages.into_iter().partition(is_of_the_two);
                    self.about.counts.messages += of_the_two.len();
                    self.about.counts.messages_left_out += others.len();
                    for message in of_the_two {
                        let said = Said {
                            agent: post.agent.clone(),
                            conversation: post.conversation.clone(),
                            at: message.at,
                            role: message.role,
                            content: secret::mask(&message.content),
                        };
                        self.zip.write(line(&said).as_bytes())?;
                        self.talk.take(said);
                    }
                    self.progress.add(1);
                }
            }
        }
        Ok(())
    }

    async fn you(&mut self, part: &ExportPart) -> Result<()> {
        let mut along = self.tx.along_users(part).await?;
        while let Some(users) = self.tx.exported_users(part, &mut along).await? {
            for user in users {
                self.about.you.push(You {
                    opted_out: self.tx.opted_out(&user.scope).await?,
                    user_id: user.scope.as_user_id().map(str::to_owned),
                    scope: user.scope,
                    known_since: user.created_at,
                    agent: user.agent,
                    id: user.id,
                });
            }
        }
        Ok(())
    }

    async fn memories(&mut self, part: &ExportPart) -> Result<()> {
        let mut versions: HashMap<MemoryId, Vec<Version>> = HashMap::new();
        let mut along = self.tx.along_memories(part).await?;
        while let Some(revisions) = self.tx.exported_revisions(part, &mut along).await? {
            self.about.counts.revisions += revisions.len();
            self.progress.add(revisions.len());
            for one in revisions {
                let text: Text = text(&one.proof)?;
                versions.entry(one.memory).or_default().push(Version {
                    revision: one.number,
                    action: one.action,
                    by: Who::of(&one.by),
                    at: one.at,
                    text,
                });
            }
        }
        let now = self.about.made_at;
        let mut along = self.tx.along_memories(part).await?;
        while let Some(memories) = self.tx.exported_memories(part, &mut along).await? {
            for memory in memories {
                let revisions = versions.remove(&memory.id).unwrap_or_default();
                self.about.memories.push(Memory::of(memory, revisions, now));
            }
        }
        Ok(())
    }

    async fn told(&mut self, part: &ExportPart) -> Result<()> {
        let mut along = self.tx.along_servings(part).await?;
        while let Some(servings) = self.tx.exported_servings(part, &mut along).await? {
            self.progress.add(servings.len());
            for serving in servings.into_iter().map(|one| one.serving) {
                let items = serving.items.into_iter();
                self.about.told.push(Told {
                    agent: serving.agent,
                    at: serving.at,
                    conversation: serving.conversation,
                    memories: items
                        .map(|(memory, revision)| Served { memory, revision })
                        .collect(),
                });
            }
        }
        Ok(())
    }

    async fn proposals(&mut self, part: &ExportPart) -> Result<()> {
        let mut decided: HashMap<CandidateId, Vec<Decision>> = HashMap::new();
        let mut edited: HashSet<CandidateId> = HashSet::new();
        let mut along = self.tx.along_candidates(part).await?;
        while let Some(decisions) = self.tx.exported_decisions(part, &mut along).await? {
            self.about.counts.decisions += decisions.len();
            self.progress.add(decisions.len());
            for one in decisions {
                if is_edited(&one)? {
                    edited.insert(one.candidate.clone());
                }
                let of_one = decided.entry(one.candidate.clone()).or_default();
                of_one.push(decision(one));
            }
        }
        let mut along = self.tx.along_candidates(part).await?;
        while let Some(candidates) = self.tx.exported_candidates(part, &mut along).await? {
            self.progress.add(candidates.len());
            for one in candidates {
                let decisions = decided.remove(&one.candidate.id).unwrap_or_default();
                let edited = edited.contains(&one.candidate.id);
                self.about.proposals.push(proposal(one, decisions, edited));
            }
        }
        Ok(())
    }

    /// The rest of the zip, after the conversations.
    fn put_together(mut self) -> Result<Zip<File>> {
        self.about.count();
        let about = &self.about;
        let words = words(about.language);
        let page = page::draw(words, about, &self.talk);
        let mut zip = self.zip;
        zip.file(Part::About.name(), line(about).as_bytes())?;
        zip.file(Part::AboutPage.name(), page.as_bytes())?;
        zip.file(Part::Readme.name(), words.readme.as_bytes())?;
        let hashes = zip.entries().iter().map(|entry| &entry.sha256);
        let sums = bundle::sums(Form::Copy, hashes);
        zip.file(Part::Sums.name(), sums.as_bytes())?;
        Ok(zip)
    }
}

/// Whether the person said it themselves, or were answered so. What a tool or a system put in between, and what a program wrote in their
/// place, may be anybody's.
fn is_of_the_two(message: &Message) -> bool {
    match message.role {
        Role::User => message.source == Source::Human,
        Role::Assistant => true,
        Role::System | Role::Tool => false,
    }
}

fn decision(one: ExportedDecision) -> Decision {
    Decision {
        by: Who::of(&one.by),
        agreed: one.agreed_by.is_some(),
        verdict: one.verdict,
        reason: one.reason,
        memory: one.memory,
        at: one.at,
    }
}

/// Whether who decided changed what was proposed.
fn is_edited(one: &ExportedDecision) -> Result<bool> {
    #[derive(Deserialize)]
    struct Written {
        edit: Option<IgnoredAny>,
    }
    match &one.proof {
        Some(proof) => Ok(text::<Written>(proof)?.edit.is_some()),
        None => Ok(false),
    }
}

fn proposal(one: ExportedCandidate, decisions: Vec<Decision>, edited: bool) -> Proposal {
    let candidate = one.candidate;
    let withheld = is_of_another(&candidate, edited);
    let status = candidate.status();
    let reason = match &candidate.state {
        State::Rejected { reason, .. } => Some(*reason),
        State::Pending | State::Approved { .. } => None,
    };
    let by_extraction = candidate.extraction.is_some();
    let proposal = candidate.proposal;
    let evidence = proposal.evidence.into_iter();
    Proposal {
        agent: candidate.agent,
        id: candidate.id,
        action: proposal.action,
        status,
        reason,
        withheld,
        // What a person wrote to explain their own proposal is between them and who decides.
        explanation: proposal.explanation.filter(|_| by_extraction && !withheld),
        text: (!withheld).then_some(Text {
            kind: proposal.kind,
            name: proposal.name,
            content: proposal.content,
            metadata: proposal.metadata,
            tags: proposal.tags,
            language: proposal.language,
        }),
        confidence: proposal.confidence,
        importance: proposal.importance,
        flags: proposal.flags,
        conversations: evidence.map(|piece| piece.conversation).collect(),
        proposed_at: candidate.created_at,
        expires_at: candidate.expires_at,
        decisions,
    }
}

/// Whether a proposal speaks of somebody else, and was not taken up as it is as something about the person. What was made of one that was
/// edited stands in its memory.
fn is_of_another(candidate: &Candidate, edited: bool) -> bool {
    let flagged = candidate.proposal.flags.contains(&Flag::ThirdParty);
    match &candidate.state {
        State::Approved { .. } => flagged && edited,
        State::Rejected {
            reason: Reason::ThirdParty,
            ..
        } => true,
        State::Pending | State::Rejected { .. } => flagged,
    }
}
