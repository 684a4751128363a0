//! Which requests pass a policy, and what those that do not are told.

use latchkey_e2e::{
    client::{Request, Response},
    echo::Seen,
    keys, manifest,
    scene::{Scene, policy},
    upstream::Upstream,
};
use serde_json::json;

/// A 401 as every one must be: with a challenge, a problem document, and nothing of the reason why.
#[track_caller]
fn refused(response: &Response, reason: &str) {
    assert_eq!(response.status, 401, "{}", response.text());
    assert!(
        response
            .header("WWW-Authenticate")
            .is_some_and(|challenge| !challenge.is_empty()),
        "a 401 without a challenge"
    );
    assert_eq!(response.reason(), reason);
}

#[test]
fn without_a_key_nothing_reaches_the_upstream() {
    let upstream = Upstream::answering("never");
    let scene = Scene::protected(upstream.address());
    let gateway = scene.gateway().start();
    refused(&gateway.send(&Request::get("/")), "credential_missing");
    assert!(upstream.requests().is_empty());
}

/// In a header and in the query (O-A7).
#[test]
fn an_empty_key_is_no_key() {
    let upstream = Upstream::answering("never");
    let scene = Scene::protected(upstream.address());
    scene.folder.write(
        "policy.yaml",
        &[policy().places(&json!([{"header": {"name": "X-API-Key"}}, {"query": {"name": "apikey"}}]))],
    );
    let gateway = scene.gateway().start();
    for request in [
        Request::get("/").key(""),
        Request::get("/").key("  "),
        Request::get("/?apikey="),
        Request::get("/?apikey"),
        Request::get("/?apikey=&apikey="),
    ] {
        let response = gateway.send(&request);
        assert_eq!(response.status, 401, "{request:?}");
        assert!(response.header("WWW-Authenticate").is_some(), "{request:?}");
    }
    assert!(upstream.requests().is_empty());
}

#[test]
fn a_wrong_key_is_refused_without_saying_why() {
    let upstream = Upstream::answering("never");
    let scene = Scene::protected(upstream.address());
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    for wrong in [
        keys::key("unknown"),
        format!("{key}x"),
        key[..key.len() - 1].to_owned(),
        key.to_uppercase(),
        // The hash that the manifest shows opens nothing.
        keys::sha256(&key),
    ] {
        refused(
            &gateway.send(&Request::get("/").key(&wrong)),
            "credential_invalid",
        );
    }
    assert!(upstream.requests().is_empty());
}

#[test]
fn a_key_counts_only_where_the_policy_looks_for_it() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    scene.folder.write(
        "policy.yaml",
        &[policy().places(&json!([{"header": {"name": "X-Token"}}, {"query": {"name": "token"}}]))],
    );
    let gateway = scene.gateway().start();
    for elsewhere in [
        Request::get("/").key(&key),
        Request::get(&format!("/?apikey={key}")),
        Request::get(&format!("/?TOKEN={key}")),
        Request::get("/").header("Authorization", &format!("Bearer {key}")),
        Request::get("/").header("Cookie", &format!("token={key}")),
        Request::get(&format!("/{key}")),
    ] {
        refused(&gateway.send(&elsewhere), "credential_missing");
    }
    assert_eq!(gateway.status(&Request::get("/").header("x-token", &key)), 200);
    assert_eq!(gateway.status(&Request::get(&format!("/?token={key}"))), 200);
    assert_eq!(
        gateway.status(&Request::get(&format!("/?a=1&%74oken={key}"))),
        200
    );
}

#[test]
fn the_same_key_twice_is_refused() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    scene.folder.write(
        "policy.yaml",
        &[policy().places(&json!([{"header": {"name": "X-API-Key"}}, {"query": {"name": "apikey"}}]))],
    );
    let gateway = scene.gateway().start();
    for request in [
        Request::get("/").key(&key).key(&key),
        Request::get(&format!("/?apikey={key}&apikey={key}")),
        Request::get(&format!("/?apikey={key}&%61pikey={key}")),
        Request::get(&format!("/?apikey={key}")).key(&key),
    ] {
        refused(&gateway.send(&request), "credential_invalid");
    }
}

#[test]
fn the_right_key_passes_with_exactly_the_consumers_identity() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    scene.folder.write(
        "consumer-alice.yaml",
        &[manifest::consumer("alice")
            .set("metadata.uid", "1c2f9a0e-0000-4000-8000-000000000001")
            .set("spec.username", "Alice A.")
            .set("spec.customID", "crm-17")
            .set("spec.groups", json!(["gold", "beta"]))],
    );
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&Request::get("/orders?page=2").key(&key)));
    let expected = [
        ("x-consumer-custom-id", "crm-17"),
        ("x-consumer-groups", "gold,beta"),
        ("x-consumer-id", "1c2f9a0e-0000-4000-8000-000000000001"),
        ("x-consumer-namespace", "default"),
        ("x-consumer-username", "Alice A."),
        ("x-credential-identifier", "default/alice"),
    ];
    assert_eq!(
        seen.identity(),
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    assert_eq!(seen.target(), "/orders?page=2");
}

#[test]
fn a_consumer_without_details_has_its_own_name_and_no_empty_headers() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&Request::get("/").key(&key)));
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
    assert_eq!(seen.header("X-Consumer-Groups"), None);
    assert_eq!(seen.header("X-Consumer-Custom-ID"), None);
    assert_eq!(seen.header("X-Anonymous-Consumer"), None);
    assert!(seen.header("X-Consumer-ID").is_some_and(|uid| uid.len() == 36));
}

#[test]
fn a_consumers_uid_is_the_same_after_a_restart() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let uid = || {
        let gateway = scene.gateway().start();
        Seen::of(&gateway.send(&Request::get("/").key(&key))).header("X-Consumer-ID")
    };
    assert_eq!(uid(), uid());
}

#[test]
fn a_key_may_lie_in_a_secret_or_be_known_by_its_hash_alone() {
    let (scene, _echo) = Scene::with_echo();
    let by_hash = scene.consumer("alice");
    let by_secret = scene.consumer_with_secret("bob");
    let gateway = scene.gateway().start();
    for (key, name) in [(by_hash, "alice"), (by_secret, "bob")] {
        let seen = Seen::of(&gateway.send(&Request::get("/").key(&key)));
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some(name));
    }
}
