//! CORS preflights: which of them need no credential, and what an upstream sees of them.

use serde_json::json;

use crate::harness::{Gateway, Upstream, objects, objects::ALICE};

const ASKING: &str = "Origin: https://app.example\r\nAccess-Control-Request-Method: PUT\r\n";

fn options(gateway: &Gateway, target: &str, lines: &str) -> u16 {
    gateway
        .ask(format!("OPTIONS {target} HTTP/1.1\r\nHost: a\r\n{lines}\r\n"))
        .status()
}

#[test]
fn where_a_policy_says_so_a_preflight_passes_as_nobody() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let forged = format!("{ASKING}X-Consumer-Username: admin\r\nX-Anonymous-Consumer: false\r\n");
    assert_eq!(options(&gateway, "/cors/x", &forged), 200);
    let request = upstream.requests().pop().unwrap();
    assert!(
        request.head.starts_with("OPTIONS /cors/x HTTP/1.1\r\n"),
        "{}",
        request.head
    );
    assert_eq!(request.field("x-anonymous-consumer").as_deref(), Some("true"));
    assert_eq!(request.field("x-consumer-username"), None);
    assert_eq!(request.field("origin").as_deref(), Some("https://app.example"));
}

#[test]
fn everywhere_else_it_is_judged_like_any_other_request() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    assert_eq!(options(&gateway, "/key", ASKING), 401);
    for lines in [
        "",
        "Origin: https://app.example\r\n",
        "Access-Control-Request-Method: PUT\r\n",
        &ASKING.repeat(2),
        &format!("{ASKING}X-API-Key: wrong\r\n"),
        &format!("{ASKING}X-API-Key:\r\n"),
        &format!("{ASKING}Connection: Origin\r\nContent-Length: 1\r\n\r\nx"),
        &format!("{ASKING}Transfer-Encoding: chunked\r\n\r\n0\r\n"),
    ] {
        assert_eq!(options(&gateway, "/cors", lines), 401, "{lines:?}");
    }
    assert_eq!(gateway.get("/cors", ASKING).status(), 401);
    assert!(upstream.requests().is_empty());
}

#[test]
fn with_a_key_it_is_its_owners() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let lines = format!("{ASKING}X-API-Key: {ALICE}\r\n");
    assert_eq!(options(&gateway, "/cors", &lines), 200);
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.field("x-anonymous-consumer"), None);
    assert_eq!(
        request.field("x-consumer-username").as_deref(),
        Some("alice@example")
    );
    assert!(!request.head.contains(ALICE), "{}", request.head);
}

/// An override asks for itself, whatever is said below it.
#[test]
fn two_policies_must_both_let_it_pass() {
    let upstream = Upstream::echo();
    for (preflight, status) in [("Authenticate", 401), ("Pass", 200)] {
        let mut over = objects::policy("over", &json!([{ "type": "APIKey" }]));
        over["spec"]["targetRefs"] =
            json!([{ "group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "gw" }]);
        over["spec"]["override"] = json!(true);
        over["spec"]["preflight"] = json!(preflight);
        let mut world = objects::world(&[upstream.address]);
        world.push(over);
        let gateway = Gateway::start(world, &latchkey_proxy::ProxyConfig::default());
        assert_eq!(options(&gateway, "/cors", ASKING), status, "{preflight}");
        assert_eq!(options(&gateway, "/key", ASKING), 401, "{preflight}");
    }
    assert_eq!(upstream.requests().len(), 1);
}
