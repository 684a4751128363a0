//! Secrets that the operator may not read: by its own selector, where they count as not found, or because
//! the API server forbids it, where nobody can say and what was published stays.

use latchkey_e2e::{
    cluster::{
        Relay, Scene,
        relay::{Action, When},
        scene::{of, secret_of},
    },
    poll::Poll,
    wait::eventually,
};
use serde_json::json;

#[test]
fn one_without_the_selectors_labels_counts_as_not_found_until_it_has_them() {
    let scene = Scene::shared();
    let namespace = scene.namespace();
    let selector = ["--secret-selector", "purpose=api-key"];
    let _operator = scene.operator().args(&selector).start();
    let gateway = scene.gateway().start();
    let alice = scene.consumer("alice");
    let refs = namespace.until_condition(&of("alice"), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "SecretNotFound");
    let message = refs["message"].as_str().unwrap_or_default();
    assert!(message.contains("--secret-selector purpose=api-key"), "{message}");
    let alice = Poll::start(gateway.proxy(), &alice);
    alice.is(&[401]);

    let label = |value| json!({"metadata": {"labels": {"purpose": value}}});
    namespace.patch(&secret_of("alice"), &label(Some("api-key")));
    alice.becomes(&[401, 200]);
    namespace.patch(&secret_of("alice"), &label(None));
    alice.becomes(&[401, 200, 401]);
    namespace.until_condition(&of("alice"), "ResolvedRefs", "False");
}

#[test]
fn one_that_may_not_be_read_any_more_keeps_what_was_published_and_heals() {
    let scene = Scene::shared();
    let namespace = scene.namespace();
    let relay = Relay::start(scene.cluster());
    let operator = scene.operator().through(&relay).start();
    let gateway = scene.gateway().start();
    let request = scene.consumer("alice");
    gateway.becomes(&request, 200);
    let old = Poll::start(gateway.proxy(), &request);

    let forbidden = relay.add(When::get("secrets", "alice"), Action::status(403, "Forbidden"));
    let new = Poll::start(gateway.proxy(), &scene.rotate("alice"));
    let refs = namespace.until_condition(&of("alice"), "ResolvedRefs", "Unknown");
    assert_eq!(refs["reason"], "SecretUnreadable");
    namespace.until_condition(&of("alice"), "Ready", "Unknown");
    operator.says(&["cannot read its Secret", "alice", "verb get"]);
    let bob = scene.consumer("bob");
    gateway.becomes(&bob, 200);
    eventually("it is tried again", || {
        let tries = relay.caught(forbidden);
        (tries > 2).then_some(()).ok_or(format!("{tries}"))
    });
    old.is(&[200]);
    new.is(&[401]);

    relay.lift(forbidden);
    new.becomes(&[401, 200]);
    old.becomes(&[200, 401]);
    namespace.until_condition(&of("alice"), "Ready", "True");
}
