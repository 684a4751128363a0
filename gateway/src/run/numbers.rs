//! Numbers of others as metrics take them: metrics know no proxy, routes, folder and API server.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use latchkey_metrics::{
    Source,
    sizes::{self, CheckCounts, ConnectionCounts, FolderSizes, RoutingSizes},
    upstreams::UpstreamCounts,
    watches::{self, KindWatches, Watches},
};
use latchkey_proxy::{Limit, Stats};
use latchkey_routing::table::TableCell;
use latchkey_runtime::watch::{CollectionCounts, Session};

use crate::{
    cluster::stats::{KindStats, WatchStats},
    selfcheck::CheckStats,
    standalone::control::FolderStats,
};

/// How much the route table holds, for metrics, which know no routes.
pub(super) fn routing_sizes(tables: &TableCell) -> RoutingSizes {
    let stats = tables.load().stats();
    RoutingSizes {
        revision: stats.revision,
        gateways: stats.gateways,
        routes: stats.routes,
        unprotected_routes: stats.unprotected_routes,
        policies: stats.policies,
    }
}

/// What the workers' connections did, for metrics, which know no proxy.
pub(super) fn connection_counts(stats: &Stats) -> ConnectionCounts {
    ConnectionCounts {
        open: stats.open_connections,
        accepted: stats.connections,
        accept_pauses: stats.accept_pauses,
        accept_errors: stats.accept_errors,
        timed_out: Limit::ALL
            .iter()
            .map(|limit| limit.as_str())
            .zip(stats.timed_out)
            .collect(),
    }
}

/// What the workers' connections to upstreams did.
pub(super) fn upstream_counts(stats: &Stats) -> UpstreamCounts {
    let counts = stats.upstream;
    UpstreamCounts {
        open: counts.open,
        connections: counts.connections,
        connect_failures: counts.connect_failures,
        retries: counts.retries,
        waiting: counts.waiting,
        waits: counts.waits,
        refusals: counts.refusals,
        ejections: counts.ejections,
        out: counts.out,
    }
}

/// What the self-check of the index did.
pub(super) fn check_counts(stats: &CheckStats) -> CheckCounts {
    CheckCounts {
        checks: stats.checks.load(Relaxed),
        repairs: stats.repairs.load(Relaxed),
    }
}

/// What the folder holds.
pub(super) fn folder(stats: Arc<FolderStats>) -> impl Source {
    sizes::folder(move || FolderSizes {
        files: stats.files.load(Relaxed),
        undecodable_objects: stats.undecodable.load(Relaxed),
        failed_scans: stats.failed_scans.load(Relaxed),
    })
}

/// How the watches of the API server fare.
pub(super) fn watches(stats: Arc<WatchStats>, session: Session) -> impl Source {
    watches::watches(move || {
        let mut counts = session.counts();
        let kinds = stats.kinds().iter().map(|stats| {
            let counts = counts.collections.entry(stats.plural).or_default();
            kind(stats, counts)
        });
        Watches {
            kinds: kinds.collect(),
            contact_age: session.contact_age(),
            clock_skew: session.clock_skew(),
            contact_failures: counts.contact_failures,
            rollbacks: counts.rollbacks,
            refused_blocks: stats.refused_blocks.load(Relaxed),
            corrections: stats.corrections.load(Relaxed),
            deletions_held: stats.deletions_held.load(Relaxed),
            openings_held: stats.openings_held.load(Relaxed),
        }
    })
}

fn kind(stats: &KindStats, counts: &CollectionCounts) -> KindWatches {
    let restarts = counts.restarts.iter();
    KindWatches {
        kind: stats.kind.as_str(),
        lists: counts.lists,
        list_failures: counts.list_failures,
        events: counts.events,
        restarts: restarts.map(|(cause, count)| (cause.as_str(), *count)).collect(),
        working: counts.watches > 0 && counts.working == counts.watches,
        missing: stats.missing.load(Relaxed) > 0,
        undecodable: stats.undecodable.load(Relaxed),
        deletions_ignored: stats.deletions_ignored.load(Relaxed),
    }
}
