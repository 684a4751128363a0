use serde_json::json;

use super::*;

fn read(spec: &Value) -> AuthPolicy {
    let object = json!({
        "metadata": { "name": "keys", "namespace": "n" },
        "spec": spec,
    });
    AuthPolicy::read(&Manifest::Value(object), &ObjectName::new("n", "keys"))
}

#[test]
fn a_policy_is_compiled() {
    let policy = read(&json!({
        "targetRefs": [
            { "group": GATEWAY_GROUP, "kind": "Gateway", "name": "gw" },
            { "group": GATEWAY_GROUP, "kind": "Gateway", "name": "gw", "sectionName": "web" },
            { "group": GATEWAY_GROUP, "kind": "HTTPRoute", "name": "api" },
        ],
        "methods": [
            { "type": "APIKey", "apiKey": { "extractFrom": [
                { "header": { "name": "Authorization" } }, { "query": { "name": "key" } },
            ] } },
            { "type": "Anonymous" },
        ],
        "consumerNamespaces": ["b", "a", "b"],
        "hideCredentials": false,
    }));
    let name = |name: &str| ObjectName::new("n", name);
    let targets = [
        Target::Gateway(name("gw")),
        Target::Listener(name("gw"), "web".to_owned()),
        Target::Route(name("api")),
    ];
    assert_eq!(policy.targets, targets.into());
    let compiled = policy.body.expect("a policy that can be honoured");
    let places = vec![
        Place::Header(http::header::AUTHORIZATION),
        Place::Query("key".to_owned()),
    ];
    assert_eq!(compiled.methods, [Method::ApiKey(places), Method::Anonymous]);
    let admitted: Box<[Box<str>]> = ["a".into(), "b".into()].into();
    assert_eq!(compiled.admission.namespaces, Namespaces::These(admitted));
    assert!(!compiled.hide_credentials);
}

#[test]
fn preflights_pass_only_where_a_policy_says_so() {
    let with = |preflight: Value| read(&json!({ "methods": [{ "type": "APIKey" }], "preflight": preflight }));
    for (preflight, passes) in [
        (json!(null), false),
        (json!("Authenticate"), false),
        (json!("Pass"), true),
    ] {
        let policy = with(preflight).body.expect("a policy");
        assert_eq!(policy.passes_preflights, passes);
    }
    for unknown in [json!("pass"), json!(""), json!(true), json!("Deny")] {
        assert!(with(unknown.clone()).body.is_err(), "{unknown}");
    }
}

#[test]
fn an_asterisk_admits_all_namespaces() {
    let policy = read(&json!({
        "methods": [{ "type": "APIKey" }], "consumerNamespaces": ["*"],
    }));
    let compiled = policy.body.expect("a policy");
    assert_eq!(compiled.admission.namespaces, Namespaces::All);
}

#[test]
fn of_a_broken_policy_the_targets_are_kept_that_can_be_read() {
    let gateway = json!({ "group": GATEWAY_GROUP, "kind": "Gateway", "name": "gw" });
    let with = |field: &str, value: Value| {
        let mut target = gateway.clone();
        target[field] = value;
        target
    };
    let whole = Target::Gateway(ObjectName::new("n", "gw"));
    let one = |target: Value| read(&json!({ "targetRefs": [target], "methods": 5 }));
    let cases = [
        (one(gateway.clone()), vec![whole.clone()], false),
        (one(with("sectionName", json!(5))), vec![whole.clone()], false),
        (one(with("namespace", json!("other"))), vec![whole.clone()], false),
        (one(with("kind", json!("Service"))), vec![], true),
        (one(with("group", json!(""))), vec![], true),
        (one(with("name", json!(null))), vec![], true),
        (one(json!("gw")), vec![], true),
        (one(with("sectionName", json!(""))), vec![whole.clone()], false),
        (one(with("name", json!("API"))), vec![], true),
        (one(with("name", json!("api "))), vec![], true),
        (read(&json!({})), vec![], true),
        (read(&json!(null)), vec![], true),
        (read(&json!({ "methods": 5 })), vec![], true),
        (read(&json!({ "methods": 5, "targetRefs": [] })), vec![], true),
        (read(&json!({ "methods": [], "target": gateway })), vec![], true),
        (
            read(&json!({ "methods": 5, "targetRefs": gateway })),
            vec![],
            true,
        ),
        (read(&json!([])), vec![], true),
    ];
    for (policy, targets, everything) in cases {
        let unhonoured = policy.body.expect_err("broken");
        assert_eq!(unhonoured.everything, everything, "{}", unhonoured.message);
        assert!(policy.targets.iter().eq(&targets), "{}", unhonoured.message);
    }
}

#[test]
fn a_status_says_nothing_of_what_holds() {
    let spec = json!({ "methods": [{ "type": "APIKey" }] });
    let bare = read(&spec);
    for status in [
        json!({ "ancestors": [] }),
        json!({ "ancestors": [5] }),
        json!("x"),
    ] {
        let object = json!({ "metadata": {}, "spec": spec, "status": status });
        let policy = AuthPolicy::read(&Manifest::Value(object), &ObjectName::new("n", "keys"));
        assert_eq!(policy.body, bare.body, "{status}");
        assert!(policy.body.is_ok());
    }
}
