//! The operator: resolves Secrets into `Credential.status.published`, and writes what became of every
//! object into its status. Never on the request path.
//!
//! ```text
//! watches -> credentials (world -> plan) --.
//!       `--> routing (Router -> plan) -----+-> status (optimistic PATCH, while leading)
//!            pepper, lease ----------------'
//! ```
//!
//! Plans are pure; loops around them do what they say.

pub mod args;
pub mod credentials;
pub mod leadership;
pub mod lease;
pub mod metrics;
pub mod pepper;
mod refusal;
pub mod routing;
pub mod run;
pub mod status;
#[cfg(test)]
mod testing;
