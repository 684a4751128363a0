//! Conditions of a status: what is true now, merged into what stands there.
//!
//! ```text
//! CredentialFindings -> credential::conditions -> Finding.. -> merge (+ what stands) -> status.conditions
//! ```

mod credential;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

pub use credential::{CredentialFindings, CredentialReason, SecretFinding, SpecFinding, conditions, types};

/// The status of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is so.
    True,
    /// It is not so.
    False,
    /// Nobody can say now.
    Unknown,
}

impl Status {
    /// The text in a status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// A condition as it is found now, without its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The condition's type, such as `Ready`.
    pub type_: &'static str,
    /// Whether it is so.
    pub status: Status,
    /// Why, in one CamelCase word.
    pub reason: &'static str,
    /// Why, and what to do.
    pub message: String,
}

/// The conditions to write: what was found at `generation` in its order, then what stands of other
/// types, as it stands. A condition's `lastTransitionTime` moves to `now` only where its status is
/// another than it was; so findings that say nothing new give back what stands, and nothing need be
/// written.
pub fn merge(
    standing: &[Condition],
    found: Vec<Finding>,
    generation: Option<i64>,
    now: &Time,
) -> Vec<Condition> {
    let others: Vec<_> = standing
        .iter()
        .filter(|old| found.iter().all(|new| new.type_ != old.type_))
        .cloned()
        .collect();
    let ours = found.into_iter().map(|new| {
        let since = standing
            .iter()
            .find(|old| old.type_ == new.type_ && old.status == new.status.as_str())
            .map_or(now, |old| &old.last_transition_time);
        Condition {
            last_transition_time: since.clone(),
            message: new.message,
            observed_generation: generation,
            reason: new.reason.to_owned(),
            status: new.status.as_str().to_owned(),
            type_: new.type_.to_owned(),
        }
    });
    ours.chain(others).collect()
}

#[cfg(test)]
mod tests;
