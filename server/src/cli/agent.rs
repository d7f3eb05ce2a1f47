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
    /// Print the names of all agents, one a line.
    #[command(after_help = "Example:\n  keepsake agent list")]
    List,
}

pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    let engine = super::engine(&config).await?;
    let agents = match command {
        Command::Create { name } => {
            let permit = permit(Permission::Administer);
            let settings = AgentSettings::default();
            vec![engine.create_agent(&permit, name, settings).await?]
        }
        Command::List => engine.agents(&permit(Permission::ReadAgents)).await?,
    };
    engine.db().close().await;
    for agent in agents {
        println!("{}", agent.name);
    }
    Ok(ExitCode::SUCCESS)
}
