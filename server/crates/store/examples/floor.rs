//! `floor URL READS [KIND]`: what the database needs for the bare rows that a context is made of, or of one kind alone as a profile is,
//! without unsealing, ranking, rendering or HTTP. The bench of the server sets its own times beside this. Prints `p50 p99` in
//! microseconds.

use std::time::Instant;

use sqlx::{PgPool, Row as _, SqlitePool};

const USERS: &str = "
    select agent, user_id from memories where status = 'approved'
    group by agent, user_id order by user_id limit 2000";

const ROWS: &str = "
    select * from memories where agent = $1 and user_id = $2 and status = 'approved'
    order by id";

const OF_A_KIND: &str = "
    select * from memories where agent = $1 and user_id = $2 and kind = $3 and status = 'approved'
    order by id";

/// The times of the reads in microseconds, with one pool or the other.
macro_rules! timed {
    ($pool:expr, $reads:expr, $kind:expr) => {{
        let pool = $pool;
        let users: Vec<(String, String)> = sqlx::query_as(USERS).fetch_all(&pool).await?;
        let mut times = Vec::with_capacity($reads);
        let mut bytes = 0;
        for n in 0..$reads {
            // Far apart, so that one read does not warm up the next.
            let (agent, user) = &users[n * 7919 % users.len()];
            let started = Instant::now();
            let read = sqlx::query(if $kind.is_some() { OF_A_KIND } else { ROWS })
                .bind(agent)
                .bind(user);
            let rows = match $kind {
                Some(kind) => read.bind(kind).fetch_all(&pool).await?,
                None => read.fetch_all(&pool).await?,
            };
            for row in &rows {
                bytes += row.try_get::<Vec<u8>, _>("sealed")?.len();
            }
            times.push(started.elapsed().as_micros());
        }
        if bytes == 0 {
            return Err("no rows were read".into());
        }
        times
    }};
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(reads)) = (args.next(), args.next()) else {
        return Err("usage: floor URL READS [KIND]".into());
    };
    let reads: usize = reads.parse()?;
    let kind = args.next();
    let mut times = if url.starts_with("sqlite:") {
        timed!(SqlitePool::connect(&url).await?, reads, &kind)
    } else {
        timed!(PgPool::connect(&url).await?, reads, &kind)
    };
    times.sort_unstable();
    println!(
        "{} {}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
    Ok(())
}
