//! Which AuthPolicies name each target. Those that decide there are found without a look at the others, however
//! many there are.

use std::collections::{BTreeSet, HashMap};

use latchkey_core::{object::ObjectName, time::UnixSeconds};

use super::{links::Multimap, work};
use crate::read::auth_policy::{AuthPolicy, Target};

/// All policies that name something, by what they name.
#[derive(Debug, Default)]
pub(super) struct Claims {
    by_target: HashMap<Target, Claimants>,
    /// The listeners that policies name, by their Gateway.
    sections: Multimap<ObjectName, String>,
}

/// The policies that name one target, by what they do there.
#[derive(Debug, Default)]
struct Claimants {
    /// They cannot be honoured, and close it.
    broken: Queue,
    /// The first must pass in addition.
    overriding: Queue,
    /// The first holds, unless something more specific does.
    usual: Queue,
}

/// The oldest first, then by name.
type Queue = BTreeSet<(UnixSeconds, ObjectName)>;

impl Claimants {
    fn queue(&mut self, policy: &AuthPolicy) -> &mut Queue {
        match (&policy.body, policy.overriding) {
            (Err(_), _) => &mut self.broken,
            (Ok(_), true) => &mut self.overriding,
            (Ok(_), false) => &mut self.usual,
        }
    }

    fn queues(&self) -> [&Queue; 3] {
        [&self.broken, &self.overriding, &self.usual]
    }
}

/// Who holds at a target, with `override` and without.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Holders {
    overriding: Option<ObjectName>,
    usual: Option<ObjectName>,
}

impl Claims {
    /// Puts in, or takes out, all that a policy names.
    pub(super) fn set(&mut self, present: bool, name: &ObjectName, policy: &AuthPolicy) {
        let claim = (policy.meta.created, name.clone());
        for target in &policy.targets {
            let claimants = self.by_target.entry(target.clone()).or_default();
            if present {
                claimants.queue(policy).insert(claim.clone());
            } else {
                claimants.queue(policy).remove(&claim);
            }
            let named = claimants.queues().iter().any(|queue| !queue.is_empty());
            if !named {
                self.by_target.remove(target);
            }
            if let Target::Listener(gateway, section) = target {
                self.sections.set(named, gateway.clone(), section.clone());
            }
        }
    }

    /// The policies that decide at a target: one at most of those that do the same.
    pub(super) fn deciding(&self, target: &Target) -> impl Iterator<Item = &ObjectName> {
        let queues = self.by_target.get(target).map(Claimants::queues);
        queues.into_iter().flatten().filter_map(BTreeSet::first).map(name)
    }

    /// Who holds at a target.
    pub(super) fn holders(&self, target: &Target) -> Holders {
        let claimants = self.by_target.get(target);
        let first = |queue: Option<&Queue>| queue.and_then(BTreeSet::first).map(name).cloned();
        Holders {
            overriding: first(claimants.map(|claimants| &claimants.overriding)),
            usual: first(claimants.map(|claimants| &claimants.usual)),
        }
    }

    /// The policies of which it is said who holds in their place, where that is another than before.
    pub(super) fn displaced(&self, target: &Target, before: &Holders) -> impl Iterator<Item = &ObjectName> {
        let now = self.holders(target);
        let claimants = self.by_target.get(target);
        let overriding = claimants
            .filter(|_| now.overriding != before.overriding)
            .map(|claimants| &claimants.overriding);
        let usual = claimants
            .filter(|_| now.usual != before.usual)
            .map(|claimants| &claimants.usual);
        overriding.into_iter().chain(usual).flatten().map(name)
    }

    /// All that name a target.
    pub(super) fn of(&self, target: &Target) -> impl Iterator<Item = &ObjectName> + use<'_> {
        let queues = self.by_target.get(target).map(Claimants::queues);
        queues.into_iter().flatten().flatten().map(name)
    }

    /// All that name a Gateway, or a listener of it.
    pub(super) fn of_gateway(&self, gateway: &ObjectName) -> impl Iterator<Item = &ObjectName> {
        let sections = self.sections(gateway).cloned();
        let listeners = sections.map(|section| Target::Listener(gateway.clone(), section));
        let targets = listeners.chain([Target::Gateway(gateway.clone())]);
        targets.flat_map(|target| self.of(&target))
    }

    /// The listeners of a Gateway that policies name, whether it has them or not.
    pub(super) fn sections(&self, gateway: &ObjectName) -> impl Iterator<Item = &String> {
        self.sections.get(gateway)
    }
}

fn name((_, name): &(UnixSeconds, ObjectName)) -> &ObjectName {
    work::look();
    name
}
