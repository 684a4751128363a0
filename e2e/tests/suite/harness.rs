//! The harness itself: what the other modules take for granted.

use std::{io::ErrorKind, process::Command};

use latchkey_e2e::{
    client::{Connection, Request, send},
    echo::{Echo, Seen},
    keys,
    logs::Logs,
    process::Process,
    upstream::Upstream,
};

#[test]
fn the_client_reads_exactly_one_answer_in_every_framing() {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let mut connection = Connection::open(echo.address()).expect("accepted");
    for target in ["/bytes/70000", "/bytes/70000?chunked", "/bytes/0"] {
        let length = connection
            .send(&Request::get(target))
            .expect("an answer")
            .body
            .len();
        assert_eq!(length, if target == "/bytes/0" { 0 } else { 70_000 });
    }
    assert_eq!(
        connection
            .send(&Request::new("HEAD", "/bytes/5"))
            .expect("an answer")
            .status,
        200
    );
    let seen = Seen::of(
        &connection
            .send(&Request::post("/x?y=1", b"hello"))
            .expect("an answer"),
    );
    assert_eq!(
        (seen.target(), seen.body_length(), seen.upstream()),
        ("/x?y=1", 5, "echo")
    );
    assert_eq!(seen.header("Host").as_deref(), Some("app.test"));
    let response = connection.send(&Request::get("/close")).expect("an answer");
    assert!(response.connection_is("close") && connection.is_closed());
}

#[test]
fn the_client_takes_no_half_answer_for_a_whole_one() {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let end = send(echo.address(), &Request::get("/reset-mid-body/10")).expect_err("it breaks off");
    assert!(
        [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset].contains(&end.kind()),
        "{end}"
    );
}

#[test]
fn a_scripted_upstream_ends_with_a_fin_or_a_reset_as_told() {
    for (with_reset, kind) in [
        (false, ErrorKind::UnexpectedEof),
        (true, ErrorKind::ConnectionReset),
    ] {
        let upstream = Upstream::start(move |peer| {
            peer.request()?;
            if with_reset {
                peer.reset();
            }
            Ok(())
        });
        let end = send(upstream.address(), &Request::get("/")).expect_err("no answer");
        assert_eq!(end.kind(), kind);
        assert_eq!(upstream.requests().len(), 1);
    }
}

#[test]
#[should_panic(expected = "wrote a key in line 1")]
fn a_process_that_writes_a_key_fails_its_test() {
    let mut command = Command::new("echo");
    command.arg(format!("a log line with {}", keys::key("leaked")));
    Process::spawn("leaky", &mut command, &Logs::of_this_test()).wait();
}
