//! Which AuthPolicies were heard of, and whether these are all that a list names. Pure.
//!
//! Versions are compared for equality alone. Who asks for a list knows, when it comes, of each policy the
//! version that was heard last, and all that were heard while the list was under way: one that the list
//! names and that is not among them has not arrived.

use std::collections::{HashMap, HashSet};

use latchkey_core::object::ObjectName;
use serde_json::Value;

use crate::cluster::fact::name_of;

/// Versions that are remembered while a question runs. Of those beyond, some are asked for once more.
const LIMIT: usize = 65_536;

/// One version of one policy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::cluster) struct Version {
    place: Place,
    stamp: Stamp,
}

/// The number of a collection, and a name in it.
type Place = (usize, ObjectName);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Stamp {
    uid: String,
    resource_version: String,
}

impl Version {
    /// That of an object; `None` if it does not say so.
    pub(super) fn of(id: usize, object: &Value) -> Option<Self> {
        let text = |field| object.get("metadata")?.get(field)?.as_str().map(str::to_owned);
        Some(Self {
            place: (id, name_of(object)?),
            stamp: Stamp {
                uid: text("uid")?,
                resource_version: text("resourceVersion")?,
            },
        })
    }

    /// Of which policy.
    pub(super) fn name(&self) -> &ObjectName {
        &self.place.1
    }
}

/// What was heard.
#[derive(Debug, Default)]
pub(super) struct Policies {
    heard: HashMap<Place, Last>,
    /// How many lists of a collection began.
    lists: HashMap<usize, u64>,
    /// While a question runs: what was heard since, and what that replaced.
    meanwhile: Option<HashSet<Version>>,
}

#[derive(Debug)]
struct Last {
    stamp: Stamp,
    /// The list of its collection since which it was heard.
    list: u64,
}

impl Policies {
    /// A policy is, or is now, as this says.
    pub(super) fn heard(&mut self, version: Version) {
        let list = self.lists.get(&version.place.0).copied().unwrap_or_default();
        let Version { place, stamp } = version.clone();
        let before = self.heard.insert(place.clone(), Last { stamp, list });
        self.remember(version);
        if let Some(Last { stamp, .. }) = before {
            self.remember(Version { place, stamp });
        }
    }

    /// A policy is gone.
    pub(super) fn gone(&mut self, id: usize, name: ObjectName) {
        let place = (id, name);
        if let Some(Last { stamp, .. }) = self.heard.remove(&place) {
            self.remember(Version { place, stamp });
        }
    }

    /// A list of a collection begins.
    pub(super) fn list_begin(&mut self, id: usize) {
        *self.lists.entry(id).or_default() += 1;
    }

    /// It was complete: what was not heard since it began is gone.
    pub(super) fn list_end(&mut self, id: usize) {
        let list = self.lists.get(&id).copied().unwrap_or_default();
        let left_out = |(place, last): &(&Place, &Last)| place.0 == id && last.list != list;
        let gone: Vec<_> = self
            .heard
            .iter()
            .filter(left_out)
            .map(|(place, _)| place.clone())
            .collect();
        for (id, name) in gone {
            self.gone(id, name);
        }
    }

    /// From now on it is remembered what is heard.
    pub(super) fn ask(&mut self) {
        self.meanwhile = Some(HashSet::new());
    }

    /// Those of a list asked for since that were not heard of yet.
    pub(super) fn answered(&mut self, mut listed: HashSet<Version>) -> HashSet<Version> {
        let meanwhile = self.meanwhile.take().unwrap_or_default();
        listed.retain(|version| {
            let last = self.heard.get(&version.place);
            last.is_none_or(|last| last.stamp != version.stamp) && !meanwhile.contains(version)
        });
        listed
    }

    /// There was no answer.
    pub(super) fn unanswered(&mut self) {
        self.meanwhile = None;
    }

    fn remember(&mut self, version: Version) {
        if let Some(meanwhile) = &mut self.meanwhile
            && meanwhile.len() < LIMIT
        {
            meanwhile.insert(version);
        }
    }
}

#[cfg(test)]
mod tests;
