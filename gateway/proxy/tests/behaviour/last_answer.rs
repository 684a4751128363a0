//! The last answer of a connection is read whole, whatever its client is still sending.

use std::{net::SocketAddr, time::Duration};

use latchkey_proxy::{Limit, ProxyConfig};

use crate::harness::{Gateway, Upstream, objects, upstream::ok, wait_until};

const LARGE: usize = 10 * 1024 * 1024;

/// A head that announces a body of [`LARGE`].
fn upload(target: &str, lines: &str) -> String {
    format!("POST {target} HTTP/1.1\r\nHost: a.example\r\nContent-Length: {LARGE}\r\n{lines}\r\n")
}

/// A gateway that does not wait long for clients that only write.
fn gateway(endpoints: &[SocketAddr]) -> Gateway {
    let mut config = ProxyConfig::default();
    config.timeouts.linger = Duration::from_millis(300);
    Gateway::start(objects::world(endpoints), &config)
}

/// Many clients write all that they have and read only then.
#[test]
fn a_refusal_is_read_after_a_large_upload_and_says_that_the_connection_ends() {
    let upstream = Upstream::echo();
    let gateway = gateway(&[upstream.address]);
    let mut client = gateway.connect();
    client.send(upload("/key", ""));
    // Whether all of it is taken is another matter.
    client.send(vec![b'x'; LARGE]);
    let answer = client.answer().unwrap();
    assert_eq!(
        (answer.status(), answer.reason().as_str()),
        (401, "credential_missing")
    );
    assert_eq!(answer.field("connection").as_deref(), Some("close"));
    assert!(client.is_closed());
    assert!(upstream.requests().is_empty());
}

/// What the parser refuses has an answer, too.
#[test]
fn a_bare_refusal_is_read_after_a_large_upload() {
    let gateway = gateway(&[]);
    for (lines, status) in [
        ("Content-Length: 5\r\n", 400),
        (&format!("X: {}\r\n", "x".repeat(100_000)), 431),
    ] {
        let mut client = gateway.connect();
        client.send(upload("/open", lines));
        client.send(vec![b'x'; LARGE]);
        let answer = client.answer().unwrap();
        assert_eq!((answer.status(), answer.body.as_slice()), (status, &b""[..]));
        assert!(client.is_closed());
    }
}

#[test]
fn a_client_that_goes_on_sending_is_cut_in_the_end() {
    let gateway = gateway(&[]);
    let mut client = gateway.connect();
    client.send(upload("/key", ""));
    wait_until("the cut", || !client.send(vec![b'x'; 65536]));
    let stats = gateway.workers.as_ref().unwrap().stats();
    wait_until("no connection", || stats.read().open_connections == 0);
    assert_eq!(stats.read().timed_out[Limit::Linger as usize], 1);
}

/// Nothing is waited for when there is nothing to come.
#[test]
fn a_client_that_closes_frees_its_connection_at_once() {
    let mut config = ProxyConfig::default();
    config.timeouts.linger = Duration::from_secs(3600);
    let upstream = Upstream::echo();
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let mut client = gateway.connect();
    client.send(upload("/key", ""));
    assert_eq!(client.answer().unwrap().status(), 401);
    drop(client);
    let mut client = gateway.connect();
    let answer = client.ask("GET /open HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(answer.field("connection").as_deref(), Some("close"));
    assert!(client.is_closed());
    drop(client);
    let stats = gateway.workers.as_ref().unwrap().stats();
    wait_until("no connection", || stats.read().open_connections == 0);
}

#[test]
fn a_small_body_of_a_refused_request_costs_no_connection() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    for (lines, body) in [
        ("Content-Length: 5\r\n", "hello"),
        ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
    ] {
        let refused = client.ask(format!("POST /key HTTP/1.1\r\nHost: a\r\n{lines}\r\n{body}"));
        assert_eq!(refused.status(), 401, "{lines}");
        assert_eq!(refused.field("connection"), None, "{lines}");
    }
    assert_eq!(client.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
}

/// Some send their body later, or never.
#[test]
fn a_refusal_does_not_wait_for_a_body() {
    let gateway = Gateway::of(&[]);
    for lines in [
        "Content-Length: 5\r\n",
        "Content-Length: 5\r\nExpect: 100-continue\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
    ] {
        let mut client = gateway.connect();
        let refused = client.ask(format!("POST /key HTTP/1.1\r\nHost: a\r\n{lines}\r\n"));
        assert_eq!(refused.status(), 401, "{lines}: no 100 before it");
        assert_eq!(refused.field("connection").as_deref(), Some("close"), "{lines}");
        assert!(client.is_closed(), "{lines}");
    }
}

/// An upstream may refuse an upload in its middle, and close: 413, 401, a full disk.
#[test]
fn an_early_answer_reaches_a_client_that_is_still_sending() {
    let text = "x".repeat(20_000);
    let sent = text.clone();
    let upstream = Upstream::start(move |mut served| {
        served.wire.head();
        served.wire.exactly(1000);
        served
            .wire
            .send(ok(&sent).replace("200 OK", "413 Content Too Large"));
        // Bytes that it has not read make this a reset.
    });
    let gateway = gateway(&[upstream.address]);
    for round in 0..5 {
        let mut client = gateway.connect();
        client.send(upload("/open", ""));
        client.send(vec![b'x'; LARGE]);
        let answer = client.answer().unwrap();
        assert_eq!(answer.status(), 413, "round {round}");
        assert_eq!(answer.field("connection").as_deref(), Some("close"));
        assert_eq!(answer.body.len(), text.len(), "round {round}");
        assert!(client.is_closed());
    }
    gateway.wait_for_counts(Some("open"), &[("413 served", 5)]);
}
