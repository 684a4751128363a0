//! Limits on connections to upstreams: how many are kept, how many may be open, and who waits for one.

use std::{
    sync::{Arc, Barrier, Mutex, mpsc::channel},
    time::Duration,
};

use latchkey_proxy::{PoolConfig, ProxyConfig, UpstreamCounts};

use crate::harness::{DEADLINE, Gateway, Upstream, Wire, objects, upstream::ok, wait_until};

const REQUEST: &str = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";

fn gateway(endpoints: &[&Upstream], pool: PoolConfig) -> Gateway {
    let endpoints: Vec<_> = endpoints.iter().map(|upstream| upstream.address).collect();
    let config = ProxyConfig {
        pool,
        ..ProxyConfig::default()
    };
    Gateway::start(objects::world(&endpoints), &config)
}

fn counts(gateway: &Gateway) -> UpstreamCounts {
    gateway.workers.as_ref().unwrap().stats().read().upstream
}

/// An upstream that answers each request when it is told to.
fn held() -> (Upstream, impl Fn()) {
    let (go, may_go) = channel::<()>();
    let may_go = Mutex::new(may_go);
    let upstream = Upstream::start(move |mut served| {
        while served.request().is_some() {
            may_go.lock().unwrap().recv_timeout(DEADLINE).unwrap();
            served.wire.send(ok("fine"));
        }
    });
    (upstream, move || go.send(()).unwrap())
}

fn asking(gateway: &Gateway) -> Wire {
    let mut client = gateway.connect();
    assert!(client.send(REQUEST));
    client
}

/// One connection: those who wait get it one after the other, in the order in which they came.
#[test]
fn a_request_waits_for_a_connection_at_the_limit() {
    let (upstream, go) = held();
    let pool = PoolConfig {
        max_open_per_endpoint: 1,
        wait: DEADLINE,
        ..PoolConfig::default()
    };
    let gateway = gateway(&[&upstream], pool);
    let mut clients = Vec::new();
    for number in 0..4 {
        let mut client = gateway.connect();
        client.send(format!("GET /open/{number} HTTP/1.1\r\nHost: a\r\n\r\n"));
        clients.push(client);
        let waiting = u64::try_from(number).unwrap();
        wait_until("it waits", || {
            upstream.requests().len() == 1 && counts(&gateway).waiting == waiting
        });
    }
    for client in &mut clients {
        go();
        assert_eq!(client.answer().unwrap().status(), 200);
    }
    let targets: Vec<_> = upstream
        .requests()
        .iter()
        .map(|request| request.target().to_owned())
        .collect();
    assert_eq!(targets, ["/open/0", "/open/1", "/open/2", "/open/3"]);
    assert_eq!(upstream.connections(), 1);
    let counts = counts(&gateway);
    assert_eq!((counts.waiting, counts.waits, counts.refusals), (0, 3, 0));
}

/// By the limit of an endpoint as well as by that of all, and whether time or room runs out.
#[test]
fn who_waits_in_vain_is_told_so() {
    let short = Duration::from_millis(50);
    let all = usize::MAX;
    for (max_open, max_open_per_endpoint, max_waiting, wait) in [
        (1, all, 9, short),
        (all, 1, 9, short),
        (1, all, 0, DEADLINE),
        (all, 1, 0, DEADLINE),
    ] {
        let (upstream, go) = held();
        let pool = PoolConfig {
            max_open,
            max_open_per_endpoint,
            max_waiting,
            wait,
            ..PoolConfig::default()
        };
        let gateway = gateway(&[&upstream], pool);
        let mut first = asking(&gateway);
        wait_until("the only connection", || upstream.requests().len() == 1);
        let refused = gateway.get("/open", "");
        assert_eq!(
            (refused.status(), refused.reason().as_str()),
            (503, "unavailable")
        );
        go();
        assert_eq!(first.answer().unwrap().status(), 200);
        gateway.wait_for_counts(Some("open"), &[("200 served", 1), ("503 upstream_saturated", 1)]);
        let counts = counts(&gateway);
        assert_eq!((counts.waiting, counts.refusals), (0, 1));
    }
}

/// Nobody waits for a slow endpoint while another of the same backend has room. By chance those that are
/// picked may have room: not each of ten times.
#[test]
fn at_the_limit_of_one_endpoint_another_is_used() {
    for _ in 0..10 {
        let [(a, answer_a), (b, answer_b)] = [held(), held()];
        let pool = PoolConfig {
            max_open_per_endpoint: 2,
            wait: DEADLINE,
            ..PoolConfig::default()
        };
        let gateway = gateway(&[&a, &b], pool);
        let mut clients: Vec<_> = (0..4).map(|_| asking(&gateway)).collect();
        wait_until("two requests to each", || {
            a.requests().len() == 2 && b.requests().len() == 2
        });
        assert_eq!(counts(&gateway).waits, 0);
        clients.push(asking(&gateway));
        wait_until("one waits", || counts(&gateway).waiting == 1);
        for _ in 0..3 {
            answer_a();
            answer_b();
        }
        for client in &mut clients {
            assert_eq!(client.answer().unwrap().status(), 200);
        }
    }
}

/// Whoever hangs up, in the queue or with the connection, is in nobody's way.
#[test]
fn a_client_that_goes_away_gives_up_its_place() {
    let (upstream, go) = held();
    let pool = PoolConfig {
        max_open: 1,
        max_waiting: 2,
        wait: DEADLINE,
        ..PoolConfig::default()
    };
    let gateway = gateway(&[&upstream], pool);
    let first = asking(&gateway);
    wait_until("the only connection", || upstream.requests().len() == 1);
    let second = asking(&gateway);
    wait_until("one waits", || counts(&gateway).waiting == 1);
    let mut third = asking(&gateway);
    wait_until("two wait", || counts(&gateway).waiting == 2);
    drop(second);
    wait_until("one waits again", || counts(&gateway).waiting == 1);
    let mut fourth = asking(&gateway);
    wait_until("two wait again", || counts(&gateway).waiting == 2);
    drop(first);
    wait_until("another connection", || upstream.connections() == 2);
    for _ in 0..3 {
        go();
    }
    assert_eq!(third.answer().unwrap().status(), 200);
    assert_eq!(fourth.answer().unwrap().status(), 200);
    gateway.wait_for_counts(Some("open"), &[("0 client_gone", 2), ("200 served", 2)]);
}

/// A connection that waits for a request to one endpoint does not keep those to others from being made.
#[test]
fn a_waiting_connection_makes_room_for_another_endpoint() {
    let upstreams = [Upstream::echo(), Upstream::echo(), Upstream::echo()];
    let pool = PoolConfig {
        max_open: 1,
        max_waiting: 0,
        ..PoolConfig::default()
    };
    let [a, b, c] = &upstreams;
    let gateway = gateway(&[a, b, c], pool);
    let mut client = gateway.connect();
    for _ in 0..30 {
        assert_eq!(client.ask(REQUEST).status(), 200);
    }
    for upstream in &upstreams {
        assert!(upstream.connections() > 1, "{}", upstream.connections());
    }
    let counts = counts(&gateway);
    assert_eq!((counts.open, counts.waits, counts.refusals), (1, 0, 0));
}

/// With far more clients than connections everybody is served, and no limit is passed.
#[test]
fn a_crowd_is_served_by_few_connections() {
    let upstream = Upstream::echo();
    let pool = PoolConfig {
        max_open_per_endpoint: 3,
        wait: DEADLINE,
        ..PoolConfig::default()
    };
    let gateway = gateway(&[&upstream], pool);
    let mut clients: Vec<_> = (0..40).map(|_| gateway.connect()).collect();
    for _ in 0..10 {
        for client in &mut clients {
            client.send(REQUEST);
        }
        for client in &mut clients {
            assert_eq!(client.answer().unwrap().status(), 200);
        }
    }
    assert!(upstream.connections() <= 3, "{}", upstream.connections());
    let counts = counts(&gateway);
    assert!(counts.waits > 0, "{counts:?}");
    assert_eq!((counts.waiting, counts.refusals), (0, 0), "{counts:?}");
}

/// However much it is used.
#[test]
fn an_old_connection_gets_no_more_requests() {
    let upstream = Upstream::echo();
    let pool = PoolConfig {
        max_age: Duration::from_millis(50),
        ..PoolConfig::default()
    };
    let gateway = gateway(&[&upstream], pool);
    let mut client = gateway.connect();
    wait_until("the third connection", || {
        assert_eq!(client.ask(REQUEST).status(), 200);
        upstream.connections() == 3
    });
    assert!(upstream.requests().len() > 3, "each was used more than once");
    assert_eq!(counts(&gateway).retries, 0);
}

/// Two requests at once need two connections; how many of them may wait afterwards is limited.
#[test]
fn waiting_connections_have_a_limit() {
    for per_endpoint in [true, false] {
        let both = Arc::new(Barrier::new(2));
        let (end, ends) = channel();
        let upstream = Upstream::start(move |mut served| {
            served.request();
            both.wait();
            served.wire.send(ok("fine"));
            while served.request().is_some() {
                served.wire.send(ok("fine"));
            }
            end.send(()).unwrap();
        });
        let mut config = ProxyConfig::default();
        if per_endpoint {
            config.pool.max_idle_per_endpoint = 1;
        } else {
            config.pool.max_idle = 1;
        }
        let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
        let request = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";
        let mut clients = [gateway.connect(), gateway.connect()];
        for client in &mut clients {
            client.send(request);
        }
        for client in &mut clients {
            assert_eq!(client.answer().unwrap().status(), 200);
        }
        ends.recv().unwrap();
        assert_eq!(clients[0].ask(request).status(), 200);
        assert_eq!(upstream.connections(), 2, "the other one was kept");
    }
}
