//! A Kubernetes namespace of one test, and what is done in it: as a user does it, through `kubectl`,
//! or the fast way.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use serde_json::Value;

use super::{
    Cluster,
    api::{Answer, Api},
    kubectl::{Output, kubectl},
    resource::collection,
};
use crate::{manifest::Manifest, wait::eventually};

/// A namespace. Its name is new; it goes with the cluster, since deleting one takes seconds.
#[derive(Clone, Debug)]
pub struct Namespace<'c> {
    cluster: &'c Cluster,
    name: String,
}

impl<'c> Namespace<'c> {
    /// A new one, named after the running test.
    pub fn new(cluster: &'c Cluster) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let test = thread::current()
            .name()
            .and_then(|name| name.rsplit("::").next())
            .unwrap_or("test")
            .replace('_', "-");
        // At most 63 bytes; of a test's name the beginning is enough.
        let name = format!("{}-{number}", test.chars().take(50).collect::<String>());
        cluster
            .api()
            .create(&Manifest::new("v1", "Namespace", &name))
            .must();
        Self { cluster, name }
    }

    /// The one of this name, which exists.
    pub fn existing(cluster: &'c Cluster, name: &str) -> Self {
        Self {
            cluster,
            name: name.to_owned(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The cluster it is in.
    pub fn cluster(&self) -> &'c Cluster {
        self.cluster
    }

    fn api(&self) -> &'c Api {
        self.cluster.api()
    }

    /// A manifest as an object of this namespace, unless it names another.
    pub fn place(&self, manifest: &Manifest) -> Manifest {
        match manifest.namespace_name() {
            Some(_) => manifest.clone(),
            None => manifest.clone().namespace(&self.name),
        }
    }

    /// `kubectl -n NAMESPACE ...`, with all rights.
    pub fn kubectl(&self, args: &[&str], stdin: &str) -> Output {
        let args = [&["-n", self.name.as_str()], args].concat();
        kubectl(self.cluster.kubeconfig(), &args, stdin)
    }

    /// `kubectl apply` of these manifests, in this order; it must succeed.
    pub fn apply(&self, manifests: &[Manifest]) {
        let documents: Vec<_> = manifests.iter().map(Manifest::yaml).collect();
        self.kubectl(&["apply", "-f", "-"], &documents.join("---\n"))
            .must();
    }

    /// `kubectl delete KIND NAME` that does not wait for the end; it must succeed.
    pub fn delete(&self, kind: &str, name: &str) {
        self.kubectl(&["delete", kind, name, "--wait=false"], "").must();
    }

    /// `kubectl patch KIND NAME`, as a merge; it must succeed.
    pub fn edit(&self, kind: &str, name: &str, patch: &Value) {
        let patch = patch.to_string();
        let args = ["patch", kind, name, "--type", "merge", "--patch", &patch];
        self.kubectl(&args, "").must();
    }

    /// `kubectl get KIND NAME -o json`; it must be there.
    pub fn get(&self, kind: &str, name: &str) -> Value {
        let text = self.kubectl(&["get", kind, name, "-o", "json"], "").must();
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("not JSON: {e}\n{text}"))
    }

    /// Creates objects, or makes them equal to these (server-side apply); each must be taken.
    pub fn put(&self, manifests: &[Manifest]) {
        for manifest in manifests {
            self.api().apply(&self.place(manifest)).must();
        }
    }

    /// Creates an object, which must not be there.
    pub fn create(&self, manifest: &Manifest) {
        self.api().create(&self.place(manifest)).must();
    }

    /// Deletes an object, which must be there; returns when the API server has acknowledged it.
    pub fn remove(&self, named: &Manifest) {
        self.api().delete(&self.place(named)).must();
    }

    /// Merge patch of an object, which must be taken.
    pub fn patch(&self, named: &Manifest, patch: &Value) -> Value {
        self.api().patch(&self.place(named), "", patch).must()
    }

    /// Merge patch of an object's status.
    pub fn patch_status(&self, named: &Manifest, patch: &Value) -> Answer {
        self.api().patch(&self.place(named), "/status", patch)
    }

    /// An object as it is now.
    pub fn read(&self, named: &Manifest) -> Option<Value> {
        self.api().read(&self.place(named))
    }

    /// All objects of this one's kind.
    pub fn all(&self, alike: &Manifest) -> Vec<Value> {
        let path = collection(alike.api_version(), alike.kind(), Some(&self.name));
        let list = self.api().get(&path).must();
        list["items"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until an object, which may come to be meanwhile, is as wanted.
    pub fn until(&self, named: &Manifest, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || match self.read(named) {
            Some(object) if wanted(&object) => Ok(object),
            Some(object) => Err(object.to_string()),
            None => Err("it is not there".to_owned()),
        })
    }

    /// Waits until an object is gone.
    pub fn until_gone(&self, named: &Manifest) {
        let what = format!("{} {} is gone", named.kind(), named.name());
        eventually(&what, || {
            self.read(named).map_or(Ok(()), |object| Err(object.to_string()))
        });
    }

    /// Waits until a condition in an object's `status.conditions` has this status, for the object's
    /// present generation, and gives the condition.
    pub fn until_condition(&self, named: &Manifest, kind: &str, status: &str) -> Value {
        self.until_condition_in(named, kind, status, |object| &object["status"])
    }

    /// [`Namespace::until_condition`] of a part of the status that has conditions of its own: a listener, a
    /// parent.
    pub fn until_condition_in(
        &self,
        named: &Manifest,
        kind: &str,
        status: &str,
        part: impl Fn(&Value) -> &Value,
    ) -> Value {
        let condition = |object: &Value| {
            let all = part(object)["conditions"].as_array()?;
            let found = all.iter().find(|condition| condition["type"] == kind)?;
            let is_wanted =
                found["status"] == status && found["observedGeneration"] == object["metadata"]["generation"];
            is_wanted.then(|| found.clone())
        };
        let what = format!("{} {}: {kind} is {status}", named.kind(), named.name());
        let object = self.until(named, &what, |object| condition(object).is_some());
        condition(&object).unwrap_or_default()
    }
}
