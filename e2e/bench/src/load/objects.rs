//! What is loaded: a Consumer and a Credential, perhaps a Secret. Pure but for the seed of the keys.

use std::{
    fs::File,
    io::{self, Read},
};

use latchkey_e2e::{
    keys,
    manifest::{Manifest, consumer, credential, secret},
};
use serde_json::json;

/// The label of all that a load makes, as a selector (`=` written so that it stands in a query).
pub(super) const SELECTOR: &str = "app.kubernetes.io%2Fmanaged-by%3Dlatchkey-load";

/// The kinds that a load makes, in the order in which they go.
pub(super) const KINDS: [(&str, &str); 3] = [
    ("latchkey.dev/v1alpha1", "Credential"),
    ("latchkey.dev/v1alpha1", "Consumer"),
    ("v1", "Secret"),
];

/// Where keys stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Their hashes in the Credentials.
    Hashes,
    /// In Secrets.
    Secrets,
}

impl Keys {
    /// How many objects a holder is.
    pub(super) fn objects(self) -> usize {
        match self {
            Self::Hashes => 2,
            Self::Secrets => 3,
        }
    }
}

/// Holders, by number.
pub(crate) struct Made {
    namespace: String,
    keys: Keys,
    /// What keys are made of, which nobody is told: a load opens no door.
    seed: String,
}

impl Made {
    pub(crate) fn new(namespace: &str, keys: Keys) -> io::Result<Self> {
        let mut seed = [0; 32];
        File::open("/dev/urandom")?.read_exact(&mut seed)?;
        Ok(Self {
            namespace: namespace.to_owned(),
            keys,
            seed: seed.map(|byte| format!("{byte:02x}")).concat(),
        })
    }

    /// In the order in which they are created: what refers comes after what it refers to.
    pub(crate) fn holder(&self, number: usize) -> Vec<Manifest> {
        let name = format!("load-{number:07}");
        let key = keys::sha256(&format!("{} {number}", self.seed));
        let objects = match self.keys {
            Keys::Hashes => vec![consumer(&name), credential(&name, &name).sha256(&key)],
            Keys::Secrets => vec![
                consumer(&name),
                secret(&name, &key),
                credential(&name, &name).secret_ref(&name),
            ],
        };
        let place = |object: Manifest| {
            object.namespace(&self.namespace).set(
                "metadata.labels",
                json!({"app.kubernetes.io/managed-by": "latchkey-load"}),
            )
        };
        objects.into_iter().map(place).collect()
    }
}
