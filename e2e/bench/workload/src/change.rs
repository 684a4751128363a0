//! The kinds of change that are measured, as the facts and deletions that an informer would hand over.

use latchkey_core::object::ObjectName;
use latchkey_index::{
    Index,
    object::{Fact, Kind},
};

use crate::town;

/// What one change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A Consumer and its Credential come.
    Apply,
    /// A Credential gets another key.
    Rotate,
    /// A Consumer gets another group.
    Consumer,
    /// A Credential and its Consumer go.
    Delete,
}

/// One event of a change.
pub(crate) enum Event {
    Apply(Fact),
    Delete(Kind, ObjectName),
}

impl Change {
    pub(crate) const ALL: [Self; 4] = [Self::Apply, Self::Rotate, Self::Consumer, Self::Delete];

    /// In names of figures.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Rotate => "rotate",
            Self::Consumer => "consumer",
            Self::Delete => "delete",
        }
    }

    /// How many digests it computes.
    pub(crate) fn digests(self) -> u32 {
        match self {
            Self::Apply | Self::Rotate => 1,
            Self::Consumer | Self::Delete => 0,
        }
    }

    /// Its events, for a pair.
    pub(crate) fn events(self, number: usize) -> Vec<Event> {
        let applied = Event::Apply;
        match self {
            Self::Apply => vec![
                applied(Fact::Consumer(town::consumer(number))),
                applied(Fact::Credential(town::credential(number, 0))),
            ],
            Self::Rotate => vec![applied(Fact::Credential(town::credential(number, 1)))],
            Self::Consumer => {
                let mut facts = town::consumer(number);
                facts.groups = vec!["premium".to_owned()];
                vec![applied(Fact::Consumer(facts))]
            }
            Self::Delete => vec![
                Event::Delete(Kind::Credential, town::credential_name(number)),
                Event::Delete(Kind::Consumer, town::consumer_name(number)),
            ],
        }
    }
}

/// Takes in one change, and commits it.
pub(crate) fn make(index: &mut Index, events: Vec<Event>) {
    for event in events {
        match event {
            Event::Apply(fact) => index.apply(fact),
            Event::Delete(kind, name) => index.delete(kind, &name),
        }
    }
    std::hint::black_box(index.commit());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::{Town, key};

    #[test]
    fn each_change_does_what_it_says() {
        let mut town = Town::of(100);
        make(&mut town.index, Change::Apply.events(100));
        assert!(town.ask(&key(100, 0)).is_ok());
        make(&mut town.index, Change::Rotate.events(100));
        assert!(town.ask(&key(100, 0)).is_err() && town.ask(&key(100, 1)).is_ok());
        let before = town.index.stats().revision;
        make(&mut town.index, Change::Consumer.events(100));
        assert_eq!(town.index.stats().revision, before + 1);
        make(&mut town.index, Change::Delete.events(100));
        assert!(town.ask(&key(100, 1)).is_err());
        assert_eq!(town.index.ledger_stats().slots, 100);
    }
}
