//! Only a complete list proves absence, of its own scope; a kind that is missing is gone only if it grants.

use latchkey_runtime::watch::Event;
use serde_json::json;

use super::support::{Scene, consumer, credential, key, usual};
use crate::object::Kind;

#[test]
fn what_a_complete_list_does_not_name_is_gone_and_not_before() {
    for (kind, answer) in [
        (Kind::Consumer, "orphaned"),
        (Kind::Credential, "unknown_key"),
        (Kind::HttpRoute, "no_route"),
        (Kind::AuthPolicy, "open"),
        (Kind::EndpointSlice, "no_endpoint"),
    ] {
        let mut scene = Scene::usual();
        let trouble = Event::Trouble("it broke".to_owned());
        for events in [
            vec![Event::ListBegin],
            vec![trouble],
            vec![Event::ListBegin, Event::ListBegin],
        ] {
            scene.tell(kind, None, events.clone());
            assert_eq!(
                scene.ask("/", Some(&key("alice"))),
                "alice",
                "{kind:?}: {events:?}"
            );
        }
        scene.tell(kind, None, [Event::ListEnd]);
        assert_eq!(scene.ask("/", Some(&key("alice"))), answer, "{kind:?}");
    }
}

#[test]
fn what_a_list_tells_and_no_watch_told_is_counted_but_for_what_a_start_learns() {
    let mut scene = Scene::usual();
    scene.list(Kind::Consumer, None, usual(Kind::Consumer));
    scene.applied(Kind::Consumer, consumer("bob"));
    assert_eq!(scene.corrections(), 0);
    // One that came and one that changed.
    let mut alice = consumer("alice");
    alice["spec"]["disabled"] = json!(true);
    let all = vec![alice.clone(), consumer("bob"), consumer("carol")];
    scene.list(Kind::Consumer, None, all.clone());
    assert_eq!(scene.corrections(), 2);
    scene.list(Kind::Consumer, None, all);
    scene.list(Kind::Consumer, None, vec![alice]);
    assert_eq!(scene.corrections(), 4);
}

#[test]
fn an_object_that_could_not_be_read_is_forgotten_when_a_list_does_not_name_it() {
    let mut scene = Scene::usual();
    let mut broken = consumer("bob");
    broken["spec"] = json!({"unheardOf": 1});
    scene.applied(Kind::Consumer, broken.clone());
    scene.list(Kind::Consumer, None, vec![consumer("alice"), broken]);
    assert_eq!(scene.findings(), ["Consumer shop/bob: Undecodable"]);
    scene.list(Kind::Consumer, None, usual(Kind::Consumer));
    assert_eq!(
        (scene.findings().len(), scene.undecodable(Kind::Consumer)),
        (0, 0)
    );
}

#[test]
fn a_list_of_one_namespace_sweeps_no_other() {
    let mut scene = Scene::new(&["other", "shop"]);
    for kind in scene.kinds() {
        scene.list(kind, Some("other"), Vec::new());
        scene.list(kind, Some("shop"), usual(kind));
    }
    assert!(scene.serving);
    for kind in scene.kinds() {
        scene.list(kind, Some("other"), Vec::new());
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "{kind:?}");
    }
    scene.list(Kind::HttpRoute, Some("shop"), Vec::new());
    assert_eq!(scene.ask("/", Some(&key("alice"))), "no_route");
}

#[test]
fn a_kind_that_is_missing_is_gone_if_it_grants_and_stays_if_it_shapes() {
    for (kind, answer) in [
        (Kind::Consumer, "orphaned"),
        (Kind::Credential, "unknown_key"),
        (Kind::AuthPolicy, "alice"),
        (Kind::HttpRoute, "alice"),
        (Kind::Gateway, "alice"),
    ] {
        let mut scene = Scene::usual();
        scene.tell(kind, None, [Event::Missing]);
        assert_eq!(scene.ask("/", Some(&key("alice"))), answer, "{kind:?}");
        assert_eq!(scene.missing(kind), 1);
        assert!(scene.readiness.is_ready(), "{kind:?}");
        scene.list(kind, None, usual(kind));
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "{kind:?} is back");
        assert_eq!(scene.missing(kind), 0);
    }
}

#[test]
fn a_list_that_turns_out_missing_in_the_middle_counts_as_any_other_that_is_missing() {
    let mut scene = Scene::usual();
    scene.tell(Kind::AuthPolicy, None, [Event::ListBegin, Event::Missing]);
    assert_eq!(scene.ask("/", None), "no_credential");
    let listed = Event::Listed(credential("alice", "alice"));
    scene.tell(Kind::Credential, None, [Event::ListBegin, listed, Event::Missing]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "unknown_key");
}
