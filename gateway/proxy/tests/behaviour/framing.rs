//! What has two meanings is refused and the connection closed; the upstream sees one clean message or
//! none (O-D1).

use std::sync::mpsc;

use latchkey_proxy::ProxyConfig;

use crate::harness::{DEADLINE, Gateway, Upstream, Wire, objects, upstream::ok};

/// What a client might hide in a body: a request that nobody checked.
const SMUGGLED: &str = "GET /open/smuggled HTTP/1.1\r\nHost: a.example\r\n\r\n";

/// Sends a head with a body, then the smuggled request. What came back, the connection being closed.
fn outcome(lines: &str, body: &str, version: &str) -> (String, Upstream) {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send(format!(
        "POST /open/first HTTP/{version}\r\nHost: a.example\r\n{lines}\r\n{body}{SMUGGLED}"
    ));
    let all = String::from_utf8_lossy(&client.rest()).into_owned();
    (all, upstream)
}

fn answers(all: &str) -> usize {
    all.matches("HTTP/1.").count() - all.matches(" HTTP/1.").count()
}

#[test]
fn doubtful_lengths_are_refused_and_the_connection_is_closed() {
    let chunked = "0\r\n\r\n";
    for (lines, body) in [
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            chunked,
        ),
        (
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
            chunked,
        ),
        ("Transfer-Encoding: chunked, identity\r\n", chunked),
        ("Transfer-Encoding: gzip, chunked\r\n", chunked),
        ("Transfer-Encoding: xchunked\r\n", chunked),
        ("Transfer-Encoding: \x0bchunked\r\n", chunked),
        ("Transfer-Encoding: \"chunked\"\r\n", chunked),
        ("Transfer-Encoding:\r\n", chunked),
        ("Transfer-Encoding : chunked\r\n", chunked),
        ("Transfer-Encoding\r\n : chunked\r\n", chunked),
        ("X: y\r\n Transfer-Encoding: chunked\r\n", chunked),
        ("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
        ("Content-Length: +5\r\n", "hello"),
        ("Content-Length: -5\r\n", "hello"),
        ("Content-Length: 5, 6\r\n", "hello"),
        ("Content-Length: 5, 5\r\n", "hello"),
        ("Content-Length: 0x5\r\n", "hello"),
        ("Content-Length: 5 5\r\n", "hello"),
        ("Content-Length:\r\n", ""),
        ("Content-Length : 5\r\n", "hello"),
        ("Content-Length: 99999999999999999999\r\n", "hello"),
        ("Bad\0Name: x\r\n", ""),
        ("X: a\0b\r\n", ""),
    ] {
        let (all, upstream) = outcome(lines, body, "1.1");
        assert!(all.starts_with("HTTP/1.1 400 "), "{lines:?}: {all}");
        assert_eq!(answers(&all), 1, "{lines:?}: {all}");
        assert!(
            upstream.requests().is_empty(),
            "{lines:?}: {:?}",
            upstream.requests()
        );
    }
}

#[test]
fn a_transfer_coding_in_http_1_0_is_refused() {
    let (all, upstream) = outcome("Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "1.0");
    assert!(
        all.starts_with("HTTP/1.1 400 ") || all.starts_with("HTTP/1.0 400 "),
        "{all}"
    );
    assert_eq!(answers(&all), 1, "{all}");
    assert!(upstream.requests().is_empty());
}

/// RFC 9112 section 6.1: the coding counts, the length does not go on, and the connection must close.
#[test]
fn a_length_beside_a_coding_does_not_go_on_and_the_connection_is_closed() {
    for lines in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    ] {
        let (all, upstream) = outcome(lines, "3\r\nabc\r\n0\r\n\r\n", "1.1");
        assert_eq!(answers(&all), 1, "{lines:?}: {all}");
        assert!(all.to_lowercase().contains("connection: close"), "{all}");
        let requests = upstream.requests();
        assert_eq!(requests.len(), 1, "{lines:?}: {requests:?}");
        assert_eq!(requests[0].field("content-length"), None);
        assert_eq!(requests[0].field("transfer-encoding").as_deref(), Some("chunked"));
        assert_eq!(requests[0].body, b"abc");
    }
}

/// RFC 9110 section 8.6 allows to make one of two equal lengths.
#[test]
fn equal_lengths_go_on_as_one() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer =
        gateway.ask("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc");
    assert_eq!(answer.status(), 200);
    assert_eq!(
        upstream.requests()[0].field("content-length").as_deref(),
        Some("3")
    );
}

/// A proxy or server behind may read a number with leading zeros as octal.
#[test]
fn a_length_goes_on_as_a_number_of_our_own_both_ways() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\nContent-Length: 0012\r\n\r\nhello, world");
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.ask("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 0010\r\n\r\n0123456789");
    assert_eq!(answer.field("content-length").as_deref(), Some("12"));
    assert_eq!(answer.body, b"hello, world");
    let request = upstream.requests().pop().unwrap();
    assert_eq!(request.field("content-length").as_deref(), Some("10"));
    assert_eq!(request.body, b"0123456789");
}

/// A blank of either kind before a value, and zeros before a chunk's size, are HTTP; they are read so
/// and never sent on.
#[test]
fn odd_but_lawful_chunking_goes_on_in_the_plain_form() {
    for (line, size) in [
        ("Transfer-Encoding:\tchunked", "3"),
        ("Transfer-Encoding: \t chunked\t", "3"),
        ("Transfer-Encoding: chunked", "0000003"),
        ("Transfer-Encoding: chunked", "003;x=1"),
    ] {
        let (seen, raw) = mpsc::channel();
        let upstream = Upstream::start(move |mut served| {
            while let Some(head) = served.wire.head() {
                let lines = [(); 4].map(|()| served.wire.line().unwrap_or_default());
                let _ = seen.send((head, lines));
                served.wire.send(ok("hi"));
            }
        });
        let gateway = Gateway::of(&[upstream.address]);
        let answer = gateway.ask(format!(
            "POST /open HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n{size}\r\nabc\r\n000\r\n\r\n"
        ));
        assert_eq!(answer.status(), 200, "{line:?} {size}");
        let (head, lines) = raw.recv_timeout(DEADLINE).unwrap();
        let coding = "transfer-encoding: chunked";
        assert!(head.lines().any(|line| line == coding), "{line:?}: {head}");
        assert!(!head.contains('\t'), "{head}");
        assert_eq!(lines, ["3", "abc", "0", ""], "{line:?} {size}");
    }
}

#[test]
fn a_broken_chunk_ends_the_connection_and_the_upstream_sees_no_second_request() {
    for body in [
        "+3\r\nabc\r\n0\r\n\r\n",
        "-3\r\nabc\r\n0\r\n\r\n",
        "0x3\r\nabc\r\n0\r\n\r\n",
        "11111111111111111\r\nabc\r\n0\r\n\r\n",
        "3\nabc\r\n0\r\n\r\n",
        "3;x\nabc\r\n0\r\n\r\n",
        "3 3\r\nabc\r\n0\r\n\r\n",
        "\r\nabc\r\n0\r\n\r\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
    ] {
        let (all, upstream) = outcome("Transfer-Encoding: chunked\r\n", body, "1.1");
        assert!(
            all.is_empty() || (all.starts_with("HTTP/1.1 400 ") && answers(&all) == 1),
            "{body:?}: {all}"
        );
        assert!(
            upstream.requests().is_empty(),
            "{body:?}: {:?}",
            upstream.requests()
        );
    }
}

#[test]
fn a_line_that_ends_in_lf_alone_does_not_go_on_so() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.ask("GET /open HTTP/1.1\nHost: a\nX-One: 1\n\n");
    assert_eq!(answer.status(), 200);
    let head = &upstream.requests()[0].head;
    assert_eq!(
        head.matches('\n').count(),
        head.matches("\r\n").count(),
        "{head:?}"
    );
    assert!(head.contains("\r\nx-one: 1"), "{head:?}");
}

#[test]
fn tunnels_and_targets_that_are_no_path_are_refused() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    for line in [
        "CONNECT a.example:80",
        "OPTIONS *",
        "GET a.example:80",
        "GET open",
    ] {
        let mut client = gateway.connect();
        client.send(format!("{line} HTTP/1.1\r\nHost: a.example:80\r\n\r\n"));
        assert_eq!(client.answer().unwrap().status(), 400, "{line}");
        assert!(client.is_closed(), "{line}");
    }
    assert!(upstream.requests().is_empty());
}

#[test]
fn a_body_of_a_get_goes_on_with_its_framing() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    for (lines, body) in [
        ("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"),
        ("Content-Length: 3\r\n", "abc"),
    ] {
        let answer = client.ask(format!("GET /open HTTP/1.1\r\nHost: a\r\n{lines}\r\n{body}"));
        assert_eq!(answer.status(), 200);
        assert_eq!(upstream.requests().last().unwrap().body, b"abc", "{lines}");
    }
}

#[test]
fn heads_over_the_limits_are_refused_and_counted() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let long = "x".repeat(100_000);
    let many: String = (0..120).map(|index| format!("X-{index}: 1\r\n")).collect();
    for lines in [format!("X-Long: {long}\r\n"), many] {
        let mut client = gateway.connect();
        client.send(format!("GET /open HTTP/1.1\r\nHost: a\r\n{lines}\r\n"));
        assert_eq!(client.answer().map(|answer| answer.status()), Some(431));
    }
    let mut client = gateway.connect();
    client.send("NONSENSE\r\n\r\n");
    assert_eq!(client.answer().unwrap().status(), 400);
    gateway.wait_for_counts(None, &[("400 bad_request", 1), ("431 head_too_large", 2)]);
    assert!(upstream.requests().is_empty());
}

/// One read may bring more than the limit, and the buffer is larger than a small limit.
#[test]
fn a_head_is_measured_itself_and_not_by_the_buffer_it_came_in() {
    let upstream = Upstream::echo();
    let mut config = ProxyConfig::default();
    config.limits.max_head_bytes = 1024;
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let long = "x".repeat(1024);
    for request in [
        format!("GET /open HTTP/1.1\r\nHost: a\r\nX-Long: {long}\r\n\r\n"),
        format!("GET /open HTTP/1.1\r\nHost: a\r\nX-Consumer-ID: {long}\r\n\r\n"),
        format!("GET /open?{long} HTTP/1.1\r\nHost: a\r\n\r\n"),
        format!("GET /open HTTP/1.1\r\nHost: a\r\n{}\r\n", "A: \r\n".repeat(200)),
    ] {
        let mut client = gateway.connect();
        client.send(&request);
        let status = client.answer().map(|answer| answer.status());
        assert!(matches!(status, Some(414 | 431)), "{status:?}: {request}");
        assert!(client.is_closed(), "{request}");
    }
    assert!(upstream.requests().is_empty());
    let most = "x".repeat(900);
    assert_eq!(gateway.get("/open", &format!("X-Long: {most}\r\n")).status(), 200);
}

/// Heads that are within the limits and yet full.
#[test]
fn a_head_full_of_names_is_borne() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let names = "a,".repeat(30_000);
    let nominated = gateway.get("/open", &format!("Connection: {names}\r\n"));
    assert_eq!(nominated.status(), 400);
    let declared = gateway.ask(format!(
        "POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: {names}\r\n\r\n0\r\n\r\n"
    ));
    assert_eq!(declared.status(), 200);
    let queried = gateway.get(&format!("/key?{}", "a=1&".repeat(4_000)), "");
    assert_eq!(queried.status(), 401);
}

/// An upstream's answer with two meanings does not go on either.
#[test]
fn doubtful_answers_become_502() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
        "SSH-2.0-OpenSSH_9.9\r\n\r\n",
    ] {
        let upstream = Upstream::answering(answer);
        let gateway = Gateway::of(&[upstream.address]);
        let refused = gateway.get("/open", "");
        assert_eq!(refused.status(), 502, "{answer:?}");
        assert_eq!(refused.reason(), "upstream_failed", "{answer:?}");
        gateway.wait_for_counts(Some("open"), &[("502 upstream_protocol", 1)]);
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client: Wire = gateway.connect();
    let request = |path: &str| format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
    client.send(["/open/1", "/open/2", "/open/3"].map(request).concat());
    for number in 1..=3 {
        let answer = client.answer().unwrap();
        assert!(String::from_utf8_lossy(&answer.body).starts_with(&format!("POST /open/{number} ")));
    }
}
