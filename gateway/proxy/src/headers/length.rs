//! `Content-Length` of an answer, so that what is sent has one length at most (RFC 9110 section 8.6).

use http::{HeaderMap, HeaderValue, header};

/// Makes of several equal lengths, or a list of them, one; of a doubtful one, none.
///
/// A length that frames a body was checked by the parser; this matters for answers to HEAD, where no
/// body was read.
pub(crate) fn unify(headers: &mut HeaderMap) {
    let mut lines = headers.get_all(header::CONTENT_LENGTH).iter();
    let Some(first) = lines.next() else { return };
    if lines.next().is_none() && is_digits(first.as_bytes()) {
        return;
    }
    let mut agreed: Option<&[u8]> = None;
    let mut doubtful = false;
    for line in headers.get_all(header::CONTENT_LENGTH) {
        for item in line
            .as_bytes()
            .split(|byte| *byte == b',')
            .map(<[u8]>::trim_ascii)
        {
            doubtful |= !is_digits(item) || agreed.is_some_and(|known| known != item);
            agreed = Some(item);
        }
    }
    let value = agreed
        .filter(|_| !doubtful)
        .and_then(|digits| HeaderValue::from_bytes(digits).ok());
    match value {
        Some(value) => drop(headers.insert(header::CONTENT_LENGTH, value)),
        None => drop(headers.remove(header::CONTENT_LENGTH)),
    }
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
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
