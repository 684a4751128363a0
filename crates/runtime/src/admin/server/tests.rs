use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    time::Instant,
};

use bytes::Bytes;
use http::StatusCode;

use super::*;
use crate::{
    admin::{Admin, AdminResponse},
    readiness::Readiness,
};

const DEADLINE: Duration = Duration::from_secs(20);
/// Far more than the sockets' buffers hold.
const LARGE: usize = 64 << 20;

/// A large answer that knows how many connections still hold it.
struct Held(
    Vec<u8>,
    #[expect(dead_code, reason = "held for its count")] Arc<()>,
);

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A server, and the count that each large answer under way adds one to.
fn start(limits: Limits) -> (SocketAddr, Arc<()>) {
    let held = Arc::new(());
    let count = Arc::clone(&held);
    let large = move || {
        let body = Bytes::from_owner(Held(vec![b'x'; LARGE], Arc::clone(&count)));
        AdminResponse::text(StatusCode::OK, body)
    };
    let admin = Admin::new(Readiness::default()).route("/large", large);
    let addr = admin
        .start_within(SocketAddr::from(([127, 0, 0, 1], 0)), limits)
        .unwrap();
    (addr, held)
}

fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// Asks for a path, and gives back the first bytes of the answer.
fn ask(stream: &mut TcpStream, path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut answer = [0; 256];
    let read = stream.read(&mut answer).unwrap();
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

/// Whether the server ended the connection: orderly, or by a reset where something was under way.
fn ended(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 256]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

fn eventually(what: &str, mut check: impl FnMut() -> bool) {
    let (_never, wait) = mpsc::channel::<()>();
    let start = Instant::now();
    while !check() {
        assert!(start.elapsed() < DEADLINE, "{what}");
        let _ = wait.recv_timeout(Duration::from_millis(5));
    }
}

#[test]
fn one_connection_too_many_ends_the_oldest_and_is_answered() {
    let (addr, _) = start(Limits {
        connections: 3,
        ..Limits::default()
    });
    let mut open: Vec<TcpStream> = (0..3).map(|_| connect(addr)).collect();
    for stream in &mut open {
        assert!(ask(stream, "/livez").starts_with("HTTP/1.1 200 "));
    }
    let mut newest = connect(addr);
    assert!(ask(&mut newest, "/livez").starts_with("HTTP/1.1 200 "));
    assert!(ended(&mut open[0]));
    assert!(ask(&mut open[1], "/livez").starts_with("HTTP/1.1 200 "));
}

#[test]
fn connections_that_ended_do_not_count() {
    let (addr, _) = start(Limits {
        connections: 2,
        ..Limits::default()
    });
    let mut stays = connect(addr);
    assert!(ask(&mut stays, "/livez").starts_with("HTTP/1.1 200 "));
    for _ in 0..5 {
        let mut passes = connect(addr);
        passes
            .write_all(b"GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
            .unwrap();
        assert!(passes.read_to_end(&mut Vec::new()).unwrap() > 0);
    }
    assert!(ask(&mut stays, "/livez").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_head_that_does_not_come_ends_the_connection() {
    let (addr, _) = start(Limits {
        header_read: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut half = connect(addr);
    half.write_all(b"GET /livez HTTP/1.1\r\nhost").unwrap();
    let mut answer = String::new();
    half.read_to_string(&mut answer).unwrap();
    assert!(!answer.contains(" 200 "), "{answer}");
}

#[test]
fn a_client_that_takes_in_nothing_is_cut() {
    let (addr, held) = start(Limits {
        stalled_write: Duration::from_millis(200),
        ..Limits::default()
    });
    let mut stalled = connect(addr);
    assert!(ask(&mut stalled, "/large").starts_with("HTTP/1.1 200 "));
    // The test, the handler; the answer came and goes.
    eventually("its answer is still held", || Arc::strong_count(&held) == 2);
}

#[test]
fn a_slow_client_delays_nobody_and_gets_its_answer_whole() {
    let (addr, held) = start(Limits::default());
    let mut slow = connect(addr);
    let begun = ask(&mut slow, "/large");
    let head = begun.find("\r\n\r\n").unwrap() + 4;
    assert!(ask(&mut connect(addr), "/livez").starts_with("HTTP/1.1 200 "));
    assert_eq!(Arc::strong_count(&held), 3, "the large answer is under way");
    let left = LARGE - (begun.len() - head);
    let mut rest = vec![0; left];
    slow.read_exact(&mut rest).unwrap();
    assert!(rest.iter().all(|byte| *byte == b'x'));
}
