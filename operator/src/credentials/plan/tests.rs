use latchkey_core::publish::{KeyRefusal, Subject};
use proptest::prelude::*;

use super::super::{
    secret::{Secret, Version, judge},
    testing::{KEY, by_secret, credential, inline, known, pepper, published, said, secret, time, written},
};
use super::*;

const OK: &str =
    "Accepted=True/Accepted ResolvedRefs=True/ResolvedRefs Conflicted=False/NoConflict Ready=True/Ready";

fn around<'a>(consumer_exists: bool, owner: Option<&'a str>, now: &'a Time) -> Circumstances<'a> {
    Circumstances {
        consumer_exists,
        owner,
        secret_selector: None,
        now,
    }
}

/// What reading this Secret gives for a Credential.
fn read(known: &Known, object: &Value, peppers: &[Pepper]) -> Resolution {
    let subject = Subject {
        credential_uid: &known.uid,
        source: known.secret_source().unwrap(),
    };
    let (verdict, blocks) = judge(Some(&Secret::read(object, "key")), subject, peppers, 16);
    Resolution::read(verdict, blocks)
}

/// A Credential whose status was published from version 7 of its Secret `s`.
fn settled(peppers: &[Pepper]) -> Value {
    let object = credential("c", 1, &by_secret("s"));
    let resolution = read(&known(&object), &secret("s", "7", KEY.as_bytes()), peppers);
    let status = plan(&known(&object), &resolution, around(true, None, &time(0))).unwrap();
    written(&object, &status, "2")
}

#[test]
fn a_key_that_resolves_is_published_under_every_pepper() {
    let peppers = [pepper(1), pepper(2)];
    let object = settled(&peppers);
    assert_eq!(said(&object["status"]), OK);
    let expected = [("p1", "7"), ("p2", "7")].map(|(id, version)| (id.to_owned(), version.to_owned()));
    assert_eq!(published(&object["status"]), expected);
    assert_eq!(object["status"]["observedGeneration"], 1);
    let known = known(&object);
    assert_eq!(known.proven(&peppers).count(), 2, "a gateway accepts both");
}

#[test]
fn what_certainly_does_not_resolve_is_withdrawn_and_what_may_is_kept() {
    let peppers = [pepper(1)];
    let known = known(&settled(&peppers));
    let certain = |verdict| Resolution::read(verdict, Vec::new());
    for (resolution, kept, ready) in [
        (certain(Verdict::NotFound), false, "Ready=False/SecretNotFound"),
        (certain(Verdict::Terminating), false, "Ready=False/SecretNotFound"),
        (
            certain(Verdict::KeyMissing),
            false,
            "Ready=False/SecretKeyMissing",
        ),
        (
            certain(Verdict::Refused(KeyRefusal::Empty)),
            false,
            "Ready=False/InvalidKey",
        ),
        (
            Resolution::read_failed(&known, &peppers),
            true,
            "Ready=Unknown/SecretUnreadable",
        ),
    ] {
        let status = plan(&known, &resolution, around(true, None, &time(1))).unwrap();
        assert!(said(&status).ends_with(ready), "{}", said(&status));
        assert_eq!(published(&status).len(), usize::from(kept), "{ready}");
    }
}

#[test]
fn a_source_that_changed_takes_its_key_with_it_even_if_the_new_one_cannot_be_read() {
    let peppers = [pepper(1)];
    for api_key in [
        by_secret("another"),
        inline(KEY),
        Value::Null,
        json!({"unheard": 1}),
    ] {
        let mut object = settled(&peppers);
        object["spec"]["apiKey"] = api_key.clone();
        object["metadata"]["generation"] = 2.into();
        let known = known(&object);
        let resolution = match known.secret_source() {
            Some(_) => Resolution::read_failed(&known, &peppers),
            None => Resolution::without_secret(&known, &peppers),
        };
        let status = plan(&known, &resolution, around(true, None, &time(1))).unwrap();
        assert_eq!(status["published"], Value::Null, "{api_key}");
        assert_eq!(status["observedGeneration"], 2);
    }
}

#[test]
fn what_cannot_be_decoded_says_why() {
    let mut object = settled(&[pepper(1)]);
    object["spec"]["unheard"] = "of".into();
    let known = known(&object);
    let resolution = Resolution::without_secret(&known, &[pepper(1)]);
    let status = plan(&known, &resolution, around(true, None, &time(1))).unwrap();
    assert!(said(&status).starts_with("Accepted=False/Invalid ResolvedRefs=Unknown/Invalid"));
    let message = status["conditions"][0]["message"].as_str().unwrap();
    assert!(message.contains("unheard"), "{message}");
}

#[test]
fn a_transition_time_moves_only_where_the_status_does() {
    let object = settled(&[pepper(1)]);
    let known = known(&object);
    let resolution = Resolution::read_failed(&known, &[pepper(1)]);
    let status = plan(&known, &resolution, around(true, None, &time(60))).unwrap();
    let before = &object["status"]["conditions"][0]["lastTransitionTime"];
    let conditions = status["conditions"].as_array().unwrap().iter();
    let moved = conditions.filter(|condition| condition["lastTransitionTime"] != *before);
    let moved: Vec<_> = moved.map(|condition| condition["type"].clone()).collect();
    assert_eq!(moved, ["ResolvedRefs", "Ready"]);
}

#[test]
fn a_pepper_that_is_not_active_any_more_takes_its_block_with_it() {
    let known = known(&settled(&[pepper(1), pepper(2)]));
    let peppers = [pepper(2)];
    let version = Version {
        uid: "uid-s".to_owned(),
        resource_version: "7".to_owned(),
    };
    let resolution = Resolution::standing(&known, &peppers, Verdict::Usable(version));
    let status = plan(&known, &resolution, around(true, None, &time(1))).unwrap();
    assert_eq!(published(&status), [("p2".to_owned(), "7".to_owned())]);
    assert_eq!(said(&status), OK);
}

#[test]
fn what_others_wrote_stands() {
    let peppers = [pepper(1)];
    let mut object = settled(&peppers);
    let theirs = json!({"controllerName": "example.com/other", "pepperId": "x", "future": [1]});
    let condition = json!({
        "type": "Audited", "status": "True", "reason": "Yes", "message": "",
        "lastTransitionTime": "2026-11-30T12:00:00Z",
    });
    object["status"]["published"]
        .as_array_mut()
        .unwrap()
        .insert(0, theirs.clone());
    object["status"]["conditions"]
        .as_array_mut()
        .unwrap()
        .insert(0, condition.clone());
    let known = known(&object);
    let unchanged = read(&known, &secret("s", "7", KEY.as_bytes()), &peppers);
    assert_eq!(
        plan(&known, &unchanged, around(true, None, &time(1))),
        None,
        "in any order"
    );
    let gone = Resolution::read(Verdict::NotFound, Vec::new());
    let status = plan(&known, &gone, around(true, None, &time(1))).unwrap();
    assert_eq!(status["published"], json!([theirs]));
    assert!(status["conditions"].as_array().unwrap().contains(&condition));
}

#[test]
fn a_status_that_cannot_be_read_is_written_anew() {
    let peppers = [pepper(1)];
    let mut object = settled(&peppers);
    object["status"]["published"]
        .as_array_mut()
        .unwrap()
        .push(json!("junk"));
    let known = known(&object);
    let resolution = read(&known, &secret("s", "7", KEY.as_bytes()), &peppers);
    let status = plan(&known, &resolution, around(true, None, &time(1))).unwrap();
    assert_eq!(published(&status).len(), 1);
}

#[test]
fn a_secret_that_a_selector_keeps_out_is_said_to_be_so() {
    let known = known(&credential("c", 1, &by_secret("s")));
    let now = time(1);
    let selected = Circumstances {
        secret_selector: Some("app=shop"),
        ..around(true, None, &now)
    };
    let gone = Resolution::read(Verdict::NotFound, Vec::new());
    let status = plan(&known, &gone, selected).unwrap();
    assert!(status.to_string().contains("--secret-selector app=shop"));
}

/// What may become of a Credential's Secret and surroundings.
#[derive(Clone, Debug)]
struct Turn {
    api_key: u8,
    value: Option<u8>,
    version: u8,
    failed: bool,
    peppers: u8,
    consumer: bool,
    owner: bool,
}

fn turn() -> impl Strategy<Value = Turn> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (0u8..6, proptest::option::of(0u8..3), 0u8..3, 1u8..4, flags).prop_map(
        |(api_key, value, version, peppers, (failed, consumer, owner))| Turn {
            api_key,
            value,
            version,
            failed,
            peppers,
            consumer,
            owner,
        },
    )
}

fn planned(object: &Value, turn: &Turn, now: i64) -> Option<Value> {
    let all = [pepper(1), pepper(2)];
    let peppers: Vec<_> = (0..2)
        .filter(|bit| turn.peppers & (1 << bit) != 0)
        .map(|bit| all[bit].clone())
        .collect();
    let known = known(object);
    let resolution = match (known.secret_source(), turn.value) {
        (None, _) => Resolution::without_secret(&known, &peppers),
        (Some(_), _) if turn.failed => Resolution::read_failed(&known, &peppers),
        (Some(_), None) => Resolution::read(Verdict::NotFound, Vec::new()),
        (Some(_), Some(value)) => {
            let value = [&b""[..], b"short", KEY.as_bytes()][usize::from(value)];
            read(&known, &secret("s", &turn.version.to_string(), value), &peppers)
        }
    };
    let owner = turn.owner.then_some("older");
    plan(&known, &resolution, around(turn.consumer, owner, &time(now)))
}

proptest! {
    #[test]
    fn what_was_written_need_not_be_written_again(turns in proptest::collection::vec(turn(), 1..6)) {
        let mut object = credential("c", 1, &Value::Null);
        for (number, turn) in (1..).zip(&turns) {
            object["spec"]["apiKey"] = match turn.api_key {
                0 => by_secret("s"),
                1 => by_secret("t"),
                2 => inline(KEY),
                3 => json!({"sha256": "nonsense"}),
                4 => Value::Null,
                _ => object["spec"]["apiKey"].clone(),
            };
            object["metadata"]["generation"] = number.into();
            if let Some(status) = planned(&object, turn, number) {
                object = written(&object, &status, "9");
            }
            prop_assert_eq!(planned(&object, turn, number + 1), None);
        }
    }
}
