//! `firstseen dedupe` prints each event of a stream the first time; [`plan`] says what memory that takes.
//!
//! The way of an event: [`input`] brings bytes, a [`format`] finds records in them and reads id and time, [`dedupe`] asks the
//! window and writes to an [`output`]; [`report`] says what happened.

mod args;
mod csv;
mod dedupe;
mod duration;
mod failure;
mod format;
mod input;
mod json;
mod lines;
mod output;
mod path;
mod plan;
mod quantity;
mod report;
mod show;
mod time;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // Help and version; nobody is left to tell that they could not be printed.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            return ExitCode::from(2);
        }
        Err(error) => {
            let text = error.to_string();
            report::say(text.strip_prefix("error: ").unwrap_or(&text).trim_end());
            return ExitCode::from(2);
        }
    };
    let result = match cli.command {
        Command::Dedupe(options) => dedupe::run(&options),
        Command::Plan(options) => plan::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::BrokenPipe) {
                report::say(&failure.to_string());
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
