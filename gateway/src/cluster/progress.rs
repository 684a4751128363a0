//! Which first lists are still awaited, and why: what `/readyz` says until all of them are there.
//! Losing the API server after that makes nothing pending again.

use latchkey_runtime::readiness::{Guard, Readiness};

use super::kinds::Watched;
use crate::object::Kind;

/// All first lists.
#[derive(Debug)]
pub(super) struct Progress {
    /// By collection.
    first: Vec<First>,
    guards: Vec<(Kind, Guard)>,
}

/// The first list of a collection.
#[derive(Debug)]
struct First {
    kind: Kind,
    namespace: Option<String>,
    complete: bool,
    /// Why it is not complete, if that is known.
    why: Option<String>,
}

impl Progress {
    /// All pending: one guard a kind.
    pub(super) fn new(watched: &[Watched], readiness: &Readiness) -> Self {
        let first = watched.iter().map(|watched| First {
            kind: watched.kind,
            namespace: watched.collection.namespace.clone(),
            complete: false,
            why: None,
        });
        let mut guards: Vec<(Kind, Guard)> = Vec::new();
        for watched in watched {
            if guards.iter().all(|(kind, _)| *kind != watched.kind) {
                guards.push((watched.kind, readiness.guard(watched.guard())));
            }
        }
        Self {
            first: first.collect(),
            guards,
        }
    }

    /// A first list cannot be had.
    pub(super) fn trouble(&mut self, id: usize, why: String) {
        if let Some(first) = self.first.get_mut(id)
            && !first.complete
        {
            first.why = Some(why);
        }
    }

    /// A list was complete.
    pub(super) fn complete(&mut self, id: usize) {
        if let Some(first) = self.first.get_mut(id) {
            first.complete = true;
            first.why = None;
        }
    }

    /// Whether each collection had its first list.
    pub(super) fn is_complete(&self) -> bool {
        self.first.iter().all(|first| first.complete)
    }

    /// What is known is in force: tells readiness.
    pub(super) fn tell(&mut self) {
        let first = &self.first;
        self.guards.retain(|(kind, guard)| {
            let of_kind = || first.iter().filter(|first| first.kind == *kind);
            let complete = of_kind().all(|first| first.complete);
            let several = of_kind().nth(1).is_some();
            if !complete && let Some(why) = of_kind().find_map(|first| first.why(several)) {
                guard.pending(why);
            }
            // Dropped, it is done.
            !complete
        });
    }
}

impl First {
    /// Names the namespace if it is one of several.
    fn why(&self, several: bool) -> Option<String> {
        let why = self.why.as_ref()?;
        Some(match &self.namespace {
            Some(namespace) if several => format!("namespace {namespace}: {why}"),
            _ => why.clone(),
        })
    }
}
