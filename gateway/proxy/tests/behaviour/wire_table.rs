//! What two readers may take differently, byte by byte: what the client sends, what it gets, and what the
//! upstream sees of it (O-D1 and its kind). Every row is followed at once by a request for `/open/next`, so
//! that it shows whether the connection went on, and whether anything was smuggled.

use std::sync::mpsc::{Receiver, Sender, channel};

use crate::harness::{
    Gateway, Upstream,
    upstream::{Served, ok},
};

const NEXT: &str = "GET /open/next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
/// What the upstream sees of [`NEXT`].
const NEXT_SEEN: &str = "GET /open/next";

/// A request with a body, and what it is framed by.
fn post(lines: &str, body: &str) -> String {
    format!("POST /open HTTP/1.1\r\nHost: a\r\n{lines}\r\n{body}")
}

fn get(target: &str, lines: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: a\r\n{lines}\r\n")
}

/// Says of each request how it was framed, and its body as it stood on the wire.
fn report(mut served: Served, seen: &Sender<String>) {
    while let Some(head) = served.wire.head() {
        assert_eq!(
            head.matches('\n').count(),
            head.matches("\r\n").count(),
            "{head:?}"
        );
        assert!(!head.contains(['\t', '\0', '#']), "{head:?}");
        let mut lines = head.split("\r\n");
        let line = lines.next().unwrap_or_default().replace(" HTTP/1.1", "");
        let framing =
            |line: &&str| line.starts_with("content-length") || line.starts_with("transfer-encoding");
        let framing: Vec<_> = lines.filter(framing).collect();
        let body = match framing.first().and_then(|line| line.split_once(": ")) {
            None => String::new(),
            Some(("content-length", length)) => {
                let body = served.wire.exactly(length.parse().unwrap());
                String::from_utf8(body).unwrap()
            }
            Some(_) => match chunks(&mut served) {
                Some(body) => body,
                None => return,
            },
        };
        let text = [&[line.as_str()], framing.as_slice(), &[body.as_str()]]
            .concat()
            .join("|");
        let _ = seen.send(text.trim_end_matches('|').to_owned());
        served.wire.send(ok(""));
    }
}

/// A chunked body as it stood; `None` if it breaks off.
fn chunks(served: &mut Served) -> Option<String> {
    let mut body = String::new();
    let mut last = false;
    loop {
        let line = served.wire.line()?;
        last |= line == "0";
        body.push_str(&line);
        body.push('~');
        if last && line.is_empty() {
            return Some(body);
        }
    }
}

/// The statuses of all answers, and what the upstream saw whole.
fn outcome(gateway: &Gateway, seen: &Receiver<String>, request: &str) -> (String, Vec<String>) {
    let mut client = gateway.connect();
    client.send(format!("{request}{NEXT}"));
    let all = String::from_utf8_lossy(&client.rest()).into_owned();
    let answers = all.match_indices("HTTP/1.").map(|(at, _)| &all[at + 9..at + 12]);
    let answers = answers.collect::<Vec<_>>().join(" ");
    let closes = all.to_lowercase().matches("connection: close").count();
    let bare = all.matches("content-length: 0").count();
    assert!(
        closes + bare > 0 || answers.is_empty(),
        "{request:?} ends without a word: {all}"
    );
    (answers, seen.try_iter().collect())
}

#[test]
fn whatever_the_client_sends_the_upstream_sees_one_plain_form_or_nothing() {
    let chunked = "3\r\nabc\r\n0\r\n\r\n";
    let plain = "POST /open|transfer-encoding: chunked|3~abc~0~~";
    let long = "POST /open|content-length: 5|hello";
    let fresh = "GET /open";
    // Answered, and then the next request.
    let kept = |request: String, seen: &'static str| (request, "200 200", vec![seen, NEXT_SEEN]);
    // Answered, and then closed.
    let last = |request: String, seen: &'static str| (request, "200", vec![seen]);
    let refused = |request: String| (request, "400", vec![]);
    let rows = vec![
        // Both lengths.
        last(
            post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunked),
            plain,
        ),
        last(
            post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", chunked),
            plain,
        ),
        // Codings.
        kept(post("Transfer-Encoding: chunked\r\n", chunked), plain),
        kept(post("Transfer-Encoding: Chunked\r\n", chunked), plain),
        kept(post("Transfer-Encoding:\tchunked\r\n", chunked), plain),
        kept(post("transfer-encoding:chunked\r\n", chunked), plain),
        refused(post(
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            chunked,
        )),
        refused(post("Transfer-Encoding: chunked, identity\r\n", chunked)),
        refused(post("Transfer-Encoding: identity, chunked\r\n", chunked)),
        refused(post("Transfer-Encoding: xchunked\r\n", chunked)),
        refused(post("Transfer-Encoding: \x0bchunked\r\n", chunked)),
        refused(post("Transfer-Encoding : chunked\r\n", chunked)),
        refused(post("X: y\r\n Transfer-Encoding: chunked\r\n", chunked)),
        refused(post("Transfer-Encoding: chunked\r\n", chunked).replace("HTTP/1.1", "HTTP/1.0")),
        // Lengths.
        kept(post("Content-Length: 5\r\n", "hello"), long),
        kept(post("Content-Length: 005\r\n", "hello"), long),
        kept(post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), long),
        kept(post("", ""), "POST /open"),
        refused(post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello")),
        refused(post("Content-Length: +5\r\n", "hello")),
        refused(post("Content-Length: 5, 6\r\n", "hello")),
        refused(post("Content-Length: 5, 5\r\n", "hello")),
        refused(post("Content-Length : 5\r\n", "hello")),
        refused(post("Content-Length: \x0b5\r\n", "hello")),
        // Chunks.
        kept(
            post("Transfer-Encoding: chunked\r\n", "003;x=1\r\nabc\r\n00\r\n\r\n"),
            plain,
        ),
        refused(post("Transfer-Encoding: chunked\r\n", "+3\r\nabc\r\n0\r\n\r\n")),
        refused(post(
            "Transfer-Encoding: chunked\r\n",
            "10000000000000003\r\nabc\r\n0\r\n\r\n",
        )),
        refused(post("Transfer-Encoding: chunked\r\n", "3\nabc\n0\n\n")),
        refused(post("Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n")),
        // Trailers, as declared.
        kept(
            post(
                "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n",
                "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
            ),
            "POST /open|transfer-encoding: chunked|3~abc~0~x-sum: 1~~",
        ),
        kept(
            post(
                "Transfer-Encoding: chunked\r\n",
                "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n",
            ),
            plain,
        ),
        kept(
            post(
                "Transfer-Encoding: chunked\r\nTrailer: X-Consumer-ID\r\n",
                "3\r\nabc\r\n0\r\nX-Consumer-ID: 1\r\n\r\n",
            ),
            plain,
        ),
        // Lines.
        kept(get("/open", "").replace("\r\n", "\n"), fresh),
        kept(format!("\r\n\r\n{}", get("/open", "")), fresh),
        refused(get("/open", "X: a\rb\r\n")),
        refused(get("/open", "X: a\0b\r\n")),
        refused(get("/open", "X y: 1\r\n")),
        refused(get("/open", ": 1\r\n")),
        refused(get("/open", "no colon\r\n")),
        // Request lines.
        kept(get("/open#part", ""), fresh),
        kept(get("/open?#part", ""), "GET /open?"),
        kept(get("http://a/open", ""), fresh),
        refused(get("/open /more", "")),
        refused(get("  /open", "")),
        refused(get("/open", "").replace("HTTP/1.1", "HTTP/1.2")),
        refused(get("/open", "").replace("HTTP/1.1", "HTTP/2.0")),
        refused(get("/open", "").replace(" HTTP/1.1", "")),
        refused("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n".to_owned()),
        refused("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n".to_owned()),
        // Another protocol.
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), "", vec![]),
        refused("\x16\x03\x01\x02\x00\x01\x00\x01".to_owned()),
        // A wait for 100, which the upstream never learns of.
        (
            post("Content-Length: 5\r\nExpect: 100-continue\r\n", "hello"),
            "100 200 200",
            vec![long, NEXT_SEEN],
        ),
        // An upgrade that is not done: the request goes on without it.
        kept(
            get("/open", "Connection: upgrade\r\nUpgrade: websocket\r\n"),
            fresh,
        ),
    ];
    let (sender, seen) = channel();
    let upstream = Upstream::start(move |served| report(served, &sender));
    let gateway = Gateway::of(&[upstream.address]);
    let mut wrong = Vec::new();
    for (request, answers, requests) in rows {
        let (got, saw) = outcome(&gateway, &seen, &request);
        if got != answers || saw != requests {
            wrong.push(format!(
                "{request:?}\n  answers {got:?}, not {answers:?}\n  seen {saw:?}, not {requests:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the upstream answers, and what is left of it: fields without dates, `|`, and the body.
#[test]
fn whatever_the_upstream_answers_the_client_gets_one_plain_form_or_502() {
    let rows: &[(&str, &str, &str)] = &[
        (
            "GET",
            "200 OK\r\nContent-Length: 2\r\n\r\nhi",
            "200|content-length: 2|hi",
        ),
        (
            "GET",
            "200 OK\r\nContent-Length: 02\r\n\r\nhi",
            "200|content-length: 2|hi",
        ),
        (
            "GET",
            "200 OK\r\nContent-Length: 0\r\n\r\n",
            "200|content-length: 0|",
        ),
        (
            "GET",
            "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n02;x\r\nhi\r\n0\r\n\r\n",
            "200|transfer-encoding: chunked|2~hi~0~~",
        ),
        (
            "HEAD",
            "200 OK\r\nContent-Length: 5\r\n\r\n",
            "200|content-length: 5|",
        ),
        ("HEAD", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "200|"),
        ("HEAD", "404 Not Found\r\n\r\n", "404|"),
        ("GET", "204 No Content\r\n\r\n", "204|"),
        ("GET", "204 No Content\r\nContent-Length: 5\r\n\r\n", "204|"),
        (
            "GET",
            "204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
            "204|",
        ),
        ("GET", "304 Not Modified\r\n\r\n", "304|"),
        ("GET", "304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304|"),
        (
            "GET",
            "100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            "200|content-length: 2|hi",
        ),
        (
            "GET",
            "101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
            "502",
        ),
        (
            "GET",
            "200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "502",
        ),
        ("GET", "200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhi", "502"),
        ("GET", "200 OK\r\nContent-Length: 2, 3\r\n\r\nhi", "502"),
        ("GET", "200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n", "502"),
    ];
    let mut wrong = Vec::new();
    for (method, answer, expected) in rows {
        let answer: &'static str = String::leak(format!("HTTP/1.1 {answer}"));
        let upstream = Upstream::answering(answer);
        let gateway = Gateway::of(&[upstream.address]);
        let mut client = gateway.connect();
        let end = NEXT.replace("/open/next", "/none");
        client.send(format!("{method} /open HTTP/1.1\r\nHost: a\r\n\r\n{end}"));
        let all = String::from_utf8_lossy(&client.rest()).into_owned();
        let (got, next) = split(&all);
        if !got.starts_with(expected) || (got.len() > expected.len() && *expected != "502") || !next {
            wrong.push(format!(
                "{method} {answer:?}\n  got {got:?}, not {expected:?}; kept: {next}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The first answer in short, and whether there is a second.
fn split(all: &str) -> (String, bool) {
    let (first, next) = match all.rfind("HTTP/1.1 404 Not Found\r\ncontent-type") {
        Some(at) => (&all[..at], true),
        None => (all, false),
    };
    let (head, body) = first.split_once("\r\n\r\n").unwrap_or((first, ""));
    let framing = |line: &&str| line.starts_with("content-length") || line.starts_with("transfer-encoding");
    let mut parts = vec![head.get(9..12).unwrap_or_default().to_owned()];
    parts.extend(head.split("\r\n").filter(framing).map(str::to_owned));
    parts.push(body.replace("\r\n", "~"));
    (parts.join("|"), next)
}
