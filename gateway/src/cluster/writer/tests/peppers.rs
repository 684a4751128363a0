//! Peppers: what was read once is kept, and a change of bytes is a change.

use latchkey_runtime::watch::Event;
use serde_json::json;

use super::support::{Scene, key, peppers, usual};
use crate::object::Kind;

#[test]
fn peppers_that_were_read_are_kept_whatever_becomes_of_the_secret() {
    let mut scene = Scene::usual();
    let mut emptied = peppers(&[]);
    for events in [
        vec![Event::Deleted(peppers(&[("1", 7)]))],
        vec![Event::ListBegin, Event::ListEnd],
        vec![Event::Applied(emptied.clone())],
        vec![Event::Trouble("forbidden".to_owned())],
    ] {
        scene.tell(Kind::Secret, None, events);
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
        assert!(scene.readiness.is_ready());
        assert_eq!(scene.findings(), ["Secret system/latchkey-pepper: NoPepper"]);
    }
    emptied["data"] = json!({"1": "short"});
    scene.applied(Kind::Secret, emptied);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    assert_eq!(scene.findings().len(), 2, "{:?}", scene.findings());
    scene.applied(Kind::Secret, peppers(&[("1", 7)]));
    assert_eq!(scene.findings(), [""; 0]);
}

#[test]
fn other_bytes_under_the_same_id_are_another_pepper() {
    let mut scene = Scene::usual();
    let revision = |scene: &Scene| scene.writer.index().stats().revision;
    let before = revision(&scene);
    scene.applied(Kind::Secret, peppers(&[("1", 7)]));
    assert_eq!(revision(&scene), before, "the same is no change");
    scene.applied(Kind::Secret, peppers(&[("1", 8)]));
    assert_eq!(revision(&scene), before + 1);
    assert_eq!(
        scene.ask("/", Some(&key("alice"))),
        "alice",
        "an inline hash is known under any pepper"
    );
    scene.applied(Kind::Secret, peppers(&[("1", 8), ("2", 9)]));
    assert_eq!(scene.writer.index().stats().peppers, 2);
}

#[test]
fn without_a_pepper_nothing_is_served_and_it_is_said_why() {
    let mut scene = Scene::new(&[]);
    for kind in scene.kinds() {
        if kind != Kind::Secret {
            scene.list(kind, None, usual(kind));
        }
    }
    let pending = |scene: &Scene| scene.readiness.pending().join("\n");
    for (events, why) in [
        (
            vec![Event::ListBegin, Event::ListEnd],
            "pepper: Secret system/latchkey-pepper does not exist; the operator creates it",
        ),
        (
            vec![Event::Trouble("get is refused: forbidden".to_owned())],
            "forbidden",
        ),
        (vec![Event::Applied(peppers(&[]))], "holds no usable pepper"),
    ] {
        scene.tell(Kind::Secret, None, events);
        assert!(!scene.serving);
        assert!(!pending(&scene).contains("namespace"), "{}", pending(&scene));
        assert!(pending(&scene).contains(why), "{}", pending(&scene));
    }
    scene.applied(Kind::Secret, peppers(&[("1", 7)]));
    assert_eq!((scene.serving, &*pending(&scene)), (true, ""));
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
}
