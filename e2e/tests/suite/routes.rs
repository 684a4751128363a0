//! Which rule a request meets, and what a rule does with it. The routing crate has the tables; here
//! stands that they hold on the wire.

use std::collections::HashMap;

use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    gateway::{Gateway, SECOND_PORT},
    logs::Logs,
    manifest::{Manifest, gateway, http_route},
    scene::{Scene, backend, route},
};
use serde_json::{Value, json};

/// An open route with these rules to the Services `one` and `two`, whose echo servers say so.
struct Fork {
    scene: Scene,
    echoes: [Echo; 2],
}

impl Fork {
    fn new(rules: Value) -> Self {
        let logs = Logs::of_this_test();
        let echoes = ["one", "two"].map(|name| Echo::start(name, &logs));
        let scene = Scene::open(echoes[0].address());
        for (name, echo) in ["one", "two"].iter().zip(&echoes) {
            scene
                .folder
                .write(&format!("{name}.yaml"), &backend(name, echo.address()));
        }
        scene
            .folder
            .write("route.yaml", &[route().set("spec.rules", rules)]);
        Self { scene, echoes }
    }
}

fn to(service: &str) -> Value {
    json!([{"name": service, "port": 80}])
}

fn answers(gateway: &Gateway<'_>, request: &Request) -> String {
    Seen::of(&gateway.send(request)).upstream().to_owned()
}

#[test]
fn the_longest_path_and_then_the_most_headers_win() {
    let prefix = |value: &str| json!({"type": "PathPrefix", "value": value});
    let fork = Fork::new(json!([
        {"matches": [{"path": prefix("/")}], "backendRefs": to("one")},
        {"matches": [{"path": prefix("/v2")}], "backendRefs": to("two")},
        {"matches": [{"path": {"type": "Exact", "value": "/v2/exact"}}], "backendRefs": to("one")},
        {"matches": [{"path": prefix("/"), "headers": [{"name": "X-Two", "value": "yes"}]}], "backendRefs": to("two")},
        {"matches": [{"path": prefix("/"), "queryParams": [{"name": "two", "value": "a b"}]}], "backendRefs": to("two")},
        {"matches": [{"path": prefix("/"), "method": "PUT"}], "backendRefs": to("two")},
    ]));
    let gateway = fork.scene.gateway().start();
    for (request, upstream) in [
        (Request::get("/"), "one"),
        (Request::get("/v2"), "two"),
        (Request::get("/v2/x"), "two"),
        (Request::get("/v2example"), "one"),
        (Request::get("/v2/exact"), "one"),
        (Request::get("/v2/exact/not"), "two"),
        (Request::get("/").header("x-two", "yes"), "two"),
        (Request::get("/").header("x-two", "no"), "one"),
        (Request::get("/?x=1&two=a%20b"), "two"),
        (Request::get("/?two=a"), "one"),
        (Request::new("PUT", "/").header("Content-Length", "0"), "two"),
    ] {
        assert_eq!(answers(&gateway, &request), upstream, "{request:?}");
    }
}

#[test]
fn weights_share_requests_out() {
    let fork = Fork::new(json!([{"backendRefs": [
        {"name": "one", "port": 80, "weight": 3},
        {"name": "two", "port": 80, "weight": 1},
        {"name": "absent", "port": 80, "weight": 0},
    ]}]));
    let gateway = fork.scene.gateway().start();
    let mut connection = gateway.connect();
    let mut shares: HashMap<String, u32> = HashMap::new();
    for _ in 0..400 {
        let response = connection.send(&Request::get("/")).expect("an answer");
        *shares
            .entry(Seen::of(&response).upstream().to_owned())
            .or_default() += 1;
    }
    // Six standard deviations around a quarter.
    assert!((48..=152).contains(&shares["two"]), "{shares:?}");
}

#[test]
fn a_backend_that_is_not_there_fails_its_share_alone() {
    let fork = Fork::new(json!([
        {"matches": [{"path": {"type": "PathPrefix", "value": "/absent"}}], "backendRefs": to("absent")},
        {"backendRefs": to("one")},
    ]));
    let gateway = fork.scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/absent")), 500);
    assert_eq!(answers(&gateway, &Request::get("/")), "one");
}

#[test]
fn request_headers_are_set_added_and_removed() {
    let fork = Fork::new(json!([{"backendRefs": to("one"), "filters": [{
        "type": "RequestHeaderModifier",
        "requestHeaderModifier": {
            "set": [{"name": "X-Set", "value": "ours"}],
            "add": [{"name": "X-Add", "value": "ours"}],
            "remove": ["X-Remove"],
        },
    }]}]));
    let gateway = fork.scene.gateway().start();
    let request = Request::get("/")
        .header("x-set", "theirs")
        .header("x-add", "theirs")
        .header("x-remove", "theirs");
    let seen = Seen::of(&gateway.send(&request));
    assert_eq!(seen.header_all("X-Set"), ["ours"]);
    assert_eq!(seen.header_all("X-Add").join(","), "theirs,ours");
    assert_eq!(seen.header("X-Remove"), None);
}

#[test]
fn a_routes_header_filter_cannot_speak_for_a_consumer() {
    let fork = Fork::new(json!([{"backendRefs": to("one"), "filters": [{
        "type": "RequestHeaderModifier",
        "requestHeaderModifier": {"set": [{"name": "X-Consumer-Username", "value": "admin"}]},
    }]}]));
    fork.scene
        .folder
        .write("policy.yaml", &[latchkey_e2e::scene::policy()]);
    let key = fork.scene.consumer("alice");
    let gateway = fork.scene.gateway().start();
    let response = gateway.send(&Request::get("/").key(&key));
    if response.status == 200 {
        let seen = Seen::of(&response);
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
    } else {
        assert_eq!(response.status, 500);
    }
}

#[test]
fn an_exact_host_beats_a_wildcard_and_a_wildcard_needs_a_label() {
    let fork = Fork::new(json!([{"backendRefs": to("one")}]));
    fork.scene.folder.write(
        "wild.yaml",
        &[http_route("wild", "edge", "*.test").backend("two")],
    );
    let gateway = fork.scene.gateway().start();
    assert_eq!(answers(&gateway, &Request::get("/")), "one");
    for host in ["other.test", "a.b.test"] {
        assert_eq!(answers(&gateway, &Request::get("/").host(host)), "two", "{host}");
    }
    assert_eq!(gateway.status(&Request::get("/").host("test")), 404);
}

#[test]
fn the_port_decides_the_gateway() {
    let fork = Fork::new(json!([{"backendRefs": to("one")}]));
    fork.scene.folder.write(
        "second.yaml",
        &[
            gateway("second", SECOND_PORT),
            http_route("second", "second", "app.test").backend("two"),
        ],
    );
    let gateway = fork.scene.gateway().start();
    assert_eq!(answers(&gateway, &Request::get("/")), "one");
    let response = latchkey_e2e::client::send(gateway.second_proxy(), &Request::get("/")).expect("an answer");
    assert_eq!(Seen::of(&response).upstream(), "two");
}

#[test]
fn a_backend_of_another_namespace_needs_a_grant() {
    let fork = Fork::new(json!([{"backendRefs": [{"name": "one", "namespace": "far", "port": 80}]}]));
    let far = backend("one", fork.echoes[0].address()).map(|object| object.namespace("far"));
    fork.scene.folder.write("far.yaml", &far);
    let gateway = fork.scene.gateway().start();
    let request = Request::get("/");
    assert_eq!(gateway.status(&request), 500);

    let grant = Manifest::new("gateway.networking.k8s.io/v1beta1", "ReferenceGrant", "grant")
        .namespace("far")
        .set(
            "spec",
            json!({
                "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "default"}],
                "to": [{"group": "", "kind": "Service"}],
            }),
        );
    fork.scene.folder.write("grant.yaml", &[grant]);
    gateway.flips(&request, 500, 200);
    fork.scene.folder.delete("grant.yaml");
    gateway.flips(&request, 200, 500);
}
