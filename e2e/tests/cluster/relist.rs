//! Changes that a gateway missed, and complete lists that tell it of them: all is taken in, nothing else
//! moves, and a list that broke off tells nothing.

use latchkey_e2e::{
    cluster::{
        Crowd, Gateway, Holder, Relay, Scene,
        relay::{Action, When},
    },
    echo::Seen,
    manifest::consumer,
};

/// Deletes that were missed (O-B3).
#[test]
fn a_complete_list_removes_what_it_does_not_name_and_touches_nothing_else() {
    let crowd = Crowd::new();
    let kept = crowd.poll(&crowd.kept(), 200);
    let before = crowd.listed("lists");
    crowd.delete_unseen();
    for request in crowd.deleted() {
        crowd.gateway.flips(&request, 200, 401);
    }
    assert_eq!(crowd.listed("lists"), before + 1, "it was no list that told");
    crowd.gateway.until_watches("the watch goes on", |watch| {
        let kind = &watch["kinds"]["Credential"];
        kind["working"] == kind["watches"]
    });
    let late = Holder::put(crowd.scene.namespace(), "late");
    crowd.gateway.becomes(&late.request(), 200);
    kept.finish();
}

/// Lists that are refused at these pages remove nothing, however many; the first whole one does.
fn refused_at(pages: When) {
    let crowd = Crowd::new();
    let kept = crowd.poll(&crowd.kept(), 200);
    let deleted = crowd.poll(&crowd.deleted(), 200);
    let before = crowd.listed("lists");
    let broken = crowd.relay.add(pages, Action::status(500, "InternalError"));
    crowd.delete_unseen();
    crowd.relay.until_caught(broken, 3);
    assert_eq!(crowd.listed("lists"), before);
    deleted.finish();
    crowd.relay.lift(broken);
    for request in crowd.deleted() {
        crowd.gateway.flips(&request, 200, 401);
    }
    assert_eq!(crowd.listed("lists"), before + 1);
    kept.finish();
}

#[test]
fn a_list_that_breaks_after_its_first_page_removes_nothing() {
    refused_at(When::list("credentials").query("continue="));
}

#[test]
fn a_list_that_breaks_before_its_first_page_removes_nothing() {
    refused_at(When::list("credentials").query("limit=500"));
}

/// A Credential is deleted and made again under its name, with another key and another owner, while the
/// gateway is cut off; `by_list` says how it hears of that.
fn replaced_unseen(by_list: bool) {
    let scene = Scene::shared();
    let namespace = scene.namespace();
    let relay = Relay::start(scene.cluster());
    let _operator = scene.operator().start();
    let gateway = scene.gateway().through(&relay).start();
    let old = Holder::of("alice", "laptop");
    namespace.put(&old.manifests());
    gateway.becomes(&old.request(), 200);
    let first = namespace.until_condition(&old.credential, "Ready", "True");
    let lists = |gateway: &Gateway| gateway.watches()["kinds"]["Credential"]["lists"].clone();
    let before = lists(&gateway);

    let away = relay.add(When::any(), Action::Cut);
    let new = Holder::of("bob", "laptop");
    namespace.remove(&old.credential);
    namespace.put(&new.manifests());
    if by_list {
        relay.add_times(1, When::watch("credentials"), Action::status(410, "Expired"));
    }
    relay.lift(away);
    gateway.flips(&old.request(), 200, 401);
    let seen = Seen::of(&gateway.becomes(&new.request(), 200));
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("bob"));
    assert_eq!(lists(&gateway) != before, by_list);
    let index = gateway.ask_admin("/debug/index").json()["index"].take();
    assert_eq!(index["entries"], 1, "{index}");
    let second = namespace.until_condition(&new.credential, "Ready", "True");
    assert_eq!(
        (&first["observedGeneration"], &second["observedGeneration"]),
        (&1.into(), &1.into())
    );
    namespace.put(&[consumer("alice").set("spec.disabled", true)]);
    gateway.becomes(&new.request(), 200);
}

/// Deleted and created again between two looks (O-B2).
#[test]
fn what_was_replaced_under_its_name_is_another_object_to_a_list() {
    replaced_unseen(true);
}

/// The stream shows it as an update (O-B2).
#[test]
fn what_was_replaced_under_its_name_is_another_object_to_a_watch() {
    replaced_unseen(false);
}
