//! The real binary over raw sockets: what it reports, and what its paths do.

#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is the failure")]

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

struct Echo {
    child: Child,
    addr: String,
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn echo() -> Echo {
    let mut child = Command::new(env!("CARGO_BIN_EXE_latchkey-echo"))
        .args(["--listen", "127.0.0.1:0", "--name", "one"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let addr = line.trim_end().strip_prefix("listening on ").unwrap().to_owned();
    Echo { child, addr }
}

impl Echo {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    /// The raw answer to a raw request after which the server closes, and how it closed.
    fn raw(&self, request: &str) -> (String, Result<(), ErrorKind>) {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let end = stream
            .read_to_end(&mut answer)
            .map(drop)
            .map_err(|error| error.kind());
        (String::from_utf8(answer).unwrap(), end)
    }

    fn get(&self, target: &str) -> (String, Result<(), ErrorKind>) {
        self.raw(&format!(
            "GET {target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
        ))
    }

    fn report(&self, target: &str) -> Value {
        json_body(&self.get(target).0)
    }
}

fn json_body(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn a_report_has_all_that_was_received() {
    let echo = echo();
    let (answer, _) = echo.raw(
        "POST /a%2Fb//c?x=%20&x=2 HTTP/1.1\r\nHost: shop.example\r\nX-A: 1\r\nx-a: 2\r\nX-B: \u{fc}\r\n\
         Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-T: t\r\n\r\n",
    );
    let report = json_body(&answer);
    for (member, wanted) in [
        ("name", json!("one")),
        ("method", json!("POST")),
        ("target", json!("/a%2Fb//c?x=%20&x=2")),
        ("version", json!("HTTP/1.1")),
        ("trailers", json!([["x-t", "t"]])),
        ("body_length", json!(5)),
        ("body_text", json!("abcde")),
        ("connection", json!(1)),
        ("request", json!(1)),
    ] {
        assert_eq!(report[member], wanted, "{member}");
    }
    let headers = report["headers"].as_array().unwrap();
    let one = |name: &str| -> Vec<&Value> {
        headers
            .iter()
            .filter(|pair| pair[0] == name)
            .map(|pair| &pair[1])
            .collect()
    };
    assert_eq!(one("x-a"), [&json!("1"), &json!("2")]);
    assert_eq!(one("x-b"), [&json!("\u{fc}")]);
    assert!(report["peer"].as_str().unwrap().starts_with("127.0.0.1:"));
}

#[test]
fn a_long_body_is_counted_whole_and_repeated_in_part() {
    let body = "y".repeat(5000);
    let (answer, _) = echo().raw(&format!(
        "PUT / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 5000\r\n\r\n{body}"
    ));
    let report = json_body(&answer);
    assert_eq!(report["body_length"], 5000);
    assert_eq!(report["body_text"], "y".repeat(1024));
}

#[test]
fn connections_and_the_requests_on_them_are_numbered() {
    let echo = echo();
    let (answer, _) = echo.raw(
        "GET /status/204 HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
    );
    let second = &answer[answer.rfind("HTTP/1.1 200").unwrap()..];
    assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
    assert_eq!(
        (&json_body(second)["connection"], &json_body(second)["request"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(echo.report("/")["connection"], 2);
}

#[test]
fn a_status_is_the_one_asked_for() {
    let echo = echo();
    for code in [200, 204, 304, 404, 503, 999] {
        let (answer, end) = echo.get(&format!("/status/{code}"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{answer}");
        assert_eq!(end, Ok(()));
    }
    assert!(echo.get("/status/abc").0.starts_with("HTTP/1.1 400 "));
}

#[test]
fn bytes_are_streamed_with_their_length_or_in_chunks() {
    let echo = echo();
    let (answer, _) = echo.get("/bytes/200000");
    assert!(answer.contains("content-length: 200000\r\n"));
    assert_eq!(answer.split_once("\r\n\r\n").unwrap().1.len(), 200_000);
    let (answer, _) = echo.get("/bytes/100?chunked");
    assert!(answer.contains("transfer-encoding: chunked\r\n"), "{answer}");
    assert!(
        answer.ends_with(&format!("64\r\n{}\r\n0\r\n\r\n", "x".repeat(100))),
        "{answer}"
    );
}

#[test]
fn a_body_breaks_off_by_a_reset_after_what_was_asked_for() {
    let (answer, end) = echo().get("/reset-mid-body/10");
    assert!(answer.contains("content-length: 11\r\n"), "{answer}");
    assert!(
        answer.ends_with(&format!("\r\n\r\n{}", "x".repeat(10))),
        "{answer}"
    );
    assert_eq!(end, Err(ErrorKind::ConnectionReset));
}

#[test]
fn hanging_up_gives_no_answer() {
    let echo = echo();
    assert_eq!(echo.get("/hang-up"), (String::new(), Ok(())));
    assert_eq!(echo.report("/hang-up-reused")["request"], 1);
    let reused = "GET /hang-up-reused HTTP/1.1\r\nhost: a\r\n\r\n";
    let mut stream = echo.connect();
    stream.write_all(reused.as_bytes()).unwrap();
    assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
    stream.write_all(reused.as_bytes()).unwrap();
    assert_eq!(stream.read(&mut [0; 4096]).unwrap(), 0);
}

#[test]
fn close_says_so_and_closes() {
    let (answer, end) = echo().raw("GET /close HTTP/1.1\r\nhost: a\r\n\r\n");
    assert!(answer.contains("connection: close\r\n"), "{answer}");
    assert_eq!(end, Ok(()));
}

#[test]
fn response_headers_are_those_asked_for() {
    let (answer, _) = echo().get("/response-headers?Connection=x-hop&X-Hop=1&Set-Cookie=a&Set-Cookie=b");
    for line in [
        "connection: x-hop, close",
        "x-hop: 1",
        "set-cookie: a",
        "set-cookie: b",
    ] {
        assert!(answer.contains(&format!("{line}\r\n")), "{answer}");
    }
}

#[test]
fn arrivals_are_counted_by_id_also_behind_a_prefix() {
    let echo = echo();
    echo.report("/count/a");
    assert_eq!(echo.report("/api/count/a")["count"], 2);
    assert_eq!(echo.report("/count/b")["count"], 1);
    assert_eq!(echo.report("/counts"), json!({ "a": 2, "b": 1 }));
}

#[test]
fn delays_end() {
    let echo = echo();
    assert_eq!(echo.report("/delay/1")["method"], "GET");
    let (answer, _) =
        echo.raw("PUT /slow-read/1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc");
    assert_eq!(json_body(&answer)["body_text"], "abc");
}

#[test]
fn a_busy_port_is_one_clear_line() {
    let held = echo();
    let output = Command::new(env!("CARGO_BIN_EXE_latchkey-echo"))
        .args(["--listen", &held.addr])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(
        text.contains(&format!("cannot listen on {}; choose another", held.addr)),
        "{text}"
    );
}
