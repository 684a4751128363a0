//! `/debug/index`: counts and revisions as JSON. Never a name, a key or anything made of one.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use latchkey_proxy::BindReport;
use latchkey_routing::table::TableCell;
use latchkey_snapshot::SnapshotCell;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::standalone::control::FolderStats;

/// Where the numbers are.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Credentials and consumers.
    pub snapshots: SnapshotCell,
    /// Routes and policies.
    pub tables: TableCell,
    /// The folder.
    pub folder: Arc<FolderStats>,
    /// Listeners' ports.
    pub listeners: watch::Receiver<BindReport>,
}

impl Sources {
    /// The numbers as they are now.
    pub fn read(&self) -> Value {
        let index = self.snapshots.load().stats();
        let routes = self.tables.load().stats();
        let folder = &self.folder;
        let listeners = self.listeners.borrow();
        json!({
            "index": {
                "revision": index.revision,
                "consumers": index.consumers,
                "entries": index.entries,
                "digests": index.digests,
                "peppers": index.peppers,
            },
            "routes": {
                "revision": routes.revision,
                "gateways": routes.gateways,
                "routes": routes.routes,
                "unprotectedRoutes": routes.unprotected_routes,
                "policies": routes.policies,
            },
            "folder": {
                "files": folder.files.load(Relaxed),
                "filesRead": folder.files_read.load(Relaxed),
                "objects": folder.objects.load(Relaxed),
                "undecodable": folder.undecodable.load(Relaxed),
                "batches": folder.batches.load(Relaxed),
                "scans": folder.scans.load(Relaxed),
                "failedScans": folder.failed_scans.load(Relaxed),
            },
            "listeners": {
                "bound": listeners.bound.len(),
                "failed": listeners.failed.len(),
            },
        })
    }
}
