//! HTTPRoute: parents, hostnames and rules.
//!
//! Inside a rule, what this version does not do is a problem of that rule, which then answers 500.
//! What has the wrong type breaks the object: of it counts what can still be read.

use serde_json::Value;

use super::{
    backend_ref::{self, BackendRef},
    fields::{Fields, Misfit},
    filter::{self, Filter},
    http_match,
    metadata::Metadata,
    parent_ref::ParentRef,
    problem::{self, Problem, Reason},
    timeouts,
};
use crate::{
    hostname::Hostname,
    matches::{Match, PathMatch},
    object::Manifest,
    table::RouteTimeouts,
};

/// An HTTPRoute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRoute {
    /// What counts of its metadata.
    pub meta: Metadata,
    /// What it asks for, or what is left of that.
    pub body: Result<RouteSpec, Broken>,
}

/// What an HTTPRoute asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteSpec {
    /// The Gateways to be attached to.
    pub parents: Vec<ParentRef>,
    /// Its hostnames; empty: those of the listeners.
    pub hostnames: Vec<Hostname>,
    /// Its rules.
    pub rules: Vec<RouteRule>,
}

/// What is left of an HTTPRoute that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Where reading stopped.
    pub misfit: Misfit,
    /// Its parents; `None` if they cannot all be read: it may be attached to any Gateway.
    pub parents: Option<Vec<ParentRef>>,
    /// Those of its hostnames that can be read.
    pub hostnames: Vec<Hostname>,
    /// Whether these are all that it has, and at least one: else its namespace is closed.
    pub complete: bool,
}

/// What can be read of where a route belongs, whether or not the rest of it can.
#[derive(Clone, Copy, Debug)]
pub struct Readable<'r> {
    /// Its parents; `None` if they cannot all be read.
    pub parents: Option<&'r [ParentRef]>,
    /// Those of its hostnames that can be read.
    pub hostnames: &'r [Hostname],
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRule {
    pub(crate) matches: Vec<Match>,
    /// Its filters, in order.
    pub filters: Vec<Filter>,
    /// Its backends.
    pub backends: Vec<BackendRef>,
    /// How long its requests may take.
    pub timeouts: RouteTimeouts,
    /// What this version does not do of it, by path from the object.
    pub problems: Vec<Problem>,
}

impl HttpRoute {
    /// Reads a route of `namespace`.
    pub fn read(manifest: &Manifest, namespace: &str) -> Self {
        let Manifest::Value(object) = manifest else {
            return Self {
                meta: Metadata::default(),
                body: Err(Broken {
                    misfit: Misfit::new("an object that can be read"),
                    parents: None,
                    hostnames: Vec::new(),
                    complete: false,
                }),
            };
        };
        match Metadata::read(object).and_then(|meta| Ok((meta, spec(object, namespace)?))) {
            Ok((meta, spec)) => Self { meta, body: Ok(spec) },
            Err(misfit) => Self {
                meta: Metadata::salvage(object),
                body: Err(salvage(object, namespace, misfit)),
            },
        }
    }

    /// Where it belongs, as far as that can be read.
    pub fn readable(&self) -> Readable<'_> {
        match &self.body {
            Ok(spec) => Readable {
                parents: Some(&spec.parents),
                hostnames: &spec.hostnames,
            },
            Err(broken) => Readable {
                parents: broken.parents.as_deref(),
                hostnames: &broken.hostnames,
            },
        }
    }
}

fn spec(object: &Value, namespace: &str) -> Result<RouteSpec, Misfit> {
    let Some(fields) = Fields::of(object)?.object("spec")? else {
        return Err(Misfit::new("given").under("spec"));
    };
    RouteSpec::read(fields, namespace).map_err(|misfit| misfit.under("spec"))
}

impl RouteSpec {
    fn read(fields: Fields<'_>, namespace: &str) -> Result<Self, Misfit> {
        let mut index = 0..;
        let parents = fields.list("parentRefs", |value| {
            ParentRef::read(value, index.next().unwrap_or_default(), namespace)
        })?;
        let mut index = 0..;
        let mut rules = fields.list("rules", |value| {
            RouteRule::read(value, namespace, index.next().unwrap_or_default())
        })?;
        if rules.is_empty() {
            // What an API server fills in.
            rules.push(RouteRule {
                matches: vec![Match::everything()],
                filters: Vec::new(),
                backends: Vec::new(),
                timeouts: RouteTimeouts::default(),
                problems: Vec::new(),
            });
        }
        Ok(Self {
            parents: parents.into_iter().flatten().collect(),
            hostnames: fields.list("hostnames", hostname)?,
            rules,
        })
    }
}

fn hostname(value: &Value) -> Result<Hostname, Misfit> {
    value
        .as_str()
        .filter(|text| !text.is_empty())
        .and_then(|text| Hostname::parse(text).ok())
        .ok_or_else(|| Misfit::new("a DNS name such as `api.example.com` or `*.example.com`"))
}

impl RouteRule {
    fn read(value: &Value, namespace: &str, index: usize) -> Result<Self, Misfit> {
        const KNOWN: &[&str] = &["name", "matches", "filters", "backendRefs", "timeouts"];
        let fields = Fields::of(value)?;
        fields.text("name")?;
        let mut problems: Vec<_> = fields.unknown(KNOWN).map(Problem::unknown_field).collect();
        let mut matches = elements(fields, "matches", &mut problems, http_match::read)?;
        if matches.is_empty() {
            matches.push(Match::everything());
        }
        let matched = sole_prefix(&matches);
        let filters = elements(fields, "filters", &mut problems, |value, problems| {
            filter::read(value, matched, problems)
        })?;
        let together = filter::incompatible(&filters).into_iter();
        problems.extend(together.map(|problem| problem.under("filters")));
        let backends = elements(fields, "backendRefs", &mut problems, |value, problems| {
            backend_ref::read(value, namespace, problems)
        })?;
        if filters.iter().any(|filter| filter.redirect().is_some()) && !backends.is_empty() {
            let message = "a RequestRedirect sends nothing on; remove them, or the filter";
            problems.push(Problem::new(Reason::IncompatibleFilters, message).under("backendRefs"));
        }
        let timeouts = timeouts::read(fields, &mut problems)?;
        Ok(Self {
            matches,
            filters,
            backends,
            timeouts,
            problems: problem::at(problems, "spec.rules", index).collect(),
        })
    }
}

/// How many bytes of a path the only match of a rule covers, if it is a `PathPrefix`.
fn sole_prefix(matches: &[Match]) -> Option<usize> {
    match matches {
        [
            Match {
                path: PathMatch::Prefix { segments, .. },
                ..
            },
        ] => Some(segments.len()),
        _ => None,
    }
}

/// Reads the elements of a list, and places the problems of each.
fn elements<T>(
    fields: Fields<'_>,
    list: &'static str,
    problems: &mut Vec<Problem>,
    read: impl Fn(&Value, &mut Vec<Problem>) -> Result<T, Misfit>,
) -> Result<Vec<T>, Misfit> {
    let mut index = 0..;
    fields.list(list, |value| {
        let mut found = Vec::new();
        let element = read(value, &mut found)?;
        let index = index.next().unwrap_or_default();
        problems.extend(problem::at(found, list, index));
        Ok(element)
    })
}

/// What can still be read. A hostname or parent that cannot may be any.
fn salvage(object: &Value, namespace: &str, misfit: Misfit) -> Broken {
    let list = |pointer| match object.pointer(pointer) {
        None | Some(Value::Null) => Some(&[][..]),
        Some(value) => value.as_array().map(Vec::as_slice),
    };
    let parents = list("/spec/parentRefs").and_then(|parents| {
        let read = parents.iter().enumerate();
        let read = read.map(|(index, value)| ParentRef::read(value, index, namespace));
        let read = read.collect::<Result<Vec<_>, _>>().ok()?;
        let ours: Vec<_> = read.into_iter().flatten().collect();
        ours.iter()
            .all(|parent| parent.unsupported.is_none())
            .then_some(ours)
    });
    let written = list("/spec/hostnames");
    let hostnames: Vec<_> = written
        .unwrap_or_default()
        .iter()
        .filter_map(|value| hostname(value).ok())
        .collect();
    Broken {
        misfit,
        parents,
        complete: !hostnames.is_empty() && written.map(<[Value]>::len) == Some(hostnames.len()),
        hostnames,
    }
}

#[cfg(test)]
mod tests;
