//! From changes to the next version of the table.

use std::{collections::BTreeSet, mem, sync::Arc};

use super::{
    Commit, Router,
    attachment::HostRef,
    changes::{Changes, Touch},
    gateways, policies, routes,
};
use crate::{
    object::Kind,
    read::auth_policy::Target,
    table::{Closures, TableStats},
};

/// How many tables are kept for readers that still look at them. Readers look for microseconds; one that
/// sleeps while it does must not make the writer keep every version since. Beyond this the oldest is left
/// to its readers, who then free what the commit after it replaced.
const MAX_RETIRED: usize = 1024;

impl Router {
    /// Compiles what the changes since the last commit touch, and swaps it in as one version.
    pub fn commit(&mut self) -> Commit {
        let mut changes = mem::take(&mut self.changes);
        self.statuses.clear();
        let mut ports = self.update_gateways(&changes);
        ports.extend(self.update_targets(&mut changes));
        let hosts = self.update_routes(&changes);
        let hosts_compiled = self.compile_hosts(&hosts, &mut ports);
        self.note_statuses(&changes);
        for name in &changes.policies {
            let problems = policies::problems(&self.store, &self.config, name);
            self.findings.set(Kind::AuthPolicy, name, problems);
        }
        for port in &ports {
            let table = self.gateways.port(&self.store, *port);
            self.table.set_port(*port, table);
        }
        let closed = changes.closures && self.update_closures();
        let endpoint_sets_written = self.refresh_endpoints(&changes);
        let counted = self.update_stats();
        let changed = !ports.is_empty() || closed || counted;
        if changed {
            self.swap();
        }
        Commit {
            changed,
            hosts_compiled,
            endpoint_sets_written,
            retired: self.retired.len(),
            findings: self.findings.take(),
        }
    }

    /// Gives ports to Gateways; gives back the ports that are touched.
    fn update_gateways(&mut self, changes: &Changes) -> BTreeSet<u16> {
        let (mut ports, mut passed_on) = (BTreeSet::new(), BTreeSet::new());
        for name in &changes.gateways {
            let gateway = self.store.gateways.get(name);
            let ours = gateway.filter(|gateway| gateways::is_ours(&self.config, gateway));
            let touched = self.gateways.update(name, ours);
            ports.extend(touched.served);
            passed_on.extend(touched.passed_on);
        }
        // All that ask for a port are told who has it.
        let claimants = passed_on.iter().flat_map(|port| self.gateways.claimants(port));
        let concerned: BTreeSet<_> = claimants.chain(&changes.gateways).collect();
        for name in concerned {
            let gateway = self.store.gateways.get(name);
            let problems = gateway.map(|gateway| self.gateways.problems(name, gateway));
            self.findings
                .set(Kind::Gateway, name, problems.unwrap_or_default());
            self.statuses.insert((Kind::Gateway, name.clone()));
        }
        ports
    }

    /// Touches what other policies may hold for; gives back the ports among that.
    fn update_targets(&mut self, changes: &mut Changes) -> BTreeSet<u16> {
        let mut ports = BTreeSet::new();
        for target in &mem::take(&mut changes.targets) {
            match target {
                Target::Gateway(name) | Target::Listener(name, _) => {
                    ports.extend(self.gateways.claimed(name));
                    let store = &self.store;
                    self.routes
                        .exposure
                        .reassess(name, |listener| routes::protected(store, listener));
                }
                Target::Route(name) => changes.route(name, Touch::Rules),
            }
        }
        ports
    }

    fn update_routes(&mut self, changes: &Changes) -> BTreeSet<HostRef> {
        let mut hosts = BTreeSet::new();
        for (name, touch) in &changes.routes {
            let update = self.routes.update(&self.store, &self.config, name, *touch);
            hosts.extend(update.hosts);
            self.findings.set(Kind::HttpRoute, name, update.problems);
            let recounted = update.recounted.into_iter();
            self.statuses
                .extend(recounted.map(|(gateway, _)| (Kind::Gateway, gateway)));
        }
        hosts
    }

    /// Compiles the tables of hostnames, and adds the ports that serve them.
    fn compile_hosts(&mut self, hosts: &BTreeSet<HostRef>, ports: &mut BTreeSet<u16>) -> usize {
        let mut compiled = 0;
        for host in hosts {
            let Some((port, tables)) = self.gateways.hosts_mut(&host.gateway, &host.listener) else {
                continue;
            };
            match self.routes.host_table(host) {
                Some(table) => {
                    tables.insert(Arc::new(table));
                    compiled += 1;
                }
                None => tables.remove(&host.hostname),
            }
            if self.gateways.claimants(&port).next() == Some(&host.gateway) {
                ports.insert(port);
            }
        }
        compiled
    }

    fn update_closures(&mut self) -> bool {
        let links = &self.store.links;
        let closures = Closures {
            policies: links.closing_policies.keys().cloned().collect(),
            routes: links.closing_routes.keys().cloned().collect(),
        };
        let changed = *self.table.closures != closures;
        if changed {
            self.table.closures = Arc::new(closures);
        }
        changed
    }

    fn refresh_endpoints(&self, changes: &Changes) -> usize {
        let refresh = |service| {
            let endpoints = |port| self.store.endpoints(service, port);
            self.routes.cells.refresh(service, endpoints)
        };
        changes.services.iter().map(refresh).sum()
    }

    fn update_stats(&mut self) -> bool {
        let stats = TableStats {
            revision: self.table.stats.revision,
            gateways: self.gateways.len(),
            routes: self.routes.attached(),
            unprotected_routes: self.routes.exposure.routes(),
            policies: self.store.policies.len(),
        };
        let changed = self.table.stats != stats;
        self.table.stats = stats;
        changed
    }

    /// Swaps the table in. Old ones are freed here as soon as no reader holds them, so that no
    /// reader has to.
    fn swap(&mut self) {
        self.table.stats.revision += 1;
        self.retired.push_back(self.cell.swap(self.table.clone()));
        // Out of the cell, a table gets no new readers: once alone with it, always alone.
        self.retired.retain(|table| Arc::strong_count(table) > 1);
        while self.retired.len() > MAX_RETIRED {
            self.retired.pop_front();
        }
    }
}
