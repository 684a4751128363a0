//! The relay: what tests of failures take for granted.

use std::{
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use http_body_util::BodyExt;
use latchkey_e2e::{
    cluster::{
        Cluster, Installation, Relay,
        api::Api,
        relay::{Action, When},
    },
    manifest::consumer,
    wait::{PATIENCE, eventually},
};

/// An operator's account behind a relay.
fn behind_a_relay() -> (Installation<'static>, Relay, Api) {
    let installation = Installation::in_a_namespace(Cluster::shared());
    let relay = Relay::start(installation.cluster());
    let kubeconfig = installation.kubeconfig("latchkey-operator", Some(&relay));
    let api = Api::new(&kubeconfig).expect("a kubeconfig of ours");
    (installation, relay, api)
}

fn consumers(installation: &Installation<'_>) -> String {
    format!(
        "/apis/latchkey.dev/v1alpha1/namespaces/{}/consumers",
        installation.namespace().name()
    )
}

/// The pieces of a watch as they come; closed when it ends.
fn watch(api: &Api, path: &str) -> Receiver<String> {
    let (pieces, received) = mpsc::channel();
    let client = api.client().clone();
    let initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    // A new CRD's first list is answered 429 for a while.
    api.get(path).must();
    let path = format!("{path}?watch=true&{initial}");
    let request = http::Request::get(path)
        .body(kube::client::Body::empty())
        .expect("a request");
    let handle = Api::runtime();
    thread::spawn(move || {
        handle.block_on(async {
            let Ok(response) = client.send(request).await else {
                return;
            };
            let mut body = response.into_body();
            while let Some(Ok(piece)) = body.frame().await {
                let bytes = piece.into_data().unwrap_or_default();
                let _ = pieces.send(String::from_utf8_lossy(&bytes).into_owned());
            }
        });
    });
    received
}

/// Waits for a piece that holds a text.
fn comes(pieces: &Receiver<String>, text: &str) {
    while let Ok(piece) = pieces.recv_timeout(PATIENCE) {
        if piece.contains(text) {
            return;
        }
    }
    panic!("no {text} came");
}

#[test]
fn it_passes_requests_on_and_remembers_them() {
    let (installation, relay, api) = behind_a_relay();
    let path = consumers(&installation);
    assert_eq!(api.get(&format!("{path}?limit=1")).status, 200);
    assert_eq!(api.get("/api/v1/namespaces/default/pods").status, 403);
    let seen = relay.requests(&When::list("consumers"));
    assert_eq!(seen.len(), 1);
    assert_eq!(
        (seen[0].path.as_str(), seen[0].query.as_str()),
        (&*path, "limit=1")
    );
    assert_eq!(seen[0].status, Some(200));
    assert_eq!(relay.requests(&When::list("pods"))[0].status, Some(403));
    assert_eq!(relay.count(&When::write()), 0);
}

#[test]
fn it_answers_by_itself_as_often_as_told() {
    let (installation, relay, api) = behind_a_relay();
    let path = consumers(&installation);
    let rule = relay.add_times(
        2,
        When::list("consumers"),
        Action::status(503, "ServiceUnavailable"),
    );
    let statuses: Vec<_> = (0..3).map(|_| api.get(&path).status).collect();
    assert_eq!(statuses, [503, 503, 200]);
    assert_eq!(relay.lift(rule), 2);
}

#[test]
fn it_cuts_and_is_there_again_when_the_rule_is_lifted() {
    let (installation, relay, api) = behind_a_relay();
    let path = consumers(&installation);
    let rule = relay.add(When::any(), Action::Cut);
    api.try_request("GET", &path, None).expect_err("it is cut");
    assert!(relay.lift(rule) > 0);
    assert_eq!(api.get(&path).status, 200);
}

#[test]
fn it_keeps_an_answer_until_the_rule_is_lifted_and_the_answer_is_the_old_one() {
    let (installation, relay, api) = behind_a_relay();
    let path = format!("{}/alice", consumers(&installation));
    let namespace = installation.namespace();
    namespace.put(&[consumer("alice").set("spec.customID", "old")]);
    let rule = relay.add(When::get("consumers", "alice"), Action::Hold);
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || sender.send(api.get(&path)));
    // The API server has answered; nobody got it.
    eventually("the answer is there", || {
        let seen = relay.requests(&When::get("consumers", "alice"));
        seen.first().and_then(|seen| seen.status).ok_or("none".to_owned())
    });
    namespace.put(&[consumer("alice").set("spec.customID", "new")]);
    assert!(answer.try_recv().is_err(), "it was not kept");
    relay.lift(rule);
    let late = answer.recv_timeout(PATIENCE).expect("it comes now").must();
    assert_eq!(late["spec"]["customID"], "old");
}

#[test]
fn a_running_watch_passes_at_once_falls_silent_and_goes_on() {
    let (installation, relay, api) = behind_a_relay();
    let path = consumers(&installation);
    let namespace = installation.namespace();
    let pieces = watch(&api, &path);
    comes(&pieces, "BOOKMARK");
    namespace.put(&[consumer("alice")]);
    comes(&pieces, "alice");

    let rule = relay.add(When::watch("consumers"), Action::Stall);
    eventually("the watch is caught", || {
        (relay.caught(rule) == 1)
            .then_some(())
            .ok_or("not yet".to_owned())
    });
    namespace.put(&[consumer("bob")]);
    let silence = Duration::from_millis(200);
    assert!(pieces.recv_timeout(silence).is_err(), "it is not silent");
    relay.lift(rule);
    comes(&pieces, "bob");

    relay.add(When::watch("consumers"), Action::Cut);
    eventually("the watch is cut", || match pieces.try_recv() {
        Err(mpsc::TryRecvError::Disconnected) => Ok(()),
        other => Err(format!("{other:?}")),
    });
}

#[test]
fn a_delay_delays_and_nothing_else() {
    let (installation, relay, api) = behind_a_relay();
    let delay = Duration::from_millis(300);
    relay.add(When::list("consumers"), Action::Delay(delay));
    let start = std::time::Instant::now();
    assert_eq!(api.get(&consumers(&installation)).status, 200);
    assert!(start.elapsed() >= delay);
}
