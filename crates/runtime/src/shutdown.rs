//! The order of going down: not ready, go on accepting, stop accepting, finish, force.

use std::time::Duration;

use tokio::sync::watch;

/// Where the process stands. Only ever moves forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Serving.
    Running,
    /// Not ready; still accepting, and answers carry `Connection: close`.
    Closing,
    /// No longer accepting; finishing what runs.
    Draining,
    /// Everything that still runs is cut.
    Forced,
}

/// How long each phase lasts.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How long `Closing` lasts (`--drain-delay`).
    pub delay: Duration,
    /// How long `Draining` may last (`--drain-timeout`).
    pub timeout: Duration,
}

/// Where others see the phase.
pub type PhaseWatch = watch::Receiver<Phase>;
