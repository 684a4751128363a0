//! Endpoints that cannot be connected to.

use std::{
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use latchkey_proxy::{EjectionConfig, ProxyConfig, UpstreamCounts};

use crate::harness::{Gateway, Upstream, objects, wait_until};

/// An address that refuses connections, and that no other test listens on.
fn refusing() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.78:0").unwrap();
    listener.local_addr().unwrap()
}

#[test]
fn an_endpoint_that_refuses_is_passed_over() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address, refusing()]);
    let mut client = gateway.connect();
    for _ in 0..40 {
        let answer = client.ask("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
        assert_eq!(answer.status(), 200);
    }
    assert_eq!(upstream.requests().len(), 40);
}

#[test]
fn nobody_to_connect_to_is_502_and_nobody_at_all_503() {
    let mut gateway = Gateway::of(&[refusing(), refusing()]);
    let answer = gateway.get("/open", "");
    assert_eq!(
        (answer.status(), answer.reason().as_str()),
        (502, "upstream_failed")
    );
    for name in ["svc-0", "svc-1"] {
        gateway.delete(latchkey_routing::object::Kind::EndpointSlice, name);
    }
    let answer = gateway.get("/open", "");
    assert_eq!((answer.status(), answer.reason().as_str()), (503, "unavailable"));
    gateway.wait_for_counts(Some("open"), &[("502 connect_failed", 1), ("503 no_endpoint", 1)]);
}

fn counts(gateway: &Gateway) -> UpstreamCounts {
    gateway.workers.as_ref().unwrap().stats().read().upstream
}

fn gateway(endpoints: &[SocketAddr], ejection: EjectionConfig) -> Gateway {
    let mut config = ProxyConfig {
        ejection,
        ..ProxyConfig::default()
    };
    // How often the pool is swept, and with it the gauge.
    config.pool.max_idle_age = Duration::from_millis(100);
    Gateway::start(objects::world(endpoints), &config)
}

#[test]
fn an_endpoint_that_refuses_is_left_out() {
    let upstream = Upstream::echo();
    let long = Duration::from_mins(10);
    let ejection = EjectionConfig {
        failures: 3,
        shortest: long,
        longest: long,
    };
    let gateway = gateway(&[upstream.address, refusing()], ejection);
    let mut client = gateway.connect();
    for _ in 0..100 {
        assert_eq!(client.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
    }
    let counts = counts(&gateway);
    assert_eq!((counts.connect_failures, counts.ejections), (3, 1), "{counts:?}");
    wait_until("the gauge", || self::counts(&gateway).out == 1);
}

/// Nobody restarts anything: after its time one request tries it.
#[test]
fn an_endpoint_that_is_back_is_used_again() {
    let upstream = Upstream::echo();
    let listener = TcpListener::bind("127.0.0.79:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let ejection = EjectionConfig {
        failures: 1,
        shortest: Duration::from_millis(20),
        longest: Duration::from_millis(40),
    };
    let gateway = gateway(&[upstream.address, address], ejection);
    wait_until("it is left out, more than once", || {
        assert_eq!(gateway.get("/open", "").status(), 200);
        counts(&gateway).ejections > 1
    });
    let back = Upstream::at(address);
    wait_until("it is used again", || {
        assert_eq!(gateway.get("/open", "").status(), 200);
        back.requests().len() > 10
    });
    wait_until("the gauge", || counts(&gateway).out == 0);
}

/// With all of them out there is nothing better to do than to try.
#[test]
fn where_all_endpoints_are_out_they_are_tried_all_the_same() {
    let long = Duration::from_mins(10);
    let ejection = EjectionConfig {
        failures: 1,
        shortest: long,
        longest: long,
    };
    let listener = TcpListener::bind("127.0.0.80:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let gateway = gateway(&[address, refusing()], ejection);
    assert_eq!(gateway.get("/open", "").status(), 502);
    wait_until("both are out", || counts(&gateway).out == 2);
    let _back = Upstream::at(address);
    assert_eq!(gateway.get("/open", "").status(), 200);
}
