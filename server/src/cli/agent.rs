//! `keepsake agent`

use std::process::ExitCode;

use anyhow::Result;
use domain::{
    agent::{AgentName, AgentSettings},
    permission::Permission,
};

use super::permit;
use crate::config::Config;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Make an agent.
    #[command(after_help = "Example:\n  keepsake agent create support")]
    Create {
        /// 1 to 64 of a-z, 0-9, - and _.
        name: AgentName,
    },
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    let Command::Create { name } = command;
    let engine = super::engine(&config).await?;
    let permit = permit(Permission::Administer);
    let agent = engine
        .create_agent(&permit, name, AgentSettings::default())
        .await?;
    engine.db().close().await;
    println!("{}", agent.name);
    Ok(ExitCode::SUCCESS)
}
