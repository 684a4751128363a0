//! Reading and editing a query in place: names are compared decoded, all other bytes stay as they are.
//!
//! A query is `name=value` pairs between `&`, as HTML forms write them: `+` and `%20` are a space. An
//! escape that is none stands for itself.

use std::borrow::Cow;

use crate::path::hex_digit;

/// The values of a parameter, decoded, in order; `None` where it has no `=`.
pub(crate) fn values<'q>(query: &'q str, name: &str) -> impl Iterator<Item = Option<Cow<'q, [u8]>>> {
    query
        .split('&')
        .map(split)
        .filter(move |(raw, _)| is_named(raw, name))
        .map(|(_, value)| value.map(decode))
}

/// The query without the pairs that `hidden` names; `None` if it has none of them.
pub(crate) fn without(query: &str, hidden: &[&str]) -> Option<String> {
    let is_hidden = |pair: &str| hidden.iter().any(|name| is_named(split(pair).0, name));
    if !query.split('&').any(is_hidden) {
        return None;
    }
    let mut kept = String::with_capacity(query.len());
    for (index, pair) in query.split('&').filter(|pair| !is_hidden(pair)).enumerate() {
        if index > 0 {
            kept.push('&');
        }
        kept.push_str(pair);
    }
    Some(kept)
}

fn split(pair: &str) -> (&str, Option<&str>) {
    match pair.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (pair, None),
    }
}

fn is_named(raw: &str, name: &str) -> bool {
    Decoded(raw.as_bytes()).eq(name.bytes())
}

fn decode(raw: &str) -> Cow<'_, [u8]> {
    if raw.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        Cow::Owned(Decoded(raw.as_bytes()).collect())
    } else {
        Cow::Borrowed(raw.as_bytes())
    }
}

/// The bytes that a piece of a query stands for.
struct Decoded<'q>(&'q [u8]);

impl Iterator for Decoded<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(match (byte, rest) {
            (b'+', _) => b' ',
            (b'%', [high, low, after @ ..]) => match (hex_digit(*high), hex_digit(*low)) {
                (Some(high), Some(low)) => {
                    self.0 = after;
                    high << 4 | low
                }
                _ => b'%',
            },
            _ => *byte,
        })
    }
}

#[cfg(test)]
mod tests;
