//! Objects come one at a time, in any order: the end is the same, and no order opens a door on the way.

use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    gateway::{Gateway, PORT, accepts},
    keys,
    logs::Logs,
    manifest::{Manifest, consumer, credential, gateway, secret},
    scene::{Scene, backend, policy, route},
    wait::eventually,
};

/// Writes the objects of a protected route one at a time into a folder that a gateway is reading,
/// and asks in between. `policy` must come before the last of what makes the route reachable.
fn written_in_order(names: [&str; 7]) {
    let scene = Scene::empty();
    let echo = Echo::start("echo", &Logs::of_this_test());
    let key = keys::key("alice");
    let [service, slice] = backend("echo", echo.address());
    let object = |name: &str| -> Manifest {
        match name {
            "gateway" => gateway("edge", PORT),
            "route" => route(),
            "policy" => policy(),
            "endpoints" => slice.clone(),
            "consumer" => consumer("alice"),
            "credential" => credential("alice", "alice").secret_ref("alice"),
            "secret" => secret("alice", &key),
            other => unreachable!("no object {other}"),
        }
    };
    scene.folder.write("service.yaml", &[service]);
    let gateway = scene.gateway().start();
    assert!(!accepts(gateway.proxy()), "no Gateway, no port");
    for (at, name) in names.into_iter().enumerate() {
        never_open(&gateway);
        scene.folder.write(&format!("{name}.yaml"), &[object(name)]);
        gateway.barrier();
        let complete = at + 1 == names.len();
        if accepts(gateway.proxy()) {
            let status = gateway.status(&Request::get("/").key(&key));
            assert_eq!(status == 200, complete, "{status} after {name} in {names:?}");
        }
    }
    // A new Gateway's port is bound right after its routes are known.
    eventually("the port is bound", || {
        accepts(gateway.proxy())
            .then_some(())
            .ok_or_else(|| "refused".to_owned())
    });
    never_open(&gateway);
    let seen = Seen::of(&gateway.send(&Request::get("/").key(&key)));
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
}

fn never_open(gateway: &Gateway<'_>) {
    if accepts(gateway.proxy()) {
        let status = gateway.status(&Request::get("/"));
        assert_ne!(status, 200, "open without a key");
    }
}

#[test]
fn bottom_up() {
    written_in_order([
        "gateway",
        "policy",
        "route",
        "endpoints",
        "consumer",
        "secret",
        "credential",
    ]);
}

#[test]
fn top_down() {
    written_in_order([
        "credential",
        "secret",
        "consumer",
        "endpoints",
        "policy",
        "route",
        "gateway",
    ]);
}

/// Kinds have no order between them (O-A3).
#[test]
fn a_credential_before_its_consumer() {
    written_in_order([
        "gateway",
        "policy",
        "route",
        "endpoints",
        "secret",
        "credential",
        "consumer",
    ]);
}

#[test]
fn a_credential_before_its_secret() {
    written_in_order([
        "gateway",
        "policy",
        "route",
        "endpoints",
        "consumer",
        "credential",
        "secret",
    ]);
}

#[test]
fn a_route_before_its_endpoints() {
    written_in_order([
        "consumer",
        "secret",
        "credential",
        "gateway",
        "policy",
        "route",
        "endpoints",
    ]);
}

#[test]
fn a_policy_before_its_route() {
    written_in_order([
        "consumer",
        "secret",
        "credential",
        "endpoints",
        "policy",
        "gateway",
        "route",
    ]);
}

#[test]
fn a_route_before_its_gateway() {
    written_in_order([
        "consumer",
        "secret",
        "credential",
        "endpoints",
        "policy",
        "route",
        "gateway",
    ]);
}
