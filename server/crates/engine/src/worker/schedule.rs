//! What the clock does. Each schedule is taken by one process of many.

use std::time::Duration;

use domain::{Timestamp, agent::AgentName, id::UserId, schedule::ScheduleName, time::Span};
use store::{JobType, Stamp};
use tokio::sync::watch;

use crate::{Engine, again, error::Result, worker::span};

/// What is done by the clock, and how often.
pub(super) struct Schedule {
    name: ScheduleName,
    every: Duration,
}

/// The longest time between two questions whether it is this process's turn.
const ASK_AGAIN: Duration = Duration::from_secs(600);
/// How far back sessions count as news. What ended before a longer downtime is read with the user's next session.
const NEWS: Span = Span::days(7);
/// Users of one look; the rest come with the next one.
const USERS: u32 = 1000;
/// How often what cannot be found by its words is looked for; the first time right after an update.
const WORDS: Duration = Duration::from_secs(24 * 60 * 60);
/// Rows of one transaction, so that nobody waits long for a lock.
const BATCH: u32 = 200;

impl Engine {
    /// All schedules. The lists are kept side by side, so that the expiry never waits for a walk through all agents; what is in one
    /// list is done one after the other.
    pub(super) fn schedules(&self) -> [Vec<Schedule>; 4] {
        let settings = self.settings();
        let schedule = |name, every| Schedule { name, every };
        let expiry = schedule(ScheduleName::Expiry, settings.expiry_tick);
        let mut walks = vec![
            schedule(ScheduleName::Patterns, settings.patterns_tick),
            schedule(ScheduleName::Passed, settings.passed_tick),
            schedule(ScheduleName::Report, settings.report_tick),
            schedule(ScheduleName::Words, WORDS),
            schedule(ScheduleName::Exports, settings.exports_tick),
        ];
        let kept = settings.retention;
        for (name, keep) in [
            (ScheduleName::RetentionConversations, kept.conversations),
            (ScheduleName::RetentionRejected, kept.rejected),
            (ScheduleName::RetentionServings, kept.servings),
            (ScheduleName::RetentionExports, kept.exports),
        ] {
            // What is kept for good needs no turn.
            walks.extend(keep.map(|_| schedule(name, settings.retention_tick)));
        }
        // In a list of its own, because it waits for peers outside.
        let digests = schedule(ScheduleName::Digests, settings.digest_tick);
        // In a list of their own: a walk over all chains may take long.
        let audit = vec![
            schedule(ScheduleName::Checkpoints, settings.checkpoints_tick),
            schedule(ScheduleName::Verification, settings.verification_tick),
        ];
        [vec![expiry], walks, vec![digests], audit]
    }

    /// Before anything is served: erases again whom a backup that was restored brought back (F9), and notes that a process is alive.
    ///
    /// # Errors
    /// The database's; the list of erasures cannot be read or written.
    pub async fn start(&self) -> Result<()> {
        self.apply_erasures().await?;
        self.live().await
    }

    /// Notes that a process is alive. Before anything is served, and each minute: gives back to what waited the time in which no
    /// Keepsake ran (A6).
    async fn live(&self) -> Result<()> {
        let gap = self
            .db()
            .extend_after_gap(span(self.settings().alive_gap), &Stamp::system(self.now()))
            .await?;
        if let Some(gap) = gap {
            tracing::info!(
                candidates = gap.candidates,
                minutes = gap.span.num_minutes(),
                "waiting candidates got the downtime back"
            );
        }
        Ok(())
    }

    /// Does what is due by the clock, once.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn tick(&self) -> Result<()> {
        // What nobody decided in seven days is rejected as expired (A6).
        while self.expire_some(true).await? >= BATCH {}
        // What has outlived its kind's time is no longer served (B6).
        while self.expire_some(false).await? >= BATCH {}
        // Uploads that nobody ran are forgotten (G13).
        self.expire_imports().await?;
        // What came of dry runs goes after thirty days (G14).
        self.remove_dry_runs().await?;
        // Sign-ins, flashes, idempotent answers and throttles past their time go.
        let mut tx = self.write_all().await?;
        tx.sweep(self.now()).await?;
        Ok(tx.commit().await?)
    }

    async fn expire_some(&self, candidates: bool) -> Result<u32> {
        let stamp = Stamp::system(self.now());
        let mut tx = self.write_all().await?;
        let count = if candidates {
            tx.expire_waiting(BATCH, &stamp).await?
        } else {
            tx.expire_memories(BATCH, &stamp).await?
        };
        tx.commit().await?;
        Ok(count)
    }

    /// Asks for a look over the sessions of each user who has news: a session that ended and was read, a figure or a trouble that was
    /// approved. Answers how many. For whom it cannot be asked is passed over, with a line in the log.
    ///
    /// # Errors
    /// Only the database's, before the first user.
    pub async fn ask_for_patterns(&self) -> Result<u32> {
        let now = self.now();
        let users = self
            .read_all()
            .await?
            .users_with_news(now - NEWS, now, USERS)
            .await?;
        let mut asked = 0;
        for (agent, user) in users {
            match again!(self.ask_for_patterns_of(&agent, &user).await) {
                Ok(()) => asked += 1,
                Err(error) => {
                    tracing::error!(%agent, %user, %error, "patterns of a user could not be asked for");
                }
            }
        }
        Ok(asked)
    }

    async fn ask_for_patterns_of(&self, agent: &AgentName, user: &UserId) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.enqueue(
            agent,
            Some(user),
            JobType::Patterns,
            &Stamp::system(self.now()),
        )
        .await?;
        Ok(tx.commit().await?)
    }

    /// Makes everything that waits findable by its words.
    ///
    /// # Errors
    /// Only the database's.
    pub async fn index_waiting(&self) -> Result<()> {
        let mut after = None;
        loop {
            let mut tx = self.write_all().await?;
            after = tx.index_waiting(after.as_ref(), BATCH).await?;
            tx.commit().await?;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    pub(super) async fn keep_schedules(
        self,
        schedules: Vec<Schedule>,
        mut stopped: watch::Receiver<bool>,
    ) {
        let now = self.now();
        let mut schedules: Vec<_> = schedules.into_iter().map(|one| (one, now)).collect();
        while wait(self.settings().expiry_tick, &mut stopped).await {
            for (schedule, next) in &mut schedules {
                if self.now() < *next {
                    continue;
                }
                // Another process may have had its turn, so it is asked for more often than it comes.
                *next = self.now() + span(schedule.every.min(ASK_AGAIN));
                if let Err(error) = self.turn(schedule).await {
                    let name = schedule.name.as_str();
                    tracing::error!(name, %error, "a schedule could not run; it is tried again");
                    *next = self.now();
                }
            }
        }
    }

    /// Takes the turn of a schedule where it is due; `false` where it is not, where another process has it, or where nothing is done
    /// under that name.
    ///
    /// # Errors
    /// The database's, and what kept its work from being done; that is tried again after a while.
    pub async fn turn_once(&self, name: ScheduleName) -> Result<bool> {
        let mut schedules = self.schedules().into_iter().flatten();
        match schedules.find(|schedule| schedule.name == name) {
            Some(schedule) => self.turn(&schedule).await,
            None => Ok(false),
        }
    }

    /// One turn of a schedule, where it is this process's: held for as long as its work lasts. Only what was done waits for its whole
    /// period: what failed has its turn again soon, or a busy database would cost a daily schedule its day, and later each time, or
    /// what fails every time would be tried without end.
    async fn turn(&self, schedule: &Schedule) -> Result<bool> {
        let name = schedule.name;
        let taken = self.now();
        if !self.our_turn(name, taken).await? {
            return Ok(false);
        }
        let done = tokio::select! {
            done = self.do_by_the_clock(name) => done,
            () = self.hold_turn(name, taken) => {
                let name = name.as_str();
                tracing::warn!(name, "the turn of a schedule ended while its work ran; another process has it");
                return Ok(true);
            }
        };
        let said = again!(self.end_turn(schedule, taken, done.is_err()).await);
        done.and(said).map(|()| true)
    }

    async fn do_by_the_clock(&self, name: ScheduleName) -> Result<()> {
        match name {
            ScheduleName::Expiry => self.tick().await,
            ScheduleName::Patterns => self.ask_for_patterns().await.map(drop),
            ScheduleName::Passed => self.propose_passed().await.map(drop),
            ScheduleName::Report => self.propose_never_helpful().await.map(drop),
            ScheduleName::Words => self.index_waiting().await,
            ScheduleName::Digests => self.send_digests().await.map(drop),
            ScheduleName::Exports => self.expire_exports().await.map(drop),
            ScheduleName::RetentionConversations => self.remove_old_conversations().await.map(drop),
            ScheduleName::RetentionRejected => self.remove_old_rejections().await.map(drop),
            ScheduleName::RetentionServings => self.remove_old_servings().await.map(drop),
            ScheduleName::RetentionExports => self.remove_old_exports().await.map(drop),
            ScheduleName::Checkpoints => {
                self.list_erasures().await?;
                if !self.db().let_go_of_what_stayed().await? {
                    tracing::warn!(
                        "the log of changes is still being read and keeps what was erased; the next checkpoint tries again"
                    );
                }
                self.checkpoint_if_grown().await.map(drop)
            }
            ScheduleName::Verification => self.verify_by_the_clock().await.map(drop),
        }
    }

    async fn our_turn(&self, name: ScheduleName, now: Timestamp) -> Result<bool> {
        let held = span(self.settings().lease);
        let mut tx = self.write_all().await?;
        let ours = tx.take_turn(name.as_str(), held, now).await?;
        tx.commit().await?;
        Ok(ours)
    }

    /// Returns when somebody else has the turn. What the database answers besides is waited out: who cannot say that they are there
    /// loses it in the end.
    async fn hold_turn(&self, name: ScheduleName, taken: Timestamp) {
        loop {
            tokio::time::sleep(self.settings().heartbeat).await;
            let until = self.now() + span(self.settings().lease);
            if let Ok(false) = self.next_turn(name, taken, until).await {
                return;
            }
        }
    }

    async fn next_turn(
        &self,
        name: ScheduleName,
        taken: Timestamp,
        next: Timestamp,
    ) -> Result<bool> {
        let mut tx = self.write_all().await?;
        let ours = tx.next_turn(name.as_str(), taken, next).await?;
        tx.commit().await?;
        Ok(ours)
    }

    async fn end_turn(&self, schedule: &Schedule, taken: Timestamp, failed: bool) -> Result<()> {
        let name = schedule.name.as_str();
        let every = span(schedule.every);
        let mut tx = self.write_all().await?;
        if let Some(failures) = tx.note_turn(name, taken, failed).await? {
            let next = if failed {
                self.now() + span(self.back_off(failures)).min(every)
            } else {
                taken + every
            };
            tx.next_turn(name, taken, next).await?;
        }
        Ok(tx.commit().await?)
    }

    pub(super) async fn sign_of_life(self, mut stopped: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.live().await {
                tracing::error!(%error, "the sign of life could not be written");
            }
            if let Err(error) = self.measure_audit().await {
                tracing::error!(%error, "the last verification of the audit could not be read");
            }
            if !wait(self.settings().alive_tick, &mut stopped).await {
                return;
            }
        }
    }

    pub(super) async fn write_servings_regularly(self, mut stopped: watch::Receiver<bool>) {
        loop {
            let every = self.settings().servings_flush;
            let goes_on = tokio::select! {
                () = self.servings_filled() => true,
                goes_on = wait(every, &mut stopped) => goes_on,
            };
            if let Err(error) = self.flush().await {
                tracing::error!(%error, "servings could not be written; they are kept for the next try");
            }
            if !goes_on {
                return;
            }
        }
    }
}

/// Waits; `false` where it is time to stop.
async fn wait(time: Duration, stopped: &mut watch::Receiver<bool>) -> bool {
    if *stopped.borrow() {
        return false;
    }
    tokio::select! {
        () = tokio::time::sleep(time) => true,
        changed = stopped.changed() => changed.is_ok() && !*stopped.borrow(),
    }
}
