//! The rules of one hostname on one listener, in the order in which they are tried, and the tables of
//! all hostnames of a listener.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use latchkey_core::object::RouteLabel;
use latchkey_cow::Table;

use crate::{
    hostname::{Hostname, wildcard_suffixes},
    matches::Match,
    policy::Policy,
    table::{RequestView, Rule},
};

/// The rules of one hostname.
#[derive(Debug)]
pub(crate) struct HostTable {
    pub(crate) hostname: Hostname,
    /// A route of this hostname that cannot be read: nothing is served, since it may have said so.
    pub(crate) closed: Option<Arc<RouteLabel>>,
    /// In Gateway API precedence.
    pub(crate) entries: Box<[Entry]>,
    /// A route without hostnames of its own that cannot be read: answers where no rule does.
    pub(crate) last: Option<Arc<RouteLabel>>,
}

/// One match of one rule.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) matcher: Arc<Match>,
    pub(crate) rule: Arc<Rule>,
    pub(crate) guard: Arc<Guard>,
}

/// What stands before a rule of the policies of the rule itself and of its route.
#[derive(Debug)]
pub(crate) struct Guard {
    /// One of them cannot be honoured.
    pub(crate) closed: bool,
    /// The one that holds; it replaces those of listener and Gateway.
    pub(crate) specific: Option<Arc<Policy>>,
}

impl HostTable {
    /// The first entry that matches.
    pub(crate) fn find(&self, request: &RequestView<'_>) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.matcher.matches(request))
    }
}

/// The tables of a listener's hostnames. A clone is a version of its own and costs three pointers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    exact: Table<Arc<HostTable>>,
    wildcard: Table<Arc<HostTable>>,
    any: Option<Arc<HostTable>>,
}

impl Hosts {
    /// Sets the table of its hostname.
    pub(crate) fn insert(&mut self, table: Arc<HostTable>) {
        let tables = match &table.hostname {
            Hostname::Exact(_) => &mut self.exact,
            Hostname::Wildcard(_) => &mut self.wildcard,
            Hostname::Any => {
                self.any = Some(table);
                return;
            }
        };
        let hash = hash(name(&table.hostname));
        tables.insert(hash, table, |held, new| held.hostname == new.hostname);
    }

    /// Takes out the table of a hostname.
    pub(crate) fn remove(&mut self, hostname: &Hostname) {
        let tables = match hostname {
            Hostname::Exact(_) => &mut self.exact,
            Hostname::Wildcard(_) => &mut self.wildcard,
            Hostname::Any => {
                self.any = None;
                return;
            }
        };
        tables.remove(hash(name(hostname)), |held| held.hostname == *hostname);
    }

    /// The tables whose hostname matches, the most specific first.
    pub(crate) fn candidates<'t>(&'t self, host: &str) -> impl Iterator<Item = &'t HostTable> {
        let exact = lookup(&self.exact, host);
        let suffixes = if self.wildcard.is_empty() { "" } else { host };
        let wildcards = wildcard_suffixes(suffixes).filter_map(|suffix| lookup(&self.wildcard, suffix));
        exact.into_iter().chain(wildcards).chain(self.any.as_deref())
    }
}

fn lookup<'t>(tables: &'t Table<Arc<HostTable>>, text: &str) -> Option<&'t HostTable> {
    if tables.is_empty() {
        return None;
    }
    tables
        .find(hash(text), |table| name(&table.hostname) == text)
        .map(|table| &**table)
}

/// The name, or a wildcard's suffix.
fn name(hostname: &Hostname) -> &str {
    match hostname {
        Hostname::Exact(name) | Hostname::Wildcard(name) => name,
        Hostname::Any => "",
    }
}

/// Hostnames come from configuration, so that a fixed hash serves: strangers put nothing in.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
