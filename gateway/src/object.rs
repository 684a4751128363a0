//! The kinds of objects that a gateway reads, wherever they come from, and what identifies one.

use std::fmt;

use latchkey_core::object::ObjectName;
use latchkey_index::object::Kind as IndexKind;
use latchkey_routing::object::Kind as RouterKind;

/// The group of the Gateway API.
pub const GATEWAY_GROUP: &str = "gateway.networking.k8s.io";

/// The kinds that a gateway reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the Kubernetes kind of that name")]
pub enum Kind {
    Consumer,
    Credential,
    Secret,
    Gateway,
    HttpRoute,
    ReferenceGrant,
    AuthPolicy,
    Service,
    EndpointSlice,
    Namespace,
}

/// Each kind, as manifests spell it, its group, and the versions that are read.
pub const KINDS: [(Kind, &str, &str, &[&str]); 10] = [
    (Kind::Consumer, "Consumer", "latchkey.dev", &["v1alpha1"]),
    (Kind::Credential, "Credential", "latchkey.dev", &["v1alpha1"]),
    (Kind::AuthPolicy, "AuthPolicy", "latchkey.dev", &["v1alpha1"]),
    (Kind::Gateway, "Gateway", GATEWAY_GROUP, &["v1", "v1beta1"]),
    (Kind::HttpRoute, "HTTPRoute", GATEWAY_GROUP, &["v1", "v1beta1"]),
    (
        Kind::ReferenceGrant,
        "ReferenceGrant",
        GATEWAY_GROUP,
        &["v1", "v1beta1"],
    ),
    (Kind::Secret, "Secret", "", &["v1"]),
    (Kind::Service, "Service", "", &["v1"]),
    (Kind::Namespace, "Namespace", "", &["v1"]),
    (Kind::EndpointSlice, "EndpointSlice", "discovery.k8s.io", &["v1"]),
];

impl Kind {
    /// As manifests spell it.
    pub fn as_str(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, name, ..)| name)
    }

    /// The `apiVersion` that it is read as.
    pub fn api_version(self) -> String {
        let known = KINDS.iter().find(|(kind, ..)| *kind == self);
        known.map_or_else(String::new, |(_, _, group, versions)| {
            let text = [*group, versions[0]].join("/");
            text.trim_start_matches('/').to_owned()
        })
    }

    /// Who takes its objects in.
    pub fn reader(self) -> Reader {
        match self {
            Self::Consumer => Reader::Index(IndexKind::Consumer),
            Self::Credential => Reader::Index(IndexKind::Credential),
            Self::Secret => Reader::Secrets,
            Self::Gateway => Reader::Router(RouterKind::Gateway),
            Self::HttpRoute => Reader::Router(RouterKind::HttpRoute),
            Self::ReferenceGrant => Reader::Router(RouterKind::ReferenceGrant),
            Self::AuthPolicy => Reader::Router(RouterKind::AuthPolicy),
            Self::Service => Reader::Router(RouterKind::Service),
            Self::EndpointSlice => Reader::Router(RouterKind::EndpointSlice),
            Self::Namespace => Reader::Router(RouterKind::Namespace),
        }
    }

    /// Whether it lets something in by being there, so that its absence is safe.
    pub fn grants(self) -> bool {
        matches!(
            self,
            Self::Consumer | Self::Credential | Self::ReferenceGrant | Self::Secret
        )
    }

    /// Whether its absence may open a door: what closes by being there must not go by accident.
    pub fn shapes(self) -> bool {
        matches!(self, Self::AuthPolicy | Self::HttpRoute | Self::Gateway)
    }

    /// Whether a change of it may bring a route into being, or to where a policy does not hold: then every
    /// policy that was there before must be known.
    pub fn opens(self) -> bool {
        matches!(
            self,
            Self::HttpRoute | Self::Gateway | Self::ReferenceGrant | Self::Namespace
        )
    }
}

/// Who takes objects of a kind in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The index, as facts.
    Index(IndexKind),
    /// The router.
    Router(RouterKind),
    /// Whoever resolves what lies in Secrets.
    Secrets,
}

/// What identifies an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// Its kind.
    pub kind: Kind,
    /// Namespace (empty for Namespaces) and name.
    pub name: ObjectName,
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Namespace => write!(f, "Namespace {}", self.name.name),
            kind => write!(f, "{} {}", kind.as_str(), self.name),
        }
    }
}

impl From<RouterKind> for Kind {
    fn from(kind: RouterKind) -> Self {
        match kind {
            RouterKind::Gateway => Self::Gateway,
            RouterKind::HttpRoute => Self::HttpRoute,
            RouterKind::ReferenceGrant => Self::ReferenceGrant,
            RouterKind::AuthPolicy => Self::AuthPolicy,
            RouterKind::Service => Self::Service,
            RouterKind::EndpointSlice => Self::EndpointSlice,
            RouterKind::Namespace => Self::Namespace,
        }
    }
}
