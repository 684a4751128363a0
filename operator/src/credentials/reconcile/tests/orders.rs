//! Whatever happens in whatever order, all statuses end as if everything were looked at afresh.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

const KEYS: [&str; 3] = [KEY, NEW_KEY, "too-short"];

#[derive(Clone, Debug)]
enum Change {
    Secret(u8, u8),
    NoSecret(u8),
    Credential(u8, u8),
    NoCredential(u8),
    Consumer(bool),
    Peppers(u8),
    /// The first one's blocks are written into the second one's status.
    Copy(u8, u8),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0u8..2, 0u8..3).prop_map(|(name, key)| Change::Secret(name, key)),
        1 => (0u8..2).prop_map(Change::NoSecret),
        4 => (0u8..4, 0u8..6).prop_map(|(name, source)| Change::Credential(name, source)),
        1 => (0u8..4).prop_map(Change::NoCredential),
        1 => any::<bool>().prop_map(Change::Consumer),
        1 => (1u8..4).prop_map(Change::Peppers),
        1 => (0u8..4, 0u8..4).prop_map(|(from, to)| Change::Copy(from, to)),
    ]
}

/// The objects as an API server has them.
#[derive(Default)]
struct Server {
    credentials: BTreeMap<String, Value>,
    secrets: BTreeMap<String, Value>,
    consumer: bool,
    peppers: u8,
    version: u32,
}

impl Server {
    fn version(&mut self) -> String {
        self.version += 1;
        self.version.to_string()
    }

    fn peppers(&self) -> Vec<latchkey_core::digest::Pepper> {
        (1..=2).filter(|n| self.peppers & n != 0).map(pepper).collect()
    }

    fn show(&self, reconciler: &mut Reconciler) {
        reconciler.world.set_peppers(self.peppers());
        if self.consumer {
            reconciler.world.apply(Kind::Consumer, consumer());
        }
        for secret in self.secrets.values() {
            reconciler.world.apply(Kind::Secret, secret.clone());
        }
        for credential in self.credentials.values() {
            reconciler.world.apply(Kind::Credential, credential.clone());
        }
    }

    fn change(&mut self, change: &Change, reconciler: &mut Reconciler) {
        let world = &mut reconciler.world;
        match *change {
            Change::Secret(name, key) => {
                let name = format!("s{name}");
                let object = secret(&name, &self.version(), KEYS[usize::from(key)].as_bytes());
                world.apply(Kind::Secret, object.clone());
                self.secrets.insert(name, object);
            }
            Change::NoSecret(name) => {
                let name = format!("s{name}");
                world.delete(Kind::Secret, &named(&name));
                self.secrets.remove(&name);
            }
            Change::Credential(number, source) => {
                let name = format!("c{number}");
                let source = match source {
                    0 | 1 => by_secret(&format!("s{source}")),
                    2 | 3 => inline(KEYS[usize::from(source - 2)]),
                    4 => json!({"sha256": "nonsense"}),
                    _ => Value::Null,
                };
                let mut object = credential(&name, u32::from(number), &source);
                if let Some(old) = self.credentials.get(&name) {
                    object["status"] = old["status"].clone();
                }
                self.put(name, object, world);
            }
            Change::NoCredential(number) => {
                let name = format!("c{number}");
                world.delete(Kind::Credential, &named(&name));
                self.credentials.remove(&name);
            }
            Change::Consumer(exists) => {
                self.consumer = exists;
                if exists {
                    world.apply(Kind::Consumer, consumer());
                } else {
                    world.delete(Kind::Consumer, &named("alice"));
                }
            }
            Change::Peppers(peppers) => {
                self.peppers = peppers;
                world.set_peppers(self.peppers());
            }
            Change::Copy(from, to) => {
                let blocks = self.credentials.get(&format!("c{from}"));
                let blocks = blocks.map(|object| object["status"]["published"].clone());
                let name = format!("c{to}");
                if let (Some(blocks), Some(mut object)) = (blocks, self.credentials.get(&name).cloned()) {
                    object["status"]["published"] = blocks;
                    self.put(name, object, world);
                }
            }
        }
    }

    fn put(&mut self, name: String, mut object: Value, world: &mut World) {
        object["metadata"]["resourceVersion"] = self.version().into();
        world.apply(Kind::Credential, object.clone());
        self.credentials.insert(name, object);
    }

    /// Reconciles one to its end; says whether anything was written.
    fn reconcile(&mut self, name: &ObjectName, reconciler: &mut Reconciler) -> bool {
        let now = Instant::now();
        let mut step = reconciler.begin(name, now, &time(0));
        let mut wrote = false;
        loop {
            step = match step {
                Step::ReadSecret(attempt, secret, key) => {
                    let read = self
                        .secrets
                        .get(&secret.name)
                        .map_or(Read::NotFound, |object| Read::Found(Secret::read(object, &key)));
                    reconciler.secret_read(attempt, read, &time(0))
                }
                Step::Write(attempt, _, status) => {
                    wrote = true;
                    let name = attempt.name().name.clone();
                    let version = self.version();
                    let object = written(&self.credentials[&name], &status, &version);
                    self.credentials.insert(name, object.clone());
                    let step = reconciler.written(&attempt, &Written::Done(version), now);
                    reconciler.world.apply(Kind::Credential, object);
                    step
                }
                Step::End(_, After::Nothing) => return wrote,
                step => panic!("nobody else writes, and nothing fails: {step:?}"),
            };
        }
    }

    fn settle(&mut self, reconciler: &mut Reconciler) {
        for round in 0.. {
            let touched: BTreeSet<_> = reconciler.world.take_touched();
            if touched.is_empty() {
                return;
            }
            assert!(round < 20, "it comes to an end");
            for name in touched {
                self.reconcile(&name, reconciler);
            }
        }
    }
}

fn consumer() -> Value {
    json!({"metadata": {"namespace": "shop", "name": "alice"}})
}

proptest! {
    #[test]
    fn any_order_ends_in_what_a_fresh_look_finds(
        changes in proptest::collection::vec((change(), any::<bool>()), 1..30),
    ) {
        let mut server = Server { consumer: true, peppers: 1, ..Server::default() };
        let mut reconciler = Reconciler::new(16, None);
        server.show(&mut reconciler);
        for (change, settles) in &changes {
            server.change(change, &mut reconciler);
            if *settles {
                server.settle(&mut reconciler);
            }
        }
        server.settle(&mut reconciler);
        let mut fresh = Reconciler::new(16, None);
        server.show(&mut fresh);
        let names: Vec<_> = fresh.world.credentials().cloned().collect();
        for name in names {
            prop_assert!(!server.reconcile(&name, &mut fresh), "{name} was not right");
        }
    }
}
