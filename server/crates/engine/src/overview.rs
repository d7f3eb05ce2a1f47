//! The first page's figures: what waits, what was decided, how extraction is. Each is counted as the list behind it is.

use domain::{
    Timestamp,
    id::CandidateId,
    permission::{Actor, Permission, Permit},
    time::Span,
};
use store::{DecidedFilter, Judge, QueueFilter, Tx};

use crate::{
    Engine,
    allowed::NOT_ALLOWED,
    budget::BUDGET,
    error::Result,
    need,
    quality::{Rate, groups, stretch},
};

/// How many days back the acceptance by kind of the first page goes.
pub const ACCEPTANCE_DAYS: i64 = 30;

/// The figures of the first page. A person who decides in some languages alone is told what waits in those, as their queue begins.
#[derive(Debug, Clone)]
pub struct Overview {
    /// Candidates that wait.
    pub waiting: i64,
    /// Of them, those with less than 24 hours left.
    pub expiring_soon: i64,
    /// The one that has waited longest, and since when.
    pub oldest: Option<(CandidateId, Timestamp)>,
    /// Decided by people today, as far as it stands.
    pub decided_today: i64,
    /// Each kind of which something waits or was decided in the last [`ACCEPTANCE_DAYS`].
    pub by_kind: Vec<KindFigures>,
    /// How extraction is.
    pub extraction: Health,
}

/// Figures of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct KindFigures {
    /// Its name.
    pub kind: String,
    /// Candidates that wait.
    pub waiting: i64,
    /// What people made of it in the last [`ACCEPTANCE_DAYS`].
    pub rate: Rate,
}

/// How extraction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Health {
    /// Jobs that wait.
    pub queued: i64,
    /// Since when the longest due of them waits.
    pub oldest_due: Option<Timestamp>,
    /// Of them, those that wait for the next day's budget.
    pub put_off: i64,
    /// Of them, those that wait until their agent allows its extractor.
    pub not_allowed: i64,
    /// Given up, or kept in part, and not tried again.
    pub given_up: i64,
}

impl Engine {
    /// The figures of the first page; `today` is when the reader's day began.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn overview(&self, permit: &Permit, today: Timestamp) -> Result<Overview> {
        need(permit, &[Permission::ReadCandidates, Permission::Decide])?;
        let now = self.now();
        let waits = QueueFilter {
            languages: own_languages(permit.actor()),
            ..QueueFilter::default()
        };
        let soon = QueueFilter {
            expires_before: Some(now + Span::hours(24)),
            ..waits.clone()
        };
        let decided = DecidedFilter {
            kind: None,
            approved: None,
            judge: Judge::Person,
            since: today,
        };
        let mut tx = self.read(permit).await?;
        let mut by_kind = acceptance(&mut tx, now).await?;
        for (kind, waiting) in tx.waiting_by_kind(&waits.languages, now).await? {
            match by_kind.iter_mut().find(|known| known.kind == kind) {
                Some(known) => known.waiting = waiting,
                None => by_kind.push(KindFigures {
                    kind,
                    waiting,
                    rate: Rate::default(),
                }),
            }
        }
        by_kind.sort_by_key(|kind| std::cmp::Reverse(kind.waiting));
        Ok(Overview {
            waiting: tx.queue_count(&waits, now).await?,
            expiring_soon: tx.queue_count(&soon, now).await?,
            oldest: tx.oldest_waiting(&waits.languages, now).await?,
            decided_today: tx.decided_count(&decided).await?,
            by_kind,
            extraction: health(&mut tx, now).await?,
        })
    }
}

/// The languages in which a person decides, where their queue begins with those, and what is counted for them; none: all.
pub fn own_languages(actor: &Actor) -> Vec<String> {
    let decides = Permit::ask(actor.clone(), Permission::Decide);
    let languages = decides.ok().and_then(|decides| decides.languages());
    languages.unwrap_or_default()
}

async fn acceptance(tx: &mut Tx, now: Timestamp) -> Result<Vec<KindFigures>> {
    let stretch = stretch(tx, now - Span::days(ACCEPTANCE_DAYS)).await?;
    let judged = tx.judged(&stretch).await?;
    let of_kind = |group: crate::quality::Group| KindFigures {
        kind: group.name,
        waiting: 0,
        rate: group.rate,
    };
    let groups = groups(&judged, |group| &group.kind);
    Ok(groups.into_iter().map(of_kind).collect())
}

async fn health(tx: &mut Tx, now: Timestamp) -> Result<Health> {
    let depths = tx.depths(now).await?;
    let put_off = tx.put_off_by_agent(BUDGET).await?;
    let not_allowed = tx.put_off_by_agent(NOT_ALLOWED).await?;
    let given_up = tx.given_up_by_reason().await?;
    Ok(Health {
        queued: depths.iter().map(|depth| depth.queued).sum(),
        oldest_due: depths.iter().filter_map(|depth| depth.oldest_due).min(),
        put_off: put_off.iter().map(|(_, count)| count).sum(),
        not_allowed: not_allowed.iter().map(|(_, count)| count).sum(),
        given_up: given_up.iter().map(|found| found.count).sum(),
    })
}
