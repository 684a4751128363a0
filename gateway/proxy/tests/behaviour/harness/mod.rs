//! What the tests stand on: a gateway, raw clients, and upstreams whose every byte is chosen.

pub(crate) mod gateway;
pub(crate) mod objects;
pub(crate) mod upstream;
pub(crate) mod wire;

use std::{
    thread,
    time::{Duration, Instant},
};

pub(crate) use gateway::Gateway;
pub(crate) use upstream::Upstream;
pub(crate) use wire::{Message, Wire};

/// How long anything may take before a test fails.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until a condition holds, and fails with its name if it does not come.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "never came: {what}");
        thread::park_timeout(Duration::from_millis(2));
    }
}
