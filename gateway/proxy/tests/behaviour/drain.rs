//! Going down: first `Connection: close`, then no new connections, then the end of what runs, or its cut.

use std::{net::TcpStream, sync::mpsc::channel, time::Duration};

use latchkey_proxy::{ProxyConfig, Timeouts};
use latchkey_runtime::shutdown::Phase;

use crate::harness::{Gateway, Upstream, objects, upstream::ok, wait_until};

/// An upstream that answers when it is told to.
fn on_command() -> (
    Upstream,
    std::sync::mpsc::Receiver<()>,
    std::sync::mpsc::Sender<()>,
) {
    let (came, comes) = channel();
    let (go, may_go) = channel();
    let may_go = std::sync::Mutex::new(may_go);
    let upstream = Upstream::start(move |mut served| {
        while served.request().is_some() {
            came.send(()).unwrap();
            if may_go.lock().unwrap().recv().is_err() {
                return;
            }
            served.wire.send(ok("fine"));
        }
    });
    (upstream, comes, go)
}

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
    let (upstream, comes, go) = on_command();
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
    let (upstream, comes, _go) = on_command();
    let mut gateway = Gateway::of(&[upstream.address]);
    let mut busy = gateway.connect();
    busy.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    comes.recv().unwrap();
    gateway.phases.send_replace(Phase::Forced);
    gateway.wait_for_end();
    assert!(busy.is_closed());
    gateway.wait_for_counts(Some("open"), &[("0 client_gone", 1)]);
}
