//! Kubeconfigs: one file each, with everything inside, so that it can be moved and read alone.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::pki::Pair;

/// Who calls.
#[derive(Clone, Debug)]
pub enum User {
    /// The owner of a certificate.
    Certificate(Pair),
    /// The bearer of a token: a service account.
    Token(Token),
}

/// A token. It is a secret, so it does not print.
#[derive(Clone)]
pub struct Token(pub String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// A kubeconfig's text: this user at this server, whose certificate this CA (as PEM) signed.
pub fn kubeconfig(server: &str, ca: &str, user: &User, namespace: &str) -> String {
    let user = match user {
        User::Certificate(pair) => json!({
            "client-certificate-data": STANDARD.encode(&pair.certificate),
            "client-key-data": STANDARD.encode(&pair.key),
        }),
        User::Token(token) => json!({"token": token.0}),
    };
    let config: Value = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "latchkey", "cluster": {
            "server": server,
            "certificate-authority-data": STANDARD.encode(ca),
        }}],
        "users": [{"name": "user", "user": user}],
        "contexts": [{"name": "latchkey", "context": {
            "cluster": "latchkey", "user": "user", "namespace": namespace,
        }}],
        "current-context": "latchkey",
    });
    crate::yaml::document(&config)
}
