//! The kinds that are watched, and those of them whose status is ours to write.

use latchkey_core::object::ObjectName;
use latchkey_routing::object::{Kind, Resource};
use latchkey_runtime::watch::{Collection, Content};

/// GatewayClasses, of which the router knows nothing but the name.
const GATEWAY_CLASSES: Resource = Resource {
    api_version: "gateway.networking.k8s.io/v1",
    plural: "gatewayclasses",
};

/// A kind whose status says what became of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Subject {
    /// GatewayClass.
    GatewayClass,
    /// Gateway.
    Gateway,
    /// HTTPRoute.
    HttpRoute,
    /// AuthPolicy.
    AuthPolicy,
}

impl Subject {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 4] = [
        Self::GatewayClass,
        Self::Gateway,
        Self::HttpRoute,
        Self::AuthPolicy,
    ];

    /// The kind's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GatewayClass => "GatewayClass",
            Self::Gateway => "Gateway",
            Self::HttpRoute => "HTTPRoute",
            Self::AuthPolicy => "AuthPolicy",
        }
    }

    /// The subject that objects of a kind of the router are; `None`: nothing is written to them.
    pub(super) fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::Gateway => Some(Self::Gateway),
            Kind::HttpRoute => Some(Self::HttpRoute),
            Kind::AuthPolicy => Some(Self::AuthPolicy),
            Kind::ReferenceGrant | Kind::Service | Kind::EndpointSlice | Kind::Namespace => None,
        }
    }

    /// The kind as the router knows it, if it does.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::GatewayClass => None,
            Self::Gateway => Some(Kind::Gateway),
            Self::HttpRoute => Some(Kind::HttpRoute),
            Self::AuthPolicy => Some(Kind::AuthPolicy),
        }
    }

    /// The URL path of an object.
    pub(super) fn path(self, name: &ObjectName) -> String {
        let Resource { api_version, plural } = Watched::Of(self).resource();
        match self {
            Self::GatewayClass => format!("/apis/{api_version}/{plural}/{}", name.name),
            Self::Gateway | Self::HttpRoute | Self::AuthPolicy => {
                let (namespace, name) = (&name.namespace, &name.name);
                format!("/apis/{api_version}/namespaces/{namespace}/{plural}/{name}")
            }
        }
    }
}

/// An object whose status is ours to write.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) subject: Subject,
    pub(super) name: ObjectName,
}

/// A kind that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// Its status is written.
    Of(Subject),
    /// It decides about statuses of others.
    Beside(Kind),
}

impl Watched {
    /// Kinds with namespaces. Endpoints decide about no status.
    const NAMESPACED: [Self; 5] = [
        Self::Of(Subject::Gateway),
        Self::Of(Subject::HttpRoute),
        Self::Of(Subject::AuthPolicy),
        Self::Beside(Kind::ReferenceGrant),
        Self::Beside(Kind::Service),
    ];

    /// Kinds without, which roles of single namespaces cannot grant.
    const CLUSTER: [Self; 2] = [Self::Of(Subject::GatewayClass), Self::Beside(Kind::Namespace)];

    /// What the router takes of it.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Of(subject) => subject.kind(),
            Self::Beside(kind) => Some(kind),
        }
    }

    /// Whether it lets something in by being there, so that no kind at all is the same as no object.
    pub(super) fn grants(self) -> bool {
        self == Self::Beside(Kind::ReferenceGrant)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Of(subject) => subject.as_str(),
            Self::Beside(Kind::ReferenceGrant) => "ReferenceGrant",
            Self::Beside(Kind::Namespace) => "Namespace",
            Self::Beside(_) => "Service",
        }
    }

    pub(super) fn resource(self) -> Resource {
        self.kind().map_or(GATEWAY_CLASSES, Kind::resource)
    }

    fn content(self) -> Content {
        match self {
            // Only labels count.
            Self::Beside(Kind::Namespace) => Content::Metadata,
            Self::Of(_) | Self::Beside(_) => Content::Whole,
        }
    }
}

/// The kind of a collection that is watched, by its plural name.
pub fn kind_of(plural: &str) -> Option<&'static str> {
    let mut all = Watched::NAMESPACED.into_iter().chain(Watched::CLUSTER);
    let watched = all.find(|watched| watched.resource().plural == plural);
    watched.map(Watched::as_str)
}

/// One collection of each kind, or one of each kind and namespace.
pub(super) fn collections(namespaces: &[String]) -> Vec<(Watched, Collection)> {
    let collection = |watched: Watched, namespace: Option<&String>| {
        let Resource { api_version, plural } = watched.resource();
        Collection {
            api_version,
            plural,
            namespace: namespace.cloned(),
            labels: None,
            name: None,
            content: watched.content(),
        }
    };
    if namespaces.is_empty() {
        let all = Watched::NAMESPACED.into_iter().chain(Watched::CLUSTER);
        return all.map(|watched| (watched, collection(watched, None))).collect();
    }
    let each = namespaces.iter().flat_map(|namespace| {
        let kinds = Watched::NAMESPACED.into_iter();
        kinds.map(move |watched| (watched, collection(watched, Some(namespace))))
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_namespaces_each_kind_is_asked_once_and_everywhere() {
        let collections = collections(&[]);
        let plurals: Vec<_> = collections.iter().map(|(_, c)| c.plural).collect();
        let expected = [
            "gateways",
            "httproutes",
            "authpolicies",
            "referencegrants",
            "services",
            "gatewayclasses",
            "namespaces",
        ];
        assert_eq!(plurals, expected);
        assert!(collections.iter().all(|(_, c)| c.namespace.is_none()));
    }

    #[test]
    fn with_namespaces_nothing_is_asked_that_has_none() {
        let namespaces = ["a".to_owned(), "b".to_owned()];
        let collections = collections(&namespaces);
        assert_eq!(collections.len(), 10);
        for (watched, collection) in collections {
            assert!(collection.namespace.is_some(), "{watched:?}");
            assert!(!["gatewayclasses", "namespaces"].contains(&collection.plural));
        }
    }

    #[test]
    fn a_path_names_group_version_and_namespace() {
        let name = ObjectName::new("ns", "it");
        assert_eq!(
            Subject::HttpRoute.path(&name),
            "/apis/gateway.networking.k8s.io/v1/namespaces/ns/httproutes/it"
        );
        assert_eq!(
            Subject::AuthPolicy.path(&name),
            "/apis/latchkey.dev/v1alpha1/namespaces/ns/authpolicies/it"
        );
        assert_eq!(
            Subject::GatewayClass.path(&ObjectName::new("", "latchkey")),
            "/apis/gateway.networking.k8s.io/v1/gatewayclasses/latchkey"
        );
    }
}
