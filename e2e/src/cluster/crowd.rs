//! A gateway that holds many Credentials and misses what becomes of some of them: for tests of lists, which
//! have several pages then.

use super::{
    Gateway, Holder, Relay, Scene,
    relay::{Action, When},
};
use crate::{client::Request, steady::Steady};

/// More than two pages of a list.
const MANY: usize = 1200;
/// How many are deleted unseen.
const DELETED: usize = 10;
/// How many keys of each sort are asked all the time.
const ASKED: usize = 5;

/// A gateway with many Credentials, alone behind a relay.
#[derive(Debug)]
pub struct Crowd {
    /// The gateway.
    pub gateway: Gateway,
    /// What is between it and the API server.
    pub relay: Relay,
    /// All of them, in the order of lists: the first that are to be deleted unseen, then those that may go
    /// later, at the end those that stay.
    pub holders: Vec<Holder>,
    /// Where they are.
    pub scene: Scene<'static>,
}

impl Crowd {
    /// In a namespace of the shared cluster, with all keys in force.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// [`Crowd::new`] with more arguments for the gateway.
    pub fn with(args: &[&str]) -> Self {
        let scene = Scene::shared();
        scene.put_pepper();
        let holders = Holder::put_many(scene.namespace(), "crowd", MANY);
        let relay = Relay::start(scene.cluster());
        let gateway = scene.gateway().through(&relay).args(args).start();
        gateway.becomes(&holders[0].request(), 200);
        Self {
            gateway,
            relay,
            holders,
            scene,
        }
    }

    /// Some of those that are deleted unseen.
    pub fn deleted(&self) -> Vec<Request> {
        requests(&self.holders[..DELETED])
    }

    /// Some that are on the first page of a list, and stay until a test deletes them.
    pub fn listed_first(&self) -> &[Holder] {
        &self.holders[DELETED..][..ASKED]
    }

    /// Some that stay.
    pub fn kept(&self) -> Vec<Request> {
        requests(&self.holders[DELETED + ASKED..])
    }

    /// Asks for these all the time.
    pub fn poll(&self, requests: &[Request], status: u16) -> Steady {
        Steady::start(&[self.gateway.proxy()], requests, status)
    }

    /// Deletes these.
    pub fn delete(&self, holders: &[Holder]) {
        for holder in holders {
            self.scene.namespace().remove(&holder.credential);
        }
    }

    /// Deletes some while the gateway is cut off, and makes it list again: its next watch is answered as by
    /// an API server that has forgotten the version.
    pub fn delete_unseen(&self) {
        let away = self.relay.add(When::any(), Action::Cut);
        self.delete(&self.holders[..DELETED]);
        let watch = When::watch("credentials");
        self.relay.add_times(1, watch, Action::status(410, "Expired"));
        self.relay.lift(away);
    }

    /// A number that the gateway tells of its watch of Credentials.
    pub fn listed(&self, number: &str) -> u64 {
        self.gateway.watches()["kinds"]["Credential"][number]
            .as_u64()
            .expect("a number")
    }
}

impl Default for Crowd {
    fn default() -> Self {
        Self::new()
    }
}

fn requests(holders: &[Holder]) -> Vec<Request> {
    holders.iter().take(ASKED).map(Holder::request).collect()
}
