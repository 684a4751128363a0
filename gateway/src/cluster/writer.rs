//! From events of watches to committed versions: the one place that writes index and router.
//!
//! ```text
//! Event -> fact  -> Index  --.
//!      `-> value -> Router --+-> one commit each -> requests
//!      `-> pepper Secret -> Index
//! ```
//!
//! Knows no client, no thread and no time. The router commits nothing before each collection had its
//! first complete list and a pepper was read: a policy that was not heard of yet opens doors, and a key
//! without a pepper is refused.

use std::{
    mem,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use latchkey_core::object::ObjectName;
use latchkey_index::{Checked, Index, object::Fact};
use latchkey_routing::{
    object::Manifest,
    read::Reason,
    router::{self, Router},
};
use latchkey_runtime::{readiness::Readiness, watch::Event};
use serde_json::Value;

use super::{
    fact::{fact, name_of},
    kinds::{Scope, Watched},
    peppers::{News, PepperSecret},
    progress::Progress,
    stats::WatchStats,
};
use crate::{
    finding::{Finding, Findings, Subject, UNDECODABLE, nowhere},
    object::{Kind, ObjectKey, Reader},
};

/// The writer of everything that requests read.
#[derive(Debug)]
pub struct Writer {
    collections: Vec<Collection>,
    index: Index,
    router: Router,
    pepper: PepperSecret,
    findings: Findings,
    progress: Progress,
    stats: Arc<WatchStats>,
    serving: bool,
    /// What lists told anew and was not logged yet.
    corrected: usize,
    /// Whether a list has ended since the last commit.
    listed: bool,
}

#[derive(Debug)]
struct Collection {
    watched: Watched,
    /// Whether the API server does not know it.
    missing: bool,
}

impl Writer {
    /// A writer of what is in a scope, whose index and router hold nothing yet.
    pub fn new(
        scope: &Scope,
        stats: Arc<WatchStats>,
        index: Index,
        router: Router,
        readiness: &Readiness,
    ) -> Self {
        let watched = scope.watched();
        Self {
            index,
            router,
            pepper: PepperSecret::new(scope.pepper.clone()),
            findings: Findings::default(),
            progress: Progress::new(&watched, readiness),
            stats,
            serving: false,
            corrected: 0,
            listed: false,
            collections: watched
                .into_iter()
                .map(|watched| Collection {
                    watched,
                    missing: false,
                })
                .collect(),
        }
    }

    /// Where its numbers are.
    pub fn stats(&self) -> Arc<WatchStats> {
        self.stats.clone()
    }

    /// The index that it writes.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The router that it writes.
    pub fn router(&self) -> &Router {
        &self.router
    }

    /// All that is wrong at present.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Takes in what happened in a collection: the number of it in [`Scope::watched`].
    pub fn take(&mut self, id: usize, event: Event) {
        let Some(collection) = self.collections.get(id) else {
            return;
        };
        let kind = collection.watched.kind;
        match event {
            Event::ListBegin => self.list_begin(id, kind),
            Event::Listed(object) => self.apply(id, kind, object, Index::relist_apply),
            Event::Applied(object) => self.apply(id, kind, object, Index::apply),
            Event::Deleted(object) => self.delete(id, kind, &object),
            Event::ListEnd => {
                self.set_missing(id, false);
                self.list_end(id, kind);
                if kind != Kind::Secret {
                    self.progress.complete(id);
                }
            }
            Event::Missing => self.missing(id, kind),
            // The watch itself logs and counts how it fares.
            Event::Trouble(why) => self.progress.trouble(id, why),
            Event::Working => {}
        }
    }

    /// Puts in force all that was taken in; says whether that is so for routes too.
    pub fn commit(&mut self) -> bool {
        let done = self.index.commit();
        let refused = u64::try_from(done.refused_blocks).unwrap_or(u64::MAX);
        self.stats.refused_blocks.fetch_add(refused, Relaxed);
        self.correct(done.corrected);
        for kind in [Kind::Consumer, Kind::Credential] {
            if let (Some(stats), Reader::Index(index)) = (self.stats.of(kind), kind.reader()) {
                stats.undecodable.store(self.index.undecodable(index), Relaxed);
            }
        }
        for change in self.index.conflict_changes() {
            self.findings.ownership(change, nowhere);
        }
        self.serving |= self.progress.is_complete();
        if self.serving {
            for finding in self.router.commit().findings {
                self.find_routing(finding);
            }
        }
        self.progress.tell();
        self.serving
    }

    /// Compares about so many objects of the index with what requests read. After a repair, a commit says
    /// who holds no key of their own any more.
    pub fn check(&mut self, at_most: usize) -> Checked {
        self.index.check(at_most)
    }

    /// Lists said something else than was in force of so many objects. That is the only trace of an event
    /// that was lost; after an outage it is what was missed. What a process learns as it starts is none.
    /// Counted at once, and logged once a list, for a long outage is many batches.
    fn correct(&mut self, corrected: usize) {
        let listed = mem::take(&mut self.listed);
        if !self.serving {
            return;
        }
        let number = u64::try_from(corrected).unwrap_or(u64::MAX);
        self.stats.corrections.fetch_add(number, Relaxed);
        self.corrected += corrected;
        if listed && self.corrected > 0 {
            tracing::info!(
                corrected = mem::take(&mut self.corrected),
                "a list told of Consumers or Credentials what no watch had told"
            );
        }
    }

    /// Nothing more is waiting: what was not logged because it was too much is summed up.
    pub fn pause(&mut self) {
        self.findings.end_of_batch();
    }

    fn list_begin(&mut self, id: usize, kind: Kind) {
        let namespace = namespace(&self.collections, id);
        match kind.reader() {
            Reader::Index(kind) => self.index.relist_begin(kind, namespace),
            Reader::Router(kind) => self.router.relist_begin(kind, namespace),
            Reader::Secrets => self.pepper.list_begin(),
        }
    }

    fn list_end(&mut self, id: usize, kind: Kind) {
        let namespace = namespace(&self.collections, id);
        match kind.reader() {
            Reader::Index(index) => {
                self.listed = true;
                for name in self.index.relist_end(index, namespace) {
                    self.findings.replace(about(kind, name), Vec::new(), nowhere);
                }
            }
            Reader::Router(kind) => {
                self.router.relist_end(kind, namespace);
            }
            Reader::Secrets => {
                if let Some(news) = self.pepper.list_end() {
                    self.take_peppers(id, news);
                }
            }
        }
    }

    /// `take` is what the index does with a fact.
    fn apply(&mut self, id: usize, kind: Kind, object: Value, take: fn(&mut Index, Fact)) {
        let Some(name) = name_of(&object) else {
            return unnamed(kind);
        };
        match kind.reader() {
            Reader::Index(index) => {
                let (fact, findings) = match fact(index, &object) {
                    Ok(fact) => (fact, Vec::new()),
                    Err(why) => (
                        Fact::Undecodable(index, name.clone()),
                        vec![Finding::warning(UNDECODABLE, why)],
                    ),
                };
                take(&mut self.index, fact);
                self.findings.replace(about(kind, name), findings, nowhere);
            }
            Reader::Router(kind) => self.router.apply(kind, &name, Manifest::Value(object)),
            Reader::Secrets => {
                let news = self.pepper.read(&object);
                self.take_peppers(id, news);
            }
        }
    }

    fn delete(&mut self, id: usize, kind: Kind, object: &Value) {
        let Some(name) = name_of(object) else {
            return unnamed(kind);
        };
        match kind.reader() {
            Reader::Index(index) => {
                self.index.delete(index, &name);
                self.findings.replace(about(kind, name), Vec::new(), nowhere);
            }
            Reader::Router(kind) => self.router.delete(kind, &name),
            Reader::Secrets => {
                let news = self.pepper.gone();
                self.take_peppers(id, news);
            }
        }
    }

    /// The API server does not know the kind. What grants is then gone, as a complete empty list would
    /// say; what shapes stays as it was, for its absence may open. At the start nothing is believed.
    fn missing(&mut self, id: usize, kind: Kind) {
        self.set_missing(id, true);
        if kind.grants() && kind != Kind::Secret {
            self.list_begin(id, kind);
            self.list_end(id, kind);
        }
        if let Some(collection) = self.collections.get(id) {
            self.progress.trouble(id, collection.watched.missing());
        }
    }

    fn set_missing(&mut self, id: usize, missing: bool) {
        let Some(collection) = self.collections.get_mut(id) else {
            return;
        };
        if mem::replace(&mut collection.missing, missing) != missing
            && let Some(stats) = self.stats.of(collection.watched.kind)
        {
            let of_kind = self
                .collections
                .iter()
                .filter(|held| held.missing && held.watched.kind == stats.kind);
            stats.missing.store(of_kind.count(), Relaxed);
        }
    }

    fn take_peppers(&mut self, id: usize, news: News) {
        if !news.active.is_empty() {
            self.index.set_peppers(news.active);
            self.progress.complete(id);
        }
        if let Some(why) = news.lacking {
            self.progress.trouble(id, why);
        }
        let subject = about(Kind::Secret, self.pepper.name().clone());
        self.findings.replace(subject, news.findings, nowhere);
    }

    fn find_routing(&mut self, finding: router::Finding) {
        if finding.reason == Reason::Invalid.as_str()
            && let Some(stats) = self.stats.of(finding.kind.into())
        {
            // Only this thread writes it.
            let before = stats.undecodable.load(Relaxed);
            let now = match finding.resolved {
                true => before.saturating_sub(1),
                false => before + 1,
            };
            stats.undecodable.store(now, Relaxed);
        }
        self.findings.routing(finding, nowhere);
    }
}

fn namespace(collections: &[Collection], id: usize) -> Option<&str> {
    collections.get(id)?.watched.collection.namespace.as_deref()
}

fn about(kind: Kind, name: ObjectName) -> Subject {
    Subject::Object(ObjectKey { kind, name })
}

/// No API server sends such an object.
fn unnamed(kind: Kind) {
    tracing::error!(
        kind = kind.as_str(),
        "the API server sent an object without a name; it is ignored"
    );
}

#[cfg(test)]
mod tests;
