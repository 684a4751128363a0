//! The one rule for paths, applied once: what routing reads is, byte for byte, what the upstream gets
//! (or what a `URLRewrite` starts from).
//!
//! Refused with 400: an empty segment (`//`), a dot segment in any spelling (`.`, `..`, `%2e`, also
//! with path parameters as in `..;x`), `\`, an encoded slash or backslash, an encoded control
//! character, and a `%` that is not followed by two hex digits. Each of them means different things to
//! different servers, and two parties that read one path differently are a way past a policy.
//!
//! Otherwise the path is normalised as RFC 3986 section 6.2.2 has it: escapes of unreserved characters
//! are decoded (`/%61dm` is `/adm`), other escapes get upper-case digits, and bytes that RFC 3986 does not
//! allow in a path (`"`, `<`, `{`, all of UTF-8 beyond ASCII) are escaped. Nothing is decoded twice.
//! Path parameters (`;x=1`) are ordinary characters: an upstream that strips them must not rely on
//! routes alone.

use std::borrow::Cow;

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Not in origin form (`*`, authority form).
    NotAPath,
    /// A segment without characters that is not the last.
    EmptySegment,
    /// `.` or `..`.
    DotSegment,
    /// A backslash, an encoded slash or an encoded backslash.
    Slash,
    /// A control character.
    Control,
    /// A `%` without two hex digits.
    Escape,
}

/// What may stand in a path as it is: `pchar` of RFC 3986 without `%`, and `/`.
const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let allowed = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/";
    let mut at = 0;
    while at < allowed.len() {
        table[allowed[at] as usize] = true;
        at += 1;
    }
    table
};

/// The path in the form in which it is matched and sent on.
pub(crate) fn normalise(path: &str) -> Result<Cow<'_, str>, Refusal> {
    if !path.starts_with('/') {
        return Err(Refusal::NotAPath);
    }
    let path = if path.bytes().all(|byte| PLAIN[usize::from(byte)]) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(rewrite(path.as_bytes())?)
    };
    check_segments(&path)?;
    Ok(path)
}

fn rewrite(path: &[u8]) -> Result<String, Refusal> {
    let mut out = String::with_capacity(path.len() + 16);
    let mut at = 0;
    while let Some(&byte) = path.get(at) {
        at += 1;
        match byte {
            b'%' => {
                let escaped = escape(&path[at..]).ok_or(Refusal::Escape)?;
                at += 2;
                match escaped {
                    b'/' | b'\\' => return Err(Refusal::Slash),
                    0x00..=0x1f | 0x7f => return Err(Refusal::Control),
                    b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                        out.push(char::from(escaped));
                    }
                    other => push_escaped(&mut out, other),
                }
            }
            b'\\' => return Err(Refusal::Slash),
            0x00..=0x20 | 0x7f => return Err(Refusal::Control),
            plain if PLAIN[usize::from(plain)] => out.push(char::from(plain)),
            other => push_escaped(&mut out, other),
        }
    }
    Ok(out)
}

fn check_segments(path: &str) -> Result<(), Refusal> {
    let mut segments = path[1..].split('/').peekable();
    while let Some(segment) = segments.next() {
        if segment.is_empty() && segments.peek().is_some() {
            return Err(Refusal::EmptySegment);
        }
        if segment.starts_with('.') && is_dots(segment) {
            return Err(Refusal::DotSegment);
        }
    }
    Ok(())
}

/// Whether a segment is `.` or `..`, with or without parameters.
fn is_dots(segment: &str) -> bool {
    let rest = segment.strip_prefix("..").or_else(|| segment.strip_prefix('.'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(';') || rest.starts_with("%3B"))
}

/// The byte that two hex digits stand for.
fn escape(digits: &[u8]) -> Option<u8> {
    match digits {
        [high, low, ..] => Some(hex_digit(*high)? << 4 | hex_digit(*low)?),
        _ => None,
    }
}

/// The value of a hex digit.
pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

fn push_escaped(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

#[cfg(test)]
mod tests;
