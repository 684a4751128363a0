//! Every wait has its limit, and a limit cuts only who is silent.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use latchkey_proxy::{Limit, ProxyConfig};

use crate::harness::{Gateway, Upstream, objects, upstream::ok, wait_until};

/// Limits so far apart that it shows which one was met.
fn limits() -> ProxyConfig {
    let hours = Duration::from_secs(3600);
    let mut config = ProxyConfig::default();
    config.timeouts.first_byte = hours;
    config.timeouts.header_read = hours;
    config.timeouts.keep_alive = hours;
    config.timeouts.connect = hours;
    config.timeouts.response_head = hours;
    config.timeouts.body_idle = hours;
    config.timeouts.write_stall = hours;
    config.timeouts.linger = hours;
    config
}

const SHORT: Duration = Duration::from_millis(150);

fn gateway(upstream: &Upstream, config: &ProxyConfig) -> Gateway {
    Gateway::start(objects::world(&[upstream.address]), config)
}

/// How many connections were closed at a limit.
fn timed_out(gateway: &Gateway, limit: Limit) -> u64 {
    let stats = gateway.workers.as_ref().unwrap().stats();
    stats.read().timed_out[limit as usize]
}

#[test]
fn a_connection_that_says_nothing_is_closed() {
    let mut config = limits();
    config.timeouts.first_byte = SHORT;
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, &config);
    assert!(gateway.connect().is_closed());
    assert_eq!(timed_out(&gateway, Limit::FirstByte), 1);
}

#[test]
fn a_connection_that_says_no_more_is_closed() {
    let mut config = limits();
    config.timeouts.keep_alive = SHORT;
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, &config);
    let mut client = gateway.connect();
    assert_eq!(client.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
    assert!(client.is_closed());
    assert_eq!(timed_out(&gateway, Limit::KeepAlive), 1);
}

#[test]
fn a_head_that_does_not_end_is_cut_whatever_trickles_in() {
    let mut config = limits();
    config.timeouts.header_read = SHORT;
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, &config);
    let mut client = gateway.connect();
    assert!(client.send("GET /open HTTP/1.1\r\nX: "));
    // Bytes go on until the other side does not take them.
    wait_until("the cut", || !client.send("x"));
    assert_eq!(timed_out(&gateway, Limit::HeaderRead), 1);
}

#[test]
fn an_upstream_that_does_not_answer_is_504() {
    let mut config = limits();
    config.timeouts.response_head = SHORT;
    let upstream = Upstream::start(|mut served| {
        served.request();
        served.wire.rest();
    });
    let gateway = gateway(&upstream, &config);
    for request in [
        "GET /open HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
    ] {
        let answer = gateway.ask(request);
        assert_eq!(
            (answer.status(), answer.reason().as_str()),
            (504, "upstream_timeout")
        );
    }
    gateway.wait_for_counts(Some("open"), &[("504 response_timeout", 2)]);
}

#[test]
fn an_upload_that_takes_longer_than_the_wait_for_an_answer_is_served() {
    let mut config = limits();
    config.timeouts.response_head = SHORT;
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, &config);
    let mut client = gateway.connect();
    client.send("POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    let begin = Instant::now();
    while begin.elapsed() < SHORT * 4 {
        assert!(client.send("1\r\nx\r\n"));
        std::thread::park_timeout(SHORT / 10);
    }
    client.send("0\r\n\r\n");
    assert_eq!(client.answer().unwrap().status(), 200);
}

#[test]
fn a_client_that_stops_in_its_body_is_cut() {
    let mut config = limits();
    config.timeouts.body_idle = SHORT;
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, &config);
    let mut client = gateway.connect();
    client.send("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhi");
    assert!(client.is_closed());
    gateway.wait_for_counts(Some("open"), &[("0 client_gone", 1)]);
    assert_eq!(timed_out(&gateway, Limit::BodyIdle), 1);
}

#[test]
fn an_answer_that_stops_is_cut_and_counted_as_the_upstreams() {
    let mut config = limits();
    config.timeouts.body_idle = SHORT;
    let upstream = Upstream::start(|mut served| {
        served.request();
        served
            .wire
            .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi");
        served.wire.rest();
    });
    let gateway = gateway(&upstream, &config);
    let mut client = gateway.connect();
    client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    client.head().unwrap();
    assert_eq!(client.rest(), b"hi");
    gateway.wait_for_counts(Some("open"), &[("200 upstream_aborted", 1)]);
}

#[test]
fn a_client_that_does_not_read_is_cut_whatever_it_sends() {
    let mut config = limits();
    config.timeouts.write_stall = SHORT;
    let upstream = Upstream::start(|mut served| {
        served.wire.head();
        served
            .wire
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        while served.wire.send([b'x'; 65536]) {}
    });
    let gateway = gateway(&upstream, &config);
    let mut client = gateway.connect();
    client.send("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
    wait_until("the cut", || !client.send("x"));
    gateway.wait_for_counts(Some("open"), &[("200 client_gone", 1)]);
    assert_eq!(timed_out(&gateway, Limit::WriteStall), 1);
}

#[test]
fn an_answer_that_takes_long_but_keeps_coming_is_served() {
    let mut config = limits();
    config.timeouts.body_idle = SHORT;
    let upstream = Upstream::start(|mut served| {
        served.request();
        served.wire.send("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n");
        for _ in 0..40 {
            served.wire.send("x");
            std::thread::park_timeout(SHORT / 10);
        }
    });
    let gateway = gateway(&upstream, &config);
    assert_eq!(gateway.get("/open", "").body.len(), 40);
}

/// A listener whose queue is full drops attempts in silence.
#[test]
fn a_connection_attempt_that_gets_no_reply_is_504() {
    let mut config = limits();
    config.timeouts.connect = SHORT;
    let full = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    full.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into())
        .unwrap();
    full.listen(0).unwrap();
    let full = TcpListener::from(full);
    let address = full.local_addr().unwrap();
    let mut held = Vec::new();
    loop {
        match std::net::TcpStream::connect_timeout(&address, SHORT) {
            Ok(stream) => held.push(stream),
            Err(_) => break,
        }
        assert!(held.len() < 100, "the queue does not fill");
    }
    let gateway = Gateway::start(objects::world(&[address]), &config);
    let answer = gateway.get("/open", "");
    assert_eq!(
        (answer.status(), answer.reason().as_str()),
        (504, "upstream_timeout")
    );
    gateway.wait_for_counts(Some("open"), &[("504 connect_timeout", 1)]);
    drop((held, ok("")));
}
