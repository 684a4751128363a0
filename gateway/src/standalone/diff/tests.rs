use std::time::Duration;

use serde_json::json;

use super::*;
use crate::standalone::{hold::QUIET, object::identify, parse::parse};

const ALICE: &str =
    "{apiVersion: latchkey.dev/v1alpha1, kind: Consumer, metadata: {name: alice}, spec: {}}\n";
const BOB: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: Consumer, metadata: {name: bob}, spec: {}}\n";
const UNKNOWN: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: AuthPolcy, metadata: {name: alice}}\n";

const POLICY: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: AuthPolicy, metadata: {name: p}, spec: {}}\n";
const DEPLOYMENT: &str = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}\n";
/// So misspelt that it counts as another API's.
const STRANGER: &str = "{apiVersion: latchkey.io/v1alpha1, kind: AuthPolcy, metadata: {name: p}, spec: {}}\n";

fn quiet(now: Instant) -> Moment {
    Moment {
        now,
        scanning: false,
        waiting: false,
    }
}

#[derive(Default)]
struct Fixture(Desired);

impl Fixture {
    fn write(&mut self, file: &str, documents: &[&str]) {
        let content = match parse(documents.join("---\n").as_bytes()) {
            Ok(parsed) => Content::Documents(identify(parsed)),
            Err(problem) => Content::Broken(problem),
        };
        self.0.update(FileChange {
            file: file.into(),
            content,
        });
    }

    fn delete(&mut self, file: &str) {
        self.0.update(FileChange {
            file: file.into(),
            content: Content::Gone,
        });
    }

    /// Changes as `name: state`, with those that are held back.
    fn changes(&mut self) -> Vec<String> {
        let start = Instant::now();
        let mut changes = self.0.take_changes(quiet(start));
        changes.extend(self.0.take_changes(quiet(start + QUIET)));
        changes
            .into_iter()
            .map(|change| {
                let state = match change.state {
                    State::Present(value) => format!("present {}", value["spec"]),
                    State::Unreadable(why) => format!("unreadable: {why}"),
                    State::Absent => "absent".to_owned(),
                };
                format!("{}: {state}", change.key.name.name)
            })
            .collect()
    }

    fn unclear(&self) -> Vec<String> {
        self.0.unclear().map(|(file, _)| file.to_string()).collect()
    }
}

#[test]
fn only_what_differs_is_a_change() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE, BOB]);
    assert_eq!(f.changes(), ["alice: present {}", "bob: present {}"]);
    f.write(
        "a.yaml",
        &[
            "# a comment\n",
            BOB,
            &ALICE.replace("spec: {}", "spec: {disabled: true}"),
        ],
    );
    assert_eq!(f.changes(), [r#"alice: present {"disabled":true}"#]);
    assert_eq!(f.changes(), [""; 0]);
}

#[test]
fn the_order_of_fields_and_their_spelling_are_no_difference() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE]);
    f.changes();
    f.write(
        "a.yaml",
        &["spec: {}\nkind: \"Consumer\"\nmetadata:\n  name: alice\napiVersion: latchkey.dev/v1alpha1\n"],
    );
    assert_eq!(f.changes(), [""; 0]);
}

#[test]
fn a_deleted_file_and_a_deleted_document_delete_their_objects() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE, BOB]);
    f.changes();
    f.write("a.yaml", &[BOB]);
    assert_eq!(f.changes(), ["alice: absent"]);
    f.delete("a.yaml");
    assert_eq!(f.changes(), ["bob: absent"]);
    assert!(f.0.is_empty());
}

#[test]
fn an_object_that_moves_between_files_in_one_batch_has_not_changed() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE]);
    f.changes();
    f.write("b.yaml", &[ALICE]);
    f.delete("a.yaml");
    assert_eq!(f.changes(), [""; 0]);
    let places: Vec<_> =
        f.0.objects
            .values()
            .flat_map(|o| &o.claims)
            .map(|c| c.place.to_string())
            .collect();
    assert_eq!(places, ["b.yaml, document 1 (line 1)"]);
}

#[test]
fn twice_the_same_object_counts_as_neither_and_names_both_places() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE]);
    f.changes();
    f.write("b.yaml", &[BOB, ALICE]);
    assert_eq!(
        f.changes(),
        [
            "alice: unreadable: stands more than once: a.yaml, document 1 (line 1) and \
             b.yaml, document 2 (line 3); keep one",
            "bob: present {}",
        ]
    );
    f.delete("a.yaml");
    assert_eq!(f.changes(), ["alice: present {}"]);
}

#[test]
fn twice_in_one_file_counts_as_neither() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE, ALICE]);
    assert!(f.changes()[0].starts_with("alice: unreadable: stands more than once"));
    f.write("a.yaml", &[ALICE]);
    assert_eq!(f.changes(), ["alice: present {}"]);
}

#[test]
fn a_broken_file_makes_unreadable_what_it_last_held_and_nothing_else() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE]);
    f.write("b.yaml", &[BOB]);
    f.changes();
    f.write("a.yaml", &["a: ["]);
    let changes = f.changes();
    assert_eq!(changes.len(), 1);
    assert!(
        changes[0].starts_with("alice: unreadable: a.yaml: document 1"),
        "{changes:?}"
    );
    assert_eq!(f.unclear(), ["a.yaml"]);
    f.write("a.yaml", &["b: ["]);
    f.delete("a.yaml");
    assert_eq!(f.changes(), ["alice: absent"]);
}

#[test]
fn a_broken_file_that_is_mended_counts_again() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE]);
    f.changes();
    f.write("a.yaml", &["a: ["]);
    f.changes();
    f.write("a.yaml", &[BOB]);
    assert_eq!(f.changes(), ["alice: absent", "bob: present {}"]);
}

#[test]
fn a_document_that_cannot_be_identified_may_be_any_that_the_file_held() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE, BOB]);
    f.changes();
    f.write("a.yaml", &[UNKNOWN, BOB]);
    let changes = f.changes();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert!(
        changes[0].starts_with("alice: unreadable: a.yaml: document 1, line 1: kind AuthPolcy"),
        "{changes:?}"
    );
    f.write("a.yaml", &["a: ["]);
    f.changes();
    f.write("a.yaml", &[BOB]);
    assert_eq!(f.changes(), ["alice: absent", "bob: present {}"]);
}

#[test]
fn a_file_that_is_not_whole_is_named_until_it_is_mended_or_gone() {
    let mut f = Fixture::default();
    f.write("a.yaml", &["a: ["]);
    f.write("b.yaml", &[UNKNOWN]);
    f.write("c.yaml", &[ALICE]);
    assert_eq!(f.unclear(), ["a.yaml", "b.yaml"]);
    f.write("a.yaml", &[UNKNOWN, BOB]);
    assert_eq!(f.unclear(), ["a.yaml", "b.yaml"]);
    f.write("a.yaml", &[BOB]);
    f.delete("b.yaml");
    assert_eq!(f.unclear(), [""; 0]);
}

#[test]
fn what_shapes_does_not_go_while_a_file_may_hold_it() {
    for unclear in ["a: [", UNKNOWN] {
        let mut f = Fixture::default();
        f.write("policy.yaml", &[POLICY]);
        f.write("alice.yaml", &[ALICE]);
        f.write("old.yaml", &[BOB]);
        f.changes();
        f.delete("policy.yaml");
        f.delete("alice.yaml");
        f.write("auth.yaml", &[unclear]);
        let gone = "p: unreadable: it is gone, but auth.yaml may hold it; mend or remove that file";
        assert_eq!(f.changes(), ["alice: absent", gone], "what only grants goes");
        assert_eq!(f.changes(), [""; 0], "said once");
        f.write("old.yaml", &[BOB, unclear]);
        f.changes();
        f.write("auth.yaml", &["# whole\n"]);
        assert_eq!(f.changes(), [gone.replace("auth", "old")]);
        f.write("old.yaml", &[BOB]);
        assert!(f.changes().contains(&"p: absent".to_owned()));
        assert_eq!(f.0.len(), 1, "and is forgotten");
    }
}

#[test]
fn what_was_missed_counts_where_it_turns_up() {
    let mut f = Fixture::default();
    f.write("policy.yaml", &[POLICY]);
    f.changes();
    f.delete("policy.yaml");
    f.write("auth.yaml", &["a: ["]);
    f.changes();
    f.write("auth.yaml", &[POLICY]);
    assert_eq!(f.changes(), ["p: present {}"]);
    f.delete("auth.yaml");
    assert_eq!(f.changes(), ["p: absent"]);
}

#[test]
fn a_document_of_another_kind_that_appears_where_something_shaping_was_may_be_it() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[POLICY, ALICE, DEPLOYMENT]);
    f.changes();
    f.write("a.yaml", &[STRANGER]);
    let changes = f.changes();
    assert_eq!(changes[0], "alice: absent");
    assert!(
        changes[1].starts_with("p: unreadable: a.yaml: document 1, line 1: it is gone, but"),
        "{changes:?}"
    );
    for text in ["# still\n", "a: [", UNKNOWN] {
        f.write("a.yaml", &[text, STRANGER]);
        assert!(!f.changes().contains(&"p: absent".to_owned()), "{text}");
    }
    f.write("b.yaml", &[POLICY]);
    f.write("a.yaml", &[STRANGER]);
    assert_eq!(f.changes(), ["p: present {}"], "it is elsewhere after all");
    f.delete("b.yaml");
    assert!(f.changes()[0].starts_with("p: unreadable: a.yaml"));
    f.delete("a.yaml");
    assert_eq!(f.changes(), ["p: absent"]);
}

#[test]
fn a_document_of_another_kind_that_was_there_before_keeps_nothing() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[POLICY, DEPLOYMENT]);
    f.changes();
    f.write("a.yaml", &[DEPLOYMENT]);
    assert_eq!(f.changes(), ["p: absent"]);
}

#[test]
fn findings_of_a_file_name_document_and_line() {
    let parsed =
        parse(format!("{ALICE}---\n{UNKNOWN}---\n{{apiVersion: apps/v1, kind: Deployment}}\n").as_bytes());
    let content = Content::Documents(identify(parsed.unwrap()));
    let findings: Vec<_> = findings_of(&content)
        .into_iter()
        .map(|f| (f.reason, f.message))
        .collect();
    assert_eq!(findings[0].0, "Unidentified");
    assert!(findings[0].1.starts_with("document 2, line 3: kind AuthPolcy"));
    assert_eq!(
        findings[1],
        (
            "IgnoredKind",
            "document 3, line 5: apps/v1, kind Deployment is not read in standalone mode".to_owned()
        )
    );
}

#[test]
fn a_change_carries_the_whole_object() {
    let mut f = Fixture::default();
    f.write("a.yaml", &[ALICE]);
    let [
        Change {
            key,
            state: State::Present(value),
        },
    ] = &f.0.take_changes(quiet(Instant::now()))[..]
    else {
        panic!("one change");
    };
    assert_eq!(key.to_string(), "Consumer default/alice");
    assert_eq!(value["metadata"]["namespace"], json!("default"));
}

#[test]
fn what_may_open_is_held_until_nothing_is_left_to_see_and_what_closes_is_not() {
    let (mut f, start) = (Fixture::default(), Instant::now());
    f.write("a.yaml", &[ALICE, POLICY]);
    f.changes();
    f.write("a.yaml", &[BOB]);
    let names = |changes: Vec<Change>| -> Vec<_> { changes.into_iter().map(|c| c.key.name.name).collect() };
    let scanning = Moment {
        scanning: true,
        ..quiet(start)
    };
    assert_eq!(names(f.0.take_changes(scanning)), ["alice", "bob"]);
    let later = start + QUIET;
    for (moment, why) in [
        (
            Moment {
                now: later,
                ..scanning
            },
            "a look is under way",
        ),
        (
            Moment {
                waiting: true,
                ..quiet(later)
            },
            "a file waits",
        ),
        (quiet(later - Duration::from_millis(1)), "too soon"),
    ] {
        assert_eq!(names(f.0.take_changes(moment)), [""; 0], "{why}");
    }
    assert_eq!(names(f.0.take_changes(quiet(later))), ["p"]);
}

#[test]
fn what_comes_back_while_it_is_held_has_not_changed() {
    let (mut f, start) = (Fixture::default(), Instant::now());
    f.write("a.yaml", &[POLICY]);
    f.changes();
    f.delete("a.yaml");
    assert_eq!(f.0.take_changes(quiet(start)), []);
    f.write("z.yaml", &[POLICY]);
    assert_eq!(f.0.take_changes(quiet(start + QUIET / 2)), []);
    assert_eq!(f.0.due(false), None);
    assert_eq!(f.0.take_changes(quiet(start + 2 * QUIET)), []);
}
