//! Old tables are freed by the writer, and not kept without limit.

use std::sync::Arc;

use serde_json::json;

use super::support::*;

fn turn(number: usize) -> [serde_json::Value; 1] {
    [route("r", &[], &json!([rule(&format!("/{number}"))]))]
}

#[test]
fn a_table_that_a_reader_holds_is_kept_by_the_writer_and_then_freed() {
    let mut world = World::of(base());
    let held = Arc::clone(&world.router.tables().load());
    assert_eq!(world.apply(turn(1)).retired, 1);
    assert_eq!(answer(&held, 80, &Ask::new("t", "/1")), "nothing");
    let freed = Arc::downgrade(&held);
    drop(held);
    assert_eq!(freed.strong_count(), 1, "the reader's drop freed nothing");
    assert_eq!(world.apply(turn(2)).retired, 0);
    assert_eq!(freed.strong_count(), 0);
}

#[test]
fn tables_for_readers_that_sleep_are_bounded() {
    let mut world = World::of(base());
    let mut held = Vec::new();
    for number in 0..1_500 {
        held.push(Arc::clone(&world.router.tables().load()));
        assert!(world.apply(turn(number)).retired <= 1_024);
    }
    drop(held);
    assert_eq!(world.apply(turn(1_500)).retired, 0);
}
