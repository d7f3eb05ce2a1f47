//! `crowd URL COPIES`: so many more users beside each that is there, each with the memories and revisions of the one it is copied from.
//! What is sealed is copied as it is and opens for nobody: these rows are there to be in the way. With it a bench has a million
//! memories in a minute. Nothing is told to the audit chain, and search words are not copied.

use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

/// `{bytes}` is how a database writes text as bytes.
const COPIES: [(&str, &str); 3] = [
    (
        "users",
        "
    with recursive copies(n) as (select 1 union all select n + 1 from copies where n < {copies})
    insert into users (agent, id, lookup, sealed, created_at)
    select agent, id || '_' || n, {bytes}, sealed, created_at
    from users cross join copies
    order by id, n",
    ),
    (
        "memories",
        "
    with recursive copies(n) as (select 1 union all select n + 1 from copies where n < {copies})
    insert into memories
      (agent, id, user_id, kind, slot, fingerprint, confidence, importance, language, status, revision,
       conversation_id, said_at, expires_at, created_at, updated_at, sealed)
    select agent, id || '_' || n, user_id || '_' || n, kind, slot, fingerprint, confidence, importance, language, status, revision,
      conversation_id, said_at, expires_at, created_at, updated_at, sealed
    from memories cross join copies
    order by id, n",
    ),
    (
        "revisions",
        "
    with recursive copies(n) as (select 1 union all select n + 1 from copies where n < {copies})
    insert into revisions
      (agent, memory_id, number, id, user_id, action, kind, line, confidence, importance, conversation_id, said_at, actor, at, sealed)
    select agent, memory_id || '_' || n, number, id || '_' || n, user_id || '_' || n, action, kind, line, confidence, importance,
      conversation_id, said_at, actor, at, sealed
    from revisions cross join copies
    order by memory_id, n",
    ),
];

/// Runs the copies on one database or the other.
macro_rules! copy {
    ($conn:expr, $copies:expr, $bytes:expr) => {
        for (table, text) in COPIES {
            let text = text
                .replace("{copies}", &$copies.to_string())
                .replace("{bytes}", $bytes);
            let made = sqlx::query(AssertSqlSafe(text))
                .execute(&mut $conn)
                .await?
                .rows_affected();
            eprintln!("  {made} more rows in {table}");
        }
    };
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(copies)) = (args.next(), args.next()) else {
        return Err("usage: crowd URL COPIES".into());
    };
    let copies: u64 = copies.parse()?;
    if copies == 0 {
        return Ok(());
    }
    if url.starts_with("sqlite:") {
        let mut conn = SqliteConnection::connect(&url).await?;
        // A gigabyte of pages in memory: a million rows in eight indexes are not read back from the file for each of them.
        sqlx::raw_sql("pragma cache_size = -1000000; pragma synchronous = off")
            .execute(&mut conn)
            .await?;
        copy!(conn, copies, "cast(id || '_' || n as blob)");
        sqlx::raw_sql("pragma wal_checkpoint(truncate)")
            .execute(&mut conn)
            .await?;
    } else {
        let mut conn = PgConnection::connect(&url).await?;
        copy!(conn, copies, "convert_to(id || '_' || n, 'UTF8')");
        // As autovacuum would have done by the time so many were there.
        sqlx::raw_sql("vacuum analyze").execute(&mut conn).await?;
    }
    Ok(())
}
