//! The palette: where one can go and what can be done from a page, to be searched by typing. The server draws it whole; the island
//! leaves out the actions whose button is not on the page, and presses what is chosen.

use leptos::prelude::*;

use super::{bar::address, keys::badge};
use crate::{
    keys::{Action, Goal, KEYS},
    shell::{Frame, Place},
};

/// More agents than these are found on their page.
pub const MOST_AGENTS: usize = 100;

/// Where one can go from here, besides the pages of the menu.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// The agents of the reader, by name.
    pub agents: Vec<String>,
    /// Their saved views: name and address.
    pub views: Vec<(String, String)>,
    /// Whether they decide somewhere.
    pub decides: bool,
    /// Whether they administer something.
    pub administers: bool,
}

/// Something to choose.
#[derive(Default)]
struct Choice {
    group: &'static str,
    label: String,
    /// The button that it presses.
    action: Option<Action>,
    /// Where it leads.
    href: Option<String>,
    /// Where it leads with what was typed behind it; the label has `…` in its place.
    find: Option<&'static str>,
}

/// The dialog.
pub fn palette(frame: &Frame) -> AnyView {
    let text = &frame.text().keys;
    let choices = actions(frame)
        .into_iter()
        .chain(pages(frame))
        .chain(places(frame))
        .chain(searches(frame));
    let options = choices
        .zip(1..)
        .map(|(choice, number)| option(frame, choice, number))
        .collect_view();
    view! {
        <dialog id="palette" aria-labelledby="palette-title" data-keys=frame.keys.write()>
            <h2 id="palette-title">{text.palette}</h2>
            <input
                type="text"
                role="combobox"
                aria-labelledby="palette-title"
                aria-describedby="palette-how"
                aria-expanded="true"
                aria-controls="palette-list"
                aria-autocomplete="list"
                autocomplete="off"
                spellcheck="false"
            />
            <p id="palette-how" class="hint">
                {text.palette_how}
            </p>
            <ul id="palette-list" role="listbox" aria-labelledby="palette-title">
                {options}
            </ul>
            <template id="palette-own">
                <li role="option" aria-selected="false">
                    <span></span>
                    <span class="quiet">{text.palette_actions}</span>
                </li>
            </template>
            <p class="none" role="status">
                <span hidden>{text.palette_none}</span>
            </p>
        </dialog>
    }
    .into_any()
}

fn option(frame: &Frame, choice: Choice, number: usize) -> AnyView {
    let says = choice.find.map(|_| choice.label.clone());
    view! {
        <li
            id=format!("palette-{number}")
            role="option"
            aria-selected="false"
            data-press=choice.action.map(Action::word)
            data-href=choice.href
            data-find=choice.find
            data-says=says
        >
            <span>{choice.label}</span>
            <span class="quiet">{choice.group}</span>
            {choice.action.and_then(|action| badge(&frame.keys, action))}
        </li>
    }
    .into_any()
}

fn actions(frame: &Frame) -> Vec<Choice> {
    let text = &frame.text().keys;
    // The palette itself, and moving, are nothing to search for; where one can go is listed by the menu.
    let does = |action: &Action| {
        !matches!(
            action,
            Action::Palette
                | Action::Next
                | Action::Previous
                | Action::Open
                | Action::Save
                | Action::Reason(_)
                | Action::SelectRange
                | Action::Go(_)
        )
    };
    let choice = |action: Action| Choice {
        group: text.palette_actions,
        label: (text.action)(action).to_owned(),
        action: Some(action),
        ..Choice::default()
    };
    let all = KEYS.iter().map(|row| row.action);
    all.filter(does).map(choice).collect()
}

/// The pages of the menu, and those beside it.
fn pages(frame: &Frame) -> Vec<Choice> {
    let text = frame.text();
    let page = |label: &str, href: &str| Choice {
        group: text.keys.palette_pages,
        label: label.to_owned(),
        href: Some(href.to_owned()),
        ..Choice::default()
    };
    let menu = frame.menu.iter().map(|place| {
        let action = Goal::at(place.path()).map(Action::Go);
        let label = action.map_or_else(|| place.label(text), text.keys.action);
        Choice {
            action,
            ..page(label, place.path())
        }
    });
    let may = |place: Place| frame.menu.contains(&place);
    let (views, decides) = (may(Place::Review), frame.places.decides);
    let beside = [
        (views, text.desk.view_expired, "/review?view=expired"),
        (decides, text.bulk.all_recent, "/bulks"),
        (views, text.quality.list, "/decisions"),
        (may(Place::Users), text.joins.title, "/joins"),
        (may(Place::Audit), text.holds.title, "/holds"),
        (frame.places.administers, text.webhooks.title, "/webhooks"),
        (frame.places.administers, text.imports.title, "/imports"),
        (true, text.people.account, "/account"),
        (decides, text.digest.title, "/account/digest"),
        (true, text.keys.change, "/account/keys"),
        (true, text.help.title, "/help"),
    ];
    let beside = beside.into_iter().filter(|(may, ..)| *may);
    menu.chain(beside.map(|(_, label, href)| page(label, href)))
        .collect()
}

/// The agents, and the views that the reader saved.
fn places(frame: &Frame) -> Vec<Choice> {
    let text = &frame.text().keys;
    let agents = frame.places.agents.iter().map(|agent| Choice {
        group: text.palette_agents,
        label: agent.clone(),
        href: Some(address("/review", [("agent", agent.as_str())])),
        ..Choice::default()
    });
    let views = frame.places.views.iter().map(|(name, href)| Choice {
        group: text.palette_views,
        label: name.clone(),
        href: Some(href.clone()),
        ..Choice::default()
    });
    agents.chain(views).collect()
}

/// The searches of pages, with what was typed.
fn searches(frame: &Frame) -> Vec<Choice> {
    let text = &frame.text().keys;
    let searches = [
        (Place::Users, text.find_users, "/users?q="),
        (Place::Memories, text.find_memories, "/memories?q="),
        (Place::Review, text.find_queue, "/review?text="),
    ];
    let mine = searches
        .into_iter()
        .filter(|(place, ..)| frame.menu.contains(place));
    mine.map(|(_, label, find)| Choice {
        group: text.palette_search,
        label: label("…"),
        find: Some(find),
        ..Choice::default()
    })
    .collect()
}
