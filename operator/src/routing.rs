//! Statuses of what shapes routing: GatewayClass, Gateway, HTTPRoute and AuthPolicy. What they say is
//! computed by the same [`Router`](latchkey_routing::router::Router) that gateways serve by.
//!
//! ```text
//! watches -> world (router + what stands) -> queue -> plan -> write the status
//!               ^                                               |
//!               `---------------- the watch brings it back -----'
//! ```

mod control;
mod kinds;
mod notices;
mod plan;
mod queue;
mod stats;
mod world;

use std::sync::Arc;

use kube::Client;
use latchkey_runtime::watch::Session;
use tokio::{sync::mpsc, task::JoinSet};

use self::{control::Control, world::World};
pub use self::{
    kinds::{Subject, kind_of},
    stats::Stats,
};
use crate::leadership::Leadership;

/// Events that may wait to be taken in. Each is one object.
const EVENTS: usize = 1024;

/// Which objects, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Gateways of this class are ours.
    pub gateway_class: String,
    /// These namespaces alone, with namespaced requests only; empty: all.
    pub namespaces: Vec<String>,
    /// How many statuses are written at a time.
    pub concurrency: usize,
}

/// Writes statuses while leading, and keeps up with what they should say while not. Nothing is written
/// before the first list of every kind is complete. Ends only if a watch ends, which is a defect.
pub async fn run(
    client: Client,
    session: Session,
    leadership: Leadership,
    config: Config,
    stats: Arc<Stats>,
) {
    let collections = kinds::collections(&config.namespaces);
    let (sender, events) = mpsc::channel(EVENTS);
    let mut watches = JoinSet::new();
    for (index, (_, collection)) in collections.iter().enumerate() {
        let (session, collection, sender) = (session.clone(), collection.clone(), sender.clone());
        watches.spawn(async move { session.watch(collection, index, sender).await });
    }
    drop(sender);
    let world = World::new(config.gateway_class, &collections);
    let control = Control::new(client, leadership, world, collections, config.concurrency, stats);
    tokio::select! {
        () = control.run(events) => {}
        _ = watches.join_next() => tracing::error!("a watch of what shapes routing ended by itself"),
    }
}
