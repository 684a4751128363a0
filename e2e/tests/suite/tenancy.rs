//! A namespace is a tenant: which namespaces' keys a policy admits, and who wins between them.

use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    keys,
    logs::Logs,
    manifest::{consumer, credential},
    scene::{Scene, backend, policy, route},
};
use serde_json::{Value, json};

/// The usual scene with everything but the Gateway in the namespace `shop`, and the same key held
/// by a Consumer in each of these namespaces (`key-NAMESPACE.yaml`), named after its namespace.
fn shop(admitted: Value, holders: &[&str]) -> (Scene, Echo, Request) {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let scene = Scene::open(echo.address());
    let route = route()
        .namespace("shop")
        .set("spec.parentRefs.0.namespace", "default");
    scene.folder.write("route.yaml", &[route]);
    let backend = backend("echo", echo.address()).map(|object| object.namespace("shop"));
    scene.folder.write("echo.yaml", &backend);
    let policy = policy()
        .namespace("shop")
        .set("spec.consumerNamespaces", admitted);
    scene.folder.write("policy.yaml", &[policy]);
    let key = keys::key("shared");
    for holder in holders {
        scene.folder.write(
            &format!("key-{holder}.yaml"),
            &[
                consumer(holder).namespace(holder),
                credential("key", holder).namespace(holder).sha256(&key),
            ],
        );
    }
    (scene, echo, Request::get("/").key(&key))
}

/// The same key in two namespaces: neither sees the other (O-A4).
#[test]
fn the_policys_own_namespace_wins() {
    let (scene, _echo, request) = shop(json!(["partners", "shop"]), &["partners", "shop"]);
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&request));
    assert_eq!(seen.header("X-Consumer-Namespace").as_deref(), Some("shop"));
    assert_eq!(
        seen.header("X-Credential-Identifier").as_deref(),
        Some("shop/key")
    );
}

/// Nobody captures another tenant's traffic (O-A4).
#[test]
fn a_key_of_two_other_namespaces_is_ambiguous_until_one_of_them_gives_it_up() {
    let (scene, _echo, request) = shop(json!(["partners", "staff"]), &["partners", "staff"]);
    let gateway = scene.gateway().start();
    let response = gateway.send(&request);
    assert_eq!(
        (response.status, response.reason().as_str()),
        (401, "credential_invalid")
    );
    gateway.says(&["ambiguous"]);

    scene.folder.delete("key-staff.yaml");
    let response = gateway.flips(&request, 401, 200);
    assert_eq!(
        Seen::of(&response).header("X-Consumer-Namespace").as_deref(),
        Some("partners")
    );
}

#[test]
fn by_default_only_the_policys_own_namespace_is_admitted() {
    let (scene, _echo, request) = shop(json!([]), &["partners"]);
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&request), 401);
    gateway.says(&["unknown_key"]);
}

#[test]
fn a_namespace_that_is_not_admitted_disturbs_nothing() {
    let (scene, _echo, request) = shop(json!(["partners"]), &["partners", "mallory"]);
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&request));
    assert_eq!(seen.header("X-Consumer-Namespace").as_deref(), Some("partners"));
}

#[test]
fn a_star_admits_all_namespaces() {
    let (scene, _echo, request) = shop(json!(["*"]), &["partners"]);
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&request), 200);
}

#[test]
fn equal_names_in_two_namespaces_are_two_objects() {
    let (scene, _echo, partners) = shop(json!(["*"]), &["partners"]);
    let staff = keys::key("staff");
    let objects = [
        consumer("partners")
            .namespace("staff")
            .set("spec.username", "staff"),
        credential("key", "partners").namespace("staff").sha256(&staff),
    ];
    scene.folder.write("key-staff.yaml", &objects);
    let staff = Request::get("/").key(&staff);
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&partners), 200);
    assert_eq!(gateway.status(&staff), 200);

    scene.folder.delete("key-staff.yaml");
    gateway.flips(&staff, 200, 401);
    gateway.still(&partners, 200);
}
