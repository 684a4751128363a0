//! How much there may be: what is over a limit is refused or waits, is counted, and harms nothing else.

use std::num::NonZeroUsize;

use latchkey_proxy::ProxyConfig;

use crate::harness::{Gateway, Upstream, objects, wait_until};

const OPEN: &str = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn a_request_too_many_is_refused_until_another_has_ended() {
    for (process, route, reason) in [
        (Some(1), None, "503 gateway_saturated"),
        (None, Some(1), "503 route_saturated"),
    ] {
        let (upstream, comes, go) = Upstream::on_command();
        let mut config = ProxyConfig::default();
        config.limits.max_requests = process.and_then(NonZeroUsize::new);
        config.limits.max_requests_per_route = route.and_then(NonZeroUsize::new);
        let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
        let mut first = gateway.connect();
        first.send(OPEN);
        comes.recv().unwrap();

        let mut second = gateway.connect();
        let refused = second.ask(OPEN);
        assert_eq!(
            (refused.status(), refused.reason().as_str()),
            (503, "unavailable")
        );
        assert_eq!(refused.field("connection"), None, "the connection is none of it");
        assert_eq!(gateway.get("/key", "").status(), 401, "strangers take no place");

        go.send(()).unwrap();
        assert_eq!(first.answer().unwrap().status(), 200);
        wait_until("the end of the first", || {
            gateway.totals(Some("open")).in_flight == 0
        });
        go.send(()).unwrap();
        assert_eq!(second.ask(OPEN).status(), 200);
        gateway.wait_for_counts(Some("open"), &[("200 served", 2), (reason, 1)]);
    }
}

#[test]
fn a_full_route_leaves_room_to_others() {
    let (upstream, comes, go) = Upstream::on_command();
    let mut config = ProxyConfig::default();
    config.limits.max_requests_per_route = NonZeroUsize::new(1);
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let mut first = gateway.connect();
    first.send(OPEN);
    comes.recv().unwrap();
    let mut other = gateway.connect();
    other.send("GET /anon HTTP/1.1\r\nHost: a\r\n\r\n");
    comes.recv().unwrap();
    for client in [&mut first, &mut other] {
        go.send(()).unwrap();
        assert_eq!(client.answer().unwrap().status(), 200);
    }
}

/// A request whose client leaves gives its place back.
#[test]
fn a_place_is_free_when_its_client_has_gone() {
    let (upstream, comes, go) = Upstream::on_command();
    let mut config = ProxyConfig::default();
    config.limits.max_requests = NonZeroUsize::new(1);
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    for _ in 0..3 {
        let mut client = gateway.connect();
        client.send(OPEN);
        comes.recv().unwrap();
        drop(client);
        wait_until("the end of the request", || {
            gateway.totals(Some("open")).in_flight == 0
        });
        go.send(()).unwrap();
    }
}

/// The limit holds for all workers together, and whoever waits is served when one has ended.
#[test]
fn a_connection_too_many_waits() {
    let upstream = Upstream::echo();
    let mut config = ProxyConfig {
        workers: NonZeroUsize::new(2).unwrap(),
        ..ProxyConfig::default()
    };
    config.limits.max_connections = 4;
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let stats = gateway.workers.as_ref().unwrap().stats();
    let mut held: Vec<_> = (0..4).map(|_| gateway.connect()).collect();
    wait_until("full", || stats.read().open_connections == 4);
    let mut waiting = gateway.connect();
    waiting.send(OPEN);
    wait_until("a pause", || stats.read().accept_pauses == 1);
    for client in &mut held {
        assert_eq!(client.ask(OPEN).status(), 200, "those that are in are served");
    }
    assert_eq!(stats.read().connections, 4);
    held.pop();
    assert_eq!(waiting.answer().unwrap().status(), 200);
}

#[test]
fn a_target_too_long_is_refused_and_counted() {
    let upstream = Upstream::echo();
    let mut config = ProxyConfig::default();
    config.limits.max_head_bytes = 256 * 1024;
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let most = format!("/open?{}", "x".repeat(16 * 1024 - 6));
    assert_eq!(gateway.get(&most, "").status(), 200);
    assert_eq!(gateway.get(&format!("{most}x"), "").reason(), "bad_request");
    // So long that it is never parsed.
    assert_eq!(
        gateway.get(&format!("/open?{}", "x".repeat(70_000)), "").status(),
        414
    );
    gateway.wait_for_counts(None, &[("414 uri_too_long", 2)]);
    assert_eq!(upstream.requests().len(), 1);
}
