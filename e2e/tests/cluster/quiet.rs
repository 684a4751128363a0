//! How much an operator writes and reads: nothing while nothing changes, and one write an object that a
//! change concerns. Every request is counted on its way to the API server.

use std::time::SystemTime;

use jiff::Timestamp;
use latchkey_e2e::{
    cluster::{
        Operator, Relay, Scene,
        relay::When,
        scene::{holding, of, secret_of},
    },
    keys,
    manifest::{Manifest, consumer, credential},
    wait::eventually,
};
use serde_json::{Value, json};

/// Credentials in the tests that count what many cause.
const MANY: u16 = 200;
/// Complete lists of all kinds that go by while nothing changes: of the default, hours.
const RELISTS: usize = 3;

/// An operator that lists everything again every second.
fn restless(scene: &Scene<'_>, relay: &Relay) -> Operator {
    let starter = scene.operator().through(relay);
    starter.args(&["--relist-interval", "1s"]).start()
}

/// Reads of Secrets one by one; the pepper is read with each of its lists.
fn secret_reads(relay: &Relay) -> usize {
    let reads = relay.requests(&When::any().resource("secrets").method("GET").is_watch(false));
    let ones = reads
        .iter()
        .filter(|read| !read.path.ends_with("/secrets") && !read.path.ends_with("/latchkey-pepper"));
    ones.count()
}

fn writes_but_of_the_lease(relay: &Relay) -> usize {
    relay.count(&When::write()) - relay.count(&When::write().resource("leases"))
}

fn status_writes(relay: &Relay) -> usize {
    relay.count(&When::status())
}

/// Waits until everything was listed so often from now on.
fn until_relisted(relay: &Relay) {
    let kinds = ["credentials", "consumers", "secrets", "gateways"];
    // Contacts ask for one object.
    let lists = || kinds.map(|kind| relay.count(&When::list(kind).query("limit=500")));
    let before = lists();
    eventually("everything is listed again", || {
        let lists = lists();
        let mut relisted = lists.iter().zip(&before).map(|(now, before)| now - before);
        relisted
            .all(|times| times >= RELISTS)
            .then_some(())
            .ok_or(format!("{before:?}, and now {lists:?} lists"))
    });
}

/// So many Credentials, of which every second one has a Secret that does not exist.
fn many(scene: &Scene<'_>) -> Vec<Manifest> {
    let namespace = scene.namespace();
    namespace.put(&[consumer("everybody")]);
    let names = (0..MANY).map(|n| format!("c{n}"));
    let all = names.map(|name| {
        if name.ends_with(['0', '2', '4', '6', '8']) {
            namespace.put(&[holding(&name, &keys::key(&name))]);
        }
        let credential = credential(&name, "everybody").secret_ref(&name);
        namespace.put(std::slice::from_ref(&credential));
        credential
    });
    all.collect()
}

/// Waits until each says of itself what it must.
fn until_all_said(scene: &Scene<'_>) {
    let half = usize::from(MANY / 2);
    eventually("every Credential says whether it is ready", || {
        let all = scene.namespace().all(&of("any"));
        let said = |wanted: &str| all.iter().filter(|object| ready(object) == wanted).count();
        let (good, bad) = (said("True"), said("False"));
        (good == half && bad == half)
            .then_some(())
            .ok_or(format!("{good} are ready, {bad} are not"))
    });
}

fn ready(object: &Value) -> &str {
    let conditions = object["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    conditions
        .find(|condition| condition["type"] == "Ready")
        .and_then(|condition| condition["status"].as_str())
        .unwrap_or_default()
}

/// No hot loop: two hundred Credentials, of which half are invalid (O-B6).
#[test]
fn while_nothing_changes_nothing_is_written_and_no_secret_is_read_whoever_leads() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let operator = restless(&scene, &relay);
    let all = many(&scene);
    until_all_said(&scene);
    scene.until_routes_are_accepted();
    operator.wait_settled(MANY.into());

    let counts = || (writes_but_of_the_lease(&relay), secret_reads(&relay));
    let settled = counts();
    until_relisted(&relay);
    assert_eq!(counts(), settled, "an idle hour");

    // Only the label is new: the spec is not.
    let looks = operator.looks();
    scene
        .namespace()
        .patch(&all[0], &json!({"metadata": {"labels": {"team": "blue"}}}));
    operator.until_looks(looks);
    until_relisted(&relay);
    assert_eq!(counts(), settled, "a label");

    // Another one stands by, and leads when this one ends.
    let second = Relay::start(scene.cluster());
    let standby = restless(&scene, &second);
    operator.stop();
    standby.wait_leading();
    standby.wait_settled(MANY.into());
    until_relisted(&second);
    assert_eq!(status_writes(&second), 0, "another leader");
    standby.stop();

    let third = Relay::start(scene.cluster());
    let restarted = restless(&scene, &third);
    restarted.wait_settled(MANY.into());
    until_relisted(&third);
    assert_eq!(status_writes(&third), 0, "a restart");
    assert_eq!(
        secret_reads(&second).max(secret_reads(&third)),
        usize::from(MANY / 2),
        "only those that are missing are asked for again"
    );
}

/// An operator that has said all there is to say, and its writes from then on.
struct Counted<'a> {
    scene: &'a Scene<'a>,
    relay: &'a Relay,
    _operator: Operator,
}

impl<'a> Counted<'a> {
    fn start(scene: &'a Scene<'a>, relay: &'a Relay) -> Self {
        let operator = restless(scene, relay);
        scene.until_routes_are_accepted();
        Self {
            scene,
            relay,
            _operator: operator,
        }
    }

    /// How many writes a change causes: until it is in force, and while all is listed again after that.
    fn writes(&self, change: impl FnOnce(&Scene<'_>), until: impl FnOnce(&Scene<'_>)) -> usize {
        let before = status_writes(self.relay);
        change(self.scene);
        until(self.scene);
        until_relisted(self.relay);
        status_writes(self.relay) - before
    }
}

/// Waits until what alice's Secret holds now is published.
fn until_published(scene: &Scene<'_>) {
    let secret = scene.namespace().read(&secret_of("alice")).unwrap_or_default();
    scene
        .namespace()
        .until(&of("alice"), "the Secret is published", |object| {
            let block = &object["status"]["published"][0];
            block["secretResourceVersion"] == secret["metadata"]["resourceVersion"]
        });
}

/// The least that a change costs (O-B6).
#[test]
fn one_change_is_one_write_an_object_that_it_concerns() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let counted = Counted::start(&scene, &relay);
    let namespace = scene.namespace();

    namespace.put(&[consumer("alice")]);
    let applied = counted.writes(
        |scene| {
            let secret = holding("alice", &keys::key("alice"));
            scene.namespace().apply(&[secret, of("alice")]);
        },
        |scene| {
            scene.namespace().until_condition(&of("alice"), "Ready", "True");
        },
    );
    assert_eq!(applied, 1, "Secret and Credential together");

    let rotated = counted.writes(|scene| drop(scene.rotate("alice")), until_published);
    assert_eq!(rotated, 1, "a new key");

    let label = json!({"metadata": {"labels": {"team": "blue"}}});
    let labelled = counted.writes(
        |scene| drop(scene.namespace().patch(&secret_of("alice"), &label)),
        until_published,
    );
    assert_eq!(labelled, 1, "its Secret has another version");

    for name in ["laptop", "phone", "server"] {
        namespace.put(&[
            holding(name, &keys::key(name)),
            credential(name, "alice").secret_ref(name),
        ]);
        namespace.until_condition(&of(name), "Ready", "True");
    }
    let orphaned = counted.writes(
        |scene| scene.namespace().delete("consumer", "alice"),
        |scene| {
            for name in ["alice", "laptop", "phone", "server"] {
                let refs = scene
                    .namespace()
                    .until_condition(&of(name), "ResolvedRefs", "False");
                assert_eq!(refs["reason"], "ConsumerNotFound");
            }
        },
    );
    assert_eq!(orphaned, 4, "the Consumer of four Credentials");
}

/// What wakes nobody: a time that stands still (O-B6).
#[test]
fn a_condition_keeps_its_time_until_it_flips_and_follows_the_generation() {
    let scene = Scene::shared();
    let _operator = scene.operator().start();
    let namespace = scene.namespace();
    scene.consumer("alice");
    scene.rotate("another");
    let first = namespace.until_condition(&of("alice"), "ResolvedRefs", "True");
    until_a_later_second(&first);

    namespace.patch(
        &of("alice"),
        &json!({"spec": {"apiKey": {"secretKeyRef": {"name": "another"}}}}),
    );
    let followed = namespace.until_condition(&of("alice"), "ResolvedRefs", "True");
    assert_ne!(followed["observedGeneration"], first["observedGeneration"]);
    assert_eq!(followed["lastTransitionTime"], first["lastTransitionTime"]);
    let status = namespace.read(&of("alice")).unwrap_or_default()["status"].clone();
    assert_eq!(status["observedGeneration"], followed["observedGeneration"]);

    namespace.remove(&secret_of("another"));
    let flipped = namespace.until_condition(&of("alice"), "ResolvedRefs", "False");
    assert_ne!(flipped["lastTransitionTime"], first["lastTransitionTime"]);
    let accepted = namespace.until_condition(&of("alice"), "Accepted", "True");
    assert_eq!(accepted["lastTransitionTime"], first["lastTransitionTime"]);
}

/// Waits until the clock shows another second than a condition, whose times have whole ones.
fn until_a_later_second(condition: &Value) {
    let stands: Option<Timestamp> = condition["lastTransitionTime"]
        .as_str()
        .and_then(|text| text.parse().ok());
    eventually("another second", || {
        let now = Timestamp::try_from(SystemTime::now()).map_err(|e| e.to_string())?;
        (Some(now.as_second()) > stands.map(Timestamp::as_second))
            .then_some(())
            .ok_or("the same".to_owned())
    });
}
