//! `chain URL AGENT EVENTS`: so many more events at the end of an agent's chain, made and linked as the store makes and links them, but
//! many in one statement: with it a bench has a million of them in a minute. They are of two sorts of which an agent has many and that
//! commit to no text, so nothing has to be there beside them.

use domain::{
    Timestamp,
    audit::{EventActor, EventBody, EventType, hex, leaf_hash},
    id::{ConversationId, ExtractionId, KeyId, MemoryId, OperationId, ServingId, UserId},
    time::Span,
};
use serde_json::{Map, Value, json};
use sqlx::{Connection, PgConnection, Postgres, QueryBuilder, Sqlite, SqliteConnection};
use store::testing::Seeded;

/// Events of one statement. Each binds nine values, of which SQLite takes 32,766.
const ROWS: u64 = 2_000;
/// How many users they are about.
const USERS: i64 = 1_000;

const END: &str = "
    select h.seq, h.hash, e.at
    from heads h
    join events e on e.agent = h.agent and e.seq = h.seq
    where h.agent = $1";

const INSERT: &str =
    "insert into events (agent, seq, prev_hash, hash, type, user_id, subject, at, body) ";

const MOVE: &str = "
    update heads
    set seq = $1, hash = $2
    where agent = $3";

/// The end of a chain, and who is in it.
struct End {
    chain: String,
    seq: i64,
    hash: Vec<u8>,
    at: Timestamp,
    key: KeyId,
    users: Vec<UserId>,
    entropy: Seeded,
}

/// An event as the table has it.
struct Event {
    body: EventBody,
    prev_hash: Vec<u8>,
    hash: Vec<u8>,
    text: String,
}

impl End {
    fn new(chain: &str, (seq, hash, at): (i64, Vec<u8>, i64)) -> Option<Self> {
        let at = Timestamp::from_timestamp_micros(at)?;
        let entropy = Seeded::default();
        Some(Self {
            chain: chain.to_owned(),
            seq,
            hash,
            at,
            key: KeyId::new(at, &entropy),
            users: (0..USERS).map(|_| UserId::new(at, &entropy)).collect(),
            entropy,
        })
    }

    /// Makes the event that comes next.
    fn next(&mut self) -> Event {
        self.seq += 1;
        self.at += Span::milliseconds(1);
        // Two that follow each other are about different people.
        let user = &self.users[(self.seq * 7919 % USERS) as usize];
        let (r#type, actor, subject, data) = if self.seq % 2 == 0 {
            self.feedback()
        } else {
            self.extraction()
        };
        let body = EventBody {
            v: 1,
            agent: self.chain.clone(),
            seq: self.seq,
            prev_hash: hex(&self.hash),
            at_us: self.at.timestamp_micros(),
            r#type,
            actor,
            user: Some(user.to_string()),
            subject,
            data: match data {
                Value::Object(data) => data,
                _ => Map::new(),
            },
            commitment: None,
        };
        let text = body.canonical();
        let hash = leaf_hash(&text).to_vec();
        Event {
            body,
            prev_hash: std::mem::replace(&mut self.hash, hash.clone()),
            hash,
            text,
        }
    }

    fn feedback(&self) -> (EventType, EventActor, String, Value) {
        let actor = EventActor {
            r#type: "key".to_owned(),
            id: Some(self.key.to_string()),
        };
        let data = json!({ "serving": ServingId::new(self.at, &self.entropy), "helped": 1 });
        let memory = MemoryId::new(self.at, &self.entropy);
        (EventType::ContextFeedback, actor, memory.to_string(), data)
    }

    fn extraction(&self) -> (EventType, EventActor, String, Value) {
        let actor = EventActor {
            r#type: "system".to_owned(),
            id: None,
        };
        let data = json!({
            "operation": OperationId::new(self.at, &self.entropy),
            "conversation": ConversationId::new(self.at, &self.entropy),
            "from": 1,
            "upto": 1 + self.seq % 20,
            "candidates": self.seq % 3,
            "dropped": {},
            "tokens_in": 200 + self.seq % 900,
            "tokens_out": self.seq % 120,
        });
        let extraction = ExtractionId::new(self.at, &self.entropy);
        (
            EventType::ExtractionSucceeded,
            actor,
            extraction.to_string(),
            data,
        )
    }
}

/// Lets a chain grow in one database or the other.
macro_rules! grow {
    ($database:ty, $conn:expr, $begin:literal, $agent:expr, $events:expr) => {{
        sqlx::raw_sql($begin).execute(&mut $conn).await?;
        let end: (i64, Vec<u8>, i64) = sqlx::query_as(END)
            .bind($agent)
            .fetch_one(&mut $conn)
            .await?;
        let mut end = End::new($agent, end).ok_or("the end of the chain has no time")?;
        let mut left: u64 = $events;
        while left > 0 {
            let some = left.min(ROWS);
            left -= some;
            let events: Vec<Event> = (0..some).map(|_| end.next()).collect();
            QueryBuilder::<$database>::new(INSERT)
                .push_values(events, |mut row, event| {
                    row.push_bind(event.body.agent)
                        .push_bind(event.body.seq)
                        .push_bind(event.prev_hash)
                        .push_bind(event.hash)
                        .push_bind(event.body.r#type.as_str())
                        .push_bind(event.body.user)
                        .push_bind(event.body.subject)
                        .push_bind(event.body.at_us)
                        .push_bind(event.text);
                })
                .build()
                .execute(&mut $conn)
                .await?;
        }
        sqlx::query(MOVE)
            .bind(end.seq)
            .bind(end.hash)
            .bind($agent)
            .execute(&mut $conn)
            .await?;
        sqlx::raw_sql("commit").execute(&mut $conn).await?;
    }};
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(url), Some(agent), Some(events)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: chain URL AGENT EVENTS".into());
    };
    let agent = agent.as_str();
    let events: u64 = events.parse()?;
    if url.starts_with("sqlite:") {
        let mut conn = SqliteConnection::connect(&url).await?;
        // A gigabyte of pages in memory, as in `crowd`: hashes fall anywhere in their index.
        sqlx::raw_sql("pragma cache_size = -1000000; pragma synchronous = off")
            .execute(&mut conn)
            .await?;
        grow!(Sqlite, conn, "begin immediate", agent, events);
        sqlx::raw_sql("pragma wal_checkpoint(truncate)")
            .execute(&mut conn)
            .await?;
    } else {
        let mut conn = PgConnection::connect(&url).await?;
        grow!(Postgres, conn, "begin", agent, events);
        sqlx::raw_sql("vacuum analyze").execute(&mut conn).await?;
    }
    Ok(())
}
