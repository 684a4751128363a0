//! Who refers to an object, found from the object: so that one that comes or goes touches those that
//! name it, and no others.

use std::collections::{BTreeSet, HashMap};

use crate::object::ObjectName;

/// References of objects of one kind to objects of another, whether or not these exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Referrers(HashMap<ObjectName, BTreeSet<ObjectName>>);

impl Referrers {
    /// `referrer` names `object`.
    pub fn add(&mut self, object: ObjectName, referrer: &ObjectName) {
        self.0.entry(object).or_default().insert(referrer.clone());
    }

    /// `referrer` does not name `object` any more.
    pub fn remove(&mut self, object: &ObjectName, referrer: &ObjectName) {
        if let Some(referrers) = self.0.get_mut(object) {
            referrers.remove(referrer);
            if referrers.is_empty() {
                self.0.remove(object);
            }
        }
    }

    /// Those that name `object`, in order.
    pub fn of(&self, object: &ObjectName) -> impl Iterator<Item = &ObjectName> + use<'_> {
        self.0.get(object).into_iter().flatten()
    }

    /// Whether nothing refers to anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_referrer_leaves_nothing_behind() {
        let (secret, a, b) = (
            ObjectName::new("n", "s"),
            ObjectName::new("n", "a"),
            ObjectName::new("n", "b"),
        );
        let mut referrers = Referrers::default();
        referrers.add(secret.clone(), &b);
        referrers.add(secret.clone(), &a);
        referrers.add(secret.clone(), &a);
        assert_eq!(referrers.of(&secret).collect::<Vec<_>>(), [&a, &b]);
        assert_eq!(referrers.of(&ObjectName::new("m", "s")).count(), 0);
        referrers.remove(&secret, &a);
        assert_eq!(referrers.of(&secret).collect::<Vec<_>>(), [&b]);
        referrers.remove(&secret, &b);
        referrers.remove(&secret, &b);
        assert!(referrers.is_empty());
    }
}
