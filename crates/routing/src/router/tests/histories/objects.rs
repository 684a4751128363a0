//! Random objects of a universe small enough for everything to meet everything.

use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::super::support::*;

pub(super) fn any_object() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => any_gateway(),
        4 => any_route(),
        4 => any_policy(),
        1 => any_service(),
        1 => any_slice(),
        1 => select(vec!["a", "b"]).prop_map(|from| grant("default/grant", from)),
        1 => (namespace_name(), select(vec!["x", "y"]))
            .prop_map(|(name, team)| namespace(name, &json!({ "team": team }))),
    ]
}

fn namespace_name() -> impl Strategy<Value = &'static str> {
    select(vec!["default", "a"])
}

fn time() -> impl Strategy<Value = &'static str> {
    select(vec!["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])
}

fn hostname() -> impl Strategy<Value = &'static str> {
    select(vec!["one.test", "two.test", "*.test", "a.one.test", "*.one.test"])
}

fn any_gateway() -> impl Strategy<Value = Value> {
    let from = select(vec![
        json!({ "from": "All" }),
        json!({ "from": "Same" }),
        json!({ "from": "Selector", "selector": { "matchLabels": { "team": "x" } } }),
    ]);
    let port = select(vec![json!(80), json!(81), json!("broken")]);
    let hostname = prop_oneof![Just(""), hostname()];
    let protocol = select(vec!["HTTP", "HTTP", "HTTP", "HTTPS"]);
    let listener = (select(vec!["web", "alt"]), port, hostname, from, protocol).prop_map(
        |(name, port, hostname, from, protocol)| {
            json!({
                "name": name, "port": port, "protocol": protocol, "hostname": hostname,
                "allowedRoutes": { "namespaces": from },
            })
        },
    );
    let class = select(vec!["latchkey", "latchkey", "latchkey", "other"]);
    let listeners = proptest::collection::vec(listener, 1..3);
    (select(vec!["gw", "gw2"]), class, listeners, time()).prop_map(|(name, class, listeners, time)| {
        let mut gateway = gateway(name, &Value::Array(listeners));
        gateway["spec"]["gatewayClassName"] = json!(class);
        created(gateway, time)
    })
}

fn any_rule() -> impl Strategy<Value = Value> {
    let extension = |name: &str| {
        json!([{ "type": "ExtensionRef", "extensionRef": {
            "group": "latchkey.dev", "kind": "AuthPolicy", "name": name,
        } }])
    };
    let filters = select(vec![
        json!([]),
        json!([]),
        extension("p1"),
        extension("p2"),
        json!([{ "type": "RequestMirror" }]),
    ]);
    let backend =
        (select(vec!["svc", "svc2"]), select(vec![80, 81]), 0..3).prop_map(|(name, port, weight)| {
            json!([{
                "name": name, "namespace": "default", "port": port, "weight": weight,
            }])
        });
    (select(vec!["/", "/a", "/a/b"]), filters, backend).prop_map(|(path, filters, backends)| {
        let mut rule = rule(path);
        rule["filters"] = filters;
        rule["backendRefs"] = backends;
        rule
    })
}

fn any_route() -> impl Strategy<Value = Value> {
    let parent = (
        select(vec!["gw", "gw2"]),
        select(vec![json!(null), json!("web"), json!("alt")]),
        select(vec![json!(null), json!(null), json!({})]),
    )
        .prop_map(|(name, section, unknown)| {
            json!({
                "name": name, "namespace": "default", "sectionName": section, "selector": unknown,
            })
        });
    let rules = prop_oneof![
        6 => proptest::collection::vec(any_rule(), 1..3).prop_map(Value::Array),
        1 => Just(json!("broken")),
    ];
    let parents = prop_oneof![
        6 => proptest::collection::vec(parent, 1..3).prop_map(Value::Array),
        1 => Just(json!([{ "name": 5 }])),
    ];
    let hostnames = prop_oneof![
        6 => proptest::collection::vec(hostname(), 0..3).prop_map(|names| json!(names)),
        1 => Just(json!(["one.test", 5])),
    ];
    let name = (namespace_name(), select(vec!["r1", "r2", "r3"]));
    (name, parents, hostnames, rules, time()).prop_map(
        |((namespace, name), parents, hostnames, rules, time)| {
            let mut route = route(&format!("{namespace}/{name}"), &[], &rules);
            route["spec"]["parentRefs"] = parents;
            route["spec"]["hostnames"] = hostnames;
            created(route, time)
        },
    )
}

fn any_policy() -> impl Strategy<Value = Value> {
    let target = select(vec![
        target("Gateway/gw"),
        target("Gateway/gw/web"),
        target("Gateway/gw/alt"),
        target("Gateway/gw2/alt"),
        target("Gateway/gw2/none"),
        target("HTTPRoute/r1"),
        target("HTTPRoute/r2"),
        json!({ "kind": "HTTPRoute" }),
    ]);
    let targets = proptest::collection::vec(target, 0..3);
    let name = (namespace_name(), select(vec!["p1", "p2", "p3"]));
    (
        name,
        targets,
        any::<bool>(),
        select(vec!["APIKey", "APIKey", "Magic"]),
        time(),
    )
        .prop_map(|((namespace, name), targets, overriding, method, time)| {
            let mut policy = policy(&format!("{namespace}/{name}"), &[]);
            policy["spec"]["targetRefs"] = Value::Array(targets);
            policy["spec"]["override"] = json!(overriding);
            policy["spec"]["methods"][0]["type"] = json!(method);
            created(policy, time)
        })
}

fn any_service() -> impl Strategy<Value = Value> {
    (
        select(vec!["svc", "svc2"]),
        select(vec![json!(80), json!(81), json!("x")]),
    )
        .prop_map(|(name, port)| {
            let mut service = service(name);
            service["spec"]["ports"][0]["port"] = port;
            service
        })
}

fn any_slice() -> impl Strategy<Value = Value> {
    let addresses = proptest::collection::vec(select(vec!["10.0.0.1", "10.0.0.2", "x"]), 0..3);
    (select(vec!["s1", "s2"]), select(vec!["svc", "svc2"]), addresses)
        .prop_map(|(name, service, addresses)| slice(name, service, &addresses))
}
