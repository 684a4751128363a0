//! Bodies stream both ways: whole, in order, and in bounded memory.

use std::io::Write;

use latchkey_e2e::{client::Request, scene::Scene, upstream::Upstream};

const GIB: u64 = 1 << 30;
const BLOCK: usize = 1 << 16;
/// How much more memory a body of any size may take, in KiB: some buffers, not the body.
const ALLOWANCE_KIB: u64 = 64 * 1024;

#[test]
fn a_gigabyte_down_takes_bounded_memory() {
    let upstream = Upstream::start(|peer| {
        while let Some(head) = peer.request()? {
            if head.request_line().contains("/small") {
                peer.answer("small")?;
                continue;
            }
            peer.write(format!("HTTP/1.1 200 OK\r\nContent-Length: {GIB}\r\n\r\n").as_bytes())?;
            let block = vec![b'x'; BLOCK];
            for _ in 0..GIB / BLOCK as u64 {
                peer.write(&block)?;
            }
        }
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/small")), 200);
    let before = gateway.process().peak_memory_kib();

    let mut connection = gateway.connect();
    connection.send_bytes(&Request::get("/").bytes()).expect("sent");
    let head = connection.head().expect("a head");
    assert_eq!(head.header("Content-Length"), Some(GIB.to_string().as_str()));
    connection.skip(GIB).expect("all of it");
    let grown = gateway.process().peak_memory_kib() - before;
    assert!(grown < ALLOWANCE_KIB, "{grown} KiB more for one answer");
    assert_eq!(
        connection.send(&Request::get("/small")).expect("kept").text(),
        "small"
    );
}

#[test]
fn a_gigabyte_up_takes_bounded_memory() {
    let upstream = Upstream::start(|peer| {
        while let Some(head) = peer.request()? {
            let length = peer.skip_body(&head)?;
            peer.answer(&length.to_string())?;
        }
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    assert_eq!(gateway.send(&Request::post("/", b"small")).text(), "5");
    let before = gateway.process().peak_memory_kib();

    let mut connection = gateway.connect();
    let head = format!("POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: {GIB}\r\n\r\n");
    connection.send_bytes(head.as_bytes()).expect("sent");
    let block = vec![b'x'; BLOCK];
    let mut socket = connection.socket();
    for _ in 0..GIB / BLOCK as u64 {
        socket.write_all(&block).expect("the gateway reads on");
    }
    assert_eq!(
        connection.response_to("POST").expect("an answer").text(),
        GIB.to_string()
    );
    let grown = gateway.process().peak_memory_kib() - before;
    assert!(grown < ALLOWANCE_KIB, "{grown} KiB more for one request");
}

#[test]
fn a_client_that_does_not_read_holds_its_upstream_back() {
    let upstream = Upstream::start(|peer| {
        peer.request()?;
        peer.write(format!("HTTP/1.1 200 OK\r\nContent-Length: {GIB}\r\n\r\n").as_bytes())?;
        let block = vec![b'x'; BLOCK];
        for _ in 0..GIB / BLOCK as u64 {
            peer.write(&block)?;
        }
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let before = gateway.process().peak_memory_kib();
    let mut connection = gateway.connect();
    connection.send_bytes(&Request::get("/").bytes()).expect("sent");
    connection.head().expect("a head");
    // Other requests go on while the gateway would have all the time to read ahead.
    for _ in 0..200 {
        assert_eq!(gateway.status(&Request::get("/").host("nowhere.test")), 404);
    }
    let grown = gateway.process().peak_memory_kib() - before;
    assert!(grown < ALLOWANCE_KIB, "{grown} KiB read ahead");
}

#[test]
fn a_chunked_body_arrives_whole() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: app.test\r\nX-API-Key: {key}\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    connection.send_bytes(head.as_bytes()).expect("sent");
    for word in ["5\r\nhello\r\n", "7;ext=1\r\n, world\r\n", "0\r\n\r\n"] {
        connection.send_bytes(word.as_bytes()).expect("sent");
    }
    let response = connection.response_to("POST").expect("an answer");
    assert_eq!(response.json()["body_text"], "hello, world");
}

#[test]
fn a_client_that_waits_for_continue_gets_it() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: app.test\r\nX-API-Key: {key}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
    );
    connection.send_bytes(head.as_bytes()).expect("sent");
    let mut interim = [0; 25];
    std::io::Read::read_exact(&mut connection.socket(), &mut interim).expect("an interim answer");
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    connection.send_bytes(b"hello").expect("sent");
    assert_eq!(
        connection.response_to("POST").expect("an answer").json()["body_text"],
        "hello"
    );
}

#[test]
fn a_client_that_waits_for_continue_and_may_not_pass_is_told_at_once() {
    let (scene, _echo) = Scene::with_echo();
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let head = "POST / HTTP/1.1\r\nHost: app.test\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    connection.send_bytes(head.as_bytes()).expect("sent");
    assert_eq!(connection.response_to("POST").expect("an answer").status, 401);
}
