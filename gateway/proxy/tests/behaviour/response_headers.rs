//! `ResponseHeaderModifier`: what it does to an upstream's answer, and what it leaves alone.

use latchkey_proxy::ProxyConfig;
use serde_json::{Value, json};

use crate::harness::{Gateway, Upstream, objects};

/// A route `/changed` that has this modifier.
fn route(modifier: &Value) -> Value {
    let filter = json!({ "type": "ResponseHeaderModifier", "responseHeaderModifier": modifier });
    objects::route("changed", &json!([filter]))
}

fn gateway(upstream: &Upstream, modifier: &Value) -> Gateway {
    let mut world = objects::world(&[upstream.address]);
    world.push(route(modifier));
    Gateway::start(world, &ProxyConfig::default())
}

#[test]
fn an_answer_is_changed_and_the_request_is_not() {
    let upstream = Upstream::answering(
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Set: a\r\nX-Set: b\r\nX-Add: upstream\r\nX-Gone: 1\r\n\r\nhi",
    );
    let gateway = gateway(
        &upstream,
        &json!({
            "set": [{ "name": "X-Set", "value": "route" }, { "name": "X-New", "value": "route" }],
            "add": [{ "name": "x-add", "value": "route" }],
            "remove": ["x-gone"],
        }),
    );
    let answer = gateway.get("/changed", "");
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.field("x-set").as_deref(), Some("route"));
    assert_eq!(answer.field("x-new").as_deref(), Some("route"));
    assert_eq!(answer.fields("x-add").collect::<Vec<_>>(), ["upstream", "route"]);
    assert_eq!(answer.field("x-gone"), None);
    assert_eq!(answer.body, b"hi");
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.field("x-new"), None);
    assert_eq!(gateway.get("/open", "").field("x-new"), None, "another route");
}

#[test]
fn an_answer_keeps_its_framing_whatever_is_removed() {
    let upstream = Upstream::answering(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nX-Gone: 1\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n",
    );
    let gateway = gateway(&upstream, &json!({ "remove": ["x-gone", "x-sum"] }));
    let answer = gateway.get("/changed", "TE: trailers\r\n");
    assert_eq!(answer.body, b"hi");
    assert_eq!(answer.field("x-gone"), None);
    assert_eq!(answer.field("transfer-encoding").as_deref(), Some("chunked"));
}

#[test]
fn what_the_gateway_answers_itself_is_not_the_routes_to_change() {
    let upstream = Upstream::echo();
    let modifier = json!({ "set": [{ "name": "X-New", "value": "route" }] });
    let filter = json!([{ "type": "ResponseHeaderModifier", "responseHeaderModifier": modifier }]);
    let mut world = objects::world(&[upstream.address]);
    world.push(objects::route("locked", &filter));
    world.push(objects::policy("locked", &json!([{ "type": "APIKey" }])));
    let gateway = Gateway::start(world, &ProxyConfig::default());
    let refused = gateway.get("/locked", "");
    assert_eq!((refused.status(), refused.field("x-new")), (401, None));
    let passed = gateway.get("/locked", &format!("X-API-Key: {}\r\n", objects::ALICE));
    assert_eq!(
        (passed.status(), passed.field("x-new").as_deref()),
        (200, Some("route"))
    );
}

#[test]
fn a_route_that_asks_for_what_is_the_gateways_answers_500() {
    let upstream = Upstream::echo();
    let mut gateway = Gateway::of(&[upstream.address]);
    for name in [
        "Content-Length",
        "Transfer-Encoding",
        "Connection",
        "X-Request-Id",
    ] {
        gateway.put(route(&json!({ "set": [{ "name": name, "value": "1" }] })));
        let answer = gateway.get("/changed", "");
        assert_eq!(
            (answer.status(), answer.reason().as_str()),
            (500, "misconfigured"),
            "{name}"
        );
    }
    assert!(upstream.requests().is_empty());
}
