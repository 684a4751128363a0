//! Two Credentials of one namespace with one key: who owns it, what the other one says, and what happens
//! when the owner goes.

use jiff::Timestamp;
use latchkey_e2e::{
    client::Request,
    cluster::{Stage, scene::holding},
    echo::Seen,
    keys,
    manifest::{Manifest, consumer, credential},
    wait::eventually,
};
use serde_json::json;

/// The owner and the one that waits; of one age the names would decide otherwise.
const FIRST: &str = "older";
const SECOND: &str = "junior";

/// A claim to the key whose Secret has this name.
fn claim(name: &str) -> Manifest {
    credential(name, name).secret_ref(name)
}

/// Two claims to one key; the first is older.
fn two_claims(stage: &Stage) -> Request {
    let namespace = stage.namespace();
    let key = keys::key("shared");
    namespace.put(&[consumer(FIRST), consumer(SECOND)]);
    namespace.put(&[holding(FIRST, &key), holding(SECOND, &key), claim(FIRST)]);
    let object = namespace.read(&claim(FIRST)).unwrap_or_default();
    let created = object["metadata"]["creationTimestamp"]
        .as_str()
        .unwrap_or_default();
    let created: Timestamp = created.parse().expect("a time");
    // Ages are in whole seconds.
    eventually("the next is younger", || {
        let now = Timestamp::now();
        (now.as_second() > created.as_second())
            .then_some(())
            .ok_or(now.to_string())
    });
    namespace.put(&[claim(SECOND)]);
    Request::get("/").key(&key)
}

/// Waits until the key is this one's on both gateways, and stays so.
fn belongs(stage: &Stage, request: &Request, name: &str) {
    stage.shows(request, "X-Consumer-Username", Some(name));
}

/// Two Credentials with one key, and twenty beside them (O-A4).
#[test]
fn the_younger_says_who_owns_the_key_and_takes_over_when_the_owner_goes() {
    let stage = Stage::shared();
    let names = (0..20).map(|number| format!("neighbour-{number}"));
    let neighbours: Vec<_> = names.map(|name| (stage.consumer(&name), name)).collect();
    let request = two_claims(&stage);
    let namespace = stage.namespace();
    let conflict = namespace.until_condition(&claim(SECOND), "Conflicted", "True");
    let message = conflict["message"].as_str().unwrap_or_default();
    assert_eq!(conflict["reason"], "Conflicted");
    assert!(
        message.contains("Credential older of this namespace"),
        "{message}"
    );
    assert!(message.contains("use another key in spec.apiKey"), "{message}");
    let ready = namespace.until_condition(&claim(SECOND), "Ready", "False");
    assert_eq!(ready["reason"], "Conflicted");
    namespace.until_condition(&claim(FIRST), "Conflicted", "False");
    namespace.until_condition(&claim(FIRST), "Ready", "True");
    belongs(&stage, &request, FIRST);
    for (request, name) in &neighbours {
        stage.shows(request, "X-Consumer-Username", Some(name));
    }
    // The conflict freezes nobody.
    let (before, neighbour) = &neighbours[0];
    let rotated = stage.rotate(neighbour);
    stage.shows(&rotated, "X-Consumer-Username", Some(neighbour));
    stage.is(before, 401);
    let neighbours = [&[(rotated, neighbour.clone())], &neighbours[1..]].concat();

    namespace.delete("credential", FIRST);
    belongs(&stage, &request, SECOND);
    namespace.until_condition(&claim(SECOND), "Conflicted", "False");
    namespace.until_condition(&claim(SECOND), "Ready", "True");
    for (request, name) in &neighbours {
        stage.shows(request, "X-Consumer-Username", Some(name));
    }
}

#[test]
fn an_owner_that_gets_another_key_leaves_the_old_one_to_the_next() {
    let stage = Stage::shared();
    let request = two_claims(&stage);
    belongs(&stage, &request, FIRST);
    let other = stage.rotate(FIRST);
    belongs(&stage, &other, FIRST);
    belongs(&stage, &request, SECOND);
    stage.namespace().until_condition(&claim(SECOND), "Ready", "True");
}

#[test]
fn an_owner_that_may_not_pass_keeps_its_key_dead() {
    let stage = Stage::shared();
    let request = two_claims(&stage);
    belongs(&stage, &request, FIRST);
    let namespace = stage.namespace();
    namespace.edit("credential", FIRST, &json!({"spec": {"disabled": true}}));
    stage.flips(&request, 200, 401);
    stage.still(&request, 401);
    let conflict = namespace.until_condition(&claim(SECOND), "Conflicted", "True");
    assert_eq!(conflict["reason"], "Conflicted");
    namespace.delete("credential", FIRST);
    belongs(&stage, &request, SECOND);
}

/// Lists name the younger first, and change nothing (O-A4).
#[test]
fn a_restart_changes_no_owner() {
    let mut stage = Stage::shared();
    let request = two_claims(&stage);
    belongs(&stage, &request, FIRST);
    stage.end_operator();
    stage.start_operator();
    let later = stage.gateway().args(&["--relist-interval", "1s"]).start();
    later.until_watches("all is listed again", |watches| {
        let seen = Seen::of(&later.send(&request));
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some(FIRST));
        watches["kinds"]["Credential"]["lists"].as_u64() >= Some(3)
    });
    belongs(&stage, &request, FIRST);
}
