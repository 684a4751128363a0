//! Whether a request may pass, and as whom. Reads the head as received; never waits, resolves or fetches.
//!
//! ```text
//! Protection -> closed? -> Gateway override -> listener override -> specific policy -> Verdict
//!                                each: methods in order -> extract -> Snapshot::look_up
//! ```

pub(crate) mod extract;
pub(crate) mod hide;
mod preflight;

use latchkey_core::{reason::Reason, time::UnixSeconds};
use latchkey_routing::{
    policy::{Method, Policy, Protection},
    table::RequestView,
};
use latchkey_snapshot::{Identity, Snapshot};

use extract::{Presented, extract};
use preflight::is_preflight;

/// As whom a request passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verdict<'s> {
    /// No policy holds for the route.
    Open,
    /// Each policy let it pass without a credential.
    Anonymous,
    /// A credential proved who calls.
    Known(Identity<'s>),
}

/// Decides for all policies that hold. Each must pass by itself; the most specific identity counts.
///
/// # Errors
/// The reason of the first that does not pass; [`Reason::Stale`] where a credential is needed and
/// `is_stale` says that what is known is too old.
pub(crate) fn check<'s>(
    protection: &Protection<'_>,
    request: &RequestView<'_>,
    snapshot: &'s Snapshot,
    now: impl Fn() -> UnixSeconds,
    is_stale: impl Fn() -> bool,
) -> Result<Verdict<'s>, Reason> {
    if let Some(reason) = protection.closed {
        return Err(reason);
    }
    let mut verdict = Verdict::Open;
    for policy in protection.checks() {
        let passed = pass(policy, request, snapshot, &now);
        // What is not known to be true any more proves neither who may pass nor who may not.
        if !matches!(passed, Ok(None)) && is_stale() {
            return Err(Reason::Stale);
        }
        verdict = match (verdict, passed?) {
            (_, Some(identity)) => Verdict::Known(identity),
            (Verdict::Known(identity), None) => Verdict::Known(identity),
            (Verdict::Open | Verdict::Anonymous, None) => Verdict::Anonymous,
        };
    }
    Ok(verdict)
}

/// Decides for one policy; `None` is a pass without a credential.
fn pass<'s>(
    policy: &Policy,
    request: &RequestView<'_>,
    snapshot: &'s Snapshot,
    now: &impl Fn() -> UnixSeconds,
) -> Result<Option<Identity<'s>>, Reason> {
    let mut anonymous = policy.passes_preflights && is_preflight(request);
    for method in &policy.methods {
        match method {
            Method::Anonymous => anonymous = true,
            Method::ApiKey(places) => match extract(places, request) {
                Presented::Nothing => {}
                // Not "nothing presented": whoever sends an empty key meant to send one.
                Presented::Empty => return Err(Reason::EmptyCredential),
                Presented::Several => return Err(Reason::MultipleCredentials),
                Presented::One(key) => return snapshot.look_up(&key, &policy.admission, now()).map(Some),
            },
        }
    }
    if anonymous {
        Ok(None)
    } else {
        Err(Reason::NoCredential)
    }
}

#[cfg(test)]
mod tests;
