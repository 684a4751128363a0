//! How many requests this process sent to its API server, by verb and by what came back.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use http::StatusCode;

use super::Verb;

/// Counts of the whole process: it has one API server, and a metric of it covers everybody who asks.
static CALLS: Calls = Calls(Mutex::new(BTreeMap::new()));

/// Counters by verb and status code; `None` where no answer came. Bounded by what codes there are.
#[derive(Debug)]
pub struct Calls(Mutex<BTreeMap<(Verb, Option<u16>), u64>>);

/// The counters of this process.
pub fn calls() -> &'static Calls {
    &CALLS
}

impl Calls {
    /// What was counted until now, in order.
    pub fn snapshot(&self) -> Vec<(Verb, Option<u16>, u64)> {
        let counts = self.lock();
        counts
            .iter()
            .map(|((verb, code), count)| (*verb, *code, *count))
            .collect()
    }

    pub(super) fn count(&self, verb: Verb, status: Option<StatusCode>) {
        let code = status.map(|status| status.as_u16());
        *self.lock().entry((verb, code)).or_default() += 1;
    }

    /// No code panics while it holds this lock, and if it did the counts would still be whole.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Verb, Option<u16>), u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
