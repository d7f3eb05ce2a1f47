//! Profile schemas: what an agent wants to know of every user (D1), each with a version that every change raises (C8).

use domain::{agent::AgentName, profile::ProfileSchema};
use serde_json::{Value, json};

use crate::{
    Error, Result, Stamp, Tx,
    column::{at, json as from_json, to_json},
    statement::sql,
};

#[derive(sqlx::FromRow)]
struct Row {
    id: String,
    schema: String,
    version: i64,
    created_at: i64,
    updated_at: i64,
}

impl Row {
    fn schema(self) -> Result<ProfileSchema> {
        Ok(ProfileSchema {
            id: self.id,
            schema: from_json(&self.schema)?,
            version: self.version,
            created_at: at(self.created_at)?,
            updated_at: at(self.updated_at)?,
        })
    }
}

const SCHEMAS: &str = "
    select id, schema, version, created_at, updated_at
    from profile_schemas
    where agent = $1";

impl Tx {
    /// The profile schemas of an agent, by id.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn profile_schemas(&mut self, agent: &AgentName) -> Result<Vec<ProfileSchema>> {
        self.inside(agent)?;
        let rows: Vec<Row> = sql(SCHEMAS)
            .bind(agent)
            .push(" order by id")
            .all(&mut self.conn)
            .await?;
        rows.into_iter().map(Row::schema).collect()
    }

    /// One of them.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn profile_schema(
        &mut self,
        agent: &AgentName,
        id: &str,
    ) -> Result<Option<ProfileSchema>> {
        self.inside(agent)?;
        let row: Option<Row> = sql(SCHEMAS)
            .bind(agent)
            .clause(" and id = ?", id)
            .optional(&mut self.conn)
            .await?;
        row.map(Row::schema).transpose()
    }

    /// Makes a schema of profiles.
    ///
    /// # Errors
    /// [`Error::Exists`] where the id is taken; [`Error::OutOfScope`]; what the database answers.
    pub async fn create_profile_schema(
        &mut self,
        agent: &AgentName,
        id: &str,
        schema: &Value,
        stamp: &Stamp,
    ) -> Result<ProfileSchema> {
        const SQL: &str = "
            insert into profile_schemas (agent, id, schema, version, created_at, updated_at)
            values ($1, $2, $3, 1, $4, $4)";
        self.inside(agent)?;
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(to_json(schema))
            .bind(stamp.now)
            .run(&mut self.conn)
            .await
            .map_err(Error::taken)?;
        self.told_of_schema(agent, id, 1, stamp);
        Ok(ProfileSchema {
            id: id.to_owned(),
            schema: schema.clone(),
            version: 1,
            created_at: stamp.now,
            updated_at: stamp.now,
        })
    }

    /// Gives a schema another value, as its next version.
    ///
    /// # Errors
    /// [`Error::Stale`] where it has another version by now; [`Error::OutOfScope`]; what the database answers.
    pub async fn change_profile_schema(
        &mut self,
        agent: &AgentName,
        before: &ProfileSchema,
        schema: &Value,
        stamp: &Stamp,
    ) -> Result<ProfileSchema> {
        const SQL: &str = "
            update profile_schemas
            set schema = $1, version = version + 1, updated_at = $2
            where agent = $3 and id = $4 and version = $5";
        self.inside(agent)?;
        let touched = sql(SQL)
            .bind(to_json(schema))
            .bind(stamp.now)
            .bind(agent)
            .bind(before.id.as_str())
            .bind(before.version)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        let after = ProfileSchema {
            schema: schema.clone(),
            version: before.version + 1,
            updated_at: stamp.now,
            ..before.clone()
        };
        self.told_of_schema(agent, &after.id, after.version, stamp);
        Ok(after)
    }

    /// Removes a schema. What it had filled stays until a person decides.
    ///
    /// # Errors
    /// [`Error::Stale`] where it has another version by now; [`Error::OutOfScope`]; what the database answers.
    pub async fn remove_profile_schema(
        &mut self,
        agent: &AgentName,
        before: &ProfileSchema,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            delete from profile_schemas
            where agent = $1 and id = $2 and version = $3";
        self.inside(agent)?;
        let touched = sql(SQL)
            .bind(agent)
            .bind(before.id.as_str())
            .bind(before.version)
            .run(&mut self.conn)
            .await?;
        if touched != 1 {
            return Err(Error::Stale);
        }
        // Version 0: it is no longer there.
        self.told_of_schema(agent, &before.id, 0, stamp);
        Ok(())
    }

    fn told_of_schema(&mut self, agent: &AgentName, id: &str, version: i64, stamp: &Stamp) {
        let data = json!({ "settings": ["schemas"], "schema": id, "schema_version": version });
        self.agent_changed(agent, stamp, data);
    }
}
