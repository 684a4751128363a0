//! What a status says of the objects that shape routing, by the same reading as the route table.
//!
//! ```text
//! Router (what is known) -> facts of one object -> gateway, route -> Status
//! ```
//!
//! A message is empty only where all is well; else it names the field and the remedy.

mod features;
pub(crate) mod gateway;
pub(crate) mod route;

use latchkey_core::conditions::{Finding, Status as Truth};

pub use features::supported_features;

use crate::read::Problem;

/// What the status of one object should say, of what is ours in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A Gateway of our class.
    Gateway(GatewayStatus),
    /// An HTTPRoute: one element for each of its parents that is a Gateway of ours, in the order of
    /// `spec.parentRefs`.
    HttpRoute(Vec<ParentStatus>),
    /// An AuthPolicy: one element an ancestor, sorted.
    AuthPolicy(Vec<AncestorStatus>),
}

/// `Gateway.status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayStatus {
    /// `Accepted`, `Programmed`.
    pub conditions: Vec<Finding>,
    /// In the order of `spec.listeners`.
    pub listeners: Vec<ListenerStatus>,
}

/// One of `Gateway.status.listeners`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerStatus {
    /// The listener's name.
    pub name: String,
    /// `supportedKinds`: (group, kind).
    pub supported_kinds: Vec<(&'static str, &'static str)>,
    /// HTTPRoutes attached to it.
    pub attached_routes: usize,
    /// `Accepted`, `Programmed`, `ResolvedRefs`, `Conflicted`.
    pub conditions: Vec<Finding>,
}

/// A reference to a parent or ancestor as `spec` writes it, to be given back as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// `group`, `kind`, `namespace` if written, `name`.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace, if it is written.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// `sectionName`, if it is written.
    pub section: Option<String>,
    /// `port`, if it is written.
    pub port: Option<u16>,
}

/// One of `HTTPRoute.status.parents`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentStatus {
    /// `parentRef`.
    pub parent: Reference,
    /// `Accepted`, `ResolvedRefs`, and `PartiallyInvalid` where it applies.
    pub conditions: Vec<Finding>,
}

/// One of `AuthPolicy.status.ancestors`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AncestorStatus {
    /// `ancestorRef`.
    pub ancestor: Reference,
    /// `Accepted`, `ResolvedRefs` where it applies.
    pub conditions: Vec<Finding>,
}

/// The types of conditions.
pub mod types {
    /// It makes sense, and is served or attached.
    pub const ACCEPTED: &str = "Accepted";
    /// Gateways and listeners: it is served.
    pub const PROGRAMMED: &str = "Programmed";
    /// What it refers to is there and may be used.
    pub const RESOLVED_REFS: &str = "ResolvedRefs";
    /// Listeners: another one cannot be told from it.
    pub const CONFLICTED: &str = "Conflicted";
    /// Routes: some rules are served, and some answer 500.
    pub const PARTIALLY_INVALID: &str = "PartiallyInvalid";
}

/// Most problems that one message names.
const NAMED: usize = 8;

fn finding(type_: &'static str, status: Truth, reason: &'static str, message: String) -> Finding {
    Finding {
        type_,
        status,
        reason,
        message,
    }
}

fn good(type_: &'static str, reason: &'static str) -> Finding {
    finding(type_, Truth::True, reason, String::new())
}

/// What is wrong, as one message that stays within what a condition may hold.
pub(crate) fn joined<'p>(problems: impl IntoIterator<Item = &'p Problem>) -> String {
    let texts: Vec<_> = problems.into_iter().map(Problem::text).collect();
    let (named, rest) = texts.split_at(texts.len().min(NAMED));
    let mut message = named.join("; ");
    if !rest.is_empty() {
        message.push_str(&format!("; and {} more", rest.len()));
    }
    message
}
