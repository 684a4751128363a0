//! Builders of facts, and an index with its reader.
#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use latchkey_core::{
    digest::{KeyHash, Pepper},
    object::ObjectName,
    publish::{SecretVersion, Subject, publish},
    reason::Reason,
    tenancy::{Admission, Namespaces},
    time::UnixSeconds,
};
use latchkey_crds::credential::{PublishedKey, SecretKeyRef};
use latchkey_index::{
    Commit, Index,
    object::{ConsumerFacts, CredentialFacts, Fact, KeySource, Kind},
};
use latchkey_snapshot::SnapshotCell;

pub const NOW: UnixSeconds = UnixSeconds(1_000);

pub fn name(text: &str) -> ObjectName {
    let (namespace, name) = text.split_once('/').expect("namespace/name");
    ObjectName::new(namespace, name)
}

pub fn pepper(id: &str) -> Pepper {
    let mut secret = [7; 32];
    secret[..id.len()].copy_from_slice(id.as_bytes());
    Pepper::new(id, &secret)
}

/// A Consumer `namespace/name`.
pub fn consumer(object: &str) -> ConsumerFacts {
    let name = name(object);
    ConsumerFacts {
        uid: format!("uid of {object}"),
        username: name.name.clone(),
        name,
        custom_id: None,
        groups: Vec::new(),
        disabled: false,
        expires: None,
        terminating: false,
    }
}

/// A Credential `namespace/name` with the `sha256` of `key`.
pub fn credential(object: &str, consumer: &str, key: &str) -> CredentialFacts {
    CredentialFacts {
        name: name(object),
        uid: format!("uid of {object}"),
        created: UnixSeconds(10),
        consumer: consumer.to_owned(),
        source: Some(KeySource::Sha256(KeyHash::of(key.as_bytes()))),
        disabled: false,
        not_before: None,
        expires: None,
        terminating: false,
    }
}

pub fn secret() -> SecretKeyRef {
    SecretKeyRef {
        name: "secret".to_owned(),
        key: "key".to_owned(),
    }
}

/// What a controller writes into the status of a Credential of this uid.
pub fn block(uid: &str, key: &str, pepper: &Pepper) -> PublishedKey {
    block_of(uid, key, pepper, "1")
}

/// Likewise from this version of the Secret.
pub fn block_of(uid: &str, key: &str, pepper: &Pepper, resource_version: &str) -> PublishedKey {
    published_by(uid, &secret(), key, pepper, resource_version)
}

/// Likewise from this source.
pub fn block_from(uid: &str, source: &SecretKeyRef, key: &str, pepper: &Pepper) -> PublishedKey {
    published_by(uid, source, key, pepper, "1")
}

fn published_by(
    uid: &str,
    source: &SecretKeyRef,
    key: &str,
    pepper: &Pepper,
    resource_version: &str,
) -> PublishedKey {
    let subject = Subject {
        credential_uid: uid,
        source,
    };
    let version = SecretVersion {
        uid: "uid of secret",
        resource_version,
    };
    publish(subject, version, key.as_bytes(), pepper, "controller")
}

/// A Credential whose `key` was published under these peppers.
pub fn published(object: &str, consumer: &str, key: &str, peppers: &[Pepper]) -> CredentialFacts {
    let mut facts = credential(object, consumer, key);
    let blocks = peppers.iter().map(|pepper| block(&facts.uid, key, pepper));
    facts.source = Some(KeySource::Published(secret(), blocks.collect()));
    facts
}

impl From<ConsumerFacts> for Applied {
    fn from(facts: ConsumerFacts) -> Self {
        Self(Fact::Consumer(facts))
    }
}

impl From<CredentialFacts> for Applied {
    fn from(facts: CredentialFacts) -> Self {
        Self(Fact::Credential(facts))
    }
}

impl From<Fact> for Applied {
    fn from(fact: Fact) -> Self {
        Self(fact)
    }
}

/// Anything that can be applied.
pub struct Applied(pub Fact);

/// Lets readers end, also where the writer panics: the scope waits for them before it tells.
pub struct Ends<'d>(pub &'d AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// An index with one active pepper, and its reader.
pub struct World {
    pub index: Index,
    pub cell: SnapshotCell,
}

impl World {
    pub fn new() -> Self {
        let mut index = Index::new(42);
        index.set_peppers(vec![pepper("1")]);
        index.commit();
        let cell = index.snapshots();
        Self { index, cell }
    }

    /// A world with these objects, committed.
    pub fn of(objects: impl IntoIterator<Item = Applied>) -> Self {
        let mut world = Self::new();
        objects.into_iter().for_each(|object| world.add(object));
        world.commit();
        world
    }

    /// Applies, for a later commit.
    pub fn add(&mut self, object: impl Into<Applied>) {
        self.index.apply(object.into().0);
    }

    /// Applies and commits.
    pub fn apply(&mut self, object: impl Into<Applied>) -> Commit {
        self.add(object);
        self.commit()
    }

    /// Deletes and commits.
    pub fn delete(&mut self, kind: Kind, object: &str) -> Commit {
        self.index.delete(kind, &name(object));
        self.commit()
    }

    pub fn commit(&mut self) -> Commit {
        self.index.commit()
    }

    /// A complete list of a kind, committed.
    pub fn relist(&mut self, kind: Kind, objects: impl IntoIterator<Item = Applied>) -> Commit {
        self.relist_of(kind, None, objects)
    }

    /// Likewise of one namespace, or of all.
    pub fn relist_of(
        &mut self,
        kind: Kind,
        namespace: Option<&str>,
        objects: impl IntoIterator<Item = Applied>,
    ) -> Commit {
        self.index.relist_begin(kind, namespace);
        for object in objects {
            self.index.relist_apply(object.0);
        }
        self.index.relist_end(kind, namespace);
        self.commit()
    }

    /// The username that a key opens with where all namespaces are admitted.
    pub fn who(&self, key: &str) -> Result<String, Reason> {
        self.who_in(key, "none", NOW)
    }

    /// Likewise for a policy of this namespace, at this time.
    pub fn who_in(&self, key: &str, own: &str, now: UnixSeconds) -> Result<String, Reason> {
        let admission = Admission {
            own: own.into(),
            namespaces: Namespaces::All,
        };
        let snapshot = self.cell.load();
        let found = snapshot.look_up(key.as_bytes(), &admission, now)?;
        Ok(String::from_utf8(found.consumer.username().to_vec()).expect("made of a str"))
    }

    /// The slot that the credential of a key leads to.
    pub fn slot(&self, key: &str) -> u32 {
        let admission = Admission {
            own: "none".into(),
            namespaces: Namespaces::All,
        };
        let snapshot = self.cell.load();
        let found = snapshot.look_up(key.as_bytes(), &admission, NOW);
        found.expect("the key is known").credential.consumer()
    }
}
