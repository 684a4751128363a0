//! What stands under a digest: a credential, and the slot of its consumer.

use bytes::Bytes;

/// A credential.
#[derive(Clone, Debug)]
pub struct Entry {}

impl Entry {
    /// `namespace/name`, for `X-Credential-Identifier`.
    pub fn identifier(&self) -> Bytes {
        unimplemented!()
    }
}
