//! An index with as many Consumers as asked for, a Credential each, filled as an informer fills it.

use std::time::{Duration, Instant};

use latchkey_core::{
    digest::{KeyHash, Pepper},
    object::ObjectName,
    reason::Reason,
    tenancy::{Admission, Namespaces},
    time::UnixSeconds,
};
use latchkey_index::{
    Index,
    object::{ConsumerFacts, CredentialFacts, Fact, KeySource, Kind},
};
use latchkey_snapshot::SnapshotCell;

use crate::random::mix;

/// As many events as the gateway puts into one commit.
pub(crate) const BATCH: usize = 1_024;

/// The time at which all Credentials are good.
const NOW: UnixSeconds = UnixSeconds(2_000_000_000);

/// An index, and its reader.
pub(crate) struct Town {
    pub(crate) index: Index,
    pub(crate) cell: SnapshotCell,
    admission: Admission,
}

impl Town {
    pub(crate) fn empty() -> Self {
        let mut index = Index::new(0x5EED);
        index.set_peppers(vec![pepper()]);
        index.commit();
        let cell = index.snapshots();
        Self {
            index,
            cell,
            admission: admission(),
        }
    }

    /// With the pairs numbered from nothing to `size`.
    pub(crate) fn of(size: usize) -> Self {
        let mut town = Self::empty();
        town.list(0..size);
        town
    }

    /// A complete list of both kinds names these pairs and no others. Says how long the index had to do,
    /// and how long it was away at the most: for one batch, or for the end of a list.
    pub(crate) fn list(&mut self, numbers: std::ops::Range<usize>) -> (Duration, Duration) {
        let consumers = self.list_consumers(numbers.clone());
        let credentials = self.list_credentials(numbers);
        (consumers.0 + credentials.0, consumers.1.max(credentials.1))
    }

    pub(crate) fn list_consumers(&mut self, numbers: std::ops::Range<usize>) -> (Duration, Duration) {
        self.list_kind(Kind::Consumer, numbers, |n| Fact::Consumer(consumer(n)))
    }

    pub(crate) fn list_credentials(&mut self, numbers: std::ops::Range<usize>) -> (Duration, Duration) {
        self.list_kind(Kind::Credential, numbers, |n| Fact::Credential(credential(n, 0)))
    }

    fn list_kind(
        &mut self,
        kind: Kind,
        numbers: std::ops::Range<usize>,
        fact: impl Fn(usize) -> Fact,
    ) -> (Duration, Duration) {
        let (mut all, mut longest) = (Duration::ZERO, Duration::ZERO);
        let mut note = |start: Instant| {
            let took = start.elapsed();
            all += took;
            longest = longest.max(took);
        };
        self.index.relist_begin(kind, None);
        let mut next = numbers.start;
        while next < numbers.end {
            let end = numbers.end.min(next + BATCH);
            // What an informer decodes, a bench makes: neither is the index's.
            let facts: Vec<_> = (next..end).map(&fact).collect();
            let start = Instant::now();
            for fact in facts {
                self.index.relist_apply(fact);
            }
            self.index.commit();
            note(start);
            next = end;
        }
        let start = Instant::now();
        self.index.relist_end(kind, None);
        self.index.commit();
        note(start);
        (all, longest)
    }

    /// Asks for a key.
    pub(crate) fn ask(&self, key: &str) -> Result<(), Reason> {
        ask(&self.cell, key, &self.admission)
    }
}

/// Asks for a key as a request does.
pub(crate) fn ask(cell: &SnapshotCell, key: &str, admission: &Admission) -> Result<(), Reason> {
    let snapshot = cell.load();
    let found = snapshot.look_up(key.as_bytes(), admission, NOW)?;
    std::hint::black_box(found);
    Ok(())
}

/// All namespaces are admitted.
pub(crate) fn admission() -> Admission {
    Admission {
        own: "gateways".into(),
        namespaces: Namespaces::All,
    }
}

pub(crate) fn pepper() -> Pepper {
    Pepper::new("1", &[7; 32])
}

/// The key of a pair: 35 letters, of which 16 are random.
pub(crate) fn key(number: usize, rotation: u32) -> String {
    format!(
        "lk_{:016x}{:08x}{rotation:08x}",
        mix(number as u64),
        number as u64 & 0xFFFF_FFFF
    )
}

fn name(kind: &str, number: usize) -> ObjectName {
    ObjectName::new(format!("team-{:02}", number % 100), format!("{kind}-{number:07}"))
}

pub(crate) fn consumer_name(number: usize) -> ObjectName {
    name("consumer", number)
}

pub(crate) fn credential_name(number: usize) -> ObjectName {
    name("credential", number)
}

pub(crate) fn consumer(number: usize) -> ConsumerFacts {
    let name = consumer_name(number);
    ConsumerFacts {
        uid: uid(2 * number),
        username: name.name.clone(),
        name,
        custom_id: None,
        groups: vec!["standard".to_owned()],
        disabled: false,
        expires: None,
        terminating: false,
    }
}

pub(crate) fn credential(number: usize, rotation: u32) -> CredentialFacts {
    CredentialFacts {
        name: credential_name(number),
        uid: uid(2 * number + 1),
        created: UnixSeconds(1_700_000_000 + i64::try_from(number).unwrap_or_default()),
        consumer: consumer_name(number).name,
        source: Some(KeySource::Sha256(KeyHash::of(key(number, rotation).as_bytes()))),
        disabled: false,
        not_before: None,
        expires: None,
        terminating: false,
    }
}

/// As long as a UUID.
fn uid(number: usize) -> String {
    let bits = mix(number as u64);
    format!("{:08x}-7c3c-4f0e-9a53-{:012x}", bits >> 32, bits & 0xFFFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_opens_with_its_key_and_no_other_does() {
        let town = Town::of(3_000);
        assert!((0..3_000).all(|n| town.ask(&key(n, 0)).is_ok()));
        assert_eq!(town.ask(&key(3_000, 0)), Err(Reason::UnknownKey));
        assert_eq!(town.ask(&key(7, 1)), Err(Reason::UnknownKey));
    }

    #[test]
    fn a_list_of_others_replaces_all() {
        let mut town = Town::of(2_000);
        town.list(2_000..4_000);
        assert_eq!(town.index.ledger_stats().credentials, 2_000);
        assert_eq!(town.ask(&key(0, 0)), Err(Reason::UnknownKey));
        assert!(town.ask(&key(3_999, 0)).is_ok());
    }
}
