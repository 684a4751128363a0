//! What a request must meet, said a second time: from the objects of the moment, by the words of the design,
//! one request at a time and without anything that the router compiles, keeps or reads objects with.
//!
//! It knows the ways in which [`super::objects`] breaks objects, and no others.

mod policies;
mod routes;

use std::collections::{BTreeMap, BTreeSet};

use latchkey_core::object::ObjectName;
use serde_json::Value;

use super::super::support::Ask;
use crate::object::{Kind, Manifest};

/// All objects of the moment.
pub(super) type Objects = BTreeMap<(Kind, ObjectName), Manifest>;

/// The objects, and whether routes without a policy are closed.
#[derive(Clone, Copy)]
pub(super) struct Model<'o> {
    pub(super) objects: &'o Objects,
    pub(super) deny: bool,
}

/// A listener of a Gateway that can be read.
struct Listener<'o> {
    name: &'o str,
    port: u64,
    http: bool,
    hostname: &'o str,
    written: &'o Value,
}

impl<'o> Model<'o> {
    /// What a request gets: a refusal's status (and the reason, for 503), or the policies that it must pass and
    /// what then is done with it.
    pub(super) fn answer(self, port: u16, ask: &Ask) -> String {
        let Some((gateway, object)) = self.owner(port) else {
            return "404".to_owned();
        };
        let Some(listeners) = object.and_then(listeners) else {
            return "503 gateway_undecodable".to_owned();
        };
        let on_port = || listeners.iter().filter(|l| l.port == u64::from(port));
        let listener = on_port()
            .filter(|listener| matches(listener.hostname, &ask.host))
            .max_by_key(|listener| specificity(listener.hostname));
        let Some(listener) = listener else {
            return "404".to_owned();
        };
        let twice = on_port().filter(|l| l.hostname == listener.hostname).count() > 1;
        if twice || !on_port().all(|listener| listener.http) {
            return "404".to_owned();
        }
        self.on_listener((gateway, listener), ask)
    }

    /// The Gateway that has a port: the oldest of those of our class that can serve on it.
    fn owner(self, port: u16) -> Option<(&'o ObjectName, Option<&'o Value>)> {
        self.all(Kind::Gateway)
            .filter(|(_, object)| object.is_none_or(is_ours))
            .filter(|(_, object)| object.is_some_and(|object| ports(object).contains(&u64::from(port))))
            .min_by_key(|(name, object)| (created(*object), *name))
    }

    /// The objects of a kind; without a value where an object cannot be read at all.
    fn all(self, kind: Kind) -> impl Iterator<Item = (&'o ObjectName, Option<&'o Value>)> {
        let of_kind = self.objects.iter().filter(move |((held, _), _)| *held == kind);
        of_kind.map(|((_, name), manifest)| (name, value(manifest)))
    }

    /// An object, if it is there; without a value where it cannot be read at all.
    fn get(self, kind: Kind, name: &ObjectName) -> Option<Option<&'o Value>> {
        self.objects.get(&(kind, name.clone())).map(value)
    }
}

fn value(manifest: &Manifest) -> Option<&Value> {
    match manifest {
        Manifest::Value(object) => Some(object),
        Manifest::Unreadable => None,
    }
}

/// Texts of this form sort as the times do; what has none counts as from the epoch.
fn created(object: Option<&Value>) -> &str {
    object.map_or("", |object| text(&object["metadata"]["creationTimestamp"]))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_ours(gateway: &Value) -> bool {
    gateway["spec"]["gatewayClassName"] == "latchkey"
}

/// The listeners of a Gateway, unless one of them breaks it.
fn listeners(gateway: &Value) -> Option<Vec<Listener<'_>>> {
    let mut names = BTreeSet::new();
    let read = list(&gateway["spec"]["listeners"]).iter().map(|listener| {
        let name = text(&listener["name"]);
        names.insert(name).then_some(())?;
        Some(Listener {
            name,
            port: listener["port"].as_u64()?,
            http: listener["protocol"] == "HTTP",
            hostname: text(&listener["hostname"]),
            written: listener,
        })
    });
    read.collect()
}

/// The ports that a Gateway asks for: where one of its listeners serves, or, where that cannot be said, those
/// of HTTP that can be read.
fn ports(gateway: &Value) -> BTreeSet<u64> {
    let Some(listeners) = listeners(gateway) else {
        let written = list(&gateway["spec"]["listeners"]).iter();
        return written
            .filter(|listener| listener["protocol"] == "HTTP")
            .filter_map(|listener| listener["port"].as_u64())
            .collect();
    };
    let serves = |listener: &&Listener<'_>| {
        let on_port = || listeners.iter().filter(|other| other.port == listener.port);
        let alike = on_port().filter(|other| other.hostname == listener.hostname);
        alike.count() == 1 && on_port().all(|other| other.http)
    };
    listeners
        .iter()
        .filter(serves)
        .map(|listener| listener.port)
        .collect()
}

/// Whether a hostname, as it is written, means a host.
fn matches(hostname: &str, host: &str) -> bool {
    hostname.is_empty()
        || hostname == host
        || hostname.strip_prefix('*').is_some_and(|end| host.ends_with(end))
}

/// Greater for what means fewer hosts.
fn specificity(hostname: &str) -> (bool, usize) {
    (!hostname.is_empty() && !hostname.starts_with('*'), hostname.len())
}
