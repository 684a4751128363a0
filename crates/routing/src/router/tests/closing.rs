//! What cannot be honoured or read closes what it may have spoken of, and nothing else.

use serde_json::{Value, json};

use super::support::*;
use crate::object::Kind;

/// Routes `api` and `www` of namespace default, and `tenant/other`, each on its hostname.
fn world() -> World {
    let mut world = World::new();
    let mut shared = rule("/");
    shared["backendRefs"][0]["namespace"] = json!("default");
    world.apply(base().into_iter().chain([
        route("api", &["api"], &json!([rule("/")])),
        route("www", &["www"], &json!([rule("/")])),
        route("tenant/other", &["other"], &json!([shared])),
        grant("g", "tenant"),
    ]));
    world
}

/// The first words of the answers of api, www and other.
fn answers(world: &World) -> [String; 3] {
    ["api", "www", "other"].map(|host| {
        let answer = world.get(host, "/");
        let end = answer.find(" -> ").unwrap_or(answer.len());
        answer[..end].to_owned()
    })
}

/// The policy with a field that this version does not know.
fn unhonourable(mut policy: Value) -> Value {
    policy["spec"]["quota"] = json!(5);
    policy
}

#[test]
fn a_policy_that_cannot_be_honoured_closes_its_targets_alone() {
    let mut world = world();
    world.apply([unhonourable(policy("keys", &["HTTPRoute/api"]))]);
    assert_eq!(answers(&world), ["policy_invalid > api", "www", "other"]);
    assert_eq!(world.reasons(Kind::AuthPolicy, "keys"), ["Invalid"]);
    let message = &world.open[0].message;
    assert!(message.contains("quota"), "{message}");
    world.apply([policy("keys", &["HTTPRoute/api"])]);
    assert_eq!(answers(&world), ["keys > api", "www", "other"]);
    assert!(world.open.is_empty());
}

#[test]
fn a_broken_policy_on_a_gateway_closes_all_that_it_serves() {
    let mut world = world();
    let broken = unhonourable(policy("keys", &["Gateway/gw"]));
    let specific = policy("specific", &["HTTPRoute/api"]);
    world.apply([broken, specific]);
    let closed = "policy_invalid > ";
    let expected = ["api", "www", "other"].map(|route| format!("{closed}{route}"));
    assert_eq!(answers(&world), expected, "it may be an override");
}

#[test]
fn a_broken_policy_closes_even_where_an_older_one_holds() {
    let mut world = world();
    world.apply([
        created(policy("old", &["HTTPRoute/api"]), "2020-01-01T00:00:00Z"),
        unhonourable(policy("young", &["HTTPRoute/api"])),
    ]);
    assert_eq!(answers(&world), ["policy_invalid > api", "www", "other"]);
}

#[test]
fn a_policy_whose_targets_cannot_be_read_closes_its_namespace() {
    let mut untyped = policy("keys", &[]);
    untyped["spec"]["targetRefs"] = json!("HTTPRoute/api");
    let mut misspelt = policy("keys", &[]);
    misspelt["spec"]["targetRef"] = target("HTTPRoute/api");
    let kind = policy("keys", &["HttpRoute/api"]);
    let half = {
        let mut half = policy("keys", &["HTTPRoute/api"]);
        let targets = half["spec"]["targetRefs"].as_array_mut().expect("a list");
        targets.push(json!({ "name": 7 }));
        half
    };
    let upper = policy("keys", &["HTTPRoute/API"]);
    let blank = policy("keys", &["HTTPRoute/api "]);
    let mut headless = policy("keys", &["HTTPRoute/api"]);
    headless["spec"] = Value::Null;
    let mut empty = headless.clone();
    empty["spec"] = json!({});
    let mut magic = policy("keys", &[]);
    magic["spec"]["methods"] = json!([{ "type": "Magic" }]);
    let closed = [
        "policy_invalid > api",
        "policy_invalid > www",
        "policy_invalid > other",
    ];
    let broken = [
        untyped, misspelt, kind, half, upper, blank, headless, empty, magic,
    ];
    for broken in broken {
        let mut world = world();
        world.apply([broken.clone()]);
        // `other` is of another namespace, but on a Gateway of this one.
        assert_eq!(answers(&world), closed, "{broken}");
        world.delete(Kind::AuthPolicy, "keys");
        assert_eq!(answers(&world), ["api", "www", "other"]);
    }
    let mut world = world();
    world.unreadable(Kind::AuthPolicy, "keys");
    assert_eq!(answers(&world), closed);
    world.delete(Kind::AuthPolicy, "keys");
    world.unreadable(Kind::AuthPolicy, "tenant/keys");
    assert_eq!(answers(&world), ["api", "www", "policy_invalid > other"]);
}

#[test]
fn a_policy_without_targets_closes_nothing_by_itself() {
    let mut world = world();
    world.apply([policy("keys", &[])]);
    assert_eq!(answers(&world), ["api", "www", "other"]);
}

#[test]
fn what_a_policy_asks_for_and_cannot_be_is_not_honoured() {
    let key = |place: Value| json!([{ "type": "APIKey", "apiKey": { "extractFrom": [place] } }]);
    let cases = [
        json!([]),
        json!([{ "type": "OAuth" }]),
        json!([{ "type": "Anonymous", "apiKey": {} }]),
        key(json!({})),
        key(json!({ "header": { "name": "a" }, "query": { "name": "a" } })),
        key(json!({ "header": { "name": "no header" } })),
        key(json!({ "header": { "name": "X_Consumer_ID" } })),
        key(json!({ "header": { "name": "Connection" } })),
        key(json!({ "query": { "name": "" } })),
        key(json!({ "cookie": { "name": "a" } })),
    ];
    for methods in cases {
        let mut world = world();
        let mut keys = policy("keys", &["HTTPRoute/api"]);
        keys["spec"]["methods"] = methods.clone();
        world.apply([keys]);
        let expected = ["policy_invalid > api", "www", "other"];
        assert_eq!(answers(&world), expected, "{methods}");
    }
    let mut world = world();
    world.apply([override_policy("keys", &["HTTPRoute/api"])]);
    assert_eq!(answers(&world), ["policy_invalid > api", "www", "other"]);
}

#[test]
fn an_undecodable_route_closes_its_hostnames_for_all_rules() {
    let mut world = world();
    let mut broken = route("tenant/broken", &["api", "new"], &json!("none"));
    world.apply([broken.clone()]);
    let closed = "closed route_undecodable broken";
    assert_eq!(answers(&world), [closed, "www", "other"]);
    assert_eq!(world.get("new", "/"), closed);
    assert_eq!(world.reasons(Kind::HttpRoute, "tenant/broken"), ["Invalid"]);
    broken["spec"]["rules"] = json!([rule("/x")]);
    world.apply([broken]);
    assert_eq!(answers(&world), ["api", "www", "other"]);
}

#[test]
fn an_undecodable_route_may_be_attached_to_any_listener_that_admits_it() {
    let mut world = world();
    let mut broken = route("broken", &["www"], &json!([]));
    broken["spec"]["parentRefs"] = json!([{ "name": 3 }]);
    world.apply([broken]);
    let closed = ["api", "closed route_undecodable broken", "other"];
    assert_eq!(answers(&world), closed);
    world.delete(Kind::Gateway, "gw");
    assert_eq!(world.get("www", "/"), "nothing");
    world.apply([plain_gateway()]);
    assert_eq!(answers(&world), closed);
}

#[test]
fn an_undecodable_route_without_hostnames_closes_its_namespace() {
    let mut world = world();
    let closed = [
        "closed route_undecodable api",
        "closed route_undecodable www",
        "other",
    ];
    world.apply([route("broken", &[], &json!("none"))]);
    assert_eq!(answers(&world), closed);
    // What no rule answers might have been for the broken one.
    assert_eq!(world.get("else", "/"), "closed route_undecodable broken");
    world.delete(Kind::HttpRoute, "broken");
    assert_eq!(world.get("else", "/"), "nothing");
    world.unreadable(Kind::HttpRoute, "broken");
    assert_eq!(answers(&world), closed);
    let mut half = route("broken", &["www"], &json!([]));
    half["spec"]["hostnames"] = json!(["www", 5]);
    world.apply([half]);
    let closed = [
        "closed route_undecodable api",
        "closed route_undecodable broken",
        "other",
    ];
    assert_eq!(answers(&world), closed);
}

#[test]
fn an_undecodable_gateway_keeps_its_ports_and_answers_503() {
    let mut world = world();
    let mut broken = plain_gateway();
    broken["spec"]["listeners"] = json!([
        { "name": "web", "port": 80, "protocol": "HTTP", "hostname": 5 },
        { "name": "tls", "port": 443, "protocol": "HTTPS" },
        { "name": "odd", "port": "81", "protocol": "HTTP" },
    ]);
    world.apply([broken]);
    assert_eq!(world.router.tables().load().ports(), [80]);
    assert_eq!(world.get("api", "/"), "closed gateway_undecodable");
    assert_eq!(world.reasons(Kind::Gateway, "gw"), ["Invalid"]);
    world.unreadable(Kind::Gateway, "gw");
    assert!(world.router.tables().load().ports().is_empty());
    world.apply([plain_gateway()]);
    assert_eq!(answers(&world), ["api", "www", "other"]);
    assert!(world.open.is_empty(), "{:?}", world.open);
}

#[test]
fn a_gateway_of_another_class_is_not_ours() {
    let mut world = world();
    let mut foreign = plain_gateway();
    foreign["spec"]["gatewayClassName"] = json!("other");
    world.apply([foreign]);
    assert!(world.router.tables().load().ports().is_empty());
    assert!(world.open.is_empty(), "{:?}", world.open);
}

#[test]
fn an_unsupported_rule_is_matched_and_fails() {
    let mut strict = rule("/admin");
    strict["matches"][0]["headers"] =
        json!([{ "name": "x-env", "type": "RegularExpression", "value": "dev.*" }]);
    let regex = json!({
        "matches": [{ "path": { "type": "RegularExpression", "value": "/v[0-9]+/.*" } }],
        "backendRefs": [{ "name": "svc", "port": 80 }],
    });
    let mut retried = rule("/retry");
    retried["retry"] = json!({ "attempts": 2 });
    let mut world = world();
    world.apply([
        route("api", &["api"], &json!([rule("/"), rule("/v1/open")])),
        route("strict", &["api"], &json!([strict, regex, retried])),
    ]);
    let fails = "strict fails unsupported_value";
    let admin = Ask::new("api", "/admin/x").header("x-env", "prod");
    assert_eq!(world.ask(80, &admin), fails);
    assert_eq!(world.get("api", "/admin/x"), sent_by("api"));
    assert_eq!(world.get("api", "/v1/open"), fails, "it may match the expression");
    assert_eq!(world.get("api", "/retry"), fails);
    assert_eq!(world.get("api", "/else"), sent_by("api"));
    assert_eq!(world.reasons(Kind::HttpRoute, "strict"), ["UnsupportedValue"; 3]);
}

#[test]
fn conflicted_listeners_leave_nothing_to_a_broader_one() {
    let web = |name: &str, hostname: &str| json!({ "name": name, "port": 80, "protocol": "HTTP", "hostname": hostname });
    let listeners = json!([web("a", "api"), web("b", "api"), web("c", "")]);
    let mut world = world();
    world.apply([gateway("gw", &listeners)]);
    assert_eq!(world.get("api", "/"), "nothing");
    assert_eq!(world.get("www", "/"), sent_by("www"));
    assert_eq!(
        world.reasons(Kind::Gateway, "gw"),
        ["HostnameConflict", "HostnameConflict"]
    );
}

#[test]
fn an_undecodable_backend_has_no_endpoint() {
    let mut world = world();
    let mut broken = service("svc");
    broken["spec"]["ports"][0]["port"] = json!("http");
    world.apply([broken]);
    assert_eq!(world.get("api", "/"), "api -> 1:[]");
    assert_eq!(world.reasons(Kind::Service, "svc"), ["Invalid"]);
    let mut odd = slice("svc-1", "svc", &["10.0.0.1"]);
    odd["endpoints"][0]["addresses"][0] = json!("somewhere");
    world.apply([service("svc"), odd]);
    assert_eq!(world.get("api", "/"), "api -> 1:[]");
    assert_eq!(world.reasons(Kind::EndpointSlice, "svc-1"), ["Invalid"]);
    world.delete(Kind::EndpointSlice, "svc-1");
    assert!(world.open.is_empty(), "{:?}", world.open);
}
