use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use super::*;

fn start(readiness: &Readiness) -> SocketAddr {
    Admin::new(readiness.clone())
        .route("/metrics", || AdminResponse::text(StatusCode::OK, "a 1\n"))
        .start(SocketAddr::from(([127, 0, 0, 1], 0)))
        .unwrap()
}

fn connect(addr: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

/// The raw answer to a raw request, after which the server closes.
fn ask(addr: SocketAddr, line: &str) -> String {
    let mut stream = connect(addr);
    write!(stream, "{line} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn readyz_says_what_is_pending_and_livez_does_not_care() {
    let readiness = Readiness::default();
    let guard = readiness.guard("folder");
    guard.pending("bad.yaml is no YAML".to_owned());
    let addr = start(&readiness);
    let answer = ask(addr, "GET /readyz");
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(
        answer.ends_with("\r\n\r\nnot ready\nfolder: bad.yaml is no YAML\n"),
        "{answer}"
    );
    assert!(ask(addr, "GET /livez").starts_with("HTTP/1.1 200 "));
    guard.ready();
    assert!(ask(addr, "GET /readyz").ends_with("\r\n\r\nready\n"));
}

#[test]
fn everything_is_still_answered_while_the_process_drains() {
    let readiness = Readiness::default();
    let addr = start(&readiness);
    readiness.drain("SIGTERM");
    assert!(ask(addr, "GET /readyz").contains("draining: SIGTERM"));
    assert!(ask(addr, "GET /metrics").ends_with("\r\n\r\na 1\n"));
}

#[test]
fn a_handler_answers_with_its_type_and_length_whatever_the_query() {
    let addr = start(&Readiness::default());
    for line in ["GET /metrics", "GET /metrics?name=x", "GET http://a/metrics"] {
        let answer = ask(addr, line);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{line}: {answer}");
        assert!(answer.contains("\r\ncontent-length: 4\r\n"), "{line}: {answer}");
        assert!(
            answer.contains("\r\ncontent-type: text/plain; charset=utf-8\r\n"),
            "{line}: {answer}"
        );
    }
}

#[test]
fn head_has_the_length_and_no_body() {
    let answer = ask(start(&Readiness::default()), "HEAD /metrics");
    assert_eq!(answer.matches("content-length: 4\r\n").count(), 1, "{answer}");
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\n"),
        "{answer}"
    );
}

#[test]
fn other_methods_are_refused_and_told_which_are_not() {
    let addr = start(&Readiness::default());
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "X000001"] {
        let answer = ask(addr, &format!("{method} /metrics"));
        assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
        assert!(answer.contains("\r\nallow: GET, HEAD\r\n"), "{answer}");
    }
}

#[test]
fn an_unknown_path_is_told_the_known_ones() {
    let addr = start(&Readiness::default());
    for path in ["/", "/metrics/", "/Metrics", "//metrics", "/x%00"] {
        let answer = ask(addr, &format!("GET {path}"));
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        assert!(
            answer.ends_with("\n/livez\n/metrics\n/readyz\n"),
            "{path}: {answer}"
        );
    }
}

#[test]
fn a_head_too_large_is_refused_and_others_are_still_answered() {
    let addr = start(&Readiness::default());
    let mut stream = connect(addr);
    let head = format!(
        "GET /livez HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n",
        "x".repeat(17 * 1024)
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = vec![0; 64];
    let read = stream.read(&mut answer).unwrap();
    assert!(
        answer[..read].starts_with(b"HTTP/1.1 431 "),
        "{}",
        String::from_utf8_lossy(&answer)
    );
    assert!(ask(addr, "GET /livez").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_busy_port_is_reported_before_start_returns() {
    let addr = start(&Readiness::default());
    let message = Admin::new(Readiness::default())
        .start(addr)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with(&format!("the admin server cannot listen on {addr}: ")),
        "{message}"
    );
    assert!(message.contains("choose another port"), "{message}");
}
