//! What a status says of the objects that shape routing, by the same reading as the route table.

use latchkey_core::{conditions::Finding, object::ObjectName};

use crate::{object::Kind, router::Router};

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

impl Router {
    /// Objects of which [`Router::status`] may say something else since this was last asked. Asked after
    /// a commit.
    pub fn take_status_changes(&mut self) -> Vec<(Kind, ObjectName)> {
        unimplemented!()
    }

    /// What an object's status should say; `None`: it is not there, or nothing of it is ours.
    pub fn status(&self, kind: Kind, name: &ObjectName) -> Option<Status> {
        let _ = (kind, name);
        unimplemented!()
    }
}
