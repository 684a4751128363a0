//! Which Credentials hold which key, and so who of a namespace owns it: by digests, as gateways find them.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use latchkey_core::{digest::Digest, object::ObjectName, ownership::Claim, time::UnixSeconds};

/// All claims, by digest. A digest is nearly always claimed once.
#[derive(Default)]
pub(super) struct Claims(HashMap<Digest, Vec<Claimant>>);

/// Who claims: inside one namespace in the order of [`Claim`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claimant {
    pub(super) created: UnixSeconds,
    pub(super) name: ObjectName,
}

impl Claimant {
    fn rank(&self) -> (&str, Claim<'_>) {
        let claim = Claim {
            created: self.created,
            name: &self.name.name,
        };
        (&self.name.namespace, claim)
    }
}

impl Claims {
    /// A Credential holds these digests now. Where another one of its namespace gets another owner by that,
    /// it is `touched`.
    pub(super) fn add(
        &mut self,
        claimant: &Claimant,
        digests: &[Digest],
        touched: &mut BTreeSet<ObjectName>,
    ) {
        for digest in digests {
            let claimants = self.0.entry(*digest).or_default();
            let Err(place) = claimants.binary_search_by(|held| held.rank().cmp(&claimant.rank())) else {
                continue;
            };
            claimants.insert(place, claimant.clone());
            touch_followers(claimants, place, touched);
        }
    }

    /// It does not hold them any more.
    pub(super) fn remove(
        &mut self,
        claimant: &Claimant,
        digests: &[Digest],
        touched: &mut BTreeSet<ObjectName>,
    ) {
        for digest in digests {
            let Some(claimants) = self.0.get_mut(digest) else {
                continue;
            };
            if let Ok(place) = claimants.binary_search_by(|held| held.rank().cmp(&claimant.rank())) {
                touch_followers(claimants, place, touched);
                claimants.remove(place);
            }
            if claimants.is_empty() {
                self.0.remove(digest);
            }
        }
    }

    /// The other Credential of the claimant's namespace that owns one of these digests, if any does.
    pub(super) fn owner_before(&self, claimant: &Claimant, digests: &[Digest]) -> Option<&str> {
        let namespace = &*claimant.name.namespace;
        digests.iter().find_map(|digest| {
            let claimants = self.0.get(digest)?;
            let first = claimants.partition_point(|held| *held.name.namespace < *namespace);
            let owner = claimants.get(first)?;
            let older = owner.name.namespace == namespace && owner.rank() < claimant.rank();
            older.then_some(&*owner.name.name)
        })
    }
}

/// If the claimant at `place` owns the digest in its namespace, all after it there follow another one
/// with it than without it.
fn touch_followers(claimants: &[Claimant], place: usize, touched: &mut BTreeSet<ObjectName>) {
    let namespace = &claimants[place].name.namespace;
    let same = |held: &&Claimant| held.name.namespace == *namespace;
    if claimants[..place].last().is_none_or(|before| !same(&before)) {
        let followers = claimants[place + 1..].iter().take_while(same);
        touched.extend(followers.map(|follower| follower.name.clone()));
    }
}

/// Nothing that could be tried as a digest.
impl fmt::Debug for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Claims").field(&self.0.len()).finish()
    }
}

#[cfg(test)]
mod tests;
