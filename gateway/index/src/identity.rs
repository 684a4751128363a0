//! Hashes of names, and fingerprints of facts.

use std::hash::{DefaultHasher, Hash, Hasher};

use latchkey_core::object::ObjectName;
use latchkey_crds::credential::{PublishedKey, SecretKeyRef};

use crate::object::{CredentialFacts, KeySource};

/// Hashes under a number that nobody outside of the process knows, so that no choice of names can
/// crowd one page, and no change of an object can be made to look like none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// Where an object of a kind stands in the ledger. Namespace and name are hashed apart.
    pub(crate) fn name(self, name: &ObjectName) -> u64 {
        self.parts(&name.namespace, &name.name)
    }

    /// Likewise.
    pub(crate) fn parts(self, namespace: &str, name: &str) -> u64 {
        let mut hasher = self.hasher();
        (namespace, name).hash(&mut hasher);
        hasher.finish()
    }

    /// Equal for equal facts, and for others only by an accident of one in 2^64.
    pub(crate) fn fingerprint(self, facts: &CredentialFacts) -> u64 {
        // Taken apart whole, so that no field can be forgotten here.
        let CredentialFacts {
            name: _,
            uid,
            created,
            consumer,
            source,
            disabled,
            not_before,
            expires,
            terminating,
        } = facts;
        let mut hasher = self.hasher();
        (uid, created, consumer, disabled, not_before, expires, terminating).hash(&mut hasher);
        match source {
            None => 0_u8.hash(&mut hasher),
            Some(KeySource::Sha256(hash)) => (1_u8, hash.0).hash(&mut hasher),
            Some(KeySource::Published(source, blocks)) => {
                2_u8.hash(&mut hasher);
                hash_source(source, &mut hasher);
                blocks.len().hash(&mut hasher);
                blocks.iter().for_each(|block| hash_block(block, &mut hasher));
            }
        }
        hasher.finish()
    }

    fn hasher(self) -> DefaultHasher {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher
    }
}

fn hash_source(source: &SecretKeyRef, hasher: &mut DefaultHasher) {
    let SecretKeyRef { name, key } = source;
    (name, key).hash(hasher);
}

fn hash_block(block: &PublishedKey, hasher: &mut DefaultHasher) {
    let PublishedKey {
        format,
        controller_name,
        pepper_id,
        digest,
        source,
        secret_uid,
        secret_resource_version,
        tag,
    } = block;
    (format, controller_name, pepper_id, digest).hash(hasher);
    hash_source(source, hasher);
    (secret_uid, secret_resource_version, tag).hash(hasher);
}
