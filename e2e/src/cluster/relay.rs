//! A TLS relay in front of the API server, one for each client that a test wants to come between:
//! it delays, stalls, cuts, edits and answers by itself as rules say, and remembers every request.
//!
//! ```text
//! operator, gateway -> TLS -> rules -> TLS -> kube-apiserver
//!                              ^ a test adds and lifts them, also while a watch runs
//! ```
//!
//! ```no_run
//! # use latchkey_e2e::cluster::{Cluster, Installation, Relay, relay::{Action, When}};
//! # let installation = Installation::in_a_namespace(Cluster::shared());
//! let relay = Relay::start(installation.cluster());
//! let gateway = installation.gateway().through(&relay).start();
//! // Its watches go silent, those that run included, and new ones are not answered.
//! let silence = relay.add(When::watch("credentials"), Action::Stall);
//! relay.lift(silence);
//! assert_eq!(relay.count(&When::write()), 0);
//! ```

mod events;
mod pipe;
mod rule;
mod serve;

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

pub use rule::{Action, Break, Change, Pick, RuleId, Seen, When};

use self::{events::Event, rule::Rule};
use super::{Cluster, api::RUNTIME, pki::Authority};
use crate::wait::eventually;

/// A running relay. Dropping it closes its connections.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    ca: String,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// What tests and connections share.
#[derive(Debug, Default)]
struct Shared {
    rules: Mutex<Vec<Rule>>,
    requests: Mutex<Vec<Seen>>,
    /// Counts changes of the rules, for those who wait for one.
    changes: watch::Sender<u64>,
}

impl Relay {
    /// Starts one on an address of its own.
    pub fn start(cluster: &Cluster) -> Self {
        let authority = Authority::new("latchkey-relay").expect("a CA can be made");
        let pair = authority
            .server(&[Ipv4Addr::LOCALHOST.into()])
            .expect("a certificate can be made");
        let upstream = serve::Upstream::new(cluster.server(), cluster.ca());
        let shared = Arc::<Shared>::default();
        let listener = RUNTIME
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
            .expect("a free port on loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let server = RUNTIME.spawn(serve::accept(listener, pair, upstream, Arc::clone(&shared)));
        Self {
            address,
            ca: authority.certificate(),
            shared,
            server,
        }
    }

    /// The URL for kubeconfigs.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// The certificate, as PEM, by which it is known.
    pub fn ca(&self) -> &str {
        &self.ca
    }

    /// Adds a rule, until it is lifted. Of several that match, the newest counts.
    pub fn add(&self, when: When, action: Action) -> RuleId {
        self.shared.add(when, action, None)
    }

    /// Adds a rule for so many requests (of events: events).
    pub fn add_times(&self, times: usize, when: When, action: Action) -> RuleId {
        self.shared.add(when, action, Some(times))
    }

    /// Lifts a rule; gives how many requests it caught. What it holds goes on.
    pub fn lift(&self, rule: RuleId) -> usize {
        let mut rules = lock(&self.shared.rules);
        let place = rules.iter().position(|other| other.id == rule);
        let caught = place.map_or(0, |place| rules.remove(place).caught);
        drop(rules);
        self.shared.changes.send_modify(|changes| *changes += 1);
        caught
    }

    /// How many requests a rule has caught so far.
    pub fn caught(&self, rule: RuleId) -> usize {
        let rules = lock(&self.shared.rules);
        rules
            .iter()
            .find(|other| other.id == rule)
            .map_or(0, |rule| rule.caught)
    }

    /// Waits until a rule has caught so many.
    pub fn until_caught(&self, rule: RuleId, requests: usize) {
        eventually(&format!("{requests} requests are caught"), || {
            let caught = self.caught(rule);
            (caught >= requests)
                .then_some(())
                .ok_or_else(|| caught.to_string())
        });
    }

    /// Waits until a rule has silenced so many running streams.
    pub fn until_silent(&self, rule: RuleId, streams: usize) {
        eventually(&format!("{streams} streams are silent"), || {
            let rules = lock(&self.shared.rules);
            let silenced = rules.iter().find(|other| other.id == rule);
            let silenced = silenced.map_or(0, |rule| rule.silenced);
            (silenced >= streams)
                .then_some(())
                .ok_or_else(|| silenced.to_string())
        });
    }

    /// The requests that match, in the order in which they came in.
    pub fn requests(&self, when: &When) -> Vec<Seen> {
        let requests = lock(&self.shared.requests);
        requests
            .iter()
            .filter(|seen| when.matches(seen))
            .cloned()
            .collect()
    }

    /// How many requests match.
    pub fn count(&self, when: &When) -> usize {
        lock(&self.shared.requests)
            .iter()
            .filter(|seen| when.matches(seen))
            .count()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn add(&self, when: When, action: Action, left: Option<usize>) -> RuleId {
        let mut rules = lock(&self.rules);
        let id = RuleId::next();
        rules.push(Rule {
            id,
            when,
            action,
            left,
            caught: 0,
            silenced: 0,
        });
        drop(rules);
        self.changes.send_modify(|changes| *changes += 1);
        id
    }

    /// What is to happen to a request now. `caught_by` are the rules that have caught it so far: each
    /// counts it once.
    fn decide(&self, seen: &Seen, caught_by: &mut Vec<RuleId>) -> Option<(RuleId, Action)> {
        self.newest(seen, caught_by, Action::concerns_requests)
    }

    /// What is to happen to a request whose answer has begun.
    fn decide_stream(&self, seen: &Seen, caught_by: &mut Vec<RuleId>) -> Option<(RuleId, Action)> {
        self.newest(seen, caught_by, Action::concerns_streams)
    }

    /// What is to happen to an event of a watch.
    fn decide_event(&self, seen: &Seen, event: &Event) -> Option<Change> {
        let mut rules = lock(&self.rules);
        let of_event = |rule: &mut Rule| {
            let Action::Event(pick, change) = &rule.action else {
                return None;
            };
            let is_meant = rule.left != Some(0) && rule.when.matches(seen) && pick.matches(event);
            let change = *change;
            is_meant.then(|| {
                rule.catch();
                change
            })
        };
        rules.iter_mut().rev().find_map(of_event)
    }

    fn newest(
        &self,
        seen: &Seen,
        caught_by: &mut Vec<RuleId>,
        concerns: impl Fn(&Action) -> bool,
    ) -> Option<(RuleId, Action)> {
        let mut rules = lock(&self.rules);
        let rule = rules.iter_mut().rev().find(|rule| {
            let has_caught = caught_by.contains(&rule.id);
            concerns(&rule.action) && (has_caught || (rule.left != Some(0) && rule.when.matches(seen)))
        })?;
        if !caught_by.contains(&rule.id) {
            caught_by.push(rule.id);
            rule.catch();
        }
        Some((rule.id, rule.action.clone()))
    }

    /// A stream is silent because of a rule.
    fn silenced(&self, rule: RuleId) {
        let mut rules = lock(&self.rules);
        if let Some(rule) = rules.iter_mut().find(|other| other.id == rule) {
            rule.silenced += 1;
        }
    }

    /// Returns when a rule is lifted.
    async fn lifted(&self, rule: RuleId) {
        let mut changes = self.changes.subscribe();
        while lock(&self.rules).iter().any(|other| other.id == rule) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Remembers a request; gives its number.
    fn record(&self, seen: Seen) -> usize {
        let mut requests = lock(&self.requests);
        requests.push(seen);
        requests.len() - 1
    }

    fn answered(&self, number: usize, status: u16) {
        lock(&self.requests)[number].status = Some(status);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
