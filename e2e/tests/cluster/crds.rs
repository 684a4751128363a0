//! Our CRDs on a real API server.

use latchkey_e2e::{
    cluster::{Cluster, Namespace},
    keys,
    manifest::{consumer, credential},
};

#[test]
fn a_credential_that_kubectl_applies_comes_back_as_it_was_written() {
    let namespace = Namespace::new(Cluster::shared());
    let written = credential("alice", "alice").secret_ref("alice");
    namespace.apply(&[consumer("alice"), written.clone()]);
    let read = namespace.read(&written).expect("it was applied");
    // With what the CRD says of fields that were left out.
    let whole = written.set("spec.disabled", false);
    assert_eq!(read["spec"], whole.json()["spec"]);
    let names = namespace.kubectl(&["get", "lkcred,lkc", "-o", "name"], "").must();
    assert_eq!(
        names,
        "credential.latchkey.dev/alice\nconsumer.latchkey.dev/alice\n"
    );
}

#[test]
fn a_credential_of_two_sources_is_refused_by_its_rule() {
    let namespace = Namespace::new(Cluster::shared());
    let both = credential("alice", "alice")
        .secret_ref("alice")
        .set("spec.apiKey.sha256", keys::sha256("no key of anybody"));
    let refused = namespace.kubectl(&["apply", "-f", "-"], &both.yaml());
    assert!(
        !refused.ok && refused.stderr.contains("spec.apiKey"),
        "{refused:?}"
    );
}

#[test]
fn kubectl_explains_every_kind() {
    let namespace = Namespace::new(Cluster::shared());
    for kind in ["consumer", "credential", "authpolicy"] {
        let text = namespace
            .kubectl(&["explain", &format!("{kind}.spec"), "--recursive"], "")
            .must();
        assert!(text.contains("FIELDS:"), "{text}");
        assert!(!text.contains("<empty>"), "a field without a description: {text}");
    }
}
