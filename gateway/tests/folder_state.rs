//! What a folder says comes into force, and nothing else: objects that come, change and go.

mod support;

use latchkey_gateway::standalone::engine::Outcome;
use support::{Scene, consumer, credential_by_secret, key, policy, secret};

#[test]
fn a_folder_is_served() {
    let mut scene = Scene::usual();
    assert_eq!(scene.sync(), Outcome::Committed);
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.door().ports(), [support::PORT]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    assert_eq!(scene.ask("/", Some("some-other-key-0123456789")), "unknown_key");
    assert_eq!(scene.ask("/", None), "no_credential");
    assert_eq!(scene.ask("/open", None), "open");
}

#[test]
fn an_empty_folder_is_empty() {
    let mut scene = Scene::new();
    assert_eq!(scene.sync(), Outcome::Committed);
    assert!(scene.door().ports().is_empty());
}

#[test]
fn a_batch_is_one_commit_of_each_side() {
    let mut scene = Scene::usual();
    scene.sync();
    let (index, routes) = scene.door().revisions();
    for name in ["bob", "carol", "dave"] {
        scene.write(&format!("{name}.yaml"), &consumer(name));
    }
    scene.write("policy-open.yaml", &policy("open", "open"));
    scene.delete("consumer-alice.yaml");
    scene.sync();
    assert_eq!(scene.door().revisions(), (index + 1, routes + 1));
    scene.sync();
    assert_eq!(
        scene.door().revisions(),
        (index + 1, routes + 1),
        "nothing changed"
    );
}

#[test]
fn a_change_reads_one_file_and_hands_out_one_object() {
    let mut scene = Scene::usual();
    for n in 0..1_000 {
        scene.write(&format!("consumer-{n}.yaml"), &consumer(&format!("c{n}")));
    }
    scene.sync();
    let before = scene.folder.files_read();
    let (index, routes) = scene.door().revisions();
    scene.write(
        "consumer-7.yaml",
        &consumer("c7").replace("{}", "{disabled: true}"),
    );
    scene.sync();
    assert_eq!(scene.folder.files_read() - before, 1);
    assert_eq!(scene.door().revisions(), (index + 1, routes));
}

#[test]
fn a_deleted_file_deletes_its_objects() {
    for (file, path, expected) in [
        ("credential-alice.yaml", "/", "unknown_key"),
        ("consumer-alice.yaml", "/", "orphaned"),
        ("secret-alice.yaml", "/", "unknown_key"),
        ("policy-app.yaml", "/", "open"),
        ("route-open.yaml", "/open", "alice"),
        ("gateway-edge.yaml", "/", "no_route"),
        ("backend.yaml", "/", "backend_invalid"),
    ] {
        let mut scene = Scene::usual();
        scene.sync();
        let text = std::fs::read_to_string(scene.dir.path().join(file)).unwrap();
        scene.delete(file);
        scene.sync();
        assert_eq!(scene.ask(path, Some(&key("alice"))), expected, "without {file}");
        scene.write(file, &text);
        scene.sync();
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "with {file} again");
        assert_eq!(scene.ask("/open", None), "open", "with {file} again");
    }
}

#[test]
fn a_secret_is_missing_then_there_then_rotated() {
    let mut scene = Scene::usual();
    scene.delete("secret-alice.yaml");
    scene.sync();
    assert_eq!(scene.findings(), ["Credential default/alice: SecretNotFound"]);
    // Least of all is the text of a reference a key.
    for text in [
        "alice",
        "alice/key",
        "default/alice",
        "secretKeyRef",
        "{name: alice, key: key}",
        "",
    ] {
        assert_eq!(scene.ask("/", Some(text)), "unknown_key", "{text:?}");
    }
    scene.write("secret-alice.yaml", &secret("alice", &key("first")));
    scene.sync();
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.ask("/", Some(&key("first"))), "alice");
    scene.write("secret-alice.yaml", &secret("alice", &key("second")));
    scene.sync();
    assert_eq!(scene.ask("/", Some(&key("first"))), "unknown_key");
    assert_eq!(scene.ask("/", Some(&key("second"))), "alice");
}

#[test]
fn a_value_that_cannot_be_a_key_is_refused_and_harms_no_other() {
    for (name, data) in [
        ("blank-edge", "data: {key: IGFiY2RlZmdoaWprbG1ub3BxcnN0}"),
        ("control", "stringData: {key: \"abcdefghijklm\\nnopqrstuvw\"}"),
        ("nul", "stringData: {key: \"abcdefghijklm\\0nopqrstuvw\"}"),
        ("binary", "data: {key: //79/P/+/fz//v38//79/P/+/fz=}"),
        ("cyrillic", "stringData: {key: ключключключключ}"),
        ("empty", "stringData: {key: ''}"),
        ("short", "stringData: {key: abc}"),
        ("no-text", "stringData: {key: 1234567890123456789}"),
    ] {
        let mut scene = Scene::usual();
        scene.write(
            "bad.yaml",
            &[consumer("bad"), credential_by_secret("bad", "bad")].join("---\n"),
        );
        let text = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: bad}}\n{data}\n");
        scene.write("secret-bad.yaml", &text);
        scene.sync();
        let findings = scene.findings();
        assert!(!findings.is_empty(), "{name}");
        assert!(
            findings.iter().all(|line| line.contains("default/bad")),
            "{name}: {findings:?}"
        );
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "{name}");
    }
}

#[test]
fn one_final_line_end_of_a_key_is_cut() {
    let mut scene = Scene::usual();
    scene.write(
        "secret-alice.yaml",
        &secret("alice", &format!("{}\n", key("alice"))),
    );
    scene.sync();
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
}

#[test]
fn a_key_that_another_credential_owns_is_said_and_taken_over_when_that_one_goes() {
    let mut scene = Scene::usual();
    scene.write("consumer-zoe.yaml", &consumer("zoe"));
    scene.write("credential-zoe.yaml", &credential_by_secret("zoe", "alice"));
    scene.sync();
    assert_eq!(scene.findings(), ["Credential default/zoe: Conflicted"]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    scene.delete("credential-alice.yaml");
    scene.sync();
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "zoe");
}

#[test]
fn a_credential_without_a_method_is_said() {
    let mut scene = Scene::usual();
    let text = credential_by_secret("alice", "alice").replace("  apiKey:", "  # apiKey:");
    scene.write("credential-alice.yaml", &text);
    scene.sync();
    assert_eq!(scene.findings(), ["Credential default/alice: NoMethod"]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "unknown_key");
}

#[test]
fn an_object_moved_between_files_never_went_away() {
    let mut scene = Scene::usual();
    scene.sync();
    let before = scene.door().revisions();
    scene.delete("policy-app.yaml");
    scene.delete("credential-alice.yaml");
    let moved = [policy("app", "app"), credential_by_secret("alice", "alice")].join("---\n");
    scene.write("moved.yaml", &moved);
    scene.sync();
    assert_eq!(scene.door().revisions(), before);
}

#[test]
fn the_quickstart_works_as_its_readme_says() {
    let mut scene = Scene::new();
    let quickstart = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/quickstart");
    support::copy(quickstart.as_ref(), scene.dir.path());
    assert_eq!(scene.sync(), Outcome::Committed);
    assert_eq!(scene.findings(), [""; 0]);
    assert_eq!(scene.door().ports(), [8080]);
    assert_eq!(scene.door().consumers(), 2);
    let readme = std::fs::read_to_string(format!("{quickstart}/README.md")).unwrap();
    for key in ["alice-example-key-1", "bob-example-key-2"] {
        assert!(readme.contains(key));
    }
}
