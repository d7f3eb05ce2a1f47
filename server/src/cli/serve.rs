//! `keepsake serve`

use std::process::ExitCode;

use anyhow::Result;

use crate::{
    config::Config,
    log,
    serve::{Part, serve},
    stop,
};

pub const EXAMPLE: &str = "Example:\n  keepsake serve\n  KEEPSAKE_LISTEN=0.0.0.0:8080 KEEPSAKE_PUBLIC_URL=https://keepsake.example keepsake serve --no-worker";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Leave the jobs to `keepsake worker`.
    #[arg(long)]
    no_worker: bool,
}

pub async fn run(arguments: Arguments, config: Config) -> Result<ExitCode> {
    log::start(&config.log)?;
    let part = if arguments.no_worker {
        Part::Answers
    } else {
        Part::AnswersAndWorks
    };
    serve(config, part, stop::signal()).await?;
    Ok(ExitCode::SUCCESS)
}
