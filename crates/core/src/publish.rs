//! From a Secret's bytes to a block of `Credential.status.published`, and back to a digest.

use latchkey_crds::credential::{PublishedKey, SecretKeyRef};

use crate::digest::{Digest, Pepper};

/// The shortest key that is accepted unless configured otherwise, in bytes.
pub const DEFAULT_MIN_KEY_LENGTH: usize = 16;
/// The longest key that is accepted, in bytes.
pub const MAX_KEY_LENGTH: usize = 4096;

/// Why a Secret's value cannot be a key. The message says the remedy and never the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// Nothing, or nothing but a line end.
    #[error("the value is empty; store the key itself")]
    Empty,
}

/// The key inside a Secret's value: one final line end (LF or CRLF) is cut, and what cannot be a
/// key is refused with its reason.
pub fn key_material(value: &[u8], min_length: usize) -> Result<&[u8], KeyRefusal> {
    let _ = (value, min_length);
    unimplemented!()
}

/// What a publication speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The Credential's `metadata.uid`.
    pub credential_uid: &'a str,
    /// The Credential's source as `spec` has it now.
    pub source: &'a SecretKeyRef,
}

/// The version of the Secret that was read.
#[derive(Clone, Copy, Debug)]
pub struct SecretVersion<'a> {
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.resourceVersion`.
    pub resource_version: &'a str,
}

/// The block that publishes `key` (already through [`key_material`]) under `pepper`.
pub fn publish(
    subject: Subject<'_>,
    secret: SecretVersion<'_>,
    key: &[u8],
    pepper: &Pepper,
    controller: &str,
) -> PublishedKey {
    let _ = (subject, secret, key, pepper, controller);
    unimplemented!()
}

/// The digest of a block, if it was published for this subject's present source under this pepper.
pub fn accept(block: &PublishedKey, subject: Subject<'_>, pepper: &Pepper) -> Option<Digest> {
    let _ = (block, subject, pepper);
    unimplemented!()
}
