//! Counters that the request path writes and the renderer sums.
//!
//! ```text
//! worker: WorkerCounters (its own) -> RouteCounters (atomics, one writer) <- Registry (renderer)
//! ```
//!
//! Each worker owns its counters: no cache line is shared between two writers, and no label is
//! looked up but by a route's id. The renderer reads a version of each worker's table, so neither
//! waits for the other. Counters of routes that are gone are not rendered, and workers forget them
//! little by little as they meet new routes: every table here is bounded by the routes that exist.

mod route;
#[cfg(test)]
mod tests;

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use arc_swap::ArcSwap;
use latchkey_core::object::{ObjectName, RouteLabel};
use latchkey_cow::Map;

pub use route::{LATENCY_BOUNDS_MICROS, RequestCount, RouteCounters, RouteTotals};

type Routes = Map<u64, Arc<RouteCounters>>;

/// How many known routes a worker looks at, for ones that are gone, when it meets a new one. Two
/// keep its table within twice the routes that exist.
const SWEEP: usize = 2;

/// All workers' counters, as the renderer sees them.
#[derive(Clone, Debug, Default)]
pub struct Registry(Arc<Mutex<Vec<Arc<Published>>>>);

/// What the renderer sees of a worker.
#[derive(Debug)]
struct Published {
    unmatched: Arc<RouteCounters>,
    routes: ArcSwap<Routes>,
}

/// One worker's counters. Stays on the worker's thread.
#[derive(Debug)]
pub struct WorkerCounters {
    published: Arc<Published>,
    table: RefCell<Table>,
}

#[derive(Debug, Default)]
struct Table {
    routes: Routes,
    /// Ids of all `routes`, the next to look at for whether it still exists in front.
    sweep: VecDeque<u64>,
}

impl Registry {
    /// The counters of a new worker.
    pub fn worker(&self) -> WorkerCounters {
        let published = Arc::new(Published {
            unmatched: Arc::new(RouteCounters::new(Weak::new())),
            routes: ArcSwap::default(),
        });
        self.workers().push(Arc::clone(&published));
        WorkerCounters {
            published,
            table: RefCell::default(),
        }
    }

    /// Calls `each` with what all workers counted together: first for requests that no rule matched
    /// (`None`), then for each route that exists, by name. A route made anew under its old name
    /// begins at nothing.
    pub fn for_each(&self, mut each: impl FnMut(Option<&ObjectName>, &RouteTotals)) {
        let workers = self.workers().clone();
        let mut unmatched = RouteTotals::default();
        let mut by_id: HashMap<u64, (Arc<RouteLabel>, RouteTotals)> = HashMap::new();
        for worker in workers {
            unmatched.add(&worker.unmatched);
            // A version, not a guard: the worker may store many more while this one is read.
            let routes = Routes::clone(&worker.routes.load());
            for (id, counters) in routes.iter() {
                // `None`: the route is gone.
                if let Some(label) = counters.label.upgrade() {
                    let (_, totals) = by_id.entry(*id).or_insert((label, RouteTotals::default()));
                    totals.add(counters);
                }
            }
        }
        each(None, &unmatched);
        let mut routes: Vec<_> = by_id.into_values().collect();
        routes.sort_unstable_by(|(a, _), (b, _)| (&a.name, b.id).cmp(&(&b.name, a.id)));
        // Of two routes of one name the younger exists; requests still hold the other.
        routes.dedup_by(|(later, _), (kept, _)| later.name == kept.name);
        for (label, totals) in &routes {
            each(Some(&label.name), totals);
        }
    }

    fn workers(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Published>>> {
        // Nothing panics while it is held; were it so, the list would still be whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerCounters {
    /// The counters of a route (`None`: of requests that no rule matched), made at first use.
    pub fn route(&self, label: Option<&Arc<RouteLabel>>) -> Arc<RouteCounters> {
        let Some(label) = label else {
            return Arc::clone(&self.published.unmatched);
        };
        if let Some(known) = self.table.borrow().routes.get(place(label.id), &label.id) {
            return Arc::clone(known);
        }
        let mut table = self.table.borrow_mut();
        let counters = table.add(label);
        self.published.routes.store(Arc::new(table.routes.clone()));
        counters
    }
}

impl Table {
    fn add(&mut self, label: &Arc<RouteLabel>) -> Arc<RouteCounters> {
        for _ in 0..SWEEP {
            let Some(id) = self.sweep.pop_front() else { break };
            let known = self.routes.get(place(id), &id);
            if known.is_some_and(|counters| counters.label.strong_count() > 0) {
                self.sweep.push_back(id);
            } else {
                self.routes.remove(place(id), &id);
            }
        }
        let counters = Arc::new(RouteCounters::new(Arc::downgrade(label)));
        self.routes
            .insert(place(label.id), label.id, Arc::clone(&counters));
        self.sweep.push_back(label.id);
        counters
    }
}

/// Spreads consecutive ids over a map (multiplicative hashing by the golden ratio).
fn place(id: u64) -> u64 {
    id.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
