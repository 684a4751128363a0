//! The loop around what is held and what waits: passes on what is heard, and asks when it is time. No
//! question keeps an event waiting that does not have to, and what waits for policies never keeps them
//! waiting.

use std::{
    collections::{BTreeSet, HashSet},
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

use super::{
    barrier::{self, Barrier, News},
    hold::{self, Hold, Ignored, Why},
    policies::Version,
};
use crate::cluster::{kinds::Watched, stats::WatchStats};

/// Whoever took events in is gone.
type Closed = SendError<(usize, Event)>;

/// What is heard.
#[derive(Debug)]
pub(in crate::cluster) struct Heard {
    /// Of AuthPolicies.
    pub(in crate::cluster) policies: Receiver<(usize, Event)>,
    /// Of all else that shapes routing; no more of it is taken while too much waits.
    pub(in crate::cluster) others: Receiver<(usize, Event)>,
}

/// Goes on until nobody sends events, or takes them, any more. `standing` says which kinds stand, `listed`
/// which AuthPolicies there are; `seed` spreads the questions of processes that start together.
pub(in crate::cluster) async fn run<S, L>(
    watched: &[Watched],
    seed: u64,
    heard: Heard,
    passed: Sender<(usize, Event)>,
    stats: Arc<WatchStats>,
    standing: impl Fn(BTreeSet<Resource>) -> S,
    listed: impl Fn() -> L,
) where
    S: Future<Output = Result<BTreeSet<Resource>, ApiError>>,
    L: Future<Output = Result<HashSet<Version>, ApiError>>,
{
    let mut desk = Desk {
        hold: Hold::new(watched.to_vec(), seed),
        barrier: Barrier::new(watched, seed),
        passed,
        stats,
    };
    // The end of whoever takes events in is noticed and told by others.
    let _closed = desk.run(heard, standing, listed).await;
}

struct Desk {
    hold: Hold,
    barrier: Barrier,
    passed: Sender<(usize, Event)>,
    stats: Arc<WatchStats>,
}

impl Desk {
    async fn run<S, L>(
        &mut self,
        Heard {
            mut policies,
            mut others,
        }: Heard,
        standing: impl Fn(BTreeSet<Resource>) -> S,
        listed: impl Fn() -> L,
    ) -> Result<(), Closed>
    where
        S: Future<Output = Result<BTreeSet<Resource>, ApiError>>,
        L: Future<Output = Result<HashSet<Version>, ApiError>>,
    {
        let mut discovery = pin!(None);
        let mut list = pin!(None);
        loop {
            let (decide, look) = (self.hold.wake(), self.barrier.wake());
            tokio::select! {
                event = policies.recv() => {
                    let Some((id, event)) = event else { return Ok(()) };
                    self.take(id, event).await?;
                }
                event = others.recv(), if self.barrier.has_room() => {
                    let Some((id, event)) = event else { return Ok(()) };
                    self.take(id, event).await?;
                }
                () = until(decide) => discovery.set(Some(standing(self.hold.ask(now())))),
                () = until(look) => {
                    self.barrier.ask(now());
                    list.set(Some(listed()));
                }
                answer = answer(discovery.as_mut()) => {
                    discovery.set(None);
                    self.discovered(answer).await?;
                }
                answer = answer(list.as_mut()) => {
                    list.set(None);
                    self.listed(answer).await?;
                }
            }
        }
    }

    async fn take(&mut self, id: usize, event: Event) -> Result<(), Closed> {
        let step = self.hold.take(id, event, now());
        self.decided(step).await
    }

    async fn discovered(&mut self, answer: Result<BTreeSet<Resource>, ApiError>) -> Result<(), Closed> {
        match answer {
            Ok(standing) => {
                let step = self.hold.answered(&standing, now());
                self.decided(step).await
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

    async fn listed(&mut self, answer: Result<HashSet<Version>, ApiError>) -> Result<(), Closed> {
        match answer {
            Ok(listed) => {
                let step = self.barrier.answered(listed, now());
                self.settled(step).await
            }
            Err(error) => {
                if self.barrier.unanswered(error.retry_after(), now()) {
                    tracing::warn!(
                        "changes of HTTPRoutes, Gateways, ReferenceGrants and Namespaces wait: the API server does \
                         not say which AuthPolicies there are: {error}; the gateway must be able to list them, or a \
                         route might be served before its policy; it is asked again"
                    );
                }
                Ok(())
            }
        }
    }

    /// What is not held goes to the barrier.
    async fn decided(&mut self, step: hold::Step) -> Result<(), Closed> {
        self.stats.deletions_held.store(self.hold.len(), Relaxed);
        step.ignored.into_iter().for_each(|ignored| self.ignored(ignored));
        for (id, event) in step.pass {
            let step = self.barrier.take(id, event, now());
            self.settled(step).await?;
        }
        Ok(())
    }

    /// What does not wait is passed on.
    async fn settled(&mut self, step: barrier::Step) -> Result<(), Closed> {
        self.stats.openings_held.store(self.barrier.len(), Relaxed);
        match step.news {
            Some(News::Late { policies, one }) => tracing::warn!(
                policies,
                "changes of HTTPRoutes, Gateways, ReferenceGrants and Namespaces wait: the API server has \
                 AuthPolicies that no watch has told of yet, {one} among them; see what is logged of the watch of \
                 AuthPolicies (latchkey_watch_working)"
            ),
            Some(News::Settled) => {
                tracing::info!("all AuthPolicies are known: what waited for them is in force");
            }
            None => {}
        }
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
