//! What the router takes in: objects of seven kinds, as they were read from the source, and where an API
//! server has them.

use serde_json::Value;

/// The kinds that shape routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `gateway.networking.k8s.io` Gateway.
    Gateway,
    /// `gateway.networking.k8s.io` HTTPRoute.
    HttpRoute,
    /// `gateway.networking.k8s.io` ReferenceGrant.
    ReferenceGrant,
    /// `latchkey.dev` AuthPolicy.
    AuthPolicy,
    /// Service.
    Service,
    /// `discovery.k8s.io` EndpointSlice.
    EndpointSlice,
    /// Namespace (name only; its own `metadata.namespace` is empty).
    Namespace,
}

/// Where an API server serves the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// `v1`, or `group/version`.
    pub api_version: &'static str,
    /// The plural, lower-case name of the kind.
    pub plural: &'static str,
}

impl Kind {
    /// Where its objects are read, by everybody who reads them. ReferenceGrants in the version that every
    /// release of the Gateway API serves; its fields are those of the one that newer releases have too.
    pub const fn resource(self) -> Resource {
        let (api_version, plural) = match self {
            Self::Gateway => ("gateway.networking.k8s.io/v1", "gateways"),
            Self::HttpRoute => ("gateway.networking.k8s.io/v1", "httproutes"),
            Self::ReferenceGrant => ("gateway.networking.k8s.io/v1beta1", "referencegrants"),
            Self::AuthPolicy => ("latchkey.dev/v1alpha1", "authpolicies"),
            Self::Service => ("v1", "services"),
            Self::EndpointSlice => ("discovery.k8s.io/v1", "endpointslices"),
            Self::Namespace => ("v1", "namespaces"),
        };
        Resource { api_version, plural }
    }
}

/// An object as its source holds it now.
#[derive(Clone, Debug, PartialEq)]
pub enum Manifest {
    /// The whole object: `metadata`, `spec` and so on. May still turn out undecodable.
    Value(Value),
    /// It exists, but nothing beyond its name can be read.
    Unreadable,
}
