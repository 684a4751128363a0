//! What a request reads: one immutable version of Gateways, routes and policies.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use http::{HeaderMap, Method};
use latchkey_core::{object::RouteLabel, reason::Reason};

use crate::{endpoints::EndpointCell, filter::HeaderModifier, policy::Protection};

/// One version of all that routing reads.
#[derive(Clone, Debug, Default)]
pub struct RouteTable {}

/// How much a table holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableStats {
    /// Commits since start.
    pub revision: u64,
    /// Gateways of our class.
    pub gateways: usize,
    /// HTTPRoutes attached to at least one listener.
    pub routes: usize,
    /// Attached HTTPRoutes of which some rule has no policy.
    pub unprotected_routes: usize,
    /// AuthPolicies.
    pub policies: usize,
}

/// The head of a request as routing reads it.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'r> {
    /// The method.
    pub method: &'r Method,
    /// In lower case, without port and final dot; an IPv6 literal keeps its brackets.
    pub host: &'r str,
    /// The path as it will be sent on.
    pub path: &'r str,
    /// The query without its `?`.
    pub query: Option<&'r str>,
    /// All headers as received.
    pub headers: &'r HeaderMap,
}

/// What the table says of a request.
#[derive(Clone, Debug)]
pub enum Found<'t> {
    /// No listener or no rule: 404.
    Nothing,
    /// A listener or hostname that must not serve (the Gateway or a route cannot be read).
    Closed(Reason, Option<&'t Arc<RouteLabel>>),
    /// A rule, and what its requests must show.
    Rule(&'t Arc<Rule>, Protection<'t>),
}

/// One rule of one HTTPRoute.
#[derive(Debug)]
pub struct Rule {
    /// Whose it is.
    pub route: Arc<RouteLabel>,
    /// What it does.
    pub action: Action,
}

/// What a rule does with a request that passed.
#[derive(Debug)]
pub enum Action {
    /// Answers with this reason's status.
    Fail(Reason),
    /// Sends it on.
    Forward(Forward),
}

/// How a rule sends a request on.
#[derive(Debug)]
pub struct Forward {
    /// `RequestHeaderModifier`, if any.
    pub request_headers: Option<HeaderModifier>,
    /// The backends, weighted.
    pub backends: Backends,
}

/// Weighted backends of a rule. Their weights' sum is over zero.
#[derive(Debug, Default)]
pub struct Backends {
    /// Cumulative weight, and what has it.
    pub cumulative: Vec<(u64, Backend)>,
}

/// One backend.
#[derive(Debug)]
pub enum Backend {
    /// A Service's port.
    Endpoints(Arc<EndpointCell>),
    /// Its share of requests gets this reason's status.
    Invalid(Reason),
}

impl Backends {
    /// The backend for a uniformly random number.
    pub fn pick(&self, random: u64) -> Option<&Backend> {
        let total = self.cumulative.last()?.0;
        let point = random % total.max(1);
        self.cumulative
            .iter()
            .find(|(upto, _)| point < *upto)
            .map(|(_, backend)| backend)
    }
}

impl RouteTable {
    /// The ports to be bound.
    pub fn ports(&self) -> Vec<u16> {
        unimplemented!()
    }
    /// How much it holds.
    pub fn stats(&self) -> TableStats {
        unimplemented!()
    }
    /// The rule for a request that arrived on a listener port, in Gateway API precedence.
    pub fn find<'t>(&'t self, port: u16, request: &RequestView<'_>) -> Found<'t> {
        let _ = (port, request);
        unimplemented!()
    }
}

/// Where readers find the present table.
#[derive(Clone, Debug, Default)]
pub struct TableCell(Arc<ArcSwap<RouteTable>>);

impl TableCell {
    /// The present table. Never hold the guard over an `.await`: guards are few per thread.
    pub fn load(&self) -> Guard<Arc<RouteTable>> {
        self.0.load()
    }
}
