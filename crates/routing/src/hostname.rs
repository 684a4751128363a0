//! Hostnames of listeners and routes: exact, wildcard, or any. Owns how they are written, what they
//! match, which of two is more specific and what two have in common.

use std::fmt;

/// The longest hostname that DNS (and Gateway API) allows, in bytes.
const MAX_LENGTH: usize = 253;

/// What a listener or a route answers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hostname {
    /// This name alone.
    Exact(Box<str>),
    /// `*.` and this suffix: one label or more before it.
    Wildcard(Box<str>),
    /// Every host.
    Any,
}

/// The text is no hostname.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a DNS name such as `api.example.com` or `*.example.com`")]
pub struct InvalidHostname;

impl Hostname {
    /// Reads a hostname as Gateway API writes it; the empty one is any. Upper case is folded.
    pub fn parse(text: &str) -> Result<Self, InvalidHostname> {
        if text.is_empty() {
            return Ok(Self::Any);
        }
        let (wildcard, name) = match text.strip_prefix("*.") {
            Some(suffix) => (true, suffix),
            None => (false, text),
        };
        if text.len() > MAX_LENGTH || !name.split('.').all(is_label) {
            return Err(InvalidHostname);
        }
        let name = name.to_ascii_lowercase().into_boxed_str();
        Ok(if wildcard {
            Self::Wildcard(name)
        } else {
            Self::Exact(name)
        })
    }

    /// Whether requests for `host` (in lower case, without a port) are meant.
    pub fn matches(&self, host: &str) -> bool {
        match self {
            Self::Exact(name) => **name == *host,
            Self::Wildcard(suffix) => under(host, suffix),
            Self::Any => true,
        }
    }

    /// What both match, as one hostname: two of them overlap only where one includes the other.
    pub fn intersect(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Any, narrow) | (narrow, Self::Any) => Some(narrow.clone()),
            (Self::Exact(name), wide) | (wide, Self::Exact(name)) => {
                wide.matches(name).then(|| Self::Exact(name.clone()))
            }
            (Self::Wildcard(a), Self::Wildcard(b)) => {
                let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
                (long == short || under(long, short)).then(|| Self::Wildcard(long.clone()))
            }
        }
    }

    /// Greater is more specific, among hostnames that match the same host.
    pub fn specificity(&self) -> (u8, usize) {
        match self {
            Self::Exact(name) => (2, name.len()),
            Self::Wildcard(suffix) => (1, suffix.len()),
            Self::Any => (0, 0),
        }
    }
}

impl fmt::Display for Hostname {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(name) => f.write_str(name),
            Self::Wildcard(suffix) => write!(f, "*.{suffix}"),
            Self::Any => f.write_str("*"),
        }
    }
}

/// The suffixes whose wildcards match `host`, the longest first.
pub fn wildcard_suffixes(host: &str) -> impl Iterator<Item = &str> {
    host.match_indices('.')
        .filter(|&(at, _)| at > 0)
        .map(|(at, _)| &host[at + 1..])
}

/// Whether `host` has one label or more before `.suffix`.
fn under(host: &str, suffix: &str) -> bool {
    host.strip_suffix(suffix)
        .and_then(|rest| rest.strip_suffix('.'))
        .is_some_and(|labels| !labels.is_empty())
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
        && bytes.first() != Some(&b'-')
        && bytes.last() != Some(&b'-')
}

#[cfg(test)]
mod tests;
