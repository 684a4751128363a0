//! Reads of a Secret that end late: what they bring is older than what is known by then, and no key that
//! was superseded or withdrawn meanwhile opens a gateway again, not for a moment.

use latchkey_e2e::{
    client::Request,
    cluster::{
        Gateway, Operator, Relay, Scene,
        relay::{Action, RuleId, When},
        scene::{holding, of, secret_of},
    },
    keys,
    poll::Poll,
    wait::eventually,
};

/// Keeps the answers to reads of alice's Secret.
fn hold_reads(relay: &Relay) -> RuleId {
    relay.add(When::get("secrets", "alice"), Action::Hold)
}

/// Waits until the API server has answered a read that the rule keeps.
fn until_held(relay: &Relay, rule: RuleId) {
    eventually("a read is kept", || {
        let answered = relay
            .requests(&When::get("secrets", "alice"))
            .last()
            .is_some_and(|read| read.status.is_some());
        (relay.caught(rule) > 0 && answered)
            .then_some(())
            .ok_or("none is".to_owned())
    });
}

/// An operator whose reads may be kept, a gateway, and alice's first key, which works.
struct Stage<'a> {
    scene: &'a Scene<'a>,
    operator: Operator,
    gateway: Gateway,
    first: Poll,
}

impl<'a> Stage<'a> {
    /// With these arguments for the operator.
    fn set(scene: &'a Scene<'a>, relay: &Relay, args: &[&str]) -> Self {
        let operator = scene.operator().through(relay).args(args).start();
        let gateway = scene.gateway().start();
        let alice = scene.consumer("alice");
        gateway.becomes(&alice, 200);
        let first = Poll::start(gateway.proxy(), &alice);
        first.is(&[200]);
        Self {
            scene,
            operator,
            gateway,
            first,
        }
    }

    /// Puts a new key into the Secret, and asks for it from before that on.
    fn rotate(&self) -> Poll {
        let key = keys::key("alice");
        let poll = Poll::start(self.gateway.proxy(), &Request::get("/").key(&key));
        poll.is(&[401]);
        self.scene.namespace().put(&[holding("alice", &key)]);
        poll
    }

    /// Does something to the Secret, and returns when the operator knows of it.
    fn knowing<T>(&self, change: impl FnOnce() -> T) -> T {
        let (name, secrets) = ("latchkey_watch_events_total", [("kind", "Secret")]);
        let before = self.operator.number(name, &secrets);
        let done = change();
        self.operator.until_metric(name, &secrets, |seen| seen > before);
        done
    }

    fn delete(&self) {
        self.scene.namespace().remove(&secret_of("alice"));
    }

    fn withdrawn(&self) {
        let refs = self
            .scene
            .namespace()
            .until_condition(&of("alice"), "ResolvedRefs", "False");
        assert_eq!(refs["reason"], "SecretNotFound");
    }
}

/// An older read of a Secret ends late: the read of version 2 is kept back, version 3 is applied, and the read goes
/// on.
#[test]
fn a_key_that_was_superseded_while_it_was_read_never_opens() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let stage = Stage::set(&scene, &relay, &[]);
    let rule = hold_reads(&relay);
    let second = stage.rotate();
    until_held(&relay, rule);
    let third = stage.knowing(|| stage.rotate());
    relay.lift(rule);
    third.becomes(&[401, 200]);
    stage.first.is(&[200, 401]);
    second.is(&[401]);
}

#[test]
fn a_key_whose_secret_was_deleted_while_it_was_read_never_opens() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let stage = Stage::set(&scene, &relay, &[]);
    let rule = hold_reads(&relay);
    let second = stage.rotate();
    until_held(&relay, rule);
    stage.knowing(|| stage.delete());
    relay.lift(rule);
    stage.withdrawn();
    stage.first.becomes(&[200, 401]);
    second.is(&[401]);
}

/// Two operators that both take themselves for the only one, the first of which reads a Secret too late and
/// sees nothing of what happens meanwhile.
fn with_two_who_both_write(meanwhile: impl FnOnce(&Stage<'_>, &Poll)) {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let stage = Stage::set(&scene, &relay, &["--leader-elect=false"]);
    let rule = hold_reads(&relay);
    let second = stage.rotate();
    until_held(&relay, rule);
    let blind = relay.add(When::any().is_watch(true), Action::Stall);
    let _other = scene.operator().args(&["--leader-elect=false"]).start();
    second.becomes(&[401, 200]);

    meanwhile(&stage, &second);
    let writes = When::status().resource("credentials");
    let sent = relay.count(&writes);
    let (looks, unchanged) = ("latchkey_operator_reconciles_total", [("outcome", "unchanged")]);
    let before = stage.operator.number(looks, &unchanged);
    relay.lift(rule);
    let refused = eventually("the late one has tried to write", || {
        let writes = relay.requests(&writes);
        writes
            .get(sent)
            .and_then(|write| write.status)
            .ok_or(writes.len().to_string())
    });
    assert_eq!(refused, 409, "it wrote over what is newer");
    relay.lift(blind);
    // It agrees with what stands.
    stage
        .operator
        .until_metric(looks, &unchanged, |times| times > before);
    second.is(&[401, 200, 401]);
    stage.first.is(&[200, 401]);
}

#[test]
fn of_two_operators_the_late_one_does_not_restore_a_superseded_key() {
    with_two_who_both_write(|stage, second| {
        let third = stage.rotate();
        third.becomes(&[401, 200]);
        second.becomes(&[401, 200, 401]);
    });
}

#[test]
fn of_two_operators_the_late_one_does_not_restore_a_withdrawn_key() {
    with_two_who_both_write(|stage, second| {
        stage.delete();
        second.becomes(&[401, 200, 401]);
        stage.withdrawn();
    });
}
