//! The flags, their defaults and their environment variables. Owns no behaviour.

mod selector;

use std::{
    io::{self, Write as _},
    net::SocketAddr,
    process::ExitCode,
    time::Duration,
};

use clap::{
    ArgAction, CommandFactory as _, Parser,
    builder::{NonEmptyStringValueParser, RangedU64ValueParser},
    error::{ContextKind, ContextValue},
};
use latchkey_core::publish::{DEFAULT_MIN_KEY_LENGTH, MAX_KEY_LENGTH};
use latchkey_runtime::{api::ApiArgs, args::duration, telemetry::LogFormat};

use crate::run;

/// The Latchkey operator: resolves the Secrets that Credentials name, and says in the status of every
/// object what became of it.
///
/// Every flag can also be set by its environment variable; a flag wins. Durations are whole numbers
/// with units, such as 500ms, 10s or 1m30s. RUST_LOG sets what is logged (default: info).
#[derive(Clone, Debug, Parser)]
#[command(name = "latchkey-operator", version, max_term_width = 110)]
pub struct Args {
    /// Which API server.
    #[command(flatten)]
    pub api: ApiArgs,
    /// Which objects.
    #[command(flatten)]
    pub objects: ObjectArgs,
    /// How they are watched.
    #[command(flatten)]
    pub watches: WatchArgs,
    /// Who leads.
    #[command(flatten)]
    pub leader: LeaderArgs,
    /// How the process lives.
    #[command(flatten)]
    pub process: ProcessArgs,
}

/// Which objects are read, and what counts as ours.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Objects")]
pub struct ObjectArgs {
    /// Watch these namespaces alone, by comma, with requests of theirs alone; GatewayClasses and the
    /// labels of namespaces are then not read [default: all namespaces]
    #[arg(long, env = "LATCHKEY_WATCH_NAMESPACES", value_name = "NAMES", value_delimiter = ',', value_parser = object_name)]
    pub watch_namespaces: Vec<String>,

    /// Namespace of the pepper Secret and of the Lease [default: that of the pod, else of the kubeconfig]
    #[arg(long, env = "LATCHKEY_NAMESPACE", value_name = "NAME", value_parser = object_name)]
    pub namespace: Option<String>,

    /// Secret that holds the peppers of digests; made once if it does not exist
    #[arg(long, env = "LATCHKEY_PEPPER_SECRET", value_name = "NAME", default_value = "latchkey-pepper", value_parser = object_name)]
    pub pepper_secret: String,

    /// Gateways of this class are ours
    #[arg(long, env = "LATCHKEY_GATEWAY_CLASS", value_name = "NAME", default_value = "latchkey", value_parser = NonEmptyStringValueParser::new())]
    pub gateway_class: String,

    /// Only Secrets with these labels may hold keys, as in purpose=api-key [default: all]
    #[arg(long, env = "LATCHKEY_SECRET_SELECTOR", value_name = "LABELS", value_parser = selector::label_selector)]
    pub secret_selector: Option<String>,

    /// Shortest API key that is accepted from a Secret, in bytes
    #[arg(long, env = "LATCHKEY_MIN_KEY_LENGTH", value_name = "BYTES", default_value_t = DEFAULT_MIN_KEY_LENGTH, value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_KEY_LENGTH as u64))]
    pub min_key_length: usize,

    /// Credentials that are worked on at once, and likewise statuses of what shapes routing
    #[arg(long, env = "LATCHKEY_CONCURRENCY", value_name = "N", default_value_t = 16, value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    pub concurrency: usize,
}

/// How objects are watched.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Watching")]
pub struct WatchArgs {
    /// How often everything is listed again, give or take a fifth, whatever was watched meanwhile
    #[arg(long, env = "LATCHKEY_RELIST_INTERVAL", value_name = "DURATION", default_value = "1h", value_parser = positive)]
    pub relist_interval: Duration,

    /// How often the API server is asked whether it is there and was not put back to an older state
    #[arg(long, env = "LATCHKEY_CONTACT_INTERVAL", value_name = "DURATION", default_value = "10s", value_parser = positive)]
    pub contact_interval: Duration,
}

/// Which of several operators writes.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Leader election")]
pub struct LeaderArgs {
    /// Write only while holding a Lease, as several operators must; false: be the only one
    #[arg(
        long,
        env = "LATCHKEY_LEADER_ELECT",
        value_name = "true|false",
        default_value_t = true,
        default_missing_value = "true",
        num_args = 0..=1,
        require_equals = true,
        action = ArgAction::Set
    )]
    pub leader_elect: bool,

    /// The Lease
    #[arg(long, env = "LATCHKEY_LEASE_NAME", value_name = "NAME", default_value = "latchkey-operator", value_parser = object_name)]
    pub lease_name: String,

    /// How long others wait for a leader that went silent; the same for all operators of a Lease. It is
    /// renewed every 2/15 of this, and who cannot renew it for 2/3 of this stops writing
    #[arg(long, env = "LATCHKEY_LEASE_DURATION", value_name = "DURATION", default_value = "15s", value_parser = lease_duration)]
    pub lease_duration: Duration,
}

/// How the process reports.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Process")]
pub struct ProcessArgs {
    /// Address of the admin server: /livez, /readyz and /metrics. It asks for no credentials; in a pod
    /// it is the pod's address, for probes
    #[arg(
        long,
        env = "LATCHKEY_ADMIN",
        value_name = "ADDR:PORT",
        default_value = "127.0.0.1:9290"
    )]
    pub admin: SocketAddr,

    /// Form of the process's own log on standard error
    #[arg(long, env = "LATCHKEY_LOG_FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
}

impl Args {
    /// The flags of this process. Wrong ones end it with what is wrong, usage, and code 2.
    pub fn of_this_process() -> Self {
        Self::try_parse().unwrap_or_else(|mut error| {
            // clap shows usage with an unknown flag, but not with a value that it cannot use.
            if error.use_stderr() && error.get(ContextKind::Usage).is_none() {
                let usage = Self::command().render_usage();
                error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
            }
            error.exit()
        })
    }

    /// Runs until the end of the process; what goes wrong ends it with one line and code 1.
    pub fn run(self) -> ExitCode {
        match run::run(&self) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // There may be no log yet, and people look here. If nobody can read it, the code still says it.
                let _ = writeln!(io::stderr(), "latchkey-operator: {error}");
                ExitCode::FAILURE
            }
        }
    }
}

/// A name as the API has them (RFC 1123): they become parts of paths.
fn object_name(text: &str) -> Result<String, String> {
    let fits = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    let inside = |c: u8| fits(c) || c == b'-' || c == b'.';
    let ends = text.bytes().next().is_some_and(fits) && text.bytes().last().is_some_and(fits);
    if ends && text.len() <= 253 && text.bytes().all(inside) {
        return Ok(text.to_owned());
    }
    Err(
        "write lower-case letters, digits, `-` and `.`, beginning and ending with one of the first two"
            .to_owned(),
    )
}

/// A duration that is not zero: without a pause nothing else would be asked.
fn positive(text: &str) -> Result<Duration, String> {
    match duration(text).map_err(|error| error.to_string())? {
        Duration::ZERO => Err("it must be more than zero".to_owned()),
        duration => Ok(duration),
    }
}

/// Below a second the Lease's own unit is too coarse; beyond an hour nobody would be believed.
fn lease_duration(text: &str) -> Result<Duration, String> {
    let duration = duration(text).map_err(|error| error.to_string())?;
    if !(Duration::from_secs(1)..=Duration::from_secs(3600)).contains(&duration) {
        return Err("it must be from 1s to 1h".to_owned());
    }
    Ok(duration)
}

#[cfg(test)]
mod tests;
