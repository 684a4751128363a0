//! Who the client is, behind proxies that are trusted and before those that are not (O-D7).

use latchkey_proxy::ProxyConfig;

use crate::harness::{Gateway, Upstream, objects};

/// What a stranger sends to be taken for another.
const FORGED: &str = "X-Forwarded-For: 6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\nForwarded: for=6.6.6.6;proto=https\r\n\
    X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Method: GET\r\n\
    X-Forwarded-Uri: /adm\r\nX-Forwarded-Port: 443\r\n";

fn start(upstream: &Upstream, trusted: &[&str]) -> Gateway {
    let config = ProxyConfig {
        trusted_proxies: trusted.iter().map(|text| text.parse().unwrap()).collect(),
        ..ProxyConfig::default()
    };
    Gateway::start(objects::world(&[upstream.address]), &config)
}

/// The forwarding fields that the upstream got last, sorted.
fn told(upstream: &Upstream) -> Vec<String> {
    let request = upstream.requests().pop().unwrap();
    let mut lines: Vec<String> = request
        .head
        .lines()
        .map(str::to_lowercase)
        .filter(|line| {
            line.starts_with("x-forwarded") || line.starts_with("forwarded") || line.starts_with("x-real")
        })
        .collect();
    lines.sort();
    lines
}

/// The clients that the access log names, in order.
fn logged(gateway: Gateway) -> Vec<String> {
    let log = gateway.into_log();
    log.lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line["client"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_stranger_is_who_it_connects_as() {
    let upstream = Upstream::echo();
    for trusted in [&[][..], &["10.0.0.0/8", "::1", "127.0.0.2"]] {
        let gateway = start(&upstream, trusted);
        for lines in [
            FORGED,
            &FORGED.repeat(2),
            &format!("{FORGED}Connection: X-Forwarded-For\r\n"),
        ] {
            assert_eq!(gateway.get("/open", lines).status(), 200);
            let expected = [
                "x-forwarded-for: 127.0.0.1",
                "x-forwarded-host: a.example",
                "x-forwarded-port: 80",
                "x-forwarded-proto: http",
            ];
            assert_eq!(told(&upstream), expected, "{lines}");
        }
        assert_eq!(logged(gateway), ["127.0.0.1"; 3]);
    }
}

#[test]
fn a_trusted_proxy_says_for_whom_it_asks() {
    let upstream = Upstream::echo();
    let gateway = start(&upstream, &["127.0.0.0/8"]);
    assert_eq!(gateway.get("/open", FORGED).status(), 200);
    assert_eq!(
        told(&upstream),
        [
            "x-forwarded-for: 6.6.6.6, 127.0.0.1",
            "x-forwarded-host: evil.example",
            "x-forwarded-port: 443",
            "x-forwarded-proto: https",
        ]
    );
    // What it says of the host is for the upstream alone: the Host line decides the route.
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.field("host").as_deref(), Some("a.example"));
}

/// Client's lines, the upstream's list, and the client in the access log.
#[test]
fn the_list_is_read_from_its_right_end() {
    let upstream = Upstream::echo();
    let gateway = start(&upstream, &["127.0.0.0/8", "10.0.0.0/8"]);
    let many = format!("X-Forwarded-For: {}\r\n", ["10.9.9.9"; 500].join(","));
    let forged = format!("X-Forwarded-For: {}, 1.1.1.1\r\n", ["6.6.6.6"; 500].join(", "));
    let mut clients = Vec::new();
    for (lines, list) in [
        ("", "127.0.0.1".to_owned()),
        ("X-Forwarded-For: 1.1.1.1\r\n", "1.1.1.1, 127.0.0.1".to_owned()),
        (
            "X-Forwarded-For: 6.6.6.6, 1.1.1.1\r\n",
            "1.1.1.1, 127.0.0.1".to_owned(),
        ),
        (
            "X-Forwarded-For: 6.6.6.6, 10.1.1.1\r\n",
            "6.6.6.6, 10.1.1.1, 127.0.0.1".to_owned(),
        ),
        (
            "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 1.1.1.1\r\n",
            "1.1.1.1, 127.0.0.1".to_owned(),
        ),
        ("X-Forwarded-For: unknown\r\n", "127.0.0.1".to_owned()),
        (
            "X-Forwarded-For: 6.6.6.6, unknown, 10.1.1.1\r\n",
            "10.1.1.1, 127.0.0.1".to_owned(),
        ),
        (
            "X-Forwarded-For: [2001:db8::1]:443\r\n",
            "2001:db8::1, 127.0.0.1".to_owned(),
        ),
        ("X-Forwarded-For: 1.2.3.4:5\r\n", "1.2.3.4, 127.0.0.1".to_owned()),
        ("X-Forwarded-For: garbage\u{e9}\r\n", "127.0.0.1".to_owned()),
        ("X-Forwarded-For:\r\n", "127.0.0.1".to_owned()),
        (
            "Forwarded: for=6.6.6.6\r\nX-Real-IP: 6.6.6.6\r\n",
            "127.0.0.1".to_owned(),
        ),
        (forged.as_str(), "1.1.1.1, 127.0.0.1".to_owned()),
        (
            many.as_str(),
            format!("{}, 127.0.0.1", ["10.9.9.9"; 31].join(", ")),
        ),
    ] {
        assert_eq!(gateway.get("/open", lines).status(), 200, "{lines}");
        let request = upstream.requests().pop().unwrap();
        assert_eq!(request.field("x-forwarded-for").as_ref(), Some(&list), "{lines}");
        clients.push(list.split(',').next().unwrap().to_owned());
    }
    assert_eq!(logged(gateway), clients);
}

/// A refused request is logged with the same client.
#[test]
fn who_is_refused_is_named_likewise() {
    let upstream = Upstream::echo();
    let gateway = start(&upstream, &["127.0.0.1"]);
    for (target, status) in [("/key", 401), ("/none", 404), ("//", 400)] {
        let answer = gateway.get(target, "X-Forwarded-For: 6.6.6.6, 1.1.1.1\r\n");
        assert_eq!(answer.status(), status, "{target}");
    }
    assert_eq!(logged(gateway), ["1.1.1.1"; 3]);
}
