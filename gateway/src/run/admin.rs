//! What the admin server answers beyond the process's own paths: `/metrics` and `/debug/index`.

use http::StatusCode;
use latchkey_metrics::{
    cache::Cache,
    encode::CONTENT_TYPE,
    sizes::{ConnectionCounts, RoutingSizes},
};
use latchkey_proxy::Stats;
use latchkey_routing::table::TableCell;
use latchkey_runtime::{
    admin::{Admin, AdminResponse},
    readiness::Readiness,
};

use crate::debug;

/// The admin server with all its paths.
pub(super) fn server(readiness: Readiness, metrics: Cache, debug: debug::Sources) -> Admin {
    Admin::new(readiness)
        .route("/metrics", move || match metrics.text() {
            Ok(body) => AdminResponse {
                status: StatusCode::OK,
                content_type: CONTENT_TYPE,
                body,
            },
            Err(why) => AdminResponse::text(StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
        })
        .route("/debug/index", move || {
            AdminResponse::json(format!("{:#}\n", debug.read()))
        })
}

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
        upstream_retries: stats.retries,
    }
}
