//! Header values are exactly the parts they were made of.

use latchkey_core::{reason::Reason, time::UnixSeconds};

use super::{Consumer, ConsumerParts};

const PARTS: ConsumerParts<'_> = ConsumerParts {
    uid: "u-1",
    namespace: "team",
    name: "alice",
    username: "alice",
    custom_id: "",
    groups: &[],
    expires: None,
    disabled: false,
    terminating: false,
};

#[test]
fn what_is_absent_has_no_header_and_the_name_stands_in_for_a_username() {
    for username in ["alice", ""] {
        let alice = Consumer::new(&ConsumerParts { username, ..PARTS });
        assert_eq!(alice.uid(), "u-1");
        assert_eq!(alice.namespace(), "team");
        assert_eq!(alice.name(), "alice");
        assert_eq!(alice.username(), "alice");
        assert_eq!(alice.custom_id(), None);
        assert_eq!(alice.groups(), None);
    }
}

#[test]
fn every_part_is_cut_where_it_was_joined() {
    let groups = ["a".to_owned(), "b".to_owned()];
    let alice = Consumer::new(&ConsumerParts {
        username: "Alice L",
        custom_id: "42",
        groups: &groups,
        ..PARTS
    });
    assert_eq!(alice.name(), "alice");
    assert_eq!(alice.username(), "Alice L");
    assert_eq!(alice.custom_id().unwrap(), "42");
    assert_eq!(alice.groups().unwrap(), "a,b");
}

#[test]
fn a_name_is_never_taken_for_another_that_joins_to_the_same_text() {
    let consumer = Consumer::new(&ConsumerParts {
        namespace: "ab",
        name: "c",
        ..PARTS
    });
    assert!(consumer.is("ab", "c"));
    assert!(!consumer.is("a", "bc"));
    assert!(!consumer.is("ab", "cc"));
}

#[test]
fn an_expiration_time_is_the_first_second_that_is_refused() {
    let alice = Consumer::new(&ConsumerParts {
        expires: Some(UnixSeconds(10)),
        ..PARTS
    });
    assert_eq!(alice.admit(UnixSeconds(9)), Ok(()));
    assert_eq!(alice.admit(UnixSeconds(10)), Err(Reason::ConsumerExpired));
}
