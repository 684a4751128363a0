//! The process's own log: one line an event, to stderr. Never the access log, never a secret.

mod lines;

use std::{io, time::Duration};

use clap::ValueEnum;
use lines::Lines;
use tracing_subscriber::{EnvFilter, util::SubscriberInitExt};

/// What is logged where `RUST_LOG` is unset or empty. kube's client logs each failed attempt as an error;
/// who asks says it once, with what to do.
const DEFAULT_FILTER: &str = "info,kube_client=off";
/// How long the end of the process waits for the last lines.
const LAST_LINES: Duration = Duration::from_secs(1);

/// How a log line looks (`--log-format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One JSON object a line, for machines.
    #[default]
    Json,
    /// For people.
    Text,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// `RUST_LOG` cannot be read.
    #[error(
        "RUST_LOG=`{filter}` is no log filter: {source}; write levels such as `info` or `warn,latchkey_proxy=debug`"
    )]
    Filter {
        /// The whole text.
        filter: String,
        /// What is wrong with it.
        source: tracing_subscriber::filter::ParseError,
    },
    /// This process already has a log.
    #[error("the log was already set up: {0}; call `telemetry::init` once, first thing in `main`")]
    Again(#[from] tracing_subscriber::util::TryInitError),
    /// No thread for it.
    #[error("the log cannot start: {0}; check the limits of this process (threads)")]
    Thread(#[from] io::Error),
}

/// The log of this process. Its end waits a moment for the last lines.
#[derive(Debug)]
#[must_use = "dropped at once, it promises no last lines"]
pub struct Log(Lines);

impl Log {
    /// Reads how many lines were dropped because nobody took them.
    pub fn drop_counter(&self) -> impl Fn() -> u64 + Send + Sync + use<> {
        let lines = self.0.clone();
        move || lines.dropped()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.flush(LAST_LINES);
    }
}

/// Sets up the log for the whole process; the filter comes from `RUST_LOG`.
///
/// # Errors
/// The filter cannot be read, there is a log already, or no thread can be had.
pub fn init(format: LogFormat) -> Result<Log, TelemetryError> {
    let text = std::env::var_os("RUST_LOG").map(|value| value.to_string_lossy().into_owned());
    let filter = filter(text.as_deref())?;
    let lines = Lines::start(io::stderr())?;
    let builder = tracing_subscriber::fmt()
        .with_writer(lines.clone())
        .with_env_filter(filter);
    match format {
        LogFormat::Json => builder.json().flatten_event(true).finish().try_init()?,
        LogFormat::Text => builder.with_ansi(false).finish().try_init()?,
    }
    Ok(Log(lines))
}

/// A filter; unset and blank mean the default, as everywhere in Unix.
fn filter(text: Option<&str>) -> Result<EnvFilter, TelemetryError> {
    let text = text
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .unwrap_or(DEFAULT_FILTER);
    EnvFilter::try_new(text).map_err(|source| TelemetryError::Filter {
        filter: text.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests;
