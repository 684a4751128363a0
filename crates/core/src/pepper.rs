//! The pepper Secret as operator and gateways read it: each data key is the id of a pepper, each value
//! its 32 random bytes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::digest::Pepper;

/// How many random bytes a pepper has.
pub const LENGTH: usize = 32;
/// How many peppers may be active: each costs every look-up one HMAC, and a rotation needs two.
pub const MAX_ACTIVE: usize = 4;

/// What a pepper Secret holds.
#[derive(Clone, Debug, Default)]
pub struct Peppers {
    /// Those that can be used, by id, at most [`MAX_ACTIVE`].
    pub active: Vec<Pepper>,
    /// What is wrong with the others, with the remedy. Never a value.
    pub problems: Vec<String>,
}

impl Peppers {
    /// Reads a Secret as the API shows it (`data`, base64). What cannot be used is a problem, never a pepper.
    pub fn read(secret: &Value) -> Self {
        let mut read = Self::default();
        let data = secret.get("data").and_then(Value::as_object);
        // By id, whatever the order in the object: all processes must drop the same ones.
        let mut entries: Vec<_> = data.into_iter().flatten().collect();
        entries.sort_by_key(|(id, _)| *id);
        for (id, value) in entries {
            match bytes(value) {
                None => read.problems.push(format!(
                    "data key {id}: its value is not {LENGTH} bytes; remove it, or write {LENGTH} random ones"
                )),
                Some(_) if read.active.len() == MAX_ACTIVE => read.problems.push(format!(
                    "data key {id}: {MAX_ACTIVE} peppers are active already; remove those that are not used any more"
                )),
                Some(bytes) => read.active.push(Pepper::new(id, &bytes)),
            }
        }
        read
    }
}

fn bytes(value: &Value) -> Option<[u8; LENGTH]> {
    STANDARD.decode(value.as_str()?).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn encoded(byte: u8) -> String {
        STANDARD.encode([byte; LENGTH])
    }

    fn ids(peppers: &Peppers) -> Vec<&str> {
        peppers.active.iter().map(Pepper::id).collect()
    }

    #[test]
    fn each_data_key_of_32_bytes_is_a_pepper() {
        let read = Peppers::read(&json!({"data": {"p2": encoded(2), "p1": encoded(1)}}));
        assert_eq!(ids(&read), ["p1", "p2"]);
        assert!(read.problems.is_empty());
    }

    #[test]
    fn what_is_no_pepper_is_named_and_the_others_count() {
        let read = Peppers::read(&json!({"data": {
            "good": encoded(1),
            "short": STANDARD.encode([7; 31]),
            "text": "not base64!",
            "number": 5,
        }}));
        assert_eq!(ids(&read), ["good"]);
        assert_eq!(read.problems.len(), 3);
        assert!(read.problems.iter().all(|problem| problem.contains("32 bytes")));
        assert!(!read.problems.concat().contains("not base64!"));
    }

    #[test]
    fn a_secret_without_data_holds_none() {
        for secret in [json!({}), json!({"data": null}), json!({"data": []}), json!(7)] {
            let read = Peppers::read(&secret);
            assert!(read.active.is_empty() && read.problems.is_empty(), "{secret}");
        }
    }

    #[test]
    fn more_than_may_be_active_are_left_out_in_the_order_of_their_ids() {
        let data: serde_json::Map<_, _> = (0..6).map(|n| (format!("p{n}"), encoded(1).into())).collect();
        let read = Peppers::read(&json!({"data": data}));
        assert_eq!(ids(&read), ["p0", "p1", "p2", "p3"]);
        assert_eq!(read.problems.len(), 2);
    }
}
