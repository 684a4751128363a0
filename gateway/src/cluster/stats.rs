//! What is known of each kind, for others to read without waiting for who knows it.

use std::sync::atomic::{AtomicU64, AtomicUsize};

use super::kinds::Watched;
use crate::object::Kind;

/// What became of what was watched.
#[derive(Debug)]
pub struct WatchStats {
    kinds: Vec<KindStats>,
    /// Blocks of Credentials' status that look published for them but bear a wrong tag, since start.
    pub refused_blocks: AtomicU64,
    /// Consumers and Credentials of which a list said something else than was in force, since serving began.
    pub corrections: AtomicU64,
    /// Deletions that wait until it is known whether their kind stands.
    pub deletions_held: AtomicUsize,
    /// Changes that wait until every AuthPolicy that was there before them is known.
    pub openings_held: AtomicUsize,
}

/// What became of one kind.
#[derive(Debug)]
pub struct KindStats {
    /// Which.
    pub kind: Kind,
    /// As the API server calls it.
    pub plural: &'static str,
    /// Collections of it that the API server does not know.
    pub missing: AtomicUsize,
    /// Objects that exist and cannot be read or honoured.
    pub undecodable: AtomicUsize,
    /// Objects of it that stay in force though they are deleted, since start.
    pub deletions_ignored: AtomicU64,
}

impl WatchStats {
    /// Nothing was heard yet.
    pub fn new(watched: &[Watched]) -> Self {
        let mut kinds: Vec<KindStats> = Vec::new();
        for Watched { kind, collection } in watched {
            if kinds.iter().all(|stats| stats.kind != *kind) {
                kinds.push(KindStats {
                    kind: *kind,
                    plural: collection.plural,
                    missing: AtomicUsize::new(0),
                    undecodable: AtomicUsize::new(0),
                    deletions_ignored: AtomicU64::new(0),
                });
            }
        }
        Self {
            kinds,
            refused_blocks: AtomicU64::new(0),
            corrections: AtomicU64::new(0),
            deletions_held: AtomicUsize::new(0),
            openings_held: AtomicUsize::new(0),
        }
    }

    /// All kinds that are watched.
    pub fn kinds(&self) -> &[KindStats] {
        &self.kinds
    }

    /// Those of a kind, if it is watched.
    pub fn of(&self, kind: Kind) -> Option<&KindStats> {
        self.kinds.iter().find(|stats| stats.kind == kind)
    }
}
