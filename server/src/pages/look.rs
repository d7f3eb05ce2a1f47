//! What every page needs of its request: the reader's language, the address, the message to show, the way to draw.

use std::convert::Infallible;

use app::{
    components::palette::{MOST_AGENTS, Places},
    keys::Keys,
    shell::{Alarm, Demo, Frame, Place},
    text::{Language, Text},
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};
use chrono::{NaiveDate, NaiveDateTime};
use chrono_tz::Tz;
use domain::{
    Timestamp,
    permission::{Actor, Permission, Permit},
};
use engine::{CandidateFilter, Engine, SavedView, overview::own_languages};
use leptos::prelude::AnyView;

use super::notice::notice;
use crate::{
    auth::{Need, Signed, Visitor},
    flash::{Flash, Flashes},
    page_error::PageError,
    render::Render,
    state::AppState,
};

/// The cookie that keeps a reader's choice of language; it says nothing else, so it may outlive the session.
pub const LANGUAGE_COOKIE: &str = "keepsake_language";

/// The cookie in which the desk tells the reader's time zone, by its IANA name.
const ZONE_COOKIE: &str = "keepsake_zone";

/// Seconds after which a page looks again by itself while what it shows goes on.
const AGAIN: &str = "5";

/// The look of one request.
pub struct Look {
    /// What handlers reach.
    pub app: AppState,
    /// The reader's language.
    pub language: Language,
    /// The reader's time zone; UTC until the desk has told it.
    pub zone: Tz,
    /// Path and query, without the flash.
    pub path: String,
    /// The present.
    pub now: Timestamp,
    /// What the form before has to say.
    pub flash: Option<Flash>,
    render: Render,
}

impl FromRequestParts<AppState> for Look {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Infallible> {
        let flash = match Flashes::from_request_parts(parts, app).await {
            Ok(flashes) => flashes.take().await,
            Err(never) => match never {},
        };
        let render = match Render::from_request_parts(parts, app).await {
            Ok(render) => render,
            Err(never) => match never {},
        };
        let accept = parts.headers.get(header::ACCEPT_LANGUAGE);
        Ok(Self {
            language: Language::choose(
                cookie(&parts.headers, LANGUAGE_COOKIE),
                accept.and_then(|value| value.to_str().ok()),
            ),
            zone: cookie(&parts.headers, ZONE_COOKIE)
                .and_then(|name| name.parse().ok())
                .unwrap_or(Tz::UTC),
            path: without_flash(&parts.uri),
            now: app.engine.now(),
            flash,
            render,
            app: app.clone(),
        })
    }
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(found, value)| (found == name).then_some(value))
}

fn without_flash(uri: &axum::http::Uri) -> String {
    let kept: Vec<_> = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("flash="))
        .collect();
    if kept.is_empty() {
        uri.path().to_owned()
    } else {
        format!("{}?{}", uri.path(), kept.join("&"))
    }
}

impl Look {
    /// The use cases.
    pub fn engine(&self) -> &Engine {
        &self.app.engine
    }

    /// The texts in the reader's language.
    pub fn text(&self) -> &'static Text {
        self.language.text()
    }

    /// The frame of a page for whoever is signed in.
    ///
    /// # Errors
    /// The store failed.
    pub async fn frame<P: Need>(
        &self,
        signed: &Signed<P>,
        place: Place,
    ) -> Result<Frame, PageError> {
        self.frame_of(signed.permit.actor(), place).await
    }

    /// The frame of a page for a person, whatever their roles.
    ///
    /// # Errors
    /// The store failed.
    pub async fn frame_of(&self, actor: &Actor, place: Place) -> Result<Frame, PageError> {
        let waiting = match Permit::ask(actor.clone(), Permission::ReadCandidates) {
            Ok(reads) => {
                // The same number as on the front page and over the queue.
                let begins = CandidateFilter {
                    languages: own_languages(actor),
                    ..CandidateFilter::default()
                };
                Some(self.engine().count_candidates(&reads, &begins).await?)
            }
            Err(_) => None,
        };
        Ok(Frame {
            waiting,
            demo: self.demo(actor).await?,
            alarm: self.alarm(actor).await?,
            webhooks_off: self.webhooks_off(actor).await?,
            keys: self.keys_of(actor).await?,
            places: self.places(actor).await?,
            ..self.signed(actor, place)
        })
    }

    /// Where the palette leads besides the menu.
    async fn places(&self, actor: &Actor) -> Result<Places, PageError> {
        let mut places = Places {
            decides: Permit::ask(actor.clone(), Permission::Decide).is_ok(),
            administers: Permit::ask(actor.clone(), Permission::Administer).is_ok(),
            ..Places::default()
        };
        if let Ok(reads) = Permit::ask(actor.clone(), Permission::ReadAgents) {
            let agents = self.engine().agents(&reads).await?.into_iter();
            let names = agents.map(|agent| agent.name.to_string());
            places.agents = names.take(MOST_AGENTS).collect();
        }
        if let Ok(reads) = Permit::ask(actor.clone(), Permission::ReadCandidates) {
            let saved = self.engine().saved_views(&reads).await?.into_iter();
            let leads = |saved: SavedView| (saved.name, format!("/review?{}", saved.query));
            places.views = saved.map(leads).collect();
        }
        Ok(places)
    }

    /// The demo, where it is there and within reach.
    async fn demo(&self, actor: &Actor) -> Result<Option<Demo>, PageError> {
        let Ok(reads) = Permit::ask(actor.clone(), Permission::ReadCandidates) else {
            return Ok(None);
        };
        if !self.engine().has_demo(&reads).await? {
            return Ok(None);
        }
        Ok(Some(Demo {
            // What of made-up people cannot be read is no reason to draw no page.
            whole: self.engine().demo_is_whole(&reads).await.unwrap_or(true),
            may_remove: Permit::ask(actor.clone(), Permission::Administer).is_ok(),
        }))
    }

    /// What the last verification of the audit found wrong, for who may read it.
    async fn alarm(&self, actor: &Actor) -> Result<Option<Alarm>, PageError> {
        let Ok(reads) = Permit::ask(actor.clone(), Permission::ReadAudit) else {
            return Ok(None);
        };
        let last = self.engine().last_verification(&reads).await?;
        let wrong = last.filter(|last| !last.ok);
        Ok(wrong.map(|last| Alarm {
            found: last.found.unsigned_abs(),
            at: last.finished_at,
        }))
    }

    /// How many webhooks Keepsake has switched off, for who administers them.
    async fn webhooks_off(&self, actor: &Actor) -> Result<u64, PageError> {
        let Ok(administers) = Permit::ask(actor.clone(), Permission::Administer) else {
            return Ok(0);
        };
        Ok(self.engine().webhooks_off(&administers).await?)
    }

    /// The keys of a person.
    ///
    /// # Errors
    /// The store failed.
    async fn keys_of(&self, actor: &Actor) -> Result<Keys, PageError> {
        let Some(person) = actor.person() else {
            return Ok(Keys::default());
        };
        let own = self.engine().own_keys(person).await?;
        let changes = own.changes.iter();
        Ok(Keys::changed(
            own.on,
            changes.map(|(word, key)| (word.as_str(), key.as_str())),
        ))
    }

    /// The frame of a page that everybody may see.
    pub fn open_frame(&self, visitor: &Visitor) -> Frame {
        match &visitor.person {
            Some(person) => self.signed(&person.actor, Place::Elsewhere),
            None => self.bare(Place::Elsewhere),
        }
    }

    fn signed(&self, actor: &Actor, place: Place) -> Frame {
        let name = match actor {
            Actor::Person { name, .. } => Some(name.clone()),
            _ => None,
        };
        let may = |place: &Place| Permit::ask(actor.clone(), place.needs()).is_ok();
        Frame {
            person: name,
            menu: Place::MENU.into_iter().filter(may).collect(),
            ..self.bare(place)
        }
    }

    fn bare(&self, place: Place) -> Frame {
        Frame {
            language: self.language,
            place,
            person: None,
            menu: Vec::new(),
            waiting: None,
            zone: self.zone,
            now: self.now,
            path: self.path.clone(),
            notice: self
                .flash
                .as_ref()
                .and_then(|flash| notice(self.text(), self.now, flash)),
            demo: None,
            alarm: None,
            webhooks_off: 0,
            keys: Keys::default(),
            places: Places::default(),
            options: self.render.options(),
        }
    }

    /// When a day begins for the reader.
    pub fn day_begins(&self, day: NaiveDate) -> Option<Timestamp> {
        day_begins(day, self.zone)
    }

    /// The instant that a clock on the reader's wall shows; the first, where it shows it twice.
    pub fn instant(&self, local: NaiveDateTime) -> Option<Timestamp> {
        let instant = local.and_local_timezone(self.zone).earliest();
        instant.map(|instant| instant.to_utc())
    }

    /// When the reader's day began.
    pub fn midnight(&self) -> Timestamp {
        midnight(self.now, self.zone)
    }

    /// Draws a page.
    pub async fn draw(
        &self,
        page: impl Fn() -> AnyView + Clone + Send + Sync + 'static,
    ) -> Result<Response, PageError> {
        Ok(self.render.page(page).await)
    }

    /// Draws a page that looks again by itself for as long as what it shows goes on: only where nothing typed is lost by it.
    pub async fn draw_while(
        &self,
        goes_on: bool,
        page: impl Fn() -> AnyView + Clone + Send + Sync + 'static,
    ) -> Result<Response, PageError> {
        let mut response = self.draw(page).await?;
        if goes_on {
            // Not in the document: whoever saves the page does not want it to look again.
            let again = HeaderValue::from_static(AGAIN);
            response.headers_mut().insert(header::REFRESH, again);
        }
        Ok(response)
    }

    /// Draws a page under another status than 200.
    pub async fn draw_with(
        &self,
        status: StatusCode,
        page: impl Fn() -> AnyView + Clone + Send + Sync + 'static,
    ) -> Response {
        self.render.page_with(status, page).await
    }
}

fn midnight(now: Timestamp, zone: Tz) -> Timestamp {
    let day = now.with_timezone(&zone).date_naive();
    day_begins(day, zone).unwrap_or(now)
}

/// When a day begins in a zone. Where clocks are put forward at midnight, it begins with the first instant that it has.
fn day_begins(day: NaiveDate, zone: Tz) -> Option<Timestamp> {
    (0..24)
        .filter_map(|hour| day.and_hms_opt(hour, 0, 0))
        .find_map(|start| start.and_local_timezone(zone).earliest())
        .map(|start| start.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_page_never_holds_its_flash() {
        let path = |uri: &str| without_flash(&uri.parse().unwrap());
        assert_eq!(
            path("/review?kind=fact&flash=abc&c=1"),
            "/review?kind=fact&c=1"
        );
        assert_eq!(path("/review?flash=abc"), "/review");
        assert_eq!(path("/review"), "/review");
    }

    #[test]
    fn the_language_is_found_among_other_cookies() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::COOKIE,
            "keepsake=x; keepsake_language=ja".parse().unwrap(),
        );
        assert_eq!(cookie(&headers, LANGUAGE_COOKIE), Some("ja"));
        assert_eq!(cookie(&headers, "other"), None);
    }

    // F11
    #[test]
    fn a_day_begins_at_the_readers_own_midnight() {
        let at = |text: &str| -> Timestamp { text.parse().unwrap() };
        let now = at("2026-12-01T01:30:00Z");
        assert_eq!(midnight(now, Tz::UTC), at("2026-12-01T00:00:00Z"));
        assert_eq!(midnight(now, Tz::Asia__Tokyo), at("2026-11-30T15:00:00Z"));
        // Clocks went forward from midnight to one.
        let cairo = midnight(at("2026-04-24T12:00:00Z"), Tz::Africa__Cairo);
        assert_eq!(cairo, at("2026-04-23T22:00:00Z"));
    }
}
