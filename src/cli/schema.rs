//! `bughoused schema`: what programs need to know of the configuration and of the bus.
//!
//! In: which document. Out: JSON on stdout, made from the types of this very program.

use std::io::Write;

use serde_json::Value;

use super::{Exit, Failure, Outcome, written};
use crate::{daemon::config, publish::contract};

/// Print the JSON Schema of the configuration or of the events, or the AsyncAPI document of the bus
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Which document
    #[arg(value_enum)]
    document: Document,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Document {
    /// JSON Schema of the configuration file
    Config,
    /// JSON Schema of live/event and arbiter/incident
    Events,
    /// AsyncAPI 3: every topic with the schema of its payload
    Asyncapi,
}

/// Prints the document.
pub fn run(args: &Args, out: &mut dyn Write) -> Outcome {
    let document: Value = match args.document {
        Document::Config => config::schema(),
        Document::Events => contract::event_schema(),
        Document::Asyncapi => contract::asyncapi(),
    };
    let text = serde_json::to_string_pretty(&document).map_err(|e| Failure::new(Exit::Failed, e))?;
    written(writeln!(out, "{text}"))
}
