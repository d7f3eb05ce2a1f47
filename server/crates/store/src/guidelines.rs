//! What people wrote about a kind for those who decide (G10): by language, every version kept. It is the staff's own text and about
//! nobody.

use domain::{
    Timestamp, agent::AgentName, audit::EventType, guideline::GuidelineLanguage, id::PersonId,
};
use serde_json::json;

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, parsed},
    events::Telling,
    statement::sql,
};

/// A version of a guideline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guideline {
    /// In which language.
    pub language: GuidelineLanguage,
    /// From 1, raised by one with each change.
    pub version: i64,
    /// The words; empty: nothing is said in this language.
    pub content: String,
    /// Who wrote it; `None`: nobody of the people who sign in.
    pub person: Option<PersonId>,
    /// When.
    pub at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    language: String,
    version: i64,
    content: String,
    person_id: Option<String>,
    at: i64,
}

impl Tx {
    /// All versions of a kind's guidelines, by language and newest first.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn guidelines(&mut self, agent: &AgentName, kind: &str) -> Result<Vec<Guideline>> {
        const SQL: &str = "
            select language, version, content, person_id, at
            from guidelines
            where agent = $1 and kind = $2
            order by language, version desc";
        self.inside(agent)?;
        let rows: Vec<Row> = sql(SQL).bind(agent).bind(kind).all(&mut self.conn).await?;
        let guidelines = rows.into_iter().map(|row| {
            Ok(Guideline {
                language: parsed(&row.language)?,
                version: row.version,
                content: row.content,
                person: row.person_id.as_deref().map(parsed).transpose()?,
                at: at(row.at)?,
            })
        });
        guidelines.collect()
    }

    /// Writes the version after `seen`, which is 0 where there was none.
    ///
    /// # Errors
    /// [`Error::Stale`] where somebody wrote that version first; [`Error::OutOfScope`]; what the database answers.
    pub async fn write_guideline(
        &mut self,
        agent: &AgentName,
        kind: &str,
        language: GuidelineLanguage,
        seen: i64,
        content: &str,
        stamp: &Stamp,
    ) -> Result<Guideline> {
        const SQL: &str = "
            insert into guidelines (agent, kind, language, version, content, person_id, at)
            values ($1, $2, $3, $4, $5, $6, $7)";
        self.inside(agent)?;
        let (version, person) = (seen + 1, stamp.person());
        sql(SQL)
            .bind(agent)
            .bind(kind)
            .bind(language.as_str())
            .bind(version)
            .bind(content)
            .bind(person.as_ref())
            .bind(stamp.now)
            .run(&mut self.conn)
            .await
            .map_err(|error| match error.taken() {
                Error::Exists => Error::Stale,
                other => other,
            })?;
        let telling = Telling {
            r#type: EventType::KindGuidelineChanged,
            user: None,
            subject: agent.as_str(),
            data: json!({ "kind": kind, "language": language, "version": version }),
            commitment: None,
        };
        self.tell(Some(agent), stamp, telling);
        Ok(Guideline {
            language,
            version,
            content: content.to_owned(),
            person,
            at: stamp.now,
        })
    }
}
