//! Clients that go away: the upstream's work is called off, and each request is counted once.

use std::sync::mpsc::channel;

use crate::harness::{Gateway, Upstream, wait_until};

/// An upstream that says when a request came and when its connection ended, and answers `answer`.
fn patient(answer: &'static str) -> (Upstream, std::sync::mpsc::Receiver<&'static str>) {
    let (event, events) = channel();
    let upstream = Upstream::start(move |mut served| {
        served.wire.head();
        event.send("came").unwrap();
        served.wire.send(answer);
        served.wire.rest();
        let _ = event.send("ended");
    });
    (upstream, events)
}

#[test]
fn a_client_that_leaves_while_the_upstream_thinks_calls_it_off() {
    let (upstream, events) = patient("");
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(events.recv().unwrap(), "came");
    assert_eq!(gateway.totals(Some("open")).in_flight, 1);
    drop(client);
    assert_eq!(events.recv().unwrap(), "ended");
    gateway.wait_for_counts(Some("open"), &[("0 client_gone", 1)]);
}

#[test]
fn a_client_that_resets_in_the_middle_of_an_answer_calls_it_off() {
    let (upstream, events) = patient("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nfirst bytes");
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    client.head().unwrap();
    client.exactly(11);
    client.reset();
    assert_eq!(events.recv().unwrap(), "came");
    assert_eq!(events.recv().unwrap(), "ended");
    gateway.wait_for_counts(Some("open"), &[("200 client_gone", 1)]);
}

#[test]
fn a_client_that_leaves_in_the_middle_of_its_body_calls_it_off() {
    let (upstream, events) = patient("");
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nfirst bytes");
    assert_eq!(events.recv().unwrap(), "came");
    drop(client);
    assert_eq!(events.recv().unwrap(), "ended");
    wait_until("the end of the request", || {
        let totals = gateway.totals(Some("open"));
        totals.in_flight == 0 && totals.count() == 1
    });
}

#[test]
fn many_clients_that_leave_are_all_counted_out() {
    let (upstream, events) = patient("");
    let gateway = Gateway::of(&[upstream.address]);
    let mut clients: Vec<_> = (0..100).map(|_| gateway.connect()).collect();
    for client in &mut clients {
        client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    for _ in 0..100 {
        assert_eq!(events.recv().unwrap(), "came");
    }
    drop(clients);
    gateway.wait_for_counts(Some("open"), &[("0 client_gone", 100)]);
    let stats = gateway.workers.as_ref().unwrap().stats();
    wait_until("no open connection", || stats.read().open_connections == 0);
    assert_eq!(stats.read().connections, 100);
}
