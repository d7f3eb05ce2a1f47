//! The hooks in Codex's `config.toml`: an array of tables an event. A mistake in it keeps Codex from starting, so what is not as
//! expected is refused and nothing written.

use anyhow::{Context, Result};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::{
    client::{Client, Event},
    install::{Wanted, is_ours},
};

/// The settings with the hooks that are wanted, and without other ones of ours.
///
/// # Errors
/// It is not TOML, or hooks are not written as arrays of tables.
pub fn with(text: &str, wanted: &Wanted) -> Result<String> {
    let mut document = parse(&without(text, wanted.client)?)?;
    let hooks = document.entry("hooks").or_insert_with(|| {
        let mut hooks = Table::new();
        // Its own heading would say nothing.
        hooks.set_implicit(true);
        Item::Table(hooks)
    });
    let hooks = hooks
        .as_table_mut()
        .context("hooks is no table like [hooks]")?;
    for event in Event::ALL {
        let name = wanted.client.event(event);
        let groups = hooks
            .entry(name)
            .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()))
            .as_array_of_tables_mut()
            .with_context(|| format!("hooks.{name} is no array of tables like [[hooks.{name}]]"))?;
        let mut handler = Table::new();
        handler.insert("type", value("command"));
        handler.insert("command", value(wanted.command(event)));
        handler.insert("timeout", value(i64::from(wanted.client.timeout(event))));
        let mut handlers = ArrayOfTables::new();
        handlers.push(handler);
        let mut group = Table::new();
        group.insert("hooks", Item::ArrayOfTables(handlers));
        groups.push(group);
    }
    Ok(document.to_string())
}

/// The settings without our hooks, and without arrays that held nothing else. What Codex itself keeps about them stays.
///
/// # Errors
/// It is not TOML.
pub fn without(text: &str, client: Client) -> Result<String> {
    let mut document = parse(text)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_mut) else {
        return Ok(text.to_owned());
    };
    let mut changed = false;
    for event in Event::ALL {
        let name = client.event(event);
        let Some(groups) = hooks.get_mut(name).and_then(Item::as_array_of_tables_mut) else {
            continue;
        };
        let before = handlers(groups);
        for group in groups.iter_mut() {
            if let Some(handlers) = group
                .get_mut("hooks")
                .and_then(Item::as_array_of_tables_mut)
            {
                handlers.retain(|handler| !of_us(handler, client));
            }
        }
        if handlers(groups) == before {
            continue;
        }
        changed = true;
        groups.retain(|group| {
            let handlers = group.get("hooks").and_then(Item::as_array_of_tables);
            handlers.is_none_or(|handlers| !handlers.is_empty())
        });
        if groups.is_empty() {
            hooks.remove(name);
        }
    }
    if !changed {
        return Ok(text.to_owned());
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

/// The events for which our hook is set up.
pub fn installed(text: &str, client: Client) -> Result<Vec<Event>> {
    let document = parse(text)?;
    let hooks = document.get("hooks").and_then(Item::as_table);
    let has = |event: &Event| {
        let groups = hooks.and_then(|hooks| hooks.get(client.event(*event))?.as_array_of_tables());
        groups
            .into_iter()
            .flat_map(ArrayOfTables::iter)
            .any(|group| {
                let handlers = group.get("hooks").and_then(Item::as_array_of_tables);
                let mut handlers = handlers.into_iter().flat_map(ArrayOfTables::iter);
                handlers.any(|handler| of_us(handler, client))
            })
    };
    Ok(Event::ALL.into_iter().filter(has).collect())
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().context("the settings are not TOML")
}

fn handlers(groups: &ArrayOfTables) -> usize {
    let lists = groups
        .iter()
        .filter_map(|group| group.get("hooks")?.as_array_of_tables());
    lists.map(ArrayOfTables::len).sum()
}

fn of_us(handler: &Table, client: Client) -> bool {
    let command = handler.get("command").and_then(Item::as_str);
    command.is_some_and(|command| is_ours(command, client))
}
