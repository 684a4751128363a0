//! Random numbers for choosing among equals and for request ids: fast, one sequence a worker, and not
//! for secrets.

use std::cell::Cell;

use latchkey_runtime::random::{GAMMA, mix};

/// A sequence, for whoever of its thread needs a number.
#[derive(Debug)]
pub(crate) struct Random(Cell<u64>);

impl Random {
    /// A sequence that begins at a number from the system.
    pub(crate) fn from_system() -> Self {
        // No kernel that we run on refuses. If one did, request ids would come twice, and no more.
        Self::new(getrandom::u64().unwrap_or(GAMMA))
    }

    /// A sequence that begins at a given number.
    pub(crate) fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    /// The next number.
    pub(crate) fn next(&self) -> u64 {
        let state = self.0.get().wrapping_add(GAMMA);
        self.0.set(state);
        mix(state)
    }

    /// Two numbers in one.
    pub(crate) fn wide(&self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    /// An index below `len`, which must not be zero.
    pub(crate) fn index(&self, len: usize) -> usize {
        let scaled = (u128::from(self.next()) * len as u128) >> 64;
        usize::try_from(scaled).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_comes_up_and_none_beyond() {
        let random = Random::new(7);
        let mut seen = [0_u32; 5];
        for _ in 0..5000 {
            seen[random.index(5)] += 1;
        }
        assert!(seen.iter().all(|count| (800..1200).contains(count)), "{seen:?}");
    }
}
