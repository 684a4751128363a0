//! Many clients that take their time in every way, beside one that does not (O-D5).

use std::{
    io::Read,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use latchkey_proxy::{Limit, ProxyConfig};

use crate::harness::{Gateway, Upstream, Wire, objects, upstream::ok, wait_until};

const EACH: usize = 50;
/// How slow the clients are: the fault itself, which nothing waits for.
const NOW_AND_THEN: Duration = Duration::from_millis(10);
const OPEN: &str = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n";

/// Sends a byte now and then until that is refused.
fn trickle(clients: Vec<Wire>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut clients = clients;
        while !clients.is_empty() {
            clients.retain_mut(|client| client.send("x"));
            thread::park_timeout(NOW_AND_THEN);
        }
    })
}

/// Reads a byte now and then until that is done. What the system holds for a client lasts for long.
fn sip(clients: Vec<Wire>, done: Arc<AtomicBool>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut clients = clients;
        while !done.load(Relaxed) {
            clients.retain_mut(|client| matches!(client.stream.read(&mut [0]), Ok(1)));
            thread::park_timeout(NOW_AND_THEN);
        }
    })
}

#[test]
fn each_kind_of_slow_client_ends_at_its_limit_and_a_quick_one_is_served_throughout() {
    let mut config = ProxyConfig::default();
    let short = Duration::from_millis(400);
    config.timeouts.first_byte = short;
    config.timeouts.header_read = short;
    config.timeouts.keep_alive = short;
    config.timeouts.body_idle = short;
    config.timeouts.write_stall = short;
    let upstream = Upstream::start(|mut served| {
        while let Some(head) = served.wire.head() {
            if head.starts_with("GET /open/endless") {
                served
                    .wire
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
                while served.wire.send([b'x'; 65536]) {}
            }
            if !served.wire.send(ok("fine")) {
                return;
            }
        }
    });
    let gateway = Gateway::start(objects::world(&[upstream.address]), &config);
    let stats = gateway.workers.as_ref().unwrap().stats();

    let saying = |text: &str| {
        let clients = (0..EACH).map(|_| {
            let mut client = gateway.connect();
            client.send(text);
            client
        });
        clients.collect::<Vec<_>>()
    };
    let done = Arc::new(AtomicBool::new(false));
    let quick = {
        let (done, mut client) = (Arc::clone(&done), gateway.connect());
        thread::spawn(move || {
            while !done.load(Relaxed) {
                assert_eq!(client.ask(OPEN).status(), 200);
                thread::park_timeout(Duration::from_millis(1));
            }
        })
    };
    let silent = saying("");
    let idle = saying(OPEN);
    let half_bodies = saying("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx");
    let heads = trickle(saying("GET /open HTTP/1.1\r\nX: "));
    let endless = saying("GET /open/endless HTTP/1.1\r\nHost: a\r\n\r\n");
    let sipping = sip(endless, Arc::clone(&done));

    for (limit, at_least) in [
        (Limit::FirstByte, EACH),
        (Limit::KeepAlive, EACH),
        (Limit::HeaderRead, EACH),
        (Limit::WriteStall, EACH),
    ] {
        wait_until(limit.as_str(), || {
            stats.read().timed_out[limit as usize] >= at_least as u64
        });
    }
    wait_until("only the quick one", || stats.read().open_connections == 1);
    done.store(true, Relaxed);
    quick.join().expect("the quick client is served");
    heads.join().unwrap();
    sipping.join().unwrap();
    drop((silent, idle, half_bodies));
    wait_until("none", || stats.read().open_connections == 0);
}
