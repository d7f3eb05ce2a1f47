//! The people of an export: each gets a key of this installation's. Whoever was erased has no row, only the event that says so.

use domain::{
    agent::{AgentName, AgentScope},
    id::UserId,
    user::User,
};

use super::KEYS;
use crate::{Error, Result, Stamp, Tx, column::parsed, statement::sql, users::place};

impl Tx {
    /// Takes a user in.
    ///
    /// # Errors
    /// [`Error::Exists`] where the id, or the agent's own name for them, is known here; [`Error::OutOfScope`]; what the database answers.
    pub async fn import_user(&mut self, user: &User) -> Result<()> {
        // An id means one user of one agent, whoever asks; that is no index, because nobody else makes an id twice.
        const TAKEN: &str = "
            select agent
            from users
            where id = $1";
        const SQL: &str = "
            insert into users (agent, id, lookup, sealed, created_at)
            values ($1, $2, $3, $4, $5)";
        let User {
            agent,
            id,
            scope,
            created_at,
        } = user;
        self.inside(agent)?;
        let taken: Option<(String,)> = sql(TAKEN).bind(id).optional(&mut self.conn).await?;
        if taken.is_some() {
            return Err(Error::Exists);
        }
        self.forget_keys_above(KEYS);
        let key = self.make_user_key(agent, id).await?;
        let sealed = key.seal_json(place(agent, id), scope, self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(self.user_lookup(agent, scope))
            .bind(sealed)
            .bind(*created_at)
            .run(&mut self.conn)
            .await
            .map(drop)
            .map_err(Error::taken)
    }

    /// Whether a user was taken in: of whoever was erased nothing is.
    pub(super) async fn was_imported(&mut self, agent: &AgentName, user: &UserId) -> Result<bool> {
        self.forget_keys_above(KEYS);
        match self.user_key(agent, user).await {
            Ok(_) => Ok(true),
            Err(Error::Erased) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Lets the opt-outs hold that stood when the export was made (G2), for every agent here, as they always do. Nobody's opt-out of
    /// here is taken back. The chains that came tell of it; agents that were here before and know the person are told in theirs.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn import_opt_outs(&mut self, agents: &[AgentName], stamp: &Stamp) -> Result<()> {
        const STANDING: &str = "
            select e.user_id
            from events e
            where e.agent = $1 and e.type = 'user.opted_out' and e.user_id is not null
              and not exists (
                select 1 from events b
                where b.agent = e.agent and b.user_id = e.user_id and b.seq > e.seq
                  and b.type in ('user.opted_out', 'user.opted_in'))";
        let mut out = Vec::new();
        for agent in agents {
            self.inside(agent)?;
            let standing: Vec<(String,)> = sql(STANDING).bind(agent).all(&mut self.conn).await?;
            for (user,) in standing {
                let user: UserId = parsed(&user)?;
                // The name of whoever was erased is known to nobody any more.
                out.extend(self.user(&user).await?.map(|user| user.scope));
            }
        }
        // An opt-out holds on all agents, whichever of them came.
        let came = self.under(AgentScope::All);
        let mut found = Vec::with_capacity(out.len());
        for scope in out {
            let mut known = self.users_called(&scope).await?;
            known.retain(|user| !came.contains(&user.agent));
            found.push((scope, known));
        }
        let mut locked: Vec<&User> = found.iter().flat_map(|(_, known)| known).collect();
        locked.sort_unstable_by(|a, b| (&a.agent, &a.id).cmp(&(&b.agent, &b.id)));
        for user in locked {
            self.lock_user(&user.agent, &user.id).await?;
        }
        for (scope, known) in &found {
            self.write_opt_out(scope, known, true, stamp).await?;
        }
        self.under(came);
        Ok(())
    }
}
