//! What a request and its answer look like on the other side (O-D6).

use serde_json::json;

use crate::harness::{Gateway, Upstream, objects, objects::ALICE};

fn through(target: &str, lines: &str) -> crate::harness::Message {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.get(target, lines);
    assert_eq!(answer.status(), 200, "{answer:?}");
    upstream.requests().pop().unwrap()
}

#[test]
fn fields_of_one_hop_end_here_and_the_gateways_own_arrive() {
    let request = through(
        "/key",
        &format!(
            "Connection: close, X-Consumer-Username, X-Forwarded-For, Authorization, Cookie, X-API-Key\r\n\
             Connection: X-Other, content-length, host\r\nX-Other: 1\r\nX-Kept: 1\r\nCookie: c\r\nAuthorization: z\r\n\
             Proxy-Authorization: p\r\nKeep-Alive: timeout=5\r\nTE: trailers, gzip\r\nProxy-Connection: keep-alive\r\n\
             Upgrade: h2c\r\nHTTP2-Settings: AAMA\r\nX-API-Key: {ALICE}\r\n"
        ),
    );
    for gone in [
        "connection",
        "x-other",
        "cookie",
        "authorization",
        "proxy-authorization",
        "keep-alive",
        "te",
        "proxy-connection",
        "upgrade",
        "http2-settings",
        "x-api-key",
    ] {
        assert_eq!(request.field(gone), None, "{gone}");
    }
    assert_eq!(
        request.field("x-consumer-username").as_deref(),
        Some("alice@example")
    );
    assert_eq!(request.field("x-forwarded-for").as_deref(), Some("127.0.0.1"));
    assert_eq!(request.field("host").as_deref(), Some("a.example"));
    assert_eq!(request.field("x-kept").as_deref(), Some("1"));
}

#[test]
fn a_nominated_length_still_frames_the_body() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway
        .ask("POST /open HTTP/1.1\r\nHost: a\r\nConnection: content-length\r\nContent-Length: 3\r\n\r\nabc");
    assert_eq!(answer.status(), 200);
    assert_eq!(upstream.requests()[0].body, b"abc");
}

#[test]
fn traces_pass_and_a_request_id_is_kept_or_made() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let trace =
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\ntracestate: a=b, c=d\r\n";
    let kept = gateway.get("/open", &format!("{trace}X-Request-Id: id-1\r\n"));
    assert_eq!(kept.field("x-request-id").as_deref(), Some("id-1"));
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.field("x-request-id").as_deref(), Some("id-1"));
    assert!(
        request
            .head
            .contains("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    );
    assert_eq!(request.field("tracestate").as_deref(), Some("a=b, c=d"));

    let made: Vec<_> = ["X-Request-Id: not well formed\r\n", ""]
        .map(|lines| gateway.get("/open", lines).field("x-request-id").unwrap())
        .into();
    assert!(
        made.iter().all(|id| id.len() == 32) && made[0] != made[1],
        "{made:?}"
    );
    assert_eq!(
        upstream.requests().pop().unwrap().field("x-request-id"),
        Some(made[1].clone())
    );
}

#[test]
fn an_answer_loses_what_was_for_one_hop() {
    let upstream = Upstream::answering(
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 299 Odd Phrase\r\nConnection: X-Up, keep-alive\r\n\
         Keep-Alive: timeout=5\r\nX-Up: 1\r\nProxy-Authenticate: Basic\r\nUpgrade: h2c\r\nX-Kept: 1\r\nSet-Cookie: a\r\n\
         Set-Cookie: b\r\nX-Request-Id: other\r\nContent-Length: 2, 2\r\n\r\nhi",
    );
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.get("/open", "X-Request-Id: mine\r\n");
    assert!(
        answer.head.starts_with("HTTP/1.1 299 Odd Phrase\r\n"),
        "{}",
        answer.head
    );
    for gone in [
        "connection",
        "keep-alive",
        "x-up",
        "proxy-authenticate",
        "upgrade",
    ] {
        assert_eq!(answer.field(gone), None, "{gone}");
    }
    assert_eq!(answer.fields("set-cookie").collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(answer.field("x-request-id").as_deref(), Some("mine"));
    assert_eq!(answer.field("content-length").as_deref(), Some("2"));
    assert_eq!(answer.body, b"hi");
}

#[test]
fn a_routes_modifier_works_beneath_the_gateways_own_fields() {
    let upstream = Upstream::echo();
    let mut world = objects::world(&[upstream.address]);
    world.push(objects::route(
        "modified",
        &json!([{ "type": "RequestHeaderModifier", "requestHeaderModifier": {
            "set": [{ "name": "X-Set", "value": "route" }],
            "add": [{ "name": "X-Add", "value": "route" }],
            "remove": ["X-Gone"],
        } }]),
    ));
    let gateway = Gateway::start(world, &latchkey_proxy::ProxyConfig::default());
    let answer = gateway.get(
        "/modified",
        "X-Set: a\r\nX-Set: b\r\nX-Add: client\r\nX-Gone: 1\r\n",
    );
    assert_eq!(answer.status(), 200);
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.field("x-set").as_deref(), Some("route"));
    assert_eq!(request.fields("x-add").collect::<Vec<_>>(), ["client", "route"]);
    assert_eq!(request.field("x-gone"), None);
}

#[test]
fn an_answer_to_head_or_without_content_keeps_its_connections() {
    let upstream = Upstream::start(|mut served| {
        while let Some(request) = served.request() {
            let answer = match request.target() {
                "/open/none" => "HTTP/1.1 204 No Content\r\n\r\n",
                "/open/same" => "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
                _ => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
            };
            served.wire.send(answer);
        }
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    for (line, status) in [
        ("HEAD /open", "200"),
        ("GET /open/none", "204"),
        ("GET /open/same", "304"),
    ] {
        client.send(format!("{line} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let head = client.head().unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
        if status == "200" {
            assert!(head.contains("content-length: 10"), "{head}");
        }
    }
    assert_eq!(upstream.connections(), 1);
    gateway.wait_for_counts(
        Some("open"),
        &[("200 served", 1), ("204 served", 1), ("304 served", 1)],
    );
}

#[test]
fn what_no_rule_matches_is_404() {
    let gateway = Gateway::of(&[]);
    let answer = gateway.get("/none", "");
    assert_eq!((answer.status(), answer.reason().as_str()), (404, "not_found"));
    gateway.wait_for_counts(None, &[("404 no_route", 1)]);
}
