use super::*;

fn encoded(byte: u8) -> String {
    STANDARD.encode([byte; LENGTH])
}

fn secret(data: &Value) -> Value {
    json!({"metadata": {"name": "pepper", "namespace": "own"}, "data": data})
}

fn ids(known: &Known) -> Vec<&str> {
    known.peppers().iter().map(Pepper::id).collect()
}

fn known() -> Known {
    Known::new("own".to_owned(), "pepper".to_owned())
}

fn list(known: &mut Known, secrets: impl IntoIterator<Item = Value>) {
    known.event(Event::ListBegin);
    for secret in secrets {
        known.event(Event::Listed(secret));
    }
    known.event(Event::ListEnd);
}

const FRESH: Fresh = Fresh {
    id: 0xab,
    bytes: [9; LENGTH],
};

#[test]
fn it_is_made_only_when_a_complete_list_does_not_name_it() {
    let mut known = known();
    assert!(!known.must_be_made());
    known.event(Event::ListBegin);
    assert!(!known.must_be_made(), "the list is not complete");
    known.event(Event::ListBegin);
    known.event(Event::Trouble("403".to_owned()));
    assert!(!known.must_be_made(), "what cannot be read may be there");
    known.event(Event::ListEnd);
    assert!(known.must_be_made());
    list(&mut known, [secret(&json!({"p1": encoded(1)}))]);
    assert!(!known.must_be_made());
}

#[test]
fn a_new_one_holds_one_random_pepper_and_says_whose_it_is() {
    let made = known().secret(&FRESH);
    assert_eq!(
        made,
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "namespace": "own",
                "name": "pepper",
                "labels": {
                    "app.kubernetes.io/name": "latchkey",
                    "app.kubernetes.io/component": "pepper",
                    "app.kubernetes.io/managed-by": "latchkey-operator",
                },
            },
            "type": "Opaque",
            "data": {"p000000ab": encoded(9)},
        })
    );
    let mut known = known();
    known.saw(&made);
    assert_eq!(ids(&known), ["p000000ab"]);
    assert_eq!(known.trouble(), None);
}

#[test]
fn deleted_it_is_made_again_as_it_was_with_all_active_peppers() {
    let mut known = known();
    let data = json!({"p1": encoded(1), "p2": encoded(2)});
    list(
        &mut known,
        [secret(
            &json!({"p1": encoded(1), "p2": encoded(2), "note": "text"}),
        )],
    );
    known.event(Event::Deleted(secret(&Value::Null)));
    assert!(known.must_be_made() && known.is_remembered());
    assert_eq!(known.secret(&FRESH)["data"], data);
    assert_eq!(ids(&known), ["p1", "p2"], "they are known all the while");
}

#[test]
fn one_without_a_usable_pepper_is_left_alone_and_named_with_the_remedy() {
    for data in [
        Value::Null,
        json!({}),
        json!({"p1": "short"}),
        json!({"p1": STANDARD.encode([7; 31])}),
    ] {
        let mut known = known();
        let mut there = secret(&data);
        if data.is_null() {
            // The API leaves an empty `data` out.
            there = json!({"metadata": there["metadata"]});
        }
        list(&mut known, [there]);
        assert!(!known.must_be_made(), "{data}");
        let trouble = known.trouble().unwrap();
        assert!(
            trouble.contains("own/pepper") && trouble.contains("Delete it"),
            "{trouble}"
        );
        assert!(!trouble.contains("short"), "{trouble}");
    }
}

#[test]
fn what_becomes_unusable_or_unreadable_keeps_what_was_known() {
    let mut known = known();
    list(&mut known, [secret(&json!({"p1": encoded(1)}))]);
    known.event(Event::Applied(secret(&json!({}))));
    assert_eq!(ids(&known), ["p1"]);
    known.event(Event::Trouble("connection refused".to_owned()));
    assert_eq!(ids(&known), ["p1"]);
    assert!(known.trouble().unwrap().contains("connection refused"));
    // Deleted as the remedy says: what was known is written, and no key has to be resolved again.
    known.event(Event::Deleted(secret(&json!({}))));
    assert_eq!(known.secret(&FRESH)["data"], json!({"p1": encoded(1)}));
}

#[test]
fn a_rotation_is_passed_on_step_by_step_and_an_equal_version_is_no_change() {
    let mut known = known();
    let steps = [
        (json!({"p1": encoded(1)}), vec!["p1"], 1),
        (json!({"p1": encoded(1), "p2": encoded(2)}), vec!["p1", "p2"], 2),
        (json!({"p1": encoded(1), "p2": encoded(2)}), vec!["p1", "p2"], 2),
        (json!({"p2": encoded(2)}), vec!["p2"], 3),
        (json!({"p2": encoded(3)}), vec!["p2"], 4),
    ];
    for (data, wanted, revision) in steps {
        known.event(Event::Applied(secret(&data)));
        assert_eq!((ids(&known), known.revision()), (wanted, revision));
    }
}

#[test]
fn a_key_that_is_none_is_named_and_the_others_count() {
    let mut known = known();
    list(&mut known, [secret(&json!({"p1": encoded(1), "x": "?"}))]);
    assert_eq!(ids(&known), ["p1"]);
    assert!(known.trouble().unwrap().contains("data key x"));
    known.event(Event::Applied(secret(&json!({"p1": encoded(1)}))));
    assert_eq!(known.trouble(), None);
}

#[test]
fn no_text_shows_a_value() {
    let mut known = known();
    list(&mut known, [secret(&json!({"p1": encoded(1), "x": "secret!"}))]);
    let texts = format!("{known:?} {:?}", known.trouble());
    assert!(
        !texts.contains(&encoded(1)) && !texts.contains("secret!"),
        "{texts}"
    );
}
