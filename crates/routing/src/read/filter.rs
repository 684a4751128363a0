//! One element of a rule's `filters`, and what of them excludes each other.

mod headers;
mod path;
mod redirect;
mod rewrite;

use std::{mem::discriminant, sync::Arc};

use latchkey_crds::GROUP;
use serde_json::Value;

use super::{
    fields::{Fields, Misfit},
    problem::{Problem, Reason},
};
use crate::{
    filter::{HeaderModifier, Redirect, Rewrite},
    hostname::Hostname,
};
use headers::Side;

/// A filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// `RequestHeaderModifier`.
    RequestHeaders(HeaderModifier),
    /// `ResponseHeaderModifier`.
    ResponseHeaders(Arc<HeaderModifier>),
    /// `RequestRedirect`.
    Redirect(Redirect),
    /// `URLRewrite`.
    Rewrite(Arc<Rewrite>),
    /// `ExtensionRef` to an AuthPolicy of the route's own namespace.
    Policy(String),
    /// Something else: the rule fails.
    Unsupported,
}

impl Filter {
    /// The type that stands once in a rule at most; `None` for what the compiler looks at.
    fn once(&self) -> Option<&'static str> {
        match self {
            Self::RequestHeaders(_) => Some("RequestHeaderModifier"),
            Self::ResponseHeaders(_) => Some("ResponseHeaderModifier"),
            Self::Redirect(_) => Some("RequestRedirect"),
            Self::Rewrite(_) => Some("URLRewrite"),
            Self::Policy(_) | Self::Unsupported => None,
        }
    }

    /// What it changes in a request's head.
    pub(crate) fn request_headers(&self) -> Option<&HeaderModifier> {
        match self {
            Self::RequestHeaders(modifier) => Some(modifier),
            _ => None,
        }
    }

    /// What it changes in an answer's head.
    pub(crate) fn response_headers(&self) -> Option<&Arc<HeaderModifier>> {
        match self {
            Self::ResponseHeaders(modifier) => Some(modifier),
            _ => None,
        }
    }

    /// What the upstream sees instead.
    pub(crate) fn rewrite(&self) -> Option<&Arc<Rewrite>> {
        match self {
            Self::Rewrite(rewrite) => Some(rewrite),
            _ => None,
        }
    }

    /// Where it sends clients instead.
    pub(crate) fn redirect(&self) -> Option<&Redirect> {
        match self {
            Self::Redirect(redirect) => Some(redirect),
            _ => None,
        }
    }
}

/// Reads a filter; what is not supported in it is a problem. `matched` is how many bytes of a path the
/// rule's only match covers, where that is a `PathPrefix`.
pub(super) fn read(
    value: &Value,
    matched: Option<usize>,
    problems: &mut Vec<Problem>,
) -> Result<Filter, Misfit> {
    let filter = Element {
        fields: Fields::of(value)?,
        problems,
    };
    match filter.fields.required_text("type")? {
        "RequestHeaderModifier" => filter.member("requestHeaderModifier", |fields, problems| {
            headers::read(fields, Side::Request, problems).map(Filter::RequestHeaders)
        }),
        "ResponseHeaderModifier" => filter.member("responseHeaderModifier", |fields, problems| {
            let modifier = headers::read(fields, Side::Response, problems)?;
            Ok(Filter::ResponseHeaders(Arc::new(modifier)))
        }),
        "RequestRedirect" => filter.member("requestRedirect", |fields, problems| {
            redirect::read(fields, matched, problems).map(Filter::Redirect)
        }),
        "URLRewrite" => filter.member("urlRewrite", |fields, problems| {
            let rewrite = rewrite::read(fields, matched, problems)?;
            Ok(Filter::Rewrite(Arc::new(rewrite)))
        }),
        "ExtensionRef" => filter.member("extensionRef", extension),
        _ => {
            let message = "is not supported; use RequestHeaderModifier, ResponseHeaderModifier, RequestRedirect, URLRewrite \
 or ExtensionRef";
            filter.problems.push(Problem::unsupported(message).under("type"));
            Ok(Filter::Unsupported)
        }
    }
}

/// What of a rule's filters cannot stand together.
pub(super) fn incompatible(filters: &[Filter]) -> Vec<Problem> {
    let repeated = filters.iter().enumerate().filter_map(|(at, filter)| {
        let name = filter.once()?;
        // The second of a kind: a third is not told again.
        let same = |other: &&Filter| discriminant(*other) == discriminant(filter);
        let earlier = filters[..at].iter().filter(same).count();
        (earlier == 1).then(|| format!("has {name} twice; make them one"))
    });
    let has = |chosen: fn(&Filter) -> bool| filters.iter().any(chosen);
    let both = has(|filter| filter.redirect().is_some()) && has(|filter| filter.rewrite().is_some());
    let both = both.then(|| "has RequestRedirect and URLRewrite; keep one".to_owned());
    repeated
        .chain(both)
        .map(|message| Problem::new(Reason::IncompatibleFilters, message))
        .collect()
}

struct Element<'v, 'p> {
    fields: Fields<'v>,
    problems: &'p mut Vec<Problem>,
}

impl<'v> Element<'v, '_> {
    /// Reads what the filter's type says is there, and nothing beside it.
    fn member(
        self,
        name: &'static str,
        read: impl FnOnce(Fields<'v>, &mut Vec<Problem>) -> Result<Filter, Misfit>,
    ) -> Result<Filter, Misfit> {
        let other = self.fields.unknown(&["type"]).filter(|field| *field != name);
        self.problems.extend(other.map(Problem::unknown_field));
        let Some(fields) = self.fields.object(name)? else {
            self.problems.push(missing(name));
            return Ok(Filter::Unsupported);
        };
        let mut found = Vec::new();
        let filter = read(fields, &mut found).map_err(|misfit| misfit.under(name))?;
        self.problems
            .extend(found.into_iter().map(|problem| problem.under(name)));
        Ok(filter)
    }
}

fn unknown(fields: Fields<'_>, known: &'static [&'static str], problems: &mut Vec<Problem>) {
    problems.extend(fields.unknown(known).map(Problem::unknown_field));
}

fn missing(field: &str) -> Problem {
    Problem::unsupported("is missing; add it").under(field)
}

/// The field `hostname`, if present: one name.
fn hostname(fields: Fields<'_>, problems: &mut Vec<Problem>) -> Result<Option<Box<str>>, Misfit> {
    let Some(text) = fields.text("hostname")? else {
        return Ok(None);
    };
    if let Ok(Hostname::Exact(name)) = Hostname::parse(text) {
        return Ok(Some(name));
    }
    let message = "must be a DNS name such as `api.example.com`, without a port; correct it";
    problems.push(Problem::unsupported(message).under("hostname"));
    Ok(None)
}

fn extension(reference: Fields<'_>, problems: &mut Vec<Problem>) -> Result<Filter, Misfit> {
    unknown(reference, &["group", "kind", "name"], problems);
    let name = reference.required_text("name")?;
    if reference.text_or("group", "")? == GROUP && reference.required_text("kind")? == "AuthPolicy" {
        return Ok(Filter::Policy(name.to_owned()));
    }
    let message = "refer to an AuthPolicy of group latchkey.dev in the route's own namespace";
    problems.push(Problem::new(Reason::InvalidKind, message).under("kind"));
    Ok(Filter::Unsupported)
}

#[cfg(test)]
mod tests;
