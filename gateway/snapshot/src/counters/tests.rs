//! What is counted, by whom, and what is forgotten.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use latchkey_core::{
    object::{ObjectName, RouteLabel},
    reason::Reason,
};

use super::{LATENCY_BOUNDS_MICROS, Registry, RequestCount, RouteTotals};

fn label(id: u64, name: &str) -> Arc<RouteLabel> {
    Arc::new(RouteLabel::new(id, ObjectName::new("ns", name)))
}

fn rendered(registry: &Registry) -> Vec<(Option<String>, RouteTotals)> {
    let mut all = Vec::new();
    registry.for_each(|name, totals| all.push((name.map(ToString::to_string), totals.clone())));
    all
}

fn only_route(registry: &Registry) -> RouteTotals {
    let all = rendered(registry);
    assert_eq!(all.len(), 2, "unmatched requests and one route");
    all[1].1.clone()
}

#[test]
fn workers_are_summed_by_route_and_routes_come_by_name() {
    let registry = Registry::default();
    let (b, a) = (label(1, "b"), label(2, "a"));
    let workers = [registry.worker(), registry.worker()];
    for worker in &workers {
        let counters = worker.route(Some(&b));
        counters.start();
        counters.finish(200, Reason::Served, 900);
        worker.route(Some(&a)).start();
        worker.route(None).start();
        worker.route(None).finish(404, Reason::NoRoute, 10);
    }
    let all = rendered(&registry);
    let names: Vec<_> = all.iter().map(|(name, _)| name.as_deref()).collect();
    assert_eq!(names, [None, Some("ns/a"), Some("ns/b")]);
    assert_eq!(
        all[0].1.requests,
        [RequestCount {
            code: 404,
            reason: Reason::NoRoute,
            count: 2
        }]
    );
    assert_eq!((all[1].1.in_flight, all[1].1.count()), (2, 0));
    assert_eq!((all[2].1.in_flight, all[2].1.count()), (0, 2));
    assert_eq!(all[2].1.sum_micros, 1_800);
}

#[test]
fn a_duration_on_a_bound_is_within_it() {
    let registry = Registry::default();
    let route = label(1, "r");
    let counters = registry.worker().route(Some(&route));
    for bound in LATENCY_BOUNDS_MICROS {
        counters.finish(200, Reason::Served, bound);
    }
    counters.finish(200, Reason::Served, LATENCY_BOUNDS_MICROS[0] + 1);
    counters.finish(200, Reason::Served, u64::MAX / 2);
    let totals = only_route(&registry);
    assert_eq!(totals.buckets, [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(totals.count(), 15);
}

#[test]
fn codes_beyond_the_cells_are_counted_as_other() {
    let registry = Registry::default();
    let route = label(1, "r");
    let counters = registry.worker().route(Some(&route));
    for code in 100..1000 {
        counters.finish(code, Reason::Served, 1);
    }
    counters.finish(100, Reason::Served, 1);
    let totals = only_route(&registry);
    assert_eq!(totals.requests.len(), 16);
    assert_eq!(totals.requests[0].count, 2, "a known pair keeps its cell");
    assert_eq!(totals.other, 900 - 16);
    assert_eq!(totals.count(), 901);
}

#[test]
fn every_code_and_reason_is_given_back_as_it_was() {
    let registry = Registry::default();
    let route = label(1, "r");
    for (code, reason) in Reason::ALL.iter().enumerate() {
        let code = u16::try_from(code).unwrap() * 97;
        // A worker each: one table would overflow.
        registry.worker().route(Some(&route)).finish(code, *reason, 1);
    }
    let totals = only_route(&registry);
    for (at, (held, reason)) in totals.requests.iter().zip(Reason::ALL).enumerate() {
        assert_eq!(
            (usize::from(held.code), held.reason, held.count),
            (at * 97, *reason, 1)
        );
    }
    assert_eq!(totals.requests.len(), Reason::ALL.len());
}

#[test]
fn a_route_that_is_gone_is_not_rendered_and_a_new_one_of_its_name_begins_at_nothing() {
    let registry = Registry::default();
    let worker = registry.worker();
    let old = label(1, "r");
    worker.route(Some(&old)).finish(200, Reason::Served, 1);
    let new = label(2, "r");
    worker.route(Some(&new)).finish(401, Reason::UnknownKey, 1);
    let totals = only_route(&registry);
    assert_eq!(
        totals.count(),
        1,
        "requests still hold the old one: it is not shown"
    );
    assert_eq!(totals.requests[0].code, 401);
    drop((old, new));
    assert_eq!(rendered(&registry).len(), 1);
}

#[test]
fn a_workers_table_is_bounded_by_the_routes_that_exist() {
    let registry = Registry::default();
    let worker = registry.worker();
    let mut live = std::collections::VecDeque::new();
    for id in 0..5_000 {
        live.push_back(label(id, "r"));
        if live.len() > 10 {
            live.pop_front();
        }
        worker.route(live.back());
        assert!(worker.table.borrow().routes.len() <= 2 * live.len() + 2);
    }
    for route in &live {
        let before = worker.table.borrow().routes.len();
        worker.route(Some(route));
        assert_eq!(
            worker.table.borrow().routes.len(),
            before,
            "a route that lives is kept"
        );
    }
}

#[test]
fn a_renderer_beside_a_worker_sees_no_negative_gauge_and_loses_no_route() {
    let registry = Registry::default();
    let done = AtomicBool::new(false);
    let routes: Vec<_> = (0..300).map(|id| label(id, &format!("r{id:03}"))).collect();
    thread::scope(|scope| {
        let worker = registry.worker();
        let (done, routes) = (&done, &routes);
        scope.spawn(move || {
            for route in routes {
                for _ in 0..50 {
                    let counters = worker.route(Some(route));
                    counters.start();
                    counters.finish(200, Reason::Served, 1);
                }
            }
            done.store(true, Relaxed);
        });
        let mut seen = 0;
        loop {
            let last = done.load(Relaxed);
            let all = rendered(&registry);
            assert!(all.iter().all(|(_, totals)| totals.in_flight <= 1));
            assert!(all.len() >= seen);
            seen = all.len();
            if last {
                break;
            }
        }
        assert_eq!(seen, 301);
    });
    assert!(rendered(&registry)[1..].iter().all(|(_, t)| t.count() == 50));
}
