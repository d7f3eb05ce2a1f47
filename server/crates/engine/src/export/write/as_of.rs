//! What stood at the instant that an export is about (G6): by the same look-ups as the page of that instant, so that the two agree.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    Timestamp,
    id::{MemoryId, PersonId, UserId},
};
use store::{ExportPart, Page, Serving};

use super::{Result, Writing};
use crate::export::{
    bundle::{AsOfLine, Held, Part},
    then::{LISTED, Then},
};

/// Servings of one look.
const SERVINGS: u32 = 500;

impl Writing<'_> {
    /// Writes it down, where the export is about an instant.
    pub(super) async fn as_of(&mut self, parts: &[ExportPart]) -> Result<()> {
        let Some(at) = self.export.as_of else {
            return Ok(());
        };
        self.zip.begin(Part::AsOf.name())?;
        let mut then = Then::new(self.export.language, at);
        for part in parts {
            for user in part.users.iter().flatten() {
                self.known_then(part, user, at, &mut then).await?;
                self.waiting_then(part, user, at, &mut then).await?;
                self.told_then(part, user, at, &mut then).await?;
            }
        }
        then.newest_first();
        self.story.then = Some(then);
        Ok(())
    }

    async fn known_then(
        &mut self,
        part: &ExportPart,
        user: &UserId,
        at: Timestamp,
        then: &mut Then,
    ) -> Result<()> {
        let all = self.tx.memories_as_of(&part.agent, user, at).await?;
        self.learn(all.iter().map(|stood| &stood.revision.by))
            .await?;
        let agreed: Vec<PersonId> = all
            .iter()
            .filter_map(|stood| stood.agreed_by.clone())
            .collect();
        self.names.learn_people(&mut self.tx, agreed).await?;
        for stood in all {
            let revision = &stood.revision;
            let name = self.names.by(&revision.by).name;
            let by = self.story.by(&revision.by, name.as_deref());
            let agreed_by = stood.agreed_by.as_ref().map(|first| {
                let name = self.names.person(first).name;
                name.unwrap_or_else(|| first.to_string())
            });
            then.know(&part.agent, &stood, by, agreed_by.as_deref());
            let line = AsOfLine {
                agent: part.agent.clone(),
                user: user.clone(),
                what: Held::Memory,
                id: revision.memory.to_string(),
                revision: Some(revision.number),
                at: revision.at,
                until: stood.expires_at,
            };
            self.put(Part::AsOf, &line)?;
        }
        Ok(())
    }

    async fn waiting_then(
        &mut self,
        part: &ExportPart,
        user: &UserId,
        at: Timestamp,
        then: &mut Then,
    ) -> Result<()> {
        for waited in self.tx.candidates_as_of(&part.agent, user, at).await? {
            then.wait(&waited);
            let line = AsOfLine {
                agent: part.agent.clone(),
                user: user.clone(),
                what: Held::Candidate,
                id: waited.candidate.id.to_string(),
                revision: None,
                at: waited.since,
                until: Some(waited.until),
            };
            self.put(Part::AsOf, &line)?;
        }
        Ok(())
    }

    async fn told_then(
        &mut self,
        part: &ExportPart,
        user: &UserId,
        at: Timestamp,
        then: &mut Then,
    ) -> Result<()> {
        let mut newest: Vec<Serving> = Vec::new();
        let mut page = Page::first(SERVINGS);
        loop {
            let listed = self
                .tx
                .servings_of(&part.agent, user, Some(at), &page)
                .await?;
            for serving in listed.rows {
                let line = AsOfLine {
                    agent: part.agent.clone(),
                    user: user.clone(),
                    what: Held::Serving,
                    id: serving.id.to_string(),
                    revision: None,
                    at: serving.at,
                    until: None,
                };
                self.put(Part::AsOf, &line)?;
                if newest.len() < LISTED {
                    newest.push(serving);
                } else {
                    then.leave_out();
                }
            }
            if listed.next.is_none() {
                break;
            }
            page.after = listed.next;
        }
        let said = self.said(part, &newest).await?;
        for serving in &newest {
            then.tell(serving, &said);
        }
        Ok(())
    }

    /// What the revisions say that were told, of the memories that are of this part: an answer may also name those of another id of the
    /// person, whose words are not for this export.
    async fn said(
        &mut self,
        part: &ExportPart,
        servings: &[Serving],
    ) -> Result<BTreeMap<(MemoryId, i64), String>> {
        let told: BTreeSet<(MemoryId, i64)> = servings
            .iter()
            .flat_map(|serving| serving.items.iter().cloned())
            .collect();
        let mut said = BTreeMap::new();
        let mut along = self.tx.along_memories(part).await?;
        while let Some(revisions) = self.tx.exported_revisions(part, &mut along).await? {
            for one in revisions {
                let revision = (one.memory, one.number);
                if told.contains(&revision) {
                    said.insert(revision, one.content);
                }
            }
        }
        Ok(said)
    }
}
