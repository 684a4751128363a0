//! `RequestRedirect`: where clients are sent, who is, and what is never told on the way.

use latchkey_proxy::ProxyConfig;
use serde_json::{Value, json};

use crate::harness::{Gateway, Message, Upstream, objects};

/// A route without backends that redirects.
fn route(name: &str, redirect: &Value) -> Value {
    let filter = json!({ "type": "RequestRedirect", "requestRedirect": redirect });
    let mut route = objects::route(name, &json!([filter]));
    route["spec"]["rules"][0]["backendRefs"] = json!([]);
    route
}

fn gateway(objects: impl IntoIterator<Item = Value>) -> Gateway {
    let mut world = objects::world(&[]);
    world.extend(objects);
    Gateway::start(world, &ProxyConfig::default())
}

fn location(answer: &Message) -> String {
    answer.field("location").expect("a location")
}

#[test]
fn a_client_is_sent_where_the_route_says() {
    let gateway = gateway([
        route("host", &json!({ "hostname": "example.org" })),
        route("scheme", &json!({ "scheme": "https", "statusCode": 301 })),
        route("port", &json!({ "port": 8083, "statusCode": 307 })),
        route(
            "full",
            &json!({ "statusCode": 308, "path": { "type": "ReplaceFullPath", "replaceFullPath": "/new" } }),
        ),
        route(
            "prefix",
            &json!({ "statusCode": 303, "path": { "type": "ReplacePrefixMatch", "replacePrefixMatch": "/new" } }),
        ),
    ]);
    for (target, status, expected) in [
        ("/host/a?x=1", 302, "http://example.org/host/a?x=1"),
        ("/scheme", 301, "https://a.example/scheme"),
        ("/port", 307, "http://a.example:8083/port"),
        ("/full/a", 308, "http://a.example/new"),
        ("/prefix/a/", 303, "http://a.example/new/a/"),
        ("/prefix/%61?", 303, "http://a.example/new/a"),
    ] {
        let answer = gateway.get(target, "");
        assert_eq!(
            (answer.status(), location(&answer).as_str()),
            (status, expected),
            "{target}"
        );
        assert_eq!(answer.field("content-length").as_deref(), Some("0"));
        assert!(answer.field("x-request-id").is_some());
    }
    gateway.wait_for_counts(Some("scheme"), &[("301 redirected", 1)]);
}

#[test]
fn the_clients_port_and_spelling_of_a_host_are_not_repeated() {
    let gateway = gateway([route("scheme", &json!({ "scheme": "https" }))]);
    for (host, expected) in [
        ("A.Example:8443", "https://a.example/scheme"),
        ("a.example.", "https://a.example/scheme"),
        ("[::1]:80", "https://[::1]/scheme"),
    ] {
        let answer = gateway.ask(format!("GET /scheme HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!(location(&answer), expected, "{host}");
    }
    let nameless = gateway.ask("GET /scheme HTTP/1.0\r\n\r\n");
    assert_eq!(nameless.status(), 400, "there is nowhere to go");
}

/// Behind a proxy that ends TLS, the client asked for `https`, and not for the listener's port.
#[test]
fn a_trusted_proxy_says_what_the_client_asked_for() {
    let mut world = objects::world(&[]);
    world.push(route("host", &json!({ "hostname": "example.org" })));
    let lines = "X-Forwarded-Proto: https\r\n";
    let stranger = Gateway::start(world.clone(), &ProxyConfig::default()).get("/host", lines);
    assert_eq!(location(&stranger), "http://example.org/host");
    let config = ProxyConfig {
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..ProxyConfig::default()
    };
    let gateway = Gateway::start(world, &config);
    assert_eq!(location(&gateway.get("/host", lines)), "https://example.org/host");
    let port = format!("{lines}X-Forwarded-Port: 8443\r\n");
    assert_eq!(
        location(&gateway.get("/host", &port)),
        "https://example.org:8443/host"
    );
}

#[test]
fn only_who_passes_is_told_where_to_go() {
    let both = json!([{ "type": "APIKey", "apiKey": { "extractFrom": [
        { "header": { "name": "X-API-Key" } }, { "query": { "name": "apikey" } },
    ] } }]);
    let gateway = gateway([
        route("locked", &json!({ "hostname": "secret.example" })),
        objects::policy("locked", &both),
    ]);
    let refused = gateway.get("/locked", "");
    assert_eq!((refused.status(), refused.field("location")), (401, None));
    let passed = gateway.get("/locked", &format!("X-API-Key: {}\r\n", objects::ALICE));
    assert_eq!(location(&passed), "http://secret.example/locked");
    let hidden = gateway.get(&format!("/locked?a=1&apikey={}&b=2", objects::ALICE), "");
    assert_eq!(location(&hidden), "http://secret.example/locked?a=1&b=2");
    assert!(!hidden.head.contains(objects::ALICE), "a key is not repeated");
}

#[test]
fn a_connection_serves_on_after_a_redirect() {
    let gateway = gateway([route("host", &json!({ "hostname": "example.org" }))]);
    let mut client = gateway.connect();
    for method in ["HEAD", "GET", "POST"] {
        client.send(format!(
            "{method} /host HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
        ));
        let head = client.head().unwrap();
        assert!(head.starts_with("HTTP/1.1 302 "), "{head}");
        assert!(head.contains("content-length: 0"), "{head}");
    }
    gateway.wait_for_counts(Some("host"), &[("302 redirected", 3)]);
}

#[test]
fn response_headers_are_added_to_a_redirect_but_not_another_location() {
    let mut hsts = route("hsts", &json!({ "scheme": "https" }));
    let filters = hsts["spec"]["rules"][0]["filters"].as_array_mut().unwrap();
    filters.push(json!({ "type": "ResponseHeaderModifier", "responseHeaderModifier": {
        "set": [{ "name": "Strict-Transport-Security", "value": "max-age=1" }, { "name": "Location", "value": "/x" }],
    } }));
    let answer = gateway([hsts]).get("/hsts", "");
    assert_eq!(
        answer.field("strict-transport-security").as_deref(),
        Some("max-age=1")
    );
    assert_eq!(location(&answer), "https://a.example/hsts");
}

#[test]
fn what_cannot_be_together_answers_500() {
    let upstream = Upstream::echo();
    let mut with_backend = route("backend", &json!({ "hostname": "example.org" }));
    with_backend["spec"]["rules"][0]["backendRefs"] = json!([{ "name": "svc", "port": 80 }]);
    let mut exact = route(
        "exact",
        &json!({ "path": { "type": "ReplacePrefixMatch", "replacePrefixMatch": "/new" } }),
    );
    exact["spec"]["rules"][0]["matches"][0]["path"]["type"] = json!("Exact");
    let mut gateway = Gateway::of(&[upstream.address]);
    gateway.cannot_honour([
        ("/backend", with_backend),
        ("/exact", exact),
        ("/status", route("status", &json!({ "statusCode": 304 }))),
    ]);
    assert!(upstream.requests().is_empty());
}
