//! Bodies pass as they come, in both directions, and whoever is slower sets the pace.

use std::{fs, sync::mpsc::channel, thread};

use crate::harness::{DEADLINE, Gateway, Upstream, upstream::ok};

const MIB: usize = 1024 * 1024;
/// Far more than all buffers on the way can hold.
const LARGE: usize = 256 * MIB;

/// Resident memory of this process, in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib * 1024
}

#[test]
fn a_large_answer_passes_in_bounded_memory() {
    let upstream = Upstream::start(|mut served| {
        served.request();
        served
            .wire
            .send(format!("HTTP/1.1 200 OK\r\nContent-Length: {LARGE}\r\n\r\n"));
        let block = vec![b'x'; MIB];
        for _ in 0..LARGE / MIB {
            served.wire.send(&block);
        }
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("GET /open HTTP/1.1\r\nHost: a\r\n\r\n");
    client.head().unwrap();
    let before = resident();
    let mut most = before;
    for _ in 0..LARGE / MIB {
        assert_eq!(client.exactly(MIB).len(), MIB);
        most = most.max(resident());
    }
    assert!(
        most < before + LARGE / 4,
        "{} MiB more at its most",
        (most - before) / MIB
    );
    gateway.wait_for_counts(Some("open"), &[("200 served", 1)]);
}

#[test]
fn a_large_request_passes_in_bounded_memory() {
    let (counted, count) = channel();
    let upstream = Upstream::start(move |mut served| {
        served.wire.head();
        let mut read = 0;
        while read < LARGE {
            read += served.wire.exactly(MIB).len();
        }
        counted.send(read).unwrap();
        served.wire.send(ok("fine"));
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send(format!(
        "POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: {LARGE}\r\n\r\n"
    ));
    let before = resident();
    let mut most = before;
    let block = vec![b'x'; MIB];
    for _ in 0..LARGE / MIB {
        assert!(client.send(&block));
        most = most.max(resident());
    }
    assert_eq!(client.answer().unwrap().status(), 200);
    assert_eq!(count.recv().unwrap(), LARGE);
    assert!(
        most < before + LARGE / 4,
        "{} MiB more at its most",
        (most - before) / MIB
    );
}

/// The first bytes of an answer do not wait for the last.
#[test]
fn an_answer_is_passed_on_piece_by_piece() {
    let (go, may_go) = channel::<()>();
    let may_go = std::sync::Mutex::new(may_go);
    let upstream = Upstream::start(move |mut served| {
        served.request();
        served.wire.send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum, X-Other\r\n\r\n2\r\nab\r\n",
        );
        may_go.lock().unwrap().recv().unwrap();
        served
            .wire
            .send("2\r\ncd\r\n0\r\nX-Sum: 7\r\nX-Undeclared: 1\r\n\r\n");
        served.request();
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("GET /open HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n");
    assert!(client.head().unwrap().contains("transfer-encoding: chunked"));
    assert_eq!(client.exactly(7), b"2\r\nab\r\n");
    go.send(()).unwrap();
    assert_eq!(client.exactly(7), b"2\r\ncd\r\n");
    assert_eq!(client.line().as_deref(), Some("0"));
    assert_eq!(client.line().as_deref(), Some("x-sum: 7"));
    assert_eq!(client.line().as_deref(), Some(""));
}

#[test]
fn a_request_is_passed_on_piece_by_piece() {
    let (seen, pieces) = channel();
    let upstream = Upstream::start(move |mut served| {
        served.wire.head();
        seen.send(served.wire.exactly(7)).unwrap();
        seen.send(served.wire.exactly(7)).unwrap();
        served.wire.line();
        served.wire.send(ok("fine"));
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
    assert_eq!(pieces.recv().unwrap(), b"2\r\nab\r\n");
    client.send("2\r\ncd\r\n0\r\n\r\n");
    assert_eq!(pieces.recv().unwrap(), b"2\r\ncd\r\n");
    assert_eq!(client.answer().unwrap().status(), 200);
}

/// An upstream that has heard enough answers before the body is there; the answer arrives, and the
/// connection with its half-sent body is closed, although the client is still there.
#[test]
fn an_early_answer_reaches_the_client() {
    let (end, ends) = channel();
    let upstream = Upstream::start(move |mut served| {
        served.wire.head();
        served
            .wire
            .send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
        // Reads on, as a polite server does.
        served.wire.rest();
        end.send(()).unwrap();
    });
    let gateway = Gateway::of(&[upstream.address]);
    for _ in 0..2 {
        let mut client = gateway.connect();
        client.send("POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nfirst bytes");
        let answer = client.answer().unwrap();
        assert_eq!((answer.status(), answer.body.as_slice()), (413, &b"big"[..]));
        ends.recv_timeout(DEADLINE).expect("the end of the connection");
    }
    assert_eq!(upstream.connections(), 2);
    gateway.wait_for_counts(Some("open"), &[("413 served", 2)]);
}

#[test]
fn the_client_is_asked_for_its_body_only_once_it_may_pass() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    let expect = "Content-Length: 2\r\nExpect: 100-continue\r\n";
    client.send(format!("POST /key HTTP/1.1\r\nHost: a\r\n{expect}\r\n"));
    assert_eq!(client.answer().unwrap().status(), 401);

    let mut client = gateway.connect();
    client.send(format!("POST /open HTTP/1.1\r\nHost: a\r\n{expect}\r\n"));
    assert_eq!(client.head().as_deref(), Some("HTTP/1.1 100 Continue"));
    client.send("hi");
    assert_eq!(client.answer().unwrap().status(), 200);
    let request = upstream.requests().pop().unwrap();
    assert_eq!(
        (request.field("expect"), request.body.as_slice()),
        (None, &b"hi"[..])
    );
}

/// An answer without a length ends where its connection does, and a broken one is not made to look whole.
#[test]
fn an_answer_that_breaks_off_is_seen_to_break_off() {
    let upstream = Upstream::start(|mut served| {
        let request = served.request().unwrap();
        if request.target() == "/open/whole" {
            served.wire.send("HTTP/1.1 200 OK\r\n\r\nwhole");
            served.wire.finish();
        } else {
            served
                .wire
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
            served.wire.reset();
        }
    });
    let gateway = Gateway::of(&[upstream.address]);
    assert_eq!(gateway.get("/open/whole", "").body, b"whole");
    let mut client = gateway.connect();
    client.send("GET /open/half HTTP/1.1\r\nHost: a\r\n\r\n");
    let text = String::from_utf8_lossy(&client.rest()).into_owned();
    assert!(!text.ends_with("0\r\n\r\n"), "{text}");
    wait(&gateway);
}

fn wait(gateway: &Gateway) {
    crate::harness::wait_until("both ends", || {
        let totals = gateway.totals(Some("open"));
        totals.in_flight == 0 && totals.count() == 2
    });
    let reasons: Vec<_> = gateway
        .totals(Some("open"))
        .requests
        .iter()
        .map(|cell| cell.reason.as_str())
        .collect();
    assert!(reasons.contains(&"served"), "{reasons:?}");
    assert!(
        reasons.contains(&"upstream_aborted") || reasons.contains(&"upstream_reset"),
        "{reasons:?}"
    );
}

/// Upload and download at once: neither waits for the other to end.
#[test]
fn both_directions_flow_at_once() {
    let upstream = Upstream::start(|mut served| {
        served.wire.head();
        served
            .wire
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while let Some(size) = served.wire.line() {
            let size = usize::from_str_radix(&size, 16).unwrap();
            let data = served.wire.exactly(size);
            served.wire.line();
            let piece = [format!("{size:x}\r\n").as_bytes(), &data, b"\r\n"].concat();
            served.wire.send(piece);
            if size == 0 {
                return;
            }
        }
    });
    let gateway = Gateway::of(&[upstream.address]);
    let mut client = gateway.connect();
    client.send("POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for round in 0..20 {
        let piece = format!("5\r\nab{round:03}\r\n");
        client.send(&piece);
        if round == 0 {
            client.head().unwrap();
        }
        assert_eq!(client.exactly(piece.len()), piece.as_bytes());
    }
    client.send("0\r\n\r\n");
    assert_eq!(client.line().as_deref(), Some("0"));
    thread::yield_now();
}
