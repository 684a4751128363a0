//! Who owns a key that several Credentials of one namespace hold: the oldest, then the first by name.

use crate::time::UnixSeconds;

/// Orders claimants of one key inside one namespace; the smallest owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim<'a> {
    /// `metadata.creationTimestamp`.
    pub created: UnixSeconds,
    /// `metadata.name`.
    pub name: &'a str,
}
