//! The main job, whole: `kubectl apply` opens the gateways, `kubectl delete` closes them.

use latchkey_e2e::{
    client::Request,
    cluster::{Cluster, Installation},
    echo::Seen,
    gateway::PORT,
    keys,
    manifest::{consumer, credential, gateway, secret},
    scene::{backend, policy, route},
};

#[test]
fn what_kubectl_applies_opens_both_gateways_and_what_it_deletes_closes_them() {
    let installation = Installation::in_a_namespace(Cluster::shared());
    let _operator = installation.operator().start();
    let gateways = installation.two_gateways();
    let echo = installation.echo("echo");
    let key = keys::key("alice");
    let credential = credential("alice", "alice").secret_ref("alice");
    let [service, endpoints] = backend("echo", echo.address());
    let namespace = installation.namespace();
    namespace.apply(&[
        secret("alice", &key),
        consumer("alice"),
        credential.clone(),
        policy(),
        gateway("edge", PORT),
        route(),
        service,
        endpoints,
    ]);

    let request = Request::get("/").key(&key);
    for gateway in &gateways {
        let seen = Seen::of(&gateway.becomes(&request, 200));
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
        assert!(!seen.has_trace_of(&key), "the key went on to the upstream");
    }
    namespace.until_condition(&credential, "Ready", "True");

    namespace.delete("credential", "alice");
    for gateway in &gateways {
        gateway.flips(&request, 200, 401);
    }
}

#[test]
fn a_key_known_by_its_hash_needs_no_operator() {
    let installation = Installation::in_a_namespace(Cluster::shared());
    installation.put_pepper();
    let gateways = installation.two_gateways();
    let echo = installation.echo("echo");
    let key = keys::key("alice");
    let credential = credential("alice", "alice").sha256(&key);
    let [service, endpoints] = backend("echo", echo.address());
    let namespace = installation.namespace();
    namespace.put(&[
        consumer("alice"),
        credential.clone(),
        policy(),
        gateway("edge", PORT),
        route(),
        service,
        endpoints,
    ]);
    let request = Request::get("/").key(&key);
    for gateway in &gateways {
        gateway.becomes(&request, 200);
    }
    namespace.remove(&credential);
    for gateway in &gateways {
        gateway.flips(&request, 200, 401);
    }
}
