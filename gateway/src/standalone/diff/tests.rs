use serde_json::json;

use super::*;
use crate::standalone::{object::identify, parse::parse};

const ALICE: &str =
    "{apiVersion: latchkey.dev/v1alpha1, kind: Consumer, metadata: {name: alice}, spec: {}}\n";
const BOB: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: Consumer, metadata: {name: bob}, spec: {}}\n";
const UNKNOWN: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: AuthPolcy, metadata: {name: alice}}\n";

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

    /// Changes as `name: state`.
    fn changes(&mut self) -> Vec<String> {
        self.0
            .take_changes()
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

    fn never_read(&self) -> Vec<String> {
        self.0.never_read().map(|(file, _)| file.to_string()).collect()
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
    assert_eq!(f.never_read(), [""; 0], "it was read before");
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
        changes[0].starts_with("alice: unreadable: a.yaml: document 1, line 1: kind \"AuthPolcy\""),
        "{changes:?}"
    );
    f.write("a.yaml", &["a: ["]);
    f.changes();
    f.write("a.yaml", &[BOB]);
    assert_eq!(f.changes(), ["alice: absent", "bob: present {}"]);
}

#[test]
fn a_file_that_was_never_whole_is_named_until_it_is_mended_or_gone() {
    let mut f = Fixture::default();
    f.write("a.yaml", &["a: ["]);
    f.write("b.yaml", &[UNKNOWN]);
    f.write("c.yaml", &[ALICE]);
    assert_eq!(f.never_read(), ["a.yaml", "b.yaml"]);
    f.write("a.yaml", &[UNKNOWN, BOB]);
    assert_eq!(f.never_read(), ["a.yaml", "b.yaml"]);
    f.write("a.yaml", &[BOB]);
    f.delete("b.yaml");
    assert_eq!(f.never_read(), [""; 0]);
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
    assert!(
        findings[0]
            .1
            .starts_with("document 2, line 3: kind \"AuthPolcy\"")
    );
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
    ] = &f.0.take_changes()[..]
    else {
        panic!("one change");
    };
    assert_eq!(key.to_string(), "Consumer default/alice");
    assert_eq!(value["metadata"]["namespace"], json!("default"));
}
