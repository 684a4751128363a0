//! What random histories are made of: a situation that never comes up is one that no property tries.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_core::object::ObjectName;
use latchkey_index::object::{ConsumerFacts, CredentialFacts, Fact, KeySource, Kind};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};

use crate::history::{Step, history};

const HISTORIES: usize = 400;

/// Each of these must come up in so many histories at least.
const AT_LEAST: usize = 20;

const SITUATIONS: [&str; 19] = [
    "a Consumer is created under a Credential that waits for it",
    "a Consumer is deleted under a Credential",
    "a Consumer is made again under a Credential",
    "a commit takes out no more than it puts in",
    "a complete list omits what is known",
    "a list begins again after items",
    "a list begins again after no item",
    "a list never ends",
    "an end without a begin",
    "an item outside of a list",
    "an older version is told again",
    "an undecodable version of what is known",
    "one key in two namespaces",
    "one key twice in a namespace",
    "terminating",
    "two lists of a kind run at a time",
    "two peppers at a time",
    "uid changes after a deletion",
    "uid changes without a deletion",
];

/// A kind as a key of maps, and an object of it.
type Place = (bool, ObjectName);

/// What happened so far.
#[derive(Default)]
struct Seen {
    known: BTreeMap<Place, Fact>,
    /// All versions told of each object.
    told: BTreeMap<Place, Vec<Fact>>,
    /// Running lists, and what each has named.
    running: BTreeMap<(bool, Option<&'static str>), BTreeSet<ObjectName>>,
    /// Since the last commit.
    created: usize,
    deleted: usize,
    found: BTreeSet<&'static str>,
}

fn at(kind: Kind) -> bool {
    kind == Kind::Credential
}

fn uid(fact: &Fact) -> Option<&str> {
    match fact {
        Fact::Consumer(ConsumerFacts { uid, .. }) | Fact::Credential(CredentialFacts { uid, .. }) => {
            Some(uid)
        }
        Fact::Undecodable(..) => None,
    }
}

impl Seen {
    fn note(&mut self, happens: bool, situation: &'static str) {
        assert!(SITUATIONS.contains(&situation), "{situation} is not listed");
        if happens {
            self.found.insert(situation);
        }
    }

    fn credentials(&self) -> impl Iterator<Item = &CredentialFacts> {
        self.known.values().filter_map(|fact| match fact {
            Fact::Credential(facts) => Some(facts),
            _ => None,
        })
    }

    /// Whether a Credential with a source names this Consumer.
    fn is_named(&self, name: &ObjectName) -> bool {
        self.credentials().any(|facts| {
            facts.source.is_some() && facts.name.namespace == name.namespace && facts.consumer == name.name
        })
    }

    fn tell(&mut self, fact: &Fact) {
        let place = (at(fact.kind()), fact.name().clone());
        let told = self.told.entry(place.clone()).or_default();
        let is_older = told.last() != Some(fact) && told.contains(fact);
        let last_uid = told.iter().rev().find_map(uid).map(str::to_owned);
        told.push(fact.clone());
        let is_known = self.known.contains_key(&place);
        let was_readable = self.known.get(&place).is_some_and(|held| uid(held).is_some());
        let is_other = uid(fact)
            .zip(last_uid.as_deref())
            .is_some_and(|(new, old)| new != old);
        let is_joined = matches!(fact, Fact::Consumer(_)) && self.is_named(fact.name()) && !is_known;
        for (happens, situation) in [
            (is_older, "an older version is told again"),
            (is_other && is_known, "uid changes without a deletion"),
            (is_other && !is_known, "uid changes after a deletion"),
            (
                is_joined && last_uid.is_none(),
                "a Consumer is created under a Credential that waits for it",
            ),
            (
                is_joined && last_uid.is_some(),
                "a Consumer is made again under a Credential",
            ),
            (
                was_readable && uid(fact).is_none(),
                "an undecodable version of what is known",
            ),
        ] {
            self.note(happens, situation);
        }
        self.created += usize::from(!is_known);
        for ((kind, _), named) in &mut self.running {
            if *kind == place.0 {
                named.insert(place.1.clone());
            }
        }
        if let Fact::Credential(facts) = fact {
            self.note(facts.terminating, "terminating");
            self.compare_keys(facts);
        }
        self.known.insert(place, fact.clone());
    }

    fn compare_keys(&mut self, facts: &CredentialFacts) {
        let Some(KeySource::Sha256(hash)) = &facts.source else {
            return;
        };
        let holds = |other: &&CredentialFacts| {
            other.name != facts.name && matches!(&other.source, Some(KeySource::Sha256(held)) if held == hash)
        };
        let is_here = |other: &CredentialFacts| other.name.namespace == facts.name.namespace;
        let others: BTreeSet<bool> = self.credentials().filter(holds).map(is_here).collect();
        self.note(others.contains(&true), "one key twice in a namespace");
        self.note(others.contains(&false), "one key in two namespaces");
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Apply(fact) => self.tell(fact),
            Step::RelistApply(fact) => {
                let runs = self.running.keys().any(|(kind, _)| *kind == at(fact.kind()));
                self.note(!runs, "an item outside of a list");
                self.tell(fact);
            }
            Step::Delete(kind, name) => {
                let was_known = self.known.remove(&(at(*kind), name.clone())).is_some();
                self.deleted += usize::from(was_known);
                let orphans = was_known && *kind == Kind::Consumer && self.is_named(name);
                self.note(orphans, "a Consumer is deleted under a Credential");
            }
            Step::Begin(kind, namespace) => {
                let broken = self.running.insert((at(*kind), *namespace), BTreeSet::new());
                let items = broken.map(|named| named.len());
                self.note(items == Some(0), "a list begins again after no item");
                self.note(items > Some(0), "a list begins again after items");
                let of_kind = self.running.keys().filter(|(held, _)| *held == at(*kind));
                let two = of_kind.count() > 1;
                self.note(two, "two lists of a kind run at a time");
            }
            Step::End(kind, namespace) => self.end(at(*kind), *namespace),
            Step::Peppers(peppers) => self.note(peppers.len() > 1, "two peppers at a time"),
            Step::Commit => {
                let is_hidden = self.deleted > 0 && self.created >= self.deleted;
                self.note(is_hidden, "a commit takes out no more than it puts in");
                (self.created, self.deleted) = (0, 0);
            }
        }
    }

    fn end(&mut self, kind: bool, namespace: Option<&'static str>) {
        let Some(named) = self.running.remove(&(kind, namespace)) else {
            self.note(true, "an end without a begin");
            return;
        };
        let before = self.known.len();
        self.known.retain(|(held, name), _| {
            let is_in_scope = namespace.is_none_or(|namespace| namespace == name.namespace);
            *held != kind || !is_in_scope || named.contains(name)
        });
        let gone = before - self.known.len();
        self.deleted += gone;
        self.note(gone > 0, "a complete list omits what is known");
    }
}

#[test]
fn random_histories_hold_every_situation() {
    let mut runner = TestRunner::deterministic();
    let histories = history();
    let mut counts = BTreeMap::from(SITUATIONS.map(|situation| (situation, 0)));
    for _ in 0..HISTORIES {
        let tree = histories.new_tree(&mut runner).expect("nothing is rejected");
        let mut seen = Seen::default();
        tree.current().iter().for_each(|step| seen.take(step));
        let runs = !seen.running.is_empty();
        seen.note(runs, "a list never ends");
        for situation in seen.found {
            *counts.entry(situation).or_default() += 1;
        }
    }
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < AT_LEAST).collect();
    assert!(rare.is_empty(), "hardly ever, in {HISTORIES} histories: {rare:?}");
}
