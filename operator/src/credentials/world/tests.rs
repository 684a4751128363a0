use serde_json::json;

use super::super::testing::{KEY, by_secret, credential, inline, named, pepper, secret};
use super::*;

struct Fixture(World);

impl Fixture {
    fn new() -> Self {
        let mut world = World::default();
        world.set_peppers(vec![pepper(1)]);
        Self(world)
    }

    fn credential(&mut self, name: &str, created: u32, api_key: &Value) -> Vec<String> {
        self.0.apply(Kind::Credential, credential(name, created, api_key));
        self.touched()
    }

    fn consumer(&mut self, name: &str) -> Vec<String> {
        let metadata = json!({"metadata": {"namespace": "shop", "name": name}});
        self.0.apply(Kind::Consumer, metadata);
        self.touched()
    }

    fn secret(&mut self, name: &str, version: &str) -> Vec<String> {
        self.0.apply(Kind::Secret, secret(name, version, KEY.as_bytes()));
        self.touched()
    }

    fn delete(&mut self, kind: Kind, name: &str) -> Vec<String> {
        self.0.delete(kind, &named(name));
        self.touched()
    }

    fn touched(&mut self) -> Vec<String> {
        self.0.take_touched().into_iter().map(|name| name.name).collect()
    }

    fn owner(&self, name: &str) -> Option<&str> {
        let known = self.0.credential(&named(name)).unwrap();
        self.0.owner(known, &known.digests(self.0.peppers()))
    }
}

#[test]
fn a_secret_touches_those_that_name_it_and_no_others() {
    let mut f = Fixture::new();
    f.credential("a", 1, &by_secret("s"));
    f.credential("b", 2, &by_secret("t"));
    assert_eq!(f.secret("s", "1"), ["a"]);
    assert_eq!(f.secret("s", "1"), [""; 0], "the same again");
    assert_eq!(f.secret("s", "2"), ["a"]);
    assert_eq!(f.delete(Kind::Secret, "s"), ["a"]);
    assert_eq!(f.delete(Kind::Secret, "s"), [""; 0]);
    f.credential("a", 1, &by_secret("t"));
    assert_eq!(f.secret("s", "3"), [""; 0], "nobody names it any more");
    assert_eq!(f.secret("t", "1"), ["a", "b"]);
}

#[test]
fn a_consumer_touches_its_credentials_when_it_comes_or_goes() {
    let mut f = Fixture::new();
    f.credential("a", 1, &inline(KEY));
    assert_eq!(f.consumer("alice"), ["a"]);
    assert_eq!(f.consumer("alice"), [""; 0]);
    assert_eq!(f.consumer("bob"), [""; 0]);
    assert_eq!(f.delete(Kind::Consumer, "alice"), ["a"]);
}

#[test]
fn a_credential_touches_itself_when_anything_of_it_changes() {
    let mut f = Fixture::new();
    assert_eq!(f.credential("a", 1, &by_secret("s")), ["a"]);
    assert_eq!(f.credential("a", 1, &by_secret("s")), [""; 0]);
    assert_eq!(f.credential("a", 1, &inline(KEY)), ["a"]);
    assert_eq!(f.delete(Kind::Credential, "a"), ["a"]);
    assert_eq!(f.delete(Kind::Credential, "a"), [""; 0]);
    assert!(f.0.by_consumer.is_empty() && f.0.by_secret.is_empty());
}

#[test]
fn the_next_one_takes_over_when_the_owner_of_a_key_goes() {
    let mut f = Fixture::new();
    f.credential("old", 1, &inline(KEY));
    assert_eq!(f.credential("new", 2, &inline(KEY)), ["new"]);
    assert_eq!((f.owner("new"), f.owner("old")), (Some("old"), None));
    assert_eq!(f.credential("older", 0, &inline(KEY)), ["new", "old", "older"]);
    assert_eq!(f.owner("old"), Some("older"));
    assert_eq!(f.delete(Kind::Credential, "older"), ["new", "old", "older"]);
    assert_eq!(f.owner("old"), None);
    assert_eq!(
        f.credential("old", 1, &inline("another-key-of-enough")),
        ["new", "old"]
    );
    assert_eq!(f.owner("new"), None);
}

#[test]
fn one_that_may_not_pass_still_owns_and_one_that_cannot_be_decoded_does_not() {
    type Change = fn(&mut Value);
    let cases: [(&str, Change, bool); 4] = [
        (
            "disabled",
            |object| object["spec"]["disabled"] = true.into(),
            true,
        ),
        (
            "expired",
            |object| object["spec"]["expirationTime"] = "2020-01-01T00:00:00Z".into(),
            true,
        ),
        (
            "terminating",
            |object| object["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z".into(),
            true,
        ),
        (
            "undecodable",
            |object| object["spec"]["unheard"] = 1.into(),
            false,
        ),
    ];
    for (case, change, owns) in cases {
        let mut f = Fixture::new();
        f.credential("new", 2, &inline(KEY));
        let mut old = credential("old", 1, &inline(KEY));
        change(&mut old);
        f.0.apply(Kind::Credential, old);
        assert_eq!(f.owner("new").is_some(), owns, "{case}");
        assert_eq!(f.0.undecodable(), u64::from(!owns));
    }
}

#[test]
fn only_a_complete_list_removes_and_what_it_does_not_change_touches_nobody() {
    let mut f = Fixture::new();
    f.credential("a", 1, &by_secret("s"));
    f.credential("b", 2, &by_secret("s"));
    f.secret("s", "1");
    f.0.list_begin(Kind::Credential, &None);
    assert_eq!(f.credential("b", 2, &by_secret("s")), [""; 0]);
    f.0.list_begin(Kind::Credential, &None);
    assert!(f.0.credential(&named("a")).is_some());
    assert_eq!(f.credential("b", 2, &by_secret("s")), [""; 0]);
    f.0.list_end(Kind::Credential, &None);
    assert_eq!(f.touched(), ["a"]);
    assert!(f.0.credential(&named("a")).is_none());
    f.0.list_begin(Kind::Secret, &None);
    f.0.list_end(Kind::Secret, &None);
    assert_eq!(f.touched(), ["b"]);
}

#[test]
fn other_peppers_touch_everybody_and_keep_who_owns() {
    let mut f = Fixture::new();
    f.credential("old", 1, &inline(KEY));
    f.credential("new", 2, &inline(KEY));
    f.0.set_peppers(vec![pepper(2), pepper(3)]);
    assert_eq!(f.touched(), ["new", "old"]);
    assert_eq!(f.owner("new"), Some("old"));
    f.delete(Kind::Credential, "old");
    assert_eq!(f.owner("new"), None);
}

#[test]
fn statuses_are_counted_by_ready() {
    let mut f = Fixture::new();
    f.credential("unsaid", 1, &inline(KEY));
    for status in ["True", "False", "Unknown"] {
        let mut object = credential(&status.to_lowercase(), 1, &inline(KEY));
        object["status"]["conditions"] = json!([{
            "type": "Ready", "status": status, "reason": "R", "message": "",
            "lastTransitionTime": "2026-11-30T12:00:00Z",
        }]);
        f.0.apply(Kind::Credential, object);
    }
    let expected = Readiness {
        ready: 1,
        not_ready: 1,
        unknown: 1,
        unsaid: 1,
    };
    assert_eq!(f.0.readiness(), expected);
    for name in ["unsaid", "true", "false", "unknown"] {
        f.delete(Kind::Credential, name);
    }
    assert_eq!(f.0.readiness(), Readiness::default());
}
