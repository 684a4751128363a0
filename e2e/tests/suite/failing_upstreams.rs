//! Upstreams that are down, slow, or break off, and what the client is told.

use std::io::ErrorKind;

use latchkey_e2e::{
    address::{Address, CLOSED_PORT},
    client::Request,
    manifest::{endpoint_slice, service},
    scene::Scene,
    upstream::Upstream,
};

#[test]
fn an_upstream_that_is_down_is_a_502() {
    let nobody = Address::claim();
    let scene = Scene::open(nobody.port(CLOSED_PORT));
    let gateway = scene.gateway().start();
    let response = gateway.send(&Request::get("/"));
    assert_eq!(
        (response.status, response.reason().as_str()),
        (502, "upstream_failed")
    );
    gateway.says(&["connect_failed"]);
}

#[test]
fn a_service_without_endpoints_is_a_503() {
    let upstream = Upstream::answering("never");
    let scene = Scene::open(upstream.address());
    scene.folder.write("echo.yaml", &[service("echo")]);
    let gateway = scene.gateway().start();
    let response = gateway.send(&Request::get("/"));
    assert_eq!(
        (response.status, response.reason().as_str()),
        (503, "unavailable")
    );
    gateway.says(&["no_endpoint"]);
}

#[test]
fn a_service_that_is_not_there_is_a_500() {
    let upstream = Upstream::answering("never");
    let scene = Scene::open(upstream.address());
    scene.folder.delete("echo.yaml");
    let gateway = scene.gateway().start();
    let response = gateway.send(&Request::get("/"));
    assert_eq!(
        (response.status, response.reason().as_str()),
        (500, "misconfigured")
    );
}

#[test]
fn an_endpoint_that_is_down_costs_no_request_while_another_is_up() {
    let upstream = Upstream::answering("up");
    let nobody = Address::claim();
    let scene = Scene::open(upstream.address());
    scene.folder.write(
        "down.yaml",
        &[endpoint_slice("down", "echo", nobody.port(CLOSED_PORT))],
    );
    let gateway = scene.gateway().start();
    for _ in 0..50 {
        assert_eq!(gateway.send(&Request::get("/")).text(), "up");
    }
}

#[test]
fn an_upstream_that_does_not_answer_is_a_504() {
    let upstream = Upstream::start(|peer| {
        peer.request()?;
        peer.wait_closed();
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().args(&["--response-timeout", "300ms"]).start();
    let response = gateway.send(&Request::get("/"));
    assert_eq!(
        (response.status, response.reason().as_str()),
        (504, "upstream_timeout")
    );
    gateway.says(&["response_timeout"]);
}

#[test]
fn an_answer_that_is_no_http_is_a_502() {
    for answer in [
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "SSH-2.0-OpenSSH_9.9\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    ] {
        let upstream = Upstream::start(move |peer| {
            peer.request()?;
            peer.write(answer.as_bytes())
        });
        let scene = Scene::open(upstream.address());
        let gateway = scene.gateway().start();
        let response = gateway.send(&Request::get("/"));
        assert_eq!(response.status, 502, "{answer:?}");
        assert_eq!(response.reason(), "upstream_failed", "{answer:?}");
    }
}

#[test]
fn an_answer_that_breaks_off_is_never_made_to_look_whole() {
    for head in ["Content-Length: 100", "Transfer-Encoding: chunked"] {
        for with_reset in [false, true] {
            let upstream = Upstream::start(move |peer| {
                peer.request()?;
                peer.write(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n5\r\nhello\r\n").as_bytes())?;
                if with_reset {
                    peer.reset();
                }
                Ok(())
            });
            let scene = Scene::open(upstream.address());
            let gateway = scene.gateway().start();
            let end = gateway.connect().send(&Request::get("/"));
            match end {
                // A reset may overtake the head: then there was no answer to break off.
                Ok(response) => assert!(
                    with_reset && response.status == 502,
                    "{head}: looks whole: {response:?}"
                ),
                Err(e) => assert!(
                    [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset].contains(&e.kind()),
                    "{head}: {e}"
                ),
            }
        }
    }
}

#[test]
fn an_upstream_that_recovers_is_used_again() {
    let upstream = Upstream::start(|peer| {
        while let Some(head) = peer.request()? {
            if head.request_line().contains("/break") {
                peer.reset();
                return Ok(());
            }
            peer.answer("well")?;
        }
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    for _ in 0..5 {
        assert_eq!(gateway.send(&Request::post("/break", b"x")).status, 502);
        assert_eq!(gateway.send(&Request::get("/")).text(), "well");
    }
}
