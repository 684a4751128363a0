use base64::{Engine as _, engine::general_purpose::STANDARD};
use latchkey_core::{digest::Digest, publish::accept};
use latchkey_index::object::KeySource;
use serde_json::json;

use super::*;

const KEY: &str = "correct-horse-battery";

struct Fixture(Publisher);

impl Fixture {
    fn new() -> Self {
        Self(Publisher::new(pepper(), 16))
    }

    fn consumer(&mut self, name: &str) {
        self.0.consumer(&named(name), consumer(name));
    }

    fn credential(&mut self, name: &str, api_key: &Value) {
        self.0.credential(&named(name), credential(name, api_key));
    }

    fn secret(&mut self, name: &str, key: &[u8]) {
        let data = json!({"key": STANDARD.encode(key)});
        let value = json!({"metadata": {"name": name, "uid": format!("uid-{name}")}, "data": data});
        self.0.secret(&named(name), State::Present(value));
    }

    /// Credentials that now have a digest, and the digest.
    fn live(&mut self) -> Vec<(String, Option<Digest>)> {
        let published = self.0.finish();
        published.facts.iter().filter_map(digest).collect()
    }

    /// Findings as `kind name: reason`.
    fn findings(&mut self) -> Vec<String> {
        let published = self.0.finish();
        published.findings.iter().flat_map(said).collect()
    }
}

fn pepper() -> Pepper {
    Pepper::new("p", &[7; 32])
}

fn named(name: &str) -> ObjectName {
    ObjectName::new("default", name)
}

fn consumer(name: &str) -> State {
    State::Present(json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Consumer",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")}, "spec": {},
    }))
}

fn credential(name: &str, api_key: &Value) -> State {
    State::Present(json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Credential",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}")},
        "spec": {"consumerRef": {"name": "alice"}, "apiKey": api_key},
    }))
}

fn by_secret(secret: &str) -> Value {
    json!({"secretKeyRef": {"name": secret, "key": "key"}})
}

fn digest(fact: &Fact) -> Option<(String, Option<Digest>)> {
    let Fact::Credential(facts) = fact else {
        return None;
    };
    let digest = match &facts.source {
        None => None,
        Some(KeySource::Sha256(hash)) => Some(pepper().digest(hash)),
        Some(KeySource::Published(source, blocks)) => blocks.iter().find_map(|block| {
            let credential_uid = &facts.uid;
            accept(
                block,
                Publication {
                    credential_uid,
                    source,
                },
                &pepper(),
            )
        }),
    };
    Some((facts.name.name.clone(), digest))
}

fn said((subject, findings): &(Subject, Vec<Finding>)) -> Vec<String> {
    findings
        .iter()
        .map(|finding| format!("{subject}: {}: {}", finding.reason, finding.message))
        .collect()
}

fn digest_of(key: &str) -> Option<Digest> {
    Some(pepper().digest(&latchkey_core::digest::KeyHash::of(key.as_bytes())))
}

#[test]
fn a_key_in_a_secret_is_live_in_any_order_of_arrival() {
    let expected = vec![("c".to_owned(), digest_of(KEY))];
    let mut f = Fixture::new();
    f.secret("s", KEY.as_bytes());
    f.credential("c", &by_secret("s"));
    assert_eq!(f.live(), expected);

    let mut f = Fixture::new();
    f.credential("c", &by_secret("s"));
    assert_eq!(f.live(), [("c".to_owned(), None)]);
    f.secret("s", KEY.as_bytes());
    assert_eq!(f.live(), expected);
}

#[test]
fn a_reference_that_does_not_resolve_has_no_value() {
    let mut f = Fixture::new();
    f.consumer("alice");
    f.credential("c", &by_secret("s1"));
    let findings = f.findings();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].starts_with("Credential default/c: SecretNotFound: spec.apiKey.secretKeyRef"));
    f.credential("c", &by_secret("s1"));
    assert_eq!(f.live(), [("c".to_owned(), None)]);
}

#[test]
fn a_changed_secret_changes_its_credentials_and_no_others() {
    let mut f = Fixture::new();
    f.secret("s", KEY.as_bytes());
    f.secret("t", b"another-key-of-enough");
    for name in ["a", "b"] {
        f.credential(name, &by_secret("s"));
    }
    f.credential("c", &by_secret("t"));
    f.live();
    f.secret("s", b"a-new-key-of-some-length");
    let new = digest_of("a-new-key-of-some-length");
    assert_eq!(f.live(), [("a".to_owned(), new), ("b".to_owned(), new)]);
}

#[test]
fn a_deleted_broken_or_terminating_secret_withdraws_the_key() {
    let terminating = json!({
        "metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "stringData": {"key": KEY},
    });
    for (state, reason) in [
        (State::Absent, "SecretNotFound"),
        (State::Unreadable("why".to_owned()), "SecretUnreadable"),
        (
            State::Present(json!({"metadata": {}, "data": {"other": "not base64!"}})),
            "SecretUnreadable",
        ),
        (State::Present(terminating), "SecretNotFound"),
        (
            State::Present(json!({"metadata": {}, "stringData": {"other": KEY}})),
            "SecretKeyMissing",
        ),
    ] {
        let mut f = Fixture::new();
        f.consumer("alice");
        f.secret("s", KEY.as_bytes());
        f.credential("c", &by_secret("s"));
        assert_eq!(f.live(), [("c".to_owned(), digest_of(KEY))]);
        f.0.secret(&named("s"), state.clone());
        let published = f.0.finish();
        let live: Vec<_> = published.facts.iter().filter_map(digest).collect();
        assert_eq!(live, [("c".to_owned(), None)], "{state:?}");
        let said: Vec<_> = published.findings.iter().flat_map(said).collect();
        let expected = format!("Credential default/c: {reason}");
        assert!(said.iter().any(|line| line.starts_with(&expected)), "{said:?}");
    }
}

#[test]
fn what_cannot_be_a_key_is_refused_with_its_reason_and_never_shown() {
    for (value, words) in [
        (&b"hunter2"[..], "shorter than 16"),
        (b"", "empty"),
        (b"  \n", "empty"),
        (b" hunter2-hunter2-hunter2", "begins or ends with a blank"),
        (b"hunter2-hunter2\nhunter2", "control"),
        (b"hunter2-hunter2-\0-hunter2", "NUL"),
        (b"hunter2-hunter2-hunter2-\xff\xfe", "outside of ASCII"),
        (&[b'x'; 8192], "longer than 4096"),
    ] {
        let mut f = Fixture::new();
        f.consumer("alice");
        f.secret("s", value);
        f.credential("c", &by_secret("s"));
        let published = f.0.finish();
        assert_eq!(
            published.facts.iter().find_map(digest),
            Some(("c".to_owned(), None))
        );
        let said: Vec<_> = published.findings.iter().flat_map(said).collect();
        assert!(
            said.len() == 1 && said[0].contains("InvalidKey") && said[0].contains(words),
            "{said:?}"
        );
        assert!(!said[0].contains("hunter2"), "{said:?}");
    }
}

#[test]
fn one_final_line_end_is_cut() {
    let mut f = Fixture::new();
    f.secret("s", format!("{KEY}\n").as_bytes());
    f.credential("c", &by_secret("s"));
    assert_eq!(f.live(), [("c".to_owned(), digest_of(KEY))]);
}

#[test]
fn a_credential_without_a_method_says_so() {
    let mut f = Fixture::new();
    f.consumer("alice");
    f.credential("c", &Value::Null);
    let findings = f.findings();
    assert!(
        findings.len() == 1 && findings[0].starts_with("Credential default/c: NoMethod: "),
        "{findings:?}"
    );
}

#[test]
fn a_credential_that_cannot_be_read_is_told_to_the_index_and_to_people() {
    let mut f = Fixture::new();
    f.credential("c", &json!({"sha256": "xyz", "unheard": "of-hunter2-hunter2"}));
    let published = f.0.finish();
    assert_eq!(
        published.facts,
        [Fact::Undecodable(IndexKind::Credential, named("c"))]
    );
    let said: Vec<_> = published.findings.iter().flat_map(said).collect();
    assert!(
        said[0].starts_with("Credential default/c: Undecodable: spec.apiKey"),
        "{said:?}"
    );
    assert!(!said[0].contains("hunter2"), "{said:?}");
}

#[test]
fn a_status_in_a_file_counts_for_nothing() {
    let mut f = Fixture::new();
    f.credential("c", &by_secret("s"));
    f.secret("s", KEY.as_bytes());
    let facts = f.0.finish().facts;
    let Some(Fact::Credential(CredentialFacts {
        source: Some(KeySource::Published(_, blocks)),
        ..
    })) = facts.first()
    else {
        panic!("one Credential with a block");
    };
    let State::Present(mut copied) = credential("c", &by_secret("s")) else {
        panic!("it is there");
    };
    copied["status"] = json!({"published": blocks});
    f.0.secret(&named("s"), State::Absent);
    f.0.credential(&named("c"), State::Present(copied));
    assert_eq!(f.live(), [("c".to_owned(), None)]);
}

#[test]
fn a_consumer_that_comes_or_goes_is_said_of_its_credentials() {
    let mut f = Fixture::new();
    f.credential("c", &json!({"sha256": "0".repeat(64)}));
    assert!(f.findings()[0].starts_with("Credential default/c: ConsumerNotFound: spec.consumerRef"));
    f.consumer("alice");
    assert_eq!(f.findings(), [""; 0]);
    f.consumer("alice");
    assert_eq!(
        f.live(),
        [],
        "a Consumer that merely changes touches no Credential"
    );
    f.0.consumer(&named("alice"), State::Absent);
    let published = f.0.finish();
    assert_eq!(published.deleted, [(IndexKind::Consumer, named("alice"))]);
    assert!(
        published
            .findings
            .iter()
            .flat_map(said)
            .any(|line| line.contains("ConsumerNotFound"))
    );
}

#[test]
fn a_deleted_credential_leaves_nothing_behind() {
    let mut f = Fixture::new();
    f.secret("s", KEY.as_bytes());
    f.credential("c", &by_secret("s"));
    f.live();
    f.0.credential(&named("c"), State::Absent);
    assert_eq!(f.0.finish().deleted, [(IndexKind::Credential, named("c"))]);
    f.secret("s", b"a-new-key-of-some-length");
    f.consumer("alice");
    assert_eq!(f.live(), []);
    assert!(f.0.by_secret.is_empty() && f.0.by_consumer.is_empty());
}

#[test]
fn nothing_of_a_key_is_printed() {
    let mut f = Fixture::new();
    f.secret("s", KEY.as_bytes());
    f.credential("c", &by_secret("s"));
    assert!(!format!("{:?}", f.0).contains(KEY));
}
