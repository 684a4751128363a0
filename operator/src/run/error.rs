//! Why the process ends other than as it should: one line each, which says what to do.

use std::io;

use latchkey_runtime::{admin::AdminError, api::ConnectError, telemetry::TelemetryError};

/// Why the process ends other than as it should.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No log.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// No API server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// No admin server.
    #[error("{0}; --admin chooses another address")]
    Admin(#[from] AdminError),
    /// The system refuses a thread, a runtime, or a signal handler.
    #[error("cannot start: {0}; check the limits of this process (threads, open files)")]
    System(#[from] io::Error),
    /// No random numbers.
    #[error("the system gives no random numbers: {0}; check that getrandom(2) is permitted")]
    Random(#[from] getrandom::Error),
    /// A task ended although nobody told it to.
    #[error(
        "the task `{0}` ended by itself; this is a defect of Latchkey, please report it with the log; \
         started again, the operator goes on where it was"
    )]
    Task(&'static str),
    /// The end was cut short.
    #[error("ended before the lease was given back; others wait until it ends by itself")]
    Forced,
}
