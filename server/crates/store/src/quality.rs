//! What people made of what was proposed, counted in the database (F11), and the list of what was decided. What stands of the decisions
//! is kept a second time in the form in which it is counted, a row a decision; a span is read along the key of time, so it costs what
//! happened in it.

use std::collections::BTreeMap;

use domain::{
    Timestamp,
    agent::AgentName,
    candidate::{Candidate, Dropped, Reason, Verdict},
    id::{CandidateId, ConversationId, DecisionId, ExtractionId, OperationId, PersonId},
    quality::{QUICK, bin, percentile},
    time::Span,
};

use crate::{
    Cursor, Error, ExtractionState, Listed, Page, Provenance, Queued, Result, Stamp, Tx,
    candidate_rows::{CANDIDATES, CandidateRow},
    column::{at, json, parsed},
    decisions::deciding,
    jobs::words,
    statement::{ScopeColumn, Statement, sql},
};

/// Of which agents, since when.
#[derive(Debug, Clone)]
pub struct Stretch {
    /// The agents, each within the scope.
    pub agents: Vec<AgentName>,
    /// From this instant on.
    pub since: Timestamp,
}

/// Who decided, by sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judge {
    /// A person.
    #[default]
    Person,
    /// A policy that a person switched on.
    Policy,
    /// Keepsake itself: what expired, what was superseded.
    System,
}

words!(Judge { Person = "person", Policy = "policy", System = "system" });

/// Decisions that are alike in everything that is counted. Only those that stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The kind that was proposed.
    pub kind: String,
    /// The language of the statement.
    pub language: String,
    /// What extracted it; `None`: nothing did.
    pub made_by: Option<Provenance>,
    /// Which tenth of confidence, from 0.
    pub bin: usize,
    /// Who decided.
    pub judge: Judge,
    /// Whether it was approved.
    pub approved: bool,
    /// Why it was rejected.
    pub reason: Option<Reason>,
    /// Whether the approver changed it; `None` where that is not known.
    pub edited: Option<bool>,
    /// How many.
    pub count: i64,
}

/// A median and a ninetieth percentile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantiles {
    /// Half of all are at most this.
    pub median: Span,
    /// Nine of ten are at most this.
    pub p90: Span,
}

/// How a person decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    /// Who.
    pub person: PersonId,
    /// Decisions that stand.
    pub decided: i64,
    /// Of them, those whose time in view is known.
    pub timed: i64,
    /// Of these, those under [`QUICK`].
    pub quick: i64,
}

/// Extractions that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    /// By which extractor.
    pub made_by: Provenance,
    /// How they ended.
    pub state: ExtractionState,
    /// What each of them dropped.
    pub dropped: BTreeMap<Dropped, u32>,
    /// How many.
    pub count: i64,
}

/// An answer that could not be read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct BadAnswer {
    /// Which extraction.
    pub id: ExtractionId,
    /// The agent.
    pub agent: AgentName,
    /// Over which conversation.
    pub conversation: ConversationId,
    /// In which job.
    pub operation: OperationId,
    /// Failed or cut off.
    pub state: ExtractionState,
    /// The code of what went wrong.
    pub error: Option<String>,
    /// By which extractor.
    pub made_by: Provenance,
    /// When.
    pub at: Timestamp,
}

/// Which decisions are listed.
#[derive(Debug, Clone)]
pub struct DecidedFilter {
    /// About one kind.
    pub kind: Option<String>,
    /// Approved, or rejected.
    pub approved: Option<bool>,
    /// By whom.
    pub judge: Judge,
    /// From this instant on.
    pub since: Timestamp,
}

#[derive(sqlx::FromRow)]
struct CellRow {
    kind: String,
    language: String,
    bin: i64,
    provenance: String,
    judge: String,
    approved: bool,
    reason: String,
    edited: String,
    number: i64,
}

#[derive(sqlx::FromRow)]
struct BadRow {
    agent: String,
    id: String,
    conversation_id: String,
    job_id: String,
    state: String,
    error: Option<String>,
    provenance: String,
    at: i64,
}

impl Tx {
    /// Counts a decision; a reopening takes the one before out of the count.
    pub(crate) async fn judge(
        &mut self,
        before: &Candidate,
        decision: &DecisionId,
        verdict: &Verdict,
        stamp: &Stamp,
    ) -> Result<()> {
        const UNDO: &str = "
            delete from judgements
            where agent = $1 and candidate_id = $2";
        const SQL: &str = "
            insert into judgements (agent, at, decision_id, candidate_id, person_id, cell, waited_ms, took_ms)
            values ($1, $2, $3, $4, $5, $6, $7, $8)";
        if matches!(verdict, Verdict::Reopen) {
            let undo = sql(UNDO).bind(&before.agent).bind(&before.id);
            return undo.run(&mut self.conn).await.map(drop);
        }
        let cell = self.cell(before, verdict, stamp).await?;
        let waited = stamp.now - before.created_at;
        sql(SQL)
            .bind(&before.agent)
            .bind(stamp.now)
            .bind(decision)
            .bind(&before.id)
            .bind(stamp.person().as_ref())
            .bind(cell)
            .bind(waited.num_milliseconds())
            .bind(stamp.took_ms)
            .run(&mut self.conn)
            .await
            .map(drop)
    }

    /// The cell of a decision, which is made where it is the first of its sort.
    async fn cell(&mut self, before: &Candidate, verdict: &Verdict, stamp: &Stamp) -> Result<i64> {
        const FIND: &str = "
            select id
            from judgement_cells
            where kind = $1 and language = $2 and bin = $3 and provenance = $4 and judge = $5 and approved = $6 and reason = $7
              and edited = $8";
        // Another transaction may make the same one in the same moment.
        const MAKE: &str = "
            insert into judgement_cells (kind, language, bin, provenance, judge, approved, reason, edited)
            values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict do nothing";
        let provenance = self.provenance_of(before).await?;
        let judge = match deciding(&stamp.decided_by).0.as_str() {
            "person" => Judge::Person,
            "system" => Judge::System,
            _ => Judge::Policy,
        };
        let (reason, edited) = match verdict {
            Verdict::Approve(edit) if edit.is_empty() => ("", "no"),
            Verdict::Approve(_) => ("", "yes"),
            Verdict::Reject(reason) => (reason.as_str(), ""),
            Verdict::Reopen => ("", ""),
        };
        let of_cell = |text| {
            sql(text)
                .bind(before.proposal.kind.as_str())
                .bind(before.proposal.language.as_str())
                .bind(bin(before.proposal.confidence) as i64)
                .bind(provenance.as_str())
                .bind(judge.as_str())
                .bind(matches!(verdict, Verdict::Approve(_)))
                .bind(reason)
                .bind(edited)
        };
        for _ in 0..2 {
            let found: Option<(i64,)> = of_cell(FIND).optional(&mut self.conn).await?;
            if let Some((cell,)) = found {
                return Ok(cell);
            }
            of_cell(MAKE).run(&mut self.conn).await?;
        }
        let (cell,): (i64,) = of_cell(FIND).one(&mut self.conn).await?;
        Ok(cell)
    }

    /// What extracted a candidate, as it is stored; nothing where nothing did, or where it is recorded only with the end of this
    /// transaction.
    async fn provenance_of(&mut self, candidate: &Candidate) -> Result<String> {
        const SQL: &str = "
            select provenance
            from extractions
            where agent = $1 and id = $2";
        let Some(extraction) = &candidate.extraction else {
            return Ok(String::new());
        };
        let found: Option<(String,)> = sql(SQL)
            .bind(&candidate.agent)
            .bind(extraction)
            .optional(&mut self.conn)
            .await?;
        Ok(found.map(|(provenance,)| provenance).unwrap_or_default())
    }

    /// What was decided and stands, in groups.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn judged(&mut self, stretch: &Stretch) -> Result<Vec<Judged>> {
        const COUNT: &str = "
            with counted as (
              select cell, count(*) as number
              from judgements
              where at >= $1";
        const CELLS: &str = "
              group by cell)
            select l.kind, l.language, l.bin, l.provenance, l.judge, l.approved, l.reason, l.edited, n.number
            from counted n
            join judgement_cells l on l.id = n.cell";
        self.all_inside(stretch)?;
        let rows: Vec<CellRow> = sql(COUNT)
            .bind(stretch.since)
            .clause_in(" and agent in (", &stretch.agents)
            .push(CELLS)
            .all(&mut self.conn)
            .await?;
        let given = |text: String| (!text.is_empty()).then_some(text);
        rows.into_iter()
            .map(|row| {
                Ok(Judged {
                    kind: row.kind,
                    language: row.language,
                    made_by: given(row.provenance).map(|text| json(&text)).transpose()?,
                    bin: usize::try_from(row.bin).map_err(|_| Error::Corrupt("bin"))?,
                    judge: parsed(&row.judge)?,
                    approved: row.approved,
                    reason: given(row.reason).map(|text| parsed(&text)).transpose()?,
                    edited: given(row.edited).map(|text| text == "yes"),
                    count: row.number,
                })
            })
            .collect()
    }

    /// How long what people decided had waited since it was proposed, to the minute.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn waited(&mut self, stretch: &Stretch) -> Result<Option<Quantiles>> {
        const SQL: &str = "
            select waited_ms / 60000, count(*)
            from judgements
            where person_id is not null and at >= $1";
        self.quantiles(SQL, stretch, Span::minutes).await
    }

    /// How long people had a candidate in view before they decided, to a tenth of a second.
    ///
    /// # Errors
    /// [`Error::OutOfScope`]; what the database answers.
    pub async fn viewed(&mut self, stretch: &Stretch) -> Result<Option<Quantiles>> {
        const SQL: &str = "
            select took_ms / 100, count(*)
            from judgements
            where took_ms is not null and at >= $1";
        let tenths = |tenths: i64| Span::milliseconds(tenths * 100);
        self.quantiles(SQL, stretch, tenths).await
    }

    async fn quantiles(
        &mut self,
        text: &'static str,
        stretch: &Stretch,
        unit: fn(i64) -> Span,
    ) -> Result<Option<Quantiles>> {
        self.all_inside(stretch)?;
        let counted: Vec<(i64, i64)> = sql(text)
            .bind(stretch.since)
            .clause_in(" and agent in (", &stretch.agents)
            .push(" group by 1 order by 1")
            .all(&mut self.conn)
            .await?;
        let (median, p90) = (percentile(&counted, 50), percentile(&counted, 90));
        Ok(median.zip(p90).map(|(median, p90)| Quantiles {
            median: unit(median),
            p90: unit(p90),
        }))
    }

    /// How each person decided, who decided most first.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn paces(&mut self, stretch: &Stretch) -> Result<Vec<Pace>> {
        const SQL: &str = "
            select person_id, count(*), count(took_ms), count(*) filter (where took_ms < $1)
            from judgements
            where person_id is not null and at >= $2";
        self.all_inside(stretch)?;
        let rows: Vec<(String, i64, i64, i64)> = sql(SQL)
            .bind(QUICK.num_milliseconds())
            .bind(stretch.since)
            .clause_in(" and agent in (", &stretch.agents)
            .push(" group by person_id order by count(*) desc, person_id")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(person, decided, timed, quick)| {
                Ok(Pace {
                    person: parsed(&person)?,
                    decided,
                    timed,
                    quick,
                })
            })
            .collect()
    }

    /// What extraction did, in groups: equal counts of drops are one text in the table.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn extracted(&mut self, stretch: &Stretch) -> Result<Vec<Extracted>> {
        const SQL: &str = "
            select provenance, state, dropped, count(*)
            from extractions
            where at >= $1";
        self.all_inside(stretch)?;
        let rows: Vec<(String, String, String, i64)> = sql(SQL)
            .bind(stretch.since)
            .clause_in(" and agent in (", &stretch.agents)
            .push(" group by provenance, state, dropped")
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|(made_by, state, dropped, count)| {
                Ok(Extracted {
                    made_by: json(&made_by)?,
                    state: parsed(&state)?,
                    dropped: json(&dropped)?,
                    count,
                })
            })
            .collect()
    }

    /// The newest answers that could not be read whole.
    ///
    /// # Errors
    /// [`crate::Error::OutOfScope`]; what the database answers.
    pub async fn bad_answers(&mut self, stretch: &Stretch, limit: u32) -> Result<Vec<BadAnswer>> {
        const SQL: &str = "
            select agent, id, conversation_id, job_id, state, error, provenance, at
            from extractions
            where state <> 'parsed' and at >= $1";
        self.all_inside(stretch)?;
        let rows: Vec<BadRow> = sql(SQL)
            .bind(stretch.since)
            // A value instead of a column: the list is read along the index of its order.
            .clause_in(" and (agent || '') in (", &stretch.agents)
            .clause(" order by at desc, id desc limit ?", limit)
            .all(&mut self.conn)
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(BadAnswer {
                    id: parsed(&row.id)?,
                    agent: parsed(&row.agent)?,
                    conversation: parsed(&row.conversation_id)?,
                    operation: parsed(&row.job_id)?,
                    state: parsed(&row.state)?,
                    error: row.error,
                    made_by: json(&row.provenance)?,
                    at: at(row.at)?,
                })
            })
            .collect()
    }

    /// What was decided and stands, newest decision first.
    ///
    /// # Errors
    /// [`Error::Cursor`]; [`Error::Erased`]; what the database answers.
    pub async fn decided(&mut self, filter: &DecidedFilter, page: &Page) -> Result<Listed<Queued>> {
        const COLUMNS: &str = "select decision_id, candidate_id, at";
        // As a value, so that the list is read along the index of its order.
        let mut list =
            decided_since(COLUMNS, filter).scope_along(ScopeColumn::Plain, &self.scope().clone());
        if let Some(after) = page.after(DecisionId::PREFIX)? {
            list = list
                .clause(" and (at, decision_id) < (?", after.number)
                .clause(", ?)", after.id.as_str());
        }
        let rows: Vec<(String, String, i64)> = list
            .clause(" order by at desc, decision_id desc limit ?", page.probe())
            .all(&mut self.conn)
            .await?;
        let listed = Listed::cut(rows, page, |(decision, _, at)| Cursor {
            number: *at,
            id: decision.clone(),
        });
        let ids = listed
            .rows
            .iter()
            .map(|(_, candidate, _)| candidate.as_str());
        let rows: Vec<CandidateRow> = sql(CANDIDATES)
            .scope(ScopeColumn::Candidate, &self.scope().clone())
            .clause_in(" and c.id in (", ids)
            .all(&mut self.conn)
            .await?;
        let mut queued = self.queued_from(rows).await?;
        queued.sort_by_key(|queued| {
            let id = queued.candidate.id.as_str();
            let mut places = listed.rows.iter();
            places.position(|(_, candidate, _)| candidate == id)
        });
        Ok(Listed {
            rows: queued,
            next: listed.next,
        })
    }

    /// How many that list has.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn decided_count(&mut self, filter: &DecidedFilter) -> Result<i64> {
        let (count,): (i64,) = decided_since("select count(*)", filter)
            .scope(ScopeColumn::Plain, &self.scope().clone())
            .one(&mut self.conn)
            .await?;
        Ok(count)
    }

    /// What waits, by kind, most first; in some languages, or in all where none is named.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn waiting_by_kind(
        &mut self,
        languages: &[String],
        now: Timestamp,
    ) -> Result<Vec<(String, i64)>> {
        const SQL: &str = "
            select c.kind, count(*)
            from candidates c
            where c.status = 'pending' and c.expires_at > $1";
        let waits = sql(SQL)
            .bind(now)
            .scope(ScopeColumn::Candidate, &self.scope().clone());
        in_languages(waits, languages)
            .push(" group by c.kind order by count(*) desc, c.kind")
            .all(&mut self.conn)
            .await
    }

    /// The one that has waited longest in these languages, and since when. Ids are in the order of their making.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn oldest_waiting(
        &mut self,
        languages: &[String],
        now: Timestamp,
    ) -> Result<Option<(CandidateId, Timestamp)>> {
        const SQL: &str = "
            select c.id, c.created_at
            from candidates c
            where c.status = 'pending' and c.expires_at + 0 > $1";
        let waits = sql(SQL)
            .bind(now)
            .scope_along(ScopeColumn::Candidate, &self.scope().clone());
        let row: Option<(String, i64)> = in_languages(waits, languages)
            .push(" order by c.id limit 1")
            .optional(&mut self.conn)
            .await?;
        row.map(|(id, since)| Ok((parsed(&id)?, at(since)?)))
            .transpose()
    }

    fn all_inside(&self, stretch: &Stretch) -> Result<()> {
        stretch
            .agents
            .iter()
            .try_for_each(|agent| self.inside(agent))
    }
}

/// The decisions of a filter, out of the rows that are counted.
fn decided_since(columns: &'static str, filter: &DecidedFilter) -> Statement {
    const FROM: &str = "
            from judgements
            where at >= $1 and cell in (
              select id
              from judgement_cells
              where judge = $2";
    let cells = sql(columns)
        .push(FROM)
        .bind(filter.since)
        .bind(filter.judge.as_str())
        .clause_if(" and kind = ?", filter.kind.as_deref())
        .clause_if(" and approved = ?", filter.approved);
    cells.push(")")
}

/// As a value (`|| ''`), so that no index by language takes the place of the one that is walked along.
fn in_languages(statement: Statement, languages: &[String]) -> Statement {
    if languages.is_empty() {
        return statement;
    }
    let languages = languages.iter().map(String::as_str);
    statement.clause_in(" and (c.language || '') in (", languages)
}
