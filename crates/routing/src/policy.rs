//! An AuthPolicy, compiled: what a request must show.

mod holding;

use http::HeaderName;
use latchkey_core::{object::ObjectName, reason::Reason, tenancy::Admission};

pub(crate) use holding::Holding;

/// A policy that can be honoured.
#[derive(Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which AuthPolicy.
    pub name: ObjectName,
    /// In the order in which they are tried. Never empty.
    pub methods: Vec<Method>,
    /// Where credentials may come from.
    pub admission: Admission,
    /// Whether all configured places are removed from what the upstream receives.
    pub hide_credentials: bool,
    /// Whether CORS preflights without a credential pass.
    pub passes_preflights: bool,
}

/// One way to pass.
#[derive(Debug, PartialEq, Eq)]
pub enum Method {
    /// A key in one of these places. Two values over all of them: 401.
    ApiKey(Vec<Place>),
    /// Passes where no method before or after it found a credential.
    Anonymous,
}

/// Where a key may stand.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    /// A header.
    Header(HeaderName),
    /// A query parameter; names are compared percent-decoded, by case.
    Query(String),
}

/// All that must pass for one request: overrides first, then the most specific policy.
#[derive(Clone, Copy, Debug, Default)]
pub struct Protection<'t> {
    /// Set: the scope is closed, nothing passes.
    pub closed: Option<Reason>,
    /// The Gateway's override.
    pub gateway_override: Option<&'t Policy>,
    /// The listener's override.
    pub listener_override: Option<&'t Policy>,
    /// The most specific policy. The upstream sees its identity (or an override's where this is anonymous).
    pub specific: Option<&'t Policy>,
}

impl<'t> Protection<'t> {
    /// The policies that must all pass, in order; none for a route that is open.
    pub fn checks(&self) -> impl Iterator<Item = &'t Policy> {
        [self.gateway_override, self.listener_override, self.specific]
            .into_iter()
            .flatten()
    }
}
