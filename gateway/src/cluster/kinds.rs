//! Which collections of an API server a gateway watches: one a kind, or one a kind and namespace.

use latchkey_core::object::ObjectName;
use latchkey_index::object::Kind as IndexKind;
use latchkey_routing::object::Resource;
use latchkey_runtime::watch::{Collection, Content};

use crate::object::{Kind, Reader};

/// A collection, and the kind of its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// What its objects are.
    pub kind: Kind,
    /// Where they are.
    pub collection: Collection,
}

/// Where objects are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// These namespaces and no others; empty: all.
    pub namespaces: Vec<String>,
    /// The Secret that holds the peppers.
    pub pepper: ObjectName,
}

/// The kinds that are read in every namespace that is watched.
const NAMESPACED: [Kind; 8] = [
    Kind::Consumer,
    Kind::Credential,
    Kind::AuthPolicy,
    Kind::Gateway,
    Kind::HttpRoute,
    Kind::ReferenceGrant,
    Kind::Service,
    Kind::EndpointSlice,
];

impl Scope {
    /// All collections. A role in single namespaces cannot grant Namespaces, so that these are not read
    /// there: each then has the one label that every namespace has.
    pub fn watched(&self) -> Vec<Watched> {
        let namespaces = self.namespaces();
        let namespaced = NAMESPACED.iter().flat_map(|kind| {
            let in_namespace = |namespace: &Option<String>| watched(*kind, namespace.clone());
            namespaces.iter().map(in_namespace)
        });
        let labels = self.namespaces.is_empty().then(|| watched(Kind::Namespace, None));
        let mut pepper = watched(Kind::Secret, Some(self.pepper.namespace.clone()));
        pepper.collection.name = Some(self.pepper.name.clone());
        namespaced.chain(labels).chain([pepper]).collect()
    }

    /// What the server is asked for to see that it is there: Credentials, which a gateway may list
    /// wherever it may do anything.
    pub fn contact(&self) -> Collection {
        let namespace = self.namespaces.first().cloned();
        watched(Kind::Credential, namespace).collection
    }

    fn namespaces(&self) -> Vec<Option<String>> {
        if self.namespaces.is_empty() {
            return vec![None];
        }
        let mut namespaces: Vec<_> = self.namespaces.iter().cloned().map(Some).collect();
        namespaces.sort_unstable();
        namespaces.dedup();
        namespaces
    }
}

fn watched(kind: Kind, namespace: Option<String>) -> Watched {
    let Resource { api_version, plural } = resource(kind);
    Watched {
        kind,
        collection: Collection {
            api_version,
            plural,
            namespace,
            labels: None,
            name: None,
            content: Content::Whole,
        },
    }
}

fn resource(kind: Kind) -> Resource {
    let (api_version, plural) = match kind.reader() {
        Reader::Index(IndexKind::Consumer) => ("latchkey.dev/v1alpha1", "consumers"),
        Reader::Index(IndexKind::Credential) => ("latchkey.dev/v1alpha1", "credentials"),
        Reader::Secrets => ("v1", "secrets"),
        Reader::Router(kind) => return kind.resource(),
    };
    Resource { api_version, plural }
}

impl Watched {
    /// What readiness calls it.
    pub fn guard(&self) -> &'static str {
        match self.kind {
            Kind::Secret => "pepper",
            _ => self.collection.plural,
        }
    }

    /// What is wrong where the API server does not know the kind, with the remedy.
    pub fn missing(&self) -> String {
        let (group, _) = self.collection.api_version.split_once('/').unwrap_or_default();
        let remedy = match group {
            latchkey_crds::GROUP => "apply Latchkey's CRDs",
            _ => "apply the standard CRDs of the Gateway API",
        };
        format!(
            "the API server has no CRD {}.{group}; {remedy}",
            self.collection.plural
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(namespaces: &[&str]) -> Scope {
        Scope {
            namespaces: namespaces.iter().map(|&name| name.to_owned()).collect(),
            pepper: ObjectName::new("system", "latchkey-pepper"),
        }
    }

    fn places(scope: &Scope, kind: Kind) -> Vec<Option<String>> {
        let watched = scope.watched().into_iter();
        watched
            .filter(|watched| watched.kind == kind)
            .map(|watched| watched.collection.namespace)
            .collect()
    }

    #[test]
    fn in_a_whole_cluster_each_kind_is_one_collection() {
        let scope = scope(&[]);
        for kind in NAMESPACED.into_iter().chain([Kind::Namespace]) {
            assert_eq!(places(&scope, kind), [None], "{kind:?}");
        }
        assert_eq!(scope.contact().namespace, None);
    }

    #[test]
    fn in_namespaces_each_kind_is_one_collection_a_namespace_and_nothing_is_asked_beyond() {
        let scope = scope(&["b", "a", "b"]);
        for kind in NAMESPACED {
            let namespaces = ["a", "b"].map(|name| Some(name.to_owned()));
            assert_eq!(places(&scope, kind), namespaces, "{kind:?}");
        }
        assert_eq!(places(&scope, Kind::Namespace), []);
        assert!(scope.contact().namespace.is_some());
    }

    #[test]
    fn the_pepper_is_the_only_secret_and_asked_for_by_name() {
        for scope in [scope(&[]), scope(&["a"])] {
            let secrets: Vec<_> = scope
                .watched()
                .into_iter()
                .map(|watched| watched.collection)
                .filter(|collection| collection.plural == "secrets")
                .collect();
            assert_eq!(secrets.len(), 1);
            assert_eq!(secrets[0].namespace.as_deref(), Some("system"));
            assert_eq!(secrets[0].name.as_deref(), Some("latchkey-pepper"));
        }
    }

    #[test]
    fn a_missing_kind_is_named_with_its_remedy() {
        let missing = |kind| watched(kind, None).missing();
        assert_eq!(
            missing(Kind::Credential),
            "the API server has no CRD credentials.latchkey.dev; apply Latchkey's CRDs"
        );
        assert_eq!(
            missing(Kind::HttpRoute),
            "the API server has no CRD httproutes.gateway.networking.k8s.io; apply the standard CRDs of the Gateway API"
        );
    }
}
