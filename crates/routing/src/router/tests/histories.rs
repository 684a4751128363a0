//! Any history of changes and lists stands, after every commit, where a rebuild from the objects of the
//! moment does.
//!
//! `LATCHKEY_CASES` sets how many histories are tried. One that fails is kept in `proptest-regressions`, and
//! tried first from then on.

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

fn any_object() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => any_gateway(),
        4 => any_route(),
        4 => any_policy(),
        1 => any_service(),
        1 => any_slice(),
        1 => select(vec!["a", "b"]).prop_map(|from| grant("default/grant", from)),
        1 => (namespace_name(), select(vec!["x", "y"]))
            .prop_map(|(name, team)| namespace(name, &json!({ "team": team }))),
    ]
}

fn namespace_name() -> impl Strategy<Value = &'static str> {
    select(vec!["default", "a"])
}

fn time() -> impl Strategy<Value = &'static str> {
    select(vec!["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"])
}

fn hostname() -> impl Strategy<Value = &'static str> {
    select(vec!["one.test", "two.test", "*.test", "a.one.test", "*.one.test"])
}

fn any_gateway() -> impl Strategy<Value = Value> {
    let from = select(vec![
        json!({ "from": "All" }),
        json!({ "from": "Same" }),
        json!({ "from": "Selector", "selector": { "matchLabels": { "team": "x" } } }),
    ]);
    let port = select(vec![json!(80), json!(81), json!("broken")]);
    let hostname = prop_oneof![Just(""), hostname()];
    let protocol = select(vec!["HTTP", "HTTP", "HTTP", "HTTPS"]);
    let listener = (select(vec!["web", "alt"]), port, hostname, from, protocol).prop_map(
        |(name, port, hostname, from, protocol)| {
            json!({
                "name": name, "port": port, "protocol": protocol, "hostname": hostname,
                "allowedRoutes": { "namespaces": from },
            })
        },
    );
    let class = select(vec!["latchkey", "latchkey", "latchkey", "other"]);
    let listeners = proptest::collection::vec(listener, 1..3);
    (select(vec!["gw", "gw2"]), class, listeners, time()).prop_map(|(name, class, listeners, time)| {
        let mut gateway = gateway(name, &Value::Array(listeners));
        gateway["spec"]["gatewayClassName"] = json!(class);
        created(gateway, time)
    })
}

fn any_rule() -> impl Strategy<Value = Value> {
    let extension = |name: &str| {
        json!([{ "type": "ExtensionRef", "extensionRef": {
            "group": "latchkey.dev", "kind": "AuthPolicy", "name": name,
        } }])
    };
    let filters = select(vec![
        json!([]),
        json!([]),
        extension("p1"),
        extension("p2"),
        json!([{ "type": "RequestMirror" }]),
    ]);
    let backend =
        (select(vec!["svc", "svc2"]), select(vec![80, 81]), 0..3).prop_map(|(name, port, weight)| {
            json!([{
                "name": name, "namespace": "default", "port": port, "weight": weight,
            }])
        });
    (select(vec!["/", "/a", "/a/b"]), filters, backend).prop_map(|(path, filters, backends)| {
        let mut rule = rule(path);
        rule["filters"] = filters;
        rule["backendRefs"] = backends;
        rule
    })
}

fn any_route() -> impl Strategy<Value = Value> {
    let parent = (
        select(vec!["gw", "gw2"]),
        select(vec![json!(null), json!("web"), json!("alt")]),
        select(vec![json!(null), json!(null), json!({})]),
    )
        .prop_map(|(name, section, unknown)| {
            json!({
                "name": name, "namespace": "default", "sectionName": section, "selector": unknown,
            })
        });
    let rules = prop_oneof![
        6 => proptest::collection::vec(any_rule(), 1..3).prop_map(Value::Array),
        1 => Just(json!("broken")),
    ];
    let parents = prop_oneof![
        6 => proptest::collection::vec(parent, 1..3).prop_map(Value::Array),
        1 => Just(json!([{ "name": 5 }])),
    ];
    let hostnames = prop_oneof![
        6 => proptest::collection::vec(hostname(), 0..3).prop_map(|names| json!(names)),
        1 => Just(json!(["one.test", 5])),
    ];
    let name = (namespace_name(), select(vec!["r1", "r2", "r3"]));
    (name, parents, hostnames, rules, time()).prop_map(
        |((namespace, name), parents, hostnames, rules, time)| {
            let mut route = route(&format!("{namespace}/{name}"), &[], &rules);
            route["spec"]["parentRefs"] = parents;
            route["spec"]["hostnames"] = hostnames;
            created(route, time)
        },
    )
}

fn any_policy() -> impl Strategy<Value = Value> {
    let target = select(vec![
        target("Gateway/gw"),
        target("Gateway/gw/web"),
        target("Gateway/gw/alt"),
        target("Gateway/gw2/alt"),
        target("Gateway/gw2/none"),
        target("HTTPRoute/r1"),
        target("HTTPRoute/r2"),
        json!({ "kind": "HTTPRoute" }),
    ]);
    let targets = proptest::collection::vec(target, 0..3);
    let name = (namespace_name(), select(vec!["p1", "p2", "p3"]));
    (
        name,
        targets,
        any::<bool>(),
        select(vec!["APIKey", "APIKey", "Magic"]),
        time(),
    )
        .prop_map(|((namespace, name), targets, overriding, method, time)| {
            let mut policy = policy(&format!("{namespace}/{name}"), &[]);
            policy["spec"]["targetRefs"] = Value::Array(targets);
            policy["spec"]["override"] = json!(overriding);
            policy["spec"]["methods"][0]["type"] = json!(method);
            created(policy, time)
        })
}

fn any_service() -> impl Strategy<Value = Value> {
    (
        select(vec!["svc", "svc2"]),
        select(vec![json!(80), json!(81), json!("x")]),
    )
        .prop_map(|(name, port)| {
            let mut service = service(name);
            service["spec"]["ports"][0]["port"] = port;
            service
        })
}

fn any_slice() -> impl Strategy<Value = Value> {
    let addresses = proptest::collection::vec(select(vec!["10.0.0.1", "10.0.0.2", "x"]), 0..3);
    (select(vec!["s1", "s2"]), select(vec!["svc", "svc2"]), addresses)
        .prop_map(|(name, service, addresses)| slice(name, service, &addresses))
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

/// What a thread that loads one table after the other found in each, until `done`.
fn read(cell: &TableCell, done: &AtomicBool) -> Vec<(u64, Vec<String>)> {
    let mut seen = Vec::new();
    loop {
        let last = done.load(SeqCst);
        let table = cell.load();
        seen.push((table.stats().revision, answers(&table)));
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

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn a_history_stands_where_a_rebuild_does(
        steps in proptest::collection::vec(step(), 1..60),
        deny in any::<bool>(),
    ) {
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
    }
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
            done.store(true, SeqCst);
            reader.join().expect("the reader lives")
        });
        for (revision, answers) in seen {
            prop_assert_eq!(versions.get(&revision), Some(&answers), "version {}", revision);
        }
    }
}
