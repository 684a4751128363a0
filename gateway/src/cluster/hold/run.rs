//! The loop around what is held: passes on what is heard, and asks when it is time. No question keeps an
//! event waiting.

use std::{
    collections::BTreeSet,
    future::pending,
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering::Relaxed},
};

use latchkey_routing::object::Resource;
use latchkey_runtime::{api::ApiError, watch::Event};
use tokio::{
    sync::mpsc::{Receiver, Sender, error::SendError},
    time::{Instant, sleep_until},
};

use super::{Hold, Ignored, Step, Why};
use crate::cluster::stats::WatchStats;

/// Whoever took events in is gone.
type Closed = SendError<(usize, Event)>;

/// Goes on until nobody sends events, or takes them, any more. `ask` says which kinds stand.
pub(in crate::cluster) async fn run<A>(
    hold: Hold,
    heard: Receiver<(usize, Event)>,
    passed: Sender<(usize, Event)>,
    stats: Arc<WatchStats>,
    ask: impl Fn(BTreeSet<Resource>) -> A,
) where
    A: Future<Output = Result<BTreeSet<Resource>, ApiError>>,
{
    let mut desk = Desk { hold, passed, stats };
    // The end of whoever takes events in is noticed and told by others.
    let _closed = desk.run(heard, ask).await;
}

struct Desk {
    hold: Hold,
    passed: Sender<(usize, Event)>,
    stats: Arc<WatchStats>,
}

impl Desk {
    async fn run<A>(
        &mut self,
        mut heard: Receiver<(usize, Event)>,
        ask: impl Fn(BTreeSet<Resource>) -> A,
    ) -> Result<(), Closed>
    where
        A: Future<Output = Result<BTreeSet<Resource>, ApiError>>,
    {
        let mut asking = pin!(None);
        loop {
            let wake = self.hold.wake();
            tokio::select! {
                event = heard.recv() => {
                    let Some((id, event)) = event else { return Ok(()) };
                    let step = self.hold.take(id, event, now());
                    self.act(step).await?;
                }
                () = until(wake) => asking.set(Some(ask(self.hold.ask(now())))),
                answer = answer(asking.as_mut()) => {
                    asking.set(None);
                    self.answered(answer).await?;
                }
            }
        }
    }

    async fn answered(&mut self, answer: Result<BTreeSet<Resource>, ApiError>) -> Result<(), Closed> {
        match answer {
            Ok(standing) => {
                let step = self.hold.answered(&standing, now());
                self.act(step).await
            }
            Err(error) => {
                if self.hold.unanswered(error.retry_after(), now()) {
                    tracing::warn!(
                        "deletions of AuthPolicies, HTTPRoutes and Gateways wait: the API server does not say \
                         whether it still serves these kinds: {error}; its discovery must be readable \
                         (ClusterRole system:discovery); it is asked again"
                    );
                }
                Ok(())
            }
        }
    }

    async fn act(&mut self, step: Step) -> Result<(), Closed> {
        self.stats.deletions_held.store(self.hold.len(), Relaxed);
        step.ignored.into_iter().for_each(|ignored| self.ignored(ignored));
        for event in step.pass {
            self.passed.send(event).await?;
        }
        Ok(())
    }

    fn ignored(&self, ignored: Ignored) {
        let Ignored { kind, why, count, .. } = ignored;
        let kind_name = kind.as_str();
        if let Some(stats) = self.stats.of(kind) {
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            stats.deletions_ignored.fetch_add(count, Relaxed);
        }
        match why {
            _ if !ignored.news => {}
            Why::KindGoes => tracing::warn!(
                "the CRD of {kind_name} is being removed: what its objects said stays in force; apply the CRD and \
                 the objects again, or, to give them up, the CRD alone"
            ),
            Why::TooMany => tracing::warn!(
                "too many deletions wait: more of {kind_name} are ignored until the next complete list \
                 (--relist-interval); restart the gateway to have them in force at once"
            ),
        }
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}

async fn until(deadline: Option<std::time::Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline.into()).await,
        None => pending().await,
    }
}

/// Never, if nothing is asked.
async fn answer<A: Future>(asking: Pin<&mut Option<A>>) -> A::Output {
    match asking.as_pin_mut() {
        Some(asking) => asking.await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests;
