//! A reader beside a history sees whole versions alone.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
};

use proptest::prelude::*;

use super::{super::support::*, answers, cases, objects::any_object};
use crate::{
    object::{Kind, Manifest},
    table::TableCell,
};

/// Lets a reader end, also where the writer panics: the scope waits for it before it tells.
struct Ends<'d>(&'d AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// What a thread that loads one table after the other found in each, until `done`.
fn read(cell: &TableCell, done: &AtomicBool) -> Vec<(u64, Vec<String>)> {
    let mut seen = Vec::new();
    loop {
        let last = done.load(SeqCst);
        let table = cell.load();
        let found = (table.stats().revision, answers(&table));
        // One table that answers alike again is no finding, and a busy reader would fill the memory.
        if seen.last() != Some(&found) {
            seen.push(found);
        }
        if last {
            return seen;
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Endpoints have a pointer of their own, so that they are left out.
    #[test]
    fn readers_beside_a_history_see_whole_tables_alone(
        objects in proptest::collection::vec(any_object(), 1..60),
    ) {
        let mut world = World::new();
        let cell = world.router.tables();
        let mut versions = BTreeMap::from([(cell.load().stats().revision, answers(&cell.load()))]);
        let done = AtomicBool::new(false);
        let seen = thread::scope(|scope| {
            let ends = Ends(&done);
            let reader = scope.spawn(|| read(&cell, &done));
            for object in objects {
                let (kind, name) = identity(&object);
                if kind == Kind::EndpointSlice {
                    continue;
                }
                // Every other one of a name ends it.
                if world.statuses.contains_key(&(kind, name.clone())) {
                    world.router.delete(kind, &name);
                } else {
                    world.router.apply(kind, &name, Manifest::Value(object));
                }
                world.commit();
                let table = cell.load();
                versions.insert(table.stats().revision, answers(&table));
            }
            drop(ends);
            reader.join().expect("the reader lives")
        });
        for (revision, answers) in seen {
            prop_assert_eq!(versions.get(&revision), Some(&answers), "version {}", revision);
        }
    }
}
