//! What Gateways, their listeners and AuthPolicies say in their status, as `kubectl get -o json` shows it.

use latchkey_e2e::{
    client::Request,
    cluster::{Namespace, Stage, scene::of},
    gateway::{PORT, SECOND_PORT},
    manifest::{auth_policy, gateway, http_route},
    scene::policy,
};
use serde_json::{Value, json};

/// Waits until a condition of a Gateway is this for its present generation.
fn of_gateway(namespace: &Namespace<'_>, name: &str, kind: &str, status: &str) -> Value {
    namespace.until_condition(&gateway(name, PORT), kind, status)
}

/// [`of_gateway`] of its first listener.
fn of_listener(namespace: &Namespace<'_>, name: &str, kind: &str, status: &str) -> Value {
    let named = gateway(name, PORT);
    namespace.until_condition_in(&named, kind, status, |object| &object["status"]["listeners"][0])
}

/// Waits until a policy's condition `Accepted` for its first target is this.
fn of_policy(namespace: &Namespace<'_>, name: &str, status: &str) -> Value {
    let named = auth_policy(name);
    namespace.until_condition_in(&named, "Accepted", status, |object| {
        &object["status"]["ancestors"][0]
    })
}

fn message(condition: &Value) -> &str {
    condition["message"].as_str().unwrap_or_default()
}

#[test]
fn kubectl_waits_for_what_is_applied() {
    let stage = Stage::shared();
    stage.consumer("alice");
    let namespace = stage.namespace();
    let wait = |condition: &str, object: &str| {
        let condition = format!("--for=condition={condition}");
        namespace
            .kubectl(&["wait", &condition, object, "--timeout=30s"], "")
            .must();
    };
    wait("Ready", "credential/alice");
    wait("Programmed", "gateway/edge");
    namespace.delete("secret", "alice");
    wait("Ready=false", "credential/alice");
    let table = namespace.kubectl(&["get", "lkcred"], "").must();
    assert!(table.contains("SecretNotFound"), "{table}");
    namespace.until_condition(&of("alice"), "Ready", "False");
}

#[test]
fn a_gateway_that_is_served_says_so_with_each_listener_and_its_routes() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    assert_eq!(
        of_gateway(namespace, "edge", "Accepted", "True")["reason"],
        "Accepted"
    );
    assert_eq!(
        of_gateway(namespace, "edge", "Programmed", "True")["reason"],
        "Programmed"
    );
    for kind in ["Accepted", "Programmed", "ResolvedRefs"] {
        assert_eq!(of_listener(namespace, "edge", kind, "True")["reason"], kind);
    }
    of_listener(namespace, "edge", "Conflicted", "False");
    let edge = namespace.get("gateway", "edge");
    let listener = &edge["status"]["listeners"][0];
    assert_eq!(listener["name"], "http");
    let kinds = json!([{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute"}]);
    assert_eq!(listener["supportedKinds"], kinds);
}

#[test]
fn a_listener_counts_the_routes_that_are_attached_to_it() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    let until = |count: u32| {
        namespace.until(&gateway("edge", PORT), &format!("{count} routes"), |edge| {
            edge["status"]["listeners"][0]["attachedRoutes"] == count
        });
    };
    until(1);
    // That its backend is missing is no matter of attachment.
    namespace.apply(&[http_route("second", "edge", "second.test").backend("absent")]);
    until(2);
    namespace.apply(&[http_route("elsewhere", "absent", "third.test")]);
    namespace.apply(&[http_route("third", "edge", "third.test")]);
    until(3);
    namespace.delete("httproute", "second");
    until(2);
    let nowhere = json!({"spec": {"parentRefs": [{"name": "absent"}]}});
    namespace.edit("httproute", "third", &nowhere);
    until(1);
}

#[test]
fn a_port_belongs_to_the_older_gateway_until_that_is_gone() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let namespace = stage.namespace();
    // Of one age the name would decide, and decides the same.
    namespace.apply(&[
        gateway("zone", PORT),
        http_route("zone", "zone", "zone.test").backend("echo"),
    ]);
    let refused = of_listener(namespace, "zone", "Accepted", "False");
    assert_eq!(refused["reason"], "PortUnavailable");
    assert!(message(&refused).contains("edge"), "{refused}");
    of_listener(namespace, "zone", "Programmed", "False");
    of_gateway(namespace, "zone", "Programmed", "False");
    let zone = Request::get("/").host("zone.test");
    stage.is(&zone, 404);

    namespace.delete("gateway", "edge");
    of_listener(namespace, "zone", "Accepted", "True");
    of_gateway(namespace, "zone", "Programmed", "True");
    stage.becomes(&zone, 200);
    stage.becomes(&alice, 404);
}

#[test]
fn a_listener_of_another_protocol_is_refused_and_its_neighbour_is_served() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    let listeners = json!([
        {"name": "raw", "port": 9000, "protocol": "TCP"},
        {"name": "http", "port": SECOND_PORT, "protocol": "HTTP"},
    ]);
    namespace.apply(&[gateway("two", SECOND_PORT).set("spec.listeners", listeners)]);
    let refused = of_listener(namespace, "two", "Accepted", "False");
    assert_eq!(refused["reason"], "UnsupportedProtocol");
    let accepted = of_gateway(namespace, "two", "Accepted", "True");
    assert_eq!(accepted["reason"], "ListenersNotValid");
    assert!(message(&accepted).contains("raw"), "{accepted}");
    of_gateway(namespace, "two", "Programmed", "True");
}

#[test]
fn a_policy_says_for_each_target_whether_it_holds_there() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    of_policy(namespace, "app", "True");
    let ancestors = namespace.get("authpolicy", "app")["status"]["ancestors"].clone();
    assert_eq!(ancestors.as_array().map(Vec::len), Some(1));
    assert_eq!(ancestors[0]["controllerName"], "latchkey.dev/gateway-controller");
    let reference = json!({
        "group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": "app",
        "namespace": namespace.name(),
    });
    assert_eq!(ancestors[0]["ancestorRef"], reference);

    namespace.apply(&[auth_policy("later").target("HTTPRoute", "later")]);
    let missing = of_policy(namespace, "later", "False");
    assert_eq!(missing["reason"], "TargetNotFound");
    assert!(message(&missing).contains("create it or correct"), "{missing}");
    namespace.apply(&[http_route("later", "edge", "later.test").backend("echo")]);
    of_policy(namespace, "later", "True");
    stage.becomes(&Request::get("/").host("later.test"), 401);
}

#[test]
fn of_two_policies_of_one_target_the_older_holds_until_it_is_gone() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    // Of one age the name would decide, and decides the same.
    let open = auth_policy("open").set("spec.methods", json!([{"type": "Anonymous"}]));
    namespace.apply(&[open.target("HTTPRoute", "app")]);
    let refused = of_policy(namespace, "open", "False");
    assert_eq!(refused["reason"], "Conflicted");
    assert!(message(&refused).contains("/app, which holds there"), "{refused}");
    of_policy(namespace, "app", "True");
    stage.still(&Request::get("/"), 401);
    namespace.delete("authpolicy", "app");
    of_policy(namespace, "open", "True");
    stage.flips(&Request::get("/"), 401, 200);
}

#[test]
fn what_others_wrote_into_a_policys_status_stays_as_it_is() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    of_policy(namespace, "app", "True");
    let foreign = json!({
        "controllerName": "example.com/other",
        "ancestorRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "theirs"},
        "conditions": [{
            "type": "Accepted", "status": "False", "reason": "Invalid", "message": "not ours",
            "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
        }],
    });
    let ours = namespace.get("authpolicy", "app")["status"]["ancestors"][0].clone();
    let status = json!({"status": {"ancestors": [foreign.clone(), ours]}});
    namespace.patch_status(&policy(), &status).must();
    // Something to say: the target goes.
    namespace.delete("httproute", "app");
    let app = namespace.until(&policy(), "the target is missed", |app| {
        app["status"]["ancestors"][1]["conditions"][0]["reason"] == "TargetNotFound"
    });
    assert_eq!(app["status"]["ancestors"][0], foreign);
}
