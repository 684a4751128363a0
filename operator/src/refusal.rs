//! What is said of a request that failed: what the API server said, and what to do.

use latchkey_runtime::api::ApiError;

/// One line for people. The API server's own words name verb and resource of what it forbids.
pub(crate) fn told(error: &ApiError) -> String {
    match error.code() {
        Some(403) => format!("{error}; grant it to the account of this process (RBAC)"),
        _ => error.to_string(),
    }
}
