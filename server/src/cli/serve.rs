//! `keepsake serve`

use std::process::ExitCode;

use anyhow::Result;

use crate::{
    config::Config,
    log,
    serve::{Part, serve},
    stop,
};

pub const EXAMPLE: &str = "Example:\n  keepsake serve\n  keepsake serve --demo\n  KEEPSAKE_LISTEN=0.0.0.0:8080 KEEPSAKE_PUBLIC_URL=https://keepsake.example keepsake serve --no-worker";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Leave the jobs to `keepsake worker`.
    #[arg(long)]
    no_worker: bool,
    /// Fill an agent named `demo` with made-up people first, to look around with.
    #[arg(long)]
    demo: bool,
}

pub async fn run(arguments: Arguments, config: Config) -> Result<ExitCode> {
    log::start(&config.log)?;
    let part = if arguments.no_worker {
        Part::Answers
    } else {
        Part::AnswersAndWorks
    };
    let demo = arguments.demo;
    serve(config, part, demo, stop::signal).await?;
    Ok(ExitCode::SUCCESS)
}
