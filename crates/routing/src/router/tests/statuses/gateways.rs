//! Gateways and their listeners.

use serde_json::{Value, json};

use super::*;

const GOOD: [&str; 4] = [
    "Accepted=True Accepted",
    "Programmed=True Programmed",
    "ResolvedRefs=True ResolvedRefs",
    "Conflicted=False NoConflicts",
];

fn web() -> Value {
    json!({ "name": "web", "port": 80, "protocol": "HTTP" })
}

#[test]
fn a_gateway_that_is_served_says_so() {
    let world = World::of([gateway("gw", &json!([web()]))]);
    let status = gateway_status(&world, "gw");
    assert_eq!(
        conditions(&status.conditions),
        ["Accepted=True Accepted", "Programmed=True Programmed"]
    );
    let [listener] = status.listeners.as_slice() else {
        panic!("one listener: {status:?}");
    };
    assert_eq!(listener.name, "web");
    assert_eq!(
        listener.supported_kinds,
        [("gateway.networking.k8s.io", "HTTPRoute")]
    );
    assert_eq!(listener.attached_routes, 0);
    assert_eq!(conditions(&listener.conditions), GOOD);
}

#[test]
fn each_way_not_to_be_served_has_its_conditions() {
    let refused = |reason: &str| {
        vec![
            format!("Accepted=False {reason}"),
            "Programmed=False Invalid".to_owned(),
            GOOD[2].to_owned(),
            GOOD[3].to_owned(),
        ]
    };
    let conflicted = |reason: &str| {
        let mut conditions = refused(reason);
        conditions[3] = format!("Conflicted=True {reason}");
        conditions
    };
    let unresolved = vec![
        GOOD[0].to_owned(),
        GOOD[1].to_owned(),
        "ResolvedRefs=False InvalidRouteKinds".to_owned(),
        GOOD[3].to_owned(),
    ];
    let with = |field: &str, value: Value| {
        let mut listener = web();
        listener[field] = value;
        listener["name"] = json!("other");
        listener
    };
    let kinds = |kinds: Value| with("allowedRoutes", json!({ "kinds": kinds }));
    let tcp = json!([{ "kind": "TCPRoute" }]);
    let both = json!([{ "kind": "HTTPRoute" }, { "kind": "TCPRoute" }]);
    let namespaces = with("allowedRoutes", json!({ "namespaces": { "from": "Moon" } }));
    let cases = [
        (
            with("protocol", json!("TCP")),
            refused("UnsupportedProtocol"),
            0,
            ".protocol",
        ),
        (with("hostname", json!("")), conflicted("HostnameConflict"), 1, ""),
        (
            namespaces,
            refused("UnsupportedValue"),
            1,
            ".allowedRoutes.namespaces.from",
        ),
        (kinds(tcp), unresolved.clone(), 0, ".allowedRoutes.kinds[0]"),
        (kinds(both), unresolved, 1, ".allowedRoutes.kinds[1]"),
    ];
    for (listener, expected, kinds, place) in cases {
        let mut first = web();
        if expected[3] == GOOD[3] {
            first["port"] = json!(81);
        }
        let world = World::of([gateway("gw", &json!([first, listener]))]);
        let status = gateway_status(&world, "gw");
        let found = &status.listeners[1];
        assert_eq!(conditions(&found.conditions), expected, "{listener}");
        assert_eq!(found.supported_kinds.len(), kinds, "{listener}");
        let place = format!("spec.listeners[1]{place}: ");
        let told = |message: &str| message.starts_with(&place);
        assert!(found.conditions.iter().any(|c| told(&c.message)), "{found:?}");
    }
}

#[test]
fn a_listener_that_shares_a_port_with_another_protocol_is_conflicted() {
    let tls = json!({ "name": "tls", "port": 80, "protocol": "HTTPS" });
    let world = World::of([gateway("gw", &json!([web(), tls]))]);
    let status = gateway_status(&world, "gw");
    assert_eq!(
        conditions(&status.listeners[0].conditions)[3],
        "Conflicted=True ProtocolConflict"
    );
}

#[test]
fn a_gateway_is_accepted_if_a_listener_is() {
    let tcp = json!({ "name": "tcp", "port": 90, "protocol": "TCP" });
    let cases = [
        (
            json!([web(), tcp]),
            "Accepted=True ListenersNotValid",
            "Programmed=True Programmed",
        ),
        (
            json!([tcp]),
            "Accepted=False ListenersNotValid",
            "Programmed=False Invalid",
        ),
        (
            json!([]),
            "Accepted=False ListenersNotValid",
            "Programmed=False Invalid",
        ),
    ];
    for (listeners, accepted, programmed) in cases {
        let world = World::of([gateway("gw", &listeners)]);
        let status = gateway_status(&world, "gw");
        assert_eq!(
            conditions(&status.conditions),
            [accepted, programmed],
            "{listeners}"
        );
    }
}

#[test]
fn the_younger_gateway_is_told_who_has_its_port() {
    let old = created(gateway("old", &json!([web()])), "2020-01-01T00:00:00Z");
    let own = json!({ "name": "own", "port": 81, "protocol": "HTTP" });
    let mut world = World::of([gateway("gw", &json!([web(), own])), old]);
    let status = gateway_status(&world, "gw");
    assert_eq!(
        conditions(&status.conditions),
        ["Accepted=True ListenersNotValid", "Programmed=True Programmed"]
    );
    let refused = &status.listeners[0].conditions;
    assert_eq!(conditions(refused)[0], "Accepted=False PortUnavailable");
    assert!(
        message(refused, "Accepted")
            .starts_with("spec.listeners[0].port: port 80 belongs to the older Gateway default/old")
    );
    assert_eq!(conditions(&status.listeners[1].conditions), GOOD);
    world.delete(Kind::Gateway, "old");
    assert_eq!(
        conditions(&gateway_status(&world, "gw").listeners[0].conditions),
        GOOD
    );
}

#[test]
fn what_a_gateway_asks_of_its_infrastructure_in_vain_is_said() {
    let mut asking = gateway("gw", &json!([web()]));
    asking["spec"]["addresses"] = json!([{ "value": "10.0.0.1" }]);
    asking["spec"]["infrastructure"] = json!({ "parametersRef": { "name": "x" } });
    let mut world = World::of([asking]);
    assert_eq!(
        conditions(&gateway_status(&world, "gw").conditions),
        [
            "Accepted=False InvalidParameters",
            "Programmed=False AddressNotUsable"
        ]
    );
    assert_eq!(
        world.reasons(Kind::Gateway, "gw"),
        ["AddressNotUsable", "InvalidParameters"]
    );
    world.apply([gateway("gw", &json!([web()]))]);
    assert!(world.open.is_empty());
}

#[test]
fn a_gateway_that_cannot_be_read_says_where() {
    let mut broken = web();
    broken["port"] = json!("x");
    let world = World::of([gateway("gw", &json!([broken]))]);
    let status = gateway_status(&world, "gw");
    assert_eq!(
        conditions(&status.conditions),
        ["Accepted=False Invalid", "Programmed=False Invalid"]
    );
    assert!(message(&status.conditions, "Accepted").starts_with("spec.listeners[0].port: "));
    assert!(status.listeners.is_empty());
}

#[test]
fn other_controllers_gateways_are_left_alone() {
    let mut other = gateway("gw", &json!([web()]));
    other["spec"]["gatewayClassName"] = json!("other");
    let mut world = World::of([other]);
    assert_eq!(world.router.status(Kind::Gateway, &full("gw")), None);
    world.unreadable(Kind::Gateway, "gw");
    assert_eq!(world.router.status(Kind::Gateway, &full("gw")), None);
    assert_eq!(world.router.status(Kind::Gateway, &full("none")), None);
}

#[test]
fn a_listener_counts_the_routes_that_are_accepted_there() {
    let alt = json!({ "name": "alt", "port": 81, "protocol": "HTTP", "hostname": "alt.test" });
    let on_web = |name: &str, rules: &Value| {
        let mut route = route(name, &["t"], rules);
        route["spec"]["parentRefs"] = json!([{ "name": "gw" }, { "name": "gw", "sectionName": "web" }]);
        route
    };
    let failing = json!([{ "filters": [{ "type": "RequestMirror" }] }]);
    let mut world = World::of([
        gateway("gw", &json!([web(), alt])),
        on_web("good", &json!([rule("/")])),
        on_web("half", &json!([rule("/"), failing[0]])),
        on_web("failing", &failing),
        on_web("broken", &json!("x")),
        route("elsewhere/not-admitted", &["t"], &json!([rule("/")])),
    ]);
    let counts = |world: &World| {
        let listeners = gateway_status(world, "gw").listeners;
        let counts = listeners.iter().map(|listener| listener.attached_routes);
        counts.collect::<Vec<_>>()
    };
    assert_eq!(counts(&world), [2, 0]);
    world.delete(Kind::HttpRoute, "half");
    assert_eq!(counts(&world), [1, 0]);
}
