//! The accounts of operator and gateways, with the rights that `deploy/rbac` gives them and no more.

use std::fs;

use serde_json::json;

use super::{
    api::Api,
    crds::read,
    kubeconfig::{Token, User},
    programs::repository,
};
use crate::{keys, manifest::Manifest};

/// The namespace that the files of `deploy/rbac` name.
const NAMESPACE_OF_FILES: &str = "latchkey-system";
/// How long tokens hold: longer than any run.
const TOKEN_SECONDS: u32 = 24 * 60 * 60;

/// Which namespaces operator and gateways may see.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Access {
    /// Those named by `--watch-namespaces`.
    Namespaces(Vec<String>),
    /// All.
    Cluster,
}

/// Applies the accounts, in their own namespace, and their rights.
pub(crate) fn apply(api: &Api, own: &str, access: &Access) {
    for manifest in manifests("own-namespace.yaml", own) {
        api.apply(&manifest).must();
    }
    match access {
        Access::Cluster => {
            for manifest in manifests("cluster-wide.yaml", own) {
                api.apply(&manifest).must();
            }
        }
        Access::Namespaces(namespaces) => {
            for namespace in namespaces {
                for manifest in manifests("watched-namespace.yaml", own) {
                    api.apply(&manifest.namespace(namespace)).must();
                }
            }
        }
    }
}

/// A token of an account. No log may hold it.
pub(crate) fn token(api: &Api, namespace: &str, account: &str) -> User {
    let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token");
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"expirationSeconds": TOKEN_SECONDS},
    });
    let answer = api
        .request("POST", &path, Some(("application/json", &request)))
        .must();
    let token = answer["status"]["token"].as_str().unwrap_or_default().to_owned();
    assert!(!token.is_empty(), "the API server made no token");
    keys::guard("a token", &token);
    User::Token(Token(token))
}

fn manifests(file: &str, own: &str) -> Vec<Manifest> {
    let path = repository().join("deploy/rbac").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    read(&text.replace(NAMESPACE_OF_FILES, own)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
