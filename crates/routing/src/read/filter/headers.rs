//! `RequestHeaderModifier` and `ResponseHeaderModifier`: what they may touch, and what is the gateway's.
//!
//! A name that the gateway owns is a problem and not passed over: a filter that does only half of what
//! it says would be believed.

use http::{HeaderName, HeaderValue};
use latchkey_crds::identity;

use super::super::{
    fields::{Fields, Misfit},
    problem::{self, Problem},
};
use super::unknown;
use crate::filter::HeaderModifier;

/// Whose head is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The one that the upstream gets.
    Request,
    /// The one that the client gets.
    Response,
}

/// Reads a modifier of one side's head.
pub(super) fn read(
    fields: Fields<'_>,
    side: Side,
    problems: &mut Vec<Problem>,
) -> Result<HeaderModifier, Misfit> {
    unknown(fields, &["set", "add", "remove"], problems);
    let mut modifier = HeaderModifier {
        set: headers(fields, "set", side, problems)?,
        add: headers(fields, "add", side, problems)?,
        remove: Vec::new(),
    };
    let removed = fields.list("remove", |value| {
        value.as_str().ok_or_else(|| Misfit::new("text"))
    })?;
    for (index, name) in removed.into_iter().enumerate() {
        match header_name(name, side) {
            Ok(name) => modifier.remove.push(name),
            Err(problem) => problems.extend(problem::at(vec![problem], "remove", index)),
        }
    }
    Ok(modifier)
}

fn headers(
    fields: Fields<'_>,
    list: &'static str,
    side: Side,
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
        let name = header_name(name, side).map_err(|problem| problem.under("name"));
        match (unknown, name, value) {
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

/// A header that a route may change.
fn header_name(text: &str, side: Side) -> Result<HeaderName, Problem> {
    let name: HeaderName = text
        .parse()
        .map_err(|_| Problem::unsupported("is no header name; correct it"))?;
    // Upstreams may take `_` for `-`.
    let folded = name.as_str().replace('_', "-");
    let owner = if is_of_the_connection(&folded) {
        "this header belongs to the connection; leave it out"
    } else if folded == "x-request-id" {
        "only the gateway sets this header; leave it out"
    } else if side == Side::Request && identity::is_identity(name.as_str()) {
        "only the gateway may say who calls; leave this header out"
    } else if side == Side::Request && is_about_the_client(&folded) {
        "only the gateway may say where a request comes from; leave this header out"
    } else {
        return Ok(name);
    };
    Err(Problem::unsupported(owner))
}

/// Whether a header belongs to one connection, or frames or addresses the message.
fn is_of_the_connection(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "te",
        "trailer",
        "upgrade",
        "keep-alive",
        "expect",
        "http2-settings",
    ];
    name.starts_with("proxy-") || NAMES.contains(&name)
}

/// Whether a header says where a request comes from.
fn is_about_the_client(name: &str) -> bool {
    name.starts_with("x-forwarded-") || matches!(name, "x-real-ip" | "forwarded")
}

#[cfg(test)]
mod tests;
