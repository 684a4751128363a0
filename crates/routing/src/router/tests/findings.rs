//! What is wrong is told once, with the field's path and the remedy, and told again when it is right.

use serde_json::json;

use super::support::*;
use crate::object::Kind;

#[test]
fn a_finding_names_the_field_and_the_remedy_and_is_told_once() {
    let mut rules = json!([rule("/"), rule("/x")]);
    rules[1]["filters"] = json!([{ "type": "RequestMirror", "requestMirror": {} }]);
    let mut world = World::of(base());
    let commit = world.apply([route("api", &["t"], &rules)]);
    let [finding] = commit.findings.as_slice() else {
        panic!("one finding: {:?}", commit.findings);
    };
    assert_eq!(finding.reason, "UnsupportedValue");
    assert!(
        finding.message.starts_with("spec.rules[1].filters[0].type: "),
        "{}",
        finding.message
    );
    assert!(finding.message.contains("use RequestHeaderModifier"));
    let commit = world.apply([route("api", &["t", "u"], &rules)]);
    assert!(commit.findings.is_empty(), "{:?}", commit.findings);
    let commit = world.apply([route("api", &["t"], &json!([rule("/")]))]);
    assert!(commit.findings.iter().all(|finding| finding.resolved));
    assert_eq!(commit.findings.len(), 1);
}

#[test]
fn what_is_deleted_is_no_longer_wrong() {
    let mut world = World::of([route("api", &["t"], &json!([rule("/")]))]);
    assert_eq!(
        world.reasons(Kind::HttpRoute, "api"),
        ["BackendNotFound", "NoMatchingParent"]
    );
    world.delete(Kind::HttpRoute, "api");
    assert!(world.open.is_empty());
}

#[test]
fn each_way_not_to_be_attached_has_its_reason() {
    let listeners = json!([
        { "name": "web", "port": 80, "protocol": "HTTP", "hostname": "web.test" },
        { "name": "tls", "port": 443, "protocol": "HTTPS" },
    ]);
    let cases = [
        (json!({ "name": "gone" }), "default/r", "NoMatchingParent"),
        (
            json!({ "name": "gw", "sectionName": "x" }),
            "default/r",
            "NoMatchingParent",
        ),
        (
            json!({ "name": "gw", "port": 81 }),
            "default/r",
            "NoMatchingParent",
        ),
        (
            json!({ "name": "gw", "sectionName": "tls" }),
            "default/r",
            "NoMatchingParent",
        ),
        (
            json!({ "name": "gw", "namespace": "default" }),
            "tenant/r",
            "NotAllowedByListeners",
        ),
        (json!({ "name": "gw" }), "default/r", "NoMatchingListenerHostname"),
        (
            json!({ "name": "gw", "selector": {} }),
            "default/r",
            "UnsupportedValue",
        ),
    ];
    for (parent, name, reason) in cases {
        let mut api = route(name, &["other.test"], &json!([{}]));
        api["spec"]["parentRefs"] = json!([parent]);
        let world = World::of([gateway("gw", &listeners), api]);
        assert_eq!(world.reasons(Kind::HttpRoute, name), [reason], "{parent}");
        assert_eq!(world.reasons(Kind::Gateway, "gw"), ["UnsupportedProtocol"]);
        assert_eq!(world.router.tables().load().stats().routes, 0);
    }
}

#[test]
fn a_message_repeats_no_value() {
    let secret = "s3cret-pasted-here";
    let mut keys = policy("keys", &["HTTPRoute/api"]);
    keys["spec"]["methods"][0]["type"] = json!(secret);
    let mut api = route("api", &["t"], &json!([{ "matches": [{ "path": secret }] }]));
    api["spec"]["hostnames"][0] = json!(secret);
    let mut gw = plain_gateway();
    gw["spec"]["listeners"][0]["port"] = json!(secret);
    let mut svc = service("svc");
    svc["spec"]["ports"] = json!(secret);
    let mut regex = route("regex", &["t"], &json!([rule("/")]));
    regex["spec"]["rules"][0]["matches"][0]["method"] = json!(secret);
    let world = World::of([keys, api, gw, svc, regex]);
    assert!(world.open.len() >= 5, "{:?}", world.open);
    for finding in &world.open {
        assert!(!finding.message.contains(secret), "{finding:?}");
    }
}

#[test]
fn an_object_of_which_nothing_can_be_read_is_told_as_a_whole() {
    let mut world = World::new();
    for kind in [
        Kind::Gateway,
        Kind::HttpRoute,
        Kind::ReferenceGrant,
        Kind::Service,
        Kind::EndpointSlice,
    ] {
        let commit = world.unreadable(kind, "it");
        let [finding] = commit.findings.as_slice() else {
            panic!("one finding: {:?}", commit.findings);
        };
        assert_eq!((finding.kind, finding.reason), (kind, "Invalid"));
        let start = "must be an object that can be read; correct it; until then";
        assert!(finding.message.starts_with(start), "{}", finding.message);
    }
}
