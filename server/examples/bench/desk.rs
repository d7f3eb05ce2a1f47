//! The desk of people who decide all day, with very many waiting and very many memories: how soon its pages come and whether what they
//! count is true, whether every row is reached while others arrive, and how soon a decision is answered.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures::future::try_join_all;

use crate::client::Client;
use crate::fill::{Amount, fill};
use crate::keepsake::{Database, Keepsake, PASSWORD};
use crate::queue::{self, AGENTS, FILTERS, Filter};
use crate::reviewer::{Decided, Reviewer};
use crate::row;
use crate::times::Times;
use crate::walk::{NEWEST, SOONEST, walk, walked};

/// Approved memories of a user: fewer than an agent keeps for one, so that there is room for what is approved.
const A_USER: u64 = 40;
/// Times each page is loaded.
pub const PAGES: usize = 200;
/// Rows of a page of the list.
pub const ROWS: u64 = 50;
/// Decisions of each sort.
const DECISIONS: usize = 500;
/// Who decide at once.
const AT_ONCE: usize = 8;
/// Each of two ways alone and at once, and what is opened after the last decision.
const DECIDED: usize = 4 * DECISIONS + AT_ONCE;

/// How many wait, and among how many memories.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub waiting: u64,
    pub memories: u64,
}

impl FromStr for Size {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (waiting, memories) = text
            .split_once('/')
            .context("how many wait, and how many memories there are: 100000/1000000")?;
        let (waiting, memories): (u64, u64) = (waiting.parse()?, memories.parse()?);
        // Some wait longer than others, and are not decided on here.
        let least = DECIDED as u64 * 2;
        ensure!(waiting >= least, "at least {least} wait");
        ensure!(memories >= A_USER, "at least {A_USER} memories");
        Ok(Self { waiting, memories })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waiting, memories } = self;
        write!(f, "{waiting} waiting, {memories} memories")
    }
}

/// All of it, on a server of its own.
pub async fn round(database: Database, size: Size) -> Result<()> {
    let mut keepsake = Keepsake::start(database, "desk").await?;
    keepsake.ready().await?;
    let (agent, _) = keepsake.keys()?;
    for name in AGENTS.iter().skip(1) {
        keepsake.agent(name)?;
    }
    let mut reviewers = keepsake.reviewers(AT_ONCE)?;
    keepsake.end()?;
    let memories = Amount {
        a_user: A_USER,
        in_all: size.memories,
    };
    let memories = fill(&keepsake, memories, 0).await?;
    let (start, waiting) = queue::fill(&keepsake, size.waiting).await?;
    row(
        &format!("{database}: to fill, {size}"),
        &format!("{:.0} s", (memories + waiting).as_secs_f64()),
    );
    keepsake.restart()?;
    keepsake.ready().await?;

    reviewers[0].sign_in(PASSWORD).await?;
    pages(database, &reviewers[0], size).await?;
    let api = &reviewers[0].api;
    let (order, arrived) = walked(database, &agent, api, &SOONEST, &start, size).await?;
    let (newest, more) = walked(database, &agent, api, &NEWEST, &start, size).await?;
    ensure!(
        newest.is_sorted_by(|later, earlier| later > earlier),
        "newest first was in another order"
    );
    next_candidate(database, &reviewers[0], &order[..DECIDED], size).await?;

    // A second sign-in, because walking takes its time.
    for reviewer in &mut reviewers {
        reviewer.sign_in(PASSWORD).await?;
    }
    let decided = decisions(database, &reviewers, &order[..DECIDED], size).await?;
    let left = size.waiting + arrived + more - decided;
    counts(&reviewers[0].page("/review").await?, left)?;
    keepsake.stop().await
}

/// The first page of the queue with each filter, and whether it finds what it has to.
async fn pages(database: Database, reviewer: &Reviewer, size: Size) -> Result<()> {
    for filter in &FILTERS {
        let fit = filter.count(size.waiting);
        let found = format!("{}, {fit} found, {size}", filter.says);
        let path = format!("/review?{}", filter.query);
        counts(&reviewer.page(&path).await?, fit)?;
        let times = Times::taken(PAGES, async || reviewer.load(&path).await).await?;
        row(
            &format!("{database}: first page of the queue, {found}"),
            &format!("{times} (goal 300 ms)"),
        );
        fitting(&reviewer.api, filter, fit).await?;
    }
    Ok(())
}

/// Holds the count and the rows of a first page against how many there are.
fn counts(page: &str, fit: u64) -> Result<()> {
    let counts = page
        .split_once("id=\"counts\"")
        .and_then(|(_, rest)| rest.split_once('>'));
    let (_, counts) = counts.context("a page of the queue has counts")?;
    let figure = |c: &char| c.is_ascii_digit() || *c == ',';
    let counted: String = counts.chars().take_while(figure).collect();
    let counted: u64 = counted.replace(',', "").parse()?;
    ensure!(counted == fit, "{counted} were counted, {fit} are there");
    let rows = page.matches("<li data-id=").count() as u64;
    ensure!(rows == fit.min(ROWS), "of {fit} the page has {rows}");
    Ok(())
}

/// Reads all that fit over REST: as many as there are, each of them one that fits, and none twice.
async fn fitting(api: &Client, filter: &Filter, fit: u64) -> Result<()> {
    let mut numbers = Vec::new();
    let query = format!("&status=pending&{}", filter.query);
    walk(api, &query, |candidate| {
        let number = candidate["name"].as_str().and_then(queue::number);
        let number = number.filter(|&n| filter.fits(n));
        numbers.push(number.with_context(|| format!("{} found {candidate}", filter.says))?);
        Ok(())
    })
    .await?;
    let found = numbers.len() as u64;
    numbers.sort_unstable();
    numbers.dedup();
    let apart = numbers.len() as u64;
    ensure!(
        (found, apart) == (fit, fit),
        "{}: {found} rows, {apart} of them apart, {fit} are there",
        filter.says
    );
    Ok(())
}

/// The page of each of the candidates that come next, which the desk fetches before it is needed.
async fn next_candidate(
    database: Database,
    reviewer: &Reviewer,
    order: &[String],
    size: Size,
) -> Result<()> {
    let mut times = Vec::new();
    for id in &order[..PAGES] {
        let path = format!("/review?c={id}");
        let begun = Instant::now();
        reviewer.load(&path).await?;
        times.push(begun.elapsed());
    }
    row(
        &format!("{database}: the next candidate, as the desk fetches it ahead, {size}"),
        &Times::of(times)?.to_string(),
    );
    Ok(())
}

/// How somebody decides.
#[derive(Debug, Clone, Copy)]
enum Way {
    Form,
    Rest,
}

impl Way {
    async fn approve(self, reviewer: &Reviewer, id: &str, next: &str) -> Result<Decided> {
        match self {
            Self::Form => reviewer.approve_by_form(id, next).await,
            Self::Rest => reviewer.approve_by_rest(id).await,
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "by form",
            Self::Rest => "over REST",
        })
    }
}

/// Approves from the front of the queue on, in either way, one person alone and several at once. Answers how many were approved.
async fn decisions(
    database: Database,
    reviewers: &[Reviewer],
    order: &[String],
    size: Size,
) -> Result<u64> {
    let mut decided = 0;
    for way in [Way::Form, Way::Rest] {
        for at_once in [1, AT_ONCE] {
            let begun = Instant::now();
            let some = &order[decided..];
            let times = decide(&reviewers[..at_once], way, some).await?;
            let a_second = times.len() as f64 / begun.elapsed().as_secs_f64();
            decided += times.len();
            let figure = format!("{database}: a decision {way}, {at_once} at once, {size}");
            let answered = times.iter().map(|one| one.answered).collect();
            row(
                &figure,
                &format!(
                    "{}, {a_second:.0} a second (goal p95 150 ms)",
                    Times::of(answered)?
                ),
            );
            let followed: Vec<Duration> = times.iter().filter_map(|one| one.followed).collect();
            if !followed.is_empty() {
                row(
                    &format!("{figure}, with the page that follows"),
                    &Times::of(followed)?.to_string(),
                );
            }
        }
    }
    Ok(decided as u64)
}

/// Each on the next of theirs once they have their answer.
async fn decide(reviewers: &[Reviewer], way: Way, order: &[String]) -> Result<Vec<Decided>> {
    let at_once = reviewers.len();
    let deciding = reviewers
        .iter()
        .enumerate()
        .map(|(first, reviewer)| async move {
            let mut times = Vec::new();
            for n in (first..DECISIONS).step_by(at_once) {
                let (id, next) = (&order[n], &order[n + at_once]);
                times.push(way.approve(reviewer, id, next).await?);
            }
            anyhow::Ok(times)
        });
    Ok(try_join_all(deciding).await?.concat())
}
