//! How a process reaches its API server: the flags, and a client made of them.

use std::path::PathBuf;

use kube::Client;

/// Which API server.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "API server")]
pub struct ApiArgs {
    /// Kubeconfig of the API server [default: that of the pod, else KUBECONFIG or ~/.kube/config]
    #[arg(long, env = "LATCHKEY_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
}

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
#[error("cannot tell which API server to use: {0}; run in a pod, or name a kubeconfig with --kubeconfig")]
pub struct ConnectError(String);

impl ApiArgs {
    /// A client, which connects when it is first used. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// No configuration, or one that cannot be used.
    #[allow(clippy::unused_async, reason = "skeleton")]
    pub async fn client(&self) -> Result<Client, ConnectError> {
        unimplemented!()
    }
}
