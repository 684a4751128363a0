use serde_json::{Value, json};

use super::*;
use crate::{object::Manifest, read::gateway::Gateway};

/// Port, protocol and hostname.
type Parts<'a> = (u16, &'a str, &'a str);

fn listeners(parts: &[Parts<'_>]) -> Vec<Listener> {
    let listeners: Value = parts
        .iter()
        .enumerate()
        .map(|(index, (port, protocol, hostname))| {
            json!({
                "name": format!("l{index}"), "port": port, "protocol": protocol, "hostname": hostname,
            })
        })
        .collect();
    let object = json!({ "spec": { "gatewayClassName": "latchkey", "listeners": listeners } });
    let gateway = Gateway::read(&Manifest::Value(object));
    gateway.body.expect("listeners that can be read")
}

#[test]
fn listeners_of_a_port_are_told_apart_by_hostname() {
    use Role::*;
    let cases: [(&[Parts<'_>], &[Role], &[u16]); 6] = [
        (&[(80, "HTTP", "")], &[Serves], &[80]),
        (
            &[(80, "HTTP", ""), (80, "HTTP", "a"), (81, "HTTP", "")],
            &[Serves; 3],
            &[80, 81],
        ),
        (
            &[(80, "HTTP", "a"), (80, "HTTP", "A"), (80, "HTTP", "b")],
            &[HostnameConflict, HostnameConflict, Serves],
            &[80],
        ),
        (&[(80, "HTTP", ""), (80, "HTTP", "")], &[HostnameConflict; 2], &[]),
        (
            &[(80, "HTTP", "a"), (80, "HTTPS", "b")],
            &[ProtocolConflict, Foreign],
            &[],
        ),
        (&[(80, "HTTP", ""), (443, "HTTPS", "")], &[Serves, Foreign], &[80]),
    ];
    for (parts, expected, ports) in cases {
        let listeners = listeners(parts);
        assert_eq!(roles(&listeners), expected, "{parts:?}");
        assert!(claimed(&listeners).iter().eq(ports), "{parts:?}");
    }
}

#[test]
fn a_conflict_is_told_of_each_listener() {
    let listeners = listeners(&[(80, "HTTP", ""), (81, "HTTP", ""), (80, "HTTP", "")]);
    let paths: Vec<_> = conflicts(&listeners).map(|problem| problem.path).collect();
    assert_eq!(paths, ["spec.listeners[0]", "spec.listeners[2]"]);
}
