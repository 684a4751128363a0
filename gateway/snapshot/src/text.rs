//! Texts that many header values are slices of.

use bytes::Bytes;

/// A buffer whose clones and slices never allocate. (`Bytes::from(Vec)` would allocate once, at the
/// first clone: on the request path.)
///
/// Texts of usual lengths stand in one allocation with their reference count. There are two for
/// each credential, so that this saves a tenth of all memory.
pub(crate) fn shared(text: &str) -> Bytes {
    match text.len() {
        0..=15 => Inline::<15>::shared(text),
        16..=31 => Inline::<31>::shared(text),
        32..=47 => Inline::<47>::shared(text),
        48..=63 => Inline::<63>::shared(text),
        64..=79 => Inline::<79>::shared(text),
        80..=95 => Inline::<95>::shared(text),
        96..=127 => Inline::<127>::shared(text),
        _ => Bytes::from_owner(Box::<[u8]>::from(text.as_bytes())),
    }
}

/// A text of at most `N` bytes.
struct Inline<const N: usize> {
    len: u8,
    bytes: [u8; N],
}

impl<const N: usize> Inline<N> {
    fn shared(text: &str) -> Bytes {
        let (mut bytes, len) = ([0; N], text.len().min(N));
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        // No class is longer than a byte counts.
        let len = u8::try_from(len).unwrap_or(u8::MAX);
        Bytes::from_owner(Self { len, bytes })
    }
}

impl<const N: usize> AsRef<[u8]> for Inline<N> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// A part of a [`shared`] buffer as text.
pub(crate) fn str_of(bytes: &[u8]) -> &str {
    // Buffers are made of whole strings and cut where one ends: they never fail this check.
    std::str::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_kept_whole() {
        let text = "0123456789abcdef".repeat(20);
        for len in 0..text.len() {
            assert_eq!(shared(&text[..len]), text[..len]);
        }
    }
}
