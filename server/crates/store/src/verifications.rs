//! What walking all audit chains found, the last time and before.

use domain::{
    Timestamp,
    audit::{EventType, Fault, FaultKind},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    AuditKey, Error, Result, Stamp, Tx,
    column::{at, json as parsed, to_json},
    events::Telling,
    statement::sql,
};

/// The most faults that are kept of one walk; a chain that was damaged from its beginning on has one at every event.
const MOST: usize = 200;

/// A walk over all audit chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Timestamp,
    /// How many events were read.
    pub events: i64,
    /// With how many checkpoints they were compared.
    pub checkpoints: i64,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many faults were found.
    pub found: i64,
    /// The first of them.
    pub faults: Vec<Fault>,
}

/// A fault as it is kept.
#[derive(Serialize, Deserialize)]
struct KeptFault {
    chain: String,
    seq: i64,
    kind: String,
}

#[derive(sqlx::FromRow)]
struct VerificationRow {
    started_at: i64,
    finished_at: i64,
    events: i64,
    checkpoints: i64,
    ok: bool,
    found: i64,
    faults: String,
}

impl VerificationRow {
    fn verification(self) -> Result<Verification> {
        let kept: Vec<KeptFault> = parsed(&self.faults)?;
        let faults: Result<Vec<_>> = kept.into_iter().map(KeptFault::fault).collect();
        Ok(Verification {
            started_at: at(self.started_at)?,
            finished_at: at(self.finished_at)?,
            events: self.events,
            checkpoints: self.checkpoints,
            ok: self.ok,
            found: self.found,
            faults: faults?,
        })
    }
}

impl KeptFault {
    fn of(fault: &Fault) -> Self {
        Self {
            chain: fault.agent.clone(),
            seq: fault.seq,
            kind: word(fault.kind).to_owned(),
        }
    }

    fn fault(self) -> Result<Fault> {
        let kind = KINDS.into_iter().find(|kind| word(*kind) == self.kind);
        Ok(Fault {
            agent: self.chain,
            seq: self.seq,
            kind: kind.ok_or(Error::Corrupt("kind of a fault"))?,
        })
    }
}

const KINDS: [FaultKind; 10] = [
    FaultKind::Gap,
    FaultKind::Link,
    FaultKind::Hash,
    FaultKind::Genesis,
    FaultKind::Column,
    FaultKind::Truncated,
    FaultKind::Body,
    FaultKind::Fork,
    FaultKind::Signature,
    FaultKind::Missing,
];

fn word(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Gap => "gap",
        FaultKind::Link => "link",
        FaultKind::Hash => "hash",
        FaultKind::Genesis => "genesis",
        FaultKind::Column => "column",
        FaultKind::Truncated => "truncated",
        FaultKind::Body => "body",
        FaultKind::Fork => "fork",
        FaultKind::Signature => "signature",
        FaultKind::Missing => "missing",
    }
}

impl Tx {
    /// Keeps what a walk found, and tells so in the chain `system`.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn keep_verification(
        &mut self,
        walk: &Verification,
        key: &AuditKey,
        stamp: &Stamp,
    ) -> Result<()> {
        const SQL: &str = "
            insert into verifications (started_at, finished_at, events, checkpoints, ok, found, faults)
            values ($1, $2, $3, $4, $5, $6, $7)";
        let faults: Vec<_> = walk.faults.iter().take(MOST).map(KeptFault::of).collect();
        sql(SQL)
            .bind(walk.started_at)
            .bind(walk.finished_at)
            .bind(walk.events)
            .bind(walk.checkpoints)
            .bind(walk.ok)
            .bind(walk.found)
            .bind(to_json(&faults))
            .run(&mut self.conn)
            .await?;
        let telling = Telling {
            r#type: EventType::AuditVerified,
            user: None,
            subject: key.instance(),
            data: json!({ "events": walk.events, "ok": walk.ok, "faults": walk.found }),
            commitment: None,
        };
        self.tell(None, stamp, telling);
        Ok(())
    }

    /// The last walk.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn last_verification(&mut self) -> Result<Option<Verification>> {
        const SQL: &str = "
            select started_at, finished_at, events, checkpoints, ok, found, faults
            from verifications
            order by id desc
            limit 1";
        let row: Option<VerificationRow> = sql(SQL).optional(&mut self.conn).await?;
        row.map(VerificationRow::verification).transpose()
    }
}
