//! A change costs what changed, not what exists: the objects that a commit looks at are counted.

use serde_json::{Value, json};

use super::support::*;
use crate::{
    object::{Kind, Manifest},
    router::{Router, work},
};

/// As many routes, each of a hostname of its own, as Gateways that would like to have the one port, as
/// policies for the Gateway that has it, for its listener, and for one of the routes.
struct Town(Router);

impl Town {
    fn of(size: usize) -> Self {
        let mut town = Self(World::new().router);
        town.put(edge("side.test"));
        town.put(service("svc"));
        town.put(slice("svc-1", "svc", &["10.0.0.1"]));
        for number in 0..size {
            town.put(member(number, "/"));
            town.put(created(gateway_on_80(number), YOUNGER));
            for target in ["Gateway/gw", "Gateway/gw/web", "HTTPRoute/r1"] {
                town.put(waiting(target, number, "APIKey"));
            }
        }
        for target in ["Gateway/gw", "Gateway/gw/web", "HTTPRoute/r1"] {
            town.put(holding(target, "APIKey"));
        }
        let mut side = route("side", &["side.test"], &json!([rule("/")]));
        side["spec"]["parentRefs"][0]["sectionName"] = json!("side");
        town.put(side);
        town.commit();
        town
    }

    fn put(&mut self, object: Value) {
        let (kind, name) = identity(&object);
        self.0.apply(kind, &name, Manifest::Value(object));
    }

    /// Commits, and gives back what was looked at and whose status is to be looked at.
    fn commit(&mut self) -> usize {
        self.0.commit();
        work::take_looks() + self.0.take_status_changes().len()
    }

    fn costs(&mut self, change: &Change) -> usize {
        work::take_looks();
        match change.clone() {
            Change::Put(object) => self.put(object),
            Change::Delete(kind, name) => self.0.delete(kind, &full(name)),
        }
        self.commit()
    }
}

const YOUNGER: &str = "2026-01-02T00:00:00Z";

#[derive(Clone)]
enum Change {
    Put(Value),
    Delete(Kind, &'static str),
}

/// The Gateway that has ports 80 and 81.
fn edge(side: &str) -> Value {
    let listener = |name: &str, port: u16, hostname: &str| {
        json!({
            "name": name, "port": port, "protocol": "HTTP", "hostname": hostname,
            "allowedRoutes": { "namespaces": { "from": "All" } },
        })
    };
    gateway(
        "gw",
        &json!([listener("web", 80, ""), listener("side", 81, side)]),
    )
}

fn gateway_on_80(number: usize) -> Value {
    let listener = json!([{ "name": "web", "port": 80, "protocol": "HTTP" }]);
    gateway(&format!("late-{number}"), &listener)
}

fn member(number: usize, path: &str) -> Value {
    let host = format!("{number}.test");
    let mut member = route(&format!("r{number}"), &[&host], &json!([rule(path)]));
    member["spec"]["parentRefs"][0]["sectionName"] = json!("web");
    member
}

/// The policy that holds at a target.
fn holding(target: &str, method: &str) -> Value {
    let mut policy = policy(
        &format!("holds-{}", target.replace('/', "-").to_lowercase()),
        &[target],
    );
    policy["spec"]["methods"][0]["type"] = json!(method);
    policy
}

/// One of those that would hold if others were not older.
fn waiting(target: &str, number: usize, method: &str) -> Value {
    let mut policy = created(holding(target, method), YOUNGER);
    let name = policy["metadata"]["name"].as_str().expect("a name").to_owned();
    policy["metadata"]["name"] = json!(format!("{name}-{number}"));
    policy
}

fn astray() -> Value {
    policy("astray", &["Gateway/gw/none"])
}

/// One after the other, so that each finds what the ones before it left.
fn changes() -> Vec<(&'static str, Change)> {
    use Change::{Delete, Put};
    let mut addressed = edge("side.test");
    addressed["spec"]["addresses"] = json!([{ "value": "10.0.0.9" }]);
    let mut third = edge("side.test");
    let listeners = third["spec"]["listeners"].as_array_mut().expect("a list");
    let mut listener = listeners[1].clone();
    listener["name"] = json!("third");
    listener["hostname"] = json!("third.test");
    listeners.push(listener);
    let mut moved = gateway_on_80(0);
    moved["spec"]["listeners"][0]["port"] = json!(82);
    vec![
        ("a route's rules", Put(member(0, "/a"))),
        ("a route with many policies", Put(member(1, "/a"))),
        ("a new route", Put(member(1_000_000, "/"))),
        ("a route's end", Delete(Kind::HttpRoute, "r1000000")),
        (
            "a policy that holds for the Gateway",
            Put(holding("Gateway/gw", "Anonymous")),
        ),
        ("one that waits", Put(waiting("Gateway/gw", 7, "Anonymous"))),
        (
            "one that waits, and is broken",
            Put(waiting("Gateway/gw", 7, "Magic")),
        ),
        ("its end", Delete(Kind::AuthPolicy, "holds-gateway-gw-7")),
        ("a new one", Put(waiting("Gateway/gw", 7, "APIKey"))),
        ("a new override", Put(override_policy("over", &["Gateway/gw"]))),
        ("a listener's policy", Put(holding("Gateway/gw/web", "Anonymous"))),
        (
            "one that waits there",
            Put(waiting("Gateway/gw/web", 7, "Anonymous")),
        ),
        ("a route's policy", Put(holding("HTTPRoute/r1", "Anonymous"))),
        (
            "one that waits there",
            Put(waiting("HTTPRoute/r1", 7, "Anonymous")),
        ),
        ("a policy astray", Put(astray())),
        ("a route while one is astray", Put(member(2, "/b"))),
        ("its end", Delete(Kind::AuthPolicy, "astray")),
        ("what a Gateway asks for in vain", Put(addressed)),
        ("a listener of few routes", Put(edge("*.test"))),
        ("a new listener", Put(third)),
        ("its end", Put(edge("side.test"))),
        ("a Gateway that waits for a port", Put(moved)),
        ("its return", Put(created(gateway_on_80(0), YOUNGER))),
        ("the end of another", Delete(Kind::Gateway, "late-1")),
        ("a new Gateway", Put(created(gateway_on_80(1_000_000), YOUNGER))),
        ("endpoints", Put(slice("svc-1", "svc", &["10.0.0.2"]))),
    ]
}

#[test]
fn a_change_costs_as_much_among_ten_thousand_as_among_a_hundred() {
    let (mut small, mut large) = (Town::of(100), Town::of(10_000));
    for (what, change) in changes() {
        let (few, many) = (small.costs(&change), large.costs(&change));
        assert!(
            many <= 2 * few.max(1),
            "{what}: {few} among 100, {many} among 10,000"
        );
    }
}
