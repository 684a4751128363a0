use serde_json::json;

use super::super::testing::{KEY, by_secret, credential, inline, known, pepper};
use super::*;

#[test]
fn what_cannot_be_decoded_keeps_its_name_its_version_and_its_status() {
    let mut object = credential("c", 1, &json!({"sha256": "nonsense"}));
    object["status"] = json!({"observedGeneration": 7, "conditions": "no list"});
    let known = known(&object);
    assert_eq!(known.name, ObjectName::new("shop", "c"));
    assert_eq!(
        (known.uid.as_str(), known.resource_version.as_str()),
        ("uid-c", "1")
    );
    assert!(matches!(&known.spec, Spec::Undecodable(why) if why.starts_with("spec.apiKey")));
    assert_eq!(known.standing.observed_generation, Some(7));
    assert!(known.consumer().is_none() && known.secret().is_none());
    assert!(known.digests(&[pepper(1)]).is_empty(), "it owns nothing");
}

#[test]
fn a_status_that_cannot_be_read_leaves_the_spec_alone_and_what_can_be_read_of_it() {
    let mut object = credential("c", 1, &by_secret("s"));
    object["status"] = json!({
        "conditions": [{"type": "Ready"}, {
            "type": "Accepted", "status": "True", "reason": "Accepted", "message": "",
            "lastTransitionTime": "2026-11-30T12:00:00Z",
        }],
        "published": [
            {"controllerName": "example.com/other", "anything": 1},
            {"controllerName": "latchkey.dev/gateway-controller"},
            {"controllerName": 5},
        ],
    });
    let known = known(&object);
    assert!(matches!(known.spec, Spec::Decoded { .. }));
    assert!(known.standing.spoiled);
    assert_eq!(known.standing.conditions.len(), 1);
    assert_eq!((known.standing.ours.len(), known.standing.others.len()), (0, 1));
}

#[test]
fn an_inline_key_has_a_digest_under_each_pepper() {
    let known = known(&credential("c", 1, &inline(KEY)));
    let peppers = [pepper(1), pepper(2)];
    let hash = KeyHash::of(KEY.as_bytes());
    let expected: Vec<_> = peppers.iter().map(|pepper| pepper.digest(&hash)).collect();
    assert_eq!(known.digests(&peppers), expected);
}

#[test]
fn what_has_no_name_is_nothing() {
    for object in [json!({}), json!(7), json!({"metadata": {"name": "c"}})] {
        assert_eq!(Known::read(object.clone()), None, "{object}");
    }
}

#[test]
fn nothing_of_what_is_published_is_printed() {
    let mut object = credential("c", 1, &by_secret("s"));
    object["status"] = json!({"published": [
        {"controllerName": "example.com/other", "digest": "hunter2"},
    ]});
    assert!(!format!("{:?}", known(&object)).contains("hunter2"));
}
