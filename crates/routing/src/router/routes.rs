//! HTTPRoutes: compiled, attached, and gathered into the table of each hostname.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use latchkey_core::{
    object::{ObjectName, RouteLabel},
    time::UnixSeconds,
};

use super::{
    RouterConfig,
    attachment::{self, HostRef},
    cells::Cells,
    changes::Touch,
    compile::{self, CompiledRules, Faults},
    exposure::{Exposure, ListenerKey},
    links::Multimap,
    store::Store,
    work,
};
use crate::{
    host::HostTable,
    precedence::{Origin, Precedence},
    read::{Problem, Reason, auth_policy::Target, http_route::HttpRoute},
};

/// All routes, compiled.
#[derive(Debug, Default)]
pub(super) struct Routes {
    states: HashMap<ObjectName, State>,
    members: Multimap<HostRef, ObjectName>,
    pub(super) cells: Cells,
    pub(super) exposure: Exposure,
    /// How many routes each listener counts as attached.
    counts: HashMap<ListenerKey, usize>,
    attached: usize,
    labels: u64,
}

#[derive(Debug)]
struct State {
    uid: Option<String>,
    label: Arc<RouteLabel>,
    created: UnixSeconds,
    body: Body,
    attached: BTreeSet<HostRef>,
    /// The listeners under which it counts as bare.
    bare: Option<BTreeSet<ListenerKey>>,
}

#[derive(Debug)]
enum Body {
    Rules(CompiledRules),
    /// Cannot be read; `true`: its hostnames can, and are closed.
    Undecodable(bool),
}

impl State {
    /// The listeners that count it as attached: those of which it is accepted.
    fn counted(&self) -> BTreeSet<ListenerKey> {
        match &self.body {
            Body::Rules(rules) if !rules.faults.fail_all() => listeners(&self.attached),
            Body::Rules(_) | Body::Undecodable(_) => BTreeSet::new(),
        }
    }
}

/// What the update of a route led to.
pub(super) struct Update {
    /// Hostnames whose tables are to be compiled.
    pub(super) hosts: BTreeSet<HostRef>,
    /// All that is wrong with the route.
    pub(super) problems: Vec<Problem>,
    /// Listeners that count it as attached, and did not, or the other way round.
    pub(super) recounted: BTreeSet<ListenerKey>,
}

impl Routes {
    /// How many are attached to at least one listener.
    pub(super) fn attached(&self) -> usize {
        self.attached
    }

    /// A route, or what it depends on, may have changed.
    pub(super) fn update(
        &mut self,
        store: &Store,
        config: &RouterConfig,
        name: &ObjectName,
        touch: Touch,
    ) -> Update {
        work::look();
        let old = self.states.remove(name);
        let counted = old.as_ref().map(State::counted).unwrap_or_default();
        let mut hosts = old.as_ref().map(|s| s.attached.clone()).unwrap_or_default();
        self.attached -= usize::from(!hosts.is_empty());
        for host in &hosts {
            self.members.remove(host, name);
        }
        if let Some(bare) = old.as_ref().and_then(|old| old.bare.as_ref()) {
            self.exposure.remove(bare);
        }
        let Some(route) = store.routes.get(name) else {
            if let Some(Body::Rules(rules)) = old.map(|old| old.body) {
                self.release(&rules);
            }
            self.recount(&counted, &BTreeSet::new());
            return Update {
                hosts,
                problems: Vec::new(),
                recounted: counted,
            };
        };
        let label = self.label(name, route, old.as_ref());
        let (body, recompiled) = match old.map(|old| old.body) {
            Some(body) if touch == Touch::Attachment => (body, false),
            old => {
                // The new rules first, so that they find the cells of the old.
                let body = self.body(store, route, &label);
                if let Some(Body::Rules(rules)) = old {
                    self.release(&rules);
                }
                (body, true)
            }
        };
        let (attached, mut problems) = attachment::of(store, config, name, route);
        match &body {
            Body::Rules(rules) => problems.extend(rules.faults.all().cloned()),
            Body::Undecodable(_) => problems.extend(undecodable(route)),
        }
        let bare = matches!(&body, Body::Rules(rules) if rules.bare && !attached.is_empty());
        let bare = bare.then(|| listeners(&attached));
        if let Some(bare) = &bare {
            self.exposure.add(bare.clone(), |key| protected(store, key));
        }
        self.attached += usize::from(!attached.is_empty());
        for host in &attached {
            self.members.insert(host.clone(), name.clone());
        }
        hosts = if recompiled {
            hosts.union(&attached).cloned().collect()
        } else {
            hosts.symmetric_difference(&attached).cloned().collect()
        };
        let state = State {
            uid: route.meta.uid.clone(),
            label,
            created: route.meta.created,
            body,
            attached,
            bare,
        };
        let counts = state.counted();
        self.recount(&counted, &counts);
        self.states.insert(name.clone(), state);
        Update {
            hosts,
            problems,
            recounted: counted.symmetric_difference(&counts).cloned().collect(),
        }
    }

    fn recount(&mut self, old: &BTreeSet<ListenerKey>, new: &BTreeSet<ListenerKey>) {
        for listener in new.difference(old) {
            *self.counts.entry(listener.clone()).or_default() += 1;
        }
        for listener in old.difference(new) {
            if let Some(count) = self.counts.get_mut(listener) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(listener);
                }
            }
        }
    }

    /// How many routes a listener counts as attached.
    pub(super) fn attached_to(&self, listener: &ListenerKey) -> usize {
        self.counts.get(listener).copied().unwrap_or_default()
    }

    /// What is wrong in the rules of a route that can be read.
    pub(super) fn faults(&self, name: &ObjectName) -> Option<&Faults> {
        match &self.states.get(name)?.body {
            Body::Rules(rules) => Some(&rules.faults),
            Body::Undecodable(_) => None,
        }
    }

    fn release(&mut self, rules: &CompiledRules) {
        for cell in &rules.cells {
            self.cells.release(cell);
        }
    }

    /// The label of the route's uid. An object whose uid cannot be read is taken for the one before.
    fn label(&mut self, name: &ObjectName, route: &HttpRoute, old: Option<&State>) -> Arc<RouteLabel> {
        match old {
            Some(old) if route.meta.uid.is_none() || route.meta.uid == old.uid => Arc::clone(&old.label),
            _ => {
                self.labels += 1;
                Arc::new(RouteLabel::new(self.labels, name.clone()))
            }
        }
    }

    fn body(&mut self, store: &Store, route: &HttpRoute, label: &Arc<RouteLabel>) -> Body {
        match &route.body {
            Ok(spec) => Body::Rules(compile::compile(store, &mut self.cells, spec, label)),
            Err(broken) => Body::Undecodable(!broken.hostnames.is_empty()),
        }
    }

    /// The table of a hostname; `None` if no route has it any more.
    pub(super) fn host_table(&self, host: &HostRef) -> Option<HostTable> {
        let states = || {
            self.members
                .get(host)
                .filter_map(|name| self.states.get_key_value(name))
        };
        states().next()?;
        let undecodable = |closes| {
            states()
                .find(|(_, state)| matches!(state.body, Body::Undecodable(b) if b == closes))
                .map(|(_, state)| Arc::clone(&state.label))
        };
        let mut sorted: Vec<_> = states()
            .flat_map(|(route, state)| {
                let entries = match &state.body {
                    Body::Rules(rules) => rules.entries.as_slice(),
                    Body::Undecodable(_) => &[],
                };
                entries.iter().map(move |(rule, element, entry)| {
                    let origin = Origin {
                        created: state.created,
                        route,
                        rule: *rule,
                        element: *element,
                    };
                    work::look();
                    (Precedence::of(&entry.matcher, origin), entry)
                })
            })
            .collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Some(HostTable {
            hostname: host.hostname.clone(),
            closed: undecodable(true),
            entries: sorted.into_iter().map(|(_, entry)| entry.clone()).collect(),
            last: undecodable(false),
        })
    }
}

/// Whether a listener or its Gateway has a policy.
pub(super) fn protected(store: &Store, (gateway, listener): &ListenerKey) -> bool {
    store.holding(&Target::Gateway(gateway.clone())).any()
        || store
            .holding(&Target::Listener(gateway.clone(), listener.clone()))
            .any()
}

fn listeners(attached: &BTreeSet<HostRef>) -> BTreeSet<ListenerKey> {
    attached
        .iter()
        .map(|host| (host.gateway.clone(), host.listener.clone()))
        .collect()
}

/// What is wrong with a route that cannot be read.
pub(super) fn undecodable(route: &HttpRoute) -> Option<Problem> {
    let broken = route.body.as_ref().err()?;
    let closes = if broken.complete {
        "its hostnames answer 500"
    } else {
        "all routes of its namespace answer 500"
    };
    let message = format!("{}; until then {closes}", broken.misfit);
    Some(Problem::new(Reason::Invalid, message))
}
