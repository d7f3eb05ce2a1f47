//! The stream of what happens, for the desks of one browser: server-sent events that name candidates and what became of them, within
//! the agents of the person. It is read from the audit chains, so `Last-Event-ID` goes on exactly where it broke off.

use std::{convert::Infallible, time::Duration};

use axum::response::sse::Event;
use domain::permission::{Permission, Permit};
use engine::{Engine, Heard, News};
use futures::{Stream, stream};
use store::Wakeups;
use tokio::{sync::watch, time::Instant};

/// How often a stream looks whether its session still lasts, and for what it was not woken for. The ping comes as often.
pub const PING: Duration = Duration::from_secs(15);

/// How often it tells, at most: what happens in between comes as one.
const PACE: Duration = Duration::from_millis(250);

/// How soon a browser comes back after a stream broke off.
const AGAIN: Duration = Duration::from_secs(2);

/// One stream.
pub struct Line {
    engine: Engine,
    session: String,
    heard: Heard,
    happenings: Wakeups,
    stopped: watch::Receiver<bool>,
    not_before: Instant,
    greeted: bool,
    over: bool,
}

impl Line {
    /// For whoever is signed in with a session, from where they heard last; without that from the present.
    ///
    /// # Errors
    /// The store failed.
    pub async fn open(
        engine: Engine,
        permit: &Permit,
        session: String,
        last: Option<Heard>,
        stopped: watch::Receiver<bool>,
    ) -> engine::Result<Self> {
        // First the receiver: what happens while the present is read is heard of.
        let happenings = engine.happenings();
        let heard = match last {
            Some(heard) => heard,
            None => engine.heard_all(permit).await?,
        };
        Ok(Self {
            engine,
            session,
            heard,
            happenings,
            stopped,
            not_before: Instant::now(),
            greeted: false,
            over: false,
        })
    }

    /// Its events, until the session or the process ends.
    pub fn events(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, |mut line| async move {
            let event = line.next().await?;
            Some((Ok(event), line))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        if !self.greeted {
            self.greeted = true;
            return Some(self.event("hello").retry(AGAIN).data("-"));
        }
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(self.not_before) => {}
                _ = self.stopped.wait_for(|stop| *stop) => return None,
            }
            // Asked at once after a break: what was missed waits for no bell.
            let Some(permit) = self.permit().await? else {
                self.over = true;
                return Some(Event::default().event("over").data("-"));
            };
            let news = self.engine.news(&permit, &mut self.heard).await;
            self.not_before = Instant::now() + PACE;
            match news
                .map_err(|error| tracing::warn!(?error, "a live stream broke off"))
                .ok()?
            {
                News::Much => return Some(self.event("again").data("-")),
                News::Happened(events) if !events.is_empty() => {
                    let data = serde_json::to_string(&events).ok()?;
                    return Some(self.event("happened").data(data));
                }
                News::Happened(_) => {}
            }
            tokio::select! {
                () = self.happenings.next() => {}
                () = tokio::time::sleep(PING) => {}
                _ = self.stopped.wait_for(|stop| *stop) => return None,
            }
        }
    }

    // A browser hands on no event without data, so what needs none brings a dash.
    fn event(&self, name: &str) -> Event {
        Event::default().event(name).id(self.heard.to_string())
    }

    /// The permit with today's roles; `Some(None)` where the session is over or the person may no longer, `None` where the store
    /// does not say.
    async fn permit(&self) -> Option<Option<Permit>> {
        let Some(person) = self.engine.session_person(&self.session).await.ok()? else {
            return Some(None);
        };
        let actor = self.engine.actor(&person).await.ok()?;
        Some(actor.and_then(|actor| Permit::ask(actor, Permission::ReadCandidates).ok()))
    }
}
