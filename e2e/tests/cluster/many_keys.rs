//! Thousands of Consumers and Credentials come and go through the API while requests run.

use std::time::Duration;

use latchkey_e2e::{
    client::{Connection, Request},
    cluster::{Cluster, Gateway, Holder, Scene, holder::side_by_side},
    keys,
    manifest::{Manifest, credential, secret},
    steady::Steady,
    wait::eventually_within,
};

/// How many Consumers, each with a Credential.
const MANY: usize = 5000;
/// How many of the keys are asked all the time.
const ASKED: usize = 20;
/// How long the last change may take to be everywhere.
const SETTLED: Duration = Duration::from_secs(60);

/// A Consumer, a Credential and, for each second one, a Secret.
fn objects(number: usize) -> (Holder, Vec<Manifest>) {
    let name = format!("many-{number:04}");
    let mut holder = Holder::new(&name);
    let mut objects = Vec::new();
    if number % 2 == 1 {
        holder.credential = credential(&name, &name).secret_ref(&name);
        objects.push(secret(&name, &holder.key));
    }
    objects.extend(holder.manifests());
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
    let cluster = Cluster::own();
    let scene = Scene::on(&cluster);
    let _operator = scene.operator().start();
    let gateways = scene.gateway().measured().start_two();
    let before = Holder::put(scene.namespace(), "before");
    for gateway in &gateways {
        gateway.becomes(&before.request(), 200);
    }
    let proxies = gateways.each_ref().map(|gateway| gateway.proxy());
    let lives = Steady::start(&proxies, &[before.request()], 200);
    let strangers: Vec<_> = (0..ASKED)
        .map(|n| Request::get("/").key(&keys::key(&format!("stranger-{n}"))))
        .collect();
    let strangers = Steady::start(&proxies, &strangers, 401);

    let (holders, all): (Vec<_>, Vec<_>) = (0..MANY).map(objects).unzip();
    side_by_side(&all, |objects| {
        for object in objects {
            scene.namespace().create(object);
        }
    });
    for gateway in &gateways {
        all_become(gateway, &holders, 200);
    }

    let (deleted, kept) = holders.split_at(MANY / 2);
    let asked: Vec<_> = kept.iter().take(ASKED).map(Holder::request).collect();
    let kept_live = Steady::start(&proxies, &asked, 200);
    side_by_side(deleted, |holder| scene.namespace().remove(&holder.credential));
    for gateway in &gateways {
        all_become(gateway, deleted, 401);
        all_become(gateway, kept, 200);
    }
    for poll in [lives, strangers, kept_live] {
        poll.finish();
    }
}
