//! `keepsake hook status`: without the network, so that it tells how it is while Keepsake is away.

use std::{fs, process::ExitCode};

use anyhow::Result;
use clap::ValueEnum;

use super::{
    client::{Client, Event},
    install::installed,
    place::{Folders, Settings},
    spool::Spool,
};

pub fn run() -> Result<ExitCode> {
    let folders = Folders::find()?;
    for client in Client::value_variants() {
        println!("{}", client.name());
        tell(*client, &folders);
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(client: Client, folders: &Folders) {
    let path = client.settings(folders);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let hooks = match installed(&text, client) {
        Ok(events) if events.is_empty() => "none".to_owned(),
        Ok(events) => {
            let events: Vec<&str> = events.into_iter().map(Event::name).collect();
            events.join(", ")
        }
        Err(error) => format!("{error:#}"),
    };
    println!("  hooks     {hooks} ({})", path.display());
    let file = folders.settings(client);
    if !file.exists() {
        return;
    }
    match Settings::find(&file, None, None) {
        Ok(settings) => {
            let key = domain::key::ApiKey::parse(settings.api_key.reveal());
            let key = key.map_or_else(|| "no key".to_owned(), |key| key.hint());
            println!(
                "  keepsake  {} as {}, {key}",
                settings.url, settings.user_id
            );
        }
        Err(error) => println!("  keepsake  {error:#}"),
    }
    let state = folders.state(client);
    let waiting = Spool::open(&state).and_then(|spool| spool.waiting());
    println!("  waiting   {}", waiting.map_or(0, |waiting| waiting.len()));
    let log = fs::read_to_string(state.join("log")).unwrap_or_default();
    if let Some(last) = log.lines().last() {
        println!("  last      {last} ({})", state.join("log").display());
    }
}
