//! Readiness as named guards: ready when every handed-out guard was released, and not draining.
//!
//! Owns who is pending and why; never decides what readiness is for.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Who is still pending.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<State>>);

/// Something that must happen before the process is ready. Dropping it counts as done, unless a
/// panic drops it; it may also be put back to pending with a reason.
#[derive(Debug)]
pub struct Guard {
    readiness: Readiness,
    id: u64,
}

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    guards: BTreeMap<u64, Named>,
    draining: Option<&'static str>,
}

#[derive(Debug)]
struct Named {
    name: &'static str,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    since: Instant,
    detail: String,
}

impl Readiness {
    /// Hands out a guard; the name is what `/readyz` shows while it is pending.
    pub fn guard(&self, name: &'static str) -> Guard {
        let pending = Some(Pending {
            since: Instant::now(),
            detail: String::new(),
        });
        let mut state = self.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.guards.insert(id, Named { name, pending });
        Guard {
            readiness: self.clone(),
            id,
        }
    }

    /// From now on the process is not ready whatever the guards say, with this reason shown.
    pub fn drain(&self, reason: &'static str) {
        let was_ready = self.is_ready();
        self.lock().draining = Some(reason);
        if was_ready {
            tracing::info!(reason, "not ready any more");
        }
    }

    /// What is pending, `name: detail`; empty if ready.
    pub fn pending(&self) -> Vec<String> {
        let state = self.lock();
        let draining = state.draining.map(|reason| format!("draining: {reason}"));
        let guards = state.guards.values().filter_map(|named| {
            let detail = &named.pending.as_ref()?.detail;
            Some(if detail.is_empty() {
                named.name.to_owned()
            } else {
                format!("{}: {detail}", named.name)
            })
        });
        draining.into_iter().chain(guards).collect()
    }

    /// Whether nothing is pending.
    pub fn is_ready(&self) -> bool {
        self.lock().is_ready()
    }

    /// No code panics while it holds this lock, and if it did the state would still be whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_ready(&self) -> bool {
        self.draining.is_none() && self.guards.values().all(|named| named.pending.is_none())
    }

    /// What was pending and is not any more, with its name.
    fn release(&mut self, id: u64) -> Option<(&'static str, Pending)> {
        let named = self.guards.get_mut(&id)?;
        Some((named.name, named.pending.take()?))
    }
}

impl Guard {
    /// It is done (logged with how long it took).
    pub fn ready(&self) {
        let mut state = self.readiness.lock();
        let Some((guard, pending)) = state.release(self.id) else {
            return;
        };
        let (all, draining) = (state.is_ready(), state.draining.is_some());
        drop(state);
        if draining {
            // Whatever ends with the process does not get ready by it.
            return;
        }
        let took_ms = u64::try_from(pending.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(guard, took_ms, "ready");
        if all {
            tracing::info!("everything is ready");
        }
    }

    /// It is pending (again); the detail is shown by `/readyz`.
    pub fn pending(&self, detail: String) {
        let mut state = self.readiness.lock();
        let Some(named) = state.guards.get_mut(&self.id) else {
            return;
        };
        if named
            .pending
            .as_ref()
            .is_some_and(|pending| pending.detail == detail)
        {
            return;
        }
        let guard = named.name;
        tracing::info!(guard, detail, "pending");
        let since = named
            .pending
            .as_ref()
            .map_or_else(Instant::now, |pending| pending.since);
        named.pending = Some(Pending { since, detail });
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.pending("its owner failed; see the log".to_owned());
            return;
        }
        self.ready();
        self.readiness.lock().guards.remove(&self.id);
    }
}

#[cfg(test)]
mod tests;
