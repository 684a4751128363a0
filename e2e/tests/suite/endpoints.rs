//! Endpoints that come and go while requests run.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use latchkey_e2e::{
    client::{Connection, Request},
    echo::{Echo, Seen},
    logs::Logs,
    manifest::endpoint_slice,
    scene::Scene,
};
use serde_json::json;

/// How often the second endpoint comes and goes.
const CHANGES: usize = 20;

#[test]
fn an_endpoint_that_comes_and_goes_under_load_costs_no_request() {
    let logs = Logs::of_this_test();
    let (first, second) = (Echo::start("first", &logs), Echo::start("second", &logs));
    let scene = Scene::open(first.address());
    let gateway = scene.gateway().start();
    let proxy = gateway.proxy();
    let done = AtomicBool::new(false);

    let (served, names) = thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut connection = Connection::open(proxy).expect("the gateway accepts");
                    let (mut served, mut names) = (0, HashSet::new());
                    while !done.load(Ordering::Relaxed) {
                        let response = connection.send(&Request::get("/")).expect("no request is lost");
                        names.insert(Seen::of(&response).upstream().to_owned());
                        served += 1;
                    }
                    (served, names)
                })
            })
            .collect();
        for _ in 0..CHANGES {
            scene.folder.write(
                "second.yaml",
                &[endpoint_slice("second", "echo", second.address())],
            );
            gateway.barrier();
            scene.folder.delete("second.yaml");
            gateway.barrier();
        }
        done.store(true, Ordering::Relaxed);
        clients
            .into_iter()
            .map(|client| client.join().expect("a client saw a failure"))
            .fold((0, HashSet::new()), |(served, mut names), (more, seen)| {
                names.extend(seen);
                (served + more, names)
            })
    });
    assert!(served >= CHANGES, "only {served} requests ran meanwhile");
    assert_eq!(names.len(), 2, "the second endpoint was never used: {names:?}");
}

#[test]
fn an_endpoint_that_is_gone_or_unready_gets_no_further_request() {
    let logs = Logs::of_this_test();
    let (first, second) = (Echo::start("first", &logs), Echo::start("second", &logs));
    let scene = Scene::open(first.address());
    let slice = endpoint_slice("second", "echo", second.address());
    let gateway = scene.gateway().start();
    let names = || -> HashSet<String> {
        (0..40)
            .map(|_| Seen::of(&gateway.send(&Request::get("/"))).upstream().to_owned())
            .collect()
    };
    for gone in [true, false] {
        scene.folder.write("second.yaml", std::slice::from_ref(&slice));
        gateway.barrier();
        assert_eq!(names().len(), 2);
        if gone {
            scene.folder.delete("second.yaml");
        } else {
            let unready = slice
                .clone()
                .set("endpoints.0.conditions", json!({"ready": false}));
            scene.folder.write("second.yaml", &[unready]);
        }
        gateway.barrier();
        assert_eq!(names(), HashSet::from(["first".to_owned()]));
    }
}
