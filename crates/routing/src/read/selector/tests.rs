use serde_json::json;

use super::*;

#[test]
fn a_selector_selects_by_labels_and_expressions() {
    let labels: Labels = [("team", "a"), ("tier", "web")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    let expression = |key: &str, operator: &str, values: Value| json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] });
    let cases = [
        (json!({}), true),
        (json!({ "matchLabels": { "team": "a" } }), true),
        (json!({ "matchLabels": { "team": "b" } }), false),
        (json!({ "matchLabels": { "team": "a", "other": "" } }), false),
        (expression("team", "In", json!(["b", "a"])), true),
        (expression("team", "In", json!(["b"])), false),
        (expression("none", "In", json!(["a"])), false),
        (expression("team", "NotIn", json!(["b"])), true),
        (expression("team", "NotIn", json!(["a"])), false),
        (expression("none", "NotIn", json!(["a"])), true),
        (expression("team", "Exists", json!(null)), true),
        (expression("none", "Exists", json!([])), false),
        (expression("none", "DoesNotExist", json!(null)), true),
        (expression("team", "DoesNotExist", json!(null)), false),
    ];
    for (value, selects) in cases {
        let selector = LabelSelector::read(&value).expect("a selector");
        assert_eq!(selector.selects(&labels), selects, "{value}");
    }
}

#[test]
fn what_might_select_less_is_no_selector() {
    let expression = |operator: &str, values: Value| json!({ "matchExpressions": [{ "key": "team", "operator": operator, "values": values }] });
    for value in [
        json!([]),
        json!({ "matchFields": {} }),
        json!({ "matchLabels": { "team": 5 } }),
        json!({ "matchExpressions": [{ "operator": "Exists" }] }),
        json!({ "matchExpressions": [{ "key": "a", "operator": "Exists", "more": 1 }] }),
        expression("Gt", json!(["1"])),
        expression("In", json!([])),
        expression("In", json!([5])),
        expression("Exists", json!(["a"])),
    ] {
        assert!(LabelSelector::read(&value).is_err(), "{value}");
    }
}

#[test]
fn a_key_in_the_place_of_a_fields_name_is_not_shown() {
    const PASTED: &str = "sk-live_0123456789";
    for value in [json!({ PASTED: 1 }), json!({ "matchLabels": { PASTED: 1 } })] {
        let misfit = LabelSelector::read(&value).expect_err("no selector");
        assert!(!format!("{misfit} {misfit:?}").contains(PASTED), "{misfit}");
    }
}
