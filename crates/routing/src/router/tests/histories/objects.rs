//! Random objects of a universe small enough for everything to meet everything.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::super::support::*;

pub(super) fn any_object() -> impl Strategy<Value = Value> {
    let object = prop_oneof![
        4 => any_gateway(),
        8 => any_route(),
        8 => any_policy(),
        2 => any_service(),
        2 => any_slice(),
        2 => any_grant(),
        1 => any_namespace(),
    ];
    (object, any_life()).prop_map(|(mut object, life)| {
        let metadata = object["metadata"].as_object_mut().expect("metadata");
        metadata.extend(life.as_object().expect("fields").clone());
        object
    })
}

/// Which object of its name it is, since when, and whether it is to end.
fn any_life() -> impl Strategy<Value = Value> {
    let born = select(vec![
        ("one", "2026-01-01T00:00:00Z"),
        ("two", "2026-01-02T00:00:00Z"),
        ("three", "2025-12-31T23:59:59Z"),
    ]);
    (born, proptest::bool::weighted(0.15)).prop_map(|((uid, time), ends)| {
        let ends = ends.then_some("2026-02-01T00:00:00Z");
        json!({ "uid": uid, "creationTimestamp": time, "deletionTimestamp": ends })
    })
}

fn namespace_name() -> impl Strategy<Value = &'static str> {
    select(vec!["default", "default", "a"])
}

fn hostname() -> impl Strategy<Value = &'static str> {
    select(vec!["one.test", "two.test", "*.test", "a.one.test", "*.one.test"])
}

/// Usually the first, and now and then another.
fn mostly(usual: Value, others: Vec<Value>) -> impl Strategy<Value = Value> {
    prop_oneof![6 => Just(usual), 1 => select(others)]
}

/// Seldom what breaks an object: one that is broken closes so much that nothing else is seen.
fn broken(usual: impl Strategy<Value = Value>, broken: Value) -> impl Strategy<Value = Value> {
    prop_oneof![40 => usual, 1 => Just(broken)]
}

fn any_gateway() -> impl Strategy<Value = Value> {
    let by = |selector: Value| json!({ "namespaces": { "from": "Selector", "selector": selector } });
    let team = |operator: &str, values: Value| {
        by(json!({ "matchExpressions": [{ "key": "team", "operator": operator, "values": values }] }))
    };
    let all = json!({ "namespaces": { "from": "All" } });
    let some = vec![
        json!(null),
        json!({ "namespaces": { "from": "Same" } }),
        json!({ "namespaces": { "from": "None" } }),
        json!({ "namespaces": { "from": "Selector" } }),
        json!({ "namespaces": { "from": "All" }, "kinds": [{ "kind": "GRPCRoute" }] }),
        by(json!({})),
        by(json!({ "matchLabels": { "team": "x" } })),
        by(json!({ "matchLabels": { "kubernetes.io/metadata.name": "a" } })),
        team("In", json!(["x", "z"])),
        team("NotIn", json!(["x"])),
        team("Exists", json!([])),
        team("DoesNotExist", json!([])),
    ];
    let allowed = prop_oneof![4 => Just(all), 1 => select(some)];
    let port = broken(select(vec![json!(80), json!(80), json!(81)]), json!("broken"));
    let hostname = prop_oneof![2 => Just(""), 2 => Just("*.test"), 1 => hostname()];
    let listener = (
        port,
        hostname,
        allowed,
        broken(Just(json!("HTTP")), json!("HTTPS")),
    )
        .prop_map(|(port, hostname, allowed, protocol)| {
            json!({
                "port": port, "protocol": protocol, "hostname": hostname, "allowedRoutes": allowed,
            })
        });
    let class = broken(Just(json!("latchkey")), json!("other"));
    let names = prop_oneof![
        20 => Just(["web", "alt", "third"]),
        20 => Just(["alt", "web", "third"]),
        1 => Just(["web", "web", "third"]),
    ];
    // Three, where two may exclude each other beside one that is broader.
    let listeners = proptest::collection::vec(listener, 1..4);
    let listeners = (listeners, names).prop_map(|(mut listeners, names)| {
        for (listener, name) in listeners.iter_mut().zip(names) {
            listener["name"] = json!(name);
        }
        listeners
    });
    let name = select(vec!["gw", "gw", "gw2", "a/gw"]);
    (name, class, listeners).prop_map(|(name, class, listeners)| {
        let mut gateway = gateway(name, &Value::Array(listeners));
        gateway["spec"]["gatewayClassName"] = class;
        gateway
    })
}

fn any_match() -> impl Strategy<Value = Value> {
    let path = (
        select(vec!["PathPrefix", "PathPrefix", "Exact"]),
        select(vec!["/", "/a", "/a/", "/a/b"]),
    )
        .prop_map(|(kind, value)| json!({ "type": kind, "value": value }));
    let path = prop_oneof![6 => path, 1 => Just(json!(null))];
    let headers = json!([{ "name": "x-beta", "value": "yes" }]);
    (
        path,
        mostly(json!(null), vec![json!("GET"), json!("POST")]),
        mostly(json!(null), vec![headers]),
    )
        .prop_map(|(path, method, headers)| json!({ "path": path, "method": method, "headers": headers }))
}

fn any_rule() -> impl Strategy<Value = Value> {
    let extension = |name: &str| {
        json!({ "type": "ExtensionRef", "extensionRef": {
            "group": "latchkey.dev", "kind": "AuthPolicy", "name": name,
        } })
    };
    let filters = prop_oneof![
        12 => Just(vec![]),
        4 => select(vec!["p1", "p2", "p3"]).prop_map(move |name| vec![extension(name)]),
        1 => select(vec![
            vec![extension("p1"), extension("p2")],
            vec![extension("p1"), extension("p1")],
            vec![json!({ "type": "RequestMirror" })],
        ]),
    ];
    let backend = (
        mostly(json!("Service"), vec![json!("ConfigMap"), json!(null)]),
        mostly(json!("default"), vec![json!("a"), json!(null)]),
        select(vec!["svc", "svc", "svc2"]),
        mostly(json!(80), vec![json!(81), json!(null)]),
        mostly(json!(1), vec![json!(0), json!(2), json!(null)]),
    )
        .prop_map(|(kind, namespace, name, port, weight)| {
            json!({ "kind": kind, "namespace": namespace, "name": name, "port": port, "weight": weight })
        });
    (
        proptest::collection::vec(any_match(), 0..3),
        filters,
        prop_oneof![20 => proptest::collection::vec(backend, 1..3), 1 => Just(vec![])],
        broken(Just(json!(null)), json!({ "attempts": 2 })),
        0_u8..3,
    )
        .prop_map(|(matches, mut filters, backends, retry, number)| {
            // So that one rule can be told from another.
            filters.push(
                json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": {
                "set": [{ "name": "x-number", "value": number.to_string() }],
            } }),
            );
            json!({ "matches": matches, "filters": filters, "backendRefs": backends, "retry": retry })
        })
}

fn any_route() -> impl Strategy<Value = Value> {
    let parent = (
        mostly(json!("default"), vec![json!("a"), json!(null)]),
        select(vec!["gw", "gw", "gw2"]),
        prop_oneof![
            6 => Just(json!(null)),
            3 => select(vec![json!("web"), json!("web"), json!("alt"), json!("none")]),
        ],
        mostly(json!(null), vec![json!(80), json!(81)]),
        broken(Just(json!(null)), json!({})),
    )
        .prop_map(|(namespace, name, section, port, unknown)| {
            json!({
                "namespace": namespace, "name": name, "sectionName": section, "port": port,
                "selector": unknown,
            })
        });
    let rules = proptest::collection::vec(any_rule(), 1..4).prop_map(Value::Array);
    let rules = broken(rules, json!("broken"));
    let parents = proptest::collection::vec(parent, 1..3).prop_map(Value::Array);
    let parents = broken(parents, json!([{ "name": 5 }]));
    let hostnames = proptest::collection::vec(hostname(), 0..3).prop_map(|names| json!(names));
    let hostnames = broken(hostnames, json!(["one.test", 5]));
    let name = (namespace_name(), select(vec!["r1", "r2", "r3"]));
    (name, parents, hostnames, rules).prop_map(|((namespace, name), parents, hostnames, rules)| {
        let mut route = route(&format!("{namespace}/{name}"), &[], &rules);
        route["spec"]["parentRefs"] = parents;
        route["spec"]["hostnames"] = hostnames;
        route
    })
}

fn any_policy() -> impl Strategy<Value = Value> {
    let gateway = select(vec![
        target("Gateway/gw"),
        target("Gateway/gw"),
        target("Gateway/gw/web"),
        target("Gateway/gw/alt"),
        target("Gateway/gw2"),
    ]);
    let gateway = broken(gateway, target("Gateway/gw2/none")).boxed();
    let route = select(vec![
        target("HTTPRoute/r1"),
        target("HTTPRoute/r2"),
        target("HTTPRoute/r3"),
    ]);
    let route = broken(route, json!({ "kind": "HTTPRoute" }));
    let any = prop_oneof![gateway.clone(), route];
    let targets = prop_oneof![
        10 => (proptest::collection::vec(any, 0..3), Just(false)),
        5 => (proptest::collection::vec(gateway, 1..3), Just(true)),
        // Which cannot be honoured.
        1 => Just((vec![target("HTTPRoute/r1")], true)),
    ];
    let name = (namespace_name(), select(vec!["p1", "p2", "p3"]));
    (
        name,
        targets,
        broken(mostly(json!("APIKey"), vec![json!("Anonymous")]), json!("Magic")),
        broken(Just(json!(null)), json!({})),
    )
        .prop_map(|((namespace, name), (targets, overriding), method, unknown)| {
            let mut policy = policy(&format!("{namespace}/{name}"), &[]);
            policy["spec"]["targetRefs"] = Value::Array(targets);
            policy["spec"]["override"] = json!(overriding);
            policy["spec"]["methods"][0]["type"] = method;
            if !unknown.is_null() {
                policy["spec"]["allow"] = unknown;
            }
            policy
        })
}

fn any_service() -> impl Strategy<Value = Value> {
    (
        namespace_name(),
        select(vec!["svc", "svc", "svc2"]),
        mostly(json!(80), vec![json!(81), json!("x")]),
    )
        .prop_map(|(namespace, name, port)| {
            let mut service = service(&format!("{namespace}/{name}"));
            service["spec"]["ports"][0]["port"] = port;
            service
        })
}

fn any_slice() -> impl Strategy<Value = Value> {
    let addresses = proptest::collection::vec(select(vec!["10.0.0.1", "10.0.0.2", "10.0.0.3", "x"]), 0..3);
    (
        namespace_name(),
        select(vec!["s1", "s2"]),
        select(vec!["svc", "svc", "svc2"]),
        addresses,
    )
        .prop_map(|(namespace, name, service, addresses)| {
            slice(&format!("{namespace}/{name}"), service, &addresses)
        })
}

fn any_grant() -> impl Strategy<Value = Value> {
    (
        namespace_name(),
        select(vec!["a", "default", "b"]),
        mostly(json!(null), vec![json!("svc"), json!("svc2")]),
        mostly(json!("HTTPRoute"), vec![json!("TLSRoute"), json!(5)]),
    )
        .prop_map(|(namespace, from, to, kind)| {
            let mut grant = grant(&format!("{namespace}/grant"), from);
            grant["spec"]["to"][0]["name"] = to;
            grant["spec"]["from"][0]["kind"] = kind;
            grant
        })
}

fn any_namespace() -> impl Strategy<Value = Value> {
    let labels = select(vec![
        json!({ "team": "x" }),
        json!({ "team": "y" }),
        json!({}),
        json!({ "team": "x", "kubernetes.io/metadata.name": "b" }),
    ]);
    (namespace_name(), labels).prop_map(|(name, labels)| namespace(name, &labels))
}
