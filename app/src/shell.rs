//! The document around every page: head, menu, account, the place for messages.

use domain::{Timestamp, id::CandidateId, permission::Permission};
use leptos::{config::LeptosOptions, prelude::*};

use crate::{
    components::{
        keys::badge,
        notice::notice,
        palette::{Places, palette},
        time::when,
    },
    islands::palette::Palette,
    keys::{Action, Keys},
    text::{Language, Text, grouped},
};

/// An item of the menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `/`
    Overview,
    /// `/review`
    Review,
    /// `/users`
    Users,
    /// `/memories`
    Memories,
    /// `/agents`
    Agents,
    /// `/quality` and `/decisions`
    Quality,
    /// `/jobs`
    Jobs,
    /// `/audit`
    Audit,
    /// `/exports`
    Exports,
    /// `/requests`
    Requests,
    /// `/admin`
    People,
    /// A page outside the menu.
    Elsewhere,
}

impl Place {
    /// The menu of who may see everything, in its order.
    pub const MENU: [Self; 11] = [
        Self::Overview,
        Self::Review,
        Self::Users,
        Self::Memories,
        Self::Agents,
        Self::Quality,
        Self::Jobs,
        Self::Audit,
        Self::Exports,
        Self::Requests,
        Self::People,
    ];

    /// What a person must be permitted for the item to be in their menu.
    pub fn needs(self) -> Permission {
        match self {
            Self::Overview | Self::Review | Self::Quality | Self::Elsewhere => {
                Permission::ReadCandidates
            }
            Self::Users => Permission::ReadUsers,
            Self::Memories => Permission::ReadHistory,
            Self::Agents | Self::Jobs => Permission::ReadAgents,
            Self::Audit => Permission::ReadAudit,
            Self::Exports | Self::Requests => Permission::Export,
            Self::People => Permission::ManagePeople,
        }
    }

    /// Where it lies.
    pub fn path(self) -> &'static str {
        match self {
            Self::Overview | Self::Elsewhere => "/",
            Self::Review => "/review",
            Self::Users => "/users",
            Self::Memories => "/memories",
            Self::Agents => "/agents",
            Self::Quality => "/quality",
            Self::Jobs => "/jobs",
            Self::Audit => "/audit",
            Self::Exports => "/exports",
            Self::Requests => "/requests",
            Self::People => "/admin",
        }
    }

    /// Its name.
    pub fn label(self, text: &Text) -> &'static str {
        match self {
            Self::Overview | Self::Elsewhere => text.shell.overview,
            Self::Review => text.shell.review,
            Self::Users => text.shell.users,
            Self::Memories => text.shell.memories,
            Self::Agents => text.shell.agents,
            Self::Quality => text.quality.title,
            Self::Jobs => text.jobs.title,
            Self::Audit => text.audit.title,
            Self::Exports => text.exports.title,
            Self::Requests => text.requests.title,
            Self::People => text.people.title,
        }
    }
}

/// Whether a message tells of something done or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Done.
    Good,
    /// Refused, or overtaken.
    Bad,
}

/// A decision that can be undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Undo {
    /// Where its form goes: that of the candidate, or of the bulk.
    pub action: String,
    /// The version of the candidate after the decision.
    pub version: Option<i64>,
    /// Where to go afterwards.
    pub next: String,
}

/// A message about what was done last.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Done or refused.
    pub tone: Tone,
    /// One sentence.
    pub line: String,
    /// What more there is to say, a line each.
    pub more: Vec<String>,
    /// How to take it back.
    pub undo: Option<Undo>,
    /// The candidate whose decision was refused.
    pub failed: Option<CandidateId>,
    /// Where to look: address and label.
    pub link: Option<(String, String)>,
}

/// The agent with made-up people is there and in reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demo {
    /// Whether all that it tells is there; if not, filling was interrupted, or goes on.
    pub whole: bool,
    /// Whether the reader may remove it.
    pub may_remove: bool,
}

/// The last verification of the audit found faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alarm {
    /// How many.
    pub found: u64,
    /// When it ended.
    pub at: Timestamp,
}

/// What every page stands in.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The language of the reader.
    pub language: Language,
    /// The item of the menu that is open.
    pub place: Place,
    /// The name of the person signed in.
    pub person: Option<String>,
    /// The items of their menu.
    pub menu: Vec<Place>,
    /// How many candidates wait, for the menu.
    pub waiting: Option<i64>,
    /// The reader's time zone; UTC where it is not known yet.
    pub zone: chrono_tz::Tz,
    /// The present, to which ages are counted.
    pub now: Timestamp,
    /// Path and query of this page.
    pub path: String,
    /// The message to show.
    pub notice: Option<Notice>,
    /// The demo, where there is one.
    pub demo: Option<Demo>,
    /// What is wrong with the audit, for who may read it.
    pub alarm: Option<Alarm>,
    /// How many webhooks Keepsake has switched off, for who administers them.
    pub webhooks_off: u64,
    /// The keys of the reader.
    pub keys: Keys,
    /// Where the palette leads besides the menu.
    pub places: Places,
    /// Where the browser's part lies.
    pub options: LeptosOptions,
}

impl Frame {
    /// The texts in the reader's language.
    pub fn text(&self) -> &'static Text {
        self.language.text()
    }
}

/// A whole document. `island` says whether the page holds one for whoever is signed in: only then is the wasm loaded.
pub fn document(frame: &Frame, title: &str, island: bool, content: AnyView) -> AnyView {
    let text = frame.text();
    let island = island && frame.person.is_some();
    let title = format!("{title} · {}", text.shell.keepsake);
    let scripts = island.then(|| {
        let options = frame.options.clone();
        view! { <HydrationScripts options islands=true /> }
    });
    let body = match &frame.person {
        Some(name) => with_menu(frame, name, island, content),
        None => alone(frame, content),
    };
    view! {
        <!DOCTYPE html>
        <html lang=text.tag>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <title>{title}</title>
                <link rel="icon" type="image/svg+xml" href=ICON />
                <link rel="stylesheet" href="/assets/keepsake.css" />
                {scripts}
            </head>
            // A page without an island is ready as soon as it is there.
            <body data-ready=(!island).then_some("")>
                <a class="skip" href="#content">
                    {text.shell.skip}
                </a>
                {body}
            </body>
        </html>
    }
    .into_any()
}

/// The mark as a data address: no request, no second file to keep in step.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20' fill='none' stroke='%23087f6d' stroke-width='1.8' stroke-linejoin='round'%3E%3Cpath d='M4 2.5h12v15l-6-4-6 4z'/%3E%3Cpath d='M7 7.5l2 2 4-4'/%3E%3C/svg%3E";

fn brand() -> AnyView {
    view! {
        <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" aria-hidden="true">
            <path d="M4 2.5h12v15l-6-4-6 4z" />
            <path d="M7 7.5l2 2 4-4" />
        </svg>
        "Keepsake"
    }
    .into_any()
}

fn with_menu(frame: &Frame, name: &str, island: bool, content: AnyView) -> AnyView {
    let text = frame.text();
    let items = frame.menu.iter().map(|&place| {
        let open = place == frame.place;
        let count = (place == Place::Review)
            .then_some(frame.waiting)
            .flatten()
            .filter(|waiting| *waiting > 0)
            .map(|waiting| grouped(waiting.unsigned_abs()));
        let badge = (place == Place::Review)
            .then(|| view! { <span id="waiting" data-region class="count">{count}</span> });
        view! {
            <li>
                <a href=place.path() aria-current=open.then_some("page")>
                    {place.label(text)}
                    {badge}
                </a>
            </li>
        }
    });
    let palette = island.then(|| {
        let dialog = palette(frame);
        view! { <Palette>{dialog}</Palette> }
    });
    view! {
        <div class="shell">
            <header class="rail">
                <a class="brand" href="/">
                    {brand()}
                </a>
                <nav aria-label=text.shell.main>
                    <ul>{items.collect_view()}</ul>
                </nav>
                {account(frame, name, island)}
            </header>
            <main id="content" tabindex="-1">
                {alarm(frame)} {webhooks_off(frame)} {content}
            </main>
        </div>
        {palette}
    }
    .into_any()
}

/// Stands over every page until a verification finds nothing any more.
fn alarm(frame: &Frame) -> Option<AnyView> {
    let words = &frame.text().audit;
    let alarm = frame.alarm?;
    Some(
        view! {
            <div class="alarm">
                <p>{(words.alarm)(alarm.found)} " " {when(frame, alarm.at)}</p>
                <a href="/audit#verification">{words.alarm_see}</a>
            </div>
        }
        .into_any(),
    )
}

/// Stands over every page until somebody has looked at what was switched off.
fn webhooks_off(frame: &Frame) -> Option<AnyView> {
    let words = &frame.text().webhooks;
    let off = frame.webhooks_off;
    (off > 0).then(|| {
        view! {
            <div class="alarm">
                <p>{(words.alarm)(off)}</p>
                <a href="/webhooks">{words.alarm_see}</a>
            </div>
        }
        .into_any()
    })
}

fn account(frame: &Frame, name: &str, island: bool) -> AnyView {
    let text = frame.text();
    let initials = initials(name);
    let action = Action::Palette;
    // With scripts off it leads to the page of the keys.
    let everything = island.then(|| {
        view! {
            <a class="item" href="/help" data-action=action.word() aria-keyshortcuts=frame.keys.aria(action)>
                {text.keys.palette}
                " "
                {badge(&frame.keys, action)}
            </a>
        }
    });
    view! {
        <details class="account">
            <summary>
                <span class="avatar" aria-hidden="true">
                    {initials}
                </span>
                <span class="name">{name.to_owned()}</span>
            </summary>
            <div class="sheet">
                {languages(frame)} {everything} <a class="item" href="/account">
                    {text.people.account}
                </a> <a class="item" href="/help">
                    {text.help.title}
                </a> <form method="post" action="/logout">
                    <button class="item">{text.shell.sign_out}</button>
                </form>
            </div>
        </details>
    }
    .into_any()
}

/// The first letters of the first and the last name; of a name without spaces, its first letter.
fn initials(name: &str) -> String {
    let mut words = name.split_whitespace();
    let first = words.next().and_then(|word| word.chars().next());
    let last = words.next_back().and_then(|word| word.chars().next());
    first
        .into_iter()
        .chain(last)
        .flat_map(char::to_uppercase)
        .collect()
}

/// The languages, each in its own words, as buttons of one form.
fn languages(frame: &Frame) -> AnyView {
    let buttons = Language::ALL.map(|language| {
        let text = language.text();
        view! {
            <button
                class="chip"
                name="language"
                value=language.word()
                lang=text.tag
                aria-pressed=if language == frame.language { "true" } else { "false" }
            >
                {text.own_name}
            </button>
        }
    });
    view! {
        <form class="languages" method="post" action="/language" aria-label=frame.text().shell.language>
            <input type="hidden" name="next" value=frame.path.clone() />
            {buttons.to_vec()}
        </form>
    }
    .into_any()
}

/// A page before anybody has signed in: one column, no menu.
fn alone(frame: &Frame, content: AnyView) -> AnyView {
    view! {
        <div class="alone">
            <header>
                <p class="brand">{brand()}</p>
            </header>
            <main id="content" tabindex="-1">
                {content}
            </main>
            <footer>{languages(frame)}</footer>
        </div>
    }
    .into_any()
}

/// An ordinary page: a heading with what belongs beside it, then its sections.
pub fn page(frame: &Frame, title: &str, beside: Option<AnyView>, content: AnyView) -> AnyView {
    let inner = inner(frame, title, beside, content);
    document(frame, title, true, inner)
}

/// The same without a script: what is printed or kept, and what is shown where something is wrong.
pub fn still(frame: &Frame, title: &str, beside: Option<AnyView>, content: AnyView) -> AnyView {
    let inner = inner(frame, title, beside, content);
    document(frame, title, false, inner)
}

fn inner(frame: &Frame, title: &str, beside: Option<AnyView>, content: AnyView) -> AnyView {
    view! {
        <div class="page">
            <header class="top">
                <h1>{title.to_owned()}</h1>
                {beside}
            </header>
            {notice(frame)}
            {content}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use domain::permission::RoleName;

    use super::*;

    // G7
    #[test]
    fn the_menu_of_a_role_is_what_it_may_read() {
        use Place::*;
        let menu = |role: RoleName| -> Vec<Place> {
            let places = Place::MENU.into_iter();
            places
                .filter(|place| place.needs().roles().contains(&role))
                .collect()
        };
        let reads = [Overview, Review, Users, Memories, Agents, Quality, Jobs];
        let audits = [&reads[..], &[Audit, Exports, Requests]].concat();
        assert_eq!(menu(RoleName::Viewer), reads);
        assert_eq!(menu(RoleName::Reviewer), reads);
        assert_eq!(menu(RoleName::Auditor), audits);
        assert_eq!(menu(RoleName::Admin), Place::MENU);
    }

    #[test]
    fn initials_of_names_in_any_script() {
        assert_eq!(initials("Mia Keller"), "MK");
        assert_eq!(initials("Ana María de la Cruz"), "AC");
        assert_eq!(initials("山本ゆき"), "山");
        assert_eq!(initials(""), "");
    }
}
