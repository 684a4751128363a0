//! Readiness as named guards: ready when every handed-out guard was released, and not draining.

use std::sync::Arc;

/// Who is still pending.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<()>);

/// Something that must happen before the process is ready. Dropping it counts as done; it may also
/// be put back to pending with a reason.
#[derive(Debug)]
pub struct Guard(());

impl Readiness {
    /// Hands out a guard; the name is what `/readyz` shows while it is pending.
    pub fn guard(&self, name: &'static str) -> Guard {
        let _ = name;
        unimplemented!()
    }
    /// From now on the process is not ready whatever the guards say, with this reason shown.
    pub fn drain(&self, reason: &'static str) {
        let _ = reason;
        unimplemented!()
    }
    /// What is pending, `name: detail`; empty if ready.
    pub fn pending(&self) -> Vec<String> {
        unimplemented!()
    }
}

impl Guard {
    /// It is done (logged with how long it took).
    pub fn ready(&self) {
        unimplemented!()
    }
    /// It is pending (again); the detail is shown by `/readyz`.
    pub fn pending(&self, detail: String) {
        let _ = detail;
        unimplemented!()
    }
}
