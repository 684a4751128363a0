//! What is wrong inside an object that can be read: it closes its part, not the object.

use latchkey_core::decode::shown_field;

use super::fields;

/// The reason of a condition: Gateway API's names where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// A field, filter or enum value that this version does not do, or cannot read.
    UnsupportedValue,
    /// A reference to a kind that cannot be referenced here.
    InvalidKind,
    /// Filters that exclude each other.
    IncompatibleFilters,
    /// A Service (or its port) that does not exist.
    BackendNotFound,
    /// No ReferenceGrant permits the reference.
    RefNotPermitted,
    /// A protocol that this version does not speak.
    UnsupportedProtocol,
    /// Kinds of routes that cannot attach.
    InvalidRouteKinds,
    /// No Gateway or listener is what a parentRef names.
    NoMatchingParent,
    /// The listener does not admit routes of the namespace or kind.
    NotAllowedByListeners,
    /// No listener shares a hostname with the route.
    NoMatchingListenerHostname,
    /// A Gateway's parameters, which this version does not read.
    InvalidParameters,
    /// An address of its own that a Gateway asks for.
    AddressNotUsable,
    /// An older Gateway has the port.
    PortUnavailable,
    /// Two listeners of one Gateway cannot be told apart by hostname.
    HostnameConflict,
    /// Listeners of different protocols share a port.
    ProtocolConflict,
    /// An older policy has the target.
    Conflicted,
    /// A policy cannot be honoured, or an object cannot be read.
    Invalid,
    /// A policy's target does not exist.
    TargetNotFound,
}

impl Reason {
    /// The text in conditions and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnsupportedValue => "UnsupportedValue",
            Self::InvalidKind => "InvalidKind",
            Self::IncompatibleFilters => "IncompatibleFilters",
            Self::BackendNotFound => "BackendNotFound",
            Self::RefNotPermitted => "RefNotPermitted",
            Self::UnsupportedProtocol => "UnsupportedProtocol",
            Self::InvalidRouteKinds => "InvalidRouteKinds",
            Self::NoMatchingParent => "NoMatchingParent",
            Self::NotAllowedByListeners => "NotAllowedByListeners",
            Self::NoMatchingListenerHostname => "NoMatchingListenerHostname",
            Self::InvalidParameters => "InvalidParameters",
            Self::AddressNotUsable => "AddressNotUsable",
            Self::PortUnavailable => "PortUnavailable",
            Self::HostnameConflict => "HostnameConflict",
            Self::ProtocolConflict => "ProtocolConflict",
            Self::Conflicted => "Conflicted",
            Self::Invalid => "Invalid",
            Self::TargetNotFound => "TargetNotFound",
        }
    }
}

/// One thing that is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The condition's reason.
    pub reason: Reason,
    /// The field's path; empty for the object as a whole.
    pub path: String,
    /// What is wrong and the remedy.
    pub message: String,
}

impl Problem {
    /// Something wrong with the value itself.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            path: String::new(),
            message: message.into(),
        }
    }

    /// Something that this version does not do.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Reason::UnsupportedValue, message)
    }

    /// A field that this version does not know.
    pub fn unknown_field(field: &str) -> Self {
        match shown_field(field) {
            Some(field) => Self::unsupported("is not supported by this version; remove it").under(field),
            None => Self::unsupported("has a field that this version does not support; remove it"),
        }
    }

    /// The same, seen from the object that has the value under `field`.
    #[must_use]
    pub fn under(mut self, field: &str) -> Self {
        fields::prefix(&mut self.path, field);
        self
    }

    /// The path and the message.
    pub fn text(&self) -> String {
        if self.path.is_empty() {
            self.message.clone()
        } else {
            format!("{}: {}", self.path, self.message)
        }
    }
}

/// Problems of one element, as its list sees them.
pub(super) fn at(problems: Vec<Problem>, list: &str, index: usize) -> impl Iterator<Item = Problem> {
    let place = format!("{list}[{index}]");
    problems.into_iter().map(move |problem| problem.under(&place))
}
