//! An operator that dies: what does not need one goes on, and the next one catches up.

use latchkey_e2e::{
    cluster::{
        Scene,
        scene::{of, secret_of},
    },
    poll::Poll,
};
use serde_json::json;

#[test]
fn without_an_operator_credentials_and_consumers_still_close_both_gateways() {
    let scene = Scene::shared();
    let operator = scene.operator().start();
    let gateways = scene.two_gateways();
    let requests = ["alice", "bob", "carol", "dave"].map(|name| scene.consumer(name));
    let bystander = scene.consumer("bystander");
    for gateway in &gateways {
        for request in requests.iter().chain([&bystander]) {
            gateway.becomes(request, 200);
        }
    }
    drop(operator);

    let namespace = scene.namespace();
    namespace.delete("credential", "alice");
    namespace.delete("consumer", "bob");
    namespace.patch(&of("carol"), &json!({"spec": {"disabled": true}}));
    let elsewhere = json!({"spec": {"apiKey": {"secretKeyRef": {"name": "bystander"}}}});
    namespace.patch(&of("dave"), &elsewhere);
    for gateway in &gateways {
        for request in &requests {
            gateway.flips(request, 200, 401);
        }
        assert_eq!(gateway.status(&bystander), 200);
    }
}

#[test]
fn the_next_operator_catches_up_with_all_that_was_missed() {
    let scene = Scene::shared();
    let operator = scene.operator().start();
    let gateway = scene.gateway().start();
    let names = ["deleted", "rotated", "replaced", "untouched"];
    let requests = names.map(|name| scene.consumer(name));
    for request in &requests {
        gateway.becomes(request, 200);
    }
    let namespace = scene.namespace();
    namespace.until_condition(&of("untouched"), "Ready", "True");
    let untouched = namespace.read(&of("untouched"));
    let proxy = gateway.proxy();
    let [deleted, rotated, replaced, bystander] = requests.map(|request| Poll::start(proxy, &request));
    drop(operator);

    namespace.remove(&secret_of("deleted"));
    let rotated_to = Poll::start(proxy, &scene.rotate("rotated"));
    namespace.remove(&secret_of("replaced"));
    let replaced_by = Poll::start(proxy, &scene.rotate("replaced"));
    let created = Poll::start(proxy, &scene.consumer("created"));
    for old in [&deleted, &rotated, &replaced, &bystander] {
        old.is(&[200]);
    }
    for new in [&rotated_to, &replaced_by, &created] {
        new.is(&[401]);
    }

    let _operator = scene.operator().start();
    for old in [&deleted, &rotated, &replaced] {
        old.becomes(&[200, 401]);
    }
    for new in [&rotated_to, &replaced_by, &created] {
        new.becomes(&[401, 200]);
    }
    let refs = namespace.until_condition(&of("deleted"), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "SecretNotFound");
    bystander.is(&[200]);
    assert_eq!(
        namespace.read(&of("untouched")),
        untouched,
        "written without a need"
    );
}
