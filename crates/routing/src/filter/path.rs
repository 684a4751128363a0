//! Another path in a path's place: `ReplaceFullPath` and `ReplacePrefixMatch`.

use std::borrow::Cow;

/// What becomes of a request's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange(Change);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    Full(Box<str>),
    Prefix {
        /// Bytes of the path that the rule's match covers, without a slash at the end.
        matched: usize,
        /// Without a slash at the end; empty if nothing takes their place.
        by: Box<str>,
    },
}

/// The text is no path that the gateway would pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must begin with `/` and be a path that the gateway itself would let in: without `//`, `/.`, `/..`, a query \
     or what has to be escaped; correct it"
)]
pub struct InvalidPath;

impl PathChange {
    /// This path, whatever was asked for.
    pub(crate) fn full(path: &str) -> Result<Self, InvalidPath> {
        check(path).map(|()| Self(Change::Full(path.into())))
    }

    /// This prefix in place of what a match of `matched` bytes covers. The empty one and `/` take it out.
    pub(crate) fn prefix(matched: usize, by: &str) -> Result<Self, InvalidPath> {
        if !by.is_empty() {
            check(by)?;
        }
        let by = by.strip_suffix('/').unwrap_or(by).into();
        Ok(Self(Change::Prefix { matched, by }))
    }

    /// The path in place of one that the rule has matched.
    pub fn apply<'p>(&'p self, path: &'p str) -> Cow<'p, str> {
        let (matched, by) = match &self.0 {
            Change::Full(full) => return Cow::Borrowed(full),
            Change::Prefix { matched, by } => (*matched, &**by),
        };
        let rest = path.get(matched..).unwrap_or_default();
        match (by, rest) {
            ("", "") => Cow::Borrowed("/"),
            (by, "") => Cow::Borrowed(by),
            ("", rest) => Cow::Borrowed(rest),
            (by, rest) => Cow::Owned([by, rest].concat()),
        }
    }
}

/// Whether a path could have come from a client: what is refused there is not made here.
fn check(path: &str) -> Result<(), InvalidPath> {
    let segments = path.strip_prefix('/').ok_or(InvalidPath)?;
    let mut segments = segments.split('/').peekable();
    while let Some(segment) = segments.next() {
        let empty_within = segment.is_empty() && segments.peek().is_some();
        if empty_within || !is_plain(segment) || is_dots(segment) {
            return Err(InvalidPath);
        }
    }
    Ok(())
}

/// Whether all characters are those that RFC 3986 allows in a segment, and no escape hides a separator, a
/// dot or a control character.
fn is_plain(segment: &str) -> bool {
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            b'%' => match (bytes.next().and_then(hex), bytes.next().and_then(hex)) {
                (Some(high), Some(low)) => {
                    let escaped = high << 4 | low;
                    !escaped.is_ascii_control() && !matches!(escaped, b'/' | b'\\' | b'.')
                }
                _ => false,
            },
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// Whether a segment is `.` or `..`, with or without parameters.
fn is_dots(segment: &str) -> bool {
    let rest = segment.strip_prefix("..").or_else(|| segment.strip_prefix('.'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([';', '%']))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests;
