//! Two Credentials of one namespace with one key: who owns it, and what happens when the owner goes.

use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    gateway::Gateway,
    keys,
    manifest::{Manifest, consumer, credential},
    scene::Scene,
    wait::eventually,
};

const EARLIER: &str = "2026-01-01T00:00:00Z";
const LATER: &str = "2026-01-02T00:00:00Z";

/// Two Consumers, and a key that each of them may claim.
fn two_claims() -> (Scene, Echo, String) {
    let (scene, echo) = Scene::with_echo();
    scene
        .folder
        .write("consumers.yaml", &[consumer("alice"), consumer("bob")]);
    (scene, echo, keys::key("shared"))
}

fn claim(name: &str, key: &str, created: &str) -> Manifest {
    credential(name, name).sha256(key).created(created)
}

/// Waits until the key belongs to this consumer, and then that it stays so.
#[track_caller]
fn belongs(gateway: &Gateway<'_>, key: &str, name: &str) {
    let request = Request::get("/").key(key);
    gateway.until(&request, &format!("the key is {name}'s"), |response| {
        response.status == 200 && Seen::of(response).header("X-Consumer-Username").as_deref() == Some(name)
    });
}

/// Two credentials, one key (O-A4).
#[test]
fn the_oldest_owns_the_key_and_the_next_takes_over_when_it_goes() {
    let (scene, _echo, key) = two_claims();
    scene.folder.write("a.yaml", &[claim("alice", &key, LATER)]);
    scene.folder.write("b.yaml", &[claim("bob", &key, EARLIER)]);
    let gateway = scene.gateway().start();
    belongs(&gateway, &key, "bob");
    scene.folder.delete("b.yaml");
    belongs(&gateway, &key, "alice");
}

#[test]
fn of_two_of_one_age_the_first_by_name_owns_the_key() {
    let (scene, _echo, key) = two_claims();
    scene.folder.write(
        "b.yaml",
        &[claim("bob", &key, EARLIER), claim("alice", &key, EARLIER)],
    );
    let gateway = scene.gateway().start();
    belongs(&gateway, &key, "alice");
}

#[test]
fn the_order_of_arrival_decides_nothing() {
    let (scene, _echo, key) = two_claims();
    scene.folder.write("a.yaml", &[claim("alice", &key, LATER)]);
    let gateway = scene.gateway().start();
    belongs(&gateway, &key, "alice");
    scene.folder.write("b.yaml", &[claim("bob", &key, EARLIER)]);
    belongs(&gateway, &key, "bob");
}

#[test]
fn an_owner_that_may_not_pass_keeps_its_key_dead() {
    for change in [
        |claim: Manifest| claim.set("spec.disabled", true),
        |claim: Manifest| claim.set("spec.expirationTime", EARLIER),
        |claim: Manifest| claim.set("spec.notBeforeTime", "2999-01-01T00:00:00Z"),
        |claim: Manifest| claim.set("spec.consumerRef.name", "nobody"),
        |claim: Manifest| claim.terminating(),
    ] {
        let (scene, _echo, key) = two_claims();
        scene.folder.write("a.yaml", &[claim("alice", &key, EARLIER)]);
        scene.folder.write("b.yaml", &[claim("bob", &key, LATER)]);
        let gateway = scene.gateway().start();
        belongs(&gateway, &key, "alice");

        scene
            .folder
            .write("a.yaml", &[change(claim("alice", &key, EARLIER))]);
        let request = Request::get("/").key(&key);
        gateway.flips(&request, 200, 401);
        gateway.still(&request, 401);
        scene.folder.delete("a.yaml");
        belongs(&gateway, &key, "bob");
    }
}

#[test]
fn a_credential_that_cannot_be_read_owns_nothing() {
    let (scene, _echo, key) = two_claims();
    scene.folder.write("a.yaml", &[claim("alice", &key, EARLIER)]);
    scene.folder.write("b.yaml", &[claim("bob", &key, LATER)]);
    let gateway = scene.gateway().start();
    belongs(&gateway, &key, "alice");
    scene.folder.write(
        "a.yaml",
        &[claim("alice", &key, EARLIER).set("spec.colour", "red")],
    );
    belongs(&gateway, &key, "bob");
}

#[test]
fn a_conflict_is_said_with_its_field_and_not_with_the_key() {
    let (scene, _echo, key) = two_claims();
    scene.folder.write("a.yaml", &[claim("alice", &key, EARLIER)]);
    scene.folder.write("b.yaml", &[claim("bob", &key, LATER)]);
    let gateway = scene.gateway().start();
    let line = gateway.says(&["Conflicted", "default/bob"]);
    assert!(line.contains("spec.apiKey") && line.contains("b.yaml"), "{line}");
}

#[test]
fn a_key_that_moves_between_two_credentials_in_one_file_is_never_dead_or_doubled() {
    let (scene, _echo, first) = two_claims();
    let second = keys::key("second");
    let swap = |alice: &str, bob: &str| {
        scene.folder.write(
            "both.yaml",
            &[claim("alice", alice, EARLIER), claim("bob", bob, EARLIER)],
        );
    };
    swap(&first, &second);
    let gateway = scene.gateway().start();
    belongs(&gateway, &first, "alice");
    swap(&second, &first);
    let request = Request::get("/").key(&first);
    eventually("the keys have changed places", || {
        match Seen::of(&gateway.send(&request))
            .header("X-Consumer-Username")
            .as_deref()
        {
            Some("bob") => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
    belongs(&gateway, &second, "alice");
}
