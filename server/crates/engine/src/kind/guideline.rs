//! Guidelines (G10): what a kind should and should not hold, for the people who decide, in each language of the dashboard. A kind that
//! Keepsake brings begins with words of ours, which are version 0; what an administrator writes takes their place, and every version is
//! kept. What the extractor is told about a kind is another text, `Kind::guideline`.

use domain::{
    Timestamp,
    agent::AgentName,
    guideline::{GuidelineLanguage, MOST_CHARACTERS, beginning},
    id::PersonId,
    permission::{Permission, Permit},
};
use serde::{Deserialize, Serialize};
use store::{Guideline, Tx};

use crate::{
    Engine, again,
    agent::READS,
    error::{Current, EngineError, Result},
    need,
    page::By,
    review::Version,
    view::Names,
};

/// A version of a guideline, outward.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct GuidelineView {
    /// In which language.
    pub language: GuidelineLanguage,
    /// Raised by one with each change; 0: what the kind began with.
    pub version: i64,
    /// The words; empty: nothing is said in this language.
    pub content: String,
    /// Who wrote it; `None`: what the kind began with.
    pub by: Option<By>,
    /// When; `None`: what the kind began with.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub at: Option<Timestamp>,
}

/// A guideline to be written.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGuideline {
    /// The words, at most 4,000 characters; empty: nothing is said in this language any more.
    pub content: String,
}

impl GuidelineView {
    fn first(kind: &str, language: GuidelineLanguage) -> Self {
        Self {
            language,
            version: 0,
            content: beginning(kind, language).unwrap_or_default().to_owned(),
            by: None,
            at: None,
        }
    }

    fn of(guideline: Guideline, names: &Names) -> Self {
        let Guideline {
            language,
            version,
            content,
            person,
            at,
        } = guideline;
        Self {
            language,
            version,
            content,
            by: Some(names.by(&written_by(person))),
            at: Some(at),
        }
    }
}

fn written_by(person: Option<PersonId>) -> domain::candidate::DecidedBy {
    use domain::candidate::DecidedBy::{Person, System};
    person.map_or(System, Person)
}

/// The words as they are kept: without white space around them, line ends as LF.
fn settled(content: &str) -> Result<String> {
    let content = content.replace("\r\n", "\n").trim().to_owned();
    let odd = |letter: char| letter.is_control() && letter != '\n';
    if content.chars().count() > MOST_CHARACTERS || content.chars().any(odd) {
        let detail = format!("at most {MOST_CHARACTERS} characters, without control characters");
        return Err(EngineError::invalid("/content", "length", detail));
    }
    Ok(content)
}

async fn there(tx: &mut Tx, agent: &AgentName, kind: &str) -> Result<()> {
    tx.agent(agent).await?.ok_or(EngineError::NotFound)?;
    let kinds = tx.kinds(agent).await?;
    let found = kinds.iter().any(|known| known.name == kind);
    found.then_some(()).ok_or(EngineError::NotFound)
}

impl Engine {
    /// The guidelines of a kind, each language with all its versions, newest first; the last of each is what the kind began with.
    ///
    /// # Errors
    /// [`EngineError::NotFound`].
    pub async fn guidelines(
        &self,
        permit: &Permit,
        agent: &AgentName,
        kind: &str,
    ) -> Result<Vec<GuidelineView>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        there(&mut tx, agent, kind).await?;
        let stored = tx.guidelines(agent, kind).await?;
        let mut names = Names::default();
        let people: Vec<_> = stored.iter().filter_map(|one| one.person.clone()).collect();
        names.learn_people(&mut tx, people).await?;
        let mut views = Vec::new();
        for &language in GuidelineLanguage::ALL {
            let of_language = stored.iter().filter(|one| one.language == language);
            views.extend(of_language.map(|one| GuidelineView::of(one.clone(), &names)));
            views.push(GuidelineView::first(kind, language));
        }
        Ok(views)
    }

    /// What stands beside a candidate of a kind: the words in the reader's language, else in English, else what the extractor is told.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn guideline_beside(
        &self,
        permit: &Permit,
        agent: &AgentName,
        kind: &str,
        language: GuidelineLanguage,
    ) -> Result<Option<String>> {
        need(permit, READS)?;
        let mut tx = self.read(permit).await?;
        let stored = tx.guidelines(agent, kind).await?;
        for language in [language, GuidelineLanguage::En] {
            let newest = stored.iter().find(|one| one.language == language);
            let content = match newest {
                Some(one) => one.content.clone(),
                None => GuidelineView::first(kind, language).content,
            };
            if !content.is_empty() {
                return Ok(Some(content));
            }
        }
        let kinds = tx.kinds(agent).await?.into_iter();
        let found = kinds.into_iter().find(|known| known.name == kind);
        Ok(found.and_then(|kind| kind.guideline))
    }

    /// Writes a guideline over the version that was seen; the same words again are no new version.
    ///
    /// # Errors
    /// [`EngineError::NotFound`]; `stale`; `invalid`.
    pub async fn write_guideline(
        &self,
        permit: &Permit,
        agent: &AgentName,
        kind: &str,
        language: GuidelineLanguage,
        seen: Version,
        content: &str,
    ) -> Result<GuidelineView> {
        need(permit, &[Permission::Administer])?;
        let content = settled(content)?;
        again!(
            self.write_guideline_once(permit, agent, kind, language, seen, &content)
                .await
        )
    }

    async fn write_guideline_once(
        &self,
        permit: &Permit,
        agent: &AgentName,
        kind: &str,
        language: GuidelineLanguage,
        seen: Version,
        content: &str,
    ) -> Result<GuidelineView> {
        let stamp = self.stamp(permit);
        let mut tx = self.write(permit).await?;
        there(&mut tx, agent, kind).await?;
        let stored = tx.guidelines(agent, kind).await?;
        let newest = stored.into_iter().find(|one| one.language == language);
        let mut names = Names::default();
        let author = newest.as_ref().and_then(|one| one.person.clone());
        names
            .learn_people(&mut tx, author.into_iter().chain(stamp.person()))
            .await?;
        let present = newest.map_or_else(
            || GuidelineView::first(kind, language),
            |one| GuidelineView::of(one, &names),
        );
        if !seen.fits(present.version) {
            return Err(EngineError::Stale {
                current: Current::Guideline(Box::new(present)),
            });
        }
        if present.content == content {
            return Ok(present);
        }
        let written = tx
            .write_guideline(agent, kind, language, present.version, content, &stamp)
            .await;
        let written = match written {
            // Somebody wrote between the look and the write: look again.
            Err(store::Error::Stale) => return Err(EngineError::Busy),
            written => written?,
        };
        tx.commit().await?;
        Ok(GuidelineView::of(written, &names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guideline_may_have_lines_and_no_other_control_characters() {
        assert_eq!(settled(" a\r\nb ").unwrap(), "a\nb");
        assert!(settled("a\u{7}").is_err());
        assert!(settled(&"x".repeat(4001)).is_err());
        assert_eq!(settled(&"好".repeat(4000)).unwrap().chars().count(), 4000);
    }
}
