//! Why the process ends other than as it should: one line each, which says what to do.

use std::io;

use latchkey_proxy::WorkerPanicked;
use latchkey_runtime::{admin::AdminError, telemetry::TelemetryError};

use crate::{cluster::informer, standalone::control};

/// Why the process ends other than as it should.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No log.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// No folder.
    #[error(transparent)]
    Folder(#[from] control::StartError),
    /// No API server.
    #[error(transparent)]
    Cluster(#[from] informer::StartError),
    /// No admin server.
    #[error("{0}; --admin chooses another address")]
    Admin(#[from] AdminError),
    /// A listener's port that cannot be had at start.
    #[error("{0}")]
    Listen(String),
    /// The system refuses a thread, a runtime, or a signal handler.
    #[error("cannot start: {0}; check the limits of this process (threads, open files)")]
    System(#[from] io::Error),
    /// No random numbers.
    #[error("the system gives no random numbers: {0}; check that getrandom(2) is permitted")]
    Random(#[from] getrandom::Error),
    /// A worker ended by a panic.
    #[error(transparent)]
    Worker(#[from] WorkerPanicked),
    /// All workers ended although nobody told them to.
    #[error("all workers ended by themselves; this is a defect of Latchkey, please report it with the log")]
    Early,
    /// Nobody reads objects any more: going on would keep revoked keys alive.
    #[error(
        "the thread that reads objects ended; this is a defect of Latchkey, please report it with the log"
    )]
    Source,
    /// Requests were cut.
    #[error("ended before all requests were finished; raise --drain-timeout if that was too early")]
    Forced,
}
