//! One element of a rule's `matches`.

use http::{HeaderName, Method};
use serde_json::Value;

use super::{
    fields::{Fields, Misfit},
    problem::{self, Problem},
};
use crate::matches::{HeaderMatch, Match, PathMatch, QueryMatch};

const REGEX: &str = "RegularExpression";

/// The methods that Gateway API knows.
const METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::CONNECT,
    Method::OPTIONS,
    Method::TRACE,
    Method::PATCH,
];

/// Reads a match; what cannot be evaluated is widened, and a problem.
pub(super) fn read(value: &Value, problems: &mut Vec<Problem>) -> Result<Match, Misfit> {
    let fields = Fields::of(value)?;
    let mut matcher = Match::everything();
    for field in fields.unknown(&["path", "method", "headers", "queryParams"]) {
        problems.push(Problem::unknown_field(field));
        matcher.widened = true;
    }
    if let Some(path) = fields.object("path")? {
        let mut found = Vec::new();
        matcher.path = path_match(path, &mut found).map_err(|misfit| misfit.under("path"))?;
        problems.extend(found.into_iter().map(|problem| problem.under("path")));
    }
    if let Some(method) = fields.text("method")? {
        matcher.method = METHODS.into_iter().find(|known| known == method);
        if matcher.method.is_none() {
            let message = "is no method of Gateway API; write it in capitals, such as GET";
            problems.push(Problem::unsupported(message).under("method"));
            matcher.widened = true;
        }
    }
    for (element, found) in elements(fields, "headers")? {
        problems.extend(found);
        // A name that no header can have leaves a condition that nothing is known of.
        let Ok(name) = element.name.parse::<HeaderName>() else {
            let message = "is no header name; correct it";
            problems.push(Problem::unsupported(message).under("headers"));
            matcher.widened = true;
            continue;
        };
        // Of equal names the first counts, and case makes no difference (Gateway API).
        if matcher.headers.iter().all(|header| header.name != name) {
            let value = element.value;
            matcher.headers.push(HeaderMatch { name, value });
        }
    }
    for (element, found) in elements(fields, "queryParams")? {
        problems.extend(found);
        if matcher.queries.iter().all(|query| *query.name != *element.name) {
            let (name, value) = (element.name.into(), element.value);
            matcher.queries.push(QueryMatch { name, value });
        }
    }
    Ok(matcher)
}

fn path_match(path: Fields<'_>, problems: &mut Vec<Problem>) -> Result<PathMatch, Misfit> {
    let unknown = path.unknown(&["type", "value"]).next();
    let value = path.text_or("value", "/")?;
    let kind = path.text_or("type", "PathPrefix")?;
    if let Some(field) = unknown {
        problems.push(Problem::unknown_field(field));
        return Ok(PathMatch::Unknown("".into()));
    }
    match kind {
        "Exact" | "PathPrefix" if !value.starts_with('/') => {
            problems.push(Problem::unsupported("must begin with `/`; correct it").under("value"));
            // What was meant is most likely this, with its slash.
            Ok(PathMatch::Unknown(format!("/{value}").into()))
        }
        "Exact" => Ok(PathMatch::Exact(value.into())),
        "PathPrefix" => Ok(PathMatch::prefix(value)),
        REGEX => {
            let message = "RegularExpression is not supported; use Exact or PathPrefix";
            problems.push(Problem::unsupported(message).under("type"));
            Ok(PathMatch::Unknown(literal_beginning(value).into()))
        }
        _ => {
            let message = "is no type of path match; use Exact or PathPrefix";
            problems.push(Problem::unsupported(message).under("type"));
            Ok(PathMatch::Unknown("".into()))
        }
    }
}

/// What every path begins with that the expression matches, in any dialect that takes a leading slash
/// for the path's own.
fn literal_beginning(regex: &str) -> &str {
    let regex = regex.strip_prefix('^').unwrap_or(regex);
    if !regex.starts_with('/') || regex.contains('|') {
        return "";
    }
    let Some(end) = regex.find(|c: char| r"\.+*?()[]{}^$".contains(c)) else {
        return regex;
    };
    let literal = &regex[..end];
    if regex[end..].starts_with(['*', '?', '{', '+']) {
        // The sign speaks of the character before it, which may not be there.
        let mut characters = literal.chars();
        characters.next_back();
        characters.as_str()
    } else {
        literal
    }
}

struct Element<'v> {
    name: &'v str,
    value: Option<Box<str>>,
}

type Found<'v> = (Element<'v>, Vec<Problem>);

fn elements<'v>(fields: Fields<'v>, list: &'static str) -> Result<Vec<Found<'v>>, Misfit> {
    let read = fields.list(list, |value| {
        let fields = Fields::of(value)?;
        let (name, text) = (fields.required_text("name")?, fields.text("value")?);
        let mut problems: Vec<_> = fields
            .unknown(&["type", "name", "value"])
            .map(Problem::unknown_field)
            .collect();
        if fields.text_or("type", "Exact")? != "Exact" {
            let message = "is not supported; use Exact";
            problems.push(Problem::unsupported(message).under("type"));
        }
        if text.is_none() {
            problems.push(Problem::unsupported("is missing; add it").under("value"));
        }
        let value = text.filter(|_| problems.is_empty()).map(Into::into);
        Ok((Element { name, value }, problems))
    })?;
    let placed = read
        .into_iter()
        .enumerate()
        .map(|(index, (element, problems))| (element, problem::at(problems, list, index).collect()));
    Ok(placed.collect())
}

#[cfg(test)]
mod tests;
