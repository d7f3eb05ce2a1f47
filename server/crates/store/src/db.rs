//! The database: opening it, its pools, its keys, and the wake-ups of its workers.

use std::{
    io,
    path::Path,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{Entropy, agent::AgentScope};
use sqlx::{
    AssertSqlSafe, PgPool, SqlitePool,
    migrate::Migrator,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::{
    sync::{Notify, OnceCell, watch},
    task::AbortHandle,
};

use crate::{
    Error, MasterKey, Result,
    dialect::{Dialect, HAPPENINGS_CHANNEL, JOBS_CHANNEL, NOTIFY_HAPPENINGS, NOTIFY_JOBS},
    key_store::new_key,
    private,
    seal::{Place, SecretKey},
    statement::sql,
    tx::{Conn, Tx},
};

/// How often other processes are told, at most, that something happened.
const TELL_EVERY: Duration = Duration::from_millis(100);

static SQLITE: Migrator = sqlx::migrate!("../../../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../../../migrations/postgres");

/// How to open a database.
pub struct Options {
    /// `sqlite:/path/to/file.db` (made when it is missing) or `postgres://…`.
    pub url: String,
    /// Unwraps every key in it.
    pub master_key: MasterKey,
    /// Nonces, keys and ids come from here.
    pub entropy: Arc<dyn Entropy>,
    /// Most connections to PostgreSQL; most readers of SQLite (which has one writer).
    pub max_connections: u32,
}

/// An open database. A clone is the same one.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    pools: Pools,
    master: MasterKey,
    entropy: Arc<dyn Entropy>,
    vault: OnceCell<Arc<Vault>>,
    bells: Bells,
    /// Asks for the others to be told that something happened; PostgreSQL only.
    tell: Arc<Notify>,
    tasks: Vec<AbortHandle>,
    /// Whether SQLite's log of changes may still hold what was deleted, because somebody read it.
    deleted_stays: AtomicBool,
}

/// What this process waits for, rung by itself and by others.
#[derive(Clone)]
struct Bells {
    jobs: watch::Sender<u64>,
    happenings: watch::Sender<u64>,
}

impl Bells {
    fn ring(&self, channel: &str) {
        let bell = if channel == HAPPENINGS_CHANNEL {
            &self.happenings
        } else {
            &self.jobs
        };
        bell.send_modify(|count| *count += 1);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

enum Pools {
    Sqlite {
        readers: SqlitePool,
        writer: SqlitePool,
    },
    Postgres(PgPool),
}

/// The installation's own keys, unwrapped.
pub(crate) struct Vault {
    /// Makes look-up hashes, search tokens and the keys of tokens.
    pub index: SecretKey,
    /// Seals what belongs to no user: the names of people who sign in.
    pub staff: SecretKey,
    /// Signs the heads of the audit chains.
    pub audit: SecretKey,
    /// Unwraps the keys of users.
    pub master: MasterKey,
}

/// Tells a worker that a job may wait, or a desk that something happened.
pub struct Wakeups(watch::Receiver<u64>);

impl Wakeups {
    /// Returns when there was one since the last call, by this process or by another.
    pub async fn next(&mut self) {
        // The sender lives as long as the database; without one there is nothing to wake for.
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Db {
    /// Opens the pools. Nothing is read yet.
    ///
    /// # Errors
    /// [`Error::UnknownDatabase`], or what the database answers.
    pub async fn open(options: Options) -> Result<Self> {
        let bells = Bells {
            jobs: watch::Sender::new(0),
            happenings: watch::Sender::new(0),
        };
        let tell = Arc::new(Notify::new());
        let mut tasks = Vec::new();
        let pools = if options.url.starts_with("sqlite:") {
            open_sqlite(&options).await?
        } else if options.url.starts_with("postgres:") || options.url.starts_with("postgresql:") {
            let connect = PgConnectOptions::from_str(&options.url)?;
            let pool = PgPoolOptions::new()
                .max_connections(options.max_connections)
                .connect_with(connect)
                .await?;
            let listening = listener(&options.url).await?;
            let listen = listen(options.url.clone(), listening, bells.clone());
            tasks.push(tokio::spawn(listen).abort_handle());
            tasks.push(tokio::spawn(tell_others(pool.clone(), tell.clone())).abort_handle());
            Pools::Postgres(pool)
        } else {
            return Err(Error::UnknownDatabase);
        };
        Ok(Self(Arc::new(Inner {
            pools,
            master: options.master_key,
            entropy: options.entropy,
            vault: OnceCell::new(),
            bells,
            tell,
            tasks,
            deleted_stays: AtomicBool::new(false),
        })))
    }

    /// Brings the tables up to date.
    ///
    /// # Errors
    /// [`Error::Migration`]; [`Error::WrongMasterKey`] where the database was made with another one.
    pub async fn migrate(&self) -> Result<()> {
        match &self.0.pools {
            Pools::Sqlite { writer, .. } => SQLITE.run(writer).await,
            Pools::Postgres(pool) => POSTGRES.run(pool).await,
        }
        .map_err(Error::Migration)?;
        self.vault().await.map(drop)
    }

    /// How many migrations this program has that the database has not.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn pending_migrations(&self) -> Result<usize> {
        const SQL: &str = "select version from _sqlx_migrations where success";
        let applied: Vec<i64> = match &self.0.pools {
            Pools::Sqlite { readers, .. } => sqlx::query_scalar(SQL).fetch_all(readers).await,
            Pools::Postgres(pool) => sqlx::query_scalar(SQL).fetch_all(pool).await,
        }
        .or_else(|error| match error {
            // The table of migrations itself is not there: none has run.
            sqlx::Error::Database(_) => Ok(Vec::new()),
            other => Err(other),
        })?;
        let ours = if self.is_sqlite() { &SQLITE } else { &POSTGRES };
        Ok(ours
            .iter()
            .filter(|migration| !applied.contains(&migration.version))
            .count())
    }

    /// Whether it is a SQLite file, which one process has to itself.
    pub fn is_sqlite(&self) -> bool {
        matches!(self.0.pools, Pools::Sqlite { .. })
    }

    /// Whether it answers.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn ping(&self) -> Result<()> {
        match &self.0.pools {
            Pools::Sqlite { readers, .. } => {
                sqlx::query("select 1").execute(readers).await.map(drop)
            }
            Pools::Postgres(pool) => sqlx::query("select 1").execute(pool).await.map(drop),
        }?;
        Ok(())
    }

    /// Begins a transaction that only reads, and sees one state of the database.
    ///
    /// # Errors
    /// What the database answers; [`Error::WrongMasterKey`].
    pub async fn read(&self, scope: AgentScope) -> Result<Tx> {
        self.begin(scope, false).await
    }

    /// Begins a transaction that writes.
    ///
    /// # Errors
    /// What the database answers; [`Error::WrongMasterKey`].
    pub async fn write(&self, scope: AgentScope) -> Result<Tx> {
        self.begin(scope, true).await
    }

    /// A receiver of wake-ups, for one worker.
    pub fn wakeups(&self) -> Wakeups {
        Wakeups(self.0.bells.jobs.subscribe())
    }

    /// A receiver of what happens to candidates and to people who sign in, for one desk.
    pub fn happenings(&self) -> Wakeups {
        Wakeups(self.0.bells.happenings.subscribe())
    }

    /// Lets go of what a transaction that was committed deleted, where the database keeps it besides: SQLite's log of changes begins anew.
    /// Who reads an older state of the database for long is not waited for; then the answer is false, and
    /// [`Self::let_go_of_what_stayed`] tries again.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn let_go_of_deleted(&self) -> Result<bool> {
        let Pools::Sqlite { writer, .. } = &self.0.pools else {
            return Ok(true);
        };
        self.0.deleted_stays.store(true, Ordering::Relaxed);
        let writer = writer.clone();
        // In a task of its own: whoever drops the caller in the middle would leave the connection with the shorter patience.
        let truncated = tokio::spawn(async move {
            let mut conn = writer.acquire().await?;
            let (short, usual) = ("pragma busy_timeout = 200", "pragma busy_timeout = 10000");
            sqlx::query(short).execute(&mut *conn).await?;
            // That it was busy is no error but the first column of its answer.
            let busy: std::result::Result<i64, sqlx::Error> =
                sqlx::query_scalar("pragma wal_checkpoint(truncate)")
                    .fetch_one(&mut *conn)
                    .await;
            sqlx::query(usual).execute(&mut *conn).await?;
            busy.map(|busy| busy == 0)
        });
        let truncated = truncated.await.map_err(|_| sqlx::Error::WorkerCrashed)??;
        if truncated {
            self.0.deleted_stays.store(false, Ordering::Relaxed);
        }
        Ok(truncated)
    }

    /// [`Self::let_go_of_deleted`], where an earlier one could not.
    ///
    /// # Errors
    /// What the database answers.
    pub async fn let_go_of_what_stayed(&self) -> Result<bool> {
        if self.0.deleted_stays.load(Ordering::Relaxed) {
            self.let_go_of_deleted().await
        } else {
            Ok(true)
        }
    }

    /// Closes the pools; what is open is waited for.
    pub async fn close(&self) {
        match &self.0.pools {
            Pools::Sqlite { readers, writer } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }

    async fn begin(&self, scope: AgentScope, writes: bool) -> Result<Tx> {
        let vault = self.vault().await?;
        let conn = self.connection(writes).await?;
        Ok(Tx::new(self.clone(), conn, scope, vault, writes))
    }

    async fn connection(&self, writes: bool) -> Result<Conn> {
        let dialect = if self.is_sqlite() {
            Dialect::Sqlite
        } else {
            Dialect::Postgres
        };
        let begin = AssertSqlSafe(if writes {
            dialect.begin_write()
        } else {
            dialect.begin_read()
        });
        // A caller may be dropped at any moment. Dropped between `begin` and its answer, sqlx does not know of the transaction and
        // gives the connection back to the pool inside it; whoever gets it next fails (25001, then 25P02). In a task of its own
        // the statement always ends, and a transaction that nobody takes is rolled back.
        let begun = match &self.0.pools {
            Pools::Sqlite { readers, writer } => {
                let pool = if writes { writer } else { readers }.clone();
                tokio::spawn(async move { pool.begin_with(begin).await.map(Conn::Sqlite) })
            }
            Pools::Postgres(pool) => {
                let pool = pool.clone();
                tokio::spawn(async move { pool.begin_with(begin).await.map(Conn::Postgres) })
            }
        };
        Ok(begun.await.map_err(|_| sqlx::Error::WorkerCrashed)??)
    }

    /// The installation's keys: unwrapped once a process, made by the first.
    pub(crate) async fn vault(&self) -> Result<Arc<Vault>> {
        self.0
            .vault
            .get_or_try_init(|| async {
                if let Some(vault) = self.open_vault().await? {
                    return Ok(Arc::new(vault));
                }
                self.make_vault().await?;
                let vault = self.open_vault().await?;
                vault.map(Arc::new).ok_or(Error::Corrupt("instance key"))
            })
            .await
            .cloned()
    }

    /// The keys as they are stored; `None` where one is missing: at the first start, or after an update that brought one more.
    async fn open_vault(&self) -> Result<Option<Vault>> {
        let mut conn = self.connection(false).await?;
        let index = self.instance_key(&mut conn, "index").await?;
        let staff = self.instance_key(&mut conn, "staff").await?;
        let audit = self.instance_key(&mut conn, "audit").await?;
        Ok(match (index, staff, audit) {
            (Some(index), Some(staff), Some(audit)) => Some(Vault {
                index,
                staff,
                audit,
                master: self.0.master.clone(),
            }),
            _ => None,
        })
    }

    async fn make_vault(&self) -> Result<()> {
        // Two processes may start at once: the first to insert wins, and both read what is there.
        const SQL: &str = "
            insert into instance_keys (name, wrapped)
            values ($1, $2)
            on conflict (name) do nothing";
        let mut conn = self.connection(true).await?;
        for name in ["index", "staff", "audit"] {
            let place = Place::new("instance_keys.wrapped", "", name);
            let (wrapped, _) = new_key(&self.0.master, place, &*self.0.entropy);
            sql(SQL).bind(name).bind(wrapped).run(&mut conn).await?;
        }
        conn.commit().await
    }

    async fn instance_key(&self, conn: &mut Conn, name: &'static str) -> Result<Option<SecretKey>> {
        const SQL: &str = "select wrapped from instance_keys where name = $1";
        let row: Option<(Vec<u8>,)> = sql(SQL).bind(name).optional(conn).await?;
        row.map(|(wrapped,)| {
            self.0
                .master
                .unwrap(Place::new("instance_keys.wrapped", "", name), &wrapped)
                .map_err(|_| Error::WrongMasterKey)
        })
        .transpose()
    }

    pub(crate) fn entropy(&self) -> &dyn Entropy {
        &*self.0.entropy
    }

    /// Wakes the workers of this process and, on PostgreSQL, of the others. A lost message costs a worker only its next look at
    /// the clock, so a failure is not an error of the change that was committed.
    pub(crate) async fn wake(&self) {
        self.0.bells.ring(JOBS_CHANNEL);
        if let Pools::Postgres(pool) = &self.0.pools
            && let Err(error) = sqlx::query(NOTIFY_JOBS).execute(pool).await
        {
            tracing::warn!(%error, "workers of other processes were not told of a job");
        }
    }

    /// Tells the desks of this process and, on PostgreSQL, soon those of the others that something happened.
    pub(crate) fn tell_desks(&self) {
        self.0.bells.ring(HAPPENINGS_CHANNEL);
        self.0.tell.notify_one();
    }
}

async fn open_sqlite(options: &Options) -> Result<Pools> {
    let connect = SqliteConnectOptions::from_str(&options.url)?
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        .foreign_keys(true)
        .row_buffer_size(1000)
        .create_if_missing(true);
    make_private(connect.get_filename())?;
    let writer = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(connect.clone())
        .await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(options.max_connections)
        .connect_with(connect.pragma("query_only", "on"))
        .await?;
    Ok(Pools::Sqlite { readers, writer })
}

/// Makes a database that is not there yet for its owner alone; SQLite gives its log and its index the same rights.
fn make_private(file: &Path) -> Result<()> {
    // In memory it has a name and no file.
    if file.to_string_lossy().starts_with("file:") {
        return Ok(());
    }
    match private::make_file(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(sqlx::Error::Io(error).into())
        }
        _ => Ok(()),
    }
}

async fn listener(url: &str) -> sqlx::Result<PgListener> {
    let mut listener = PgListener::connect(url).await?;
    listener
        .listen_all([JOBS_CHANNEL, HAPPENINGS_CHANNEL])
        .await?;
    Ok(listener)
}

/// Passes the notifications of other processes on, for as long as the database is open.
async fn listen(url: String, first: PgListener, bells: Bells) {
    let mut listening = Some(first);
    loop {
        let heard = async {
            let mut listener = match listening.take() {
                Some(first) => first,
                None => listener(&url).await?,
            };
            loop {
                bells.ring(listener.recv().await?.channel());
            }
        };
        let ended: sqlx::Result<()> = heard.await;
        if let Err(error) = ended {
            tracing::warn!(error = %Error::from(error), "lost the channel to other processes; listening again in a second");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        // What was sent while nobody listened is made up for by one wake-up.
        bells.ring(JOBS_CHANNEL);
        bells.ring(HAPPENINGS_CHANNEL);
    }
}

/// Tells other processes that something happened here. Many changes within [`TELL_EVERY`] are one message, and no change waits for it.
async fn tell_others(pool: PgPool, tell: Arc<Notify>) {
    loop {
        tell.notified().await;
        if let Err(error) = sqlx::query(NOTIFY_HAPPENINGS).execute(&pool).await
            && !pool.is_closed()
        {
            tracing::warn!(error = %Error::from(error), "desks of other processes were not told of a change");
        }
        tokio::time::sleep(TELL_EVERY).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task::Poll};

    use domain::agent::AgentScope;

    use crate::testing::TestDb;

    crate::both! {
        async fn a_begin_that_is_dropped_half_way_leaves_nothing_open(db: &TestDb) {
            for polls in 1..40 {
                {
                    let mut begin = pin!(db.db.write(AgentScope::All));
                    for _ in 0..polls {
                        let begun = std::future::poll_fn(|context| Poll::Ready(begin.as_mut().poll(context).is_ready())).await;
                        if begun {
                            break;
                        }
                        // A round trip of another connection: by then this one has come a step further.
                        db.db.ping().await.unwrap();
                    }
                }
                // A statement on each connection gives an open transaction its snapshot, after which it can no longer become another.
                for _ in 0..10 {
                    db.db.wake().await;
                }
                let mut reads = Vec::new();
                for _ in 0..4 {
                    let mut tx = db.db.read(AgentScope::All).await.unwrap();
                    tx.agents().await.unwrap();
                    reads.push(tx);
                }
            }
        }
    }
}
