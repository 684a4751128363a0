//! Keeping credentials from the upstream: every place that a policy with `hideCredentials` names goes,
//! not only the one that decided. Places that no policy names are left alone.
//!
//! A header goes with its copies that have `_` for `-` or `-` for `_`: CGI and WSGI make one of them.

use http::{HeaderMap, HeaderName, header};
use latchkey_routing::policy::{Method, Place, Protection};

use crate::{
    headers::{folds_to, remove_where, trailers},
    query,
};

/// Removes the header places of all policies that hide, also as trailers.
pub(crate) fn headers(protection: &Protection<'_>, headers: &mut HeaderMap) {
    for place in places(protection) {
        match place {
            Place::Query(_) => {}
            Place::Header(known) => {
                // A message without these would not be one.
                if !matches!(*known, header::HOST | header::CONTENT_LENGTH) {
                    headers.remove(known);
                }
                remove_where(headers, |name| {
                    name != known && folds_to(name.as_str(), known.as_str())
                });
            }
        }
    }
}

/// Removes from the `Trailer` line what may not be sent after the body.
pub(crate) fn trailers(protection: &Protection<'_>, headers: &mut HeaderMap) {
    let hidden = |name: &HeaderName| {
        places(protection)
            .any(|place| matches!(place, Place::Header(known) if folds_to(name.as_str(), known.as_str())))
    };
    trailers::restrict(headers, hidden);
}

/// The query without the query places of all policies that hide; `None` if it names none of them.
pub(crate) fn query(protection: &Protection<'_>, raw: &str) -> Option<String> {
    let mut names = places(protection).filter_map(|place| match place {
        Place::Query(name) => Some(name.as_str()),
        Place::Header(_) => None,
    });
    let first = names.next()?;
    let names: Vec<&str> = std::iter::once(first).chain(names).collect();
    query::without(raw, &names)
}

fn places<'t>(protection: &Protection<'t>) -> impl Iterator<Item = &'t Place> {
    protection
        .checks()
        .filter(|policy| policy.hide_credentials)
        .flat_map(|policy| &policy.methods)
        .flat_map(|method| match method {
            Method::ApiKey(places) => places.as_slice(),
            Method::Anonymous => &[],
        })
}

#[cfg(test)]
mod tests;
