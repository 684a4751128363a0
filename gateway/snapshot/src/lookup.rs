//! One authentication look-up: who holds this key, and may they pass now? Allocates nothing.

use latchkey_core::{reason::Reason, tenancy::Admission, time::UnixSeconds};

use crate::{Consumer, Entry, Snapshot};

/// Who a key belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'s> {
    /// The consumer.
    pub consumer: &'s Consumer,
    /// The credential that proved it.
    pub credential: &'s Entry,
}

impl Snapshot {
    /// Decides for a key as presented, over the namespaces that the policy admits.
    ///
    /// # Errors
    /// The reason why nobody passes with this key now.
    pub fn look_up(
        &self,
        key: &[u8],
        admission: &Admission,
        now: UnixSeconds,
    ) -> Result<Identity<'_>, Reason> {
        let _ = (key, admission, now);
        unimplemented!()
    }
}
