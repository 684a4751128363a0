//! The admin server: probes, metrics, and a look at the index that shows no key.

use latchkey_e2e::{
    client::{Request, send},
    keys,
    scene::Scene,
    wait::eventually,
};

#[test]
fn it_answers_get_and_head_of_its_paths_and_nothing_else() {
    let scene = Scene::empty();
    let gateway = scene.gateway().start();
    let ask =
        |method: &str, path: &str| send(gateway.admin(), &Request::new(method, path)).expect("an answer");
    for path in ["/livez", "/readyz", "/metrics", "/debug/index"] {
        assert_eq!(ask("GET", path).status, 200, "{path}");
        let head = ask("HEAD", path);
        assert_eq!(head.status, 200, "{path}");
        for method in ["POST", "PUT", "DELETE"] {
            let response = ask(method, path);
            assert_eq!(response.status, 405, "{method} {path}");
            assert!(
                response
                    .header("Allow")
                    .is_some_and(|allow| allow.contains("GET"))
            );
        }
    }
    assert_eq!(ask("GET", "/nothing").status, 404);
}

#[test]
fn requests_are_counted_by_route_code_and_reason() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "50ms"])
        .start();
    for request in [
        Request::get("/").key(&key),
        Request::get("/").key(&key),
        Request::get("/"),
        Request::get("/").key(&keys::key("wrong")),
        Request::get("/").host("nowhere.test"),
    ] {
        gateway.send(&request);
    }
    let expected = [
        (("default/app", "200", "served"), 2.0),
        (("default/app", "401", "no_credential"), 1.0),
        (("default/app", "401", "unknown_key"), 1.0),
    ];
    eventually("the counters show the requests", || {
        let metrics = gateway.metrics();
        for ((route, code, reason), count) in expected {
            let labels = [("route", route), ("code", code), ("reason", reason)];
            let seen = metrics.sum("latchkey_requests_total", &labels);
            if seen != Some(count) {
                return Err(format!("{labels:?}: {seen:?}"));
            }
        }
        let unmatched = metrics.sum(
            "latchkey_requests_total",
            &[("code", "404"), ("reason", "no_route")],
        );
        if unmatched != Some(1.0) {
            return Err(format!("404: {unmatched:?}"));
        }
        Ok(())
    });
}

#[test]
fn strangers_choose_no_labels() {
    let (scene, _echo) = Scene::with_echo();
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "50ms"])
        .start();
    for n in 0..50 {
        let request = Request::new(&format!("X{n:06}"), &format!("/stranger-{n}?stranger={n}"))
            .host(&format!("stranger-{n}.test"))
            .key(&keys::key("stranger"))
            .header("User-Agent", &format!("stranger-{n}"));
        gateway.send(&request);
    }
    eventually("the requests are counted", || {
        match gateway
            .metrics()
            .sum("latchkey_requests_total", &[("code", "404")])
        {
            Some(50.0) => Ok(()),
            seen => Err(format!("{seen:?}")),
        }
    });
    let text = gateway.ask_admin("/metrics").text();
    assert!(!text.contains("stranger") && !text.contains("X0000"), "{text}");
    assert_eq!(keys::leak(text.as_bytes()), None);
}

#[test]
fn the_index_shows_counts_and_no_key() {
    let (scene, _echo) = Scene::with_echo();
    for name in ["alice", "bob"] {
        scene.consumer(name);
        scene.consumer_with_secret(&format!("{name}-secret"));
    }
    let gateway = scene.gateway().start();
    let response = gateway.ask_admin("/debug/index");
    assert_eq!(keys::leak(&response.body), None);
    let index = &response.json()["index"];
    assert_eq!(index["consumers"], 4, "{}", response.text());
    assert_eq!(index["entries"], 4, "{}", response.text());
}

#[test]
fn a_deleted_credentials_entry_is_gone_from_the_index() {
    let (scene, _echo) = Scene::with_echo();
    scene.consumer("alice");
    let gateway = scene.gateway().start();
    let entries = || gateway.ask_admin("/debug/index").json()["index"]["entries"].clone();
    assert_eq!(entries(), 1);
    scene.folder.delete("credential-alice.yaml");
    eventually("the entry is gone", || match entries() {
        gone if gone == 0 => Ok(()),
        seen => Err(seen.to_string()),
    });
}
