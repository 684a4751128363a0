//! One Latchkey in a cluster: the namespace it lives in, its accounts, and what it may see. Operators
//! and gateways are started from it, as many as a test wants.

use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use tempfile::TempDir;

use super::{
    Access, Cluster, Namespace, Relay, accounts,
    gateway::{self, Gateway},
    kubeconfig::kubeconfig,
    operator, write_private,
};
use crate::{echo::Echo, keys, logs::Logs, manifest::Manifest, wait::eventually};

/// The account that the operator runs as.
pub(super) const OPERATOR: &str = "latchkey-operator";
/// The account that gateways run as.
pub(super) const GATEWAY: &str = "latchkey-gateway";
/// The Secret that holds peppers.
pub(super) const PEPPER: &str = "latchkey-pepper";

/// An installation.
#[derive(Debug)]
pub struct Installation<'c> {
    namespace: Namespace<'c>,
    access: Access,
    logs: Logs,
    kubeconfigs: TempDir,
}

impl<'c> Installation<'c> {
    /// In a new namespace, which is all it sees: what tests on the shared cluster use.
    pub fn in_a_namespace(cluster: &'c Cluster) -> Self {
        let namespace = Namespace::new(cluster);
        let access = Access::Namespaces(vec![namespace.name().to_owned()]);
        Self::new(namespace, access)
    }

    /// In a new namespace, which it sees beside these.
    pub fn in_a_namespace_beside(cluster: &'c Cluster, others: &[&Namespace<'_>]) -> Self {
        let namespace = Namespace::new(cluster);
        let others = others.iter().map(|other| other.name().to_owned());
        let seen = std::iter::once(namespace.name().to_owned()).chain(others);
        let access = Access::Namespaces(seen.collect());
        Self::new(namespace, access)
    }

    /// In a new namespace, watching others.
    pub fn watching(cluster: &'c Cluster, watched: &[&Namespace<'_>]) -> Self {
        let watched = watched.iter().map(|namespace| namespace.name().to_owned());
        let access = Access::Namespaces(watched.collect());
        Self::new(Namespace::new(cluster), access)
    }

    /// In a new namespace, watching all: for a cluster of the test's own.
    pub fn cluster_wide(cluster: &'c Cluster) -> Self {
        Self::new(Namespace::new(cluster), Access::Cluster)
    }

    fn new(namespace: Namespace<'c>, access: Access) -> Self {
        accounts::apply(namespace.cluster().api(), namespace.name(), &access);
        Self {
            namespace,
            access,
            logs: Logs::of_this_test(),
            kubeconfigs: tempfile::tempdir().expect("the system's temporary directory is writable"),
        }
    }

    /// The namespace it lives in.
    pub fn namespace(&self) -> &Namespace<'c> {
        &self.namespace
    }

    /// Its cluster.
    pub fn cluster(&self) -> &'c Cluster {
        self.namespace.cluster()
    }

    /// Which namespaces it sees.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Where outputs go.
    pub(crate) fn logs(&self) -> &Logs {
        &self.logs
    }

    /// An operator about to be started.
    pub fn operator(&self) -> operator::Starter<'_> {
        operator::Starter::new(self)
    }

    /// A gateway about to be started.
    pub fn gateway(&self) -> gateway::Starter<'_> {
        gateway::Starter::new(self)
    }

    /// Two gateways, ready.
    pub fn two_gateways(&self) -> [Gateway; 2] {
        self.gateway().start_two()
    }

    /// An echo server where endpoints may be.
    pub fn echo(&self, name: &str) -> Echo {
        Echo::start_on(self.cluster().host(), name, &self.logs)
    }

    /// Makes the pepper Secret, as a user who brings one: for gateways without any operator.
    pub fn put_pepper(&self) {
        let pepper: Vec<u8> = (0..32).map(|n| n * 7 + 1).collect();
        self.namespace.put(&[Manifest::new("v1", "Secret", PEPPER)
            .set("data", serde_json::json!({"p1": STANDARD.encode(pepper)}))]);
    }

    /// Waits for the pepper and sees to it that no output holds it.
    pub fn guard_pepper(&self) {
        let secret = Manifest::new("v1", "Secret", PEPPER);
        let data = eventually("the pepper is there", || {
            let secret = self.namespace.read(&secret).ok_or("it is not")?;
            Ok(secret["data"].clone())
        });
        let members = data.as_object().cloned().unwrap_or_default();
        for text in members.values().filter_map(|value| value.as_str()) {
            keys::guard("a pepper in base64", text);
            let bytes = STANDARD.decode(text).unwrap_or_default();
            keys::guard("a pepper in hex", &hex::encode(bytes));
        }
    }

    /// A kubeconfig of an account, straight or through a relay.
    pub fn kubeconfig(&self, account: &str, relay: Option<&Relay>) -> PathBuf {
        let cluster = self.cluster();
        let (server, ca) = match relay {
            Some(relay) => (relay.url(), relay.ca()),
            None => (cluster.server().to_owned(), cluster.ca()),
        };
        let user = accounts::token(cluster.api(), self.namespace.name(), account);
        let text = kubeconfig(&server, ca, &user, self.namespace.name());
        let file = self.new_file(account);
        write_private(&file, &text).expect("the system's temporary directory is writable");
        file
    }

    fn new_file(&self, account: &str) -> PathBuf {
        (0..)
            .map(|n| self.kubeconfigs.path().join(format!("{account}-{n}.yaml")))
            .find(|path| !Path::exists(path))
            .expect("an unbounded range of names holds a free one")
    }

    /// The flags that both programs take.
    pub(crate) fn flags(&self, kubeconfig: &Path) -> Vec<String> {
        let mut flags = vec![
            "--kubeconfig".to_owned(),
            kubeconfig.display().to_string(),
            "--namespace".to_owned(),
            self.namespace.name().to_owned(),
        ];
        if let Access::Namespaces(namespaces) = &self.access {
            flags.extend(["--watch-namespaces".to_owned(), namespaces.join(",")]);
        }
        flags
    }
}
