//! A key that lies in a Secret: it comes, changes and goes with what the Secret holds, and with what the
//! Credential refers to.

use latchkey_e2e::{
    client::Request,
    cluster::{
        Stage,
        scene::{holding, of, secret_of},
    },
    keys,
    manifest::{consumer, credential, secret},
};
use rustix::process::Signal;
use serde_json::{Value, json};

/// A condition of alice's Credential, once it speaks of what the spec says now.
fn condition(stage: &Stage, kind: &str, status: &str) -> Value {
    stage.namespace().until_condition(&of("alice"), kind, status)
}

/// A value that lies in a Secret is as new as the Secret (O-A5).
#[test]
fn the_new_value_of_a_secret_is_the_key_and_the_old_one_is_none() {
    let stage = Stage::shared();
    let bystander = stage.consumer("bystander");
    let mut old = stage.consumer("alice");
    stage.becomes(&old, 200);
    for _ in 0..3 {
        let key = keys::key("rotated");
        stage.namespace().apply(&[secret("alice", &key)]);
        let new = Request::get("/").key(&key);
        stage.flips(&new, 401, 200);
        // One write took the old one out and put the new one in.
        stage.is(&old, 401);
        old = new;
    }
    stage.is(&bystander, 200);
}

/// A Secret that is missing, and then created (O-A5).
#[test]
fn a_secret_that_is_made_after_its_credential_needs_no_further_edit() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    namespace.apply(&[consumer("alice"), of("alice")]);
    assert_eq!(condition(&stage, "Ready", "False")["reason"], "SecretNotFound");
    let key = keys::key("alice");
    let request = Request::get("/").key(&key);
    stage.is(&request, 401);
    namespace.apply(&[secret("alice", &key)]);
    stage.flips(&request, 401, 200);
    condition(&stage, "Ready", "True");
}

/// What has no value never falls back to its own text (O-A5).
#[test]
fn a_reference_without_a_secret_is_no_key_itself() {
    let stage = Stage::shared();
    let bob = stage.consumer("bob");
    stage.becomes(&bob, 200);
    let namespace = stage.namespace();
    namespace.apply(&[consumer("alice"), of("alice")]);
    let unresolved = condition(&stage, "ResolvedRefs", "False");
    assert_eq!(unresolved["reason"], "SecretNotFound");
    let message = unresolved["message"].as_str().unwrap_or_default();
    assert!(message.contains("create it with data key key"), "{message}");
    assert_eq!(condition(&stage, "Accepted", "True")["reason"], "Accepted");
    assert_eq!(condition(&stage, "Ready", "False")["reason"], "SecretNotFound");
    stage.still(&Request::get("/"), 401);
    for guess in [
        "",
        "alice",
        "alice/key",
        "key",
        "{\"name\":\"alice\",\"key\":\"key\"}",
        "{\"key\":\"key\",\"name\":\"alice\"}",
        "{\"secretKeyRef\":{\"key\":\"key\",\"name\":\"alice\"}}",
        "secretKeyRef: {name: alice, key: key}",
    ] {
        stage.is(&Request::get("/").key(guess), 401);
    }
    stage.is(&bob, 200);
}

/// Of missing, created, changed and deleted Secrets (O-A5).
#[test]
fn each_change_of_a_secret_shows_in_the_status_for_the_generation_it_speaks_of() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    namespace.apply(&[consumer("alice"), of("alice")]);
    let generation = |object: &Value| object["status"]["observedGeneration"].clone();
    condition(&stage, "ResolvedRefs", "False");
    let object = namespace.read(&of("alice")).unwrap_or_default();
    assert_eq!(generation(&object), 1);
    assert_eq!(object["status"]["published"], Value::Null);

    let version = |name: &str| {
        let secret = namespace.read(&secret_of(name)).unwrap_or_default();
        secret["metadata"]["resourceVersion"].clone()
    };
    let shows = |secret: &str, generation: u32| {
        let wanted = version(secret);
        let object = namespace.until(&of("alice"), "the Secret's version is published", |object| {
            object["status"]["published"][0]["secretResourceVersion"] == wanted
        });
        assert_eq!(object["status"]["observedGeneration"], generation);
        assert_eq!(object["status"]["published"].as_array().map(Vec::len), Some(1));
        condition(&stage, "Ready", "True");
    };
    // The spec stays as it is, and so does the generation.
    stage.rotate("alice");
    shows("alice", 1);
    stage.rotate("alice");
    shows("alice", 1);
    stage.rotate("other");
    let spec = json!({"apiKey": {"secretKeyRef": {"name": "other"}}});
    namespace.edit("credential", "alice", &json!({ "spec": spec }));
    shows("other", 2);
    namespace.delete("secret", "other");
    let withdrawn = condition(&stage, "ResolvedRefs", "False");
    assert_eq!(withdrawn["observedGeneration"], 2);
    namespace.until(&of("alice"), "nothing is published", |object| {
        object["status"]["published"].is_null() && generation(object) == 2
    });
}

#[test]
fn a_reference_that_points_elsewhere_kills_the_old_key_before_the_operator_has_answered() {
    let stage = Stage::shared();
    let (bob, old) = (stage.consumer("bob"), stage.consumer("alice"));
    let new = stage.rotate("other");
    stage.becomes(&old, 200);
    stage.becomes(&bob, 200);
    stage.operator().process().signal(Signal::STOP);
    let spec = json!({"apiKey": {"secretKeyRef": {"name": "other"}}});
    stage
        .namespace()
        .edit("credential", "alice", &json!({ "spec": spec }));
    stage.flips(&old, 200, 401);
    stage.still(&new, 401);
    stage.is(&bob, 200);

    stage.operator().process().signal(Signal::CONT);
    stage.flips(&new, 401, 200);
    stage.still(&old, 401);
}

#[test]
fn a_reference_that_points_elsewhere_is_resolved_by_an_operator_that_starts_later() {
    let mut stage = Stage::shared();
    let old = stage.consumer("alice");
    let new = stage.rotate("other");
    stage.becomes(&old, 200);
    stage.end_operator();
    let spec = json!({"apiKey": {"secretKeyRef": {"name": "other"}}});
    stage
        .namespace()
        .edit("credential", "alice", &json!({ "spec": spec }));
    stage.flips(&old, 200, 401);
    stage.start_operator();
    stage.becomes(&new, 200);
    stage.still(&old, 401);
}

#[test]
fn a_hash_in_the_spec_opens_and_closes_without_an_operator() {
    let mut stage = Stage::shared();
    stage.end_operator();
    let key = keys::key("alice");
    let request = Request::get("/").key(&key);
    stage.becomes(&Request::get("/"), 401);
    let namespace = stage.namespace();
    namespace.apply(&[consumer("alice"), credential("alice", "alice").sha256(&key)]);
    stage.flips(&request, 401, 200);
    namespace.delete("credential", "alice");
    stage.flips(&request, 200, 401);

    // Nobody reads a Secret meanwhile, so what lies in one opens nothing.
    let later = stage.consumer("bob");
    stage.still(&later, 401);
    stage.start_operator();
    stage.becomes(&later, 200);
}

#[test]
fn one_secret_may_be_the_key_of_one_credential_and_lists_nobody_elses() {
    let stage = Stage::shared();
    let namespace = stage.namespace();
    let (front, back) = (keys::key("front"), keys::key("back"));
    let both = secret("both", &front).set("stringData.back", back.as_str());
    let of_both = |name: &str, key: &str| {
        let source = json!({"secretKeyRef": {"name": "both", "key": key}});
        credential(name, name).set("spec.apiKey", source)
    };
    namespace.apply(&[
        both,
        consumer("front"),
        consumer("back"),
        of_both("front", "key"),
        of_both("back", "back"),
    ]);
    let [front, back] = [front, back].map(|key| Request::get("/").key(&key));
    stage.becomes(&front, 200);
    stage.shows(&front, "X-Consumer-Username", Some("front"));
    stage.becomes(&back, 200);
    stage.shows(&back, "X-Consumer-Username", Some("back"));

    // One event of the Secret, and each referrer gets what concerns it.
    namespace.put(&[holding("both", &keys::key("front-again"))]);
    namespace.edit("secret", "both", &json!({"data": {"back": null}}));
    stage.becomes(&front, 401);
    stage.becomes(&back, 401);
    let missing = namespace.until_condition(&of_both("back", "back"), "ResolvedRefs", "False");
    assert_eq!(missing["reason"], "SecretKeyMissing");
    namespace.until_condition(&of_both("front", "key"), "Ready", "True");
}
