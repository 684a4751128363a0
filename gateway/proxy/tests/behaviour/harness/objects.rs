//! The objects of the tests' world.
//!
//! | path | policy |
//! |---|---|
//! | `/open` | none |
//! | `/key` | a key in `X-API-Key` or `?apikey=` |
//! | `/anon` | the same, or nobody |
//! | `/two` | a key in `X-First` or `X-Second` |
//! | `/shown` | a key in `X-API-Key`, which stays |
//! | `/cors` | a key in `X-API-Key`; preflights pass |

use std::net::SocketAddr;

use latchkey_core::{digest::KeyHash, object::ObjectName, time::UnixSeconds};
use latchkey_index::object::{ConsumerFacts, CredentialFacts, Fact, KeySource};
use latchkey_routing::object::Kind;
use serde_json::{Value, json};

/// The key of alice, who is in two groups and has an id of the platform's own.
pub(crate) const ALICE: &str = "alice-key-0123456789";
/// The key of bob, of whom nothing more is known.
pub(crate) const BOB: &str = "bob-key-9876543210";

pub(crate) fn identity(object: &Value) -> (Kind, ObjectName) {
    let text = |pointer: &str| {
        object
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let kind = match text("/kind") {
        "Gateway" => Kind::Gateway,
        "HTTPRoute" => Kind::HttpRoute,
        "AuthPolicy" => Kind::AuthPolicy,
        "Service" => Kind::Service,
        "EndpointSlice" => Kind::EndpointSlice,
        other => panic!("unknown kind {other}"),
    };
    (
        kind,
        ObjectName::new(text("/metadata/namespace"), text("/metadata/name")),
    )
}

fn object(api: &str, kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": api,
        "kind": kind,
        "metadata": {
            "namespace": "default",
            "name": name,
            "uid": format!("{kind}-{name}"),
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": spec,
    })
}

/// A Gateway that listens for all hosts on port 80.
pub(crate) fn gateway() -> Value {
    let spec = json!({
        "gatewayClassName": "latchkey",
        "listeners": [{ "name": "web", "port": 80, "protocol": "HTTP" }],
    });
    object("gateway.networking.k8s.io/v1", "Gateway", "gw", &spec)
}

/// An HTTPRoute for a path prefix, to Service `svc`.
pub(crate) fn route(name: &str, filters: &Value) -> Value {
    let spec = json!({
        "parentRefs": [{ "name": "gw" }],
        "rules": [{
            "matches": [{ "path": { "type": "PathPrefix", "value": format!("/{name}") } }],
            "filters": filters,
            "backendRefs": [{ "name": "svc", "port": 80 }],
        }],
    });
    object("gateway.networking.k8s.io/v1", "HTTPRoute", name, &spec)
}

/// An AuthPolicy for the route of the same name.
pub(crate) fn policy(name: &str, methods: &Value) -> Value {
    let spec = json!({
        "targetRefs": [{ "group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": name }],
        "methods": methods,
    });
    object("latchkey.dev/v1alpha1", "AuthPolicy", name, &spec)
}

/// A method that looks for a key in headers.
fn header_key(names: &[&str]) -> Value {
    let places: Value = names
        .iter()
        .map(|name| json!({ "header": { "name": name } }))
        .collect();
    json!({ "type": "APIKey", "apiKey": { "extractFrom": places } })
}

fn service(name: &str) -> Value {
    let spec = json!({ "ports": [{ "name": "http", "port": 80 }] });
    object("v1", "Service", name, &spec)
}

/// One endpoint of Service `svc`.
pub(crate) fn endpoint(name: &str, address: SocketAddr) -> Value {
    let mut slice = object("discovery.k8s.io/v1", "EndpointSlice", name, &Value::Null);
    slice["metadata"]["labels"] = json!({ "kubernetes.io/service-name": "svc" });
    slice["addressType"] = json!(if address.is_ipv4() { "IPv4" } else { "IPv6" });
    slice["ports"] = json!([{ "name": "http", "port": address.port() }]);
    slice["endpoints"] =
        json!([{ "addresses": [address.ip().to_string()], "conditions": { "ready": true } }]);
    slice
}

/// All of the above, with these endpoints.
pub(crate) fn world(endpoints: &[SocketAddr]) -> Vec<Value> {
    let both = json!({ "type": "APIKey", "apiKey": { "extractFrom": [
        { "header": { "name": "X-API-Key" } },
        { "query": { "name": "apikey" } },
    ] } });
    let mut shown = policy("shown", &json!([header_key(&["X-API-Key"])]));
    shown["spec"]["hideCredentials"] = json!(false);
    let mut cors = policy("cors", &json!([header_key(&["X-API-Key"])]));
    cors["spec"]["preflight"] = json!("Pass");
    let mut objects = vec![
        gateway(),
        service("svc"),
        route("open", &json!([])),
        route("key", &json!([])),
        policy("key", &json!([both])),
        route("anon", &json!([])),
        policy("anon", &json!([both, { "type": "Anonymous" }])),
        route("two", &json!([])),
        policy("two", &json!([header_key(&["X-First", "X-Second"])])),
        route("shown", &json!([])),
        shown,
        route("cors", &json!([])),
        cors,
    ];
    let endpoints = endpoints.iter().enumerate();
    objects.extend(endpoints.map(|(index, address)| endpoint(&format!("svc-{index}"), *address)));
    objects
}

/// alice and bob with their keys.
pub(crate) fn people() -> Vec<Fact> {
    vec![
        consumer("alice", Some("c-1"), &["gold", "beta"]),
        consumer("bob", None, &[]),
        credential("alice-key", "alice", ALICE),
        credential("bob-key", "bob", BOB),
    ]
}

fn consumer(name: &str, custom_id: Option<&str>, groups: &[&str]) -> Fact {
    Fact::Consumer(ConsumerFacts {
        name: ObjectName::new("default", name),
        uid: format!("uid-{name}"),
        username: format!("{name}@example"),
        custom_id: custom_id.map(str::to_owned),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        disabled: false,
        expires: None,
        terminating: false,
    })
}

fn credential(name: &str, consumer: &str, key: &str) -> Fact {
    Fact::Credential(CredentialFacts {
        name: ObjectName::new("default", name),
        uid: format!("uid-{name}"),
        created: UnixSeconds(0),
        consumer: consumer.to_owned(),
        source: Some(KeySource::Sha256(KeyHash::of(key.as_bytes()))),
        disabled: false,
        not_before: None,
        expires: None,
        terminating: false,
    })
}
