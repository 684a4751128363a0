//! Changes that a gateway missed, and complete lists that tell it of them: all is taken in, nothing else
//! moves, and a list that broke off tells nothing.

use latchkey_e2e::{
    client::Request,
    cluster::{
        Gateway, Holder, Relay, Scene,
        relay::{Action, When},
    },
    echo::Seen,
    manifest::consumer,
    steady::Steady,
};

/// More than two pages of a list.
const MANY: usize = 1200;
/// How many are deleted unseen.
const DELETED: usize = 10;
/// How many keys of each sort are asked all the time.
const ASKED: usize = 5;

/// The next watch of Credentials is answered as by an API server that has forgotten the version.
fn forget_version(relay: &Relay) {
    relay.add_times(1, When::watch("credentials"), Action::status(410, "Expired"));
}

/// A gateway that holds many Credentials, of which it misses some deletions.
struct Crowd {
    scene: Scene<'static>,
    relay: Relay,
    gateway: Gateway,
    holders: Vec<Holder>,
}

impl Crowd {
    fn new() -> Self {
        let scene = Scene::shared();
        scene.put_pepper();
        let holders = Holder::put_many(scene.namespace(), "crowd", MANY);
        let relay = Relay::start(scene.cluster());
        let gateway = scene.gateway().through(&relay).start();
        gateway.becomes(&holders[0].request(), 200);
        Self {
            scene,
            relay,
            gateway,
            holders,
        }
    }

    fn deleted(&self) -> Vec<Request> {
        self.holders[..DELETED]
            .iter()
            .take(ASKED)
            .map(Holder::request)
            .collect()
    }

    fn kept(&self) -> Vec<Request> {
        self.holders[DELETED..]
            .iter()
            .take(ASKED)
            .map(Holder::request)
            .collect()
    }

    fn poll(&self, requests: &[Request], status: u16) -> Steady {
        Steady::start(&[self.gateway.proxy()], requests, status)
    }

    /// Deletes unseen, and makes the gateway list again.
    fn delete_unseen(&self) {
        let away = self.relay.add(When::any(), Action::Cut);
        for holder in &self.holders[..DELETED] {
            self.scene.namespace().remove(&holder.credential);
        }
        forget_version(&self.relay);
        self.relay.lift(away);
    }

    fn listed(&self, number: &str) -> u64 {
        self.gateway.watches()["kinds"]["Credential"][number]
            .as_u64()
            .expect("a number")
    }

    /// Lists that break at these pages remove nothing, however many; the first whole one does.
    fn breaks_at(&self, pages: When) {
        let kept = self.poll(&self.kept(), 200);
        let deleted = self.poll(&self.deleted(), 200);
        let before = self.listed("lists");
        let broken = self.relay.add(pages, Action::status(500, "InternalError"));
        self.delete_unseen();
        self.relay.until_caught(broken, 3);
        assert_eq!(self.listed("lists"), before);
        deleted.finish();
        self.relay.lift(broken);
        for request in self.deleted() {
            self.gateway.flips(&request, 200, 401);
        }
        assert_eq!(self.listed("lists"), before + 1);
        kept.finish();
    }
}

#[test]
fn a_complete_list_removes_what_it_does_not_name_and_touches_nothing_else() {
    let crowd = Crowd::new();
    let kept = crowd.poll(&crowd.kept(), 200);
    let before = crowd.listed("lists");
    crowd.delete_unseen();
    for request in crowd.deleted() {
        crowd.gateway.flips(&request, 200, 401);
    }
    assert_eq!(crowd.listed("lists"), before + 1, "it was no list that told");
    crowd.gateway.until_watches("the watch goes on", |watch| {
        let kind = &watch["kinds"]["Credential"];
        kind["working"] == kind["watches"]
    });
    let late = Holder::put(crowd.scene.namespace(), "late");
    crowd.gateway.becomes(&late.request(), 200);
    kept.finish();
}

#[test]
fn a_list_that_breaks_after_its_first_page_removes_nothing() {
    Crowd::new().breaks_at(When::list("credentials").query("continue="));
}

#[test]
fn a_list_that_breaks_before_its_first_page_removes_nothing() {
    Crowd::new().breaks_at(When::list("credentials").query("limit=500"));
}

/// A Credential is deleted and made again under its name, with another key and another owner, while the
/// gateway is cut off; `by_list` says how it hears of that.
fn replaced_unseen(by_list: bool) {
    let scene = Scene::shared();
    let namespace = scene.namespace();
    let relay = Relay::start(scene.cluster());
    let _operator = scene.operator().start();
    let gateway = scene.gateway().through(&relay).start();
    let old = Holder::of("alice", "laptop");
    namespace.put(&old.manifests());
    gateway.becomes(&old.request(), 200);
    let first = namespace.until_condition(&old.credential, "Ready", "True");
    let lists = |gateway: &Gateway| gateway.watches()["kinds"]["Credential"]["lists"].clone();
    let before = lists(&gateway);

    let away = relay.add(When::any(), Action::Cut);
    let new = Holder::of("bob", "laptop");
    namespace.remove(&old.credential);
    namespace.put(&new.manifests());
    if by_list {
        forget_version(&relay);
    }
    relay.lift(away);
    gateway.flips(&old.request(), 200, 401);
    let seen = Seen::of(&gateway.becomes(&new.request(), 200));
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("bob"));
    assert_eq!(lists(&gateway) != before, by_list);
    let index = gateway.ask_admin("/debug/index").json()["index"].take();
    assert_eq!(index["entries"], 1, "{index}");
    let second = namespace.until_condition(&new.credential, "Ready", "True");
    assert_eq!(
        (&first["observedGeneration"], &second["observedGeneration"]),
        (&1.into(), &1.into())
    );
    namespace.put(&[consumer("alice").set("spec.disabled", true)]);
    gateway.becomes(&new.request(), 200);
}

#[test]
fn what_was_replaced_under_its_name_is_another_object_to_a_list() {
    replaced_unseen(true);
}

#[test]
fn what_was_replaced_under_its_name_is_another_object_to_a_watch() {
    replaced_unseen(false);
}
