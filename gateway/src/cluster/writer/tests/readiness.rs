//! What must be there before anything is served, and that nothing takes it back.

use latchkey_runtime::watch::Event;

use super::support::{Scene, key, usual};
use crate::object::Kind;

#[test]
fn nothing_is_served_before_each_kind_was_listed_whichever_comes_last() {
    for last in Scene::new(&[]).kinds() {
        let mut scene = Scene::new(&[]);
        for kind in scene.kinds() {
            if kind != last {
                scene.list(kind, None, usual(kind));
            }
        }
        assert!(!scene.serving, "{last:?}");
        assert_eq!(scene.ask("/", Some(&key("alice"))), "no_route", "{last:?}");
        assert_eq!(scene.readiness.pending().len(), 1, "{last:?}");
        let listed = usual(last).into_iter().map(Event::Listed);
        scene.tell(last, None, [Event::ListBegin].into_iter().chain(listed));
        let pepper = last == Kind::Secret;
        assert_eq!(scene.serving, pepper, "a pepper counts as soon as it was read");
        scene.tell(last, None, [Event::ListEnd]);
        assert!(scene.serving && scene.readiness.is_ready(), "{last:?}");
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "{last:?}");
    }
}

#[test]
fn what_is_awaited_says_in_which_namespace_and_why() {
    let mut scene = Scene::new(&["a", "b"]);
    scene.list(Kind::Consumer, Some("a"), Vec::new());
    let forbidden = Event::Trouble("forbidden".to_owned());
    scene.tell(Kind::Consumer, Some("b"), [forbidden]);
    let pending = scene.readiness.pending();
    assert!(
        pending.contains(&"consumers: namespace b: forbidden".to_owned()),
        "{pending:?}"
    );
    for kind in scene.kinds() {
        scene.list(kind, Some("a"), Vec::new());
        scene.list(kind, Some("b"), usual(kind));
    }
    assert_eq!(scene.readiness.pending(), [""; 0]);
}

#[test]
fn at_the_start_a_missing_kind_is_awaited_and_named() {
    for kind in [
        Kind::Consumer,
        Kind::ReferenceGrant,
        Kind::HttpRoute,
        Kind::AuthPolicy,
    ] {
        let mut scene = Scene::new(&[]);
        for other in scene.kinds() {
            if other != kind {
                scene.list(other, None, usual(other));
            }
        }
        scene.tell(kind, None, [Event::Missing]);
        assert!(!scene.serving, "{kind:?}");
        let pending = scene.readiness.pending();
        assert!(pending[0].contains("has no CRD"), "{pending:?}");
        scene.list(kind, None, usual(kind));
        assert!(scene.serving && scene.readiness.is_ready(), "{kind:?}");
    }
}

#[test]
fn losing_the_api_server_later_makes_nothing_unready() {
    let mut scene = Scene::usual();
    for kind in scene.kinds() {
        let refused = Event::Trouble("connection refused".to_owned());
        scene.tell(kind, None, [refused, Event::ListBegin]);
    }
    assert!(scene.serving && scene.readiness.is_ready());
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
}
