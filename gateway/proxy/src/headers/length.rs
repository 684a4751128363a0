//! `Content-Length`, so that what is sent has one length at most (RFC 9110 section 8.6), written by us:
//! a server that takes leading zeros for octal would see another end than we did.

use http::{HeaderMap, HeaderValue, header};

/// Makes of a length, several equal ones, or a list of them, one number; of a doubtful one, none.
///
/// A length that frames a body was checked by the parser; what is doubtful here is in answers to HEAD,
/// where no body was read.
pub(crate) fn unify(headers: &mut HeaderMap) {
    let mut lines = headers.get_all(header::CONTENT_LENGTH).iter();
    let Some(first) = lines.next() else { return };
    if lines.next().is_none() && is_canonical(first.as_bytes()) {
        return;
    }
    match agreed(headers) {
        Some(length) => drop(headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length))),
        None => drop(headers.remove(header::CONTENT_LENGTH)),
    }
}

/// The one length that all items of all lines name.
fn agreed(headers: &HeaderMap) -> Option<u64> {
    let mut agreed = None;
    for line in headers.get_all(header::CONTENT_LENGTH) {
        for item in line.as_bytes().split(|byte| *byte == b',') {
            let length = number(item.trim_ascii())?;
            if agreed.is_some_and(|known| known != length) {
                return None;
            }
            agreed = Some(length);
        }
    }
    agreed
}

/// Whether we would write this number so. Nineteen digits always fit.
fn is_canonical(text: &[u8]) -> bool {
    match text {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.len() < 19 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Digits alone: `u64`'s own parser takes a sign, too.
fn number(text: &[u8]) -> Option<u64> {
    let digits = text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_one_length_or_none() {
        for (lines, expected) in [
            (vec![], None),
            (vec!["5"], Some("5")),
            (vec!["5", "5"], Some("5")),
            (vec!["5, 5"], Some("5")),
            (vec!["005"], Some("5")),
            (vec!["5", "05"], Some("5")),
            (vec!["0"], Some("0")),
            (vec!["00"], Some("0")),
            (vec!["18446744073709551615"], Some("18446744073709551615")),
            (vec!["18446744073709551616"], None),
            (vec!["5", "6"], None),
            (vec!["5, 6"], None),
            (vec!["+5"], None),
            (vec![""], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in &lines {
                headers.append(header::CONTENT_LENGTH, HeaderValue::from_static(line));
            }
            unify(&mut headers);
            let left: Vec<_> = headers.get_all(header::CONTENT_LENGTH).iter().collect();
            assert_eq!(left, Vec::from_iter(expected), "{lines:?}");
        }
    }
}
