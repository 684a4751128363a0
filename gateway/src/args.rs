//! The flags, their defaults and their environment variables. Owns no behaviour.

pub mod cluster;
pub mod listen;
pub mod proxy;

use std::{
    io::{self, Write as _},
    net::SocketAddr,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use clap::{
    CommandFactory as _, Parser, ValueEnum,
    builder::{NonEmptyStringValueParser, RangedU64ValueParser},
    error::{ContextKind, ContextValue, ErrorKind},
};
use latchkey_core::publish::{DEFAULT_MIN_KEY_LENGTH, MAX_KEY_LENGTH};
use latchkey_proxy::AccessLogMode;
use latchkey_runtime::{args::duration, telemetry::LogFormat};

use crate::run;

/// An API gateway for very many consumers, whose keys change all the time.
///
/// Every flag can also be set by its environment variable; a flag wins. Durations are whole numbers
/// with units, such as 500ms, 10s or 1m30s. RUST_LOG sets what is logged (default: info).
#[derive(Clone, Debug, Parser)]
#[command(name = "latchkey-gateway", version, max_term_width = 110)]
pub struct Args {
    /// Where objects come from.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How an API server is watched.
    #[command(flatten)]
    pub cluster: cluster::ClusterArgs,
    /// Where to listen.
    #[command(flatten)]
    pub listen: listen::ListenArgs,
    /// How requests are served.
    #[command(flatten)]
    pub proxy: proxy::ProxyArgs,
    /// How the process lives.
    #[command(flatten)]
    pub process: ProcessArgs,
}

/// Where objects come from, and what counts as ours.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Objects")]
pub struct SourceArgs {
    /// Read all objects from the *.yaml and *.yml files of this folder; no cluster is needed
    /// [default: watch an API server]
    #[arg(long, env = "LATCHKEY_STANDALONE", value_name = "DIR", conflicts_with_all = ["kubeconfig", "watch_namespaces", "namespace", "pepper_secret", "relist_interval", "contact_interval", "max_staleness"])]
    pub standalone: Option<PathBuf>,

    /// How often the whole folder is looked at, for changes that the system did not tell
    #[arg(long, env = "LATCHKEY_STANDALONE_POLL_INTERVAL", value_name = "DURATION", default_value = "10s", value_parser = positive, requires = "standalone")]
    pub standalone_poll_interval: Duration,

    /// Gateways of this class are served
    #[arg(long, env = "LATCHKEY_GATEWAY_CLASS", value_name = "NAME", default_value = "latchkey", value_parser = NonEmptyStringValueParser::new())]
    pub gateway_class: String,

    /// What becomes of a route that no AuthPolicy protects
    #[arg(long, env = "LATCHKEY_UNPROTECTED_ROUTES", value_enum, default_value_t)]
    pub unprotected_routes: UnprotectedRoutes,

    /// Shortest API key that is accepted from a Secret of the folder, in bytes (in a cluster the operator
    /// is told)
    #[arg(long, env = "LATCHKEY_MIN_KEY_LENGTH", value_name = "BYTES", default_value_t = DEFAULT_MIN_KEY_LENGTH, value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_KEY_LENGTH as u64), requires = "standalone")]
    pub min_key_length: usize,

    /// How often to begin comparing what requests read of Consumers and Credentials with the objects
    /// themselves, and to repair what differs; 0s: never
    #[arg(long, env = "LATCHKEY_SELF_CHECK_INTERVAL", value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub self_check_interval: Duration,
}

/// How the process starts, reports and ends.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Process")]
pub struct ProcessArgs {
    /// Address of the admin server: /livez, /readyz, /metrics and /debug/index. It asks for no
    /// credentials; in a pod it is the pod's address, for probes
    #[arg(
        long,
        env = "LATCHKEY_ADMIN",
        value_name = "ADDR:PORT",
        default_value = "127.0.0.1:9190"
    )]
    pub admin: SocketAddr,

    /// How long to go on accepting connections after SIGTERM, while others learn that this process
    /// leaves; a second signal ends it at once
    #[arg(long, env = "LATCHKEY_DRAIN_DELAY", value_name = "DURATION", default_value = "5s", value_parser = duration)]
    pub drain_delay: Duration,

    /// How long to wait after that for requests to finish
    #[arg(long, env = "LATCHKEY_DRAIN_TIMEOUT", value_name = "DURATION", default_value = "20s", value_parser = duration)]
    pub drain_timeout: Duration,

    /// Which requests are logged to standard output, a JSON object a line
    #[arg(long, env = "LATCHKEY_ACCESS_LOG", value_enum, default_value_t)]
    pub access_log: AccessLog,

    /// Form of the process's own log on standard error
    #[arg(long, env = "LATCHKEY_LOG_FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,

    /// How often the text of /metrics is rendered
    #[arg(long, env = "LATCHKEY_METRICS_REFRESH_INTERVAL", value_name = "DURATION", default_value = "15s", value_parser = positive)]
    pub metrics_refresh_interval: Duration,
}

/// What becomes of a route without a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum UnprotectedRoutes {
    /// It is served, as Gateway API says
    #[default]
    Allow,
    /// It answers 503
    Deny,
}

/// Which requests are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AccessLog {
    /// None
    Off,
    /// Those that the gateway answered by itself
    #[default]
    Denied,
    /// All
    All,
}

impl From<AccessLog> for AccessLogMode {
    fn from(value: AccessLog) -> Self {
        match value {
            AccessLog::Off => Self::Off,
            AccessLog::Denied => Self::Denied,
            AccessLog::All => Self::All,
        }
    }
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

    /// Runs until the end of the process. Flags that contradict each other end it with usage and code
    /// 2, as wrong ones do; what goes wrong later with one line and code 1.
    pub fn run(self) -> ExitCode {
        if let Err(problem) = self.listen.check().and_then(|()| self.cluster.check()) {
            Self::command().error(ErrorKind::ValueValidation, problem).exit();
        }
        match run::run(&self) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // There may be no log yet, and people look here. If nobody can read it, the code still says it.
                let _ = writeln!(io::stderr(), "latchkey-gateway: {error}");
                ExitCode::FAILURE
            }
        }
    }
}

/// A duration that is not zero.
pub(crate) fn positive(text: &str) -> Result<Duration, String> {
    match duration(text) {
        Ok(Duration::ZERO) => Err("it must be more than zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
