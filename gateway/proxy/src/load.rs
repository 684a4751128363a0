//! How much the whole process has at once, over all workers: client connections, and requests that passed
//! and wait for an upstream or its answer.
//!
//! Workers share nothing else that they write. Connections are counted once each; requests only where
//! there is a limit on them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use latchkey_core::{object::RouteLabel, reason::Reason};

use crate::config::Limits;

/// What all workers have.
#[derive(Debug, Default)]
pub(crate) struct Load {
    connections: AtomicUsize,
    requests: AtomicUsize,
}

impl Load {
    /// A client connection begins, if it may.
    pub(crate) fn connect(&self, limits: &Limits) -> bool {
        take(&self.connections, limits.max_connections)
    }

    /// A client connection has ended.
    pub(crate) fn disconnected(&self) {
        self.connections.fetch_sub(1, Relaxed);
    }

    /// A place for a request, if there is one in the process and on its route.
    pub(crate) fn enter(self: &Arc<Self>, limits: &Limits, route: &Arc<RouteLabel>) -> Result<Place, Reason> {
        let mut place = Place::default();
        if let Some(most) = limits.max_requests {
            if !take(&self.requests, most.get()) {
                return Err(Reason::GatewaySaturated);
            }
            place.process = Some(Arc::clone(self));
        }
        if let Some(most) = limits.max_requests_per_route {
            if !take(&route.under_way, most.get()) {
                return Err(Reason::RouteSaturated);
            }
            place.route = Some(Arc::clone(route));
        }
        Ok(place)
    }
}

/// A request's place among those that may be under way; free again when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Place {
    process: Option<Arc<Load>>,
    route: Option<Arc<RouteLabel>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(process) = &self.process {
            process.requests.fetch_sub(1, Relaxed);
        }
        if let Some(route) = &self.route {
            route.under_way.fetch_sub(1, Relaxed);
        }
    }
}

/// Counts one more, if that is not too many.
fn take(count: &AtomicUsize, most: usize) -> bool {
    let more = |count| (count < most).then_some(count + 1);
    count.fetch_update(Relaxed, Relaxed, more).is_ok()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use latchkey_core::object::ObjectName;

    use super::*;

    fn limits(process: usize, route: usize) -> Limits {
        Limits {
            max_requests: NonZeroUsize::new(process),
            max_requests_per_route: NonZeroUsize::new(route),
            ..Limits::default()
        }
    }

    fn route(id: u64) -> Arc<RouteLabel> {
        Arc::new(RouteLabel::new(id, ObjectName::new("a", "b")))
    }

    #[test]
    fn a_place_is_free_again_when_its_request_has_ended() {
        let (load, one, other) = (Arc::new(Load::default()), route(1), route(2));
        let limits = limits(2, 1);
        let held = load.enter(&limits, &one).unwrap();
        assert_eq!(load.enter(&limits, &one).unwrap_err(), Reason::RouteSaturated);
        let second = load.enter(&limits, &other).unwrap();
        assert_eq!(load.enter(&limits, &one).unwrap_err(), Reason::GatewaySaturated);
        drop((held, second));
        let again = [&one, &other].map(|route| load.enter(&limits, route).unwrap());
        drop(again);
        assert_eq!(load.requests.load(Relaxed), 0);
        assert_eq!(one.under_way.load(Relaxed), 0);
    }

    #[test]
    fn without_limits_nothing_is_counted() {
        let (load, route) = (Arc::new(Load::default()), route(1));
        let _held = load.enter(&limits(0, 0), &route).unwrap();
        assert_eq!(load.requests.load(Relaxed) + route.under_way.load(Relaxed), 0);
    }
}
