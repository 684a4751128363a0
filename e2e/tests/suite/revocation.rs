//! Ways in which a key dies, and that it stays dead.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    keys,
    manifest::{Manifest, consumer, credential, secret},
    scene::Scene,
    wait::eventually,
};

/// A key that works, something that is done to the folder, and a key that works no more: at the
/// first answer after the folder was read, and at every one after that. A bystander sees nothing.
fn dies(change: impl FnOnce(&Scene)) {
    let (scene, _echo) = Scene::with_echo();
    let alice = Request::get("/").key(&scene.consumer_with_secret("alice"));
    let bob = Request::get("/").key(&scene.consumer("bob"));
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&alice), 200);
    change(&scene);
    let response = gateway.flips(&alice, 200, 401);
    assert_eq!(response.reason(), "credential_invalid");
    gateway.still(&alice, 401);
    assert_eq!(gateway.status(&bob), 200);
}

fn alice() -> Manifest {
    credential("alice", "alice").secret_ref("alice")
}

fn in_seconds(seconds: u64) -> SystemTime {
    SystemTime::now() + Duration::from_secs(seconds)
}

fn text(time: SystemTime) -> String {
    // Kubernetes timestamps have whole seconds; rounding down would move the end before now.
    let time = Timestamp::try_from(time).expect("a time of this century");
    Timestamp::from_second(time.as_second() + 1)
        .expect("a time of this century")
        .to_string()
}

#[test]
fn a_deleted_credential() {
    dies(|scene| scene.folder.delete("credential-alice.yaml"));
}

#[test]
fn a_disabled_credential() {
    dies(|scene| {
        scene
            .folder
            .write("credential-alice.yaml", &[alice().set("spec.disabled", true)]);
    });
}

#[test]
fn a_terminating_credential() {
    dies(|scene| {
        scene
            .folder
            .write("credential-alice.yaml", &[alice().terminating()]);
    });
}

/// The last auth method is removed (O-A1).
#[test]
fn a_credential_without_its_method() {
    dies(|scene| {
        scene
            .folder
            .write("credential-alice.yaml", &[credential("alice", "alice")]);
    });
}

#[test]
fn a_credential_of_another_secret() {
    dies(|scene| {
        scene.folder.write(
            "credential-alice.yaml",
            &[credential("alice", "alice").secret_ref("absent")],
        );
    });
}

#[test]
fn a_credential_of_a_consumer_that_is_not_there() {
    dies(|scene| {
        scene.folder.write(
            "credential-alice.yaml",
            &[credential("alice", "nobody").secret_ref("alice")],
        );
    });
}

#[test]
fn a_deleted_secret() {
    dies(|scene| scene.folder.delete("secret-alice.yaml"));
}

#[test]
fn a_deleted_consumer() {
    dies(|scene| scene.folder.delete("consumer-alice.yaml"));
}

#[test]
fn a_disabled_consumer() {
    dies(|scene| {
        scene.folder.write(
            "consumer-alice.yaml",
            &[consumer("alice").set("spec.disabled", true)],
        );
    });
}

#[test]
fn an_expired_credential() {
    dies(|scene| {
        let past = "2026-01-01T00:00:00Z";
        scene.folder.write(
            "credential-alice.yaml",
            &[alice().set("spec.expirationTime", past)],
        );
    });
}

#[test]
fn an_expired_consumer() {
    dies(|scene| {
        let past = "2026-01-01T00:00:00Z";
        scene.folder.write(
            "consumer-alice.yaml",
            &[consumer("alice").set("spec.expirationTime", past)],
        );
    });
}

#[test]
fn a_credential_expires_by_itself() {
    let (scene, _echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer_with_secret("alice"));
    let end = in_seconds(2);
    scene.folder.write(
        "credential-alice.yaml",
        &[alice().set("spec.expirationTime", text(end))],
    );
    let gateway = scene.gateway().start();
    gateway.flips(&request, 200, 401);
    assert!(SystemTime::now() >= end, "refused before its end");
    gateway.still(&request, 401);
}

#[test]
fn a_credential_becomes_valid_by_itself() {
    let (scene, _echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer_with_secret("alice"));
    let begin = in_seconds(2);
    scene.folder.write(
        "credential-alice.yaml",
        &[alice().set("spec.notBeforeTime", text(begin))],
    );
    let gateway = scene.gateway().start();
    gateway.flips(&request, 401, 200);
    assert!(SystemTime::now() >= begin, "let in before its time");
}

#[test]
fn a_replaced_secret_value_moves_access_to_the_new_key() {
    let (scene, _echo) = Scene::with_echo();
    let old = Request::get("/").key(&scene.consumer_with_secret("alice"));
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&old), 200);
    let key = keys::key("alice-new");
    scene.folder.write("secret-alice.yaml", &[secret("alice", &key)]);
    gateway.flips(&old, 200, 401);
    assert_eq!(gateway.status(&Request::get("/").key(&key)), 200);
    gateway.still(&old, 401);
}

#[test]
fn a_replaced_hash_moves_access_to_the_new_key() {
    let (scene, _echo) = Scene::with_echo();
    let old = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&old), 200);
    let key = keys::key("alice-new");
    scene.folder.write(
        "credential-alice.yaml",
        &[credential("alice", "alice").sha256(&key)],
    );
    gateway.flips(&old, 200, 401);
    assert_eq!(gateway.status(&Request::get("/").key(&key)), 200);
    gateway.still(&old, 401);
}

#[test]
fn a_kept_connection_sees_the_end_of_its_key_too() {
    let (scene, _echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let mut status = || connection.send(&request).expect("the connection is kept").status;
    assert_eq!(status(), 200);
    scene.folder.delete("credential-alice.yaml");
    eventually("the key is dead", || match status() {
        401 => Ok(()),
        status => Err(status.to_string()),
    });
    assert_eq!(status(), 401);
}

/// A parent changes, its credential does not (O-A3).
#[test]
fn a_change_of_a_consumer_shows_at_the_next_request_with_its_key_untouched() {
    let (scene, _echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    let groups = || Seen::of(&gateway.send(&request)).header("X-Consumer-Groups");
    assert_eq!(groups(), None);
    scene.folder.write(
        "consumer-alice.yaml",
        &[consumer("alice").set("spec.groups", serde_json::json!(["gold"]))],
    );
    gateway.barrier();
    assert_eq!(groups().as_deref(), Some("gold"));
}

/// A parent goes and comes back (O-A3).
#[test]
fn a_key_stays_dead_when_a_consumer_of_another_name_comes_and_lives_when_its_own_returns() {
    let (scene, _echo) = Scene::with_echo();
    let alice = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&alice), 200);
    scene.folder.delete("consumer-alice.yaml");
    gateway.flips(&alice, 200, 401);

    // Several, since any of them may get what alice had.
    let others: Vec<_> = ["bob", "carol", "dave"]
        .into_iter()
        .map(|name| (name, Request::get("/").key(&scene.consumer(name))))
        .collect();
    gateway.still(&alice, 401);
    for (name, request) in others {
        let seen = Seen::of(&gateway.send(&request));
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some(name));
    }

    scene.folder.write("consumer-alice.yaml", &[consumer("alice")]);
    let response = gateway.flips(&alice, 401, 200);
    assert_eq!(
        Seen::of(&response).header("X-Consumer-Username").as_deref(),
        Some("alice")
    );
}

#[test]
fn a_revoked_key_stays_dead_over_a_restart() {
    let (scene, echo): (Scene, Echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&request), 200);
    scene.folder.delete("credential-alice.yaml");
    drop(gateway);
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&request), 401);
    drop(echo);
}
