//! What a request reads: one immutable version of Gateways, routes and policies.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use arc_swap::{ArcSwap, Guard};
use http::{HeaderMap, Method};
use latchkey_core::{
    object::{ObjectName, RouteLabel},
    reason::Reason,
};
use latchkey_cow::Table;

use crate::{
    endpoints::EndpointCell,
    filter::{HeaderModifier, Redirect, Rewrite},
    host::{Entry, Hosts},
    hostname::Hostname,
    policy::{Holding, Protection},
};

/// One version of all that routing reads. A clone is a version of its own and costs a few pointers.
#[derive(Clone, Debug, Default)]
pub struct RouteTable {
    pub(crate) ports: Table<Arc<PortTable>>,
    pub(crate) closures: Arc<Closures>,
    pub(crate) deny_unprotected: bool,
    pub(crate) stats: TableStats,
}

/// Namespaces that an object which cannot be read closes. Nearly always empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Closures {
    /// An AuthPolicy: closes the namespace's routes and all that its Gateways serve.
    pub(crate) policies: BTreeSet<String>,
    /// An HTTPRoute: closes the namespace's routes.
    pub(crate) routes: BTreeSet<String>,
}

/// What one port serves: the listeners of one Gateway.
#[derive(Clone, Debug)]
pub(crate) struct PortTable {
    pub(crate) port: u16,
    /// Whose port it is.
    pub(crate) gateway: ObjectName,
    /// The Gateway cannot be read: nothing is served.
    pub(crate) closed: bool,
    /// The policies of the Gateway.
    pub(crate) policies: Holding,
    /// The most specific hostname first.
    pub(crate) listeners: Vec<ListenerTable>,
}

/// What one listener serves.
#[derive(Clone, Debug)]
pub(crate) struct ListenerTable {
    pub(crate) hostname: Hostname,
    /// Conflicted: its requests are not served, by a broader listener neither.
    pub(crate) refused: bool,
    /// The policies of the listener.
    pub(crate) policies: Holding,
    pub(crate) hosts: Hosts,
}

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
    /// A rule, and what its requests must show. One that fails asks for nothing: it answers the same to
    /// everybody, unless its scope is closed.
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
    /// Sends the client elsewhere.
    Redirect(Redirection),
    /// Sends it on.
    Forward(Forward),
}

/// How a rule sends clients elsewhere.
#[derive(Debug)]
pub struct Redirection {
    /// `RequestRedirect`.
    pub redirect: Redirect,
    /// `ResponseHeaderModifier`, if any.
    pub response_headers: Option<Arc<HeaderModifier>>,
}

/// How a rule sends a request on.
#[derive(Debug)]
pub struct Forward {
    /// `RequestHeaderModifier`, if any.
    pub request_headers: Option<HeaderModifier>,
    /// `URLRewrite`, if any.
    pub rewrite: Option<Arc<Rewrite>>,
    /// `ResponseHeaderModifier`, if any. An answer may come when the table has moved on.
    pub response_headers: Option<Arc<HeaderModifier>>,
    /// The backends, weighted.
    pub backends: Backends,
    /// How long it may take.
    pub timeouts: RouteTimeouts,
}

/// A rule's own limits on how long a whole request may take. Without one it may take as long as bytes come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouteTimeouts {
    /// From the request's head to the last byte of its answer.
    pub request: Option<Duration>,
    /// From when the request is sent on to the last byte of its answer.
    pub backend_request: Option<Duration>,
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
    /// The ports to be bound, in ascending order.
    pub fn ports(&self) -> Vec<u16> {
        let mut ports: Vec<_> = self.ports.iter().map(|table| table.port).collect();
        ports.sort_unstable();
        ports
    }

    /// How much it holds.
    pub fn stats(&self) -> TableStats {
        self.stats
    }

    /// The rule for a request that arrived on a listener port, in Gateway API precedence.
    ///
    /// The listener is chosen first, by port and most specific hostname, and no other is asked. In it
    /// the hostnames of routes are tried from the most to the least specific, until a rule matches.
    pub fn find<'t>(&'t self, port: u16, request: &RequestView<'_>) -> Found<'t> {
        let Some(table) = self.port(port) else {
            return Found::Nothing;
        };
        if table.closed {
            return Found::Closed(Reason::GatewayUndecodable, None);
        }
        let listener = table
            .listeners
            .iter()
            .find(|listener| listener.hostname.matches(request.host));
        let Some(listener) = listener.filter(|listener| !listener.refused) else {
            return Found::Nothing;
        };
        for host in listener.hosts.candidates(request.host) {
            if let Some(route) = &host.closed {
                return Found::Closed(Reason::RouteUndecodable, Some(route));
            }
            if let Some(entry) = host.find(request) {
                return self.protect(table, listener, entry);
            }
            if let Some(route) = &host.last {
                return Found::Closed(Reason::RouteUndecodable, Some(route));
            }
        }
        Found::Nothing
    }

    fn protect<'t>(
        &'t self,
        table: &'t PortTable,
        listener: &'t ListenerTable,
        entry: &'t Entry,
    ) -> Found<'t> {
        let route = &entry.rule.route;
        let namespace = &route.name.namespace;
        if self.closures.routes.contains(namespace) {
            return Found::Closed(Reason::RouteUndecodable, Some(route));
        }
        let broken_policy = entry.guard.closed
            || table.policies.closed
            || listener.policies.closed
            || self.closures.policies.contains(namespace)
            || self.closures.policies.contains(&table.gateway.namespace);
        let mut protection = Protection {
            closed: broken_policy.then_some(Reason::PolicyInvalid),
            ..Protection::default()
        };
        // A rule that fails gives nothing away, so that it answers the same to everybody.
        if !matches!(entry.rule.action, Action::Fail(_)) {
            protection.gateway_override = table.policies.overriding.as_deref();
            protection.listener_override = listener.policies.overriding.as_deref();
            protection.specific = [&entry.guard.specific, &listener.policies.default]
                .into_iter()
                .chain([&table.policies.default])
                .find_map(Option::as_deref);
            let unprotected = protection.checks().next().is_none();
            if unprotected && self.deny_unprotected && protection.closed.is_none() {
                protection.closed = Some(Reason::NoPolicy);
            }
        }
        Found::Rule(&entry.rule, protection)
    }

    fn port(&self, port: u16) -> Option<&PortTable> {
        self.ports
            .find(port_hash(port), |table| table.port == port)
            .map(|table| &**table)
    }

    /// Sets what a port serves, or takes it out.
    pub(crate) fn set_port(&mut self, port: u16, table: Option<PortTable>) {
        let hash = port_hash(port);
        match table {
            Some(table) => {
                self.ports
                    .insert(hash, Arc::new(table), |held, new| held.port == new.port);
            }
            None => {
                self.ports.remove(hash, |held| held.port == port);
            }
        }
    }
}

/// Sixteen bits spread over the upper ones (Fibonacci hashing).
fn port_hash(port: u16) -> u64 {
    u64::from(port).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Where readers find the present table.
#[derive(Clone, Debug, Default)]
pub struct TableCell(Arc<ArcSwap<RouteTable>>);

impl TableCell {
    /// The present table. Never hold the guard over an `.await`: guards are few per thread.
    pub fn load(&self) -> Guard<Arc<RouteTable>> {
        self.0.load()
    }

    /// Puts another table in its place, and gives back the one that it had.
    pub(crate) fn swap(&self, table: RouteTable) -> Arc<RouteTable> {
        self.0.swap(Arc::new(table))
    }
}
