//! HTTPRoutes, parent by parent.

use serde_json::{Value, json};

use super::*;

const GOOD: [&str; 2] = ["Accepted=True Accepted", "ResolvedRefs=True ResolvedRefs"];

fn only(world: &World, name: &str) -> Vec<Finding> {
    let [(_, conditions)] = parents(world, name).try_into().expect("one parent");
    conditions
}

#[test]
fn a_route_that_is_served_says_so_at_each_parent() {
    let mut api = route("api", &["t"], &json!([rule("/")]));
    api["spec"]["parentRefs"] = json!([
        { "name": "gw" },
        { "name": "gw", "namespace": "default", "sectionName": "web", "port": 80 },
    ]);
    let world = World::of(base().into_iter().chain([api]));
    let found = parents(&world, "api");
    let shown: Vec<_> = found.iter().map(|(parent, _)| parent.as_str()).collect();
    assert_eq!(shown, ["Gateway gw", "Gateway default/gw#web:80"]);
    for (_, found) in &found {
        assert_eq!(conditions(found), GOOD);
    }
}

#[test]
fn a_parent_that_is_not_known_to_be_ours_has_no_element() {
    let mut other = gateway("other", &json!([]));
    other["spec"]["gatewayClassName"] = json!("other");
    let mut api = route("api", &["t"], &json!([rule("/")]));
    api["spec"]["parentRefs"] = json!([
        { "name": "other" }, { "name": "missing" }, { "name": "svc", "kind": "Service", "group": "" },
    ]);
    let world = World::of(base().into_iter().chain([other, api]));
    assert!(parents(&world, "api").is_empty());
    assert_eq!(world.router.status(Kind::HttpRoute, &full("none")), None);
}

#[test]
fn each_way_not_to_be_attached_is_a_reason_of_its_parent() {
    let listeners = json!([{ "name": "web", "port": 80, "protocol": "HTTP", "hostname": "web.test" }]);
    let cases = [
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
        let found = only(&world, name);
        assert_eq!(
            conditions(&found),
            [format!("Accepted=False {reason}"), GOOD[1].to_owned()],
            "{parent}"
        );
        assert!(message(&found, "Accepted").starts_with("spec.parentRefs[0]"));
    }
}

#[test]
fn a_reference_that_leads_nowhere_is_said_and_the_route_accepted() {
    let with = |field: &str, value: Value| {
        let mut rules = json!([rule("/")]);
        rules[0]["backendRefs"][0][field] = value;
        rules
    };
    let mut grpc = service("grpc");
    grpc["spec"]["ports"][0]["appProtocol"] = json!("grpc");
    let mut missing_policy = json!([rule("/")]);
    missing_policy[0]["filters"] = json!([{ "type": "ExtensionRef", "extensionRef": {
        "group": "latchkey.dev", "kind": "AuthPolicy", "name": "none",
    } }]);
    let cases = [
        (
            with("name", json!("none")),
            "BackendNotFound",
            ".backendRefs[0].name",
        ),
        (with("port", json!(90)), "BackendNotFound", ".backendRefs[0].port"),
        (
            with("kind", json!("Thing")),
            "InvalidKind",
            ".backendRefs[0].kind",
        ),
        (
            with("namespace", json!("other")),
            "RefNotPermitted",
            ".backendRefs[0]",
        ),
        (
            with("name", json!("grpc")),
            "UnsupportedProtocol",
            ".backendRefs[0].port",
        ),
        (missing_policy, "InvalidKind", ".filters[0].extensionRef.name"),
    ];
    for (rules, reason, place) in cases {
        let api = route("api", &["t"], &rules);
        let world = World::of(base().into_iter().chain([grpc.clone(), api]));
        let found = only(&world, "api");
        assert_eq!(
            conditions(&found),
            [GOOD[0].to_owned(), format!("ResolvedRefs=False {reason}")],
            "{rules}"
        );
        let place = format!("spec.rules[0]{place}: ");
        assert!(message(&found, "ResolvedRefs").starts_with(&place), "{found:?}");
    }
}

#[test]
fn a_route_is_accepted_while_one_rule_does_what_it_says() {
    let failing = json!({ "filters": [{ "type": "RequestMirror" }] });
    let twice = |name: &str| {
        json!({ "type": "ExtensionRef", "extensionRef": {
            "group": "latchkey.dev", "kind": "AuthPolicy", "name": name,
        } })
    };
    let incompatible = json!({ "filters": [twice("a"), twice("b")] });
    let mut world = World::of(base());
    world.apply([route("api", &["t"], &json!([failing, rule("/")]))]);
    let found = only(&world, "api");
    assert_eq!(
        conditions(&found),
        [GOOD[0], GOOD[1], "PartiallyInvalid=True UnsupportedValue"]
    );
    assert!(
        message(&found, "PartiallyInvalid")
            .starts_with("Dropped Rules, which answer 500: spec.rules[0].filters[0].type: "),
        "{found:?}"
    );
    for (rule, reason) in [
        (failing, "UnsupportedValue"),
        (incompatible, "IncompatibleFilters"),
    ] {
        world.apply([route("api", &["t"], &json!([rule]))]);
        let found = only(&world, "api");
        assert_eq!(
            conditions(&found),
            [format!("Accepted=False {reason}"), GOOD[1].to_owned()]
        );
        assert!(message(&found, "Accepted").starts_with("spec.rules[0].filters"));
    }
}

#[test]
fn a_route_that_cannot_be_read_says_where() {
    let world = World::of(base().into_iter().chain([route("api", &["t"], &json!("x"))]));
    let found = only(&world, "api");
    assert_eq!(
        conditions(&found),
        ["Accepted=False Invalid", "ResolvedRefs=Unknown Invalid"]
    );
    assert!(message(&found, "Accepted").starts_with("spec.rules: "));
}

#[test]
fn a_message_stays_short_however_much_is_wrong() {
    let rules: Vec<_> = (0..16)
        .map(|_| {
            let backends: Vec<_> = (0..16)
                .map(|n| json!({ "name": format!("none-{n}"), "port": 80 }))
                .collect();
            json!({ "backendRefs": backends })
        })
        .collect();
    let api = route("api", &["t"], &Value::Array(rules));
    let world = World::of(base().into_iter().chain([api]));
    let found = only(&world, "api");
    let message = message(&found, "ResolvedRefs");
    assert!(message.ends_with("; and 248 more"), "{message}");
    assert!(message.len() < 4096);
}
