//! Any history of changes and lists stands, after every commit, where a rebuild from the objects of the
//! moment does.
//!
//! `LATCHKEY_CASES` sets how many histories are tried. One that fails is kept in `proptest-regressions`, and
//! tried first from then on.

mod objects;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
};

use latchkey_core::object::ObjectName;
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};

use super::support::*;
use crate::{
    object::{Kind, Manifest},
    table::{RouteTable, TableCell},
};
use objects::any_object;

/// One step of a history.
#[derive(Clone, Debug)]
enum Step {
    Put(Value),
    Unreadable(Kind, ObjectName),
    Delete(Kind, ObjectName),
    /// A list of a kind begins: of one namespace, or of all.
    Begin(Scope),
    /// It was complete, if it had begun.
    End(Scope),
    Commit,
}

type Scope = (Kind, Option<&'static str>);

/// The objects of the moment, and what the lists that run have named of them.
#[derive(Default)]
struct Naive {
    held: BTreeMap<(Kind, ObjectName), Manifest>,
    running: BTreeMap<Scope, BTreeSet<ObjectName>>,
}

impl Naive {
    fn put(&mut self, kind: Kind, name: ObjectName, manifest: Manifest) {
        for (scope, named) in &mut self.running {
            if speaks_of(*scope, kind, &name) {
                named.insert(name.clone());
            }
        }
        self.held.insert((kind, name), manifest);
    }

    /// Gives back how many are gone.
    fn end(&mut self, scope: Scope) -> usize {
        let before = self.held.len();
        if let Some(named) = self.running.remove(&scope) {
            self.held
                .retain(|(kind, name), _| !speaks_of(scope, *kind, name) || named.contains(name));
        }
        before - self.held.len()
    }

    /// A router that is told the objects alone, the last one first.
    fn rebuilt(&self, deny: bool) -> World {
        let mut fresh = World::with(deny);
        for ((kind, name), manifest) in self.held.iter().rev() {
            fresh.router.apply(*kind, name, manifest.clone());
        }
        fresh.commit();
        fresh
    }
}

fn speaks_of((listed, namespace): Scope, kind: Kind, name: &ObjectName) -> bool {
    listed == kind && namespace.is_none_or(|namespace| namespace == name.namespace)
}

fn step() -> impl Strategy<Value = Step> {
    let named = || {
        any_object().prop_map(|object| {
            let (kind, name) = identity(&object);
            (kind, name)
        })
    };
    prop_oneof![
        8 => any_object().prop_map(Step::Put),
        3 => named().prop_map(|(kind, name)| Step::Delete(kind, name)),
        1 => named().prop_map(|(kind, name)| Step::Unreadable(kind, name)),
        2 => scope().prop_map(Step::Begin),
        2 => scope().prop_map(Step::End),
        4 => Just(Step::Commit),
    ]
}

fn scope() -> impl Strategy<Value = Scope> {
    let kinds = vec![
        Kind::Gateway,
        Kind::HttpRoute,
        Kind::AuthPolicy,
        Kind::Service,
        Kind::EndpointSlice,
        Kind::ReferenceGrant,
    ];
    let namespaced = (select(kinds), select(vec![None, Some("default"), Some("a")]));
    prop_oneof![8 => namespaced, 1 => Just((Kind::Namespace, None))]
}

/// What a table answers to every question.
fn answers(table: &RouteTable) -> Vec<String> {
    let mut said = vec![format!("{:?}", table.ports())];
    for port in [80, 81] {
        for host in ["one.test", "two.test", "a.one.test", "b.a.one.test", "other"] {
            for path in ["/", "/a", "/a/b"] {
                let ask = Ask::new(host, path);
                said.push(format!("{port} {host}{path}: {}", answer(table, port, &ask)));
            }
        }
    }
    said
}

/// All that a world says, revision and order apart.
fn said(world: &World) -> Vec<String> {
    let table = world.router.tables();
    let table = table.load();
    let mut said = answers(&table);
    let mut stats = table.stats();
    stats.revision = 0;
    said.push(format!("{stats:?}"));
    let mut open: Vec<_> = world.open.iter().map(|finding| format!("{finding:?}")).collect();
    open.sort_unstable();
    said.extend(open);
    said.extend(world.statuses.iter().map(|status| format!("{status:?}")));
    said
}

/// Lets a reader end, also where the writer panics: the scope waits for it before it tells.
struct Ends<'d>(&'d AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// What a thread that loads one table after the other found in each, until `done`.
fn read(cell: &TableCell, done: &AtomicBool) -> Vec<(u64, Vec<String>)> {
    let mut seen = Vec::new();
    loop {
        let last = done.load(SeqCst);
        let table = cell.load();
        let found = (table.stats().revision, answers(&table));
        // One table that answers alike again is no finding, and a busy reader would fill the memory.
        if seen.last() != Some(&found) {
            seen.push(found);
        }
        if last {
            return seen;
        }
    }
}

/// How many histories: `LATCHKEY_CASES`, where it is set.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("LATCHKEY_CASES").ok();
    ProptestConfig::with_cases(wanted.and_then(|text| text.parse().ok()).unwrap_or(usual))
}

/// Takes the steps, and compares with a rebuild after every commit.
fn follow(steps: impl IntoIterator<Item = Step>, deny: bool) -> Result<(), TestCaseError> {
    let mut world = World::with(deny);
    let mut naive = Naive::default();
    for step in steps.into_iter().chain([Step::Commit]) {
        match step {
            Step::Put(object) => {
                let (kind, name) = identity(&object);
                world.router.apply(kind, &name, Manifest::Value(object.clone()));
                naive.put(kind, name, Manifest::Value(object));
            }
            Step::Unreadable(kind, name) => {
                world.router.apply(kind, &name, Manifest::Unreadable);
                naive.put(kind, name, Manifest::Unreadable);
            }
            Step::Delete(kind, name) => {
                world.router.delete(kind, &name);
                naive.held.remove(&(kind, name));
            }
            Step::Begin((kind, namespace)) => {
                world.router.relist_begin(kind, namespace);
                naive.running.insert((kind, namespace), BTreeSet::new());
            }
            Step::End((kind, namespace)) => {
                let gone = world.router.relist_end(kind, namespace);
                prop_assert_eq!(gone, naive.end((kind, namespace)));
            }
            Step::Commit => {
                world.commit();
                prop_assert_eq!(said(&world), said(&naive.rebuilt(deny)));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn a_history_stands_where_a_rebuild_does(
        steps in proptest::collection::vec(step(), 1..60),
        deny in any::<bool>(),
    ) {
        follow(steps, deny)?;
    }
}

/// Once a history failed so: the route that a policy's filter was taken out of was not looked at again.
#[test]
fn a_rule_that_loses_its_filter_stands_where_a_rebuild_does() {
    let filtered = |filters: &Value| {
        let mut rule = rule("/");
        rule["filters"] = filters.clone();
        Step::Put(route("r", &[], &json!([rule])))
    };
    let filter = json!([{
        "type": "ExtensionRef",
        "extensionRef": { "group": "latchkey.dev", "kind": "AuthPolicy", "name": "p" },
    }]);
    let steps = [
        Step::Put(policy("p", &[])),
        filtered(&filter),
        Step::Commit,
        filtered(&json!([])),
    ];
    follow(steps, false).expect("it stands where a rebuild does");
}

/// Once a history failed so: the listener that the route left kept counting it.
#[test]
fn a_route_that_leaves_its_listener_and_cannot_be_read_stands_where_a_rebuild_does() {
    let mut attached = route("r", &[], &json!([rule("/")]));
    attached["spec"]["parentRefs"][0]["sectionName"] = json!("web");
    let mut unreadable = route("r", &[], &json!([rule("/")]));
    unreadable["spec"]["hostnames"] = json!(["one.test", 5]);
    let steps = [
        Step::Put(attached),
        Step::Put(plain_gateway()),
        Step::Commit,
        Step::Put(unreadable),
    ];
    follow(steps, false).expect("it stands where a rebuild does");
}

/// Once a history failed so: a Gateway without any port did not count its routes again.
#[test]
fn a_policy_of_a_gateway_that_serves_nothing_stands_where_a_rebuild_does() {
    let mut same_twice = plain_gateway();
    let mut other = same_twice["spec"]["listeners"][0].clone();
    other["name"] = json!("alt");
    same_twice["spec"]["listeners"]
        .as_array_mut()
        .expect("a list")
        .push(other);
    let steps = [
        Step::Put(same_twice),
        Step::Put(route("r", &[], &json!([rule("/")]))),
        Step::Commit,
        Step::Put(policy("p", &["Gateway/gw"])),
    ];
    follow(steps, false).expect("it stands where a rebuild does");
}

proptest! {
    #![proptest_config(cases(500))]

    /// Endpoints have a pointer of their own, so that they are left out.
    #[test]
    fn readers_beside_a_history_see_whole_tables_alone(
        objects in proptest::collection::vec(any_object(), 1..60),
    ) {
        let mut world = World::new();
        let cell = world.router.tables();
        let mut versions = BTreeMap::from([(cell.load().stats().revision, answers(&cell.load()))]);
        let done = AtomicBool::new(false);
        let seen = thread::scope(|scope| {
            let ends = Ends(&done);
            let reader = scope.spawn(|| read(&cell, &done));
            for object in objects {
                let (kind, name) = identity(&object);
                if kind == Kind::EndpointSlice {
                    continue;
                }
                // Every other one of a name ends it.
                if world.statuses.contains_key(&(kind, name.clone())) {
                    world.router.delete(kind, &name);
                } else {
                    world.router.apply(kind, &name, Manifest::Value(object));
                }
                world.commit();
                let table = cell.load();
                versions.insert(table.stats().revision, answers(&table));
            }
            drop(ends);
            reader.join().expect("the reader lives")
        });
        for (revision, answers) in seen {
            prop_assert_eq!(versions.get(&revision), Some(&answers), "version {}", revision);
        }
    }
}
