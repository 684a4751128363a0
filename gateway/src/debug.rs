//! `/debug/index`: counts and revisions as JSON. Never a name, a key or anything made of one.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use latchkey_proxy::BindReport;
use latchkey_routing::table::TableCell;
use latchkey_runtime::watch::Session;
use latchkey_snapshot::SnapshotCell;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use crate::{cluster::stats::WatchStats, selfcheck::CheckStats, standalone::control::FolderStats};

/// Where objects come from, as far as it can be counted.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A folder.
    Folder(Arc<FolderStats>),
    /// An API server.
    Watch(Arc<WatchStats>, Session),
}

/// Where the numbers are.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Credentials and consumers.
    pub snapshots: SnapshotCell,
    /// Routes and policies.
    pub tables: TableCell,
    /// The self-check of credentials and consumers.
    pub checks: Arc<CheckStats>,
    /// Where objects come from.
    pub origin: Origin,
    /// Listeners' ports.
    pub listeners: watch::Receiver<BindReport>,
}

impl Sources {
    /// The numbers as they are now.
    pub fn read(&self) -> Value {
        let index = self.snapshots.load().stats();
        let routes = self.tables.load().stats();
        let listeners = self.listeners.borrow();
        let (origin, counts) = self.origin.read();
        json!({
            "index": {
                "revision": index.revision,
                "consumers": index.consumers,
                "entries": index.entries,
                "digests": index.digests,
                "peppers": index.peppers,
                "checks": self.checks.checks.load(Relaxed),
                "repairs": self.checks.repairs.load(Relaxed),
            },
            "routes": {
                "revision": routes.revision,
                "gateways": routes.gateways,
                "routes": routes.routes,
                "unprotectedRoutes": routes.unprotected_routes,
                "policies": routes.policies,
            },
            origin: counts,
            "listeners": {
                "bound": listeners.bound.len(),
                "failed": listeners.failed.len(),
            },
        })
    }
}

impl Origin {
    /// Its name, and the numbers.
    fn read(&self) -> (&'static str, Value) {
        match self {
            Self::Folder(folder) => ("folder", of_folder(folder)),
            Self::Watch(stats, session) => ("watch", of_watch(stats, session)),
        }
    }
}

fn of_folder(folder: &FolderStats) -> Value {
    json!({
        "files": folder.files.load(Relaxed),
        "filesRead": folder.files_read.load(Relaxed),
        "objects": folder.objects.load(Relaxed),
        "undecodable": folder.undecodable.load(Relaxed),
        "batches": folder.batches.load(Relaxed),
        "scans": folder.scans.load(Relaxed),
        "failedScans": folder.failed_scans.load(Relaxed),
    })
}

fn of_watch(stats: &WatchStats, session: &Session) -> Value {
    let counts = session.counts();
    let kinds = stats.kinds().iter().map(|stats| {
        let watches = counts.collections.get(stats.plural).cloned().unwrap_or_default();
        let kind = json!({
            "revision": watches.revision,
            "watches": watches.watches,
            "working": watches.working,
            "missing": stats.missing.load(Relaxed),
            "lists": watches.lists,
            "listFailures": watches.list_failures,
            "events": watches.events,
            "undecodable": stats.undecodable.load(Relaxed),
            "deletionsIgnored": stats.deletions_ignored.load(Relaxed),
        });
        (stats.kind.as_str().to_owned(), kind)
    });
    json!({
        "contactAgeSeconds": session.contact_age().map(|age| age.as_secs_f64()),
        "clockSkewSeconds": session.clock_skew(),
        "contacts": counts.contacts,
        "contactFailures": counts.contact_failures,
        "rollbacks": counts.rollbacks,
        "refusedBlocks": stats.refused_blocks.load(Relaxed),
        "corrections": stats.corrections.load(Relaxed),
        "deletionsHeld": stats.deletions_held.load(Relaxed),
        "openingsHeld": stats.openings_held.load(Relaxed),
        "kinds": kinds.collect::<Map<_, _>>(),
    })
}
