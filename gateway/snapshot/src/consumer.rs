//! A Consumer as a request sees it: the values of identity headers, ready to send.

use std::fmt;

use bytes::Bytes;
use latchkey_core::{reason::Reason, time::UnixSeconds};

use crate::{
    standing::Standing,
    text::{shared, str_of},
};

/// A Consumer. All texts share one buffer, so that a header value is a slice and costs no copy.
#[derive(Clone, PartialEq, Eq)]
pub struct Consumer {
    text: Bytes,
    /// Where each [`Part`] of `text` ends; it begins where the one before ends.
    ends: [u16; PARTS],
    expires: UnixSeconds,
    standing: Standing,
}

/// The parts of a Consumer's text, in order.
#[derive(Clone, Copy)]
enum Part {
    Uid,
    Namespace,
    Name,
    /// Empty where it is the name.
    Username,
    CustomId,
    Groups,
}
const PARTS: usize = 6;

/// What a [`Consumer`] is made of.
#[derive(Clone, Copy, Debug)]
pub struct ConsumerParts<'a> {
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.namespace`.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// What upstreams see; the name if empty.
    pub username: &'a str,
    /// An identifier of the platform's own; none if empty.
    pub custom_id: &'a str,
    /// Names of groups.
    pub groups: &'a [String],
    /// Refused from this time on.
    pub expires: Option<UnixSeconds>,
    /// Refused.
    pub disabled: bool,
    /// Being deleted.
    pub terminating: bool,
}

impl Consumer {
    /// The longest text of all parts together, in bytes. The caller must not hand in more: what is
    /// beyond would be cut off.
    pub const MAX_TEXT: usize = u16::MAX as usize;

    /// A Consumer from its parts.
    pub fn new(parts: &ConsumerParts<'_>) -> Self {
        let username = if parts.username == parts.name {
            ""
        } else {
            parts.username
        };
        let mut text = String::new();
        let mut ends = [0; PARTS];
        let groups = parts.groups.join(",");
        let all = [
            parts.uid,
            parts.namespace,
            parts.name,
            username,
            parts.custom_id,
            &groups,
        ];
        for (end, part) in ends.iter_mut().zip(all) {
            text.push_str(part);
            *end = u16::try_from(text.len()).unwrap_or(u16::MAX);
        }
        Self {
            text: shared(&text),
            ends,
            expires: parts.expires.unwrap_or(UnixSeconds(i64::MAX)),
            standing: Standing::new(parts.disabled, parts.terminating),
        }
    }

    /// `metadata.uid`, for `X-Consumer-ID`.
    pub fn uid(&self) -> Bytes {
        self.part(Part::Uid)
    }

    /// `metadata.namespace`, for `X-Consumer-Namespace`.
    pub fn namespace(&self) -> Bytes {
        self.part(Part::Namespace)
    }

    /// `metadata.namespace`, for logs.
    pub fn namespace_str(&self) -> &str {
        str_of(&self.text[self.range(Part::Namespace)])
    }

    /// `metadata.name`, for logs.
    pub fn name(&self) -> &str {
        str_of(&self.text[self.range(Part::Name)])
    }

    /// What upstreams see, for `X-Consumer-Username`.
    pub fn username(&self) -> Bytes {
        self.filled(Part::Username)
            .unwrap_or_else(|| self.part(Part::Name))
    }

    /// For `X-Consumer-Custom-ID`.
    pub fn custom_id(&self) -> Option<Bytes> {
        self.filled(Part::CustomId)
    }

    /// The groups, joined by commas, for `X-Consumer-Groups`.
    pub fn groups(&self) -> Option<Bytes> {
        self.filled(Part::Groups)
    }

    /// Whether this is the Consumer of that name.
    pub fn is(&self, namespace: &str, name: &str) -> bool {
        self.text[self.range(Part::Name)] == *name.as_bytes()
            && self.text[self.range(Part::Namespace)] == *namespace.as_bytes()
    }

    /// Whether it may pass now.
    pub(crate) fn admit(&self, now: UnixSeconds) -> Result<(), Reason> {
        match self.standing {
            Standing::Terminating => Err(Reason::ConsumerTerminating),
            Standing::Disabled => Err(Reason::ConsumerDisabled),
            Standing::Open if now >= self.expires => Err(Reason::ConsumerExpired),
            Standing::Open => Ok(()),
        }
    }

    fn range(&self, part: Part) -> std::ops::Range<usize> {
        let at = part as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        usize::from(start)..usize::from(self.ends[at])
    }

    fn part(&self, part: Part) -> Bytes {
        self.text.slice(self.range(part))
    }

    fn filled(&self, part: Part) -> Option<Bytes> {
        let range = self.range(part);
        (!range.is_empty()).then(|| self.text.slice(range))
    }
}

impl fmt::Debug for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer")
            .field("namespace", &self.namespace_str())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
