//! Clients that go away in the middle.

use std::{
    net::Shutdown,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use latchkey_e2e::{
    client::{Connection, Request},
    gateway::Gateway,
    scene::Scene,
    upstream::Upstream,
    wait::eventually,
};

/// How many clients go away at each point.
const CLIENTS: usize = 20;

/// Waits until nothing is in flight and this many requests are counted as left by their client.
fn all_counted(gateway: &Gateway<'_>, gone: usize) {
    eventually("every request is counted once and none is in flight", || {
        let metrics = gateway.metrics();
        let in_flight = metrics.sum("latchkey_requests_in_flight", &[("route", "default/app")]);
        let counted = metrics.sum("latchkey_requests_total", &[("reason", "client_gone")]);
        match (in_flight, counted) {
            (Some(0.0), Some(counted)) if counted >= gone as f64 => {
                assert!(
                    counted <= gone as f64,
                    "counted more than once: {counted} of {gone}"
                );
                Ok(())
            }
            seen => Err(format!("in flight, counted: {seen:?}")),
        }
    });
}

#[test]
fn while_the_upstream_thinks() {
    let upstream = Upstream::start(|peer| {
        peer.request()?;
        peer.wait_closed();
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "50ms"])
        .start();
    let mut connections: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let mut connection = gateway.connect();
            connection.send_bytes(&Request::get("/").bytes()).expect("sent");
            connection
        })
        .collect();
    eventually("the upstream has all requests", || {
        match upstream.requests().len() {
            CLIENTS => Ok(()),
            seen => Err(seen.to_string()),
        }
    });
    for connection in connections.drain(..CLIENTS / 2) {
        connection.reset();
    }
    drop(connections);
    all_counted(&gateway, CLIENTS);
}

#[test]
fn in_the_middle_of_an_answer() {
    let hold = Arc::new((Mutex::new(true), Condvar::new()));
    let held = Arc::clone(&hold);
    let upstream = Upstream::start(move |peer| {
        peer.request()?;
        peer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")?;
        let (lock, wake) = &*held;
        let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
        let _held = wake.wait_timeout_while(guard, Duration::from_secs(30), |held| *held);
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "50ms"])
        .start();
    for _ in 0..CLIENTS {
        let mut connection = gateway.connect();
        connection.send_bytes(&Request::get("/").bytes()).expect("sent");
        assert_eq!(connection.head().expect("a head").status, 200);
        connection.reset();
    }
    all_counted(&gateway, CLIENTS);
    *hold.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
    hold.1.notify_all();
}

#[test]
fn in_the_middle_of_a_request() {
    let upstream = Upstream::start(|peer| {
        if let Some(head) = peer.request()? {
            peer.skip_body(&head)?;
            peer.answer("whole")?;
        }
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "50ms"])
        .start();
    let head = "POST / HTTP/1.1\r\nHost: app.test\r\n";
    for number in 0..CLIENTS {
        let mut connection = gateway.connect();
        let framing = [
            "Content-Length: 100\r\n\r\nhalf",
            "Transfer-Encoding: chunked\r\n\r\n64\r\nhalf",
        ];
        let half = format!("{head}{}", framing[number % 2]);
        connection.send_bytes(half.as_bytes()).expect("sent");
        // With a RST, or with a FIN.
        if number % 3 == 0 {
            connection.reset();
        }
    }
    all_counted(&gateway, CLIENTS);
}

#[test]
fn a_client_that_shuts_its_sending_side_still_gets_its_answer() {
    let upstream = Upstream::answering("patience");
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let mut connection = Connection::open(gateway.proxy()).expect("accepted");
    connection.send_bytes(&Request::get("/").bytes()).expect("sent");
    connection.socket().shutdown(Shutdown::Write).expect("shut");
    // Either is allowed to a server that cannot tell it from a client that left; silence is not.
    match connection.response_to("GET") {
        Ok(response) => assert_eq!(response.text(), "patience"),
        Err(e) => assert_eq!(e.kind(), std::io::ErrorKind::UnexpectedEof, "{e}"),
    }
}
