//! From a Secret's bytes to a block of `Credential.status.published`, and back to a digest.
//!
//! ```text
//! Secret value -> key_material -> publish -> PublishedKey (status) -> accept -> Digest (index)
//! ```
//!
//! Who reads a block trusts nothing in it but what its tag proves.

use latchkey_crds::credential::{PublishedKey, SecretKeyRef};

use crate::{
    digest::{Digest, KeyHash, Pepper},
    tag::Tagged,
};

/// The shortest key that is accepted unless configured otherwise, in bytes.
pub const DEFAULT_MIN_KEY_LENGTH: usize = 16;
/// The longest key that is accepted, in bytes.
pub const MAX_KEY_LENGTH: usize = 4096;
/// The format of the blocks that this version writes, and the only one that it accepts.
pub const FORMAT: i32 = 1;

/// Why a Secret's value cannot be a key. The message says the remedy and never the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum KeyRefusal {
    /// Nothing, or nothing but blanks and line ends.
    #[error("the value is empty; store the key itself")]
    Empty,
    /// Longer than [`MAX_KEY_LENGTH`].
    #[error(
        "the key is longer than {MAX_KEY_LENGTH} bytes; use a shorter one (32 random bytes in base64 are plenty)"
    )]
    TooLong,
    /// A blank or a line end at either edge, beyond the one final line end that is cut.
    #[error("the key begins or ends with a blank or a line end; store it without (`printf %s`, not `echo`)")]
    BlankEdge,
    /// A NUL byte.
    #[error("the key contains a NUL byte, which no header can carry; store text, not binary data")]
    Nul,
    /// A control byte other than NUL.
    #[error("the key contains a control byte such as a line end or a tab; store one line of printable ASCII")]
    Control,
    /// A byte outside of ASCII.
    #[error("the key contains bytes outside of ASCII; encode it, for example in base64 or hex")]
    NonAscii,
    /// Shorter than the configured minimum.
    #[error("the key is shorter than {minimum} bytes; use a longer, random one")]
    TooShort {
        /// The configured minimum in bytes.
        minimum: usize,
    },
}

/// The key inside a Secret's value: one final line end (LF or CRLF) is cut, because editors and
/// `echo` leave one, and what cannot be a key is refused with its reason.
///
/// # Errors
/// The first of [`KeyRefusal`]'s reasons that applies.
pub fn key_material(value: &[u8], min_length: usize) -> Result<&[u8], KeyRefusal> {
    let key = match value {
        [key @ .., b'\r', b'\n'] | [key @ .., b'\n'] => key,
        key => key,
    };
    let (Some(first), Some(last)) = (key.first(), key.last()) else {
        return Err(KeyRefusal::Empty);
    };
    if key.iter().all(u8::is_ascii_whitespace) {
        Err(KeyRefusal::Empty)
    } else if key.len() > MAX_KEY_LENGTH {
        Err(KeyRefusal::TooLong)
    } else if first.is_ascii_whitespace() || last.is_ascii_whitespace() {
        Err(KeyRefusal::BlankEdge)
    } else if key.contains(&0) {
        Err(KeyRefusal::Nul)
    } else if key.iter().any(u8::is_ascii_control) {
        Err(KeyRefusal::Control)
    } else if !key.is_ascii() {
        Err(KeyRefusal::NonAscii)
    } else if key.len() < min_length {
        Err(KeyRefusal::TooShort { minimum: min_length })
    } else {
        Ok(key)
    }
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
    let digest = pepper.digest(&KeyHash::of(key));
    let tagged = Tagged {
        controller,
        credential_uid: subject.credential_uid,
        source: subject.source,
        secret_uid: secret.uid,
        secret_resource_version: secret.resource_version,
        digest: &digest,
    };
    PublishedKey {
        format: FORMAT,
        controller_name: controller.to_owned(),
        pepper_id: pepper.id().to_owned(),
        digest: digest.to_hex(),
        source: subject.source.clone(),
        secret_uid: secret.uid.to_owned(),
        secret_resource_version: secret.resource_version.to_owned(),
        tag: tagged.sign(pepper),
    }
}

/// The digest of a block, if it was published for this subject's present source under this pepper.
///
/// A block of another format, pepper or source, one whose digest is no digest, and one whose tag
/// does not fit are all the same: `None`, as if the block were not there.
pub fn accept(block: &PublishedKey, subject: Subject<'_>, pepper: &Pepper) -> Option<Digest> {
    if block.format != FORMAT || block.pepper_id != pepper.id() || block.source != *subject.source {
        return None;
    }
    let digest = Digest::from_hex(&block.digest)?;
    let tagged = Tagged {
        controller: &block.controller_name,
        credential_uid: subject.credential_uid,
        source: subject.source,
        secret_uid: &block.secret_uid,
        secret_resource_version: &block.secret_resource_version,
        digest: &digest,
    };
    tagged.verify(pepper, &block.tag).then_some(digest)
}

#[cfg(test)]
mod tests;
