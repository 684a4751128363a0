//! One element of a rule's `filters`.

use http::{HeaderName, HeaderValue};
use latchkey_crds::{GROUP, identity};
use serde_json::Value;

use super::{
    fields::{Fields, Misfit},
    problem::{self, Problem, Reason},
};
use crate::filter::HeaderModifier;

/// A filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filter {
    /// `RequestHeaderModifier`.
    RequestHeaders(HeaderModifier),
    /// `ExtensionRef` to an AuthPolicy of the route's own namespace.
    Policy(String),
    /// Something else: the rule fails.
    Unsupported,
}

/// Reads a filter; what is not supported in it is a problem.
pub(super) fn read(value: &Value, problems: &mut Vec<Problem>) -> Result<Filter, Misfit> {
    let fields = Fields::of(value)?;
    match fields.required_text("type")? {
        "RequestHeaderModifier" => {
            unknown(fields, &["type", "requestHeaderModifier"], problems);
            let Some(modifier) = fields.object("requestHeaderModifier")? else {
                problems.push(missing("requestHeaderModifier"));
                return Ok(Filter::Unsupported);
            };
            let mut found = Vec::new();
            let modifier = header_modifier(modifier, &mut found)
                .map_err(|misfit| misfit.under("requestHeaderModifier"))?;
            let placed = found
                .into_iter()
                .map(|problem| problem.under("requestHeaderModifier"));
            problems.extend(placed);
            Ok(Filter::RequestHeaders(modifier))
        }
        "ExtensionRef" => {
            unknown(fields, &["type", "extensionRef"], problems);
            let Some(reference) = fields.object("extensionRef")? else {
                problems.push(missing("extensionRef"));
                return Ok(Filter::Unsupported);
            };
            let mut found = Vec::new();
            let filter = extension(reference, &mut found).map_err(|misfit| misfit.under("extensionRef"))?;
            problems.extend(found.into_iter().map(|problem| problem.under("extensionRef")));
            Ok(filter)
        }
        _ => {
            let message = "is not supported; use RequestHeaderModifier or ExtensionRef";
            problems.push(Problem::unsupported(message).under("type"));
            Ok(Filter::Unsupported)
        }
    }
}

fn unknown(fields: Fields<'_>, known: &'static [&'static str], problems: &mut Vec<Problem>) {
    problems.extend(fields.unknown(known).map(Problem::unknown_field));
}

fn missing(field: &str) -> Problem {
    Problem::unsupported("is missing; add it").under(field)
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

fn header_modifier(fields: Fields<'_>, problems: &mut Vec<Problem>) -> Result<HeaderModifier, Misfit> {
    unknown(fields, &["set", "add", "remove"], problems);
    let mut modifier = HeaderModifier {
        set: headers(fields, "set", problems)?,
        add: headers(fields, "add", problems)?,
        remove: Vec::new(),
    };
    let removed = fields.list("remove", |value| {
        value.as_str().ok_or_else(|| Misfit::new("text"))
    })?;
    for (index, name) in removed.into_iter().enumerate() {
        match header_name(name) {
            Ok(name) => modifier.remove.push(name),
            Err(problem) => problems.extend(problem::at(vec![problem], "remove", index)),
        }
    }
    Ok(modifier)
}

fn headers(
    fields: Fields<'_>,
    list: &'static str,
    problems: &mut Vec<Problem>,
) -> Result<Vec<(HeaderName, HeaderValue)>, Misfit> {
    let pairs = fields.list(list, |value| {
        let fields = Fields::of(value)?;
        let unknown = fields.unknown(&["name", "value"]).next();
        let (name, value) = (fields.required_text("name")?, fields.text_or("value", "")?);
        Ok((unknown, name, value))
    })?;
    let mut read = Vec::<(HeaderName, HeaderValue)>::with_capacity(pairs.len());
    for (index, (unknown, name, value)) in pairs.into_iter().enumerate() {
        let value = HeaderValue::from_str(value)
            .map_err(|_| Problem::unsupported("no header can hold it; correct it").under("value"));
        match (unknown, header_name(name).map_err(|p| p.under("name")), value) {
            (None, Ok(name), Ok(value)) => {
                // Of equal names the first counts (Gateway API).
                if read.iter().all(|(earlier, _)| *earlier != name) {
                    read.push((name, value));
                }
            }
            (Some(field), ..) => {
                problems.extend(problem::at(vec![Problem::unknown_field(field)], list, index));
            }
            (None, Err(problem), _) | (None, Ok(_), Err(problem)) => {
                problems.extend(problem::at(vec![problem], list, index));
            }
        }
    }
    Ok(read)
}

/// A header that a route may change: none that frames the message or that says who calls.
fn header_name(text: &str) -> Result<HeaderName, Problem> {
    let name: HeaderName = text
        .parse()
        .map_err(|_| Problem::unsupported("is no header name; correct it"))?;
    if identity::is_identity(name.as_str()) {
        let message = "only the gateway may say who calls; leave this header out";
        return Err(Problem::unsupported(message));
    }
    if is_framing(name.as_str()) {
        let message = "this header belongs to the connection; leave it out";
        return Err(Problem::unsupported(message));
    }
    Ok(name)
}

/// Whether a header belongs to one connection or frames the message, with `_` taken for `-` as
/// upstreams may.
fn is_framing(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "te",
        "trailer",
        "upgrade",
        "keep-alive",
    ];
    let name = name.replace('_', "-");
    name.starts_with("proxy-") || NAMES.contains(&name.as_str())
}

#[cfg(test)]
mod tests;
