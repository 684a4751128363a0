//! What cannot be read: what grants then grants nothing, what shapes closes, and everything else goes on.

mod support;

use latchkey_gateway::standalone::engine::Outcome;
use support::{Scene, consumer, key, policy};

const NO_YAML: &str = "a: [";
/// YAML, but a misspelt kind of ours: it may be anything.
const UNKNOWN: &str = "apiVersion: latchkey.dev/v1alpha1\nkind: AuthPolcy\nmetadata: {name: x}\n";

#[test]
fn a_broken_file_counts_as_what_it_last_held_and_nothing_else() {
    for broken in [NO_YAML, UNKNOWN] {
        for (file, path, expected) in [
            ("credential-alice.yaml", "/", "unknown_key"),
            ("consumer-alice.yaml", "/", "orphaned"),
            ("secret-alice.yaml", "/", "unknown_key"),
            ("policy-app.yaml", "/", "policy_invalid"),
            ("route-open.yaml", "/open", "route_undecodable"),
            ("backend.yaml", "/", "no_endpoint"),
        ] {
            let mut scene = Scene::usual();
            scene.sync();
            let text = std::fs::read_to_string(scene.dir.path().join(file)).unwrap();
            scene.write(file, broken);
            assert_eq!(scene.sync(), Outcome::Committed);
            assert_eq!(
                scene.ask(path, Some(&key("alice"))),
                expected,
                "{file} broken by {broken:?}"
            );
            let findings = scene.findings();
            assert!(
                findings.iter().any(|line| line.starts_with(file)),
                "{file}: {findings:?}"
            );
            scene.write(file, &text);
            scene.sync();
            assert_eq!(scene.findings(), [""; 0], "{file} mended");
            assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "{file} mended");
        }
    }
}

#[test]
fn other_files_take_effect_while_one_is_broken() {
    let mut scene = Scene::usual();
    scene.write("bob.yaml", &consumer("bob"));
    scene.sync();
    scene.write("bob.yaml", NO_YAML);
    scene.write("secret-alice.yaml", &support::secret("alice", &key("new")));
    scene.sync();
    assert_eq!(scene.ask("/", Some(&key("new"))), "alice");
    assert_eq!(scene.ask("/", Some(&key("alice"))), "unknown_key");
}

#[test]
fn a_file_broken_at_start_may_hold_a_policy_so_nothing_is_served() {
    for broken in [NO_YAML, UNKNOWN, "text"] {
        let mut scene = Scene::usual();
        scene.write("some.yaml", broken);
        let Outcome::Held(why) = scene.sync() else {
            panic!("nothing is served");
        };
        assert!(why.starts_with("some.yaml: document 1, line 1: "), "{why}");
        assert!(scene.door().ports().is_empty());
        assert_eq!(scene.ask("/open", None), "no_route");
        scene.write("some.yaml", &policy("open", "open"));
        assert_eq!(scene.sync(), Outcome::Committed);
        assert_eq!(scene.ask("/open", None), "no_credential");
    }
}

#[test]
fn a_file_broken_at_start_may_also_be_removed() {
    let mut scene = Scene::usual();
    scene.write("some.yaml", NO_YAML);
    scene.sync();
    scene.delete("some.yaml");
    assert_eq!(scene.sync(), Outcome::Committed);
    assert_eq!(scene.ask("/open", None), "open");
}

#[test]
fn many_broken_files_are_named_and_counted() {
    let mut scene = Scene::new();
    for n in 0..9 {
        scene.write(&format!("{n}.yaml"), NO_YAML);
    }
    let Outcome::Held(why) = scene.sync() else {
        panic!("nothing is served");
    };
    assert!(
        why.contains("0.yaml") && why.contains("2.yaml") && why.ends_with("and 6 more files"),
        "{why}"
    );
}

#[test]
fn a_new_file_that_is_broken_leaves_what_is_served() {
    let mut scene = Scene::usual();
    scene.sync();
    scene.write("some.yaml", NO_YAML);
    assert_eq!(scene.sync(), Outcome::Committed);
    assert_eq!(scene.findings(), ["some.yaml: Unreadable"]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
    assert_eq!(scene.ask("/open", None), "open");
}

#[test]
fn a_policy_does_not_go_while_a_new_file_that_is_broken_may_hold_it() {
    for broken in [NO_YAML, UNKNOWN] {
        let mut scene = Scene::usual();
        scene.sync();
        scene.delete("policy-app.yaml");
        scene.write("auth.yaml", broken);
        assert_eq!(scene.sync(), Outcome::Committed);
        assert_eq!(scene.ask("/", Some(&key("alice"))), "policy_invalid");
        let message = scene.message("Undecodable");
        assert!(message.contains("auth.yaml"), "{message}");
        scene.write("auth.yaml", &policy("app", "app"));
        scene.sync();
        assert_eq!(scene.ask("/", None), "no_credential");
        assert_eq!(scene.findings(), [""; 0]);
        scene.write("auth.yaml", "# nothing\n");
        scene.sync();
        assert_eq!(scene.ask("/", None), "open");
    }
}

#[test]
fn a_policy_whose_kind_or_group_is_misspelt_closes() {
    for (from, to) in [
        ("latchkey.dev/v1alpha1", "latchkey.dev"),
        ("latchkey.dev/v1alpha1", "latchkey.io/v1alpha1"),
        ("latchkey.dev/v1alpha1", "Latchkey.dev/v1alpha1"),
        (
            "latchkey.dev/v1alpha1\nkind: AuthPolicy",
            "latchkey.io/v1alpha1\nkind: AuthPolcy",
        ),
    ] {
        let mut scene = Scene::usual();
        scene.sync();
        let text = policy("app", "app").replace(from, to);
        scene.write("policy-app.yaml", &text);
        scene.sync();
        assert_eq!(scene.ask("/", Some(&key("alice"))), "policy_invalid", "{text}");
        scene.write("policy-app.yaml", &policy("app", "app"));
        scene.sync();
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
        assert_eq!(scene.findings(), [""; 0]);
    }
}

#[test]
fn a_broken_file_that_is_deleted_deletes_its_objects() {
    let mut scene = Scene::usual();
    scene.sync();
    scene.write("policy-app.yaml", NO_YAML);
    scene.sync();
    scene.delete("policy-app.yaml");
    scene.sync();
    assert_eq!(scene.ask("/", None), "open");
    assert_eq!(scene.findings(), [""; 0]);
}

#[test]
fn twice_the_same_object_counts_as_neither() {
    for (file, expected) in [
        ("credential-alice.yaml", "unknown_key"),
        ("consumer-alice.yaml", "orphaned"),
        ("policy-app.yaml", "policy_invalid"),
    ] {
        let mut scene = Scene::usual();
        let text = std::fs::read_to_string(scene.dir.path().join(file)).unwrap();
        scene.write("again.yaml", &text);
        scene.sync();
        assert_eq!(scene.ask("/", Some(&key("alice"))), expected, "{file} twice");
        let message = scene.message("Undecodable");
        assert!(
            message.contains(file) && message.contains("again.yaml"),
            "{message}"
        );
        scene.delete("again.yaml");
        scene.sync();
        assert_eq!(scene.ask("/", Some(&key("alice"))), "alice", "{file} once");
    }
}

#[test]
fn an_unknown_field_closes_or_withdraws_and_is_named() {
    for (file, from, to, expected) in [
        (
            "credential-alice.yaml",
            "spec:\n",
            "spec:\n  disabld: true\n",
            "unknown_key",
        ),
        (
            "consumer-alice.yaml",
            "spec: {}",
            "spec: {disabld: true}",
            "orphaned",
        ),
        (
            "policy-app.yaml",
            "spec:\n",
            "spec:\n  disabld: true\n",
            "policy_invalid",
        ),
    ] {
        let mut scene = Scene::usual();
        scene.sync();
        let text = std::fs::read_to_string(scene.dir.path().join(file)).unwrap();
        scene.write(file, &text.replace(from, to));
        scene.sync();
        assert_eq!(scene.ask("/", Some(&key("alice"))), expected, "{file}");
        let named = scene
            .engine
            .findings()
            .iter()
            .any(|(_, finding)| finding.message.contains("disabld"));
        assert!(named, "{file}: {:?}", scene.engine.findings());
    }
}

#[test]
fn a_kind_of_others_is_noticed_and_harmless() {
    let mut scene = Scene::usual();
    scene.write(
        "deployment.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n",
    );
    assert_eq!(scene.sync(), Outcome::Committed);
    assert_eq!(scene.findings(), ["deployment.yaml: IgnoredKind"]);
    assert_eq!(scene.ask("/", Some(&key("alice"))), "alice");
}
