//! What counts as a credential, what a refusal says, and that no key gets beyond the gateway
//! (O-A7, O-A8).

use crate::harness::{
    Gateway, Message, Upstream,
    objects::{ALICE, BOB},
};

fn refused(target: &str, lines: &str) -> Message {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.get(target, lines);
    assert_eq!(answer.status(), 401, "{target} {lines:?}");
    let challenge = answer.field("www-authenticate");
    assert_eq!(challenge.as_deref(), Some("ApiKey realm=\"latchkey\""));
    assert!(upstream.requests().is_empty(), "{target} {lines:?}");
    answer
}

#[test]
fn absent_and_empty_keys_are_refused_with_a_challenge() {
    for (target, lines) in [
        ("/key", ""),
        ("/key", "X-API-Key:\r\n"),
        ("/key", "X-API-Key:   \t \r\n"),
        ("/key?apikey=", ""),
        ("/key?apikey", ""),
        ("/key?apikey=%20+", ""),
        ("/key", "Authorization: Bearer\r\n"),
        ("/key?APIKEY=x", ""),
    ] {
        assert_eq!(
            refused(target, lines).reason(),
            "credential_missing",
            "{target} {lines:?}"
        );
    }
}

/// Whoever sends an empty key meant to send one: nobody is let in as anonymous by a bug of theirs.
#[test]
fn an_empty_key_is_not_anonymous() {
    for (target, lines) in [
        ("/anon", "X-API-Key:\r\n"),
        ("/anon?apikey=", ""),
        ("/anon?apikey", ""),
    ] {
        assert_eq!(
            refused(target, lines).reason(),
            "credential_missing",
            "{target} {lines:?}"
        );
    }
}

#[test]
fn a_wrong_key_is_not_anonymous() {
    assert_eq!(
        refused("/anon", "X-API-Key: wrong\r\n").reason(),
        "credential_invalid"
    );
}

#[test]
fn two_values_are_refused_wherever_they_stand() {
    let line = format!("X-API-Key: {ALICE}\r\n");
    for (target, lines) in [
        ("/key".to_owned(), line.repeat(2)),
        (format!("/key?apikey={ALICE}"), line.clone()),
        (format!("/key?apikey={ALICE}&apikey={ALICE}"), String::new()),
        (format!("/key?apikey={ALICE}&%61pikey={BOB}"), String::new()),
        ("/key?apikey".to_owned(), line),
    ] {
        assert_eq!(
            refused(&target, &lines).reason(),
            "credential_invalid",
            "{target} {lines:?}"
        );
    }
}

#[test]
fn a_key_elsewhere_is_no_key() {
    for (target, lines) in [
        (format!("/key?key={ALICE}"), String::new()),
        ("/key".to_owned(), format!("Authorization: {ALICE}\r\n")),
        ("/key".to_owned(), format!("X_API_Key: {ALICE}\r\n")),
        (
            "/key".to_owned(),
            format!("Connection: X-Other\r\nCookie: apikey={ALICE}\r\n"),
        ),
    ] {
        assert_eq!(
            refused(&target, &lines).reason(),
            "credential_missing",
            "{target} {lines:?}"
        );
    }
}

#[test]
fn a_refused_request_keeps_its_connection() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    assert_eq!(client.ask("GET /key HTTP/1.1\r\nHost: a\r\n\r\n").status(), 401);
    let answer = client.ask(format!(
        "GET /key HTTP/1.1\r\nHost: a\r\nX-API-Key: {ALICE}\r\n\r\n"
    ));
    assert_eq!(answer.status(), 200);
}

#[test]
fn an_answer_to_head_has_no_body() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("HEAD /key HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(client.head().unwrap().starts_with("HTTP/1.1 401 "));
    // Were there a body, it would stand before this.
    assert_eq!(client.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
}

/// What the upstream sees of a target, the key being in the query.
#[test]
fn the_query_loses_the_key_and_nothing_else() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for (sent, seen) in [
        ("/key/p?b=%2F&apikey=KEY&a=1&a=2", "/key/p?b=%2F&a=1&a=2"),
        ("/key/p?b=%2F&a=1&%61pikey=KEY&a=2", "/key/p?b=%2F&a=1&a=2"),
        ("/key/p?apikey=KEY", "/key/p"),
        ("/key/p?x&apikey=KEY&&y=+%zz", "/key/p?x&&y=+%zz"),
    ] {
        let target = sent.replace("KEY", ALICE);
        assert_eq!(gateway.get(&target, "").status(), 200, "{sent}");
        let request = upstream.requests().pop().unwrap();
        assert_eq!(request.target(), seen, "{sent}");
        assert!(!request.head.contains(ALICE), "{}", request.head);
    }
}

#[test]
fn the_header_goes_and_other_fields_stay() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let lines = format!("x-api-KEY: {ALICE}\r\nX-Other: kept\r\nApiKey: kept\r\n");
    assert_eq!(gateway.get("/key?x=1", &lines).status(), 200);
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.target(), "/key?x=1");
    assert_eq!(request.field("x-other").as_deref(), Some("kept"));
    assert_eq!(request.field("apikey").as_deref(), Some("kept"));
    assert!(!request.head.contains(ALICE), "{}", request.head);
}

#[test]
fn a_policy_may_leave_the_key_and_open_routes_have_none_to_hide() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let line = format!("X-API-Key: {ALICE}\r\n");
    assert_eq!(gateway.get("/shown", &line).status(), 200);
    assert_eq!(gateway.get("/open?apikey=x", &line).status(), 200);
    let requests = upstream.requests();
    assert_eq!(requests[0].field("x-api-key").as_deref(), Some(ALICE));
    assert_eq!(requests[1].target(), "/open?apikey=x");
}

#[test]
fn no_key_is_ever_logged_or_told() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let line = format!("X-API-Key: {ALICE}\r\n");
    let mut told = String::new();
    for (target, lines) in [
        ("/key", line.as_str()),
        (&format!("/key?apikey={ALICE}"), ""),
        (&format!("/key?apikey={ALICE}"), &line),
        (&format!("/key?other={ALICE}"), ""),
        (&format!("/open?apikey={ALICE}"), ""),
        (&format!("/none?{ALICE}"), ""),
        (&format!("/bad//?{ALICE}"), ""),
    ] {
        let answer = gateway.get(target, lines);
        told += &answer.head;
        if answer.status() != 200 {
            told += &String::from_utf8_lossy(&answer.body);
        }
    }
    assert!(!told.contains(ALICE), "{told}");
    let log = gateway.into_log();
    assert_eq!(log.lines().count(), 7, "{log}");
    assert!(!log.contains(ALICE), "{log}");
    assert!(
        log.contains(r#""consumer":"default/alice""#) && log.contains(r#""path":"/key""#),
        "{log}"
    );
}
