//! Ports come and go while others are served.

use std::{
    collections::BTreeMap,
    net::{SocketAddr, TcpListener, TcpStream},
    num::NonZeroUsize,
};

use latchkey_proxy::ProxyConfig;

use crate::harness::{Gateway, Upstream, Wire, objects, wait_until};

fn any() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

#[test]
fn a_port_comes_and_goes_at_run_time() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let report = gateway.workers.as_ref().unwrap().report();
    gateway
        .bindings
        .send_replace(BTreeMap::from([(80, any()), (81, any())]));
    wait_until("port 81", || report.borrow().bound.contains_key(&81));
    let second = report.borrow().bound[&81];
    // The Gateway has no listener on 81, so the connection is served and nothing is found.
    let answer = Wire::connect(second).ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(answer.status(), 404);
    assert_eq!(gateway.get("/open", "").status(), 200);

    gateway.bindings.send_replace(BTreeMap::from([(81, any())]));
    wait_until("no port 80", || TcpStream::connect(gateway.address).is_err());
    assert!(!report.borrow().bound.contains_key(&80));
    assert_eq!(
        Wire::connect(second)
            .ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            .status(),
        404
    );
}

#[test]
fn a_port_that_is_taken_is_reported_and_tried_again() {
    // An address of its own, so that no other test gets the port once it is free.
    let taken = TcpListener::bind("127.0.0.77:0").unwrap();
    let address = taken.local_addr().unwrap();
    let gateway = Gateway::of(&[]);
    let report = gateway.workers.as_ref().unwrap().report();
    gateway
        .bindings
        .send_replace(BTreeMap::from([(80, any()), (81, address)]));
    wait_until("the report", || report.borrow().failed.contains_key(&81));
    let text = report.borrow().failed[&81].to_string();
    assert!(
        text.contains(&address.to_string()) && text.contains("--listen"),
        "{text}"
    );
    assert_eq!(gateway.get("/none", "").status(), 404, "others are served");

    drop(taken);
    wait_until("the port", || report.borrow().bound.get(&81) == Some(&address));
    assert!(report.borrow().failed.is_empty());
}

#[test]
fn a_port_that_is_not_wanted_any_more_is_not_reported() {
    let taken = TcpListener::bind(any()).unwrap();
    let gateway = Gateway::of(&[]);
    let report = gateway.workers.as_ref().unwrap().report();
    let wanted = BTreeMap::from([(80, any()), (81, taken.local_addr().unwrap())]);
    gateway.bindings.send_replace(wanted);
    wait_until("the report", || !report.borrow().failed.is_empty());
    gateway.bindings.send_replace(BTreeMap::from([(80, any())]));
    wait_until("no report", || report.borrow().failed.is_empty());
}

#[test]
fn all_workers_serve_one_port() {
    let upstream = Upstream::echo();
    let config = ProxyConfig {
        workers: NonZeroUsize::new(3).unwrap(),
        ..ProxyConfig::default()
    };
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    for _ in 0..60 {
        assert_eq!(gateway.get("/open", "").status(), 200);
    }
    gateway.wait_for_counts(Some("open"), &[("200 served", 60)]);
    assert!(upstream.connections() > 1, "each worker has a pool of its own");
}

#[test]
fn at_the_limit_connections_wait_and_the_pause_is_counted() {
    let upstream = Upstream::echo();
    let mut config = ProxyConfig::default();
    config.limits.max_connections = 2;
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let request = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut first = gateway.connect();
    let mut second = gateway.connect();
    assert_eq!(first.ask(request).status(), 200);
    assert_eq!(second.ask(request).status(), 200);
    let mut third = gateway.connect();
    third.send(request);
    let stats = gateway.workers.as_ref().unwrap().stats();
    wait_until("the pause", || stats.read().accept_pauses > 0);
    assert_eq!(stats.read().open_connections, 2);
    drop(first);
    assert_eq!(third.answer().unwrap().status(), 200);
}
