//! What is known: the router, and what stands in each status. Pure: events in, plans out.
//!
//! ```text
//! event -> router (apply, delete, relist) + standing -> commit -> keys to look at -> plan of a key
//! ```

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    mem,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use latchkey_core::object::ObjectName;
use latchkey_crds::CONTROLLER_NAME;
use latchkey_routing::{
    object::Manifest,
    router::{Router, RouterConfig},
};
use latchkey_runtime::watch::{Collection, Event};
use serde_json::Value;

use super::{
    kinds::{Key, Subject, Watched},
    plan::{self, Class, Writer},
};
use crate::status::Target;

/// All that is known.
#[derive(Debug)]
pub(super) struct World {
    router: Router,
    gateway_class: String,
    sources: Vec<Source>,
    standing: HashMap<Key, Standing>,
    /// What the next commit gives out besides what the router names.
    touched: BTreeSet<Key>,
    arrived: BTreeSet<Key>,
}

/// One collection.
#[derive(Debug)]
struct Source {
    watched: Watched,
    namespace: Option<String>,
    /// A complete list came, or the kind is not there and need not be.
    complete: bool,
    /// What the running list named.
    named: Option<HashSet<ObjectName>>,
}

/// An object as it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standing {
    uid: String,
    pub(super) resource_version: String,
    generation: Option<i64>,
    status: Value,
    /// Set: a GatewayClass of ours.
    class: Option<Class>,
}

/// A status to be written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Write {
    pub(super) target: Target,
    pub(super) status: Value,
}

/// What a commit may have changed.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Objects of which another version came.
    pub(super) arrived: BTreeSet<Key>,
    /// Objects of which the status may have to say something else.
    pub(super) touched: BTreeSet<Key>,
}

impl World {
    /// Nothing is known yet of these collections.
    pub(super) fn new(gateway_class: String, collections: &[(Watched, Collection)]) -> Self {
        let source = |(watched, collection): &(Watched, Collection)| Source {
            watched: *watched,
            namespace: collection.namespace.clone(),
            complete: false,
            named: None,
        };
        Self {
            router: Router::new(RouterConfig {
                gateway_class: gateway_class.clone(),
                // Decides about requests, not about statuses.
                deny_unprotected: false,
            }),
            gateway_class,
            sources: collections.iter().map(source).collect(),
            standing: HashMap::new(),
            touched: BTreeSet::new(),
            arrived: BTreeSet::new(),
        }
    }

    /// Whether every collection was seen whole once. Before that a status could miss what is only not yet
    /// known.
    pub(super) fn complete(&self) -> bool {
        self.sources.iter().all(|source| source.complete)
    }

    /// What happened in the collection of this index.
    pub(super) fn take(&mut self, index: usize, event: Event) {
        let Some(source) = self.sources.get_mut(index) else {
            return;
        };
        let watched = source.watched;
        match event {
            Event::ListBegin => self.begin(index),
            Event::ListEnd => self.end(index),
            Event::Listed(object) | Event::Applied(object) => {
                if let Some(name) = name(&object) {
                    if let Some(named) = &mut source.named {
                        named.insert(name.clone());
                    }
                    self.apply(watched, &name, object);
                }
            }
            Event::Deleted(object) => {
                if let Some(name) = name(&object) {
                    self.delete(watched, &name);
                }
            }
            // What grants is gone with its kind; what shapes holds until it is known to be gone.
            Event::Missing if watched.grants() => {
                self.begin(index);
                self.end(index);
            }
            Event::Missing | Event::Trouble(_) | Event::Working => {}
        }
    }

    fn begin(&mut self, index: usize) {
        let source = &mut self.sources[index];
        source.named = Some(HashSet::new());
        if let Some(kind) = source.watched.kind() {
            self.router.relist_begin(kind, source.namespace.as_deref());
        }
    }

    fn end(&mut self, index: usize) {
        let source = &mut self.sources[index];
        let Some(named) = source.named.take() else {
            return;
        };
        source.complete = true;
        if let Some(kind) = source.watched.kind() {
            self.router.relist_end(kind, source.namespace.as_deref());
        }
        if let Watched::Of(subject) = source.watched {
            let namespace = source.namespace.as_deref();
            self.standing.retain(|key, _| {
                let listed = key.subject == subject && namespace.is_none_or(|n| n == key.name.namespace);
                !listed || named.contains(&key.name)
            });
        }
    }

    fn apply(&mut self, watched: Watched, name: &ObjectName, object: Value) {
        if let Watched::Of(subject) = watched {
            let key = Key {
                subject,
                name: name.clone(),
            };
            match Standing::read(&object, self.class(&key, &object)) {
                Some(standing) => {
                    if self.standing.insert(key.clone(), standing.clone()) != Some(standing) {
                        self.arrived.insert(key);
                    }
                }
                // Nothing can be written to an object without identity.
                None => drop(self.standing.remove(&key)),
            }
        }
        if let Some(kind) = watched.kind() {
            self.router.apply(kind, name, Manifest::Value(object));
        }
    }

    fn delete(&mut self, watched: Watched, name: &ObjectName) {
        if let Watched::Of(subject) = watched {
            let name = name.clone();
            self.standing.remove(&Key { subject, name });
        }
        if let Some(kind) = watched.kind() {
            self.router.delete(kind, name);
        }
    }

    fn class(&self, key: &Key, object: &Value) -> Option<Class> {
        let ours = key.subject == Subject::GatewayClass
            && key.name.name == self.gateway_class
            && object["spec"]["controllerName"] == CONTROLLER_NAME;
        ours.then(|| Class {
            parameters: !object["spec"]["parametersRef"].is_null(),
        })
    }

    /// Takes in what was applied, and says what that may have changed.
    pub(super) fn commit(&mut self) -> Touched {
        self.router.commit();
        let named = self.router.take_status_changes().into_iter();
        let named = named.filter_map(|(kind, name)| {
            Some(Key {
                subject: Subject::of(kind)?,
                name,
            })
        });
        self.touched.extend(named);
        Touched {
            arrived: mem::take(&mut self.arrived),
            touched: mem::take(&mut self.touched),
        }
    }

    /// Every object whose status is ours to write.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.standing.keys()
    }

    /// The version of an object that is held.
    pub(super) fn version(&self, key: &Key) -> Option<&str> {
        Some(&self.standing.get(key)?.resource_version)
    }

    /// An object was read, because its newer version did not come. Says whether that helps: of another
    /// generation the router does not know what its spec says, so the watch must bring that.
    pub(super) fn refresh(&mut self, key: &Key, object: &Value) -> bool {
        let class = self.class(key, object);
        let Some(held) = self.standing.get_mut(key) else {
            return false;
        };
        match Standing::read(object, class) {
            Some(read) if read.uid == held.uid && read.generation == held.generation => {
                *held = read;
                true
            }
            _ => false,
        }
    }

    /// What to write into an object's status; `None`: it says what it should, or is none of ours.
    pub(super) fn plan(&self, key: &Key, now: &Time) -> Option<Write> {
        let standing = self.standing.get(key)?;
        let writer = Writer {
            generation: standing.generation,
            now,
        };
        let status = match key.subject.kind() {
            Some(kind) => {
                let desired = self.router.status(kind, &key.name)?;
                plan::plan(&standing.status, &desired, writer)?
            }
            None => plan::class(&standing.status, standing.class?, writer)?,
        };
        Some(Write {
            target: Target {
                path: key.subject.path(&key.name),
                uid: standing.uid.clone(),
                resource_version: standing.resource_version.clone(),
            },
            status,
        })
    }
}

impl Standing {
    /// What stands; `None`: the object has no identity.
    fn read(object: &Value, class: Option<Class>) -> Option<Self> {
        let metadata = object.get("metadata")?;
        let text = |field| metadata.get(field).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            uid: text("uid")?,
            resource_version: text("resourceVersion")?,
            generation: metadata.get("generation").and_then(Value::as_i64),
            status: object.get("status").cloned().unwrap_or_default(),
            class,
        })
    }
}

/// Which object it is.
fn name(object: &Value) -> Option<ObjectName> {
    let metadata = object.get("metadata")?;
    let name = metadata.get("name")?.as_str()?;
    let namespace = metadata.get("namespace").and_then(Value::as_str);
    Some(ObjectName::new(namespace.unwrap_or_default(), name))
}

#[cfg(test)]
mod tests;
