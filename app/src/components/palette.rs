//! The palette: everything that can be done from a desk, to be searched by typing. The server draws it whole; the island leaves out
//! the actions whose button is not on the page, and presses what is chosen.

use leptos::prelude::*;

use super::{bar::address, keys::badge};
use crate::{
    keys::{Action, Goal, KEYS},
    shell::Frame,
};

/// Where one can go from here, besides the pages that everybody has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// The agents of the reader, by name.
    pub agents: Vec<String>,
    /// Their saved views: name and address.
    pub views: Vec<(String, String)>,
}

/// The dialog.
pub fn palette(frame: &Frame, places: Places) -> AnyView {
    let text = &frame.text().keys;
    let mut number = 0;
    let mut option = |group: &'static str,
                      label: String,
                      action: Option<Action>,
                      href: Option<String>| {
        number += 1;
        view! {
            <li id=format!("palette-{number}") role="option" aria-selected="false" data-press=action.map(Action::word) data-href=href>
                <span>{label}</span>
                <span class="quiet">{group}</span>
                {action.and_then(|action| badge(&frame.keys, action))}
            </li>
        }
    };
    // The palette itself, and moving, are nothing to search for.
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
        )
    };
    let mut options = Vec::new();
    for action in KEYS.iter().map(|row| row.action).filter(does) {
        let group = match action {
            Action::Go(_) => text.palette_pages,
            _ => text.palette_actions,
        };
        let href = match action {
            Action::Go(goal) => Some(Goal::path(goal).to_owned()),
            _ => None,
        };
        options.push(option(
            group,
            (text.action)(action).to_owned(),
            Some(action),
            href,
        ));
    }
    let href = Some("/account/keys".to_owned());
    options.push(option(
        text.palette_pages,
        text.change.to_owned(),
        None,
        href,
    ));
    for agent in places.agents {
        let href = Some(address("/review", [("agent", agent.as_str())]));
        options.push(option(text.palette_agents, agent, None, href));
    }
    for (name, href) in places.views {
        options.push(option(text.palette_views, name, None, Some(href)));
    }
    view! {
        <dialog id="palette" aria-labelledby="palette-title">
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
