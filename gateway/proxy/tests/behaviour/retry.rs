//! Kept connections that die (O-D3).

use std::{
    collections::{HashMap, HashSet},
    net::TcpListener,
    sync::{Arc, Mutex},
    time::Duration,
};

use latchkey_proxy::ProxyConfig;

use crate::harness::{Gateway, Upstream, objects, upstream::ok, wait_until};

/// How an upstream ends a connection.
#[derive(Clone, Copy, Debug)]
enum End {
    /// In order, right after its answer.
    Finish,
    /// With a reset, right after its answer.
    Reset,
    /// When it has read the next request's head.
    AtNextHead,
    /// With a reset, when it has read the next request's head.
    ResetAtNextHead,
}

const ENDS: [End; 4] = [End::Finish, End::Reset, End::AtNextHead, End::ResetAtNextHead];

/// Answers one request a connection.
fn ending(end: End) -> Upstream {
    Upstream::start(move |mut served| {
        let Some(_) = served.request() else { return };
        served.wire.send(ok("fine"));
        match end {
            End::Finish => served.wire.finish(),
            End::Reset => served.wire.reset(),
            End::AtNextHead | End::ResetAtNextHead => {
                if served.request().is_some() && matches!(end, End::ResetAtNextHead) {
                    served.wire.reset();
                }
            }
        }
    })
}

/// An answered connection goes back to the pool before the next request comes, or is known to be dead.
fn ask_many(end: End, method: &str, body: &str) -> (Vec<u16>, Upstream) {
    let upstream = ending(end);
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    let statuses = (0..60)
        .map(|id| {
            let length = match body {
                "" => String::new(),
                body => format!("Content-Length: {}\r\n", body.len()),
            };
            let request = format!("{method} /open/{id} HTTP/1.1\r\nHost: a\r\n{length}\r\n{body}");
            assert!(client.send(request));
            if method == "HEAD" {
                let head = client.head().unwrap();
                head[9..12].parse().unwrap()
            } else {
                client.answer().unwrap().status()
            }
        })
        .collect();
    (statuses, upstream)
}

#[test]
fn repeatable_requests_survive_a_dead_connection() {
    for end in ENDS {
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"] {
            let (statuses, upstream) = ask_many(end, method, "");
            assert!(
                statuses.iter().all(|status| *status == 200),
                "{end:?} {method}: {statuses:?}"
            );
            let mut times = HashMap::new();
            for request in upstream.requests() {
                *times.entry(request.target().to_owned()).or_insert(0) += 1;
            }
            assert!(
                times.values().all(|times| *times <= 2),
                "{end:?} {method}: {times:?}"
            );
        }
    }
}

#[test]
fn what_must_not_run_twice_never_does() {
    for end in ENDS {
        for body in ["hello", ""] {
            let (statuses, upstream) = ask_many(end, "POST", body);
            assert!(
                statuses.iter().all(|status| matches!(status, 200 | 502)),
                "{end:?}: {statuses:?}"
            );
            let mut seen = HashSet::new();
            for request in upstream.requests() {
                assert!(
                    seen.insert(request.target().to_owned()),
                    "{end:?}: {} came twice",
                    request.target()
                );
            }
        }
    }
}

#[test]
fn a_post_on_a_connection_that_dies_under_it_is_502() {
    let (statuses, _upstream) = ask_many(End::AtNextHead, "POST", "hello");
    assert!(statuses.contains(&502), "{statuses:?}");
}

#[test]
fn an_answer_that_had_begun_is_not_asked_for_again() {
    let upstream = Upstream::start(|mut served| {
        served.request();
        served.wire.send(ok("fine"));
        if served.request().is_some() {
            served.wire.send("HTTP/1.1 200 OK\r\nX-Half");
        }
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    assert_eq!(
        client.ask("GET /open/1 HTTP/1.1\r\nHost: a\r\n\r\n").status(),
        200
    );
    let answer = client.ask("GET /open/2 HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(
        (answer.status(), answer.reason().as_str()),
        (502, "upstream_failed")
    );
    assert_eq!(upstream.requests().len(), 2);
    gateway.wait_for_counts(Some("open"), &[("200 served", 1), ("502 upstream_reset", 1)]);
}

#[test]
fn a_fresh_connection_that_dies_is_not_tried_again() {
    let upstream = Upstream::start(|mut served| drop(served.request()));
    let gateway = Gateway::of(&[upstream.address]);
    assert_eq!(gateway.get("/open", "").status(), 502);
    assert_eq!(upstream.requests().len(), 1);
}

#[test]
fn connections_are_kept_and_used_again() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    for _ in 0..50 {
        for request in [
            "GET /open HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
            "POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        ] {
            assert_eq!(client.ask(request).status(), 200);
        }
    }
    assert_eq!(upstream.connections(), 1);
}

#[test]
fn answers_without_a_body_keep_their_connection() {
    for (method, answer) in [
        ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
        ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"),
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"),
        ("POST", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ] {
        let upstream = Upstream::answering(answer);
        let gateway = Gateway::of(&[upstream.address]);
        let mut client = gateway.connect();
        for _ in 0..20 {
            client.send(format!(
                "{method} /open HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
            ));
            assert_eq!(&client.head().unwrap()[9..12], &answer[9..12]);
        }
        assert_eq!(upstream.connections(), 1, "{method}, {answer}");
    }
}

/// Even if it does not do what it says.
#[test]
fn a_server_that_wants_to_close_gets_no_second_request() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    for _ in 0..5 {
        let answer = client.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(answer.status(), 200);
    }
    assert_eq!(upstream.connections(), 5);
}

/// To a server of HTTP/1.0 a second request would go in its version, and a body without a length not at
/// all.
#[test]
fn a_connection_to_an_old_server_is_used_once() {
    let upstream = Upstream::start(|mut served| {
        while served.request().is_some() {
            served
                .wire
                .send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    for _ in 0..2 {
        let answer = client
            .ask("POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
        assert_eq!(answer.status(), 200);
        assert_eq!(upstream.requests().pop().unwrap().body, b"hi");
    }
    assert_eq!(upstream.connections(), 2);
}

/// Waiting connections age, so that it is the gateway who closes them.
#[test]
fn a_connection_that_waits_too_long_is_closed() {
    let ended = Arc::new(Mutex::new(false));
    let seen = Arc::clone(&ended);
    let upstream = Upstream::start(move |mut served| {
        served.request();
        served.wire.send(ok("fine"));
        assert!(served.request().is_none());
        *seen.lock().unwrap() = true;
    });
    let mut config = ProxyConfig::default();
    config.pool.max_idle_age = Duration::from_millis(50);
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    assert_eq!(gateway.get("/open", "").status(), 200);
    wait_until("the end of the waiting connection", || *ended.lock().unwrap());
}

#[test]
fn an_ipv6_endpoint_is_dialled_without_brackets() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else {
        eprintln!("no IPv6 here");
        return;
    };
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut wire = crate::harness::Wire::of(listener.accept().unwrap().0);
        wire.request().unwrap();
        wire.send(ok("fine"));
    });
    let gateway = Gateway::of(&[address]);
    assert_eq!(gateway.get("/open", "").status(), 200);
}
