//! One authentication look-up: who holds this key, and may they pass now? Allocates nothing.

#[cfg(test)]
mod tests;

use latchkey_core::{
    digest::KeyHash,
    reason::Reason,
    tenancy::{Admission, Namespaces},
    time::UnixSeconds,
};

use crate::{Consumer, Entry, Snapshot, entry::Entries};

/// Who a key belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'s> {
    /// The consumer.
    pub consumer: &'s Consumer,
    /// The credential that proved it.
    pub credential: &'s Entry,
}

impl Snapshot {
    /// Decides for a key as presented, over the namespaces that the policy admits.
    ///
    /// # Errors
    /// The reason why nobody passes with this key now.
    pub fn look_up(
        &self,
        key: &[u8],
        admission: &Admission,
        now: UnixSeconds,
    ) -> Result<Identity<'_>, Reason> {
        let hash = KeyHash::of(key);
        let mut claimants = Claimants::default();
        for pepper in self.peppers() {
            if let Some(entries) = self.under(&pepper.digest(&hash)) {
                claimants.gather(entries, admission);
            }
        }
        let credential = claimants.decide()?;
        credential.admit(now)?;
        let consumer = self.consumer(credential.consumer()).ok_or(Reason::Orphaned)?;
        consumer.admit(now)?;
        Ok(Identity { consumer, credential })
    }
}

/// The owners of a key in admitted namespaces, over all peppers. A key that stands under two
/// peppers may stand there for different credentials while a rotation runs, so that none is the
/// owner before all are seen.
#[derive(Default)]
struct Claimants<'s> {
    /// In the policy's own namespace.
    own: Option<&'s Entry>,
    /// In the first other namespace that was found.
    other: Option<&'s Entry>,
    /// More than one other namespace was found.
    ambiguous: bool,
}

impl<'s> Claimants<'s> {
    fn gather(&mut self, entries: &'s Entries, admission: &Admission) {
        if admission.admits(&admission.own)
            && let Some(owner) = entries.of(&admission.own).first()
        {
            self.own = Some(older(self.own, owner));
        }
        // An owner in the policy's own namespace wins, whatever others hold.
        if self.own.is_some() {
            return;
        }
        match &admission.namespaces {
            Namespaces::All => self.gather_others(entries.owners()),
            Namespaces::These(admitted) => match entries {
                Entries::One(entry) => {
                    let entry = Some(&**entry).filter(|entry| admission.admits(entry.namespace()));
                    self.gather_others(entry.into_iter());
                }
                Entries::Many(_) => {
                    let owners = admitted.iter().filter_map(|name| entries.of(name).first());
                    self.gather_others(owners.map(|entry| &**entry));
                }
            },
        }
    }

    fn gather_others(&mut self, owners: impl Iterator<Item = &'s Entry>) {
        for owner in owners {
            if self
                .other
                .is_some_and(|held| held.namespace() != owner.namespace())
            {
                self.ambiguous = true;
                return;
            }
            self.other = Some(older(self.other, owner));
        }
    }

    fn decide(self) -> Result<&'s Entry, Reason> {
        match (self.own, self.other) {
            (Some(own), _) => Ok(own),
            (None, Some(_)) if self.ambiguous => Err(Reason::Ambiguous),
            (None, Some(other)) => Ok(other),
            (None, None) => Err(Reason::UnknownKey),
        }
    }
}

/// Of two owners in one namespace, under different peppers, the one that owns the key.
fn older<'s>(held: Option<&'s Entry>, found: &'s Entry) -> &'s Entry {
    match held {
        Some(held) if held.claim() <= found.claim() => held,
        _ => found,
    }
}
