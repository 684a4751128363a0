//! The pepper Secret: made once, whoever comes first, written again when it is deleted, and replaced while
//! keys go on working.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use latchkey_e2e::{
    client::Request,
    cluster::{
        Gateway, Operator, Relay, Scene,
        relay::{Action, When},
        scene::{of, secret_of},
    },
    keys,
    manifest::{Manifest, consumer, credential},
    poll::Poll,
    wait::eventually,
};
use serde_json::{Map, Value, json};

/// The pepper Secret.
fn pepper() -> Manifest {
    secret_of("latchkey-pepper")
}

fn data(scene: &Scene<'_>) -> Map<String, Value> {
    let secret = scene.namespace().read(&pepper()).unwrap_or_default();
    secret["data"].as_object().cloned().unwrap_or_default()
}

/// Waits until exactly these peppers stand in what is published of alice's key.
fn until_published_under(scene: &Scene<'_>, ids: &[&str]) {
    scene
        .namespace()
        .until(&of("alice"), &format!("published under {ids:?}"), |object| {
            let blocks = object["status"]["published"].as_array();
            let mut actual: Vec<_> = blocks
                .into_iter()
                .flatten()
                .filter_map(|block| block["pepperId"].as_str())
                .collect();
            actual.sort_unstable();
            actual == ids
        });
}

/// Keys of both kinds, each asked for all the time from when it works.
fn two_keys(scene: &Scene<'_>, gateway: &Gateway) -> [Poll; 2] {
    let hash = keys::key("hash");
    let hashed = credential("hash", "hash").sha256(&hash);
    scene.namespace().put(&[consumer("hash"), hashed]);
    [scene.consumer("alice"), Request::get("/").key(&hash)].map(|request| {
        gateway.becomes(&request, 200);
        Poll::start(gateway.proxy(), &request)
    })
}

#[test]
fn two_operators_that_start_together_agree_on_one() {
    let scene = Scene::shared();
    scene.consumer("alice");
    let relays = [(); 2].map(|()| Relay::start(scene.cluster()));
    for relay in &relays {
        // Neither has heard of the other's when it makes its own.
        let made = When::write().resource("secrets");
        relay.add(made, Action::Delay(Duration::from_secs(2)));
    }
    let start = |relay| {
        let starter = scene.operator().through(relay);
        starter.args(&["--leader-elect=false"]).start_unready()
    };
    let mut operators = [start(&relays[0]), start(&relays[1])];
    for operator in &mut operators {
        operator.wait_ready();
    }
    scene.guard_pepper();

    let mut answers: Vec<_> = relays
        .iter()
        .flat_map(|relay| relay.requests(&When::write().resource("secrets")))
        .map(|made| made.status)
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, [Some(201), Some(409)]);
    let data = data(&scene);
    let ids: Vec<_> = data.keys().map(String::as_str).collect();
    assert_eq!(ids.len(), 1);
    until_published_under(&scene, &ids);
    // Each has a look at what stands by now.
    let looks = operators.each_ref().map(Operator::looks);
    let label = json!({"metadata": {"labels": {"team": "blue"}}});
    scene.namespace().patch(&of("alice"), &label);
    for (operator, before) in operators.iter().zip(looks) {
        operator.wait_settled(before + 1.0);
    }
    let written = relays
        .iter()
        .flat_map(|relay| relay.requests(&When::status().resource("credentials")))
        .filter(|write| write.status == Some(200));
    assert_eq!(written.count(), 1, "they write over each other");
}

#[test]
fn a_deleted_one_is_written_again_with_the_same_bytes_and_keys_work_throughout() {
    let scene = Scene::shared();
    let _operator = scene.operator().start();
    let gateway = scene.gateway().start();
    let keys = two_keys(&scene, &gateway);
    let before = data(&scene);

    scene.namespace().delete("secret", "latchkey-pepper");
    scene
        .namespace()
        .until(&pepper(), "it is written again", |secret| {
            secret["data"].as_object() == Some(&before)
        });
    let bob = scene.consumer("bob");
    for gateway in [&gateway, &scene.gateway().start()] {
        gateway.becomes(&bob, 200);
    }
    for key in &keys {
        key.is(&[200]);
    }
}

#[test]
fn another_takes_its_place_while_keys_go_on_working() {
    let scene = Scene::shared();
    let _operator = scene.operator().start();
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "100ms"])
        .start();
    let keys = two_keys(&scene, &gateway);
    let old = data(&scene).keys().next().cloned().unwrap_or_default();

    let bytes = STANDARD.encode([0xa5; 32]);
    let namespace = scene.namespace();
    namespace.patch(&pepper(), &json!({"data": {"zz": bytes}}));
    scene.guard_pepper();
    until_published_under(&scene, &[&old, "zz"]);
    namespace.patch(&pepper(), &json!({"data": {&old: null}}));
    until_published_under(&scene, &["zz"]);
    gateway.until_metric("latchkey_index_peppers", &[], |peppers| peppers == 1.0);
    let bob = scene.consumer("bob");
    gateway.becomes(&bob, 200);
    for key in &keys {
        key.is(&[200]);
    }
}

#[test]
fn a_gateway_that_starts_before_the_operator_waits_for_it_by_name() {
    let scene = Scene::shared();
    let mut gateway = scene.gateway().start_unready();
    let secret = format!("{}/latchkey-pepper does not exist", scene.namespace().name());
    eventually("it waits for the pepper", || {
        let said = gateway.until_unready();
        (said.contains("pepper") && said.contains(&secret))
            .then_some(())
            .ok_or(said)
    });
    let alice = scene.consumer("alice");
    let _operator = scene.operator().start();
    gateway.wait_ready();
    gateway.becomes(&alice, 200);
}
