//! A reconciler, the objects that it is shown, and what it asks for.

use std::collections::HashMap;

use serde_json::json;

use super::{
    super::super::{
        testing::{found, named, pepper, time, written},
        world::Kind,
    },
    *,
};

/// A reconciler, the objects that it is shown, and what it asked for.
pub(super) struct Fixture {
    pub(super) reconciler: Reconciler,
    pub(super) now: Instant,
    pub(super) credentials: HashMap<String, Value>,
    pub(super) version: u32,
    pub(super) reads: usize,
    pub(super) writes: usize,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let mut reconciler = Reconciler::new(16, None);
        reconciler.world.set_peppers(vec![pepper(1)]);
        let consumer = json!({"metadata": {"namespace": "shop", "name": "alice"}});
        reconciler.world.apply(Kind::Consumer, consumer);
        Self {
            reconciler,
            now: Instant::now(),
            credentials: HashMap::new(),
            version: 10,
            reads: 0,
            writes: 0,
        }
    }

    /// The watch shows a Credential.
    pub(super) fn show(&mut self, object: Value) {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        self.reconciler.world.apply(Kind::Credential, object.clone());
        self.credentials.insert(name, object);
    }

    /// The watch shows a Secret's metadata.
    pub(super) fn show_secret(&mut self, object: &Value) {
        self.reconciler.world.apply(Kind::Secret, object.clone());
    }

    pub(super) fn begin(&mut self, name: &str) -> Step {
        self.reconciler.begin(&named(name), self.now, &time(0))
    }

    pub(super) fn read(&mut self, step: Step, read: Read) -> Step {
        let Step::ReadSecret(attempt, ..) = step else {
            panic!("reads its Secret: {step:?}");
        };
        self.reads += 1;
        self.reconciler.secret_read(attempt, read, &time(0))
    }

    /// The server takes a write; the watch does not show it yet.
    pub(super) fn write(&mut self, step: Step) -> (Step, Value) {
        let Step::Write(attempt, target, status) = step else {
            panic!("writes its status: {step:?}");
        };
        let object = &self.credentials[&attempt.name().name];
        assert_eq!(object["metadata"]["resourceVersion"], target.resource_version);
        self.version += 1;
        self.writes += 1;
        let version = self.version.to_string();
        let object = written(object, &status, &version);
        let step = self
            .reconciler
            .written(&attempt, &Written::Done(version), self.now);
        (step, object)
    }

    /// Reconciles to the end, with the Secret as it is now, and shows what was written.
    pub(super) fn settle(&mut self, name: &str, secret: Option<&Value>) -> Outcome {
        let mut step = self.begin(name);
        if matches!(step, Step::ReadSecret(..)) {
            step = self.read(step, secret.map_or(Read::NotFound, found));
        }
        if matches!(step, Step::Write(..)) {
            let (next, object) = self.write(step);
            self.show(object);
            step = next;
        }
        match step {
            Step::End(outcome, After::Nothing) => outcome,
            step => panic!("comes to an end: {step:?}"),
        }
    }

    pub(super) fn status(&self, name: &str) -> &Value {
        &self.credentials[name]["status"]
    }
}

pub(super) fn ends(step: &Step) -> (Outcome, After) {
    match step {
        Step::End(outcome, after) => (*outcome, *after),
        step => panic!("comes to an end: {step:?}"),
    }
}
