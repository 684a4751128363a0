//! The folder as people and programs treat it: files that move, are edited in place, that are none
//! of ours, and a folder that goes away for a while.

use std::fs;

use latchkey_e2e::{
    client::Request,
    keys,
    manifest::{consumer, credential},
    scene::Scene,
};

#[test]
fn a_file_edited_in_place_counts_when_it_is_written() {
    let (scene, _echo) = Scene::with_echo();
    let old = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    let key = keys::key("alice-new");
    scene.folder.write_in_halves(
        "credential-alice.yaml",
        &[credential("alice", "alice").sha256(&key)],
        || (),
    );
    gateway.flips(&Request::get("/").key(&key), 401, 200);
    gateway.still(&old, 401);
}

#[test]
fn an_object_that_moves_to_another_file_is_never_gone() {
    let (scene, _echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    for (from, to) in [
        ("credential-alice.yaml", "z.yaml"),
        ("z.yaml", "a.yaml"),
        ("a.yaml", "credential-alice.yaml"),
    ] {
        fs::rename(scene.folder.file(from), scene.folder.file(to)).expect("a file moves within its folder");
        gateway.barrier();
        assert_eq!(gateway.status(&request), 200, "{from} became {to}");
    }
}

#[test]
fn what_is_no_yaml_file_is_no_manifest() {
    let (scene, _echo) = Scene::with_echo();
    let key = keys::key("alice");
    let objects = [consumer("alice"), credential("alice", "alice").sha256(&key)];
    let request = Request::get("/").key(&key);
    let gateway = scene.gateway().start();
    for name in ["alice.yaml.bak", "alice.txt", "alice.yaml~", "alice"] {
        scene.folder.write(name, &objects);
        gateway.still(&request, 401);
    }
    fs::rename(scene.folder.file("alice"), scene.folder.file("alice.yaml"))
        .expect("a file moves within its folder");
    gateway.flips(&request, 401, 200);
}

#[test]
fn objects_of_kinds_that_are_not_ours_harm_nobody() {
    let (scene, _echo) = Scene::with_echo();
    let request = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    scene.folder.write_text(
        "deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec: {}\n---\n# only a comment\n---\n",
    );
    gateway.still(&request, 200);
}

#[test]
fn what_is_held_is_served_while_the_folder_is_away() {
    let (scene, _echo) = Scene::with_echo();
    let alice = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    let away = scene.folder.path().with_extension("away");
    fs::rename(scene.folder.path(), &away).expect("a folder moves");
    gateway.says(&["FolderUnreadable"]);
    assert_eq!(gateway.status(&alice), 200);
    fs::rename(&away, scene.folder.path()).expect("a folder moves");
    let bob = Request::get("/").key(&scene.consumer("bob"));
    gateway.flips(&bob, 401, 200);
    assert_eq!(gateway.status(&alice), 200);
}

#[test]
fn many_changes_at_once_end_as_the_last_of_them() {
    let (scene, _echo) = Scene::with_echo();
    let gateway = scene.gateway().start();
    let mut last = String::new();
    let mut dead = Vec::new();
    for _ in 0..200 {
        dead.push(std::mem::replace(&mut last, scene.consumer("alice")));
    }
    gateway.barrier();
    assert_eq!(gateway.status(&Request::get("/").key(&last)), 200);
    for key in dead.iter().rev().take(20) {
        assert_eq!(gateway.status(&Request::get("/").key(key)), 401);
    }
}

#[test]
fn a_change_of_one_file_reads_one_file() {
    let (scene, _echo) = Scene::with_echo();
    for number in 0..300 {
        scene.consumer(&format!("bystander-{number}"));
    }
    let old = Request::get("/").key(&scene.consumer("alice"));
    let gateway = scene.gateway().start();
    let files_read = || gateway.ask_admin("/debug/index").json()["folder"]["filesRead"].clone();
    let before = files_read().as_u64().expect("a count");
    assert!(before > 600, "{before}");
    scene.folder.write(
        "credential-alice.yaml",
        &[credential("alice", "alice").sha256(&keys::key("alice-new"))],
    );
    gateway.flips(&old, 200, 401);
    assert_eq!(files_read(), before + 1);
}
