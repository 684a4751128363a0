//! The same rules with nothing incremental about them: objects are kept whole, and each answer is
//! worked out from all of them.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_core::{
    digest::{Digest, KeyHash, Pepper},
    object::ObjectName,
    publish::{Subject, accept},
    reason::Reason,
    tenancy::Admission,
    time::UnixSeconds,
};
use latchkey_index::object::{ConsumerFacts, CredentialFacts, Fact, KeySource, Kind};

use crate::Answer;

/// All objects as they are.
#[derive(Default)]
pub(crate) struct Naive {
    pub(crate) peppers: Vec<Pepper>,
    consumers: Objects,
    credentials: Objects,
}

#[derive(Default)]
struct Objects {
    facts: BTreeMap<ObjectName, Fact>,
    /// What each running list has named, by what it speaks of: one namespace, or all.
    listed: BTreeMap<Option<&'static str>, BTreeSet<ObjectName>>,
}

impl Naive {
    fn of(&mut self, kind: Kind) -> &mut Objects {
        match kind {
            Kind::Consumer => &mut self.consumers,
            Kind::Credential => &mut self.credentials,
        }
    }

    pub(crate) fn apply(&mut self, fact: Fact) {
        let objects = self.of(fact.kind());
        for listed in objects.listed.values_mut() {
            listed.insert(fact.name().clone());
        }
        objects.facts.insert(fact.name().clone(), fact);
    }

    pub(crate) fn delete(&mut self, kind: Kind, name: &ObjectName) {
        self.of(kind).facts.remove(name);
    }

    pub(crate) fn begin(&mut self, kind: Kind, namespace: Option<&'static str>) {
        self.of(kind).listed.insert(namespace, BTreeSet::new());
    }

    /// Gives back the names of those that could not be read and are gone.
    pub(crate) fn end(&mut self, kind: Kind, namespace: Option<&'static str>) -> Vec<ObjectName> {
        let objects = self.of(kind);
        let Some(listed) = objects.listed.remove(&namespace) else {
            return Vec::new();
        };
        let is_gone = |name: &ObjectName| {
            namespace.is_none_or(|namespace| namespace == name.namespace) && !listed.contains(name)
        };
        let gone = objects.facts.extract_if(.., |name, _| is_gone(name));
        gone.filter(|(_, fact)| matches!(fact, Fact::Undecodable(..)))
            .map(|(name, _)| name)
            .collect()
    }

    pub(crate) fn facts(&self, kind: Kind) -> impl Iterator<Item = Fact> {
        let objects = match kind {
            Kind::Consumer => &self.consumers,
            Kind::Credential => &self.credentials,
        };
        objects.facts.values().cloned()
    }

    pub(crate) fn undecodable(&self) -> usize {
        let all = self
            .consumers
            .facts
            .values()
            .chain(self.credentials.facts.values());
        all.filter(|fact| matches!(fact, Fact::Undecodable(..))).count()
    }

    pub(crate) fn consumers(&self) -> usize {
        let all = self.consumers.facts.values();
        all.filter(|fact| matches!(fact, Fact::Consumer(_))).count()
    }

    fn credentials(&self) -> impl Iterator<Item = &CredentialFacts> {
        self.credentials.facts.values().filter_map(|fact| match fact {
            Fact::Credential(facts) => Some(facts),
            _ => None,
        })
    }

    fn consumer(&self, namespace: &str, name: &str) -> Option<&ConsumerFacts> {
        match self.consumers.facts.get(&ObjectName::new(namespace, name))? {
            Fact::Consumer(facts) => Some(facts),
            _ => None,
        }
    }

    /// All digests of a credential under the active peppers.
    fn digests(&self, facts: &CredentialFacts) -> BTreeSet<Digest> {
        let mut digests = BTreeSet::new();
        for pepper in &self.peppers {
            match &facts.source {
                None => {}
                Some(KeySource::Sha256(hash)) => drop(digests.insert(pepper.digest(hash))),
                Some(KeySource::Published(source, blocks)) => {
                    let subject = Subject {
                        credential_uid: &facts.uid,
                        source,
                    };
                    digests.extend(blocks.iter().filter_map(|block| accept(block, subject, pepper)));
                }
            }
        }
        digests
    }

    pub(crate) fn conflicted(&self) -> BTreeSet<ObjectName> {
        let claim = |facts: &CredentialFacts| (facts.created, facts.name.name.clone());
        let loses = |facts: &&CredentialFacts| {
            let digests = self.digests(facts);
            self.credentials().any(|other| {
                other.name.namespace == facts.name.namespace
                    && claim(other) < claim(facts)
                    && !self.digests(other).is_disjoint(&digests)
            })
        };
        self.credentials()
            .filter(loses)
            .map(|facts| facts.name.clone())
            .collect()
    }

    /// Who holds a key, in whatever namespace.
    pub(crate) fn holders(&self, key: &str) -> Vec<&CredentialFacts> {
        let hash = KeyHash::of(key.as_bytes());
        let wanted: Vec<Digest> = self.peppers.iter().map(|pepper| pepper.digest(&hash)).collect();
        let holds = |facts: &&CredentialFacts| {
            let digests = self.digests(facts);
            wanted.iter().any(|digest| digests.contains(digest))
        };
        self.credentials().filter(holds).collect()
    }

    pub(crate) fn answer(
        &self,
        holders: &[&CredentialFacts],
        admission: &Admission,
        now: UnixSeconds,
    ) -> Answer {
        let admits = |facts: &&&CredentialFacts| admission.admits(&facts.name.namespace);
        let admitted: Vec<&CredentialFacts> = holders.iter().filter(admits).copied().collect();
        let namespaces: BTreeSet<&str> = admitted.iter().map(|facts| &*facts.name.namespace).collect();
        let namespace = match (namespaces.get(&*admission.own), namespaces.first()) {
            (Some(own), _) => own,
            (None, Some(first)) if namespaces.len() == 1 => first,
            (None, Some(_)) => return Err(Reason::Ambiguous),
            (None, None) => return Err(Reason::UnknownKey),
        };
        let inside = admitted.iter().filter(|facts| facts.name.namespace == *namespace);
        let owner = inside
            .min_by_key(|facts| (facts.created, &facts.name.name))
            .expect("the namespace holds it");
        self.pass(owner, now)
    }

    fn pass(&self, owner: &CredentialFacts, now: UnixSeconds) -> Answer {
        let refuse = |refused: bool, reason| if refused { Err(reason) } else { Ok(()) };
        let passed = |time: Option<UnixSeconds>| time.is_some_and(|time| now >= time);
        refuse(owner.terminating, Reason::Terminating)?;
        refuse(owner.disabled, Reason::Disabled)?;
        refuse(
            owner.not_before.is_some_and(|time| now < time),
            Reason::NotYetValid,
        )?;
        refuse(passed(owner.expires), Reason::Expired)?;
        let consumer = self.consumer(&owner.name.namespace, &owner.consumer);
        let consumer = consumer.ok_or(Reason::Orphaned)?;
        refuse(consumer.terminating, Reason::ConsumerTerminating)?;
        refuse(consumer.disabled, Reason::ConsumerDisabled)?;
        refuse(passed(consumer.expires), Reason::ConsumerExpired)?;
        Ok([
            owner.name.to_string(),
            consumer.uid.clone(),
            consumer.name.namespace.clone(),
            consumer.username.clone(),
            consumer.custom_id.clone().unwrap_or_default(),
            consumer.groups.join(","),
        ])
    }
}
