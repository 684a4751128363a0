//! Facts: of each object only what can change an answer.

mod resource;

use latchkey_core::{digest::KeyHash, object::ObjectName, time::UnixSeconds};
use latchkey_crds::credential::{PublishedKey, SecretKeyRef};

/// The kinds that the index joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Consumers.
    Consumer,
    /// Credentials.
    Credential,
}

/// One object as the index needs it.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// A Consumer that can be read.
    Consumer(ConsumerFacts),
    /// A Credential that can be read.
    Credential(CredentialFacts),
    /// An object that exists but cannot be read: it grants nothing and owns nothing.
    Undecodable(Kind, ObjectName),
}

impl Fact {
    /// Of which kind the object is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Consumer(_) => Kind::Consumer,
            Self::Credential(_) => Kind::Credential,
            Self::Undecodable(kind, _) => *kind,
        }
    }

    /// Which object it is.
    pub fn name(&self) -> &ObjectName {
        match self {
            Self::Consumer(facts) => &facts.name,
            Self::Credential(facts) => &facts.name,
            Self::Undecodable(_, name) => name,
        }
    }
}

impl Fact {
    /// Whether a snapshot can hold its texts. Limits of the API are far below; an object that
    /// passed them by must not be cut to somebody else's name.
    pub(crate) fn fits(&self) -> bool {
        match self {
            Self::Consumer(facts) => facts.text_len() <= latchkey_snapshot::Consumer::MAX_TEXT,
            Self::Credential(facts) => facts.name.namespace.len() <= latchkey_snapshot::Entry::MAX_NAMESPACE,
            Self::Undecodable(..) => true,
        }
    }
}

/// A Consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerFacts {
    /// Which one.
    pub name: ObjectName,
    /// `metadata.uid`.
    pub uid: String,
    /// `spec.username`, or the object's name. Printable ASCII.
    pub username: String,
    /// `spec.customID`. Printable ASCII.
    pub custom_id: Option<String>,
    /// `spec.groups`. Printable ASCII without commas.
    pub groups: Vec<String>,
    /// `spec.disabled`.
    pub disabled: bool,
    /// `spec.expirationTime`.
    pub expires: Option<UnixSeconds>,
    /// Whether it has a `deletionTimestamp`.
    pub terminating: bool,
}

impl ConsumerFacts {
    fn text_len(&self) -> usize {
        let names = [&self.name.namespace, &self.name.name, &self.uid, &self.username];
        let optional = self.custom_id.iter();
        // One more for each group, for the comma that joins it.
        let groups: usize = self.groups.iter().map(|group| group.len() + 1).sum();
        groups + names.into_iter().chain(optional).map(String::len).sum::<usize>()
    }
}

/// A Credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialFacts {
    /// Which one.
    pub name: ObjectName,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.creationTimestamp`.
    pub created: UnixSeconds,
    /// `spec.consumerRef.name`, in the same namespace.
    pub consumer: String,
    /// Where its key comes from; `None`: it has no method.
    pub source: Option<KeySource>,
    /// `spec.disabled`.
    pub disabled: bool,
    /// `spec.notBeforeTime`.
    pub not_before: Option<UnixSeconds>,
    /// `spec.expirationTime`.
    pub expires: Option<UnixSeconds>,
    /// Whether it has a `deletionTimestamp`.
    pub terminating: bool,
}

/// Where a key comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// `apiKey.sha256`: the gateway computes the digest itself.
    Sha256(KeyHash),
    /// `apiKey.secretKeyRef`, with what stands in `status.published` (each block counts only if it
    /// was resolved from this source and its tag is right).
    Published(SecretKeyRef, Vec<PublishedKey>),
}

impl std::fmt::Debug for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sha256(_) => f.write_str("Sha256(..)"),
            Self::Published(source, blocks) => f
                .debug_tuple("Published")
                .field(source)
                .field(&blocks.len())
                .finish(),
        }
    }
}
