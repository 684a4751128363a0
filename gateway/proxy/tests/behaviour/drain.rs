//! Going down: first `Connection: close`, then no new connections, then the end of what runs, or its cut.

use std::{net::TcpStream, sync::mpsc::channel, thread, time::Duration};

use latchkey_proxy::{ProxyConfig, Timeouts};
use latchkey_runtime::shutdown::Phase;

use crate::harness::{DEADLINE, Gateway, Upstream, Wire, objects, wait_until};

#[test]
fn while_closing_all_are_served_and_told_to_go() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut old = gateway.connect();
    assert_eq!(
        old.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n")
            .field("connection"),
        None
    );
    gateway.phases.send_replace(Phase::Closing);
    wait_until("answers that close", || {
        gateway.get("/open", "").field("connection").as_deref() == Some("close")
    });
    for target in ["/open", "/key", "/none"] {
        let mut client = gateway.connect();
        let answer = client.ask(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert_eq!(answer.field("connection").as_deref(), Some("close"), "{target}");
        assert!(client.is_closed(), "{target}");
    }
    let answer = old.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_eq!(
        (answer.status(), answer.field("connection").as_deref()),
        (200, Some("close"))
    );
    assert!(old.is_closed());
}

#[test]
fn while_draining_what_runs_ends_and_nothing_begins() {
    let (upstream, comes, go) = Upstream::on_command();
    // No timer is to wake a connection instead of the phase.
    let mut config = ProxyConfig::default();
    let hours = Duration::from_secs(3600);
    config.timeouts = Timeouts {
        first_byte: hours,
        header_read: hours,
        keep_alive: hours,
        connect: hours,
        response_head: hours,
        body_idle: hours,
        write_stall: hours,
        ..Timeouts::default()
    };
    let mut gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let mut idle = gateway.connect();
    go.send(()).unwrap();
    assert_eq!(idle.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
    comes.recv().unwrap();
    let mut busy = gateway.connect();
    busy.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    comes.recv().unwrap();

    gateway.phases.send_replace(Phase::Draining);
    assert!(idle.is_closed(), "a connection without a request is closed");
    wait_until("refused connections", || {
        TcpStream::connect(gateway.address).is_err()
    });
    go.send(()).unwrap();
    let answer = busy.answer().unwrap();
    assert_eq!(
        (answer.status(), answer.field("connection").as_deref()),
        (200, Some("close"))
    );
    gateway.wait_for_end();
}

#[test]
fn without_connections_draining_ends_at_once() {
    let mut gateway = Gateway::of(&[]);
    gateway.phases.send_replace(Phase::Draining);
    gateway.wait_for_end();
}

#[test]
fn when_forced_everything_is_cut() {
    let (upstream, comes, _go) = Upstream::on_command();
    let mut gateway = Gateway::of(&[upstream.address]);
    let mut busy = gateway.connect();
    busy.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    comes.recv().unwrap();
    gateway.phases.send_replace(Phase::Forced);
    gateway.wait_for_end();
    assert!(busy.is_closed());
    gateway.wait_for_counts(Some("open"), &[("0 client_gone", 1)]);
}

const OPEN: &str = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";

/// A client in a hurry that keeps its connection, first to the one gateway, and to the other when it is
/// told to go. Every request has an answer, whenever the first gateway begins to go down.
#[test]
fn a_client_that_keeps_its_connection_loses_no_request() {
    let upstream = Upstream::echo();
    for phases in [&[Phase::Draining][..], &[Phase::Closing, Phase::Draining]] {
        let mut leaving = Gateway::of(&[upstream.address]);
        let staying = Gateway::of(&[upstream.address]);
        let addresses = [leaving.address, staying.address];
        let (answered, answers) = channel();
        let clients: Vec<_> = (0..8)
            .map(|_| {
                let answered = answered.clone();
                thread::spawn(move || {
                    let [mut client, mut other] = addresses.map(Wire::connect);
                    let mut left = 0;
                    for _ in 0..200 {
                        let answer = client.ask(OPEN);
                        assert_eq!(answer.status(), 200);
                        let _ = answered.send(());
                        if answer.field("connection").is_some() {
                            std::mem::swap(&mut client, &mut other);
                            left += 1;
                        }
                    }
                    left
                })
            })
            .collect();
        for phase in phases {
            for _ in 0..300 {
                answers.recv_timeout(DEADLINE).unwrap();
            }
            leaving.phases.send_replace(*phase);
        }
        for client in clients {
            assert_eq!(client.join().expect("every request is answered"), 1);
        }
        leaving.wait_for_end();
    }
}

#[test]
fn a_request_whose_head_is_on_its_way_is_answered() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    assert_eq!(client.ask(OPEN).status(), 200);
    let (begin, end) = OPEN.split_at(20);
    client.send(begin);
    // Until the gateway has those bytes: another connection's request came later.
    assert_eq!(gateway.get("/open", "").status(), 200);
    gateway.phases.send_replace(Phase::Draining);
    wait_until("refused connections", || {
        TcpStream::connect(gateway.address).is_err()
    });
    let answer = client.ask(end);
    assert_eq!(
        (answer.status(), answer.field("connection").as_deref()),
        (200, Some("close"))
    );
    assert!(client.is_closed());
}

/// A client has connected and is about to send.
#[test]
fn a_connection_that_has_had_no_request_yet_has_a_moment_for_it() {
    let upstream = Upstream::echo();
    let mut gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    let mut spare = gateway.connect();
    let stats = gateway.workers.as_ref().unwrap().stats();
    wait_until("connections", || stats.read().open_connections == 2);
    gateway.phases.send_replace(Phase::Draining);
    wait_until("refused connections", || {
        TcpStream::connect(gateway.address).is_err()
    });
    let answer = client.ask(OPEN);
    assert_eq!(
        (answer.status(), answer.field("connection").as_deref()),
        (200, Some("close"))
    );
    assert!(spare.is_closed(), "the moment ends");
    drop((client, spare));
    gateway.wait_for_end();
}
