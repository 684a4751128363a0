//! The order of going down: not ready, go on accepting, stop accepting, finish, force.
//!
//! ```text
//! Running -signal-> Closing -delay-> Draining -timeout-> Forced
//!                      `------- second signal ------------^
//! ```
//!
//! Owns when the phase changes. What a phase means is up to those who watch it.

use std::{io, pin::pin, time::Duration};

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};

use crate::readiness::Readiness;

/// How long those who run may take to notice that they were cut, before the process ends anyway.
const FORCED_GRACE: Duration = Duration::from_secs(1);

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

/// What moves the phase on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// SIGTERM or SIGINT.
    Signal,
    /// The present phase lasted as long as it may.
    TimeUp,
}

/// How the process came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All that ran was finished in time.
    Finished,
    /// Something still ran and was cut: out of time, or a second signal.
    Forced,
    /// What should serve ended by itself, although nobody told it to stop accepting.
    Early,
}

impl Phase {
    /// The phase after an event: the whole rule of going down.
    pub const fn after(self, event: Event) -> Self {
        match (self, event) {
            (Self::Running, Event::Signal) => Self::Closing,
            (Self::Running, Event::TimeUp) => Self::Running,
            (Self::Closing, Event::TimeUp) => Self::Draining,
            (Self::Closing | Self::Draining | Self::Forced, Event::Signal)
            | (Self::Draining | Self::Forced, Event::TimeUp) => Self::Forced,
        }
    }

    /// How long it lasts if nothing happens; `None` is for ever.
    pub const fn lasts(self, timing: Timing) -> Option<Duration> {
        match self {
            Self::Running => None,
            Self::Closing => Some(timing.delay),
            Self::Draining => Some(timing.timeout),
            Self::Forced => Some(FORCED_GRACE),
        }
    }
}

/// SIGTERM and SIGINT from now on, in the order they came.
#[derive(Debug)]
pub struct Signals(mpsc::Receiver<&'static str>);

impl Signals {
    /// Takes both signals from their default, which is to end the process. Needs a runtime.
    ///
    /// # Errors
    /// The system refuses the handlers.
    pub fn install() -> io::Result<Self> {
        let mut term = signal(SignalKind::terminate())?;
        let mut int = signal(SignalKind::interrupt())?;
        let (sender, signals) = Self::channel();
        tokio::spawn(async move {
            loop {
                let name = tokio::select! {
                    Some(()) = term.recv() => "SIGTERM",
                    Some(()) = int.recv() => "SIGINT",
                    else => return,
                };
                if sender.send(name).await.is_err() {
                    return;
                }
            }
        });
        Ok(signals)
    }

    /// Signals that come from somewhere else: a test, or a process that others embed.
    pub fn channel() -> (mpsc::Sender<&'static str>, Self) {
        let (sender, receiver) = mpsc::channel(2);
        (sender, Self(receiver))
    }

    /// The next one; never, if there can be no more.
    async fn next(&mut self) -> &'static str {
        match self.0.recv().await {
            Some(name) => name,
            None => std::future::pending().await,
        }
    }
}

/// The phase, at its beginning: one end for [`drive`], one for everyone who watches.
pub fn phases() -> (watch::Sender<Phase>, PhaseWatch) {
    watch::channel(Phase::Running)
}

/// Moves the phase from the first signal to the end. `finished` completes when all that serves has
/// ended (workers joined); after `Forced` it has one second to do so.
pub async fn drive(
    phases: watch::Sender<Phase>,
    timing: Timing,
    readiness: &Readiness,
    mut signals: Signals,
    finished: impl Future<Output = ()>,
) -> Ended {
    let mut finished = pin!(finished);
    let mut phase = Phase::Running;
    let mut since = Instant::now();
    while phase != Phase::Forced {
        let time_up = async {
            match phase.lasts(timing) {
                Some(lasts) => sleep_until(since + lasts).await,
                None => std::future::pending().await,
            }
        };
        let event = tokio::select! {
            () = &mut finished => return if phase < Phase::Draining { Ended::Early } else { Ended::Finished },
            name = signals.next() => {
                tracing::info!(signal = name, "told to stop");
                if phase == Phase::Running {
                    readiness.drain(name);
                }
                Event::Signal
            }
            () = time_up => Event::TimeUp,
        };
        (phase, since) = (phase.after(event), Instant::now());
        tracing::info!(?phase, "shutting down");
        phases.send_replace(phase);
    }
    // Whether they made it or not, what ran was cut.
    let _ = timeout(FORCED_GRACE, finished).await;
    Ended::Forced
}

#[cfg(test)]
mod tests;
