use latchkey_core::object::ObjectName;
use serde_json::json;

use super::*;
use crate::{
    object::Manifest,
    read::{gateway::Gateway, namespace},
};

fn listeners(value: &serde_json::Value) -> Vec<Listener> {
    let object = json!({ "spec": { "gatewayClassName": "latchkey", "listeners": value } });
    let gateway = Gateway::read(&Manifest::Value(object));
    gateway.body.expect("listeners that can be read")
}

/// Three listeners that admit all, and one of another protocol.
fn usual() -> Vec<Listener> {
    let all = json!({ "namespaces": { "from": "All" } });
    listeners(&json!([
        { "name": "any", "port": 80, "protocol": "HTTP", "allowedRoutes": all },
        { "name": "wild", "port": 80, "protocol": "HTTP", "hostname": "*.test", "allowedRoutes": all },
        { "name": "alt", "port": 81, "protocol": "HTTP", "hostname": "a.test", "allowedRoutes": all },
        { "name": "tls", "port": 443, "protocol": "HTTPS", "allowedRoutes": all },
    ]))
}

fn parent(section: Option<&str>, port: Option<u16>) -> ParentRef {
    ParentRef {
        gateway: ObjectName::new("infra", "gw"),
        section: section.map(str::to_owned),
        port,
        index: 0,
        namespace: Some("infra".to_owned()),
        unsupported: None,
    }
}

fn attached(parent: &ParentRef, hostnames: &[&str], listeners: &[Listener]) -> Result<Vec<String>, Refusal> {
    let hostnames: Vec<_> = hostnames
        .iter()
        .map(|text| Hostname::parse(text).expect("a hostname"))
        .collect();
    let labels = namespace::read("team", None);
    let namespaces = Namespaces {
        route: "team",
        labels: &labels,
        gateway: "infra",
    };
    let found = attach(parent, &hostnames, namespaces, listeners)?;
    Ok(found
        .into_iter()
        .map(|(name, host)| format!("{name} {host}"))
        .collect())
}

#[test]
fn a_route_gets_the_hostnames_that_it_shares_with_each_listener() {
    let every = parent(None, None);
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &["any *", "wild *.test", "alt a.test"]),
        (&["a.test"], &["any a.test", "wild a.test", "alt a.test"]),
        (
            &["*.test", "b.org"],
            &["any *.test", "any b.org", "wild *.test", "alt a.test"],
        ),
        (&["test"], &["any test"]),
    ];
    for (hostnames, expected) in cases {
        let expected = expected.iter().map(ToString::to_string).collect();
        assert_eq!(
            attached(&every, hostnames, &usual()),
            Ok(expected),
            "{hostnames:?}"
        );
    }
}

#[test]
fn a_section_name_and_a_port_both_choose() {
    let cases = [
        (Some("wild"), None, Ok(vec!["wild *.test".to_owned()])),
        (None, Some(81), Ok(vec!["alt a.test".to_owned()])),
        (Some("wild"), Some(81), Err(Refusal::NoMatchingParent)),
        (Some("none"), None, Err(Refusal::NoMatchingParent)),
        (Some("tls"), None, Err(Refusal::NoMatchingParent)),
        (None, Some(443), Err(Refusal::NoMatchingParent)),
    ];
    for (section, port, expected) in cases {
        let parent = parent(section, port);
        assert_eq!(attached(&parent, &[], &usual()), expected, "{section:?} {port:?}");
    }
}

#[test]
fn a_listener_without_a_common_hostname_is_not_attached_to() {
    let wild = parent(Some("wild"), None);
    let refused = Err(Refusal::NoMatchingListenerHostname);
    assert_eq!(attached(&wild, &["b.org", "test"], &usual()), refused);
}

#[test]
fn a_listener_admits_whom_its_allowed_routes_say() {
    let by_name = json!({ "matchLabels": { "kubernetes.io/metadata.name": "team" } });
    let cases = [
        (json!({}), false),
        (json!({ "namespaces": {} }), false),
        (json!({ "namespaces": { "from": "Same" } }), false),
        (json!({ "namespaces": { "from": "All" } }), true),
        (
            json!({ "namespaces": { "from": "Selector", "selector": by_name } }),
            true,
        ),
        (json!({ "namespaces": { "from": "Selector" } }), false),
        (json!({ "namespaces": { "from": "Everyone" } }), false),
        (json!({ "namespaces": { "from": "All", "except": [] } }), false),
        (
            json!({ "namespaces": { "from": "All" }, "kinds": [{ "kind": "GRPCRoute" }] }),
            false,
        ),
        (
            json!({ "namespaces": { "from": "All" }, "kinds": [{ "kind": "HTTPRoute" }] }),
            true,
        ),
        (
            json!({ "namespaces": { "from": "All" }, "kinds": [{ "group": "x", "kind": "HTTPRoute" }] }),
            false,
        ),
    ];
    for (allowed, admitted) in cases {
        let listener = json!([{
            "name": "web", "port": 80, "protocol": "HTTP", "allowedRoutes": allowed,
        }]);
        let found = attached(&parent(None, None), &[], &listeners(&listener));
        let expected = if admitted {
            Ok(vec!["web *".to_owned()])
        } else {
            Err(Refusal::NotAllowedByListeners)
        };
        assert_eq!(found, expected, "{allowed}");
    }
}
