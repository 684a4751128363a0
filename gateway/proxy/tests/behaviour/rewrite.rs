//! `URLRewrite`: what upstreams see, and what routing and policies have seen before.

use latchkey_proxy::ProxyConfig;
use serde_json::{Value, json};

use crate::harness::{Gateway, Message, Upstream, objects};

fn route(name: &str, rewrite: &Value) -> Value {
    objects::route(name, &json!([{ "type": "URLRewrite", "urlRewrite": rewrite }]))
}

fn prefix(by: &str) -> Value {
    json!({ "path": { "type": "ReplacePrefixMatch", "replacePrefixMatch": by } })
}

fn gateway(upstream: &Upstream, objects: impl IntoIterator<Item = Value>) -> Gateway {
    let mut world = objects::world(&[upstream.address]);
    world.extend(objects);
    Gateway::start(world, &ProxyConfig::default())
}

/// What the upstream saw of the last request.
fn seen(upstream: &Upstream) -> Message {
    upstream.requests().pop().expect("a request")
}

#[test]
fn the_upstream_sees_the_rewritten_path() {
    let upstream = Upstream::echo();
    let full = json!({ "path": { "type": "ReplaceFullPath", "replaceFullPath": "/one" } });
    let gateway = gateway(
        &upstream,
        [
            route("strip", &prefix("/")),
            route("move", &prefix("/new/home")),
            route("full", &full),
        ],
    );
    for (asked, expected) in [
        ("/strip/three", "/three"),
        ("/strip", "/"),
        ("/strip/", "/"),
        ("/strip?a=/strip", "/?a=/strip"),
        ("/move/a/?x=1&y", "/new/home/a/?x=1&y"),
        ("/move", "/new/home"),
        ("/move/strip/%61%2C", "/new/home/strip/a%2C"),
        ("/move?", "/new/home?"),
        ("/full/two/three?q", "/one?q"),
        ("http://a.example/move/a", "/new/home/a"),
    ] {
        assert_eq!(gateway.get(asked, "").status(), 200, "{asked}");
        assert_eq!(seen(&upstream).target(), expected, "{asked}");
        assert_eq!(seen(&upstream).field("host").as_deref(), Some("a.example"));
    }
}

#[test]
fn a_path_that_is_refused_is_refused_before_it_is_rewritten() {
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, [route("strip", &prefix("/"))]);
    for target in [
        "/strip//a",
        "/strip/../key",
        "/strip/%2e%2e/a",
        "/strip/%2fa",
        "/strip/..;/a",
    ] {
        assert_eq!(gateway.get(target, "").status(), 400, "{target}");
    }
    assert_eq!(gateway.get("/stripped", "").status(), 404, "not a whole segment");
    assert!(upstream.requests().is_empty());
}

#[test]
fn the_upstream_sees_the_rewritten_host_and_can_know_the_other() {
    let upstream = Upstream::echo();
    let host = json!({ "hostname": "one.example.org" });
    let gateway = gateway(&upstream, [route("host", &host)]);
    assert_eq!(gateway.get("/host/a", "").status(), 200);
    let request = seen(&upstream);
    assert_eq!(request.target(), "/host/a");
    assert_eq!(request.field("host").as_deref(), Some("one.example.org"));
    assert_eq!(request.field("x-forwarded-host").as_deref(), Some("a.example"));
}

#[test]
fn policies_see_the_path_before_and_hide_what_they_hide() {
    let upstream = Upstream::echo();
    let both = json!([{ "type": "APIKey", "apiKey": { "extractFrom": [
        { "header": { "name": "X-API-Key" } }, { "query": { "name": "apikey" } },
    ] } }]);
    let gateway = gateway(
        &upstream,
        [
            route("locked", &prefix("/open")),
            objects::policy("locked", &both),
        ],
    );
    assert_eq!(gateway.get("/locked/a", "").status(), 401);
    let asked = format!("/locked/a?x=1&apikey={}", objects::ALICE);
    assert_eq!(gateway.get(&asked, "").status(), 200);
    assert_eq!(seen(&upstream).target(), "/open/a?x=1");
    assert_eq!(
        seen(&upstream).field("x-consumer-username").as_deref(),
        Some("alice@example")
    );
    assert_eq!(upstream.requests().len(), 1);
}

/// A kept connection that dies is replaced, and what is sent again is as rewritten.
#[test]
fn what_is_sent_again_is_rewritten_too() {
    let upstream = Upstream::start(|mut served| {
        served.request();
        served.wire.send(crate::harness::upstream::ok("hi"));
        served.request();
    });
    let mut rewrite = prefix("/new");
    rewrite["hostname"] = json!("one.example.org");
    let gateway = gateway(&upstream, [route("move", &rewrite)]);
    let mut client = gateway.connect();
    for _ in 0..2 {
        assert_eq!(
            client.ask("GET /move/a HTTP/1.1\r\nHost: a\r\n\r\n").status(),
            200
        );
    }
    assert_eq!(upstream.connections(), 2);
    for request in upstream.requests() {
        assert_eq!(request.target(), "/new/a");
        assert_eq!(request.field("host").as_deref(), Some("one.example.org"));
    }
}

#[test]
fn headers_and_url_are_changed_together() {
    let upstream = Upstream::echo();
    let mut both = route("both", &prefix("/new"));
    let filters = both["spec"]["rules"][0]["filters"].as_array_mut().unwrap();
    filters.push(
        json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": {
        "set": [{ "name": "X-Set", "value": "route" }],
    } }),
    );
    let gateway = gateway(&upstream, [both]);
    assert_eq!(gateway.get("/both/a", "X-Set: client\r\n").status(), 200);
    assert_eq!(seen(&upstream).target(), "/new/a");
    assert_eq!(seen(&upstream).field("x-set").as_deref(), Some("route"));
}

#[test]
fn what_cannot_be_together_answers_500() {
    let upstream = Upstream::echo();
    let mut gateway = Gateway::of(&[upstream.address]);
    let mut exact = route("exact", &prefix("/new"));
    exact["spec"]["rules"][0]["matches"][0]["path"]["type"] = json!("Exact");
    let mut redirect = route("redirect", &prefix("/new"));
    redirect["spec"]["rules"][0]["backendRefs"] = json!([]);
    let filters = redirect["spec"]["rules"][0]["filters"].as_array_mut().unwrap();
    filters.push(json!({ "type": "RequestRedirect", "requestRedirect": { "scheme": "https" } }));
    gateway.cannot_honour([
        ("/exact", exact),
        ("/redirect", redirect),
        ("/query", route("query", &prefix("/?x"))),
    ]);
    assert!(upstream.requests().is_empty());
}
