//! What somebody wrote when they handed a candidate over (G10) or agreed to it first (G9). The row of either goes with whatever is
//! decided; the event that told of it commits to these words for ever, so they are kept beside.

use domain::{agent::AgentName, audit::hex, candidate::Candidate, id::PersonId};
use serde::{Deserialize, Serialize};

use crate::{Result, Stamp, Tx, jobs::words, seal::Place, statement::sql};

/// On what occasion something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkType {
    /// The first of two people agreed.
    Agreed,
    /// It was handed to somebody else.
    HandedOver,
}

words!(RemarkType { Agreed = "agreed", HandedOver = "handed_over" });

/// What was written.
pub(crate) struct Remark<'a> {
    /// On what occasion.
    pub r#type: RemarkType,
    /// By whom.
    pub person: &'a PersonId,
    /// As the event commits to it.
    pub text: &'a str,
    /// The salt of the commitment.
    pub salt: &'a [u8; 32],
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Sealed {
    /// Canonical JSON.
    pub text: String,
    /// The salt of the commitment, as hex.
    pub salt: String,
}

impl Tx {
    /// Keeps the words of an event of this transaction. The user is locked.
    pub(crate) async fn keep_remark(
        &mut self,
        candidate: &Candidate,
        remark: &Remark<'_>,
        stamp: &Stamp,
    ) -> Result<()> {
        const NEXT: &str = "
            select coalesce(max(number), 0) + 1
            from remarks
            where agent = $1 and candidate_id = $2";
        const SQL: &str = "
            insert into remarks (agent, candidate_id, number, user_id, type, person_id, at, sealed)
            values ($1, $2, $3, $4, $5, $6, $7, $8)";
        let Candidate {
            agent, id, user, ..
        } = candidate;
        let (number,): (i64,) = sql(NEXT).bind(agent).bind(id).one(&mut self.conn).await?;
        let key = self.user_key(agent, user).await?;
        let body = Sealed {
            text: remark.text.to_owned(),
            salt: hex(remark.salt),
        };
        let row = row(id.as_str(), number);
        let sealed = key.seal_json(place(agent, &row), &body, self.entropy());
        sql(SQL)
            .bind(agent)
            .bind(id)
            .bind(number)
            .bind(user)
            .bind(remark.r#type.as_str())
            .bind(remark.person)
            .bind(stamp.now)
            .bind(sealed)
            .run(&mut self.conn)
            .await
            .map(drop)
    }
}

/// The row of a remark, as its ciphertext is bound to it.
pub(crate) fn row(candidate: &str, number: i64) -> String {
    format!("{candidate}/{number}")
}

/// Where a remark's ciphertext belongs.
pub(crate) fn place<'a>(agent: &'a AgentName, row: &'a str) -> Place<'a> {
    Place::new("remarks.sealed", agent.as_str(), row)
}
