//! Finding the key of a request in the places that a method names.
//!
//! A header line is one value, its edges trimmed by the parser; a query parameter is one value, name
//! and value decoded as a form's. A parameter without `=`, an empty value and one of blanks alone are
//! empty. Two values over all places are two, even if they are equal.

use std::borrow::Cow;

use latchkey_routing::{policy::Place, table::RequestView};

use crate::query;

/// What a request presents to one method.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Presented<'r> {
    /// None of the places is there.
    Nothing,
    /// A place is there, without a value.
    Empty,
    /// More than one value.
    Several,
    /// A key.
    One(Cow<'r, [u8]>),
}

/// Looks in all places.
pub(crate) fn extract<'r>(places: &[Place], request: &RequestView<'r>) -> Presented<'r> {
    let mut found = Presented::Nothing;
    for (index, place) in places.iter().enumerate() {
        // The same place twice is one place.
        if places[..index].contains(place) {
            continue;
        }
        match place {
            Place::Header(name) => {
                for line in request.headers.get_all(name) {
                    found = found.and(Some(Cow::Borrowed(line.as_bytes())));
                }
            }
            Place::Query(name) => {
                for value in request
                    .query
                    .into_iter()
                    .flat_map(|query| query::values(query, name))
                {
                    found = found.and(value);
                }
            }
        }
    }
    found
}

impl<'r> Presented<'r> {
    fn and(self, value: Option<Cow<'r, [u8]>>) -> Self {
        match (self, value) {
            (Self::Nothing, Some(value)) if !value.trim_ascii().is_empty() => Self::One(value),
            (Self::Nothing, _) => Self::Empty,
            _ => Self::Several,
        }
    }
}

#[cfg(test)]
mod tests;
