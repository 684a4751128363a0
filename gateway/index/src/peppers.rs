//! The peppers: which are active, and the numbers that entries know them by.

use latchkey_core::digest::{KeyHash, Pepper};

/// The number of no pepper.
pub(crate) const NO_PEPPER: u16 = 0;

/// Two peppers are the same if they have one id and give one digest for this.
const PROBE: KeyHash = KeyHash([0; 32]);

/// Whether two peppers have one id and one secret.
pub(crate) fn same(one: &Pepper, other: &Pepper) -> bool {
    one.id() == other.id() && one.digest(&PROBE) == other.digest(&PROBE)
}

/// All peppers that the ledger holds proven digests of. One that was active may become so again: a
/// digest that was proven under it counts again then, as if it had been read only now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peppers {
    known: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    number: u16,
    pepper: Pepper,
    active: bool,
}

impl Peppers {
    pub(crate) fn active(&self) -> impl Iterator<Item = (u16, &Pepper)> {
        let active = self.known.iter().filter(|known| known.active);
        active.map(|known| (known.number, &known.pepper))
    }

    pub(crate) fn is_active(&self, number: u16) -> bool {
        self.known
            .iter()
            .any(|known| known.active && known.number == number)
    }

    /// These and no others are active now. Says whether that is news.
    pub(crate) fn activate(&mut self, peppers: Vec<Pepper>) -> bool {
        let before: Vec<bool> = self.known.iter().map(|known| known.active).collect();
        self.known.iter_mut().for_each(|known| known.active = false);
        for pepper in peppers {
            let mut known = self.known.iter_mut();
            match known.find(|known| same(&known.pepper, &pepper)) {
                Some(known) => known.active = true,
                None => {
                    let is_free = |number: &u16| self.known.iter().all(|known| known.number != *number);
                    // A pepper beyond 65,535 of them proves nothing.
                    self.known
                        .extend((NO_PEPPER + 1..).find(is_free).map(|number| Known {
                            number,
                            pepper,
                            active: true,
                        }));
                }
            }
        }
        !self.known.iter().map(|known| known.active).eq(before)
    }

    /// Forgets those that are not active and of which `is_used` knows nothing.
    pub(crate) fn forget(&mut self, is_used: impl Fn(u16) -> bool) {
        self.known.retain(|known| known.active || is_used(known.number));
    }
}
