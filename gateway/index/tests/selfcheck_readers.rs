//! I6 for the self-check: who reads while it repairs sees all of the repair or nothing of it.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use latchkey_core::{
    digest::KeyHash,
    tenancy::{Admission, Namespaces},
};
use latchkey_snapshot::Snapshot;
use support::{Ends, NOW, World, consumer, credential, pepper};

const KEYS: [&str; 2] = ["the first key of all", "the second key here"];

#[test]
fn a_reader_never_sees_half_a_repair() {
    let mut world = World::of([
        consumer("ns/alice").into(),
        credential("ns/a", "alice", KEYS[0]).into(),
        credential("ns/b", "alice", KEYS[1]).into(),
    ]);
    let (done, seen) = (AtomicBool::new(false), [AtomicUsize::new(0), AtomicUsize::new(0)]);
    thread::scope(|scope| {
        let _ends = Ends(&done);
        let cell = world.cell.clone();
        let reader = scope.spawn(|| {
            let cell = cell;
            let admission = Admission {
                own: "ns".into(),
                namespaces: Namespaces::All,
            };
            while !done.load(SeqCst) {
                let snapshot = cell.load();
                let found = KEYS.map(|key| snapshot.look_up(key.as_bytes(), &admission, NOW).is_ok());
                assert_eq!(found[0], found[1], "half a repair");
                seen[usize::from(found[0])].fetch_add(1, SeqCst);
            }
        });
        // The reader must have seen both, again and again. One that found half a repair looks no more.
        while seen.iter().any(|seen| seen.load(SeqCst) < 500) && !reader.is_finished() {
            let mut wrong = Snapshot::clone(&world.cell.load());
            for key in KEYS {
                let digest = pepper("1").digest(&KeyHash::of(key.as_bytes()));
                let held = Arc::clone(&wrong.claimants(&digest, "ns")[0]);
                wrong.remove(&held);
            }
            drop(world.cell.swap(Arc::new(wrong)));
            let before = seen[0].load(SeqCst);
            while seen[0].load(SeqCst) == before && !reader.is_finished() {
                thread::yield_now();
            }
            while world.index.check(1).repaired.is_none() {}
        }
    });
}
