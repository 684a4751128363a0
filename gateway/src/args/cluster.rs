//! The flags of cluster mode: which objects of which API server, and how they are watched.

use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use latchkey_runtime::api::ApiArgs;

use super::positive;

/// The least value of `--max-staleness`.
const MIN_STALENESS: Duration = Duration::from_secs(60);
/// How many contacts must fail before what is known counts as too old.
const CONTACTS: u32 = 3;

/// How an API server is watched.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Cluster (without --standalone)")]
pub struct ClusterArgs {
    /// Which API server.
    #[command(flatten)]
    pub api: ApiArgs,

    /// Serve objects of these namespaces only, by requests to these alone; Namespaces are then not
    /// read [default: all]
    #[arg(long, env = "LATCHKEY_WATCH_NAMESPACES", value_name = "NAMESPACE,...", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub watch_namespaces: Vec<String>,

    /// Namespace of the pepper Secret [default: that of the pod, or of the kubeconfig's context]
    #[arg(long, env = "LATCHKEY_NAMESPACE", value_name = "NAMESPACE", value_parser = NonEmptyStringValueParser::new())]
    pub namespace: Option<String>,

    /// Secret that holds the peppers under which the operator publishes keys
    #[arg(long, env = "LATCHKEY_PEPPER_SECRET", value_name = "NAME", default_value = "latchkey-pepper", value_parser = NonEmptyStringValueParser::new())]
    pub pepper_secret: String,

    /// How often everything is listed again, give or take a fifth, whatever was watched meanwhile
    #[arg(long, env = "LATCHKEY_RELIST_INTERVAL", value_name = "DURATION", default_value = "1h", value_parser = positive)]
    pub relist_interval: Duration,

    /// How often the API server is asked whether it is there and was not put back to an older state
    #[arg(long, env = "LATCHKEY_CONTACT_INTERVAL", value_name = "DURATION", default_value = "10s", value_parser = positive)]
    pub contact_interval: Duration,

    /// Answer 503 to requests that need a credential once the API server was not heard of for this
    /// long, at least 1m [default: serve what is known for as long as it takes]
    #[arg(long, env = "LATCHKEY_MAX_STALENESS", value_name = "DURATION", value_parser = staleness)]
    pub max_staleness: Option<Duration>,
}

impl ClusterArgs {
    /// What clap cannot check: one lost answer must not close all doors.
    ///
    /// # Errors
    /// Which flag contradicts which.
    pub fn check(&self) -> Result<(), String> {
        match self.max_staleness {
            Some(longest) if longest < self.contact_interval * CONTACTS => Err(format!(
                "--max-staleness is shorter than {CONTACTS} times --contact-interval; raise it, or ask more often"
            )),
            _ => Ok(()),
        }
    }
}

/// A duration of at least [`MIN_STALENESS`].
fn staleness(text: &str) -> Result<Duration, String> {
    match positive(text)? {
        longest if longest < MIN_STALENESS => {
            Err("it must be at least 1m: an API server may be away for less".to_owned())
        }
        longest => Ok(longest),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::args::Args;

    fn check(flags: &[&str]) -> Result<(), String> {
        let args = Args::try_parse_from(["latchkey-gateway"].iter().chain(flags));
        args.map_err(|error| error.to_string())?.cluster.check()
    }

    #[test]
    fn how_stale_things_may_be_has_a_least_value_and_leaves_room_for_lost_answers() {
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&["--max-staleness", "60s"]), Ok(()));
        let short = check(&["--max-staleness", "59s"]).unwrap_err();
        assert!(short.contains("at least 1m"), "{short}");
        let rare = check(&["--max-staleness", "2m", "--contact-interval", "41s"]).unwrap_err();
        assert!(rare.contains("--contact-interval"), "{rare}");
    }
}
