use serde_json::json;

use super::super::testing::{KEY, pepper, secret};
use super::*;

fn judged(object: &Value, key: &str) -> (Verdict, usize) {
    let source = latchkey_crds::credential::SecretKeyRef {
        name: "s".to_owned(),
        key: key.to_owned(),
    };
    let subject = Subject {
        credential_uid: "uid",
        source: &source,
    };
    let secret = Secret::read(object, key);
    let (verdict, blocks) = judge(Some(&secret), subject, &[pepper(1), pepper(2)], 16);
    (verdict, blocks.len())
}

#[test]
fn a_secret_is_what_it_holds_now() {
    let good = secret("s", "5", KEY.as_bytes());
    let version = Version {
        uid: "uid-s".to_owned(),
        resource_version: "5".to_owned(),
    };
    assert_eq!(judged(&good, "key"), (Verdict::Usable(version), 2));
    assert_eq!(judged(&good, "other"), (Verdict::KeyMissing, 0));
    let mut terminating = good.clone();
    terminating["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z".into();
    assert_eq!(judged(&terminating, "key"), (Verdict::Terminating, 0));
    let short = secret("s", "5", b"short");
    let refusal = KeyRefusal::TooShort { minimum: 16 };
    assert_eq!(judged(&short, "key"), (Verdict::Refused(refusal), 0));
    for data in [
        json!(null),
        json!({}),
        json!({"key": 5}),
        json!({"key": "no base64!"}),
    ] {
        let mut object = good.clone();
        object["data"] = data;
        assert_eq!(judged(&object, "key"), (Verdict::KeyMissing, 0));
    }
}

#[test]
fn nothing_of_a_key_is_printed() {
    let object = secret("s", "5", KEY.as_bytes());
    let read = Read::Found(Secret::read(&object, "key"));
    let printed = format!("{read:?}");
    let bytes = format!("{:?}", KEY.as_bytes());
    assert!(
        !printed.contains(KEY) && !printed.contains(&bytes[1..20]),
        "{printed}"
    );
}
