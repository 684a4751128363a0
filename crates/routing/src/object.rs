//! What the router takes in: objects of seven kinds, as they were read from the source.

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

/// An object as its source holds it now.
#[derive(Clone, Debug, PartialEq)]
pub enum Manifest {
    /// The whole object: `metadata`, `spec` and so on. May still turn out undecodable.
    Value(Value),
    /// It exists, but nothing beyond its name can be read.
    Unreadable,
}
