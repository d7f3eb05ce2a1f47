//! What the search for patterns over a user's sessions (C1, B9) has to know: who has news, which sessions ended, and when was last
//! looked.

use domain::{Timestamp, agent::AgentName, conversation::Conversation, id::UserId, memory::Memory};

use crate::{
    Result, Tx,
    column::{at_opt, parsed},
    conversations::CONVERSATIONS,
    memory_rows::MEMORIES,
    statement::{ScopeColumn, sql},
};

impl Tx {
    /// Users within the scope with news from after `since` and after patterns were last looked for: a session that ended, an extraction
    /// of one that is done, a metric or pain point that was approved. At most `limit`, whose news is the oldest.
    ///
    /// Left out is who has work that is due or under way: what it finds belongs to the look. Work that waits for another time (the next
    /// day's budget, another try, quiet, somebody who asks) hides nobody, for it may wait for long; what it finds is news of its own
    /// once it is done. Who has a look that waits is left out too, so that those whose looks wait for the next day's budget do not keep
    /// the others from their turn.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn users_with_news(
        &mut self,
        since: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<(AgentName, UserId)>> {
        const SQL: &str = "
            with news as (
              select c.agent, c.user_id, c.ended_at as at
              from conversations c
              where c.ended_at is not null and c.ended_at > $1
              union all
              select c.agent, c.user_id, j.finished_at as at
              from conversations c
              join jobs j on j.agent = c.agent and j.conversation_id = c.id
              where c.ended_at is not null and c.ended_at > $1 and j.finished_at is not null
              union all
              select m.agent, m.user_id, m.updated_at as at
              from memories m
              where m.kind in ('metric', 'pain_point') and m.status = 'approved' and m.updated_at > $1)
            select n.agent, n.user_id
            from news n
            join users u on u.agent = n.agent and u.id = n.user_id
            where (u.patterns_at is null or n.at > u.patterns_at)
              and (n.agent, n.user_id) not in (
                select j.agent, j.user_id
                from jobs j
                where j.type = 'patterns' and j.state = 'queued' and j.conversation_id is null and j.user_id is not null)
              and (n.agent, n.user_id) not in (
                select j.agent, j.user_id
                from jobs j
                where j.state = 'running' and j.user_id is not null)
              and (n.agent, n.user_id) not in (
                select j.agent, j.user_id
                from jobs j
                where j.state = 'queued' and j.next_at <= $2 and j.user_id is not null
                  -- One behind another of its conversation waits as long as that one does.
                  and not exists (
                    select 1 from jobs o
                    where o.agent = j.agent and o.conversation_id = j.conversation_id and o.id < j.id
                      and o.state in ('queued', 'running')))";
        let rows: Vec<(String, String)> = sql(SQL)
            .bind(since)
            .bind(now)
            .scope(ScopeColumn::User, &self.scope().clone())
            .push(" group by n.agent, n.user_id order by min(n.at), n.agent, n.user_id")
            .clause(" limit ?", limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(agent, user)| Ok((parsed(&agent)?, parsed(&user)?)))
            .collect()
    }

    /// Whether a job about this user is due that nobody has claimed.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn has_due_work(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        now: Timestamp,
    ) -> Result<bool> {
        const SQL: &str = "
            select j.id
            from jobs j
            where j.agent = $1 and j.user_id = $2 and j.state = 'queued' and j.next_at <= $3
              and not exists (
                select 1 from jobs o
                where o.agent = j.agent and o.conversation_id = j.conversation_id and o.id < j.id
                  and o.state in ('queued', 'running'))
            limit 1";
        self.inside(agent)?;
        let due: Option<(String,)> = sql(SQL)
            .bind(agent)
            .bind(user)
            .bind(now)
            .optional(&mut self.conn)
            .await?;
        Ok(due.is_some())
    }

    /// When the newest of the news happened: what [`Tx::looked_for_patterns`] is told after all of it was looked at. `None`: there is
    /// none.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn newest_news(
        &mut self,
        agent: &AgentName,
        user: &UserId,
    ) -> Result<Option<Timestamp>> {
        const SQL: &str = "
            with news as (
              select c.ended_at as at
              from conversations c
              where c.agent = $1 and c.user_id = $2 and c.ended_at is not null
              union all
              select j.finished_at as at
              from conversations c
              join jobs j on j.agent = c.agent and j.conversation_id = c.id
              where c.agent = $1 and c.user_id = $2 and c.ended_at is not null
              union all
              select m.updated_at as at
              from memories m
              where m.agent = $1 and m.user_id = $2 and m.kind in ('metric', 'pain_point') and m.status = 'approved')
            select max(at)
            from news";
        self.inside(agent)?;
        let (at,): (Option<i64>,) = sql(SQL).bind(agent).bind(user).one(&mut self.conn).await?;
        at_opt(at)
    }

    /// Up to when everything was looked at that patterns may be found in; `None`: nothing yet.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn patterns_at(
        &mut self,
        agent: &AgentName,
        user: &UserId,
    ) -> Result<Option<Timestamp>> {
        const SQL: &str = "
            select patterns_at
            from users
            where agent = $1 and id = $2";
        self.inside(agent)?;
        let row: Option<(Option<i64>,)> = sql(SQL)
            .bind(agent)
            .bind(user)
            .optional(&mut self.conn)
            .await?;
        at_opt(row.and_then(|(at,)| at))
    }

    /// Notes that everything up to `upto` was looked at.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn looked_for_patterns(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        upto: Timestamp,
    ) -> Result<()> {
        const SQL: &str = "
            update users
            set patterns_at = $1
            where agent = $2 and id = $3 and (patterns_at is null or patterns_at < $1)";
        self.lock_user(agent, user).await?;
        sql(SQL)
            .bind(upto)
            .bind(agent)
            .bind(user)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The sessions of a user that ended, the last one first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn ended_sessions(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        limit: u32,
    ) -> Result<Vec<Conversation>> {
        self.inside(agent)?;
        let read = sql(CONVERSATIONS)
            .clause(" and agent = ?", agent)
            .clause(" and user_id = ?", user)
            .clause(
                " and ended_at is not null and removed_at is null order by ended_at desc, id desc limit ?",
                limit,
            )
            .all(&mut self.conn)
            .await?;
        self.conversations_from(read).await
    }

    /// The memories of a user of these kinds that tell of a course of things: what is approved, and what ran out or was merged since.
    /// The newest first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; [`crate::Error::Erased`]; what the database answers.
    pub async fn course_of(
        &mut self,
        agent: &AgentName,
        user: &UserId,
        kinds: &[&str],
        limit: u32,
    ) -> Result<Vec<Memory>> {
        self.inside(agent)?;
        let read = sql(MEMORIES)
            .clause(" and m.agent = ?", agent)
            .clause(" and m.user_id = ?", user)
            .clause_in(" and m.kind in (", kinds.iter().copied())
            .push(" and (m.status = 'approved' or m.reason in ('expired', 'merged'))")
            .clause(" order by m.id desc limit ?", limit);
        self.memories_from(read).await
    }
}
