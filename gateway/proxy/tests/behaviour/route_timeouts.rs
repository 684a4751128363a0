//! `timeouts` of a rule: how long a whole exchange may take, whatever comes meanwhile.

use std::{
    thread,
    time::{Duration, Instant},
};

use latchkey_proxy::ProxyConfig;
use serde_json::{Value, json};

use crate::harness::{Gateway, Upstream, objects, upstream::ok, wait_until};

/// A limit that tests wait for.
const SHORT: &str = "200ms";
/// What is longer.
const LONG: Duration = Duration::from_millis(400);
/// What is far less, many of which are far more.
const STEP: Duration = Duration::from_millis(20);
const MANY: usize = 40;

/// A gateway with a route `/timed` that has these timeouts, and hours for everything else.
fn gateway(upstream: &Upstream, timeouts: &Value) -> Gateway {
    let hours = Duration::from_secs(3600);
    let mut config = ProxyConfig::default();
    config.timeouts.response_head = hours;
    config.timeouts.body_idle = hours;
    config.timeouts.write_stall = hours;
    let mut timed = objects::route("timed", &json!([]));
    timed["spec"]["rules"][0]["timeouts"] = timeouts.clone();
    let mut world = objects::world(&[upstream.address]);
    world.push(timed);
    Gateway::start(world, &config)
}

/// Reads requests and does not answer them.
fn silent() -> Upstream {
    Upstream::start(|mut served| while served.request().is_some() {})
}

/// Answers with a head, then byte after byte for as long as they are taken.
fn trickling() -> Upstream {
    Upstream::start(|mut served| {
        served.request();
        served
            .wire
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while served.wire.send("x") {
            thread::park_timeout(STEP);
        }
    })
}

#[test]
fn an_upstream_that_does_not_answer_in_time_is_504_and_the_connection_serves_on() {
    for (timeouts, reason) in [
        (json!({ "request": SHORT }), "504 request_timeout"),
        (json!({ "backendRequest": SHORT }), "504 backend_timeout"),
        (
            json!({ "request": "1h", "backendRequest": SHORT }),
            "504 backend_timeout",
        ),
    ] {
        let upstream = silent();
        let gateway = gateway(&upstream, &timeouts);
        let mut client = gateway.connect();
        for request in [
            "GET /timed HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /timed HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
        ] {
            let answer = client.ask(request);
            assert_eq!(
                (answer.status(), answer.reason().as_str()),
                (504, "upstream_timeout")
            );
        }
        gateway.wait_for_counts(Some("timed"), &[(reason, 2)]);
        assert_eq!(
            upstream.connections(),
            2,
            "a connection with an open request is not kept"
        );
    }
}

#[test]
fn zero_and_absent_are_no_limit() {
    for timeouts in [json!({ "request": "0s", "backendRequest": "0s" }), json!({})] {
        let upstream = Upstream::start(|mut served| {
            served.request();
            // Time is what is asked for here: what took no time would meet no limit.
            thread::park_timeout(LONG);
            served.wire.send(ok("late"));
        });
        let answer = gateway(&upstream, &timeouts).get("/timed", "");
        assert_eq!((answer.status(), answer.body), (200, b"late".to_vec()));
    }
}

#[test]
fn what_is_done_in_time_is_served() {
    let upstream = Upstream::echo();
    let gateway = gateway(&upstream, &json!({ "request": "10s", "backendRequest": "5s" }));
    let mut client = gateway.connect();
    for _ in 0..3 {
        assert_eq!(client.ask("GET /timed HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
    }
    assert_eq!(upstream.connections(), 1);
    gateway.wait_for_counts(Some("timed"), &[("200 served", 3)]);
}

#[test]
fn a_limit_that_was_not_met_does_not_cut_what_follows_on_the_connection() {
    let upstream = Upstream::start(|mut served| {
        while let Some(request) = served.request() {
            if request.target() == "/open" {
                // Longer than the limit of the request before it, which must not be met here.
                thread::park_timeout(LONG);
            }
            served.wire.send(ok("hi"));
        }
    });
    let gateway = gateway(&upstream, &json!({ "request": SHORT }));
    let mut client = gateway.connect();
    for path in ["/timed", "/open", "/timed"] {
        let answer = client.ask(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert_eq!(answer.status(), 200, "{path}");
    }
}

#[test]
fn an_answer_that_has_begun_is_cut_however_much_still_comes() {
    for (timeouts, reason) in [
        (json!({ "request": SHORT }), "200 request_timeout"),
        (json!({ "backendRequest": SHORT }), "200 backend_timeout"),
    ] {
        let upstream = trickling();
        let gateway = gateway(&upstream, &timeouts);
        let mut client = gateway.connect();
        client.send("GET /timed HTTP/1.1\r\nHost: a\r\n\r\n");
        client.head().expect("the answer begins");
        let much = MANY * 10;
        assert!(client.exactly(much).len() < much, "a part of the answer");
        gateway.wait_for_counts(Some("timed"), &[(reason, 1)]);
    }
}

#[test]
fn a_client_that_does_not_read_does_not_outlast_the_limit() {
    let upstream = Upstream::start(|mut served| {
        served.request();
        served
            .wire
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        while served.wire.send([b'x'; 65536]) {}
    });
    let gateway = gateway(&upstream, &json!({ "request": SHORT }));
    let mut client = gateway.connect();
    client.send("GET /timed HTTP/1.1\r\nHost: a\r\n\r\n");
    gateway.wait_for_counts(Some("timed"), &[("200 request_timeout", 1)]);
}

#[test]
fn a_slow_upload_is_part_of_the_request() {
    let upstream = silent();
    let gateway = gateway(&upstream, &json!({ "request": SHORT }));
    let mut client = gateway.connect();
    client.send("POST /timed HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    let begin = Instant::now();
    wait_until("the limit", || {
        // Once the answer is here, nobody reads the rest.
        client.send("1\r\nx\r\n");
        !gateway.totals(Some("timed")).requests.is_empty()
    });
    assert!(begin.elapsed() > Duration::from_millis(200));
    gateway.wait_for_counts(Some("timed"), &[("504 request_timeout", 1)]);
}

#[test]
fn a_backend_that_may_take_longer_than_the_request_is_a_mistake() {
    let upstream = Upstream::echo();
    let mut gateway = Gateway::of(&[upstream.address]);
    let mistakes = [
        json!({ "request": "1s", "backendRequest": "2s" }),
        json!({ "request": "1 second" }),
    ];
    gateway.cannot_honour(mistakes.map(|timeouts| {
        let mut timed = objects::route("timed", &json!([]));
        timed["spec"]["rules"][0]["timeouts"] = timeouts;
        ("/timed", timed)
    }));
    assert!(upstream.requests().is_empty());
}
