//! What stands for a key: `digest = HMAC-SHA-256(pepper, SHA-256(key))`.

use std::fmt;

/// SHA-256 of a key. A Credential's `sha256` is this, in hex.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    /// The hash of a key as a client presents it.
    pub fn of(key: &[u8]) -> Self {
        let _ = key;
        unimplemented!()
    }

    /// Reads 64 hex digits of either case; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let _ = text;
        unimplemented!()
    }
}

/// The keyed digest under which a credential stands in the index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(..)")
    }
}

/// Names one pepper: its data key in the pepper Secret.
pub type PepperId = String;

/// The secret that makes digests worthless to a reader of status. Its HMAC state is precomputed.
#[derive(Clone)]
pub struct Pepper {
    id: PepperId,
}

impl Pepper {
    /// A pepper from its id and its random bytes.
    pub fn new(id: impl Into<PepperId>, secret: &[u8; 32]) -> Self {
        let _ = secret;
        Self { id: id.into() }
    }

    /// Which one it is.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The digest of a key's hash under this pepper.
    pub fn digest(&self, hash: &KeyHash) -> Digest {
        let _ = hash;
        unimplemented!()
    }
}
