//! How much there is: index, routes, folder, connections, access log; and what runs since when.
//!
//! What this crate cannot see comes as a function that gives plain numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use latchkey_snapshot::SnapshotCell;

use crate::{
    Source,
    encode::{Labels, Text},
    families::{
        ACCEPT_ERRORS, ACCEPT_PAUSES, ACCESS_LOG_DROPPED, BUILD_INFO, CONNECTIONS, CONNECTIONS_OPEN,
        CONNECTIONS_TIMED_OUT, INDEX_CHECKS, INDEX_COMMITS, INDEX_CONSUMERS, INDEX_DIGESTS, INDEX_ENTRIES,
        INDEX_PEPPERS, INDEX_REPAIRS, LOG_DROPPED, PROCESS_START_TIME, ROUTING_COMMITS, ROUTING_GATEWAYS,
        ROUTING_POLICIES, ROUTING_ROUTES, ROUTING_UNPROTECTED_ROUTES, STANDALONE_FAILED_SCANS,
        STANDALONE_FILES, STANDALONE_UNDECODABLE,
    },
};

/// How much the route table holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoutingSizes {
    /// Commits since start.
    pub revision: u64,
    /// Gateways of our class.
    pub gateways: usize,
    /// HTTPRoutes attached to at least one listener.
    pub routes: usize,
    /// Attached HTTPRoutes of which some rule has no policy.
    pub unprotected_routes: usize,
    /// AuthPolicies.
    pub policies: usize,
}

/// What the standalone folder holds, and how reading it went.
#[derive(Clone, Copy, Debug, Default)]
pub struct FolderSizes {
    /// Manifest files.
    pub files: usize,
    /// Objects that cannot be read.
    pub undecodable_objects: usize,
    /// Scans that failed since start.
    pub failed_scans: u64,
}

/// What the workers' connections did.
#[derive(Clone, Debug, Default)]
pub struct ConnectionCounts {
    /// Client connections that are open.
    pub open: u64,
    /// Client connections since start.
    pub accepted: u64,
    /// How often a worker was full.
    pub accept_pauses: u64,
    /// Accepts that failed.
    pub accept_errors: u64,
    /// Client connections closed at each time limit.
    pub timed_out: Vec<(&'static str, u64)>,
}

/// What the self-check of the authentication snapshot did since start.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckCounts {
    /// Times that all of it was compared.
    pub checks: u64,
    /// Times that it was repaired.
    pub repairs: u64,
}

/// The authentication snapshot's sizes.
pub fn index(cell: SnapshotCell) -> impl Source {
    move |text: &mut Text| {
        let stats = cell.load().stats();
        text.single(&INDEX_CONSUMERS, stats.consumers);
        text.single(&INDEX_ENTRIES, stats.entries);
        text.single(&INDEX_DIGESTS, stats.digests);
        text.single(&INDEX_PEPPERS, stats.peppers);
        text.single(&INDEX_COMMITS, stats.revision);
    }
}

/// The authentication snapshot's self-check.
pub fn checks(counts: impl Fn() -> CheckCounts + Send) -> impl Source {
    move |text: &mut Text| {
        let counts = counts();
        text.single(&INDEX_CHECKS, counts.checks);
        text.single(&INDEX_REPAIRS, counts.repairs);
    }
}

/// The route table's sizes.
pub fn routing(sizes: impl Fn() -> RoutingSizes + Send) -> impl Source {
    move |text: &mut Text| {
        let sizes = sizes();
        text.single(&ROUTING_GATEWAYS, sizes.gateways);
        text.single(&ROUTING_ROUTES, sizes.routes);
        text.single(&ROUTING_UNPROTECTED_ROUTES, sizes.unprotected_routes);
        text.single(&ROUTING_POLICIES, sizes.policies);
        text.single(&ROUTING_COMMITS, sizes.revision);
    }
}

/// The standalone folder's sizes.
pub fn folder(sizes: impl Fn() -> FolderSizes + Send) -> impl Source {
    move |text: &mut Text| {
        let sizes = sizes();
        text.single(&STANDALONE_FILES, sizes.files);
        text.single(&STANDALONE_UNDECODABLE, sizes.undecodable_objects);
        text.single(&STANDALONE_FAILED_SCANS, sizes.failed_scans);
    }
}

/// The workers' connections.
pub fn connections(counts: impl Fn() -> ConnectionCounts + Send) -> impl Source {
    move |text: &mut Text| {
        let counts = counts();
        text.single(&CONNECTIONS_OPEN, counts.open);
        text.single(&CONNECTIONS, counts.accepted);
        let mut samples = text.family(&CONNECTIONS_TIMED_OUT);
        for (limit, count) in &counts.timed_out {
            samples.value(&Labels::default(), &[limit], *count);
        }
        text.single(&ACCEPT_PAUSES, counts.accept_pauses);
        text.single(&ACCEPT_ERRORS, counts.accept_errors);
    }
}

/// How many lines the access log and the process's own log dropped since start.
pub fn logs(access: impl Fn() -> u64 + Send, own: impl Fn() -> u64 + Send) -> impl Source {
    move |text: &mut Text| {
        text.single(&ACCESS_LOG_DROPPED, access());
        text.single(&LOG_DROPPED, own());
    }
}

/// What runs, and since when.
pub fn process(version: &'static str, started: SystemTime) -> impl Source {
    let started = unix_seconds(started);
    let version = Labels::of(&BUILD_INFO, &[version]);
    move |text: &mut Text| {
        text.family(&BUILD_INFO).value(&version, &[], 1_u64);
        text.single(&PROCESS_START_TIME, started);
    }
}

/// 0 before the epoch, where only a broken clock is.
pub(crate) fn unix_seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
