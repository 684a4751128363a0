//! What stands under a digest: a credential, and the slot of its consumer.

mod entries;

use std::{cmp::Ordering, fmt};

use bytes::Bytes;
use latchkey_core::{digest::Digest, ownership::Claim, reason::Reason, time::UnixSeconds};

pub(crate) use entries::Entries;

use crate::{
    standing::Standing,
    text::{shared, str_of},
};

/// A credential under one digest.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    digest: Digest,
    created: UnixSeconds,
    not_before: UnixSeconds,
    expires: UnixSeconds,
    /// `namespace/name`.
    identifier: Bytes,
    consumer: u32,
    pepper: u16,
    namespace_len: u8,
    standing: Standing,
}

/// What an [`Entry`] is made of.
#[derive(Clone, Copy, Debug)]
pub struct EntryParts<'a> {
    /// `metadata.namespace`; see [`Entry::MAX_NAMESPACE`].
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// The slot of its Consumer.
    pub consumer: u32,
    /// `metadata.creationTimestamp`.
    pub created: UnixSeconds,
    /// Refused before this time.
    pub not_before: Option<UnixSeconds>,
    /// Refused from this time on.
    pub expires: Option<UnixSeconds>,
    /// Refused.
    pub disabled: bool,
    /// Being deleted.
    pub terminating: bool,
}

impl Entry {
    /// The longest namespace, in bytes (Kubernetes' own limit is 63). The caller must not hand in a
    /// longer one: it would be cut, and be another tenant.
    pub const MAX_NAMESPACE: usize = u8::MAX as usize;

    /// An entry under `digest`. `pepper` is the writer's own number for the pepper that made it.
    pub fn new(parts: &EntryParts<'_>, pepper: u16, digest: Digest) -> Self {
        Self {
            digest,
            consumer: parts.consumer,
            pepper,
            created: parts.created,
            not_before: parts.not_before.unwrap_or(UnixSeconds(i64::MIN)),
            expires: parts.expires.unwrap_or(UnixSeconds(i64::MAX)),
            identifier: shared(&format!("{}/{}", parts.namespace, parts.name)),
            namespace_len: u8::try_from(parts.namespace.len()).unwrap_or(u8::MAX),
            standing: Standing::new(parts.disabled, parts.terminating),
        }
    }

    /// The same credential under another digest.
    #[must_use]
    pub fn under(&self, pepper: u16, digest: Digest) -> Self {
        Self {
            digest,
            pepper,
            ..self.clone()
        }
    }

    /// `namespace/name`, for `X-Credential-Identifier`.
    pub fn identifier(&self) -> Bytes {
        self.identifier.clone()
    }

    /// `metadata.namespace`.
    pub fn namespace(&self) -> &str {
        str_of(self.tenant())
    }

    /// The namespace as look-ups compare it: proving it a `str` would cost more than they do.
    pub(crate) fn tenant(&self) -> &[u8] {
        &self.identifier[..usize::from(self.namespace_len)]
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        str_of(&self.identifier[usize::from(self.namespace_len) + 1..])
    }

    /// The digest it stands under.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The writer's own number for the pepper that made the digest.
    pub fn pepper(&self) -> u16 {
        self.pepper
    }

    /// The slot of its Consumer.
    pub fn consumer(&self) -> u32 {
        self.consumer
    }

    /// Its claim to the digest among those of its namespace.
    pub fn claim(&self) -> Claim<'_> {
        Claim {
            created: self.created,
            name: self.name(),
        }
    }

    /// Whether this is the Credential of that name.
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        self.tenant() == namespace.as_bytes()
            && self.identifier[usize::from(self.namespace_len) + 1..] == *name.as_bytes()
    }

    /// Whether it may pass now. It owns its key even if not.
    pub(crate) fn admit(&self, now: UnixSeconds) -> Result<(), Reason> {
        match self.standing {
            Standing::Terminating => Err(Reason::Terminating),
            Standing::Disabled => Err(Reason::Disabled),
            Standing::Open if now < self.not_before => Err(Reason::NotYetValid),
            Standing::Open if now >= self.expires => Err(Reason::Expired),
            Standing::Open => Ok(()),
        }
    }

    /// Whether it comes before another one of its digest: by namespace, and inside one by claim, so that
    /// the owner comes first.
    pub fn precedes(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    fn order(&self, other: &Self) -> Ordering {
        (self.tenant(), self.claim()).cmp(&(other.tenant(), other.claim()))
    }
}

/// Names the credential, and nothing that could be tried as a key.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&str_of(&self.identifier)).finish()
    }
}
