//! What stands for a key: `digest = HMAC-SHA-256(pepper, SHA-256(key))`.
//!
//! Operator and gateway both go through here, so that neither can disagree with the other. Nothing
//! here prints key material: hashes, digests and peppers have opaque `Debug` output.

use std::{fmt, sync::Arc};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};

pub(crate) type HmacSha256 = Hmac<Sha256>;

/// SHA-256 of a key. A Credential's `sha256` is this, in hex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    /// The hash of a key as a client presents it.
    pub fn of(key: &[u8]) -> Self {
        Self(Sha256::digest(key).into())
    }

    /// Reads 64 hex digits of either case; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        bytes_from_hex(text).map(Self)
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(..)")
    }
}

/// The keyed digest under which a credential stands in the index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Reads 64 hex digits of either case; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        bytes_from_hex(text).map(Self)
    }

    /// 64 lower-case hex digits, as they stand in `Credential.status`.
    pub fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(..)")
    }
}

/// Exactly 32 bytes as hex digits of either case; `None` for anything else.
pub(crate) fn bytes_from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

/// Names one pepper: its data key in the pepper Secret.
pub type PepperId = String;

/// The secret that makes digests worthless to a reader of status.
///
/// Its HMAC state is computed once; a clone is a reference count, and a digest is four compressions
/// on the stack.
#[derive(Clone)]
pub struct Pepper(Arc<Inner>);

struct Inner {
    id: PepperId,
    digests: HmacSha256,
    tags: HmacSha256,
}

/// What the pepper signs to derive the key of tags. No digest can equal that key: a digest signs 32
/// bytes, and this is longer.
const TAG_KEY_LABEL: &[u8] = b"latchkey.dev/v1/key-of-published-tags";
const _: () = assert!(TAG_KEY_LABEL.len() > 32);

impl Pepper {
    /// A pepper from its id and its random bytes.
    pub fn new(id: impl Into<PepperId>, secret: &[u8; 32]) -> Self {
        let digests = keyed(secret);
        let tag_key: [u8; 32] = digests
            .clone()
            .chain_update(TAG_KEY_LABEL)
            .finalize()
            .into_bytes()
            .into();
        Self(Arc::new(Inner {
            id: id.into(),
            digests,
            tags: keyed(&tag_key),
        }))
    }

    /// Which one it is.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The digest of a key's hash under this pepper. Allocates nothing.
    pub fn digest(&self, hash: &KeyHash) -> Digest {
        Digest(
            self.0
                .digests
                .clone()
                .chain_update(hash.0)
                .finalize()
                .into_bytes()
                .into(),
        )
    }

    /// A fresh HMAC under the key that this pepper derives for tags.
    pub(crate) fn tag_mac(&self) -> HmacSha256 {
        self.0.tags.clone()
    }
}

impl fmt::Debug for Pepper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pepper").field(&self.0.id).finish()
    }
}

/// HMAC state under a 32-byte key.
fn keyed(key: &[u8; 32]) -> HmacSha256 {
    // One block holds 64 bytes; shorter keys are padded with zeros (RFC 2104), which makes a full
    // block the one length that every HMAC takes without an error to handle.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    HmacSha256::new(&block.into())
}

#[cfg(test)]
mod tests;
