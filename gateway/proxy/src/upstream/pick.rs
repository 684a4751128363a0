//! Which endpoint a request goes to.

use std::{cell::RefCell, net::SocketAddr};

use latchkey_core::reason::Reason;
use latchkey_routing::table::{Backend, Backends};
use tokio::time::Instant;

use super::{
    health::Health,
    pool::{PoolKey, Transport},
};
use crate::random::Random;

/// How often an endpoint is drawn before all are looked at in order.
const DRAWS: usize = 8;

/// Where to send a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The endpoint.
    pub(crate) first: SocketAddr,
    /// Another one of the same backend, for when the first cannot be reached.
    pub(crate) alternate: Option<SocketAddr>,
    /// What both speak beneath HTTP.
    pub(crate) transport: Transport,
}

impl Target {
    /// All that a connection to one of the two depends on.
    pub(super) fn key(&self, address: SocketAddr) -> PoolKey {
        PoolKey {
            address,
            transport: self.transport.clone(),
        }
    }
}

/// Picks a backend by weight, then one of its endpoints, each as likely as the others, but those that are
/// left out only if all are.
///
/// # Errors
/// The reason why there is none.
pub(crate) fn pick(
    backends: &Backends,
    random: &Random,
    health: &RefCell<Health>,
    now: impl FnOnce() -> Instant,
) -> Result<Target, Reason> {
    match backends.pick(random.next()) {
        None => Err(Reason::NoBackend),
        Some(Backend::Invalid(reason)) => Err(*reason),
        Some(Backend::Endpoints(cell)) => among(&cell.load(), random, health, now),
    }
}

fn among(
    endpoints: &[SocketAddr],
    random: &Random,
    health: &RefCell<Health>,
    now: impl FnOnce() -> Instant,
) -> Result<Target, Reason> {
    if endpoints.is_empty() {
        return Err(Reason::NoEndpoint);
    }
    let mut health = health.borrow_mut();
    let (first, next) = if health.is_fine() {
        let first = random.index(endpoints.len());
        (first, (first + 1) % endpoints.len())
    } else {
        let now = now();
        let pair = healthy(endpoints, random, |address| !health.is_out(address, now));
        health.chosen(endpoints[pair.0], now);
        pair
    };
    Ok(Target {
        first: endpoints[first],
        alternate: (next != first).then(|| endpoints[next]),
        transport: Transport::Plain,
    })
}

/// The indexes of two endpoints that are healthy, or at least the first; of any, if none is.
fn healthy(
    endpoints: &[SocketAddr],
    random: &Random,
    is_healthy: impl Fn(SocketAddr) -> bool,
) -> (usize, usize) {
    let len = endpoints.len();
    let is_healthy = |index: &usize| is_healthy(endpoints[*index]);
    // By trial, so that each is as likely as the others; and if few are left, in order.
    let drawn = (0..DRAWS).map(|_| random.index(len)).find(is_healthy);
    let start = random.index(len);
    let after = |start: usize| (start..start + len).map(move |index| index % len);
    let first = drawn.or_else(|| after(start).find(is_healthy)).unwrap_or(start);
    let next = (first + 1) % len;
    let others = after(next).take(len - 1);
    (first, { others }.find(is_healthy).unwrap_or(next))
}

#[cfg(test)]
mod tests;
