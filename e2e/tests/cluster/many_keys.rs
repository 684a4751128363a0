//! Thousands of Credentials come and go through the API while requests run.

use std::time::Duration;

use latchkey_e2e::{
    client::{Connection, Request},
    cluster::{
        Gateway, Holder, Relay, Scene,
        holder::side_by_side,
        relay::{Action, When},
    },
    keys,
    manifest::{Manifest, consumer, secret},
    steady::Steady,
    wait::eventually_within,
};
use serde_json::json;

/// How many Credentials.
const MANY: usize = 2400;
/// How many of them a Consumer has.
const EACH: usize = 20;
/// One of so many has its key in a Secret.
const SECRETS: usize = 8;
/// How many are deleted.
const DELETED: usize = MANY / 4;
/// How many of the keys are asked all the time.
const ASKED: usize = 20;
/// How long the last change may take to be everywhere.
const SETTLED: Duration = Duration::from_secs(60);

/// A Credential and, for some, a Secret.
fn objects(number: usize) -> (Holder, Vec<Manifest>) {
    let owner = format!("owner-{:04}", number / EACH);
    let name = format!("many-{number:05}");
    let mut holder = Holder::of(&owner, &name);
    let mut objects = Vec::new();
    if number.is_multiple_of(SECRETS) {
        holder.credential = holder.credential.unset("spec.apiKey").secret_ref(&name);
        objects.push(secret(&name, &holder.key));
    }
    objects.push(holder.credential.clone());
    (holder, objects)
}

/// Waits until every one of these requests is answered with this status.
fn all_become(gateway: &Gateway, holders: &[Holder], status: u16) {
    let mut connection = None;
    let mut waiting: Vec<_> = holders.iter().collect();
    eventually_within(SETTLED, &format!("all are answered with {status}"), || {
        waiting.retain(|holder| {
            let answer = Connection::again(&mut connection, gateway.proxy(), &holder.request());
            let seen = answer.expect("the gateway answers").status;
            assert!([200, 401].contains(&seen), "{seen}");
            seen != status
        });
        let left = waiting.len();
        (left == 0).then_some(()).ok_or_else(|| format!("{left} are not"))
    });
}

#[test]
fn thousands_created_at_once_are_all_live_and_those_deleted_dead_while_others_never_fail() {
    let scene = Scene::shared();
    let namespace = scene.namespace();
    let relay = Relay::start(scene.cluster());
    let _operator = scene.operator().start();
    let mut gateways = [
        scene.gateway().measured().start_unready(),
        scene.gateway().measured().through(&relay).start_unready(),
    ];
    for gateway in &mut gateways {
        gateway.wait_ready();
    }
    let before = Holder::put(namespace, "before");
    for gateway in &gateways {
        gateway.becomes(&before.request(), 200);
    }
    let proxies = gateways.each_ref().map(|gateway| gateway.proxy());
    let lives = Steady::start(&proxies, &[before.request()], 200);
    let strangers: Vec<_> = (0..ASKED)
        .map(|n| Request::get("/").key(&keys::key(&format!("stranger-{n}"))))
        .collect();
    let strangers = Steady::start(&proxies, &strangers, 401);

    let owners: Vec<_> = (0..MANY / EACH)
        .map(|n| consumer(&format!("owner-{n:04}")))
        .collect();
    side_by_side(&owners, |owner| namespace.create(owner));
    let (holders, all): (Vec<_>, Vec<_>) = (0..MANY).map(objects).unzip();
    side_by_side(&all, |objects| {
        for object in objects {
            namespace.create(object);
        }
    });
    for gateway in &gateways {
        all_become(gateway, &holders, 200);
    }

    let (deleted, kept) = holders.split_at(DELETED);
    let (kept, late) = kept.split_at(kept.len() - 2 * EACH);
    let asked: Vec<_> = kept.iter().take(ASKED).map(Holder::request).collect();
    let kept_live = Steady::start(&proxies, &asked, 200);
    side_by_side(deleted, |holder| namespace.remove(&holder.credential));
    for gateway in &gateways {
        all_become(gateway, deleted, 401);
        all_become(gateway, kept, 200);
    }
    change_during_a_list(&scene, &relay, &gateways, late);
    for poll in [lives, strangers, kept_live] {
        poll.finish();
    }
}

/// The second gateway lists all of it again, and stands in the middle of that. What befalls one among
/// thousands then shows by another kind's watch at once, and by this kind's when the list has ended.
fn change_during_a_list(scene: &Scene<'_>, relay: &Relay, gateways: &[Gateway; 2], late: &[Holder]) {
    let namespace = scene.namespace();
    let [quick, listing] = gateways;
    let (of_first, of_second) = late.split_at(EACH);
    let ([closed, .., again], [revoked, .., bystander]) = (of_first, of_second) else {
        unreachable!("a Consumer has more");
    };
    let page = relay.add(When::later_page("credentials"), Action::Stall);
    let away = relay.add(When::watch("credentials"), Action::Cut);
    relay.add_times(1, When::watch("credentials"), Action::status(410, "Expired"));
    relay.until_caught(page, 1);
    relay.lift(away);

    let disable = |disabled: bool| {
        namespace.patch(&closed.consumer, &json!({"spec": {"disabled": disabled}}));
    };
    disable(true);
    for gateway in gateways {
        gateway.flips(&closed.request(), 200, 401);
        assert_eq!(gateway.status(&again.request()), 401, "the same Consumer's");
        assert_eq!(gateway.status(&bystander.request()), 200);
    }
    disable(false);
    namespace.remove(&revoked.credential);
    let new = Holder::put(namespace, "new");
    quick.flips(&revoked.request(), 200, 401);
    quick.becomes(&new.request(), 200);
    assert_eq!(relay.caught(page), 1, "the list has gone on");
    assert_eq!(listing.status(&bystander.request()), 200);

    relay.lift(page);
    listing.flips(&revoked.request(), 200, 401);
    listing.becomes(&new.request(), 200);
    for gateway in gateways {
        gateway.becomes(&closed.request(), 200);
        assert_eq!(gateway.status(&bystander.request()), 200);
    }
}
