//! Which of several matches of one hostname decides: Gateway API's order, as a sort key.

use std::cmp::Reverse;

use latchkey_core::{object::ObjectName, time::UnixSeconds};

use crate::matches::{Match, PathMatch};

/// Sorts matches; the smallest that matches a request decides.
///
/// An exact path before a prefix, a long prefix before a short one, then a method, many headers, many
/// query parameters, the older route, the smaller namespace/name, the earlier rule. A condition that
/// cannot be evaluated comes before its equals, and an unknown path before all: no rule that might be
/// less specific may answer in its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Precedence<'a> {
    path: PathRank,
    evaluated: bool,
    without_method: bool,
    headers: Reverse<usize>,
    queries: Reverse<usize>,
    created: UnixSeconds,
    route: &'a ObjectName,
    rule: usize,
    element: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PathRank {
    Unknown,
    Exact,
    Prefix(Reverse<usize>),
}

/// Where a match stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    /// The route's `metadata.creationTimestamp`.
    pub(crate) created: UnixSeconds,
    /// The route.
    pub(crate) route: &'a ObjectName,
    /// The rule's index in the route.
    pub(crate) rule: usize,
    /// The match's index in the rule.
    pub(crate) element: usize,
}

impl<'a> Precedence<'a> {
    /// The sort key of a match.
    pub(crate) fn of(matcher: &Match, origin: Origin<'a>) -> Self {
        Self {
            path: match &matcher.path {
                PathMatch::Unknown(_) => PathRank::Unknown,
                PathMatch::Exact(_) => PathRank::Exact,
                PathMatch::Prefix { written, .. } => PathRank::Prefix(Reverse(*written)),
            },
            evaluated: !matcher.widened,
            without_method: matcher.method.is_none(),
            headers: Reverse(matcher.headers.len()),
            queries: Reverse(matcher.queries.len()),
            created: origin.created,
            route: origin.route,
            rule: origin.rule,
            element: origin.element,
        }
    }
}

#[cfg(test)]
mod tests;
