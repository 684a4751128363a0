//! What `Connection` can do to a request and its answer, as whole heads on both sides (O-D6).

use crate::harness::{Gateway, Upstream, objects::ALICE};

/// The upstream's head, its fields sorted: their order carries no meaning, but for lines of one name.
fn sorted(head: &str) -> Vec<String> {
    let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
    lines[1..].sort();
    lines
}

/// Lines that the client sends, and what of them the upstream gets beside the gateway's own.
const ROWS: &[(&str, &[&str])] = &[
    ("", &[]),
    ("Connection: close\r\n", &[]),
    ("Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n", &[]),
    ("Connection: X-Consumer-Username, X-Consumer-ID\r\n", &[]),
    ("Connection: X-Forwarded-For, X-Forwarded-Host\r\n", &[]),
    ("Connection: X-Request-Id, Host, content-length\r\n", &[]),
    ("Connection: X-API-Key\r\n", &[]),
    (
        "Connection: Authorization, Cookie\r\nAuthorization: z\r\nCookie: c\r\nX-Kept: 1\r\n",
        &["x-kept: 1"],
    ),
    (
        "Authorization: z\r\nCookie: c\r\n",
        &["authorization: z", "cookie: c"],
    ),
    (
        "Connection: close\r\nConnection: X-Other\r\nX-Other: 1\r\nX-Other: 2\r\nX-Others: 3\r\n",
        &["x-others: 3"],
    ),
    (
        "Connection: ,, x-other\t,\"X-Kept\",(a)\r\nX-OTHER: 1\r\nX-Kept: 1\r\n",
        &["x-kept: 1"],
    ),
    (
        "Proxy-Authorization: p\r\nTE: trailers, gzip\r\nProxy-Connection: keep-alive\r\nHTTP2-Settings: A\r\n",
        &[],
    ),
    (
        "X-Consumer-Username: admin\r\nConnection: X-Consumer-Username\r\n",
        &[],
    ),
];

#[test]
fn nominated_fields_go_first_and_the_gateways_own_come_after() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for (lines, kept) in ROWS {
        let common = format!("Host: a.example\r\nX-Request-Id: id-1\r\n{lines}");
        let refused = gateway.ask(format!("GET /key HTTP/1.1\r\n{common}\r\n"));
        assert_eq!(refused.status(), 401, "{lines}");
        let passed = gateway.ask(format!("GET /key HTTP/1.1\r\n{common}X-API-Key: {ALICE}\r\n\r\n"));
        assert_eq!(passed.status(), 200, "{lines}");
        let id = if lines.contains("X-Request-Id") {
            passed.field("x-request-id").unwrap()
        } else {
            "id-1".to_owned()
        };
        let request = upstream.requests().pop().unwrap();
        let own = format!(
            "GET /key HTTP/1.1\nhost: a.example\nx-request-id: {id}\nx-forwarded-for: 127.0.0.1\n\
             x-forwarded-host: a.example\nx-forwarded-port: 80\nx-forwarded-proto: http\n\
             x-consumer-custom-id: c-1\nx-consumer-groups: gold,beta\nx-consumer-id: uid-alice\n\
             x-consumer-namespace: default\nx-consumer-username: alice@example\n\
             x-credential-identifier: default/alice-key\n{}",
            kept.join("\n")
        );
        assert_eq!(sorted(&request.head), sorted(&own), "{lines}");
    }
    assert_eq!(upstream.requests().len(), ROWS.len());
}

#[test]
fn an_upstreams_connection_is_its_own_affair() {
    for (lines, kept) in [
        (
            "Connection: X-Up\r\nX-Up: 1\r\nKeep-Alive: timeout=5\r\nX-Kept: 1\r\n",
            &["x-kept: 1"][..],
        ),
        ("Connection: content-length, X-Request-Id\r\n", &[]),
        ("Connection: close, Set-Cookie\r\nSet-Cookie: a\r\n", &[]),
        (
            "Proxy-Authenticate: Basic\r\nProxy-Connection: x\r\nUpgrade: h2c\r\nTE: x\r\n",
            &[],
        ),
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: now\r\n{lines}\r\nhi");
        let upstream = Upstream::start(move |mut served| {
            while served.request().is_some() {
                served.wire.send(&answer);
            }
        });
        let gateway = Gateway::of(&[upstream.address]);
        let seen = gateway.get("/open", "X-Request-Id: id-1\r\n");
        let own = format!(
            "HTTP/1.1 200 OK\ncontent-length: 2\ndate: now\nx-request-id: id-1\n{}",
            kept.join("\n")
        );
        assert_eq!(sorted(&seen.head), sorted(&own), "{lines}");
        assert_eq!(seen.body, b"hi");
    }
}
