//! The steps of a history, and what they leave behind.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_core::object::ObjectName;
use proptest::{prelude::*, sample::select};
use serde_json::Value;

use super::{
    super::support::*,
    model::{Model, Objects},
    objects::any_object,
};
use crate::object::{Kind, Manifest};

/// One step of a history.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Put(Value),
    Unreadable(Kind, ObjectName),
    Delete(Kind, ObjectName),
    /// A list of a kind begins: of one namespace, or of all.
    Begin(Scope),
    /// It was complete, if it had begun.
    End(Scope),
    Commit,
}

pub(super) type Scope = (Kind, Option<&'static str>);

/// A history: usually of a place where something is served, so that more of what follows meets something.
pub(super) fn history() -> impl Strategy<Value = Vec<Step>> {
    let first = prop_oneof![1 => Just(Vec::new()), 3 => Just(base())];
    (first, proptest::collection::vec(step(), 1..60)).prop_map(|(first, steps)| {
        let first = first.into_iter().map(Step::Put);
        first.chain(steps).collect()
    })
}

fn step() -> impl Strategy<Value = Step> {
    let named = || any_object().prop_map(|object| identity(&object));
    prop_oneof![
        40 => any_object().prop_map(Step::Put),
        6 => named().prop_map(|(kind, name)| Step::Delete(kind, name)),
        1 => named().prop_map(|(kind, name)| Step::Unreadable(kind, name)),
        2 => scope().prop_map(Step::Begin),
        2 => scope().prop_map(Step::End),
        12 => Just(Step::Commit),
    ]
}

fn scope() -> impl Strategy<Value = Scope> {
    let kinds = vec![
        Kind::Gateway,
        Kind::HttpRoute,
        Kind::AuthPolicy,
        Kind::Service,
        Kind::EndpointSlice,
        Kind::ReferenceGrant,
    ];
    let namespaced = (select(kinds), select(vec![None, Some("default"), Some("a")]));
    prop_oneof![8 => namespaced, 1 => Just((Kind::Namespace, None))]
}

/// The objects of the moment, and what the lists that run have named of them.
#[derive(Default)]
pub(super) struct Naive {
    pub(super) held: Objects,
    running: BTreeMap<Scope, BTreeSet<ObjectName>>,
}

impl Naive {
    pub(super) fn put(&mut self, kind: Kind, name: ObjectName, manifest: Manifest) {
        for (scope, named) in &mut self.running {
            if speaks_of(*scope, kind, &name) {
                named.insert(name.clone());
            }
        }
        self.held.insert((kind, name), manifest);
    }

    pub(super) fn delete(&mut self, kind: Kind, name: ObjectName) {
        self.held.remove(&(kind, name));
    }

    pub(super) fn begin(&mut self, scope: Scope) {
        self.running.insert(scope, BTreeSet::new());
    }

    /// Gives back how many are gone.
    pub(super) fn end(&mut self, scope: Scope) -> usize {
        let before = self.held.len();
        if let Some(named) = self.running.remove(&scope) {
            self.held
                .retain(|(kind, name), _| !speaks_of(scope, *kind, name) || named.contains(name));
        }
        before - self.held.len()
    }

    /// A router that is told the objects alone, the last one first.
    pub(super) fn rebuilt(&self, deny: bool) -> World {
        let mut fresh = World::with(deny);
        for ((kind, name), manifest) in self.held.iter().rev() {
            fresh.router.apply(*kind, name, manifest.clone());
        }
        fresh.commit();
        fresh
    }

    /// What requests must meet.
    pub(super) fn model(&self, deny: bool) -> Model<'_> {
        Model {
            objects: &self.held,
            deny,
        }
    }
}

fn speaks_of((listed, namespace): Scope, kind: Kind, name: &ObjectName) -> bool {
    listed == kind && namespace.is_none_or(|namespace| namespace == name.namespace)
}
