//! Lists that are cut, stop or end in the middle of a page, one after the other: nothing is removed before a
//! whole one, and nothing is forgotten after it.

use std::time::Duration;

use latchkey_e2e::{
    client::Request,
    cluster::{
        Crowd, Holder, Relay, Scene,
        relay::{Action, Break, When},
        scene::{of, secret_of},
    },
    poll::Poll,
};

/// Bytes of a page after which it breaks: some tens of its objects.
const SOME: usize = 20_000;

/// Metrics within a second.
const QUICK: [&str; 2] = ["--metrics-refresh-interval", "1s"];

/// Cut after its beginning, in its middle and before any object; deletes before it and in the gap (O-B3).
#[test]
fn lists_cut_in_whatever_page_remove_nothing_and_the_first_whole_one_forgets_nothing() {
    let crowd = Crowd::with(&QUICK);
    let (relay, gateway) = (&crowd.relay, &crowd.gateway);
    let kept = crowd.poll(&crowd.kept(), 200);
    let unseen = crowd.poll(&crowd.deleted(), 200);
    let in_the_gap: Vec<Request> = crowd.listed_first().iter().map(Holder::request).collect();
    let lists = crowd.listed("lists");
    let failures = crowd.listed("listFailures");

    let later = relay.add(When::later_page("credentials"), Action::Body(SOME, Break::Cut));
    for then in [
        Action::Body(SOME, Break::Cut),
        // As if that were the whole page.
        Action::Body(SOME, Break::End),
        Action::Body(0, Break::Cut),
    ] {
        relay.add_times(1, When::first_page("credentials"), then);
    }
    crowd.delete_unseen();
    relay.until_caught(later, 1);
    // The first page of a list that broke has named these.
    crowd.delete(crowd.listed_first());
    // One more breaks in its third page.
    let passing = relay.add_times(1, When::later_page("credentials"), Action::Delay(Duration::ZERO));
    relay.until_caught(passing, 1);
    relay.until_caught(later, 2);
    for request in crowd.deleted().iter().chain(&in_the_gap) {
        assert_eq!(gateway.status(request), 200, "a broken list removed it");
    }
    gateway.says(&["credentials", "watching fails and is tried again", "list: "]);
    let kind = [("kind", "Credential")];
    gateway.until_metric("latchkey_watch_list_failures_total", &kind, |broken| {
        broken >= 5.0
    });
    gateway.until_metric("latchkey_watch_working", &kind, |works| works == 0.0);
    unseen.finish();
    assert_eq!(crowd.listed("lists"), lists);

    relay.lift(later);
    for request in crowd.deleted().iter().chain(&in_the_gap) {
        gateway.flips(request, 200, 401);
    }
    assert_eq!(crowd.listed("lists"), lists + 1);
    assert!(crowd.listed("listFailures") >= failures + 5);
    gateway.until_metric("latchkey_watch_working", &kind, |works| works == 1.0);
    kept.finish();
}

/// The same of a Secret's deletion (O-B3).
#[test]
fn an_operator_withdraws_nothing_by_lists_that_are_cut_and_what_is_gone_by_a_whole_one() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let operator = scene.operator().through(&relay).start();
    let gateway = scene.gateway().start();
    let (alice, bob) = (scene.consumer("alice"), scene.consumer("bob"));
    gateway.becomes(&alice, 200);
    gateway.becomes(&bob, 200);
    let polls = [&alice, &bob].map(|request| Poll::start(gateway.proxy(), request));

    let broken = relay.add(When::first_page("secrets"), Action::Body(200, Break::Cut));
    // Not the watch of the one that holds the pepper.
    let watch = When::watch("secrets").without("fieldSelector");
    let away = relay.add(watch.clone(), Action::Cut);
    relay.add_times(1, watch, Action::status(410, "Expired"));
    scene.namespace().remove(&secret_of("alice"));
    relay.lift(away);
    relay.until_caught(broken, 3);
    for poll in &polls {
        poll.is(&[200]);
    }
    operator.says(&["secrets", "watching fails and is tried again", "list: "]);
    relay.lift(broken);
    polls[0].becomes(&[200, 401]);
    let refs = scene
        .namespace()
        .until_condition(&of("alice"), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "SecretNotFound");
    polls[1].is(&[200]);
}
