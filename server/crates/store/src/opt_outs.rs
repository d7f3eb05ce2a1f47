//! People who want neither to be learnt from nor served (G2), on no agent. A row is a keyed hash of what agents call them: it says
//! nothing to who lacks the installation's key, needs no user, and stays when the user is erased.

use domain::{
    agent::{AgentName, AgentScope},
    audit::EventType,
    id::UserId,
    user::{Scope, User},
};
use serde_json::json;

use crate::{Error, Result, Stamp, Tx, events::Telling, statement::sql};

impl Tx {
    /// Whether a person opted out, whichever agent asks.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn opted_out(&mut self, scope: &Scope) -> Result<bool> {
        let row: Option<(i64,)> = sql("select at from opt_outs where lookup = $1")
            .bind(self.opt_out_lookup(scope))
            .optional(&mut self.conn)
            .await?;
        Ok(row.is_some())
    }

    /// Whether anybody did at all: most installations know of nobody, and then nobody need be asked about.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn anyone_opted_out(&mut self) -> Result<bool> {
        let row: Option<(i64,)> = sql("select at from opt_outs limit 1")
            .optional(&mut self.conn)
            .await?;
        Ok(row.is_some())
    }

    /// Takes an opt-out down, or takes one back; answers whether that was a change. Each agent that knows the person is told in its
    /// own chain, so the transaction must hold for all.
    ///
    /// # Errors
    /// [`Error::OutOfScope`] in a transaction for some agents only; what the database answers.
    pub async fn set_opt_out(&mut self, scope: &Scope, out: bool, stamp: &Stamp) -> Result<bool> {
        if *self.scope() != AgentScope::All {
            return Err(Error::OutOfScope);
        }
        let known = self.users_called(scope).await?;
        // The same order as everywhere: users first. Who learns about one of them at this moment ends before or sees the row.
        for user in &known {
            self.lock_user(&user.agent, &user.id).await?;
        }
        self.write_opt_out(scope, &known, out, stamp).await
    }

    /// The same of somebody whose users are locked; `known` are those whose agents are told.
    pub(crate) async fn write_opt_out(
        &mut self,
        scope: &Scope,
        known: &[User],
        out: bool,
        stamp: &Stamp,
    ) -> Result<bool> {
        const OUT: &str = "
            insert into opt_outs (lookup, at)
            values ($1, $2)
            on conflict (lookup) do nothing";
        const BACK: &str = "
            delete from opt_outs
            where lookup = $1";
        let lookup = self.opt_out_lookup(scope);
        let touched = if out {
            sql(OUT)
                .bind(lookup)
                .bind(stamp.now)
                .run(&mut self.conn)
                .await?
        } else {
            sql(BACK).bind(lookup).run(&mut self.conn).await?
        };
        if touched == 0 {
            return Ok(false);
        }
        for User { agent, id, .. } in known {
            self.tell_of(agent, id, out, stamp);
        }
        Ok(true)
    }

    /// The users whom the agents within the scope call so, a row an agent.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn users_called(&mut self, scope: &Scope) -> Result<Vec<User>> {
        let mut users = Vec::new();
        for agent in self.agents().await? {
            users.extend(self.find_user(&agent.name, scope).await?);
        }
        Ok(users)
    }

    fn tell_of(&mut self, agent: &AgentName, user: &UserId, out: bool, stamp: &Stamp) {
        let r#type = if out {
            EventType::UserOptedOut
        } else {
            EventType::UserOptedIn
        };
        self.tell(
            Some(agent),
            stamp,
            Telling {
                r#type,
                user: Some(user),
                subject: user.as_str(),
                data: json!({}),
                commitment: None,
            },
        );
    }

    pub(crate) fn opt_out_lookup(&self, scope: &Scope) -> Vec<u8> {
        self.vault
            .index
            .hash("opt_outs.lookup", &[&scope.canonical()])
    }
}
