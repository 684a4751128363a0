//! The order of going down.

use std::time::Duration;

use latchkey_e2e::{
    client::Request,
    gateway::accepts,
    scene::Scene,
    upstream::Upstream,
    wait::{eventually, pause},
};
use rustix::process::Signal;

/// An upstream that answers `/slow` only after a file is gone, and everything else at once.
fn slow_until_gone(scene_file: std::path::PathBuf) -> Upstream {
    Upstream::start(move |peer| {
        while let Some(head) = peer.request()? {
            while head.request_line().contains("/slow") && scene_file.exists() {
                pause(Duration::from_millis(5));
            }
            peer.answer("done")?;
        }
        Ok(())
    })
}

#[test]
fn a_signal_first_unreadies_then_refuses_and_lets_running_requests_finish() {
    let hold = tempfile::NamedTempFile::new().expect("a file to hold requests with");
    let upstream = slow_until_gone(hold.path().to_owned());
    let scene = Scene::open(upstream.address());
    let mut gateway = scene
        .gateway()
        .args(&["--drain-delay", "2s", "--drain-timeout", "60s"])
        .start();
    let mut kept = gateway.connect();
    assert!(
        !kept
            .send(&Request::get("/"))
            .expect("an answer")
            .connection_is("close")
    );
    let mut running = gateway.connect();
    running.send_bytes(&Request::get("/slow").bytes()).expect("sent");
    eventually("the slow request runs", || match upstream.requests().len() {
        2 => Ok(()),
        seen => Err(seen.to_string()),
    });

    gateway.process().signal(Signal::TERM);
    gateway.until_unready();
    assert_eq!(gateway.ask_admin("/livez").status, 200, "alive while it drains");
    let response = gateway.send(&Request::get("/"));
    assert_eq!(response.status, 200, "accepting goes on");
    assert!(response.connection_is("close"));
    assert!(
        kept.send(&Request::get("/"))
            .expect("kept")
            .connection_is("close")
    );
    assert!(kept.is_closed());

    eventually("new connections are refused", || {
        if accepts(gateway.proxy()) {
            Err("accepted".to_owned())
        } else {
            Ok(())
        }
    });
    assert_eq!(
        gateway.process_mut().ended(),
        None,
        "it waits for the running request"
    );
    drop(hold);
    let response = running.response_to("GET").expect("the running request finishes");
    assert_eq!((response.status, response.text().as_str()), (200, "done"));
    let status = gateway.process_mut().wait();
    assert_eq!(status.code(), Some(0), "{}", gateway.process().tail());
}

#[test]
fn a_second_signal_forces() {
    let hold = tempfile::NamedTempFile::new().expect("a file to hold requests with");
    let upstream = slow_until_gone(hold.path().to_owned());
    let scene = Scene::open(upstream.address());
    let mut gateway = scene
        .gateway()
        .args(&["--drain-delay", "600s", "--drain-timeout", "600s"])
        .start();
    let mut running = gateway.connect();
    running.send_bytes(&Request::get("/slow").bytes()).expect("sent");
    eventually("the slow request runs", || match upstream.requests().len() {
        1 => Ok(()),
        seen => Err(seen.to_string()),
    });
    gateway.process().signal(Signal::TERM);
    gateway.until_unready();
    gateway.process().signal(Signal::TERM);
    gateway.process_mut().wait();
    assert!(running.response_to("GET").is_err(), "the running request is cut");
}

#[test]
fn what_runs_longer_than_the_drain_timeout_is_cut() {
    let hold = tempfile::NamedTempFile::new().expect("a file to hold requests with");
    let upstream = slow_until_gone(hold.path().to_owned());
    let scene = Scene::open(upstream.address());
    let mut gateway = scene
        .gateway()
        .args(&["--drain-delay", "0s", "--drain-timeout", "200ms"])
        .start();
    let mut running = gateway.connect();
    running.send_bytes(&Request::get("/slow").bytes()).expect("sent");
    eventually("the slow request runs", || match upstream.requests().len() {
        1 => Ok(()),
        seen => Err(seen.to_string()),
    });
    gateway.process().signal(Signal::TERM);
    gateway.process_mut().wait();
    assert!(running.response_to("GET").is_err());
}

#[test]
fn an_idle_gateway_ends_at_once_without_a_delay() {
    let upstream = Upstream::answering("ok");
    let scene = Scene::open(upstream.address());
    for signal in [Signal::TERM, Signal::INT] {
        let mut gateway = scene
            .gateway()
            .args(&["--drain-delay", "0s", "--drain-timeout", "600s"])
            .start();
        // Idle connections do not hold it up.
        let mut kept = gateway.connect();
        assert_eq!(kept.send(&Request::get("/")).expect("an answer").status, 200);
        gateway.process().signal(signal);
        assert_eq!(gateway.process_mut().wait().code(), Some(0));
    }
}
