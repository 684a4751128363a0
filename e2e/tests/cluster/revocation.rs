//! Ways in which a key dies by `kubectl`: on both gateways, for good, and with no harm to neighbours.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use latchkey_e2e::{
    client::Request,
    cluster::{Stage, scene::of},
    during::During,
    echo::Seen,
    keys,
    manifest::{consumer, credential},
    wait::eventually,
};
use serde_json::{Value, json};

const PAST: &str = "2026-01-01T00:00:00Z";

/// Something that a user does to the Consumer, Credential and Secret of this name.
type Change = fn(&Stage, &str);

/// For each change, on one installation: a key that works, the change, and a key that works no more.
fn each_kills_its_key(changes: &[(&str, Change)]) {
    let stage = Stage::shared();
    let bystander = stage.consumer("bystander");
    stage.becomes(&bystander, 200);
    for (number, (what, change)) in changes.iter().enumerate() {
        let _during = During::new(*what);
        let name = format!("alice-{number}");
        let request = stage.consumer(&name);
        stage.becomes(&request, 200);
        change(&stage, &name);
        for response in stage.flips(&request, 200, 401) {
            assert_eq!(response.reason(), "credential_invalid");
        }
        stage.still(&request, 401);
        stage.is(&bystander, 200);
    }
}

fn edit_spec(stage: &Stage, kind: &str, name: &str, spec: &Value) {
    stage.namespace().edit(kind, name, &json!({ "spec": spec }));
}

/// Without its last method, too (O-A1).
#[test]
fn whatever_ends_a_credential_ends_its_key() {
    each_kills_its_key(&[
        ("deleted", |stage, name| {
            stage.namespace().delete("credential", name);
        }),
        ("disabled", |stage, name| {
            edit_spec(stage, "credential", name, &json!({"disabled": true}));
        }),
        ("expired", |stage, name| {
            edit_spec(stage, "credential", name, &json!({"expirationTime": PAST}));
        }),
        ("not yet valid", |stage, name| {
            let spec = json!({"notBeforeTime": "2999-01-01T00:00:00Z"});
            edit_spec(stage, "credential", name, &spec);
        }),
        ("without a method", |stage, name| {
            edit_spec(stage, "credential", name, &json!({"apiKey": null}));
        }),
        ("of another Secret", |stage, name| {
            let spec = json!({"apiKey": {"secretKeyRef": {"name": "absent"}}});
            edit_spec(stage, "credential", name, &spec);
        }),
        ("of another data key", |stage, name| {
            let spec = json!({"apiKey": {"secretKeyRef": {"key": "absent"}}});
            edit_spec(stage, "credential", name, &spec);
        }),
        ("of a hash instead of a Secret", |stage, name| {
            let hash = keys::sha256(&keys::key("another"));
            let spec = json!({"apiKey": {"secretKeyRef": null, "sha256": hash}});
            edit_spec(stage, "credential", name, &spec);
        }),
        ("of a Consumer that is not there", |stage, name| {
            edit_spec(
                stage,
                "credential",
                name,
                &json!({"consumerRef": {"name": "nobody"}}),
            );
        }),
    ]);
}

#[test]
fn whatever_ends_a_consumer_ends_its_keys() {
    each_kills_its_key(&[
        ("deleted", |stage, name| {
            stage.namespace().delete("consumer", name);
        }),
        ("disabled", |stage, name| {
            edit_spec(stage, "consumer", name, &json!({"disabled": true}));
        }),
        ("expired", |stage, name| {
            edit_spec(stage, "consumer", name, &json!({"expirationTime": PAST}));
        }),
    ]);
}

#[test]
fn whatever_ends_a_secrets_value_ends_its_key() {
    each_kills_its_key(&[
        ("deleted", |stage, name| stage.namespace().delete("secret", name)),
        ("without its data key", |stage, name| {
            stage
                .namespace()
                .edit("secret", name, &json!({"data": {"key": null}}));
        }),
        ("another value", |stage, name| {
            let another = keys::key("another");
            stage
                .namespace()
                .edit("secret", name, &json!({"stringData": {"key": another}}));
        }),
        ("no value", |stage, name| {
            stage
                .namespace()
                .edit("secret", name, &json!({"data": {"key": ""}}));
        }),
        ("a value that cannot be a key", |stage, name| {
            stage
                .namespace()
                .edit("secret", name, &json!({"stringData": {"key": "too-short"}}));
        }),
    ]);
}

#[test]
fn a_key_moves_with_its_credential_to_another_consumer() {
    let stage = Stage::shared();
    let (alice, bob) = (stage.consumer("alice"), stage.consumer("bob"));
    stage.shows(&alice, "X-Consumer-Username", Some("alice"));
    edit_spec(
        &stage,
        "credential",
        "alice",
        &json!({"consumerRef": {"name": "bob"}}),
    );
    for request in [&alice, &bob] {
        stage.shows(request, "X-Consumer-Username", Some("bob"));
    }
    stage.namespace().delete("consumer", "bob");
    for request in [&alice, &bob] {
        stage.flips(request, 200, 401);
    }
}

/// A parent changes, and its credentials' answers with it (O-A3).
#[test]
fn a_change_of_a_consumer_shows_at_the_upstream_with_its_key_untouched() {
    let stage = Stage::shared();
    let (alice, bob) = (stage.consumer("alice"), stage.consumer("bob"));
    stage.shows(&alice, "X-Consumer-Groups", None);
    stage.shows(&bob, "X-Consumer-Groups", None);
    stage.namespace().until_condition(&of("alice"), "Ready", "True");
    let untouched = stage.namespace().read(&of("alice"));
    let labels = json!({"metadata": {"labels": {"team": "blue"}}});
    stage.namespace().edit("consumer", "alice", &labels);
    let spec = json!({"groups": ["gold", "beta"], "username": "Alice A.", "customID": "4711"});
    edit_spec(&stage, "consumer", "alice", &spec);
    stage.shows(&alice, "X-Consumer-Groups", Some("gold,beta"));
    stage.shows(&alice, "X-Consumer-Username", Some("Alice A."));
    stage.shows(&alice, "X-Consumer-Custom-ID", Some("4711"));
    edit_spec(&stage, "consumer", "alice", &json!({"groups": ["beta"]}));
    stage.shows(&alice, "X-Consumer-Groups", Some("beta"));
    stage.shows(&bob, "X-Consumer-Groups", None);
    assert_eq!(stage.namespace().read(&of("alice")), untouched);
}

/// A new uid is a new object (O-B2).
#[test]
fn a_credential_made_again_under_its_name_has_its_new_key_alone() {
    let stage = Stage::shared();
    let bystander = stage.consumer("bystander");
    let old = stage.consumer("alice");
    stage.becomes(&old, 200);
    let namespace = stage.namespace();
    namespace.delete("credential", "alice");
    let key = keys::key("alice-again");
    namespace.apply(&[credential("alice", "alice").sha256(&key)]);
    let new = Request::get("/").key(&key);
    stage.becomes(&new, 200);
    stage.still(&old, 401);
    stage.is(&bystander, 200);
}

/// A parent goes and comes back, and its credentials are not touched (O-A3).
#[test]
fn a_key_stays_dead_without_its_consumer_whoever_comes_and_lives_when_its_own_returns() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let namespace = stage.namespace();
    namespace.delete("consumer", "alice");
    stage.flips(&alice, 200, 401);
    let orphaned = namespace.until_condition(&of("alice"), "ResolvedRefs", "False");
    assert_eq!(orphaned["reason"], "ConsumerNotFound");

    // Several, since any of them may get what alice had.
    for name in ["bob", "carol", "dave"] {
        let request = stage.consumer(name);
        stage.shows(&request, "X-Consumer-Username", Some(name));
    }
    stage.still(&alice, 401);

    namespace.apply(&[consumer("alice")]);
    for response in stage.flips(&alice, 401, 200) {
        let seen = Seen::of(&response);
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
    }
    namespace.until_condition(&of("alice"), "Ready", "True");
}

#[test]
fn a_credential_becomes_valid_and_expires_by_itself() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let begin = SystemTime::now() + Duration::from_secs(5);
    let end = begin + Duration::from_secs(4);
    let spec = json!({"notBeforeTime": text(begin), "expirationTime": text(end)});
    edit_spec(&stage, "credential", "alice", &spec);
    stage.flips(&alice, 200, 401);
    assert!(SystemTime::now() < begin, "the machine is too slow for this test");
    stage.flips(&alice, 401, 200);
    assert!(SystemTime::now() >= begin, "let in before its time");
    stage.flips(&alice, 200, 401);
    assert!(SystemTime::now() >= end, "refused before its end");
}

/// A time in whole seconds, as Kubernetes has them, and not before this one.
fn text(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).expect("a time of this century");
    let later = Timestamp::from_second(time.as_second() + 1);
    later.expect("a time of this century").to_string()
}

#[test]
fn a_kept_connection_sees_the_end_of_its_key_too() {
    let stage = Stage::shared();
    let alice = stage.consumer("alice");
    stage.becomes(&alice, 200);
    let mut connections = stage.gateways().each_ref().map(|gateway| gateway.connect());
    let mut statuses = || {
        let status = |kept: &mut latchkey_e2e::client::Connection| {
            kept.send(&alice).expect("the connection is kept").status
        };
        connections.each_mut().map(status)
    };
    assert_eq!(statuses(), [200; 2]);
    stage.namespace().delete("credential", "alice");
    eventually("the key is dead", || match statuses() {
        [401, 401] => Ok(()),
        statuses => Err(format!("{statuses:?}")),
    });
    assert_eq!(statuses(), [401; 2]);
}

#[test]
fn a_revoked_key_stays_dead_on_a_gateway_that_starts_later() {
    let stage = Stage::shared();
    let (alice, bob) = (stage.consumer("alice"), stage.consumer("bob"));
    stage.becomes(&alice, 200);
    stage.becomes(&bob, 200);
    stage.namespace().delete("credential", "alice");
    stage.flips(&alice, 200, 401);
    let later = stage.gateway().start();
    // Ready is to have listed everything, so these need no waiting.
    assert_eq!(later.status(&alice), 401);
    assert_eq!(later.status(&bob), 200);
}
