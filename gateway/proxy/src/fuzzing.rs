//! What a stranger's bytes reach first, as functions of bytes that panic if a promise is broken: for cargo-fuzz
//! (`fuzz/`), and for a bounded run of the same from the stored corpus in this crate's tests.
//!
//! Each promise is checked against a second, plainer way to say the same, and never against the code
//! itself. Only tests and the feature `fuzzing` build this.

mod forwarded;
mod headers;
mod key;
mod path;
mod query;

use http::{HeaderMap, HeaderName, HeaderValue};

pub use forwarded::forwarded;
pub use headers::headers;
pub use key::key;
pub use path::path;
pub use query::query;

/// An entry point: any bytes are a case.
pub type EntryPoint = fn(&[u8]);

/// All of them, by the names of their targets and of the folders of their corpora.
pub const ENTRY_POINTS: [(&str, EntryPoint); 5] = [
    ("forwarded", forwarded),
    ("headers", headers),
    ("key", key),
    ("path", path),
    ("query", query),
];

/// As many lines as a head may have by default.
const MAX_LINES: usize = 100;

/// The `name: value` lines of a case; what could not stand in a head is left out.
fn head(lines: &[u8]) -> HeaderMap {
    let mut head = HeaderMap::new();
    for line in lines.split(|byte| *byte == b'\n').take(MAX_LINES) {
        let mut halves = line.splitn(2, |byte| *byte == b':');
        let (Some(name), Some(value)) = (halves.next(), halves.next()) else {
            continue;
        };
        let name = HeaderName::from_bytes(name);
        let value = HeaderValue::from_bytes(value.trim_ascii());
        if let (Ok(name), Ok(value)) = (name, value) {
            head.append(name, value);
        }
    }
    head
}

/// A case's first line, and the rest.
fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &[]),
    }
}

/// Percent-decoding as RFC 3986 has it; an escape that is none stands for itself.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let digits = text.get(at + 1..at + 3).filter(|_| text[at] == b'%');
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let value = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(value.unwrap_or(text[at]));
        at += if value.is_some() { 3 } else { 1 };
    }
    out
}

/// All lines of a field.
fn lines<'h>(head: &'h HeaderMap, name: &str) -> Vec<&'h [u8]> {
    head.get_all(name).iter().map(HeaderValue::as_bytes).collect()
}

#[cfg(test)]
mod tests;
