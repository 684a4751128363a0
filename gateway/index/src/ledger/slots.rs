//! The slots of Consumers.
//!
//! A slot belongs to a namespace and name. It stands vacant while a Credential refers to a Consumer
//! that does not exist, and is free for another name only when nothing refers to it: a slot that is
//! used again must never make Alice's key Bob's.

use std::sync::Arc;

use latchkey_core::object::ObjectName;
use latchkey_cow::{Slots, Table};
use latchkey_snapshot::{Consumer, ConsumerParts};

use crate::{draft::Draft, identity::Seed, object::ConsumerFacts};

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
    held: Held,
    /// How many Credentials refer to it.
    references: u32,
    epoch: u32,
}

#[derive(Clone, Debug)]
enum Held {
    /// The Consumer, which knows its own name.
    Consumer(Arc<Consumer>),
    /// No Consumer, but Credentials that name one.
    Vacant(Box<ObjectName>),
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
        let ObjectName { namespace, name } = &facts.name;
        let number = self.number(namespace, name);
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        slot.epoch = epoch;
        match &slot.held {
            Held::Consumer(held) if **held == consumer => return false,
            Held::Consumer(_) => {}
            Held::Vacant(_) => self.filled += 1,
        }
        let consumer = Arc::new(consumer);
        slot.held = Held::Consumer(Arc::clone(&consumer));
        draft.set_consumer(number, consumer);
        true
    }

    /// A Consumer is gone, or cannot be read. Says whether there was one.
    pub(super) fn vacate(&mut self, name: &ObjectName, draft: &mut Draft) -> bool {
        let Some(number) = self.find(&name.namespace, &name.name) else {
            return false;
        };
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        if let Held::Vacant(_) = slot.held {
            return false;
        }
        slot.held = Held::Vacant(Box::new(name.clone()));
        self.filled -= 1;
        draft.clear_consumer(number);
        self.free_if_unused(number);
        true
    }

    /// The slot of a name, which a Credential refers to from now on.
    pub(super) fn refer(&mut self, namespace: &str, name: &str) -> u32 {
        let number = self.number(namespace, name);
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

    /// Names of all Consumers that no apply of this epoch named.
    pub(super) fn unseen(&self, epoch: u32) -> Vec<ObjectName> {
        let numbers = self.by_name.iter().filter_map(|number| self.slots.get(*number));
        let unseen = numbers.filter(|slot| slot.epoch != epoch);
        unseen.filter_map(Slot::name_of_consumer).collect()
    }

    fn find(&self, namespace: &str, name: &str) -> Option<u32> {
        let is = |number: &u32| {
            self.slots
                .get(*number)
                .is_some_and(|slot| slot.is(namespace, name))
        };
        self.by_name.find(self.seed.name(namespace, name), is).copied()
    }

    /// The slot of a name; a vacant one if it has none yet.
    fn number(&mut self, namespace: &str, name: &str) -> u32 {
        if let Some(number) = self.find(namespace, name) {
            return number;
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        let slot = Slot {
            held: Held::Vacant(Box::new(ObjectName::new(namespace, name))),
            references: 0,
            epoch: 0,
        };
        self.slots.set(number, slot);
        self.by_name
            .insert(self.seed.name(namespace, name), number, u32::eq);
        number
    }

    fn free_if_unused(&mut self, number: u32) {
        let Some(slot) = self.slots.get(number) else {
            return;
        };
        let Held::Vacant(name) = &slot.held else { return };
        if slot.references > 0 {
            return;
        }
        let hash = self.seed.name(&name.namespace, &name.name);
        self.by_name.remove(hash, |held| *held == number);
        self.slots.clear(number);
        self.free.push(number);
    }
}

impl Slot {
    fn is(&self, namespace: &str, name: &str) -> bool {
        match &self.held {
            Held::Consumer(consumer) => consumer.is(namespace, name),
            Held::Vacant(held) => held.namespace == namespace && held.name == name,
        }
    }

    fn name_of_consumer(&self) -> Option<ObjectName> {
        match &self.held {
            Held::Consumer(consumer) => Some(ObjectName::new(consumer.namespace_str(), consumer.name())),
            Held::Vacant(_) => None,
        }
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
