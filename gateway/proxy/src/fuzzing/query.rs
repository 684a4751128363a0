//! Reading a parameter, and taking it out.

use std::borrow::Cow;

use super::{decoded, first_line};
use crate::query::{values, without};

/// Names (in the first line, blanks between) and a query: the named pairs go, all other bytes stay.
pub fn query(data: &[u8]) {
    let (names, raw) = first_line(data);
    let (Ok(names), Ok(raw)) = (std::str::from_utf8(names), std::str::from_utf8(raw)) else {
        return;
    };
    let names: Vec<&str> = names.split(' ').filter(|name| !name.is_empty()).take(8).collect();
    let (hidden, kept): (Vec<&str>, Vec<&str>) = raw
        .split('&')
        .partition(|pair| names.iter().any(|name| read(half(pair).0) == name.as_bytes()));

    for name in &names {
        let found: Vec<_> = values(raw, name)
            .map(|value| value.map(Cow::into_owned))
            .collect();
        let expected: Vec<_> = hidden
            .iter()
            .map(|pair| half(pair))
            .filter(|(known, _)| read(known) == name.as_bytes())
            .map(|(_, value)| value.map(read))
            .collect();
        assert_eq!(found, expected, "values of {name:?}");
    }
    let edited = without(raw, &names);
    assert_eq!(edited, (!hidden.is_empty()).then(|| kept.join("&")));
    if let Some(edited) = edited {
        assert_eq!(without(&edited, &names), None, "twice is not once");
    }
}

fn half(pair: &str) -> (&str, Option<&str>) {
    let end = pair.find('=').unwrap_or(pair.len());
    (&pair[..end], pair.get(end + 1..))
}

/// What a piece of a form stands for.
pub(super) fn read(piece: &str) -> Vec<u8> {
    decoded(piece.replace('+', " ").as_bytes())
}
