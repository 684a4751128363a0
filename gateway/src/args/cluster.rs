//! The flags of cluster mode: which objects of which API server, and how they are watched.

use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use latchkey_runtime::api::ApiArgs;

use super::positive;

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
}
