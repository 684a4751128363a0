//! Asks the API server which AuthPolicies there are: their names and versions, by consistent lists.

use std::{collections::HashSet, time::Duration};

use kube::Client;
use latchkey_runtime::{
    api::ApiError,
    watch::{Collection, Content, list_once},
};

use super::policies::Version;
use crate::{cluster::kinds::Watched, object::Kind};

/// How long a page may take.
const PAGE: Duration = Duration::from_secs(5);
/// How long a collection may take.
const ALL: Duration = Duration::from_secs(60);

/// The collections of AuthPolicies among those that are watched, each with its number.
pub(in crate::cluster) fn policies(watched: &[Watched]) -> Vec<(usize, Collection)> {
    let numbered = watched.iter().enumerate();
    let policies = numbered.filter(|(_, watched)| watched.kind == Kind::AuthPolicy);
    policies
        .map(|(id, watched)| {
            let collection = Collection {
                content: Content::Metadata,
                ..watched.collection.clone()
            };
            (id, collection)
        })
        .collect()
}

/// The versions of all policies of the collections, as they are at some moment between the call and its
/// answer.
///
/// # Errors
/// It cannot be said of all of them.
pub(in crate::cluster) async fn listed(
    client: &Client,
    collections: &[(usize, Collection)],
) -> Result<HashSet<Version>, ApiError> {
    let mut versions = HashSet::new();
    for (id, collection) in collections {
        for object in list_once(client, collection, PAGE, ALL).await? {
            let version = Version::of(*id, &object);
            versions.insert(version.ok_or_else(|| {
                ApiError::Unreadable("an AuthPolicy has no uid or resourceVersion".to_owned())
            })?);
        }
    }
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use std::io;

    use http::{Request, Response};
    use kube::client::Body;
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::shaping::testing::scope;

    /// The collections of two namespaces.
    fn collections() -> Vec<(usize, Collection)> {
        policies(&scope(&["a", "b"]).watched())
    }

    /// An API server with one policy in each namespace, `metadata` being all that it tells of it.
    async fn ask(metadata: Value, refuse: Option<&'static str>) -> Result<HashSet<Version>, ApiError> {
        let service = tower::service_fn(move |request: Request<Body>| {
            let namespace = request.uri().path().split('/').nth(5).unwrap().to_owned();
            let refused = refuse == Some(&*namespace);
            let item = json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata});
            let body = match refused {
                true => json!({"kind": "Status", "code": 404, "reason": "NotFound"}),
                false => json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
                    "metadata": {"resourceVersion": "9"}, "items": [item]}),
            };
            let response = Response::builder()
                .status(if refused { 404 } else { 200 })
                .header("content-type", "application/json")
                .body(Body::from(body.to_string().into_bytes()));
            async move { response.map_err(io::Error::other) }
        });
        listed(&Client::new(service, "default"), &collections()).await
    }

    fn metadata() -> Value {
        json!({"namespace": "a", "name": "p", "uid": "u", "resourceVersion": "7"})
    }

    #[test]
    fn metadata_of_policies_is_asked_for_where_they_are_watched() {
        let namespaces: Vec<_> = collections()
            .into_iter()
            .map(|(_, collection)| {
                assert_eq!(
                    (collection.plural, collection.content),
                    ("authpolicies", Content::Metadata)
                );
                collection.namespace
            })
            .collect();
        assert_eq!(namespaces, ["a", "b"].map(|name| Some(name.to_owned())));
    }

    #[tokio::test]
    async fn all_versions_of_all_collections_are_told() {
        let versions = ask(metadata(), None).await.unwrap();
        let object = json!({"metadata": metadata()});
        let expected = collections()
            .into_iter()
            .map(|(id, _)| Version::of(id, &object).unwrap());
        assert_eq!(versions, expected.collect());
    }

    #[tokio::test]
    async fn nothing_is_known_where_one_collection_is_missing_or_a_version_is() {
        let missing = ask(metadata(), Some("b")).await;
        assert_eq!(missing.unwrap_err().code(), Some(404));
        let mut without = metadata();
        without.as_object_mut().unwrap().remove("uid");
        assert!(matches!(ask(without, None).await, Err(ApiError::Unreadable(_))));
    }
}
