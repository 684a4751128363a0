//! What the accounts of operator and gateway may do: every verb on every resource that matters is
//! asked of the API server, by the account itself, and only what stands here is allowed.

use latchkey_e2e::cluster::{Access, Cluster, Installation, Namespace, api::Api};
use serde_json::{Value, json};

const VERBS: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// What is asked about: API group, resource, subresource, name.
type Object = (&'static str, &'static str, &'static str, &'static str);

const KEYS: &str = "latchkey.dev";
const ROUTES: &str = "gateway.networking.k8s.io";
const PEPPER: Object = ("", "secrets", "", "latchkey-pepper");
const LEASE: Object = ("coordination.k8s.io", "leases", "", "latchkey-operator");
const ANY_LEASE: Object = ("coordination.k8s.io", "leases", "", "");
const ANY_SECRET: Object = ("", "secrets", "", "");

const OBJECTS: &[Object] = &[
    (KEYS, "authpolicies", "", ""),
    (KEYS, "authpolicies", "status", ""),
    (KEYS, "consumers", "", ""),
    (KEYS, "consumers", "status", ""),
    (KEYS, "credentials", "", ""),
    (KEYS, "credentials", "status", ""),
    (ROUTES, "gatewayclasses", "", ""),
    (ROUTES, "gatewayclasses", "status", ""),
    (ROUTES, "gateways", "", ""),
    (ROUTES, "gateways", "status", ""),
    (ROUTES, "httproutes", "", ""),
    (ROUTES, "httproutes", "status", ""),
    (ROUTES, "referencegrants", "", ""),
    ("discovery.k8s.io", "endpointslices", "", ""),
    ("", "services", "", ""),
    ("", "namespaces", "", ""),
    ANY_SECRET,
    PEPPER,
    ("", "secrets", "", "somebody-elses"),
    ANY_LEASE,
    LEASE,
    ("", "configmaps", "", ""),
    ("", "pods", "", ""),
    ("", "pods", "exec", ""),
    ("", "events", "", ""),
    ("", "serviceaccounts", "token", ""),
    ("rbac.authorization.k8s.io", "roles", "", ""),
    ("apiextensions.k8s.io", "customresourcedefinitions", "", ""),
];

/// Where something is asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// The namespace of the installation.
    Own,
    /// A namespace that is watched.
    Watched,
    /// A namespace that is neither; where all are watched there is none.
    Other,
    /// All namespaces, and what has none.
    Everywhere,
}

/// What a watched place allows, of the objects there.
fn of_the_watched(account: &str, (group, resource, subresource, name): Object, verb: &str) -> bool {
    let is_read = ["list", "watch"].contains(&verb);
    let is_kind = subresource.is_empty()
        && matches!(
            (group, resource),
            (KEYS, _) | (ROUTES, "gateways" | "httproutes" | "referencegrants") | ("", "services")
        );
    match account {
        "latchkey-gateway" => is_read && (is_kind || resource == "endpointslices"),
        _ => {
            let is_status = subresource == "status"
                && matches!(
                    resource,
                    "authpolicies" | "credentials" | "gateways" | "httproutes"
                );
            let is_secret = (group, resource) == ("", "secrets");
            (is_read || verb == "get") && (is_kind || is_secret)
                || verb == "patch" && is_status && name.is_empty()
        }
    }
}

/// What the own namespace allows.
fn of_the_own(account: &str, object: Object, verb: &str) -> bool {
    match account {
        "latchkey-gateway" => object == PEPPER && ["get", "watch"].contains(&verb),
        _ => {
            object == PEPPER && ["get", "watch"].contains(&verb)
                || object == LEASE && ["get", "update"].contains(&verb)
                // What is created has no name yet that a rule could say.
                || ["secrets", "leases"].contains(&object.1) && verb == "create"
        }
    }
}

/// What has no namespace allows, where all namespaces are watched.
fn of_the_cluster(account: &str, (_, resource, subresource, _): Object, verb: &str) -> bool {
    let is_read = ["list", "watch"].contains(&verb);
    match account {
        "latchkey-gateway" => is_read && resource == "namespaces",
        _ => {
            let is_kind = ["namespaces", "gatewayclasses"].contains(&resource) && subresource.is_empty();
            (is_read || verb == "get") && is_kind
                || verb == "patch" && (resource, subresource) == ("gatewayclasses", "status")
        }
    }
}

fn is_allowed(api: &Api, (group, resource, subresource, name): Object, verb: &str, namespace: &str) -> bool {
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {
            "group": group, "resource": resource, "subresource": subresource, "name": name,
            "verb": verb, "namespace": namespace,
        }},
    });
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let answer = api
        .request("POST", path, Some(("application/json", &review)))
        .must();
    answer["status"]["allowed"] == Value::Bool(true)
}

/// Asks everything in these places and lists what is not as it should be.
fn differences(
    installation: &Installation<'_>,
    places: &[(Place, &str)],
    expected: impl Fn(&str, Place, Object, &str) -> bool,
) -> Vec<String> {
    let mut differences = Vec::new();
    for account in ["latchkey-gateway", "latchkey-operator"] {
        let api = Api::new(&installation.kubeconfig(account, None)).expect("a kubeconfig of ours");
        for &(place, namespace) in places {
            for &object in OBJECTS {
                for verb in VERBS {
                    let actual = is_allowed(&api, object, verb, namespace);
                    if actual != expected(account, place, object, verb) {
                        differences.push(format!("{account} {place:?} {verb} {object:?}: {actual}"));
                    }
                }
            }
        }
    }
    differences
}

#[test]
fn in_watched_namespaces_the_accounts_may_do_this_and_nothing_else() {
    let cluster = Cluster::shared();
    let (watched, other) = (Namespace::new(cluster), Namespace::new(cluster));
    let installation = Installation::watching(cluster, &[&watched]);
    assert_eq!(
        installation.access(),
        &Access::Namespaces(vec![watched.name().to_owned()])
    );
    let places = [
        (Place::Own, installation.namespace().name()),
        (Place::Watched, watched.name()),
        (Place::Other, other.name()),
        (Place::Everywhere, ""),
    ];
    let differences = differences(
        &installation,
        &places,
        |account, place, object, verb| match place {
            Place::Own => of_the_own(account, object, verb),
            Place::Watched => of_the_watched(account, object, verb),
            Place::Other | Place::Everywhere => false,
        },
    );
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn where_all_namespaces_are_watched_the_accounts_may_do_this_and_nothing_else() {
    let cluster = Cluster::shared();
    let other = Namespace::new(cluster);
    let installation = Installation::cluster_wide(cluster);
    let places = [
        (Place::Own, installation.namespace().name()),
        (Place::Watched, other.name()),
        (Place::Everywhere, ""),
    ];
    let differences = differences(&installation, &places, |account, place, object, verb| {
        of_the_watched(account, object, verb)
            || of_the_cluster(account, object, verb)
            || place == Place::Own && of_the_own(account, object, verb)
    });
    assert!(differences.is_empty(), "{differences:#?}");
}
