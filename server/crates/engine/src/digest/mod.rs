//! Digests of waiting work (G8): each reviewer says when and where to; the clock sends them. A digest holds figures and links, never
//! words of a memory or the name of anybody it is about.

mod send;
mod shape;
mod times;
mod words;

pub use self::shape::Shape;

use std::fmt;

use chrono_tz::Tz;
use domain::{
    Timestamp,
    agent::AgentName,
    id::PersonId,
    permission::{Permission, Permit},
    time::Span,
};
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use store::{Digest, Person, Sent, WaitingWork};

use self::words::{Figures, message};
use crate::{
    Engine, again,
    error::{EngineError, FieldError, Result},
    need,
    outside::{Outgoing, checked},
};

/// How a digest is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentBy {
    /// To a webhook.
    #[default]
    Webhook,
    /// By e-mail, to the address that the person signs in with.
    Mail,
}

impl SentBy {
    /// The word of it in a form and in an event.
    pub fn word(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Mail => "mail",
        }
    }

    /// The one of a word.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Webhook, Self::Mail]
            .into_iter()
            .find(|by| by.word() == word)
    }
}

/// What a person sets. What the stored settings of another version do not say is as a new digest has it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DigestSettings {
    /// Whether digests are sent.
    pub on: bool,
    /// At which hour, 0 to 23.
    pub hour: u8,
    /// On which days, 1 (Monday) to 7 (Sunday); the others are days off.
    pub weekdays: Vec<u8>,
    /// In which zone, by its IANA name.
    pub zone: String,
    /// How.
    pub by: SentBy,
    /// For which chat program the webhook is.
    pub shape: Shape,
    /// Its address; empty where there is none. Whoever has it can post there.
    pub url: String,
}

impl fmt::Debug for DigestSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DigestSettings")
            .field("on", &self.on)
            .field("by", &self.by)
            .finish_non_exhaustive()
    }
}

impl Default for DigestSettings {
    fn default() -> Self {
        Self {
            on: false,
            hour: 9,
            weekdays: vec![1, 2, 3, 4, 5],
            zone: Tz::UTC.name().to_owned(),
            by: SentBy::default(),
            shape: Shape::default(),
            url: String::new(),
        }
    }
}

/// A person's digest, for its page.
#[derive(Debug, Clone)]
pub struct DigestView {
    /// What they set; `None`: nothing yet, or it cannot be read any more.
    pub settings: Option<DigestSettings>,
    /// When the next one is due.
    pub next_at: Option<Timestamp>,
    /// When the last one went out.
    pub sent_at: Option<Timestamp>,
    /// Why the last try failed, in a word.
    pub failed: Option<String>,
    /// How many tries in a row failed.
    pub failures: i64,
    /// Where e-mail would go; `None`: the installation sends none.
    pub mail_to: Option<String>,
}

/// How long a process may hold a digest that it sends; after that another may.
const HOLD: Span = Span::minutes(10);
/// The wait after the first failure; it doubles, and never goes beyond the next digest.
const BACKOFF: Span = Span::minutes(5);
/// Why a digest failed whose settings cannot be read.
const UNREADABLE: &str = "unreadable";
/// Digests of one look, and how many are sent at once.
const BATCH: u32 = 50;
const AT_ONCE: usize = 8;

impl DigestSettings {
    fn zone(&self) -> Tz {
        self.zone.parse().unwrap_or(Tz::UTC)
    }

    fn next_after(&self, now: Timestamp) -> Option<Timestamp> {
        self.on
            .then(|| times::next_after(now, self.hour, &self.weekdays, self.zone()))
            .flatten()
    }

    fn faults(&self, outgoing: &Outgoing) -> Vec<FieldError> {
        let mut wrong = Vec::new();
        let mut check = |fits: bool, pointer: &str, code, detail: &str| {
            if !fits {
                wrong.push(FieldError::new(pointer, code, detail));
            }
        };
        check(self.hour < 24, "/hour", "range", "an hour from 0 to 23");
        let days = self.weekdays.iter().all(|day| (1..=7).contains(day));
        check(days, "/weekdays", "range", "days from 1 to 7");
        let some = !self.on || !self.weekdays.is_empty();
        check(some, "/weekdays", "required", "at least one day");
        let known = self.zone.parse::<Tz>().is_ok();
        check(known, "/zone", "unknown", "a zone as Europe/Oslo");
        if self.by == SentBy::Mail {
            let mail = outgoing.has_mail();
            let detail = "this installation sends no e-mail";
            check(mail, "/by", "mail_off", detail);
        }
        let needed = self.on && self.by == SentBy::Webhook;
        if self.url.is_empty() {
            check(!needed, "/url", "required", "where to");
        } else if let Err(code) = checked(&self.url, &outgoing.allowed_private) {
            check(
                false,
                "/url",
                code,
                "an address of https that is no private one",
            );
        }
        wrong
    }
}

/// A digest as it is stored; without its settings where they cannot be read.
type Stored = Digest<Option<DigestSettings>>;

/// Says which digest met an error, and what that was: the error of a store holds no text of anybody.
fn tell(person: &PersonId, error: &EngineError) {
    match error {
        EngineError::Internal(cause) => {
            tracing::error!(%person, %cause, "a digest failed inside Keepsake");
        }
        _ => tracing::error!(%person, %error, "a digest failed"),
    }
}

/// Whose the digest is. Only people who sign in have one.
fn whose(permit: &Permit) -> Result<PersonId> {
    need(permit, &[Permission::Decide])?;
    permit
        .actor()
        .person()
        .cloned()
        .ok_or(EngineError::Forbidden)
}

impl Engine {
    pub(crate) fn outgoing(&self) -> &Outgoing {
        &self.settings().outgoing
    }

    /// The digest of the person who asks.
    ///
    /// # Errors
    /// [`EngineError::Forbidden`] for who decides nothing.
    pub async fn digest(&self, permit: &Permit) -> Result<DigestView> {
        let id = whose(permit)?;
        let mut tx = self.read_all().await?;
        let digest: Option<Stored> = tx.digest(&id).await?;
        let person = tx.person(&id).await?.ok_or(EngineError::NotFound)?;
        let mail_to = self.outgoing().has_mail().then_some(person.email);
        Ok(match digest {
            Some(digest) => DigestView {
                failed: match &digest.settings {
                    Some(_) => digest.failed,
                    None => Some(UNREADABLE.to_owned()),
                },
                settings: digest.settings,
                next_at: digest.next_at,
                sent_at: digest.sent_at,
                failures: digest.failures,
                mail_to,
            },
            None => DigestView {
                settings: None,
                next_at: None,
                sent_at: None,
                failed: None,
                failures: 0,
                mail_to,
            },
        })
    }

    /// Sets when and where to the digest of the person who asks goes.
    ///
    /// # Errors
    /// `invalid`.
    pub async fn set_digest(&self, permit: &Permit, settings: &DigestSettings) -> Result<()> {
        let id = whose(permit)?;
        let wrong = settings.faults(self.outgoing());
        if !wrong.is_empty() {
            return Err(EngineError::Invalid(wrong));
        }
        again!(self.set_digest_once(permit, &id, settings).await)
    }

    async fn set_digest_once(
        &self,
        permit: &Permit,
        id: &PersonId,
        settings: &DigestSettings,
    ) -> Result<()> {
        let stamp = self.stamp(permit);
        let next_at = settings.next_after(stamp.now);
        let mut tx = self.write_all().await?;
        tx.put_digest(id, settings, settings.by.word(), next_at, &stamp)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Sends a digest now, to where it is set to go, so that it is known whether it arrives. `Some`: why it failed, in a word.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] where nothing was set that can be read.
    pub async fn test_digest(&self, permit: &Permit) -> Result<Option<String>> {
        let id = whose(permit)?;
        let now = self.now();
        let (digest, person) = {
            let mut tx = self.read_all().await?;
            let digest: Option<Stored> = tx.digest(&id).await?;
            (digest, tx.person(&id).await?)
        };
        let settings = digest.and_then(|digest| digest.settings);
        let (Some(settings), Some(person)) = (settings, person) else {
            return Err(EngineError::NotFound);
        };
        let figures = self.figures(permit, &settings, now).await?;
        let delivered = self.deliver(&settings, &person, &figures, now, true).await;
        Ok(delivered.err())
    }

    /// Sends what is due; answers how many digests went out. What fails is the failure of one digest: the others go on.
    ///
    /// # Errors
    /// Only the database's, where it does not tell what is due.
    pub async fn send_digests(&self) -> Result<u32> {
        let mut sent = 0;
        loop {
            let now = self.now();
            let due: Vec<Stored> = self.read_all().await?.digests_due(now, BATCH).await?;
            let all = due.len() >= BATCH as usize;
            let tries = due.into_iter().map(|digest| self.send_or_tell(digest, now));
            let done: Vec<Option<bool>> = futures::stream::iter(tries)
                .buffer_unordered(AT_ONCE)
                .collect()
                .await;
            for one in &done {
                sent += u32::from(*one == Some(true));
            }
            // One of which nothing could be written is due as before: asked for again at once it would never end.
            if !all || done.contains(&None) {
                return Ok(sent);
            }
        }
    }

    /// Whether it went out; `None` where what became of it could not be written.
    async fn send_or_tell(&self, digest: Stored, now: Timestamp) -> Option<bool> {
        let person = digest.person.clone();
        match self.send_digest(digest, now).await {
            Ok(sent) => Some(sent),
            Err(error) => {
                tell(&person, &error);
                None
            }
        }
    }

    async fn send_digest(&self, digest: Stored, now: Timestamp) -> Result<bool> {
        let now = domain::time::micros(now);
        if !again!(self.take_digest(&digest, now).await)? {
            return Ok(false);
        }
        let outcome = match &digest.settings {
            None => Sent::Failed(UNREADABLE.to_owned()),
            Some(settings) => match self.try_digest(&digest.person, settings, now).await {
                Ok(outcome) => outcome,
                Err(error) => {
                    tell(&digest.person, &error);
                    Sent::Failed(error.code().to_owned())
                }
            },
        };
        let next = match &outcome {
            Sent::Yes | Sent::Nothing => digest.settings.and_then(|set| set.next_after(now)),
            Sent::Failed(why) => {
                tracing::warn!(person = %digest.person, why, "a digest could not be sent; it is tried again");
                let again = now + BACKOFF * (1 << digest.failures.clamp(0, 8));
                match &digest.settings {
                    Some(set) => set.next_after(now).map(|next| next.min(again)),
                    // When it would go is not known.
                    None => Some(again),
                }
            }
        };
        again!(self.note_digest(&digest.person, now, &outcome, next).await)?;
        Ok(outcome == Sent::Yes)
    }

    async fn take_digest(&self, digest: &Stored, now: Timestamp) -> Result<bool> {
        let mut tx = self.write_all().await?;
        let ours = tx.take_digest(digest, now, HOLD).await?;
        tx.commit().await?;
        Ok(ours)
    }

    async fn note_digest(
        &self,
        person: &PersonId,
        now: Timestamp,
        outcome: &Sent,
        next: Option<Timestamp>,
    ) -> Result<()> {
        let mut tx = self.write_all().await?;
        tx.digest_sent(person, now + HOLD, outcome, next, now)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Sends one, with the rights its reader has now. Who was shut out or decides nothing any more is told nothing.
    async fn try_digest(
        &self,
        person: &PersonId,
        settings: &DigestSettings,
        now: Timestamp,
    ) -> Result<Sent> {
        let permit = self
            .actor(person)
            .await?
            .and_then(|actor| Permit::ask(actor, Permission::Decide).ok());
        let person = self.read_all().await?.person(person).await?;
        let (Some(permit), Some(person)) = (permit, person) else {
            return Ok(Sent::Nothing);
        };
        let figures = self.figures(&permit, settings, now).await?;
        if figures.work.waiting == 0 && figures.work.failed == 0 {
            return Ok(Sent::Nothing);
        }
        let delivered = self.deliver(settings, &person, &figures, now, false).await;
        Ok(match delivered {
            Ok(()) => Sent::Yes,
            Err(why) => Sent::Failed(why),
        })
    }

    /// What waits in the agents and languages that the permit decides about.
    async fn figures(
        &self,
        permit: &Permit,
        settings: &DigestSettings,
        now: Timestamp,
    ) -> Result<Figures> {
        let next = times::next_after(now, settings.hour, &settings.weekdays, settings.zone());
        let away_until = next.filter(|next| times::days_off(now, *next, settings.zone()));
        let mut tx = self.read(permit).await?;
        let agents: Vec<AgentName> = tx.agents().await?.into_iter().map(|one| one.name).collect();
        let mut work = WaitingWork::default();
        for agent in agents {
            let Some(within) = permit.within(&agent) else {
                continue;
            };
            let languages = within.languages();
            let before = away_until.unwrap_or(now);
            let here = tx
                .waiting_work(&agent, languages.as_deref(), before, now)
                .await?;
            work = WaitingWork {
                waiting: work.waiting + here.waiting,
                oldest: [work.oldest, here.oldest].into_iter().flatten().min(),
                expiring_24h: work.expiring_24h + here.expiring_24h,
                expiring_72h: work.expiring_72h + here.expiring_72h,
                expiring_before: work.expiring_before + here.expiring_before,
                failed: work.failed + here.failed,
            };
        }
        Ok(Figures { work, away_until })
    }

    async fn deliver(
        &self,
        settings: &DigestSettings,
        person: &Person,
        figures: &Figures,
        now: Timestamp,
        test: bool,
    ) -> Result<(), String> {
        let outgoing = self.outgoing();
        let message = message(
            figures,
            person.language.as_deref(),
            settings.zone(),
            &outgoing.public_url,
            now,
            test,
        );
        match settings.by {
            SentBy::Webhook => outgoing.post(&settings.url, settings.shape, &message).await,
            SentBy::Mail => {
                let mut id = [0_u8; 16];
                self.entropy().fill(&mut id);
                let id = domain::audit::hex(&id);
                outgoing.mail(&person.email, &message, &id, now).await
            }
        }
    }
}
