use serde_json::json;

use super::*;

/// Of a policy in collection 3, as `name uid version`.
fn version(text: &str) -> Version {
    let [name, uid, version] = text.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{text}");
    };
    let metadata = json!({"namespace": "shop", "name": name, "uid": uid, "resourceVersion": version});
    Version::of(3, &json!({ "metadata": metadata })).unwrap()
}

fn name(name: &str) -> ObjectName {
    ObjectName::new("shop", name)
}

/// The names of those that a list names and that were not heard of.
fn missing(policies: &mut Policies, listed: &[&str]) -> Vec<String> {
    let missing = policies.answered(listed.iter().map(|text| version(text)).collect());
    let mut names: Vec<_> = missing
        .iter()
        .map(|version| version.name().name.clone())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn a_version_is_what_metadata_says_and_nothing_less() {
    let whole = json!({"namespace": "n", "name": "a", "uid": "u", "resourceVersion": "1"});
    assert!(Version::of(0, &json!({ "metadata": whole })).is_some());
    for field in ["name", "uid", "resourceVersion"] {
        let mut part = whole.clone();
        part.as_object_mut().unwrap().remove(field);
        assert_eq!(Version::of(0, &json!({ "metadata": part })), None, "{field}");
    }
    assert_eq!(Version::of(0, &json!("text")), None);
}

#[test]
fn what_was_heard_in_the_version_that_is_listed_is_here() {
    let mut policies = Policies::default();
    policies.heard(version("a u 1"));
    policies.heard(version("b u 2"));
    policies.ask();
    assert_eq!(missing(&mut policies, &["a u 1"]), [""; 0], "fewer may be listed");
    for (listed, of) in [
        (["a u 1", "b u 2"], vec![]),
        (["a u 1", "b u 3"], vec!["b"]),
        (["a u 1", "b v 2"], vec!["b"]),
        (["a u 1", "c u 1"], vec!["c"]),
        (["a u 0", "b u 1"], vec!["a", "b"]),
    ] {
        policies.ask();
        assert_eq!(missing(&mut policies, &listed), of, "{listed:?}");
    }
}

#[test]
fn a_policy_of_another_collection_is_another() {
    let mut policies = Policies::default();
    let mut other = version("a u 1");
    other.place.0 = 4;
    policies.heard(other);
    policies.ask();
    assert_eq!(missing(&mut policies, &["a u 1"]), ["a"]);
}

#[test]
fn what_was_superseded_or_deleted_while_it_was_asked_is_no_reason_to_wait() {
    let mut policies = Policies::default();
    for text in ["old u 1", "gone u 1", "swept u 1"] {
        policies.heard(version(text));
    }
    policies.ask();
    policies.heard(version("old u 2"));
    policies.heard(version("old u 3"));
    policies.gone(3, name("gone"));
    policies.list_begin(3);
    policies.heard(version("old u 4"));
    policies.list_end(3);
    for (listed, of) in [
        ("old u 1", vec![]),
        ("old u 2", vec![]),
        ("old u 4", vec![]),
        ("gone u 1", vec![]),
        ("swept u 1", vec![]),
        ("old u 5", vec!["old"]),
        ("gone u 2", vec!["gone"]),
    ] {
        let mut policies = Policies {
            meanwhile: policies.meanwhile.clone(),
            ..Policies::default()
        };
        assert_eq!(missing(&mut policies, &[listed]), of, "{listed}");
    }
}

#[test]
fn what_was_superseded_before_it_was_asked_proves_nothing() {
    let mut policies = Policies::default();
    policies.heard(version("a u 1"));
    policies.ask();
    policies.heard(version("a u 2"));
    policies.unanswered();
    policies.ask();
    assert_eq!(missing(&mut policies, &["a u 1"]), ["a"]);
}

#[test]
fn a_complete_list_forgets_what_it_leaves_out_of_its_own_collection_and_half_a_list_nothing() {
    let mut policies = Policies::default();
    let mut other = version("a u 1");
    other.place.0 = 4;
    policies.heard(other);
    policies.heard(version("a u 1"));
    policies.heard(version("b u 1"));
    policies.list_begin(3);
    policies.heard(version("b u 1"));
    assert_eq!(policies.heard.len(), 3);
    policies.list_begin(3);
    policies.heard(version("b u 1"));
    policies.list_end(3);
    let mut left: Vec<_> = policies
        .heard
        .keys()
        .map(|(id, name)| (*id, &*name.name))
        .collect();
    left.sort_unstable();
    assert_eq!(left, [(3, "b"), (4, "a")]);
}

#[test]
fn what_is_remembered_has_a_limit_beyond_which_it_is_asked_again() {
    let mut policies = Policies::default();
    policies.ask();
    for number in 0..=LIMIT {
        policies.heard(version(&format!("a u {number}")));
    }
    assert_eq!(policies.meanwhile.as_ref().unwrap().len(), LIMIT);
    assert_eq!(missing(&mut policies, &["a u 0"]), [""; 0]);
    policies.ask();
    assert_eq!(policies.meanwhile.as_ref().unwrap().len(), 0);
}
