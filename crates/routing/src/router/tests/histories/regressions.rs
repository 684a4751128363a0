//! Histories that once failed.

use serde_json::{Value, json};

use super::{super::support::*, follow, step::Step};

/// Once a history failed so: the route that a policy's filter was taken out of was not looked at again.
#[test]
fn a_rule_that_loses_its_filter_stands_where_a_rebuild_does() {
    let filtered = |filters: &Value| {
        let mut rule = rule("/");
        rule["filters"] = filters.clone();
        Step::Put(route("r", &[], &json!([rule])))
    };
    let filter = json!([{
        "type": "ExtensionRef",
        "extensionRef": { "group": "latchkey.dev", "kind": "AuthPolicy", "name": "p" },
    }]);
    let steps = [
        Step::Put(policy("p", &[])),
        filtered(&filter),
        Step::Commit,
        filtered(&json!([])),
    ];
    follow(steps, false).expect("it stands where a rebuild does");
}

/// Once a history failed so: the listener that the route left kept counting it.
#[test]
fn a_route_that_leaves_its_listener_and_cannot_be_read_stands_where_a_rebuild_does() {
    let mut attached = route("r", &[], &json!([rule("/")]));
    attached["spec"]["parentRefs"][0]["sectionName"] = json!("web");
    let mut unreadable = route("r", &[], &json!([rule("/")]));
    unreadable["spec"]["hostnames"] = json!(["one.test", 5]);
    let steps = [
        Step::Put(attached),
        Step::Put(plain_gateway()),
        Step::Commit,
        Step::Put(unreadable),
    ];
    follow(steps, false).expect("it stands where a rebuild does");
}

/// Once a history failed so: a Gateway without any port did not count its routes again.
#[test]
fn a_policy_of_a_gateway_that_serves_nothing_stands_where_a_rebuild_does() {
    let mut same_twice = plain_gateway();
    let mut other = same_twice["spec"]["listeners"][0].clone();
    other["name"] = json!("alt");
    same_twice["spec"]["listeners"]
        .as_array_mut()
        .expect("a list")
        .push(other);
    let steps = [
        Step::Put(same_twice),
        Step::Put(route("r", &[], &json!([rule("/")]))),
        Step::Commit,
        Step::Put(policy("p", &["Gateway/gw"])),
    ];
    follow(steps, false).expect("it stands where a rebuild does");
}
