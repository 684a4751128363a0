//! Whether a request is what one `matches` element of a rule asks for. Allocates nothing.
//!
//! A condition that this version cannot evaluate is widened to all that it might mean: its rule
//! answers 500 to all of that, rather than leave it to a rule that is more general.

use http::{HeaderMap, HeaderName, Method};

use crate::table::RequestView;

/// One element of a rule's `matches`: all of it must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) path: PathMatch,
    pub(crate) method: Option<Method>,
    pub(crate) headers: Vec<HeaderMatch>,
    pub(crate) queries: Vec<QueryMatch>,
    /// Holds an extra condition that is unknown, left out of the above.
    pub(crate) widened: bool,
}

/// A condition on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathMatch {
    /// This path, byte by byte.
    Exact(Box<str>),
    /// This path and what lies under it, by whole segments.
    Prefix {
        /// Without a slash at the end; empty for all paths.
        segments: Box<str>,
        /// Its length as written, which decides precedence.
        written: usize,
    },
    /// Unknown beyond this literal beginning.
    Unknown(Box<str>),
}

/// A condition on a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderMatch {
    pub(crate) name: HeaderName,
    /// `None`: any value, since the condition on it cannot be evaluated.
    pub(crate) value: Option<Box<str>>,
}

/// A condition on a query parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryMatch {
    pub(crate) name: Box<str>,
    /// `None`: any value, since the condition on it cannot be evaluated.
    pub(crate) value: Option<Box<str>>,
}

impl Match {
    /// The match of a rule that has none: every path.
    pub(crate) fn everything() -> Self {
        Self {
            path: PathMatch::prefix("/"),
            method: None,
            headers: Vec::new(),
            queries: Vec::new(),
            widened: false,
        }
    }

    /// Whether the request is meant.
    pub(crate) fn matches(&self, request: &RequestView<'_>) -> bool {
        self.path.matches(request.path)
            && self.method.as_ref().is_none_or(|method| method == request.method)
            && self.headers.iter().all(|h| h.matches(request.headers))
            && self.queries.iter().all(|q| q.matches(request.query))
    }
}

impl PathMatch {
    /// A `PathPrefix`.
    pub(crate) fn prefix(text: &str) -> Self {
        Self::Prefix {
            segments: text.strip_suffix('/').unwrap_or(text).into(),
            written: text.len(),
        }
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Exact(exact) => **exact == *path,
            Self::Prefix { segments, .. } => path
                .strip_prefix(&**segments)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            Self::Unknown(beginning) => path.starts_with(&**beginning),
        }
    }
}

impl HeaderMatch {
    /// Several lines of one name count as one value joined by `, ` (RFC 9110, section 5.3).
    fn matches(&self, headers: &HeaderMap) -> bool {
        let mut lines = headers.get_all(&self.name).iter();
        let Some(first) = lines.next() else {
            return false;
        };
        let Some(expected) = &self.value else {
            return true;
        };
        let rest = lines.try_fold(
            expected.as_bytes().strip_prefix(first.as_bytes()),
            |rest, line| {
                let rest = rest?.strip_prefix(b", ")?.strip_prefix(line.as_bytes());
                Some(rest)
            },
        );
        rest.flatten().is_some_and(<[u8]>::is_empty)
    }
}

impl QueryMatch {
    /// The first parameter of the name decides; names and values are compared decoded.
    fn matches(&self, query: Option<&str>) -> bool {
        let first = query
            .unwrap_or_default()
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .find(|(name, _)| decodes_to(name, &self.name));
        match (first, &self.value) {
            (Some((_, value)), Some(expected)) => decodes_to(value, expected),
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

/// Whether a query component, percent-decoded and with `+` for a blank, is `expected`.
fn decodes_to(encoded: &str, expected: &str) -> bool {
    let mut bytes = encoded.as_bytes();
    let decoded = std::iter::from_fn(|| {
        let (byte, rest) = match *bytes {
            [] => return None,
            [b'%', high, low, ref rest @ ..] => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => (high << 4 | low, rest),
                _ => (b'%', &bytes[1..]),
            },
            [b'+', ref rest @ ..] => (b' ', rest),
            [byte, ref rest @ ..] => (byte, rest),
        };
        bytes = rest;
        Some(byte)
    });
    decoded.eq(expected.bytes())
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
