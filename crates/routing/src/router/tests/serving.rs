//! Attachment, matching and backends, through the whole router.

use serde_json::json;

use super::support::*;
use crate::object::Kind;

#[test]
fn a_route_of_a_hostname_serves_that_hostname() {
    let world = World::of(
        base()
            .into_iter()
            .chain([route("api", &["api.test"], &json!([rule("/v1")]))]),
    );
    assert_eq!(world.get("api.test", "/v1/users"), sent_by("api"));
    assert_eq!(world.get("api.test", "/v2"), "nothing");
    assert_eq!(world.get("www.test", "/v1"), "nothing");
    assert_eq!(world.ask(81, &Ask::new("api.test", "/v1")), "nothing");
    assert_eq!(world.router.tables().load().ports(), [80]);
    assert!(world.open.is_empty(), "{:?}", world.open);
}

#[test]
fn objects_may_come_in_any_order() {
    let mut objects: Vec<_> = base()
        .into_iter()
        .chain([
            route("api", &["api.test"], &json!([rule("/")])),
            policy("keys", &["HTTPRoute/api"]),
        ])
        .collect();
    for _ in 0..objects.len() {
        objects.rotate_left(1);
        let mut world = World::new();
        for object in objects.iter().rev() {
            world.apply([object.clone()]);
        }
        let expected = format!("keys > {}", sent_by("api"));
        assert_eq!(world.get("api.test", "/"), expected);
        assert!(world.open.is_empty(), "{:?}", world.open);
    }
}

#[test]
fn the_most_specific_listener_owns_its_hosts() {
    let listeners = json!([
        { "name": "all", "port": 80, "protocol": "HTTP" },
        { "name": "wild", "port": 80, "protocol": "HTTP", "hostname": "*.test" },
        { "name": "one", "port": 80, "protocol": "HTTP", "hostname": "one.test" },
    ]);
    let mut on_all = route("on-all", &[], &json!([rule("/")]));
    on_all["spec"]["parentRefs"][0]["sectionName"] = json!("all");
    let mut on_wild = route("on-wild", &[], &json!([rule("/wild")]));
    on_wild["spec"]["parentRefs"][0]["sectionName"] = json!("wild");
    let objects = base().into_iter().skip(1);
    let objects = objects.chain([gateway("gw", &listeners), on_all, on_wild]);
    let world = World::of(objects);
    assert_eq!(world.get("other", "/"), sent_by("on-all"));
    assert_eq!(world.get("a.b.test", "/wild"), sent_by("on-wild"));
    assert_eq!(world.get("a.b.test", "/"), "nothing", "no fall-through");
    assert_eq!(world.get("one.test", "/wild"), "nothing", "no fall-through");
}

#[test]
fn less_specific_hostnames_answer_where_no_rule_of_the_more_specific_matches() {
    let world = World::of(base().into_iter().chain([
        route("exact", &["a.b.test"], &json!([rule("/exact")])),
        route("narrow", &["*.b.test"], &json!([rule("/narrow")])),
        route(
            "wide",
            &["*.test"],
            &json!([rule("/wide"), rule("/exact/long/path")]),
        ),
        route("any", &[], &json!([rule("/")])),
    ]));
    assert_eq!(world.get("a.b.test", "/exact/long/path"), sent_by("exact"));
    assert_eq!(world.get("a.b.test", "/narrow"), sent_by("narrow"));
    assert_eq!(world.get("a.b.test", "/wide"), sent_by("wide"));
    assert_eq!(world.get("a.b.test", "/other"), sent_by("any"));
    assert_eq!(world.get("b.test", "/narrow"), sent_by("any"));
}

#[test]
fn precedence_merges_the_rules_of_several_routes() {
    let exact = json!({
        "matches": [{ "path": { "type": "Exact", "value": "/a/b" } }],
        "backendRefs": [{ "name": "svc", "port": 80 }],
    });
    let mut headers = rule("/a");
    headers["matches"][0]["headers"] = json!([{ "name": "X-Env", "value": "dev" }]);
    let mut method = rule("/a");
    method["matches"][0]["method"] = json!("GET");
    let world = World::of(base().into_iter().chain([
        created(
            route("prefix", &["t"], &json!([rule("/a")])),
            "2020-01-01T00:00:00Z",
        ),
        route("headers", &["t"], &json!([headers])),
        route("method", &["t"], &json!([method])),
        route("exact", &["t"], &json!([exact])),
    ]));
    assert_eq!(world.get("t", "/a/b"), sent_by("exact"));
    assert_eq!(world.get("t", "/a"), sent_by("method"));
    let mut post = Ask::new("t", "/a/c").header("x-env", "dev");
    assert_eq!(world.ask(80, &post), sent_by("method"));
    post.method = http::Method::POST;
    assert_eq!(world.ask(80, &post), sent_by("headers"));
    post.headers.clear();
    assert_eq!(world.ask(80, &post), sent_by("prefix"));
}

#[test]
fn namespaces_are_admitted_by_label() {
    let listeners = json!([{
        "name": "web", "port": 80, "protocol": "HTTP",
        "allowedRoutes": { "namespaces": {
            "from": "Selector", "selector": { "matchLabels": { "team": "a" } },
        } },
    }]);
    let api = route("tenant/api", &[], &json!([{}]));
    let mut world = World::of([gateway("gw", &listeners), api]);
    assert_eq!(world.get("t", "/"), "nothing");
    assert_eq!(
        world.reasons(Kind::HttpRoute, "tenant/api"),
        ["NotAllowedByListeners"]
    );
    world.apply([namespace("tenant", &json!({ "team": "a" }))]);
    assert_eq!(world.get("t", "/"), "api fails no_backend");
    assert!(world.open.is_empty());
    world.router.delete(
        Kind::Namespace,
        &latchkey_core::object::ObjectName::new("", "tenant"),
    );
    world.commit();
    assert_eq!(world.get("t", "/"), "nothing");
}

#[test]
fn the_older_gateway_has_the_port() {
    let listeners = json!([{ "name": "web", "port": 80, "protocol": "HTTP" }]);
    let old = created(gateway("old", &listeners), "2020-01-01T00:00:00Z");
    let mut on_old = route("on-old", &[], &json!([{}]));
    on_old["spec"]["parentRefs"][0]["name"] = json!("old");
    let on_gw = route("on-gw", &[], &json!([{}]));
    let mut world = World::of([gateway("gw", &listeners), on_old, on_gw]);
    assert_eq!(world.get("t", "/"), "on-gw fails no_backend");
    world.apply([old]);
    assert_eq!(world.get("t", "/"), "on-old fails no_backend");
    assert_eq!(world.reasons(Kind::Gateway, "gw"), ["PortUnavailable"]);
    world.delete(Kind::Gateway, "old");
    assert_eq!(world.get("t", "/"), "on-gw fails no_backend");
    assert!(world.reasons(Kind::Gateway, "gw").is_empty());
}

#[test]
fn another_namespaces_service_needs_a_grant() {
    let mut api = route("tenant/api", &[], &json!([rule("/")]));
    api["spec"]["rules"][0]["backendRefs"][0]["namespace"] = json!("default");
    let mut world = World::of(base().into_iter().chain([api]));
    assert_eq!(world.get("t", "/"), "api -> 1:backend_invalid");
    assert_eq!(world.reasons(Kind::HttpRoute, "tenant/api"), ["RefNotPermitted"]);
    world.apply([grant("g", "tenant")]);
    assert_eq!(world.get("t", "/"), sent_by("api"));
    let mut terminating = grant("g", "tenant");
    terminating["metadata"]["deletionTimestamp"] = json!("2026-01-02T00:00:00Z");
    world.apply([terminating]);
    assert_eq!(world.get("t", "/"), "api -> 1:backend_invalid");
}

#[test]
fn weights_share_requests_and_what_is_invalid_has_its_share() {
    let rules = json!([{ "backendRefs": [
        { "name": "svc", "port": 80, "weight": 7 },
        { "name": "none", "port": 80, "weight": 0 },
        { "name": "gone", "port": 80, "weight": 3 },
        { "group": "other", "kind": "Thing", "name": "x", "weight": 2 },
    ] }, { "matches": [{ "path": { "value": "/zero" } }], "backendRefs": [
        { "name": "svc", "port": 80, "weight": 0 },
    ] }]);
    let world = World::of(base().into_iter().chain([route("api", &[], &rules)]));
    assert_eq!(
        world.get("t", "/"),
        "api -> 7:[10.0.0.1:8080] 10:backend_invalid 12:backend_invalid"
    );
    assert_eq!(world.get("t", "/zero"), "api fails no_backend");
    assert_eq!(
        world.reasons(Kind::HttpRoute, "api"),
        ["BackendNotFound", "BackendNotFound", "InvalidKind"]
    );
}

#[test]
fn endpoints_are_gathered_by_port_name_from_all_slices() {
    let mut v6 = slice("svc-6", "svc", &["fd00::1"]);
    v6["addressType"] = json!("IPv6");
    let mut other_port = slice("svc-other", "svc", &["10.9.9.9"]);
    other_port["ports"][0]["name"] = json!("admin");
    let mut down = slice("svc-2", "svc", &["10.0.0.3", "10.0.0.1", "10.0.0.2"]);
    down["endpoints"][0]["conditions"] = json!({ "ready": false });
    down["endpoints"][2]["conditions"] = json!({});
    let empty = slice("svc-empty", "svc", &[]);
    let world = World::of(base().into_iter().chain([
        v6,
        other_port,
        down,
        empty,
        route("api", &[], &json!([rule("/")])),
    ]));
    assert_eq!(
        world.get("t", "/"),
        "api -> 1:[10.0.0.1:8080, 10.0.0.2:8080, [fd00::1]:8080]"
    );
}
