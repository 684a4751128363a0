//! Objects that are deleted but not gone, since a stranger's finalizer holds them: what grants grants no
//! more.

use latchkey_e2e::{
    client::Request,
    cluster::{
        Stage,
        scene::{of, secret_of},
    },
    echo::Seen,
    keys,
    manifest::{Manifest, consumer, credential},
};
use serde_json::json;

const FINALIZER: &str = "example.com/audit";

/// Deletes an object that a finalizer holds as a user does who waits for what it owns.
fn delete_in_the_foreground(stage: &Stage, kind: &str, named: &Manifest) {
    let namespace = stage.namespace();
    let held = json!({"metadata": {"finalizers": [FINALIZER]}});
    stage.namespace().edit(kind, named.name(), &held);
    let args = [
        "delete",
        kind,
        named.name(),
        "--cascade=foreground",
        "--wait=false",
    ];
    namespace.kubectl(&args, "").must();
}

/// It is still there, being deleted.
fn is_terminating(stage: &Stage, named: &Manifest) {
    let object = stage.namespace().read(named).expect("its finalizer holds it");
    assert!(object["metadata"]["deletionTimestamp"].is_string(), "{object}");
}

fn let_go(stage: &Stage, kind: &str, named: &Manifest) {
    stage
        .namespace()
        .edit(kind, named.name(), &json!({"metadata": {"finalizers": null}}));
    stage.namespace().until_gone(named);
}

#[test]
fn a_credential_that_is_deleted_but_not_gone_lets_nobody_in() {
    let stage = Stage::shared();
    let (alice, bob) = (stage.consumer("alice"), stage.consumer("bob"));
    stage.becomes(&alice, 200);
    stage.becomes(&bob, 200);
    delete_in_the_foreground(&stage, "credential", &of("alice"));
    stage.flips(&alice, 200, 401);
    stage.still(&alice, 401);
    is_terminating(&stage, &of("alice"));
    stage.is(&bob, 200);

    let_go(&stage, "credential", &of("alice"));
    stage.still(&alice, 401);
}

#[test]
fn a_consumer_that_is_deleted_but_not_gone_lets_nobody_in_until_it_is_made_again() {
    let stage = Stage::shared();
    let (alice, bob) = (stage.consumer("alice"), stage.consumer("bob"));
    stage.becomes(&alice, 200);
    stage.becomes(&bob, 200);
    delete_in_the_foreground(&stage, "consumer", &consumer("alice"));
    stage.flips(&alice, 200, 401);
    stage.still(&alice, 401);
    is_terminating(&stage, &consumer("alice"));
    stage.is(&bob, 200);

    let_go(&stage, "consumer", &consumer("alice"));
    stage.still(&alice, 401);
    stage.namespace().apply(&[consumer("alice")]);
    stage.flips(&alice, 401, 200);
}

#[test]
fn a_secret_that_is_deleted_but_not_gone_is_no_key_any_more() {
    let stage = Stage::shared();
    let (alice, bob) = (stage.consumer("alice"), stage.consumer("bob"));
    stage.becomes(&alice, 200);
    stage.becomes(&bob, 200);
    delete_in_the_foreground(&stage, "secret", &secret_of("alice"));
    stage.flips(&alice, 200, 401);
    is_terminating(&stage, &secret_of("alice"));
    let namespace = stage.namespace();
    let refs = namespace.until_condition(&of("alice"), "ResolvedRefs", "False");
    let message = refs["message"].as_str().unwrap_or_default();
    assert_eq!(refs["reason"], "SecretNotFound");
    assert!(message.contains("is being deleted"), "{message}");
    stage.is(&bob, 200);

    let_go(&stage, "secret", &secret_of("alice"));
    let again = stage.rotate("alice");
    stage.flips(&again, 401, 200);
    stage.still(&alice, 401);
}

#[test]
fn a_key_goes_to_the_next_claim_only_when_its_terminating_owner_is_gone() {
    let stage = Stage::shared();
    let key = keys::key("shared");
    let request = Request::get("/").key(&key);
    let namespace = stage.namespace();
    let [first, second] = ["first", "second"].map(|name| credential(name, name).sha256(&key));
    namespace.put(&[consumer("first"), consumer("second"), first.clone()]);
    stage.shows(&request, "X-Consumer-Username", Some("first"));
    // Of two of one second the first by name is the owner, too.
    namespace.put(&[second]);
    delete_in_the_foreground(&stage, "credential", &first);
    stage.flips(&request, 200, 401);
    stage.still(&request, 401);
    is_terminating(&stage, &first);

    let_go(&stage, "credential", &first);
    for response in stage.flips(&request, 401, 200) {
        let seen = Seen::of(&response);
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("second"));
    }
}
