//! Kept connections on both sides, and what happens when an upstream closes one that is about to be used.

use std::collections::HashMap;

use latchkey_e2e::{
    client::Request,
    scene::Scene,
    upstream::{Peer, Upstream},
};

/// How many requests meet each way of closing.
const REQUESTS: usize = 300;

/// Sends requests one after the other, through an upstream that ends every connection in this way
/// right after its first answer. Gives the statuses, and how often each id reached the upstream.
fn against(method: &str, close: fn(&mut Peer) -> std::io::Result<()>) -> (Vec<u16>, HashMap<String, usize>) {
    let upstream = Upstream::start(move |peer| {
        if let Some(head) = peer.request()? {
            peer.skip_body(&head)?;
            peer.answer("ok")?;
        }
        close(peer)
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let statuses = (0..REQUESTS)
        .map(|id| {
            let target = format!("/{id}");
            let request = match method {
                "POST" => Request::post(&target, b"body"),
                method => Request::new(method, &target),
            };
            connection
                .send(&request)
                .expect("the gateway keeps its side")
                .status
        })
        .collect();
    let mut seen = HashMap::new();
    for head in upstream.requests() {
        *seen.entry(head.request_line().to_owned()).or_default() += 1;
    }
    (statuses, seen)
}

fn with_fin(_: &mut Peer) -> std::io::Result<()> {
    Ok(())
}

fn with_reset(peer: &mut Peer) -> std::io::Result<()> {
    peer.reset();
    Ok(())
}

fn at_the_next_head(peer: &mut Peer) -> std::io::Result<()> {
    peer.request()?;
    Ok(())
}

#[test]
fn a_repeatable_request_never_shows_that_its_connection_was_closed() {
    for close in [with_fin, with_reset, at_the_next_head] {
        let (statuses, seen) = against("GET", close);
        assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
        assert!(seen.values().all(|times| *times <= 2), "retried more than once");
    }
}

#[test]
fn a_request_that_must_not_be_repeated_reaches_an_upstream_once() {
    for close in [with_fin, with_reset, at_the_next_head] {
        let (statuses, seen) = against("POST", close);
        assert!(
            statuses.iter().all(|status| [200, 502].contains(status)),
            "{statuses:?}"
        );
        assert!(seen.values().all(|times| *times == 1), "repeated");
    }
}

#[test]
fn a_client_connection_is_kept_over_answers_of_all_kinds() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    for (request, status) in [
        (Request::get("/").key(&key), 200),
        (Request::get("/"), 401),
        (Request::get("/").host("nowhere.test"), 404),
        (Request::post("/", b"hello").key(&key), 200),
        (Request::new("HEAD", "/").key(&key), 200),
        (Request::get("/status/204").key(&key), 204),
        (Request::get("/").key(&key), 200),
    ] {
        assert_eq!(connection.send(&request).expect("kept").status, status);
    }
}

#[test]
fn upstream_connections_are_reused() {
    let upstream = Upstream::answering("ok");
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    for _ in 0..100 {
        assert_eq!(connection.send(&Request::get("/")).expect("kept").status, 200);
    }
    assert_eq!(upstream.connections(), 1);
}

#[test]
fn a_client_that_asks_to_close_gets_its_close() {
    let upstream = Upstream::answering("ok");
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let response = connection
        .send(&Request::get("/").header("Connection", "close"))
        .expect("an answer");
    assert_eq!(response.status, 200);
    assert!(response.connection_is("close"));
    assert!(connection.is_closed());
}
