use latchkey_core::object::ObjectName;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(spec: &Value) -> HttpRoute {
    let object = json!({ "metadata": { "uid": "u" }, "spec": spec });
    HttpRoute::read(&Manifest::Value(object), "team")
}

fn paths(spec: &Value) -> Vec<String> {
    let spec = read(spec).body.expect("a route that can be read");
    let problems = spec.rules.into_iter().flat_map(|rule| rule.problems);
    problems.map(|problem| problem.path).collect()
}

#[test]
fn a_route_without_rules_has_one_for_every_path() {
    for spec in [json!({}), json!({ "rules": [] })] {
        let spec = read(&spec).body.expect("a route");
        assert_eq!(spec.rules.len(), 1);
        assert_eq!(spec.rules[0].matches, [Match::everything()]);
    }
}

#[test]
fn parents_are_gateways_of_the_routes_namespace_unless_they_say_otherwise() {
    let spec = read(&json!({ "parentRefs": [
        { "name": "a" },
        { "name": "b", "namespace": "infra", "sectionName": "web", "port": 80 },
        { "name": "mesh", "kind": "Service", "group": "" },
    ] }));
    let parents = spec.body.expect("a route").parents;
    let expected = [
        ParentRef {
            gateway: ObjectName::new("team", "a"),
            section: None,
            port: None,
            index: 0,
            namespace: None,
            unsupported: None,
        },
        ParentRef {
            gateway: ObjectName::new("infra", "b"),
            section: Some("web".to_owned()),
            port: Some(80),
            index: 1,
            namespace: Some("infra".to_owned()),
            unsupported: None,
        },
    ];
    assert_eq!(parents, expected);
}

#[test]
fn what_a_rule_asks_for_in_vain_is_a_problem_of_that_rule() {
    let backend = json!({ "name": "svc", "port": 80 });
    let with = |field: &str, value: Value| {
        let mut backend = backend.clone();
        backend[field] = value;
        json!({ "backendRefs": [backend] })
    };
    let modifier = json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": {} });
    let answers = json!({ "type": "ResponseHeaderModifier", "responseHeaderModifier": {} });
    let redirect = json!({ "type": "RequestRedirect", "requestRedirect": {} });
    let rewrite = json!({ "type": "URLRewrite", "urlRewrite": {} });
    let prefixed = json!({ "type": "RequestRedirect", "requestRedirect": {
        "path": { "type": "ReplacePrefixMatch", "replacePrefixMatch": "/" },
    } });
    let prefix_type = "filters[0].requestRedirect.path.type";
    let cases = [
        (json!({ "timeouts": { "request": "soon" } }), "timeouts.request"),
        (json!({ "retry": {} }), "retry"),
        (json!({ "sessionPersistence": {} }), "sessionPersistence"),
        (json!({ "filters": [{ "type": "CORS" }] }), "filters[0].type"),
        (json!({ "filters": [modifier, modifier, modifier] }), "filters"),
        (json!({ "filters": [answers, modifier, answers] }), "filters"),
        (json!({ "filters": [redirect, redirect] }), "filters"),
        (json!({ "filters": [rewrite, rewrite] }), "filters"),
        (json!({ "filters": [redirect, rewrite] }), "filters"),
        (
            json!({ "filters": [redirect], "backendRefs": [backend] }),
            "backendRefs",
        ),
        (json!({ "filters": [prefixed], "matches": [{}, {}] }), prefix_type),
        (
            json!({ "filters": [prefixed], "matches": [{ "path": { "type": "Exact", "value": "/a" } }] }),
            prefix_type,
        ),
        (json!({ "matches": [{}, { "news": 1 }] }), "matches[1].news"),
        (with("filters", json!([{}])), "backendRefs[0].filters"),
        (with("weight", json!(-1)), "backendRefs[0].weight"),
        (with("weight", json!(1_000_001)), "backendRefs[0].weight"),
        (with("tls", json!({})), "backendRefs[0].tls"),
    ];
    for (rule, path) in cases {
        let expected = format!("spec.rules[1].{path}");
        assert_eq!(paths(&json!({ "rules": [{}, rule] })), [expected], "{rule}");
    }
    assert!(paths(&json!({ "rules": [{ "name": "a", "retry": null }] })).is_empty());
    let together = json!({ "filters": [answers, prefixed, modifier], "backendRefs": [] });
    assert!(paths(&json!({ "rules": [together] })).is_empty());
}

#[test]
fn wrong_types_break_the_route_and_name_the_field() {
    let cases = [
        (json!(null), "spec: "),
        (json!({ "rules": {} }), "spec.rules: "),
        (json!({ "rules": [5] }), "spec.rules[0]: "),
        (json!({ "rules": [{ "name": 5 }] }), "spec.rules[0].name: "),
        (
            json!({ "rules": [{ "timeouts": { "request": 5 } }] }),
            "spec.rules[0].timeouts.request: ",
        ),
        (
            json!({ "rules": [{ "backendRefs": [{ "name": "a", "weight": "1" }] }] }),
            "spec.rules[0].backendRefs[0].weight: ",
        ),
        (json!({ "hostnames": ["a b"] }), "spec.hostnames[0]: "),
        (json!({ "hostnames": [""] }), "spec.hostnames[0]: "),
        (json!({ "parentRefs": [{}] }), "spec.parentRefs[0].name: "),
    ];
    for (spec, start) in cases {
        let text = read(&spec).body.expect_err("broken").misfit.to_string();
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn of_a_broken_route_parents_and_hostnames_are_kept() {
    let broken = |spec: &Value| read(spec).body.expect_err("broken");
    let whole = broken(&json!({
        "parentRefs": [{ "name": "gw" }], "hostnames": ["a.test"], "rules": 5,
    }));
    assert!(whole.complete);
    assert_eq!(whole.parents.map(|parents| parents.len()), Some(1));
    assert_eq!(whole.hostnames.len(), 1);
    let half = broken(&json!({ "parentRefs": [{ "name": 5 }], "hostnames": ["a.test", 5] }));
    assert!(!half.complete);
    assert_eq!((half.parents, half.hostnames.len()), (None, 1));
    let bare = broken(&json!({ "rules": 5 }));
    assert!(!bare.complete, "it has all hostnames of its listeners");
    let nothing = broken(&json!(5));
    assert!(!nothing.complete);
    let unsure = broken(&json!({ "parentRefs": [{ "name": "gw", "only": 1 }], "rules": 5 }));
    assert_eq!(unsure.parents, None);
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        "[a-z/*.]{0,8}".prop_map(Value::String),
    ];
    let names = proptest::sample::select(vec![
        "metadata",
        "spec",
        "rules",
        "matches",
        "path",
        "type",
        "value",
        "headers",
        "name",
        "filters",
        "backendRefs",
        "hostnames",
        "parentRefs",
        "port",
        "weight",
        "other",
    ]);
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((names.clone(), inner), 0..6).prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
                Value::Object(fields.collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_object_breaks_the_reader(value in json()) {
        let _ = HttpRoute::read(&Manifest::Value(value), "n");
    }
}

#[test]
fn a_key_in_the_place_of_a_fields_name_is_not_shown() {
    const PASTED: &str = "sk-live_0123456789";
    let pasted = json!({ PASTED: 1 });
    let filter = json!({ "type": "RequestHeaderModifier", PASTED: 1, "requestHeaderModifier": pasted });
    let matcher = json!({ PASTED: 1, "path": pasted });
    let rule = json!({ PASTED: 1, "filters": [filter], "matches": [matcher] });
    let spec = read(&json!({ "rules": [rule, { "retry": {} }] }))
        .body
        .expect("a route");
    let problems = |rule: usize| {
        spec.rules[rule]
            .problems
            .iter()
            .map(Problem::text)
            .collect::<Vec<_>>()
    };
    assert_eq!(problems(0).len(), 5);
    assert!(!format!("{spec:?}").contains(PASTED), "{spec:?}");
    assert!(
        problems(0)[0].starts_with("spec.rules[0]: has a field"),
        "{:?}",
        problems(0)
    );
    assert!(
        problems(1)[0].starts_with("spec.rules[1].retry: "),
        "a word is shown"
    );
}
