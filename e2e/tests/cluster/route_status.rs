//! What an HTTPRoute's status says of each of its parents, as `kubectl get -o json` shows it, beside what its
//! requests get.

use latchkey_e2e::{
    cluster::{Cluster, Installation, Namespace, Scene, Stage},
    gateway::PORT,
    manifest::{Manifest, endpoint_slice, gateway, http_route, service},
    scene::{backend, route},
};
use serde_json::{Value, json};

const CONTROLLER: &str = "latchkey.dev/gateway-controller";

/// Waits until a condition of the route's first parent is this for its present generation.
fn until(namespace: &Namespace<'_>, kind: &str, status: &str) -> Value {
    namespace.until_condition_in(&route(), kind, status, |object| &object["status"]["parents"][0])
}

fn message(condition: &Value) -> &str {
    condition["message"].as_str().unwrap_or_default()
}

#[test]
fn a_route_that_is_served_says_by_whom_and_that_all_is_well() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    assert_eq!(until(namespace, "Accepted", "True")["reason"], "Accepted");
    assert_eq!(until(namespace, "ResolvedRefs", "True")["reason"], "ResolvedRefs");
    let route = namespace.get("httproute", "app");
    let parents = route["status"]["parents"].as_array().expect("a list");
    assert_eq!(parents.len(), 1);
    assert_eq!(parents[0]["controllerName"], CONTROLLER);
    let parent = json!({"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge"});
    assert_eq!(parents[0]["parentRef"], parent);
    assert_eq!(parents[0]["conditions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_backend_that_is_not_there_is_named_and_answers_500_until_it_comes() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let namespace = stage.namespace();
    namespace.apply(&[route().backend("later")]);
    let missing = until(namespace, "ResolvedRefs", "False");
    assert_eq!(missing["reason"], "BackendNotFound");
    assert!(message(&missing).contains("later"), "{missing}");
    until(namespace, "Accepted", "True");
    stage.flips(&alice, 200, 500);

    namespace.apply(&[service("later")]);
    until(namespace, "ResolvedRefs", "True");
    // A Service without endpoints is there, and cannot serve.
    stage.flips(&alice, 500, 503);
    namespace.apply(&[endpoint_slice("later", "later", stage.upstream())]);
    stage.flips(&alice, 503, 200);
}

#[test]
fn a_backend_of_another_namespace_needs_a_grant_from_there() {
    let cluster = Cluster::shared();
    let there = Namespace::new(cluster);
    let stage = Stage::of(Scene::of(Installation::in_a_namespace_beside(cluster, &[&there])));
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let here = stage.namespace();
    there.apply(&backend("remote", stage.upstream()));
    let remote = json!([{"backendRefs": [{"name": "remote", "namespace": there.name(), "port": 80}]}]);
    here.apply(&[route().set("spec.rules", remote)]);
    let refused = until(here, "ResolvedRefs", "False");
    assert_eq!(refused["reason"], "RefNotPermitted");
    assert!(message(&refused).contains("ReferenceGrant"), "{refused}");
    stage.flips(&alice, 200, 500);

    let from = |namespace: &str| {
        let from = json!([{
            "group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": namespace,
        }]);
        Manifest::new("gateway.networking.k8s.io/v1", "ReferenceGrant", "to-remote")
            .set("spec.from", from)
            .set(
                "spec.to",
                json!([{"group": "", "kind": "Service", "name": "remote"}]),
            )
    };
    // One for somebody else grants nothing here.
    there.apply(&[from("elsewhere")]);
    for gateway in stage.gateways() {
        gateway.until_seen(&there, &from("elsewhere"));
    }
    stage.becomes(&alice, 500);
    there.apply(&[from(here.name())]);
    stage.flips(&alice, 500, 200);
    until(here, "ResolvedRefs", "True");

    there.delete("referencegrant", "to-remote");
    stage.flips(&alice, 200, 500);
    assert_eq!(until(here, "ResolvedRefs", "False")["reason"], "RefNotPermitted");
}

#[test]
fn what_is_not_supported_closes_its_rule_and_is_named() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let mirrored = alice.clone().target("/mirrored");
    let namespace = stage.namespace();
    let plain = json!({"backendRefs": [{"name": "echo", "port": 80}]});
    let mirror = json!({
        "matches": [{"path": {"type": "PathPrefix", "value": "/mirrored"}}],
        "filters": [{"type": "RequestMirror", "requestMirror": {"backendRef": {"name": "echo", "port": 80}}}],
        "backendRefs": [{"name": "echo", "port": 80}],
    });
    namespace.apply(&[route().set("spec.rules", json!([plain, mirror]))]);
    let partly = until(namespace, "PartiallyInvalid", "True");
    assert_eq!(partly["reason"], "UnsupportedValue");
    assert!(message(&partly).starts_with("Dropped Rule"), "{partly}");
    assert!(
        message(&partly).contains("spec.rules[1].filters[0].type"),
        "{partly}"
    );
    until(namespace, "Accepted", "True");
    stage.becomes(&mirrored, 500);
    stage.is(&alice, 200);

    namespace.apply(&[route().set("spec.rules", json!([mirror]))]);
    assert_eq!(
        until(namespace, "Accepted", "False")["reason"],
        "UnsupportedValue"
    );
    stage.becomes(&mirrored, 500);

    namespace.apply(&[route()]);
    until(namespace, "Accepted", "True");
    stage.flips(&mirrored, 500, 200);
    let mended = namespace.get("httproute", "app");
    let conditions = &mended["status"]["parents"][0]["conditions"];
    assert!(
        !conditions.to_string().contains("PartiallyInvalid"),
        "{conditions}"
    );
}

#[test]
fn a_route_that_may_not_attach_says_why_and_is_not_served() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let namespace = stage.namespace();
    let section = |name: &str| json!({"spec": {"parentRefs": [{"name": "edge", "sectionName": name}]}});
    namespace.edit("httproute", "app", &section("absent"));
    assert_eq!(
        until(namespace, "Accepted", "False")["reason"],
        "NoMatchingParent"
    );
    stage.flips(&alice, 200, 404);
    namespace.edit("httproute", "app", &section("http"));
    until(namespace, "Accepted", "True");
    stage.flips(&alice, 404, 200);

    let listeners = json!([{
        "name": "http", "port": PORT, "protocol": "HTTP", "hostname": "*.other.test",
    }]);
    namespace.apply(&[gateway("edge", PORT).set("spec.listeners", listeners)]);
    let refused = until(namespace, "Accepted", "False");
    assert_eq!(refused["reason"], "NoMatchingListenerHostname");
    stage.flips(&alice, 200, 404);
}

#[test]
fn what_others_wrote_into_a_routes_status_stays_as_it_is() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    let foreign = json!({
        "controllerName": "example.com/other",
        "parentRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "theirs"},
        "conditions": [{
            "type": "Accepted", "status": "True", "reason": "Accepted", "message": "ours, too",
            "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
        }],
    });
    let both = http_route("both", "edge", "both.test")
        .set("spec.parentRefs", json!([{"name": "theirs"}]))
        .backend("echo");
    namespace.put(std::slice::from_ref(&both));
    let status = json!({"status": {"parents": [foreign.clone()]}});
    namespace.patch_status(&both, &status).must();

    let ours = |object: &Value| {
        let parents = object["status"]["parents"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert_eq!(parents.first(), Some(&foreign), "theirs was changed: {parents:?}");
        parents.into_iter().skip(1).collect::<Vec<_>>()
    };
    let parents = json!({"spec": {"parentRefs": [{"name": "theirs"}, {"name": "edge"}]}});
    namespace.edit("httproute", "both", &parents);
    namespace.until(&both, "ours stands beside theirs", |object| {
        let ours = ours(object);
        ours.len() == 1 && ours[0]["controllerName"] == CONTROLLER && ours[0]["parentRef"]["name"] == "edge"
    });
    let parents = json!({"spec": {"parentRefs": [{"name": "theirs"}]}});
    namespace.edit("httproute", "both", &parents);
    namespace.until(&both, "theirs stands alone", |object| ours(object).is_empty());
}
