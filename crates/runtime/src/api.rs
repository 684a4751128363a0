//! How a process talks to its API server: the flags, a client made of them, and one request at a time.
//!
//! ```text
//! ApiArgs -> kube::Client -> send(&client, Call, Limits) -> Answer -> ok() -> json()
//!                               |                             `-> Failure (a Kubernetes Status)
//!                               `-> calls(): how many, by verb and code
//! ```
//!
//! Everybody asks the same way:
//!
//! ```no_run
//! # use latchkey_runtime::api::{ApiError, Call, Limits, send};
//! # async fn example(client: &kube::Client) -> Result<(), ApiError> {
//! let path = "/api/v1/namespaces/latchkey/secrets/latchkey-pepper";
//! let secret: serde_json::Value = send(client, Call::get(path), Limits::default()).await?.ok()?.json()?;
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here retries: who asks knows what a failure means, and [`ApiError::retry_after`] says how long
//! the server wants to be left alone. No body of an object reaches a log line or an error.

mod answer;
mod call;
mod calls;
mod encode;
mod send;

use std::{path::PathBuf, time::Duration};

use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};

pub(crate) use self::send::{open, read, reason};
pub use self::{
    answer::{Answer, Failure},
    call::{Call, Verb},
    calls::{Calls, calls},
    encode::encode,
    send::{ApiError, Limits, send},
};

/// How long a connection may take to be made, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A connection on which nothing came for this long is given up, also while it waits in the pool for its
/// next use: after a silent loss of the network no retry picks up a dead one again. A little longer than
/// the silence that readers bear themselves ([`crate::watch::Tuning::read_timeout`]), for they say more.
const SILENCE: Duration = Duration::from_secs(28);

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
    pub async fn client(&self) -> Result<Client, ConnectError> {
        // One provider for everything in the process. An error: somebody installed it just now.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        }
        let mut config = self.config().await?;
        config.connect_timeout = Some(CONNECT_TIMEOUT);
        config.read_timeout = Some(SILENCE);
        // Callers wait by themselves, and count; a hidden retry would keep them from both.
        config.default_retry = false;
        Client::try_from(config).map_err(|error| ConnectError(reason(&error)))
    }

    async fn config(&self) -> Result<Config, ConnectError> {
        let options = KubeConfigOptions::default();
        let Some(file) = &self.kubeconfig else {
            // In a pod its own account first: a stray ~/.kube/config in an image must not win.
            let in_pod = match Config::incluster() {
                Ok(config) => return Ok(config),
                Err(error) => error,
            };
            return Config::from_kubeconfig(&options).await.map_err(|error| {
                let (error, in_pod) = (reason(&error), reason(&in_pod));
                ConnectError(format!("{error}; nor is this a pod: {in_pod}"))
            });
        };
        let named = |error: &(dyn std::error::Error + 'static)| {
            ConnectError(format!("{}: {}", file.display(), reason(error)))
        };
        let kubeconfig = Kubeconfig::read_from(file).map_err(|error| named(&error))?;
        Config::from_custom_kubeconfig(kubeconfig, &options)
            .await
            .map_err(|error| named(&error))
    }
}

#[cfg(test)]
mod tests;
