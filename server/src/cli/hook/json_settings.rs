//! The hooks in a client's settings in JSON, with comments where the client takes them. What stands there stays as it is written.

use anyhow::{Context, Result, bail};
use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode},
};

use super::{
    client::{Client, Event},
    install::Wanted,
};

/// The settings with the hooks that are wanted, and without other ones of ours.
///
/// # Errors
/// It is not JSON, or hooks stand where a client would not look for them.
pub fn with(text: &str, wanted: &Wanted) -> Result<String> {
    let root = parse(&without(text, wanted.client)?)?;
    let top = root
        .object_value_or_create()
        .context("the settings are no JSON object")?;
    if wanted.client == Client::Cursor && top.get("version").is_none() {
        top.append("version", CstInputValue::from(1_i32));
    }
    let hooks = top
        .object_value_or_create("hooks")
        .context("\"hooks\" is no JSON object")?;
    for event in Event::ALL {
        let name = wanted.client.event(event);
        let entries = hooks
            .array_value_or_create(name)
            .with_context(|| format!("\"hooks\" / \"{name}\" is no JSON array"))?;
        entries.append(entry(wanted, event));
    }
    Ok(ended(&root))
}

/// The settings without our hooks, and without lists that held nothing else.
///
/// # Errors
/// It is not JSON.
pub fn without(text: &str, client: Client) -> Result<String> {
    let root = parse(text)?;
    let hooks = root
        .object_value()
        .and_then(|top| top.object_value("hooks"));
    let Some(hooks) = hooks else {
        return Ok(text.to_owned());
    };
    let mut changed = false;
    for event in Event::ALL {
        let Some(entries) = hooks.array_value(client.event(event)) else {
            continue;
        };
        let mut here = false;
        for object in objects(&entries) {
            here |= match object.array_value("hooks") {
                Some(handlers) => {
                    take_out(&handlers, client) && {
                        if handlers.elements().is_empty() {
                            object.remove();
                        }
                        true
                    }
                }
                None if is_ours(&object, client) => {
                    object.remove();
                    true
                }
                None => false,
            };
        }
        changed |= here;
        if here
            && entries.elements().is_empty()
            && let Some(list) = hooks.get(client.event(event))
        {
            list.remove();
        }
    }
    if !changed {
        return Ok(text.to_owned());
    }
    if hooks.properties().is_empty()
        && let Some(list) = root.object_value().and_then(|top| top.get("hooks"))
    {
        list.remove();
    }
    Ok(root.to_string())
}

/// The events for which our hook is set up.
pub fn installed(text: &str, client: Client) -> Result<Vec<Event>> {
    let root = parse(text)?;
    let hooks = root
        .object_value()
        .and_then(|top| top.object_value("hooks"));
    let has = |event: &Event| {
        let entries = hooks.as_ref()?.array_value(client.event(*event))?;
        let ours = entries
            .elements()
            .iter()
            .filter_map(CstNode::as_object)
            .any(|entry| match entry.array_value("hooks") {
                Some(handlers) => objects(&handlers).any(|one| is_ours(&one, client)),
                None => is_ours(&entry, client),
            });
        ours.then_some(())
    };
    Ok(Event::ALL
        .into_iter()
        .filter(|event| has(event).is_some())
        .collect())
}

/// Comments and a comma too many are taken, as the clients take them; everything else is JSON.
fn parse(text: &str) -> Result<CstRootNode> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match CstRootNode::parse(text, &options) {
        Ok(root) => Ok(root),
        Err(error) => bail!("the settings are not JSON: {error}"),
    }
}

fn ended(root: &CstRootNode) -> String {
    let text = root.to_string();
    if text.ends_with('\n') {
        text
    } else {
        text + "\n"
    }
}

fn entry(wanted: &Wanted, event: Event) -> CstInputValue {
    let text = |name: &str, value: &str| (name.to_owned(), CstInputValue::from(value));
    let timeout = wanted.client.timeout(event);
    let timeout = ("timeout".to_owned(), CstInputValue::from(timeout));
    let command = text("command", &wanted.command(event));
    if wanted.client == Client::Cursor {
        return CstInputValue::Object(vec![command, timeout]);
    }
    let mut handler = vec![text("type", "command"), command, timeout];
    if wanted.client == Client::Gemini {
        handler.insert(0, text("name", "keepsake"));
    }
    let handlers = CstInputValue::Array(vec![CstInputValue::Object(handler)]);
    CstInputValue::Object(vec![("hooks".to_owned(), handlers)])
}

fn objects(list: &CstArray) -> impl Iterator<Item = CstObject> {
    list.elements()
        .into_iter()
        .filter_map(|node| node.as_object())
}

fn take_out(handlers: &CstArray, client: Client) -> bool {
    let ours: Vec<CstObject> = objects(handlers)
        .filter(|one| is_ours(one, client))
        .collect();
    let any = !ours.is_empty();
    for one in ours {
        one.remove();
    }
    any
}

fn is_ours(handler: &CstObject, client: Client) -> bool {
    let command = handler
        .get("command")
        .and_then(|command| command.value()?.as_string_lit()?.decoded_value().ok());
    command.is_some_and(|command| super::install::is_ours(&command, client))
}
