//! The whole text as Prometheus reads it: every family the gateway has, and hostile names in it.

#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is the failure")]

mod parser;

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use latchkey_core::{
    object::{ObjectName, RouteLabel},
    reason::Reason,
};
use latchkey_metrics::{
    Source,
    cache::{Cache, NoText},
    encode::{Kind, Text},
    families,
    requests::Requests,
    sizes::{self, CheckCounts, ConnectionCounts, FolderSizes, RoutingSizes},
    upstreams::{UpstreamCounts, upstreams},
    watches::{KindWatches, Watches, watches},
    worker,
};
use latchkey_snapshot::{SnapshotCell, counters::Registry};
use parser::Exposition;

/// Names that would spoil a text which did not escape them.
const HOSTILE: [&str; 9] = [
    "\"",
    "\\",
    "\n",
    "}",
    ",",
    "\u{1F511}",
    "\\n",
    "a\"} 1\nb{c=\"",
    "\\\"",
];

fn route(id: u64, namespace: &str, name: &str) -> Arc<RouteLabel> {
    Arc::new(RouteLabel::new(id, ObjectName::new(namespace, name)))
}

fn rendered(mut source: impl Source) -> Exposition {
    let mut text = Text::default();
    source.render(&mut text);
    parser::parse(std::str::from_utf8(&text.finish()).unwrap())
}

/// The first text that a worker renders from these sources.
fn worked(sources: Vec<Box<dyn Source>>) -> String {
    let (announce, announced) = std::sync::mpsc::channel();
    let cache: Cache = worker::start(sources, Duration::from_secs(3600), move || {
        announce.send(()).unwrap();
    })
    .unwrap();
    announced.recv_timeout(Duration::from_secs(20)).unwrap();
    let text: Result<_, NoText> = cache.text();
    String::from_utf8(text.unwrap().to_vec()).unwrap()
}

/// Those of a kind whose CRD is gone.
fn some_watches() -> Watches {
    Watches {
        contact_age: Some(Duration::from_millis(2500)),
        clock_skew: Some(-7.5),
        kinds: vec![KindWatches {
            kind: "Consumer",
            lists: 2,
            restarts: vec![("gone", 1), ("timeout", 7)],
            missing: true,
            undecodable: 4,
            deletions_ignored: 5,
            ..KindWatches::default()
        }],
        deletions_held: 6,
        openings_held: 7,
        corrections: 8,
        ..Watches::default()
    }
}

#[test]
fn watches_are_told_by_kind_and_cause() {
    let read = rendered(watches(some_watches));
    let of = |family: &str| read.value(family, &[("kind", "Consumer")]);
    assert_eq!(read.value("latchkey_contact_age_seconds", &[]), Some(2.5));
    assert_eq!(read.value("latchkey_clock_skew_seconds", &[]), Some(-7.5));
    assert_eq!(of("latchkey_watch_lists_total"), Some(2.0));
    assert_eq!(of("latchkey_watch_working"), Some(0.0));
    assert_eq!(of("latchkey_watch_missing"), Some(1.0));
    assert_eq!(of("latchkey_undecodable_objects"), Some(4.0));
    assert_eq!(of("latchkey_watch_deletions_ignored_total"), Some(5.0));
    assert_eq!(read.value("latchkey_watch_deletions_held", &[]), Some(6.0));
    assert_eq!(read.value("latchkey_watch_openings_held", &[]), Some(7.0));
    let corrections = read.value("latchkey_watch_list_corrections_total", &[]);
    assert_eq!(corrections, Some(8.0));
    let timeouts = [("kind", "Consumer"), ("cause", "timeout")];
    assert_eq!(read.value("latchkey_watch_restarts_total", &timeouts), Some(7.0));
    let never = rendered(watches(Watches::default));
    assert_eq!(
        never.value("latchkey_contact_age_seconds", &[]),
        None,
        "before the first contact"
    );
}

#[test]
fn every_family_stands_once_with_its_own_labels() {
    let registry = Registry::default();
    let worker = registry.worker();
    let route = route(1, "shop", "cart");
    for counters in [worker.route(None), worker.route(Some(&route))] {
        counters.start();
        counters.finish(200, Reason::Served, 1);
    }
    let text = worked(vec![
        Box::new(Requests::new(registry)),
        Box::new(sizes::index(SnapshotCell::default())),
        Box::new(sizes::checks(CheckCounts::default)),
        Box::new(sizes::routing(RoutingSizes::default)),
        Box::new(sizes::folder(FolderSizes::default)),
        Box::new(watches(some_watches)),
        Box::new(sizes::connections(|| ConnectionCounts {
            timed_out: vec![("keep_alive", 5)],
            ..ConnectionCounts::default()
        })),
        Box::new(upstreams(UpstreamCounts::default)),
        Box::new(sizes::logs(|| 3, || 4)),
        Box::new(sizes::process("1.2.3", UNIX_EPOCH + Duration::from_millis(1500))),
    ]);
    let read = parser::parse(&text);
    let names: BTreeSet<&str> = read.families.keys().map(String::as_str).collect();
    let wanted: BTreeSet<&str> = families::ALL.iter().map(|family| family.name).collect();
    assert_eq!(names, wanted);
    for family in families::ALL {
        let held = &read.families[family.name];
        assert_eq!(held.help, family.help);
        assert!(!held.samples.is_empty(), "{}", family.name);
        for sample in &held.samples {
            let mut labels: Vec<&str> = sample.labels.keys().map(String::as_str).collect();
            labels.retain(|label| family.kind != Kind::Histogram || *label != "le");
            let mut wanted = family.labels.to_vec();
            wanted.sort_unstable();
            assert_eq!(labels, wanted, "{}", family.name);
        }
    }
    assert_eq!(
        read.value("latchkey_build_info", &[("version", "1.2.3")]),
        Some(1.0)
    );
    assert_eq!(read.value("process_start_time_seconds", &[]), Some(1.5));
    assert_eq!(read.value("latchkey_access_log_dropped_total", &[]), Some(3.0));
}

#[test]
fn names_follow_the_conventions_of_prometheus() {
    for family in families::ALL {
        let ours = family.name.starts_with("latchkey_") || family.name == "process_start_time_seconds";
        assert!(ours, "{}", family.name);
        assert_eq!(
            family.name.ends_with("_total"),
            family.kind == Kind::Counter,
            "{}",
            family.name
        );
        assert!(
            family.help.ends_with('.') || family.help.contains("time()"),
            "{}: {}",
            family.name,
            family.help
        );
    }
}

#[test]
fn hostile_names_come_back_as_they_were() {
    let registry = Registry::default();
    let worker = registry.worker();
    let routes: Vec<_> = HOSTILE
        .iter()
        .zip(1..)
        .map(|(name, id)| route(id, name, name))
        .collect();
    for route in &routes {
        worker.route(Some(route)).start();
    }
    let read = rendered(Requests::new(registry));
    for name in HOSTILE {
        let route = format!("{name}/{name}");
        let labels = [("route", route.as_str())];
        assert_eq!(
            read.value("latchkey_requests_in_flight", &labels),
            Some(1.0),
            "{name:?}"
        );
        assert_eq!(
            read.value("latchkey_request_duration_seconds_count", &labels),
            Some(0.0),
            "{name:?}"
        );
    }
}

#[test]
fn requests_are_summed_over_workers_by_route_code_and_reason() {
    let registry = Registry::default();
    let cart = route(1, "shop", "cart");
    for worker in [registry.worker(), registry.worker()] {
        let counters = worker.route(Some(&cart));
        for (code, reason, micros) in [
            (200, Reason::Served, 700),
            (401, Reason::UnknownKey, 30_000),
            (0, Reason::ClientGone, 60_000_000),
        ] {
            counters.start();
            counters.finish(code, reason, micros);
        }
        counters.start();
        worker.route(None).start();
        worker.route(None).finish(404, Reason::NoRoute, 1);
    }
    let read = rendered(Requests::new(registry));
    let total = |route, code, reason| {
        read.value(
            "latchkey_requests_total",
            &[("route", route), ("code", code), ("reason", reason)],
        )
    };
    assert_eq!(total("shop/cart", "200", "served"), Some(2.0));
    assert_eq!(total("shop/cart", "401", "unknown_key"), Some(2.0));
    assert_eq!(total("shop/cart", "none", "client_gone"), Some(2.0));
    assert_eq!(total("none", "404", "no_route"), Some(2.0));
    assert_eq!(
        read.value("latchkey_requests_in_flight", &[("route", "shop/cart")]),
        Some(2.0)
    );
    let bucket = |le| {
        read.value(
            "latchkey_request_duration_seconds_bucket",
            &[("route", "shop/cart"), ("le", le)],
        )
    };
    assert_eq!(
        (bucket("0.001"), bucket("0.025"), bucket("0.05")),
        (Some(2.0), Some(2.0), Some(4.0))
    );
    assert_eq!((bucket("10"), bucket("+Inf")), (Some(4.0), Some(6.0)));
    let sum = read
        .value("latchkey_request_duration_seconds_sum", &[("route", "shop/cart")])
        .unwrap();
    assert!((sum - 120.0614).abs() < 1e-9, "{sum}");
}

#[test]
fn codes_that_an_upstream_invents_do_not_become_series_without_end() {
    let registry = Registry::default();
    let worker = registry.worker();
    let cart = route(1, "shop", "cart");
    for code in 100..1000 {
        let counters = worker.route(Some(&cart));
        counters.start();
        counters.finish(code, Reason::Served, 1);
    }
    let read = rendered(Requests::new(registry));
    let samples = &read.families["latchkey_requests_total"].samples;
    assert!(samples.len() <= 32, "{}", samples.len());
    assert_eq!(samples.iter().map(|sample| sample.value).sum::<f64>(), 900.0);
    let other = [("route", "shop/cart"), ("code", "other"), ("reason", "other")];
    assert!(read.value("latchkey_requests_total", &other).unwrap() > 0.0);
}

#[test]
fn series_of_a_route_end_with_it() {
    let registry = Registry::default();
    let worker = registry.worker();
    let (stays, goes) = (route(1, "shop", "stays"), route(2, "shop", "goes"));
    for route in [&stays, &goes] {
        worker.route(Some(route)).start();
    }
    let mut source = Requests::new(registry);
    let mut text = Text::default();
    source.render(&mut text);
    assert!(String::from_utf8_lossy(&text.finish()).contains("shop/goes"));
    drop(goes);
    let read = rendered(source);
    assert_eq!(
        read.value("latchkey_requests_in_flight", &[("route", "shop/goes")]),
        None
    );
    assert_eq!(
        read.value("latchkey_requests_in_flight", &[("route", "shop/stays")]),
        Some(1.0)
    );
}
