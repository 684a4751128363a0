//! I6: readers see one whole version, never wait for the writer, and never free what it retires.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, ScopedJoinHandle},
};

use latchkey_core::{
    reason::Reason,
    tenancy::{Admission, Namespaces},
};
use latchkey_index::object::Fact;
use support::{Ends, NOW, World, consumer, credential};

const KEYS: [&str; 2] = ["the first key of all", "the second key here"];

/// Two credentials swap keys in every commit; between the two look-ups of one snapshot both keys
/// are always held, and by different people.
#[test]
fn a_reader_never_sees_half_of_a_commit() {
    let facts = |swapped: bool| {
        let key = |at: usize| KEYS[at ^ usize::from(swapped)];
        [
            Fact::Credential(credential("ns/a", "alice", key(0))),
            Fact::Credential(credential("ns/b", "bob", key(1))),
        ]
    };
    let mut world = World::of([consumer("ns/alice").into(), consumer("ns/bob").into()]);
    facts(false).into_iter().for_each(|fact| world.index.apply(fact));
    world.commit();

    let done = AtomicBool::new(false);
    let seen = AtomicUsize::new(0);
    thread::scope(|scope| {
        let _ends = Ends(&done);
        let readers = [(); 2].map(|()| {
            let cell = world.cell.clone();
            let (done, seen) = (&done, &seen);
            scope.spawn(move || {
                let admission = Admission {
                    own: "ns".into(),
                    namespaces: Namespaces::All,
                };
                while !done.load(SeqCst) {
                    let snapshot = cell.load();
                    let who = KEYS.map(|key| {
                        let found = snapshot.look_up(key.as_bytes(), &admission, NOW);
                        found.map(|found| found.consumer.name().to_owned())
                    });
                    match who.each_ref().map(|who| who.as_deref()) {
                        [Ok("alice"), Ok("bob")] | [Ok("bob"), Ok("alice")] => seen.fetch_add(1, SeqCst),
                        half => panic!("half a commit: {half:?}"),
                    };
                }
            })
        });
        let mut swapped = false;
        // The readers must have looked while commits went on. One that found half a commit looks no more.
        while seen.load(SeqCst) < 2_000 && !readers.iter().any(ScopedJoinHandle::is_finished) {
            swapped = !swapped;
            facts(swapped)
                .into_iter()
                .for_each(|fact| world.index.apply(fact));
            assert!(world.commit().changed);
        }
    });
}

#[test]
fn a_snapshot_that_a_reader_holds_is_kept_by_the_writer_and_then_freed() {
    let mut world = World::of([
        consumer("ns/alice").into(),
        credential("ns/a", "alice", KEYS[0]).into(),
    ]);
    let held = Arc::clone(&world.cell.load());
    let admission = Admission {
        own: "ns".into(),
        namespaces: Namespaces::All,
    };
    world.apply(credential("ns/a", "alice", KEYS[1]));
    assert_eq!(world.commit().retired, 1);
    assert!(held.look_up(KEYS[0].as_bytes(), &admission, NOW).is_ok());
    assert_eq!(world.who(KEYS[0]), Err(Reason::UnknownKey));
    let freed = Arc::downgrade(&held);
    drop(held);
    assert_eq!(freed.strong_count(), 1, "the reader's drop freed nothing");
    assert_eq!(world.commit().retired, 0);
    assert_eq!(freed.strong_count(), 0);
}

#[test]
fn snapshots_for_readers_that_sleep_are_bounded() {
    let mut world = World::of([consumer("ns/alice").into()]);
    let mut held = Vec::new();
    for n in 0..1_500 {
        held.push(Arc::clone(&world.cell.load()));
        let done = world.apply(credential("ns/a", "alice", &format!("the key of turn {n}")));
        assert!(done.retired <= 1_024);
    }
    drop(held);
    assert_eq!(world.commit().retired, 0);
}
