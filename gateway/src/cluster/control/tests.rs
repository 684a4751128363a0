use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use latchkey_core::object::ObjectName;
use latchkey_index::Index;
use latchkey_routing::router::{Router, RouterConfig};
use latchkey_runtime::readiness::Readiness;
use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::{
    cluster::{kinds::Scope, stats::WatchStats},
    object::Kind,
};

const DEADLINE: Duration = Duration::from_secs(20);

fn scope() -> Scope {
    Scope {
        namespaces: Vec::new(),
        pepper: ObjectName::new("system", "peppers"),
    }
}

fn writer(readiness: &Readiness) -> Writer {
    let router = Router::new(RouterConfig {
        gateway_class: "latchkey".to_owned(),
        deny_unprotected: false,
    });
    let stats = Arc::new(WatchStats::new(&scope().watched()));
    Writer::new(&scope(), stats, Index::new(1), router, readiness)
}

/// All first lists: empty but for a pepper.
fn lists() -> Vec<(usize, Event)> {
    let secret = json!({
        "metadata": {"namespace": "system", "name": "peppers"}, "data": {"1": STANDARD.encode([7; 32])},
    });
    let list = |(id, kind)| {
        let listed = (kind == Kind::Secret).then(|| Event::Listed(secret.clone()));
        let events = [Event::ListBegin]
            .into_iter()
            .chain(listed)
            .chain([Event::ListEnd]);
        events.map(move |event| (id, event)).collect::<Vec<_>>()
    };
    let watched = scope().watched().into_iter().map(|watched| watched.kind);
    watched.enumerate().flat_map(list).collect()
}

#[test]
fn routes_are_told_of_once_all_was_listed_and_the_end_of_events_is_the_end_of_the_thread() {
    let readiness = Readiness::default();
    let (sender, events) = mpsc::channel(64);
    let (told, hears) = channel();
    let (alive, ended) = channel::<()>();
    let on_commit = Box::new(move |_: &Router| {
        let _ = told.send(());
    });
    let thread = start(events, writer(&readiness), on_commit, alive).unwrap();
    let (held, sent): (Vec<_>, Vec<_>) = lists().into_iter().partition(|(id, _)| *id == 0);
    for event in sent {
        sender.blocking_send(event).unwrap();
    }
    let begun = Instant::now();
    while readiness.pending().len() > 1 {
        assert!(begun.elapsed() < DEADLINE, "{:?}", readiness.pending());
        thread::yield_now();
    }
    assert!(hears.try_recv().is_err(), "one list is not complete");
    for event in held {
        sender.blocking_send(event).unwrap();
    }
    hears.recv_timeout(DEADLINE).unwrap();
    assert!(readiness.is_ready());
    drop(sender);
    assert_eq!(ended.recv_timeout(DEADLINE), Err(RecvTimeoutError::Disconnected));
    thread.join().unwrap();
}

#[test]
fn a_flood_goes_into_few_commits() {
    let (sender, events) = mpsc::channel(4 * BATCH);
    let (told, hears) = channel();
    let on_commit = Box::new(move |_: &Router| {
        let _ = told.send(());
    });
    let flood = (0..2 * BATCH).map(|n| {
        let metadata = json!({"namespace": "a", "name": format!("s{n}"), "uid": "u"});
        (0, Event::Applied(json!({ "metadata": metadata })))
    });
    for event in lists().into_iter().chain(flood) {
        sender.try_send(event).unwrap();
    }
    drop(sender);
    let thread = start(events, writer(&Readiness::default()), on_commit, ()).unwrap();
    thread.join().unwrap();
    assert_eq!(hears.iter().count(), 3, "as many as batches");
}
