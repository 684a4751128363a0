//! Where the bytes of a pair are: the table in ARCHITECTURE.md.

mod support;

use std::sync::Arc;

use latchkey_core::{digest::Digest, time::UnixSeconds};
use latchkey_index::object::{ConsumerFacts, CredentialFacts};
use latchkey_snapshot::{Consumer, ConsumerParts, Entry, EntryParts, Snapshot};
use support::{World, consumer, credential};

const PAIRS: u32 = 50_000;
const UID: &str = "5f0c8f4e-7c3c-4f0e-9a53-1d2b6f3c9a10";

/// What `work` left allocated, for one pair.
fn each(work: impl FnOnce()) -> f64 {
    allocation_counter::measure(work).bytes_current as f64 / f64::from(PAIRS)
}

fn namespace(n: u32) -> String {
    format!("team-{}", n % 100)
}

fn consumer_value(n: u32) -> Consumer {
    Consumer::new(&ConsumerParts {
        uid: UID,
        namespace: &namespace(n),
        name: &format!("consumer-{n:06}"),
        username: &format!("consumer-{n:06}"),
        custom_id: "",
        groups: &["standard".to_owned()],
        expires: None,
        disabled: false,
        terminating: false,
    })
}

fn entry_value(n: u32) -> Entry {
    let mut digest = [0; 32];
    let mixed = u64::from(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    digest[..8].copy_from_slice(&mixed.to_le_bytes());
    digest[8..16].copy_from_slice(
        &mixed
            .rotate_left(31)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9)
            .to_le_bytes(),
    );
    let parts = EntryParts {
        namespace: &namespace(n),
        name: &format!("credential-{n:06}"),
        consumer: n,
        created: UnixSeconds(0),
        not_before: None,
        expires: None,
        disabled: false,
        terminating: false,
    };
    Entry::new(&parts, 1, Digest(digest))
}

/// What a row of the table says.
fn documented(what: &str) -> f64 {
    let rows = include_str!("../../../ARCHITECTURE.md").lines();
    let mut bytes = rows.filter_map(|row| {
        let rest = row.strip_prefix("| ")?.strip_prefix(what)?.strip_prefix(" | ")?;
        rest.strip_suffix(" |")?.parse().ok()
    });
    bytes
        .next()
        .unwrap_or_else(|| panic!("ARCHITECTURE.md has no row {what:?}"))
}

fn consumer_facts(n: u32) -> ConsumerFacts {
    let mut facts = consumer(&format!("{}/consumer-{n:06}", namespace(n)));
    facts.uid = UID.to_owned();
    facts.groups = vec!["standard".to_owned()];
    facts
}

fn credential_facts(n: u32) -> CredentialFacts {
    let name = format!("{}/credential-{n:06}", namespace(n));
    credential(&name, &format!("consumer-{n:06}"), &format!("a key {n}"))
}

#[test]
fn bytes_are_where_the_architecture_says() {
    let numbers = || 0..PAIRS;
    let mut consumers = Vec::with_capacity(PAIRS as usize);
    let consumer = each(|| consumers.extend(numbers().map(|n| Arc::new(consumer_value(n)))));
    let mut entries = Vec::with_capacity(PAIRS as usize);
    let entry = each(|| entries.extend(numbers().map(|n| Arc::new(entry_value(n)))));
    let mut snapshot = Snapshot::new(7);
    let slot = each(|| {
        for (n, consumer) in (0..).zip(&consumers) {
            snapshot.set_consumer(n, Arc::clone(consumer));
        }
    });
    let map = each(|| {
        for entry in &entries {
            snapshot.insert(Arc::clone(entry));
        }
    });
    let mut world = World::new();
    let all_of_consumers = each(|| numbers().for_each(|n| world.add(consumer_facts(n))));
    let all_of_credentials = each(|| numbers().for_each(|n| world.add(credential_facts(n))));
    for (what, bytes) in [
        ("Consumer: itself", consumer),
        ("Consumer: slot of the snapshot", slot),
        ("Consumer: ledger", all_of_consumers - consumer - slot),
        ("Credential: entry", entry),
        ("Credential: map of the snapshot", map),
        ("Credential: ledger", all_of_credentials - entry - map),
        ("both", all_of_consumers + all_of_credentials),
    ] {
        let documented = documented(what);
        let off = (bytes - documented).abs();
        assert!(
            off <= (documented * 0.1).max(3.0),
            "{what}: {bytes:.0} bytes, documented {documented}"
        );
    }
}
