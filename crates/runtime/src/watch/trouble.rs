//! What a failure means for a collection, in words that say what to do. Pure.

use super::{Collection, health::Health};
use crate::api::{ApiError, Failure, Verb};

/// What a failed request tells about the collection.
pub(super) fn health(verb: Verb, collection: &Collection, error: &ApiError) -> Health {
    match error.failure() {
        Some(failure) if is_missing(failure) => Health::Missing,
        Some(failure) => Health::Trouble(refusal(verb, collection, failure)),
        None => Health::Trouble(format!("{verb}: {error}")),
    }
}

/// Whether the server does not know the kind. A 404 that names an object is about that one alone, and a
/// 404 of something in between (a load balancer without backends) says nothing about the kind.
fn is_missing(failure: &Failure) -> bool {
    failure.code == 404 && failure.is_status && failure.about.is_none()
}

fn refusal(verb: Verb, collection: &Collection, failure: &Failure) -> String {
    match failure.code {
        401 => format!(
            "{verb} is refused: {failure}; the API server does not know this process: check its ServiceAccount \
             token or kubeconfig"
        ),
        403 => format!(
            "{verb} is refused: {failure}; grant `{verb}` on `{}` to the account of this process (RBAC)",
            collection.resource()
        ),
        410 => format!(
            "{verb}: the API server has forgotten the version that it began with: {failure}; it begins again"
        ),
        429 | 503 => format!("{verb}: the API server is busy or not up yet: {failure}"),
        _ => format!("{verb} is refused: {failure}; the log of the API server may say more"),
    }
}
