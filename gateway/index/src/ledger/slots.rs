//! The slots of Consumers.
//!
//! A slot belongs to a namespace and name. It stands vacant while a Credential refers to a Consumer
//! that does not exist, and is free for another name only when nothing refers to it: a slot that is
//! used again must never make Alice's key Bob's.

use std::sync::Arc;

use latchkey_core::object::ObjectName;
use latchkey_cow::{Slots, Table};
use latchkey_snapshot::{Consumer, ConsumerParts};

use crate::{draft::Draft, identity::Seed, object::ConsumerFacts, relist::Complete};

/// All slots in use, and which may be used again.
#[derive(Debug)]
pub(super) struct ConsumerSlots {
    seed: Seed,
    slots: Slots<Slot>,
    by_name: Table<u32>,
    free: Vec<u32>,
    /// No slot from this one on was ever used.
    end: u32,
    filled: usize,
}

#[derive(Clone, Debug)]
struct Slot {
    holder: Holder,
    /// How many Credentials refer to it.
    references: u32,
    epoch: u32,
}

/// Whose a slot is.
#[derive(Clone, Debug)]
enum Holder {
    /// A Consumer's; it knows its own name.
    Filled(Arc<Consumer>),
    /// That of a Consumer of this name, if there ever is one.
    Vacant(Box<ObjectName>),
}

impl Holder {
    fn consumer(&self) -> Option<&Arc<Consumer>> {
        match self {
            Self::Filled(consumer) => Some(consumer),
            Self::Vacant(_) => None,
        }
    }

    fn is(&self, name: &ObjectName) -> bool {
        match self {
            Self::Filled(consumer) => consumer.is(&name.namespace, &name.name),
            Self::Vacant(held) => **held == *name,
        }
    }
}

impl ConsumerSlots {
    pub(super) fn new(seed: Seed) -> Self {
        Self {
            seed,
            slots: Slots::new(),
            by_name: Table::new(),
            free: Vec::new(),
            end: 0,
            filled: 0,
        }
    }

    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    pub(super) fn in_use(&self) -> usize {
        self.slots.len()
    }

    /// A Consumer exists. Says whether that is news.
    pub(super) fn fill(&mut self, facts: &ConsumerFacts, epoch: u32, draft: &mut Draft) -> bool {
        let consumer = consumer(facts);
        let number = self.number(&facts.name);
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        slot.epoch = epoch;
        let held = slot.holder.consumer();
        if held.is_some_and(|held| **held == consumer) {
            return false;
        }
        self.filled += usize::from(held.is_none());
        let consumer = Arc::new(consumer);
        slot.holder = Holder::Filled(Arc::clone(&consumer));
        draft.set_consumer(number, consumer);
        true
    }

    /// A Consumer is gone, or cannot be read. Says whether there was one.
    pub(super) fn vacate(&mut self, name: &ObjectName, draft: &mut Draft) -> bool {
        let Some(number) = self.find(name) else {
            return false;
        };
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        if slot.holder.consumer().is_none() {
            return false;
        }
        slot.holder = Holder::Vacant(Box::new(name.clone()));
        self.filled -= 1;
        draft.clear_consumer(number);
        self.free_if_unused(number);
        true
    }

    /// The slot of a name, which a Credential refers to from now on.
    pub(super) fn refer(&mut self, name: &ObjectName) -> u32 {
        let number = self.number(name);
        if let Some(slot) = self.slots.get_mut(number) {
            slot.references += 1;
        }
        number
    }

    /// A Credential does not refer to a slot any more.
    pub(super) fn release(&mut self, number: u32) {
        if let Some(slot) = self.slots.get_mut(number) {
            slot.references -= 1;
        }
        self.free_if_unused(number);
    }

    /// Names of all Consumers that a complete list did not name.
    pub(super) fn unseen(&self, list: Complete<'_>) -> Vec<ObjectName> {
        // By number, not by name: neighbours lie side by side in memory.
        let consumers = (0..self.end).filter_map(|number| {
            let slot = self.slots.get(number)?;
            let consumer = slot.holder.consumer()?;
            list.proves_absence(|| consumer.namespace_str(), slot.epoch)
                .then_some(consumer)
        });
        consumers
            .map(|consumer| ObjectName::new(consumer.namespace_str(), consumer.name()))
            .collect()
    }

    /// The Consumer that is in a slot; `None` where it is vacant or free.
    pub(super) fn consumer(&self, number: u32) -> Option<&Arc<Consumer>> {
        self.slots.get(number)?.holder.consumer()
    }

    /// The first slot beyond those near this one, all of which are either in one leaf or unused; `None`
    /// after the last.
    pub(super) fn beyond(&self, number: u32) -> Option<u32> {
        self.slots.leaf_at(number).1
    }

    /// Puts all Consumers into a snapshot that holds none.
    pub(super) fn put_all(&self, draft: &mut Draft) {
        for number in &self.by_name {
            if let Some(consumer) = self.consumer(*number) {
                draft.set_consumer(*number, Arc::clone(consumer));
            }
        }
    }

    fn find(&self, name: &ObjectName) -> Option<u32> {
        let is = |number: &u32| self.slots.get(*number).is_some_and(|slot| slot.holder.is(name));
        self.by_name.find(self.seed.name(name), is).copied()
    }

    /// The slot of a name; a vacant one if it has none yet.
    fn number(&mut self, name: &ObjectName) -> u32 {
        if let Some(number) = self.find(name) {
            return number;
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        let slot = Slot {
            holder: Holder::Vacant(Box::new(name.clone())),
            references: 0,
            epoch: 0,
        };
        self.slots.set(number, slot);
        self.by_name.insert(self.seed.name(name), number, u32::eq);
        number
    }

    fn free_if_unused(&mut self, number: u32) {
        let Some(slot) = self.slots.get(number) else {
            return;
        };
        let Holder::Vacant(name) = &slot.holder else {
            return;
        };
        if slot.references > 0 {
            return;
        }
        self.by_name.remove(self.seed.name(name), |held| *held == number);
        self.slots.clear(number);
        self.free.push(number);
    }
}

fn consumer(facts: &ConsumerFacts) -> Consumer {
    Consumer::new(&ConsumerParts {
        uid: &facts.uid,
        namespace: &facts.name.namespace,
        name: &facts.name.name,
        username: &facts.username,
        custom_id: facts.custom_id.as_deref().unwrap_or_default(),
        groups: &facts.groups,
        expires: facts.expires,
        disabled: facts.disabled,
        terminating: facts.terminating,
    })
}
