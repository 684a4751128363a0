use serde_json::json;

use super::*;

fn read(spec: &Value) -> Gateway {
    Gateway::read(&Manifest::Value(
        json!({ "metadata": { "uid": "u" }, "spec": spec }),
    ))
}

#[test]
fn what_has_the_wrong_type_breaks_the_gateway() {
    let listener = json!({ "name": "web", "port": 80, "protocol": "HTTP" });
    let with = |field: &str, value: Value| {
        let mut listener = listener.clone();
        listener[field] = value;
        json!({ "gatewayClassName": "latchkey", "listeners": [listener] })
    };
    let cases = [
        (with("port", json!("80")), "spec.listeners[0].port: "),
        (with("name", json!(null)), "spec.listeners[0].name: "),
        (with("hostname", json!("no host")), "spec.listeners[0].hostname: "),
        (with("protocol", json!(5)), "spec.listeners[0].protocol: "),
        (
            with("allowedRoutes", json!("All")),
            "spec.listeners[0].allowedRoutes: ",
        ),
        (json!({ "listeners": [] }), "spec.gatewayClassName: "),
        (
            json!({ "gatewayClassName": "latchkey", "listeners": 5 }),
            "spec.listeners: ",
        ),
        (json!(5), "spec: "),
        (json!(null), "spec: "),
        (
            json!({ "gatewayClassName": "latchkey", "listeners": [listener, listener] }),
            "spec.listeners[1].name: ",
        ),
    ];
    for (spec, start) in cases {
        let broken = read(&spec).body.expect_err("broken");
        let text = broken.misfit.to_string();
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn of_a_broken_gateway_the_ports_of_http_listeners_can_be_read() {
    let gateway = read(&json!({ "listeners": [
        { "port": 80, "protocol": "HTTP" },
        { "port": 81, "protocol": 5 },
        { "port": 82 },
        { "port": 443, "protocol": "HTTPS" },
        { "port": "83" },
        "nothing",
    ] }));
    assert_eq!(gateway.class, None);
    let broken = gateway.body.expect_err("broken");
    assert!(broken.ports.iter().eq(&[80, 81, 82]));
    assert_eq!(gateway.meta.uid.as_deref(), Some("u"));
}

#[test]
fn fields_of_later_versions_are_left_alone() {
    let gateway = read(&json!({
        "gatewayClassName": "latchkey",
        "addresses": [], "infrastructure": {}, "allowedListeners": {}, "tls": {},
        "listeners": [{ "name": "web", "port": 80, "protocol": "HTTP", "tls": {}, "news": 1 }],
    }));
    assert_eq!(gateway.problems(), []);
}

#[test]
fn what_a_listener_asks_for_in_vain_is_told() {
    let gateway = read(&json!({ "gatewayClassName": "latchkey", "listeners": [
        { "name": "a", "port": 443, "protocol": "HTTPS" },
        { "name": "b", "port": 80, "protocol": "HTTP", "allowedRoutes": {
            "kinds": [{ "kind": "HTTPRoute" }, { "kind": "TLSRoute" }],
            "namespaces": { "from": "Some" },
        } },
    ] }));
    let told: Vec<_> = gateway
        .problems()
        .into_iter()
        .map(|problem| (problem.reason.as_str(), problem.path))
        .collect();
    let expected = [
        ("UnsupportedProtocol", "spec.listeners[0].protocol"),
        ("InvalidRouteKinds", "spec.listeners[1].allowedRoutes.kinds[1]"),
        (
            "UnsupportedValue",
            "spec.listeners[1].allowedRoutes.namespaces.from",
        ),
    ];
    assert_eq!(told, expected.map(|(reason, path)| (reason, path.to_owned())));
}
