//! Texts that many header values are slices of.

use bytes::Bytes;

/// A buffer whose clones and slices never allocate. (`Bytes::from(Vec)` would allocate once, at the
/// first clone: on the request path.)
pub(crate) fn shared(text: String) -> Bytes {
    Bytes::from_owner(text.into_boxed_str().into_boxed_bytes())
}

/// A part of a [`shared`] buffer as text.
pub(crate) fn str_of(bytes: &[u8]) -> &str {
    // Buffers are made of whole strings and cut where one ends: they never fail this check.
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// An offset into a buffer. None is near 4 GiB: objects are limited to a few MiB by their source.
pub(crate) fn offset(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
