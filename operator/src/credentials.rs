//! Credentials: resolves the Secrets that they name, publishes what gateways look keys up by, and says in
//! their status what became of them.
//!
//! ```text
//! watches -> world -> queue -> take a Credential -> (read its Secret) -> plan -> write its status
//! ```

mod stats;

use std::sync::Arc;

use kube::Client;
use latchkey_core::digest::Pepper;
use latchkey_runtime::watch::Session;
use tokio::sync::watch;

use crate::leadership::Leadership;

pub use stats::{Held, Outcome, Readiness, Stats};

/// Which Credentials and Secrets, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// These namespaces alone, with namespaced requests only; empty: all.
    pub namespaces: Vec<String>,
    /// A label selector that Secrets must fit, or they count as not found.
    pub secret_selector: Option<String>,
    /// The shortest key that is accepted, in bytes.
    pub min_key_length: usize,
    /// How many Credentials are worked on at a time.
    pub concurrency: usize,
}

/// Reconciles Credentials while leading, and keeps up with them while not. Never ends. Nothing is written
/// before the first lists are complete and a pepper is known.
#[allow(clippy::unused_async, reason = "signature first")]
pub async fn run(
    client: Client,
    session: Session,
    leadership: Leadership,
    peppers: watch::Receiver<Vec<Pepper>>,
    config: Config,
    stats: Arc<Stats>,
) {
    let _ = (client, session, leadership, peppers, config, stats);
}
