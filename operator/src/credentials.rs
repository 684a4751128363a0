//! Credentials: resolves the Secrets that they name, publishes what gateways look keys up by, and says in
//! their status what became of them.
//!
//! ```text
//! watches -> world -> queue -> take a Credential -> (read its Secret) -> plan -> write its status
//! ```

mod claims;
mod complaints;
mod known;
mod plan;
mod queue;
mod read;
mod reconcile;
mod run;
mod secret;
mod sources;
mod standing;
mod stats;
mod store;
#[cfg(test)]
mod testing;
mod world;

pub use run::run;
pub use sources::kind_of;
pub use stats::{Held, Outcome, Readiness, Stats};

/// Which Credentials and Secrets, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// These namespaces alone, with namespaced requests only; empty: all.
    pub namespaces: Vec<String>,
    /// A label selector that Secrets must fit, or they count as not found.
    pub secret_selector: Option<String>,
    /// The shortest key that is accepted, in bytes. A longer minimum than before says nothing of keys that
    /// were published already, until their Secret changes: Secrets are not read again for it.
    pub min_key_length: usize,
    /// How many Credentials are worked on at a time.
    pub concurrency: usize,
}
