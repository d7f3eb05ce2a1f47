//! `keepsake hook status`: without the network, so that it tells how it is while Keepsake is away.

use std::{fs, io, path::Path, process::ExitCode};

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
    let state = folders.state(client);
    match Settings::find(&file, None, None) {
        Ok(settings) => {
            let key = domain::key::ApiKey::parse(settings.api_key.reveal());
            let key = key.map_or_else(|| "no key".to_owned(), |key| key.hint());
            println!(
                "  keepsake  {} as {}, {key}",
                settings.url, settings.user_id
            );
            match waiting(&state, &settings) {
                Ok((here, 0)) => println!("  waiting   {here}"),
                Ok((here, other)) => {
                    println!("  waiting   {here}, and {other} for another address or key");
                }
                Err(error) => println!("  waiting   {error}"),
            }
        }
        Err(error) => println!("  keepsake  {error:#}"),
    }
    let log = fs::read_to_string(state.join("log")).unwrap_or_default();
    if let Some(last) = log.lines().last() {
        println!("  last      {last} ({})", state.join("log").display());
    }
}

/// How many deliveries wait for what the settings name, and how many for others.
fn waiting(state: &Path, settings: &Settings) -> io::Result<(usize, usize)> {
    let spool = Spool::open(state, &settings.destination())?;
    let here = spool.waiting()?.len();
    // A hook may be sending meanwhile.
    let other = spool.waiting_anywhere()?.len().saturating_sub(here);
    Ok((here, other))
}
