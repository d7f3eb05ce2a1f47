//! Databases for tests: a SQLite file in a temporary directory, and a database of its own on the PostgreSQL server that
//! `KEEPSAKE_TEST_POSTGRES` names (a URL without a database). Both go when the test ends.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::{
    Entropy,
    audit::{EventBody, hex, leaf_hash},
};
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};

use crate::{Db, MasterKey, Options};

/// The variable that names the server.
pub const POSTGRES: &str = "KEEPSAKE_TEST_POSTGRES";
/// Set to `1` it lets the tests pass without a server, on SQLite alone.
pub const SQLITE_ONLY: &str = "KEEPSAKE_TEST_SQLITE_ONLY";

/// Different bytes with every call, the same in every run.
#[derive(Debug, Default)]
pub struct Seeded(AtomicU64);

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let block = Sha256::digest(self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            chunk.copy_from_slice(&block[..chunk.len()]);
        }
    }
}

/// A database for one test.
pub struct TestDb {
    /// Open and up to date.
    pub db: Db,
    /// How to open it again.
    pub url: String,
    /// Where SQLite keeps its files; `None` on PostgreSQL.
    pub dir: Option<tempfile::TempDir>,
    drop: Option<(String, String)>,
}

impl TestDb {
    /// The key every test database has.
    pub fn master_key() -> MasterKey {
        MasterKey::new([42; 32])
    }

    /// A SQLite file.
    pub async fn sqlite() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let url = format!("sqlite:{}", dir.path().join("keepsake.db").display());
        let db = open(&url).await;
        Self {
            db,
            url,
            dir: Some(dir),
            drop: None,
        }
    }

    /// A database on the server; `None` where tests may do without one.
    ///
    /// # Panics
    /// Where no server is named and none is waived, because a test that does not run proves nothing.
    pub async fn postgres(test: &str) -> Option<Self> {
        let Ok(server) = std::env::var(POSTGRES) else {
            let waived = std::env::var(SQLITE_ONLY).is_ok_and(|value| value == "1");
            assert!(
                waived,
                "{POSTGRES} names no PostgreSQL server (postgres://user@host:port); {SQLITE_ONLY}=1 does without"
            );
            return None;
        };
        let server = server.trim_end_matches('/').to_owned();
        let unique = hash_of(test);
        let name = format!("keepsake_test_{}_{unique}", std::process::id());
        let mut admin = PgConnection::connect(&format!("{server}/postgres"))
            .await
            .expect("the PostgreSQL server");
        for statement in [
            format!("drop database if exists {name} with (force)"),
            format!("create database {name}"),
        ] {
            sqlx::query(AssertSqlSafe(statement))
                .execute(&mut admin)
                .await
                .expect("a database for the test");
        }
        let url = format!("{server}/{name}");
        let db = open(&url).await;
        Some(Self {
            db,
            url,
            dir: None,
            drop: Some((server, name)),
        })
    }

    /// Opens the same database once more, as another process would.
    pub async fn again(&self) -> Db {
        open(&self.url).await
    }

    /// Runs SQL past the store, as somebody with access to the database would.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn behind_the_back(&self, sql: &'static str) -> Result<u64, sqlx::Error> {
        behind_the_back(&self.url, sql).await
    }

    /// Takes off the locks that keep history as it is, as whoever owns the database can.
    ///
    /// # Panics
    /// Where they are off already.
    pub async fn unlock_history(&self) {
        unlock_history(&self.url).await;
    }

    /// Puts history aside, for [`Self::restore_history`] to bring it back as often as it was damaged.
    ///
    /// # Panics
    /// Where it was put aside before.
    pub async fn keep_history(&self) {
        for copy in [
            "create table kept_events as select * from events",
            "create table kept_heads as select * from heads",
            "create table kept_checkpoints as select * from checkpoints",
        ] {
            self.behind_the_back(copy).await.expect("a copy is made");
        }
    }

    /// Brings history back; its locks must be off.
    ///
    /// # Panics
    /// Where the locks are on, or nothing was put aside.
    pub async fn restore_history(&self) {
        for step in [
            "delete from events",
            "delete from heads",
            "delete from checkpoints",
            "insert into events select * from kept_events",
            "insert into heads select * from kept_heads",
            "insert into checkpoints select * from kept_checkpoints",
        ] {
            self.behind_the_back(step).await.expect("the copy is there");
        }
    }

    /// Writes a chain anew from one event on, as somebody would who owns the database and knows how it is hashed: `change` changes the
    /// subject or the data of each body, and everything is linked anew up to the head. The locks must be off.
    ///
    /// # Panics
    /// Where the chain has no such event.
    pub async fn rewrite_chain(&self, chain: &str, from: i64, change: impl Fn(&mut EventBody)) {
        const READ: &str = "
            select seq, prev_hash, body
            from events
            where agent = $1 and seq >= $2
            order by seq";
        const WRITE: &str = "
            update events
            set prev_hash = $1, hash = $2, subject = $3, body = $4
            where agent = $5 and seq = $6";
        const MOVE: &str = "
            update heads
            set hash = $1
            where agent = $2";
        macro_rules! rewritten {
            ($connection:ty) => {{
                let mut conn = <$connection>::connect(&self.url)
                    .await
                    .expect("the database");
                let rows: Vec<(i64, Vec<u8>, String)> = sqlx::query_as(READ)
                    .bind(chain)
                    .bind(from)
                    .fetch_all(&mut conn)
                    .await
                    .expect("the events");
                let mut prev = rows.first().expect("an event").1.clone();
                for (seq, _, body) in rows {
                    let mut body: EventBody = serde_json::from_str(&body).expect("a body");
                    change(&mut body);
                    body.prev_hash = hex(&prev);
                    let text = body.canonical();
                    let hash = leaf_hash(&text).to_vec();
                    sqlx::query(WRITE)
                        .bind(prev)
                        .bind(hash.clone())
                        .bind(body.subject)
                        .bind(text)
                        .bind(chain)
                        .bind(seq)
                        .execute(&mut conn)
                        .await
                        .expect("an event is written");
                    prev = hash;
                }
                sqlx::query(MOVE)
                    .bind(prev)
                    .bind(chain)
                    .execute(&mut conn)
                    .await
                    .expect("the head is written");
            }};
        }
        if self.url.starts_with("sqlite:") {
            rewritten!(SqliteConnection);
        } else {
            rewritten!(PgConnection);
        }
    }

    /// How many rows of an agent each table has, of all tables that know agents: also of those that a test does not know yet.
    ///
    /// # Panics
    /// Where the database does not answer.
    pub async fn rows_of_agent(&self, agent: &str) -> Vec<(String, i64)> {
        self.rows_with("agent", agent).await
    }

    /// How many rows about a user each table has, of all tables that know users: also of those that a test does not know yet.
    ///
    /// # Panics
    /// Where the database does not answer.
    pub async fn rows_of_user(&self, user: &str) -> Vec<(String, i64)> {
        self.rows_with("user_id", user).await
    }

    /// How many rows have this value in a column, of each table that has such a column.
    async fn rows_with(&self, column: &'static str, value: &str) -> Vec<(String, i64)> {
        const SQLITE: &str = "
            select t.name
            from sqlite_master t, pragma_table_info(t.name) c
            where t.type = 'table' and c.name = $1
            order by t.name";
        const POSTGRES: &str = "
            select table_name::text
            from information_schema.columns
            where table_schema = current_schema() and column_name::text = $1
            order by table_name";
        macro_rules! counted {
            ($connection:ty, $tables:expr) => {{
                let mut conn = <$connection>::connect(&self.url)
                    .await
                    .expect("the database");
                let tables: Vec<String> = sqlx::query_scalar($tables)
                    .bind(column)
                    .fetch_all(&mut conn)
                    .await
                    .expect("its tables");
                let mut counts = Vec::new();
                for table in tables {
                    let count = format!("select count(*) from {table} where {column} = $1");
                    let rows: i64 = sqlx::query_scalar(AssertSqlSafe(count))
                        .bind(value)
                        .fetch_one(&mut conn)
                        .await
                        .expect("a count");
                    counts.push((table, rows));
                }
                counts
            }};
        }
        if self.url.starts_with("sqlite:") {
            counted!(SqliteConnection, SQLITE)
        } else {
            counted!(PgConnection, POSTGRES)
        }
    }

    /// Whether one of these texts stands in any column of any row, in letters or in bytes, of all tables there are.
    ///
    /// # Panics
    /// Where the database does not answer.
    pub async fn columns_with(&self, texts: &[&str]) -> Vec<String> {
        const SQLITE: &str = "
            select t.name, c.name
            from sqlite_master t, pragma_table_info(t.name) c
            where t.type = 'table'
            order by t.name, c.cid";
        const POSTGRES: &str = "
            select table_name::text, column_name::text
            from information_schema.columns
            where table_schema = current_schema()
            order by table_name, ordinal_position";
        // Text and bytes are looked through in the same form: the hex digits of both.
        let digits: Vec<String> = texts.iter().map(|text| hex(text.as_bytes())).collect();
        macro_rules! searched {
            ($connection:ty, $columns:expr, $hex:expr) => {{
                let mut conn = <$connection>::connect(&self.url)
                    .await
                    .expect("the database");
                let columns: Vec<(String, String)> = sqlx::query_as($columns)
                    .fetch_all(&mut conn)
                    .await
                    .expect("its columns");
                let mut found = Vec::new();
                for (table, column) in columns {
                    let value: String = $hex.replace("{}", &column);
                    let select =
                        format!("select {value} from \"{table}\" where \"{column}\" is not null");
                    let values: Vec<String> = sqlx::query_scalar(AssertSqlSafe(select))
                        .fetch_all(&mut conn)
                        .await
                        .expect("its values");
                    let holds = |digits: &String| values.iter().any(|value| value.contains(digits));
                    if digits.iter().any(holds) {
                        found.push(format!("{table}.{column}"));
                    }
                }
                found
            }};
        }
        if self.url.starts_with("sqlite:") {
            searched!(SqliteConnection, SQLITE, "lower(hex(\"{}\"))")
        } else {
            searched!(
                PgConnection,
                POSTGRES,
                "case when pg_typeof(\"{}\") = 'bytea'::regtype then substr(\"{}\"::text, 3) \
                 else encode(convert_to(\"{}\"::text, 'UTF8'), 'hex') end"
            )
        }
    }

    /// The folder in which the database keeps its files; everything that was committed is written there before.
    ///
    /// # Panics
    /// Where PostgreSQL does not say so to this user.
    pub async fn files(&self) -> PathBuf {
        if let Some(dir) = &self.dir {
            return dir.path().to_owned();
        }
        let mut conn = PgConnection::connect(&self.url)
            .await
            .expect("the PostgreSQL server");
        sqlx::query("checkpoint")
            .execute(&mut conn)
            .await
            .expect("a checkpoint");
        let folder: String = sqlx::query_scalar("show data_directory")
            .fetch_one(&mut conn)
            .await
            .expect("the folder of the server's files");
        PathBuf::from(folder)
    }

    /// Closes it; what it left goes with it.
    pub async fn close(self) {
        self.db.close().await;
    }
}

impl Drop for TestDb {
    /// Also after a failed test, so that none leaves a database behind.
    fn drop(&mut self) {
        let Some((server, name)) = self.drop.take() else {
            return;
        };
        // A destructor cannot wait for a future on the runtime it may be running on.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let mut admin = PgConnection::connect(&format!("{server}/postgres")).await?;
                sqlx::query(AssertSqlSafe(format!(
                    "drop database if exists {name} with (force)"
                )))
                .execute(&mut admin)
                .await
            })
        });
        if !std::thread::panicking() {
            gone.join()
                .expect("the thread ends")
                .expect("the test's database goes");
        } else {
            let _ended = gone.join();
        }
    }
}

/// Runs SQL on a database past the store, as somebody with access to it would.
///
/// # Errors
/// What the database answers.
pub async fn behind_the_back(url: &str, sql: &'static str) -> Result<u64, sqlx::Error> {
    let done = if url.starts_with("sqlite:") {
        let mut conn = SqliteConnection::connect(url).await?;
        sqlx::query(sql).execute(&mut conn).await?.rows_affected()
    } else {
        let mut conn = PgConnection::connect(url).await?;
        sqlx::query(sql).execute(&mut conn).await?.rows_affected()
    };
    Ok(done)
}

/// Takes off the locks that keep history as it is, as whoever owns the database can.
///
/// # Panics
/// Where they are off already.
pub async fn unlock_history(url: &str) {
    const SQLITE: [&str; 5] = [
        "drop trigger events_no_update",
        "drop trigger events_no_delete",
        "drop trigger heads_no_delete",
        "drop trigger checkpoints_no_update",
        "drop trigger checkpoints_no_delete",
    ];
    const POSTGRES: [&str; 3] = [
        "drop trigger events_no_change on events",
        "drop trigger heads_no_delete on heads",
        "drop trigger checkpoints_no_change on checkpoints",
    ];
    let locks = if url.starts_with("sqlite:") {
        &SQLITE[..]
    } else {
        &POSTGRES[..]
    };
    for &lock in locks {
        let off = behind_the_back(url, lock).await;
        off.expect("the lock is there");
    }
}

async fn open(url: &str) -> Db {
    let db = Db::open(Options {
        url: url.to_owned(),
        master_key: TestDb::master_key(),
        entropy: Arc::new(FreshSeed::new()),
        max_connections: 10,
    })
    .await
    .expect("the database opens");
    db.migrate().await.expect("the tables are made");
    db
}

/// [`Seeded`], beginning elsewhere each time a database is opened, so that two of one process make different ids.
struct FreshSeed(Seeded);

impl FreshSeed {
    fn new() -> Self {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        Self(Seeded(AtomicU64::new(
            OPENED.fetch_add(1, Ordering::Relaxed) << 32,
        )))
    }
}

impl Entropy for FreshSeed {
    fn fill(&self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }
}

fn hash_of(test: &str) -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let made = MADE.fetch_add(1, Ordering::Relaxed);
    domain::audit::hex(&Sha256::digest(format!("{test}/{made}"))[..6])
}

/// Makes each test twice, as `name::sqlite` and `name::postgres`:
/// `store::both! { async fn name(db: &TestDb) { … } }`.
#[macro_export]
macro_rules! both {
    ($($(#[$meta:meta])* async fn $name:ident($db:ident: &TestDb) $body:block)*) => {$(
        mod $name {
            use super::*;

            $(#[$meta])*
            async fn story($db: &TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let db = $crate::testing::TestDb::sqlite().await;
                story(&db).await;
                db.close().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let name = concat!(module_path!(), "::", stringify!($name));
                let Some(db) = $crate::testing::TestDb::postgres(name).await else { return };
                story(&db).await;
                db.close().await;
            }
        }
    )*};
}
