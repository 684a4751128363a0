//! Events in, answers out: what a request would get after any of them.

mod lists;
mod peppers;
mod readiness;
mod support;

use serde_json::json;
use support::{Scene, block, consumer, credential, key, route};

use crate::object::Kind;

#[test]
fn a_cluster_is_served_once_all_of_it_was_listed() {
    let scene = Scene::usual();
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    assert_eq!(scene.ask("/", Some("somebody else's key")), "unknown_key");
    assert_eq!(scene.ask("/", None), "no_credential");
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.readiness.pending(), [""; 0]);
}

#[test]
fn a_change_is_in_force_with_the_commit_after_it() {
    let mut scene = Scene::usual();
    scene.applied(Kind::Credential, credential("alice", "another"));
    assert_eq!(scene.ask("/", Some(&key("alice"))), "unknown_key");
    assert_eq!(scene.ask("/", Some(&key("another"))), "alice");
    let mut disabled = consumer("alice");
    disabled["spec"]["disabled"] = json!(true);
    scene.applied(Kind::Consumer, disabled);
    assert_eq!(scene.ask("/", Some(&key("another"))), "consumer_disabled");
    scene.applied(Kind::HttpRoute, route("app", "/moved"));
    assert_eq!(scene.ask("/", Some(&key("another"))), "no_route");
}

#[test]
fn a_delete_needs_no_more_than_metadata() {
    let mut scene = Scene::usual();
    for (kind, answer) in [
        (Kind::Credential, "unknown_key"),
        (Kind::Consumer, "unknown_key"),
        (Kind::HttpRoute, "no_route"),
    ] {
        let name = if kind == Kind::HttpRoute { "app" } else { "alice" };
        scene.deleted(
            kind,
            json!({"metadata": {"namespace": "shop", "name": name}, "spec": 7}),
        );
        assert_eq!(scene.ask("/", Some(&key("alice"))), answer, "{kind:?}");
    }
}

#[test]
fn a_terminating_object_grants_nothing_though_it_still_exists() {
    let mut scene = Scene::usual();
    let mut credential = credential("alice", "alice");
    credential["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    scene.applied(Kind::Credential, credential);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "terminating");
}

#[test]
fn an_object_that_cannot_be_read_grants_nothing_and_is_counted_until_it_is_mended_or_gone() {
    let mut scene = Scene::usual();
    let mut broken = credential("alice", "alice");
    broken["spec"]["apiKey"]["sha256"] = json!("hunter2");
    scene.applied(Kind::Credential, broken.clone());
    assert_eq!(scene.ask("/", Some(&key("alice"))), "unknown_key");
    assert_eq!(scene.findings(), ["Credential shop/alice: Undecodable"]);
    assert_eq!(scene.undecodable(Kind::Credential), 1);
    assert!(!format!("{:?}", scene.writer.findings()).contains("hunter2"));

    scene.applied(Kind::Credential, credential("alice", "alice"));
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    assert_eq!(
        (scene.findings().len(), scene.undecodable(Kind::Credential)),
        (0, 0)
    );

    scene.applied(Kind::Credential, broken.clone());
    scene.deleted(Kind::Credential, broken);
    assert_eq!(
        (scene.findings().len(), scene.undecodable(Kind::Credential)),
        (0, 0)
    );
}

#[test]
fn a_policy_that_cannot_be_read_closes_and_is_counted() {
    let mut scene = Scene::usual();
    let mut policy = support::policy("app");
    policy["spec"]["unheardOf"] = json!(1);
    scene.applied(Kind::AuthPolicy, policy);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "policy_invalid");
    assert_eq!(scene.undecodable(Kind::AuthPolicy), 1);
    scene.applied(Kind::AuthPolicy, support::policy("app"));
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    assert_eq!(scene.undecodable(Kind::AuthPolicy), 0);
}

#[test]
fn a_published_key_counts_and_a_copied_block_is_refused_and_counted() {
    let mut scene = Scene::usual();
    let secret = json!({"name": "keys", "key": "k"});
    let published = |name: &str, blocks| {
        let mut credential = credential(name, name);
        credential["spec"]["apiKey"] = json!({ "secretKeyRef": secret });
        credential["status"] = json!({ "published": [blocks] });
        credential
    };
    scene.applied(Kind::Consumer, consumer("bob"));
    scene.applied(Kind::Credential, published("bob", block("uid of bob", "bob")));
    assert_eq!(scene.ask("/", Some(&key("bob"))), "bob");
    assert_eq!(scene.refused(), 0);
    scene.applied(Kind::Consumer, consumer("eve"));
    scene.applied(Kind::Credential, published("eve", block("uid of bob", "bob")));
    assert_eq!(scene.ask("/", Some(&key("bob"))), "bob");
    assert_eq!(scene.refused(), 1);
}

#[test]
fn who_owns_a_key_is_told_as_it_changes() {
    let mut scene = Scene::usual();
    scene.applied(Kind::Credential, credential("zoe", "alice"));
    assert_eq!(scene.findings(), ["Credential shop/zoe: Conflicted"]);
    scene.deleted(Kind::Credential, credential("alice", "alice"));
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "orphaned");
}
