//! What makes a published block one that only a holder of the pepper can have written.
//!
//! `tag = HMAC(pepper-derived key; controller, credential uid, kind, spec source, Secret uid + resourceVersion,
//!  digest)`
//!
//! Who may write a status but does not know the pepper can neither mint a block nor move a
//! neighbour's to another Credential, source or Secret, nor keep an old one under another controller's name,
//! which that of the first would leave alone.

use hmac::Mac as _;
use latchkey_crds::credential::SecretKeyRef;
use subtle::ConstantTimeEq as _;

use crate::digest::{Digest, HmacSha256, Pepper, bytes_from_hex};

/// Names the encoding below, so that bytes signed for another purpose or format never fit.
const LABEL: &[u8] = b"latchkey.dev/published/1";

/// The method a block belongs to: a digest published for one kind of credential is worth nothing as
/// another.
const KIND: &[u8] = b"apiKey";

/// All that a tag binds together.
#[derive(Clone, Copy)]
pub(crate) struct Tagged<'a> {
    pub(crate) controller: &'a str,
    pub(crate) credential_uid: &'a str,
    pub(crate) source: &'a SecretKeyRef,
    pub(crate) secret_uid: &'a str,
    pub(crate) secret_resource_version: &'a str,
    pub(crate) digest: &'a Digest,
}

impl Tagged<'_> {
    /// The tag in lower-case hex.
    pub(crate) fn sign(self, pepper: &Pepper) -> String {
        hex::encode(self.compute(pepper))
    }

    /// Whether `tag` (in hex) was made by a holder of the pepper for exactly this. Takes the same
    /// time wherever the first difference is.
    pub(crate) fn verify(self, pepper: &Pepper, tag: &str) -> bool {
        bytes_from_hex(tag).is_some_and(|tag| self.compute(pepper).ct_eq(&tag).into())
    }

    fn compute(self, pepper: &Pepper) -> [u8; 32] {
        let mut mac = pepper.tag_mac();
        for field in [
            LABEL,
            self.controller.as_bytes(),
            self.credential_uid.as_bytes(),
            KIND,
            self.source.name.as_bytes(),
            self.source.key.as_bytes(),
            self.secret_uid.as_bytes(),
            self.secret_resource_version.as_bytes(),
            &self.digest.0,
        ] {
            append(&mut mac, field);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Appends a field behind its length, so that no two lists of fields share an encoding.
fn append(mac: &mut HmacSha256, field: &[u8]) {
    mac.update(&(field.len() as u64).to_be_bytes());
    mac.update(field);
}

#[cfg(test)]
mod tests;
