//! Keys end at the gateway: the upstream sees everything else, byte for byte.

use latchkey_e2e::{
    client::Request,
    echo::Seen,
    scene::{Scene, policy},
};
use serde_json::json;

/// A protected route that takes keys from the header `ApiKey` and the query parameter `apikey`.
fn two_places() -> (Scene, impl Sized, String) {
    let (scene, echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    scene.folder.write(
        "policy.yaml",
        &[policy().places(&json!([{"header": {"name": "apikey"}}, {"query": {"name": "apikey"}}]))],
    );
    (scene, echo, key)
}

/// In the query (O-A8).
#[test]
fn a_key_in_the_query_is_cut_out_and_the_rest_is_untouched() {
    let (scene, _echo, key) = two_places();
    let gateway = scene.gateway().start();
    for (sent, arrives) in [
        (format!("/p?b=%2F&apikey={key}&a=1&a=2"), "/p?b=%2F&a=1&a=2"),
        (format!("/p?b=%2F&a=1&%61pikey={key}&a=2"), "/p?b=%2F&a=1&a=2"),
        (format!("/p?apikey={key}"), "/p"),
        (format!("/p?apikey={key}&&x&=y&z="), "/p?&x&=y&z="),
        (format!("/p?x=%41%7e+%20&apikey={key}"), "/p?x=%41%7e+%20"),
        (
            format!("/p?apikeys=1&Apikey=2&apikey={key}"),
            "/p?apikeys=1&Apikey=2",
        ),
    ] {
        // What tells of the way here would carry it on, too.
        let request = Request::get(&sent).header("X-Forwarded-Uri", &sent).header(
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        );
        let seen = Seen::of(&gateway.send(&request));
        assert_eq!(seen.target(), arrives);
        assert!(!seen.has_trace_of(&key), "{arrives}");
    }
}

/// Twice in the query, once in disguise: that is refused, and goes nowhere (O-A8).
#[test]
fn a_key_that_stands_twice_in_the_query_reaches_no_upstream_and_no_log() {
    let (scene, echo, key) = two_places();
    let gateway = scene.gateway().start();
    let target = format!("/p?b=%2F&apikey={key}&a=1&%61pikey={key}&a=2");
    let response = gateway.send(&Request::get(&target));
    assert_eq!(response.status, 401);
    assert_eq!(response.reason(), "credential_invalid");
    // Whether a key stands in any line is checked when the gateway ends.
    gateway.says(&["\"path\":\"/p\"", "401"]);
    drop(echo);
}

/// In a header (O-A8).
#[test]
fn a_key_in_a_header_leaves_no_trace() {
    let (scene, _echo, key) = two_places();
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&Request::get("/p?x=1").header("ApiKey", &key)));
    assert_eq!(seen.target(), "/p?x=1");
    assert!(!seen.has_trace_of(&key));
    assert_eq!(seen.header("apikey"), None);
}

#[test]
fn an_empty_place_beside_the_winning_one_is_hidden_too() {
    let (scene, _echo, key) = two_places();
    let gateway = scene.gateway().start();
    let response = gateway.send(&Request::get("/p?apikey=&x=1").header("apikey", &key));
    if response.status == 200 {
        assert_eq!(Seen::of(&response).target(), "/p?x=1");
    } else {
        assert_eq!(response.status, 401);
    }
}

/// Elsewhere (O-A8).
#[test]
fn a_place_that_is_not_configured_is_left_alone() {
    let (scene, _echo, key) = two_places();
    let gateway = scene.gateway().start();
    let request = Request::get("/p?token=abc")
        .header("apikey", &key)
        .header("Authorization", "Bearer of-the-upstream");
    let seen = Seen::of(&gateway.send(&request));
    assert_eq!(seen.target(), "/p?token=abc");
    assert_eq!(
        seen.header("Authorization").as_deref(),
        Some("Bearer of-the-upstream")
    );
}

#[test]
fn a_policy_may_pass_the_key_on() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let showing = policy().set("spec.hideCredentials", false);
    scene.folder.write("policy.yaml", &[showing]);
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&Request::get("/").key(&key)));
    assert_eq!(seen.header("X-API-Key").as_deref(), Some(key.as_str()));
}

/// In the log (O-A8).
#[test]
fn keys_in_targets_do_not_reach_the_access_log() {
    let (scene, _echo, key) = two_places();
    let gateway = scene.gateway().start();
    assert_eq!(
        gateway.status(&Request::get(&format!("/logged-200?apikey={key}"))),
        200
    );
    assert_eq!(
        gateway.status(&Request::get(&format!("/logged-401?apikey={key}x"))),
        401
    );
    // Whether a key stands in any line is checked when the gateway ends.
    gateway.says(&["/logged-200"]);
    gateway.says(&["/logged-401"]);
}
