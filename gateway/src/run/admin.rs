//! What the admin server answers beyond the process's own paths: `/metrics` and `/debug/index`.

use http::StatusCode;
use latchkey_metrics::{cache::Cache, encode::CONTENT_TYPE};
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
