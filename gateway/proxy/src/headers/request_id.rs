//! `X-Request-Id`: the client's if it is one well-formed line, else a random one. Sent upstream, on the
//! answer, and in the access log.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::single;

/// The field's name.
pub(crate) const NAME: HeaderName = HeaderName::from_static("x-request-id");
const MAX_LENGTH: usize = 128;

/// The id of a request; `random` makes one.
pub(crate) fn of(headers: &HeaderMap, random: impl FnOnce() -> u128) -> HeaderValue {
    match single(headers, &NAME) {
        Some(line) if is_well_formed(line.as_bytes()) => line.clone(),
        _ => make(random()),
    }
}

/// What needs no escaping in a log, a JSON text or a URL's query.
fn is_well_formed(id: &[u8]) -> bool {
    let safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:/+=@".contains(byte);
    (1..=MAX_LENGTH).contains(&id.len()) && id.iter().all(safe)
}

fn make(random: u128) -> HeaderValue {
    let mut digits = [b'0'; 32];
    // Sixteen bytes are thirty-two digits, and digits are a valid value.
    let _ = hex::encode_to_slice(random.to_be_bytes(), &mut digits);
    HeaderValue::from_bytes(&digits).unwrap_or_else(|_| HeaderValue::from_static("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_lines(lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(NAME, HeaderValue::from_str(line).unwrap());
        }
        of(&headers, || 0xab).to_str().unwrap().to_owned()
    }

    #[test]
    fn a_well_formed_id_is_kept_and_anything_else_replaced() {
        let made = "000000000000000000000000000000ab";
        assert_eq!(of_lines(&["req-1.2_3~:/+=@"]), "req-1.2_3~:/+=@");
        for lines in [
            &[][..],
            &[""],
            &["a b"],
            &["a\"b"],
            &["a\\b"],
            &["a<b"],
            &["a", "b"],
            &["x".repeat(129).as_str()],
        ] {
            assert_eq!(of_lines(lines), made, "{lines:?}");
        }
    }
}
