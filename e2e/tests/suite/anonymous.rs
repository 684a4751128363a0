//! Policies beyond one method on one route: openness said out loud, and policies above a route.

use latchkey_e2e::{
    client::Request,
    echo::Seen,
    keys,
    manifest::auth_policy,
    scene::{Scene, policy, route},
};
use serde_json::json;

#[test]
fn anonymous_applies_only_where_no_key_was_presented() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let methods = json!([{"type": "APIKey"}, {"type": "Anonymous"}]);
    scene
        .folder
        .write("policy.yaml", &[policy().set("spec.methods", methods)]);
    let gateway = scene.gateway().start();

    let nobody = Seen::of(&gateway.send(&Request::get("/")));
    assert_eq!(
        nobody.identity(),
        [("x-anonymous-consumer".to_owned(), "true".to_owned())]
    );
    let alice = Seen::of(&gateway.send(&Request::get("/").key(&key)));
    assert_eq!(alice.header("X-Consumer-Username").as_deref(), Some("alice"));
    assert_eq!(alice.header("X-Anonymous-Consumer"), None);
    assert_eq!(gateway.status(&Request::get("/").key(&keys::key("wrong"))), 401);
}

#[test]
fn a_gateways_policy_holds_until_a_route_has_its_own() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    scene.folder.delete("policy.yaml");
    scene.folder.write(
        "edge-policy.yaml",
        &[auth_policy("edge").target("Gateway", "edge")],
    );
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/")), 401);
    assert_eq!(gateway.status(&Request::get("/").key(&key)), 200);

    let open = policy().set("spec.methods", json!([{"type": "Anonymous"}]));
    scene.folder.write("policy.yaml", &[open]);
    gateway.flips(&Request::get("/"), 401, 200);
    scene.folder.delete("policy.yaml");
    gateway.flips(&Request::get("/"), 200, 401);
}

#[test]
fn an_override_must_pass_in_addition_to_what_a_route_says() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let open = policy().set("spec.methods", json!([{"type": "Anonymous"}]));
    scene.folder.write("policy.yaml", &[open]);
    scene.folder.write(
        "edge-policy.yaml",
        &[auth_policy("edge")
            .target("Gateway", "edge")
            .set("spec.override", true)],
    );
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/")), 401);
    let seen = Seen::of(&gateway.send(&Request::get("/").key(&key)));
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
}

#[test]
fn a_rules_filter_replaces_the_routes_policy_and_closes_when_it_names_none() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let filter = |name: &str| json!([{"type": "ExtensionRef", "extensionRef": {"group": "latchkey.dev", "kind": "AuthPolicy", "name": name}}]);
    scene.folder.write(
        "route.yaml",
        &[route()
            .set(
                "spec.rules.0.matches",
                json!([{"path": {"type": "PathPrefix", "value": "/tokens"}}]),
            )
            .set("spec.rules.0.filters", filter("tokens"))
            .set("spec.rules.1.backendRefs", json!([{"name": "echo", "port": 80}]))],
    );
    scene.folder.write(
        "tokens.yaml",
        &[auth_policy("tokens").places(&json!([{"header": {"name": "X-Token"}}]))],
    );
    let gateway = scene.gateway().start();
    let tokens = Request::get("/tokens/1").header("X-Token", &key);
    assert_eq!(gateway.status(&tokens), 200);
    assert_eq!(gateway.status(&Request::get("/tokens/1").key(&key)), 401);
    assert_eq!(gateway.status(&Request::get("/other").key(&key)), 200);

    scene.folder.delete("tokens.yaml");
    gateway.flips(&tokens, 200, 500);
    gateway.still(&Request::get("/other").key(&key), 200);
}
