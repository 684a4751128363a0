//! What stands, what should be said, and what is written of it.

use latchkey_crds::CONTROLLER_NAME as CONTROLLER;
use latchkey_routing::status::{AncestorStatus, ParentStatus, Reference};

use super::*;

const THEN: &str = "2026-01-01T00:00:00Z";
const NOW: &str = "2026-02-02T00:00:00Z";

fn now() -> Time {
    serde_json::from_value(json!(NOW)).expect("a time")
}

fn planned(standing: &Value, desired: &Status) -> Option<Value> {
    let now = now();
    plan(
        standing,
        desired,
        Writer {
            generation: Some(7),
            now: &now,
        },
    )
}

/// Writes what is planned, and checks that nothing is left to be written then.
fn written(standing: &Value, desired: &Status) -> Value {
    let mut status = standing.clone();
    let patch = planned(standing, desired).expect("something to write");
    for (field, value) in patch.as_object().expect("fields") {
        status[field] = value.clone();
    }
    assert_eq!(planned(&status, desired), None, "it would be written again");
    status
}

fn found(type_: &'static str, good: bool) -> Finding {
    Finding {
        type_,
        status: if good { Truth::True } else { Truth::False },
        reason: if good { "Good" } else { "Bad" },
        message: if good { "" } else { "do this" }.to_owned(),
    }
}

fn condition(type_: &str, good: bool, generation: i64, since: &str) -> Value {
    json!({
        "type": type_,
        "status": if good { "True" } else { "False" },
        "reason": if good { "Good" } else { "Bad" },
        "message": if good { "" } else { "do this" },
        "observedGeneration": generation,
        "lastTransitionTime": since,
    })
}

fn a_gateway(good: bool) -> Status {
    Status::Gateway(GatewayStatus {
        conditions: vec![found("Accepted", good)],
        listeners: vec![ListenerStatus {
            name: "web".to_owned(),
            supported_kinds: vec![("g", "HTTPRoute")],
            attached_routes: 2,
            conditions: vec![found("Accepted", good)],
        }],
    })
}

fn reference(name: &str) -> Reference {
    Reference {
        group: "g".to_owned(),
        kind: "Gateway".to_owned(),
        namespace: None,
        name: name.to_owned(),
        section: Some("web".to_owned()),
        port: Some(80),
    }
}

fn parents(names: &[&str], conditions: &[Finding]) -> Status {
    let parent = |name: &&str| ParentStatus {
        parent: reference(name),
        conditions: conditions.to_vec(),
    };
    Status::HttpRoute(names.iter().map(parent).collect())
}

fn element(name: &str, controller: &str, conditions: &[Value]) -> Value {
    json!({
        "parentRef": { "group": "g", "kind": "Gateway", "name": name, "sectionName": "web", "port": 80 },
        "controllerName": controller,
        "conditions": conditions,
    })
}

#[test]
fn a_gateway_gets_its_conditions_and_listeners_and_keeps_the_rest() {
    let standing = json!({
        "addresses": [{ "value": "10.0.0.1" }],
        "conditions": [
            condition("Accepted", false, 6, THEN),
            condition("example.com/Theirs", true, 3, THEN),
        ],
        "listeners": [{ "name": "gone", "attachedRoutes": 9, "supportedKinds": [], "conditions": [] }],
    });
    let status = written(&standing, &a_gateway(true));
    let expected = json!({
        "addresses": [{ "value": "10.0.0.1" }],
        "conditions": [
            condition("Accepted", true, 7, NOW),
            condition("example.com/Theirs", true, 3, THEN),
        ],
        "listeners": [{
            "name": "web",
            "supportedKinds": [{ "group": "g", "kind": "HTTPRoute" }],
            "attachedRoutes": 2,
            "conditions": [condition("Accepted", true, 7, NOW)],
        }],
    });
    assert_eq!(status, expected);
}

#[test]
fn a_time_moves_only_with_the_status() {
    let standing = json!({ "conditions": [condition("Accepted", true, 6, THEN)] });
    let status = written(&standing, &a_gateway(true));
    assert_eq!(
        status["conditions"],
        json!([condition("Accepted", true, 7, THEN)])
    );
    let listener = &status["listeners"][0];
    assert_eq!(
        listener["conditions"],
        json!([condition("Accepted", true, 7, NOW)])
    );
}

#[test]
fn of_shared_lists_only_our_own_elements_change() {
    let theirs = element("theirs", "other", &[]);
    let mut odd = element("kept", "other", &[]);
    odd["surprise"] = json!(1);
    let standing = json!({ "parents": [
        theirs,
        element("kept", CONTROLLER, &[condition("Accepted", true, 7, THEN)]),
        odd,
        element("dropped", CONTROLLER, &[condition("Accepted", true, 7, THEN)]),
    ] });
    let status = written(&standing, &parents(&["new", "kept"], &[found("Accepted", true)]));
    let expected = json!({ "parents": [
        theirs,
        element("kept", CONTROLLER, &[condition("Accepted", true, 7, THEN)]),
        odd,
        element("new", CONTROLLER, &[condition("Accepted", true, 7, NOW)]),
    ] });
    assert_eq!(status, expected);
    let status = written(&standing, &parents(&[], &[]));
    assert_eq!(status, json!({ "parents": [theirs, odd] }));
}

#[test]
fn nothing_is_written_to_a_route_that_is_none_of_ours() {
    assert_eq!(planned(&Value::Null, &parents(&[], &[])), None);
    let standing = json!({ "parents": [element("theirs", "other", &[])] });
    assert_eq!(planned(&standing, &parents(&[], &[])), None);
}

#[test]
fn a_condition_of_ours_that_is_over_goes_and_others_stay() {
    let standing = json!({ "parents": [element("gw", CONTROLLER, &[
        condition("Accepted", true, 7, THEN),
        condition("PartiallyInvalid", true, 7, THEN),
        condition("example.com/Theirs", true, 7, THEN),
    ])] });
    let status = written(&standing, &parents(&["gw"], &[found("Accepted", true)]));
    let expected = [
        condition("Accepted", true, 7, THEN),
        condition("example.com/Theirs", true, 7, THEN),
    ];
    assert_eq!(status["parents"], json!([element("gw", CONTROLLER, &expected)]));
}

#[test]
fn an_element_that_stands_twice_is_kept_once() {
    let ours = element("gw", CONTROLLER, &[condition("Accepted", true, 7, THEN)]);
    let standing = json!({ "parents": [ours, ours] });
    let status = written(&standing, &parents(&["gw"], &[found("Accepted", true)]));
    assert_eq!(status, json!({ "parents": [ours] }));
}

#[test]
fn a_full_list_of_ancestors_gets_no_more() {
    let theirs = |n: usize| json!({ "ancestorRef": { "name": format!("a-{n}") }, "controllerName": "other" });
    let policy = |names: &[&str]| {
        let ancestor = |name: &&str| AncestorStatus {
            ancestor: reference(name),
            conditions: vec![found("Accepted", false)],
        };
        Status::AuthPolicy(names.iter().map(ancestor).collect())
    };
    let fifteen: Vec<_> = (0..15).map(theirs).collect();
    let status = written(&json!({ "ancestors": fifteen }), &policy(&["one", "two"]));
    let names: Vec<_> = status["ancestors"].as_array().expect("a list").iter().collect();
    assert_eq!(names.len(), 16);
    assert_eq!(names[15]["ancestorRef"]["name"], "one");
    let full: Vec<_> = (0..16).map(theirs).collect();
    assert_eq!(planned(&json!({ "ancestors": full }), &policy(&["one"])), None);
}

#[test]
fn a_class_is_accepted_and_says_what_this_version_does() {
    let now = now();
    let writer = Writer {
        generation: Some(1),
        now: &now,
    };
    let patch = class(&Value::Null, Class { parameters: false }, writer).expect("a patch");
    assert_eq!(patch["conditions"][0]["status"], "True");
    let features = patch["supportedFeatures"].as_array().expect("a list");
    assert!(features.contains(&json!({ "name": "HTTPRouteMethodMatching" })));
    assert_eq!(class(&patch, Class { parameters: false }, writer), None);
    let patch = class(&patch, Class { parameters: true }, writer).expect("a patch");
    assert_eq!(patch["conditions"][0]["reason"], "InvalidParameters");
    assert!(
        patch["conditions"][0]["message"]
            .as_str()
            .expect("text")
            .starts_with("spec.parametersRef: ")
    );
}
