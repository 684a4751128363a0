//! A look-up, and taking the header values out of its answer, allocate nothing.

use std::{hint::black_box, sync::Arc};

use latchkey_core::{
    digest::{KeyHash, Pepper},
    tenancy::{Admission, Namespaces},
    time::UnixSeconds,
};
use latchkey_snapshot::{Consumer, ConsumerParts, Entry, EntryParts, Snapshot, SnapshotCell};

#[test]
fn a_look_up_allocates_nothing() {
    let peppers = [Pepper::new("1", &[1; 32]), Pepper::new("2", &[2; 32])];
    let mut snapshot = Snapshot::new(1);
    let digest = peppers[1].digest(&KeyHash::of(b"the key"));
    for namespace in ["a", "b"] {
        let parts = EntryParts {
            namespace,
            name: "c",
            consumer: 0,
            created: UnixSeconds(1),
            not_before: None,
            expires: None,
            disabled: false,
            terminating: false,
        };
        snapshot.insert(Arc::new(Entry::new(&parts, 1, digest)));
    }
    let consumer = Consumer::new(&ConsumerParts {
        uid: "u",
        namespace: "a",
        name: "alice",
        username: "Alice",
        custom_id: "1",
        groups: &["g".to_owned()],
        expires: None,
        disabled: false,
        terminating: false,
    });
    snapshot.set_consumer(0, Arc::new(consumer));
    snapshot.set_peppers(peppers.into());
    let cell = SnapshotCell::default();
    drop(cell.swap(snapshot.seal()));
    let admissions = [
        Namespaces::All,
        Namespaces::These(["a".into(), "x".into()].into()),
    ]
    .map(|namespaces| Admission {
        own: "a".into(),
        namespaces,
    });
    // The first use of a thread's guards sets them up.
    drop(cell.load());

    let count = allocation_counter::measure(|| {
        let present = cell.load();
        for admission in &admissions {
            let found = present.look_up(b"the key", admission, UnixSeconds(2)).unwrap();
            black_box((found.credential.identifier(), found.consumer.uid()));
            black_box((found.consumer.namespace(), found.consumer.username()));
            black_box((found.consumer.custom_id(), found.consumer.groups()));
            let refused = present.look_up(b"another key", admission, UnixSeconds(2));
            assert!(black_box(refused).is_err());
        }
    });
    assert_eq!(count.count_total, 0);
}
