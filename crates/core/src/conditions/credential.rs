//! A Credential's conditions, as a function of what is known about it.

use super::{Finding, Status};
use crate::{object::ObjectName, publish::KeyRefusal};

/// The types of a Credential's conditions.
pub mod types {
    /// The spec makes sense.
    pub const ACCEPTED: &str = "Accepted";
    /// What the spec refers to is there and usable.
    pub const RESOLVED_REFS: &str = "ResolvedRefs";
    /// An older Credential of the namespace owns the key.
    pub const CONFLICTED: &str = "Conflicted";
    /// The sum of the others.
    pub const READY: &str = "Ready";
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident,)+) => {
        /// Why a condition of a Credential is what it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CredentialReason { $($(#[$doc])* $variant,)+ }

        impl CredentialReason {
            /// The text in a status.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)+ }
            }
        }
    };
}

reasons! {
    /// The spec is in order.
    Accepted,
    /// The spec names no method.
    NoMethod,
    /// The spec breaks a rule or has a field that this version does not know.
    Invalid,
    /// All references resolve.
    ResolvedRefs,
    /// There is no Consumer of this name.
    ConsumerNotFound,
    /// There is no Secret of this name.
    SecretNotFound,
    /// The Secret has no such data key.
    SecretKeyMissing,
    /// The Secret's value cannot be a key.
    InvalidKey,
    /// The Secret could not be read just now.
    SecretUnreadable,
    /// Nobody else in the namespace has the key, or only younger ones.
    NoConflict,
    /// An older Credential of the namespace has the same key.
    Conflicted,
    /// Everything is in order.
    Ready,
}

/// What is known about a Credential.
#[derive(Clone, Copy, Debug)]
pub struct CredentialFindings<'a> {
    /// What its spec says.
    pub spec: SpecFinding<'a>,
    /// The Consumer that the spec names.
    pub consumer: &'a ObjectName,
    /// Whether that Consumer exists.
    pub consumer_exists: bool,
    /// The name of the Credential of this namespace that owns the key, if that is another one.
    pub owner: Option<&'a str>,
}

/// What a Credential's spec says.
#[derive(Clone, Copy, Debug)]
pub enum SpecFinding<'a> {
    /// It cannot be read, or breaks a rule: the message of the decoding error.
    Invalid(&'a str),
    /// It names no method.
    NoMethod,
    /// It holds the key's hash itself.
    Inline,
    /// It refers to a data key (the second text) of a Secret (the first).
    Secret(&'a str, &'a str, SecretFinding<'a>),
}

/// What became of reading a Secret.
#[derive(Clone, Copy, Debug)]
pub enum SecretFinding<'a> {
    /// Its value is a key.
    Usable,
    /// It does not exist.
    NotFound,
    /// None of this name fits the label selector that Secrets must fit to be read.
    NotSelected(&'a str),
    /// It is being deleted.
    Terminating,
    /// It has no such data key.
    KeyMissing,
    /// Its value cannot be a key.
    Refused(KeyRefusal),
    /// Reading it failed: what was published before stays until a read succeeds.
    ReadFailed,
}

/// The conditions `Accepted`, `ResolvedRefs`, `Conflicted` and `Ready`, in this order.
pub fn conditions(findings: CredentialFindings<'_>) -> Vec<Finding> {
    let parts = [accepted(findings), resolved_refs(findings), conflicted(findings)];
    let ready = ready(&parts);
    parts.into_iter().chain([ready]).collect()
}

fn accepted(findings: CredentialFindings<'_>) -> Finding {
    let (status, reason, message) = match findings.spec {
        SpecFinding::Invalid(message) => (Status::False, CredentialReason::Invalid, message.to_owned()),
        SpecFinding::NoMethod => (
            Status::False,
            CredentialReason::NoMethod,
            "spec has no method; add apiKey".to_owned(),
        ),
        SpecFinding::Inline | SpecFinding::Secret(..) => {
            (Status::True, CredentialReason::Accepted, String::new())
        }
    };
    finding(types::ACCEPTED, status, reason, message)
}

fn resolved_refs(findings: CredentialFindings<'_>) -> Finding {
    if let SpecFinding::Invalid(_) = findings.spec {
        let message = "spec cannot be read".to_owned();
        return finding(
            types::RESOLVED_REFS,
            Status::Unknown,
            CredentialReason::Invalid,
            message,
        );
    }
    let consumer = (!findings.consumer_exists).then(|| {
        let message = format!("Consumer {} does not exist; create it", findings.consumer);
        (Status::False, CredentialReason::ConsumerNotFound, message)
    });
    let secret = match findings.spec {
        SpecFinding::Secret(name, key, secret) => secret_problem(name, key, secret),
        SpecFinding::Invalid(_) | SpecFinding::NoMethod | SpecFinding::Inline => None,
    };
    // What is certainly wrong gives the reason; the message names all there is.
    let mut problems: Vec<_> = consumer.into_iter().chain(secret).collect();
    problems.sort_by_key(|(status, ..)| *status != Status::False);
    let Some(&(status, reason, _)) = problems.first() else {
        return finding(
            types::RESOLVED_REFS,
            Status::True,
            CredentialReason::ResolvedRefs,
            String::new(),
        );
    };
    let messages: Vec<_> = problems.into_iter().map(|(_, _, message)| message).collect();
    finding(types::RESOLVED_REFS, status, reason, messages.join("; "))
}

fn secret_problem(
    name: &str,
    key: &str,
    secret: SecretFinding<'_>,
) -> Option<(Status, CredentialReason, String)> {
    Some(match secret {
        SecretFinding::Usable => return None,
        SecretFinding::NotFound => (
            Status::False,
            CredentialReason::SecretNotFound,
            format!("Secret {name} does not exist; create it with data key {key}"),
        ),
        SecretFinding::NotSelected(selector) => (
            Status::False,
            CredentialReason::SecretNotFound,
            format!(
                "Secret {name} does not exist or does not fit the operator's --secret-selector {selector}; create it \
                 with data key {key}, or label it"
            ),
        ),
        SecretFinding::Terminating => (
            Status::False,
            CredentialReason::SecretNotFound,
            format!("Secret {name} is being deleted; create it again with data key {key} once it is gone"),
        ),
        SecretFinding::KeyMissing => (
            Status::False,
            CredentialReason::SecretKeyMissing,
            format!("Secret {name} has no data key {key}; add it, or correct spec.apiKey.secretKeyRef.key"),
        ),
        SecretFinding::Refused(refusal) => (
            Status::False,
            CredentialReason::InvalidKey,
            format!("Secret {name}, data key {key}: {refusal}"),
        ),
        SecretFinding::ReadFailed => (
            Status::Unknown,
            CredentialReason::SecretUnreadable,
            format!("Secret {name} could not be read; what was published before holds until it can"),
        ),
    })
}

fn conflicted(findings: CredentialFindings<'_>) -> Finding {
    let (status, reason, message) = match findings.owner {
        Some(owner) => (
            Status::True,
            CredentialReason::Conflicted,
            format!(
                "Credential {owner} of this namespace is older and has the same key; use another key in spec.apiKey"
            ),
        ),
        None => (Status::False, CredentialReason::NoConflict, String::new()),
    };
    finding(types::CONFLICTED, status, reason, message)
}

/// The sum: not ready for the first reason that certainly stands against it, else unknown for the
/// first that may.
fn ready(parts: &[Finding]) -> Finding {
    let against = |part: &&Finding| {
        let bad = if part.type_ == types::CONFLICTED {
            Status::True
        } else {
            Status::False
        };
        part.status == bad
    };
    let unknown = |part: &&Finding| part.status == Status::Unknown;
    let (status, cause) = match parts.iter().find(against) {
        Some(part) => (Status::False, part),
        None => match parts.iter().find(unknown) {
            Some(part) => (Status::Unknown, part),
            None => return finding(types::READY, Status::True, CredentialReason::Ready, String::new()),
        },
    };
    Finding {
        type_: types::READY,
        status,
        reason: cause.reason,
        message: cause.message.clone(),
    }
}

fn finding(type_: &'static str, status: Status, reason: CredentialReason, message: String) -> Finding {
    Finding {
        type_,
        status,
        reason: reason.as_str(),
        message,
    }
}

#[cfg(test)]
mod tests;
