//! What is known of the pepper Secret, and what to do about it. Knows no clock, no client, no randomness.
//!
//! ```text
//! watch events, answers -> Known -> peppers, trouble, the Secret to create
//! ```
//!
//! Promises: a Secret that exists is never written, whatever it holds; what was usable is kept until
//! something usable takes its place.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use latchkey_core::{
    digest::Pepper,
    pepper::{LENGTH, Peppers},
};
use latchkey_runtime::watch::Event;
use serde_json::{Map, Value, json};

/// What is known. Its text shows no value.
pub struct Known {
    namespace: String,
    name: String,
    presence: Presence,
    /// The running list named the Secret.
    listed: bool,
    /// The data keys that were usable last, with their base64 values, to write them again.
    data: Map<String, Value>,
    peppers: Vec<Pepper>,
    revision: u64,
    /// What is wrong with the Secret that is there.
    content: Option<String>,
    /// Why it cannot be read.
    reading: Option<String>,
    /// Why it cannot be made.
    making: Option<String>,
}

/// Whether the Secret is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Nobody has looked yet.
    Unknown,
    /// It is not.
    Absent,
    /// It is.
    Present,
}

/// Random bytes for a Secret that never was, as randomness is an argument here.
pub struct Fresh {
    /// Names the pepper. Random too, so that no two peppers ever share a name: digests of a lost one are
    /// then known to be of another, rather than wrong.
    pub id: u32,
    /// The pepper.
    pub bytes: [u8; LENGTH],
}

impl Known {
    /// Nothing yet, of the Secret `namespace/name`.
    pub fn new(namespace: String, name: String) -> Self {
        Self {
            namespace,
            name,
            presence: Presence::Unknown,
            listed: false,
            data: Map::new(),
            peppers: Vec::new(),
            revision: 0,
            content: None,
            reading: None,
            making: None,
        }
    }

    /// Whether the Secret is there.
    pub fn presence(&self) -> Presence {
        self.presence
    }

    /// The usable peppers, by id.
    pub fn peppers(&self) -> &[Pepper] {
        &self.peppers
    }

    /// How often they changed.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What is wrong, with the remedy.
    pub fn trouble(&self) -> Option<String> {
        self.told(&[&self.content, &self.reading, &self.making])
    }

    /// The part of it that nobody else logs: the watch tells its own failures.
    pub fn complaint(&self) -> Option<String> {
        self.told(&[&self.content, &self.making])
    }

    fn told(&self, parts: &[&Option<String>]) -> Option<String> {
        let (namespace, name) = (&self.namespace, &self.name);
        let parts = parts.iter().filter_map(|part| part.as_deref());
        let told: Vec<_> = parts
            .map(|what| format!("Secret {namespace}/{name} {what}"))
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Takes an event of the watch in.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::ListBegin => self.listed = false,
            Event::Listed(secret) => {
                self.listed = true;
                self.saw(&secret);
            }
            Event::ListEnd => {
                self.reading = None;
                if !self.listed {
                    self.absent();
                }
            }
            Event::Applied(secret) => self.saw(&secret),
            Event::Deleted(_) => self.absent(),
            Event::Missing => {
                self.reading = Some("cannot be read: the API server knows no Secrets".to_owned());
            }
            Event::Trouble(why) => self.reading = Some(format!("cannot be read: {why}")),
            Event::Working => self.reading = None,
        }
    }

    /// The Secret, as it is.
    pub fn saw(&mut self, secret: &Value) {
        self.presence = Presence::Present;
        self.making = None;
        let read = Peppers::read(secret);
        if read.active.is_empty() {
            self.content = Some(format!(
                "has no usable pepper and is left as it is: {}. Delete it, and the leader writes one; or give it \
                 one data key of {LENGTH} random bytes",
                if read.problems.is_empty() {
                    "it has no data".to_owned()
                } else {
                    read.problems.join("; ")
                }
            ));
            return;
        }
        self.content = (!read.problems.is_empty())
            .then(|| format!("is only partly usable: {}", read.problems.join("; ")));
        let data = read.active.iter().filter_map(|pepper| {
            let value = secret.get("data")?.get(pepper.id())?;
            Some((pepper.id().to_owned(), value.clone()))
        });
        let data: Map<_, _> = data.collect();
        if data != self.data {
            self.data = data;
            self.peppers = read.active;
            self.revision += 1;
        }
    }

    /// It is not there.
    pub fn absent(&mut self) {
        self.presence = Presence::Absent;
        self.content = None;
    }

    /// It could not be made.
    pub fn not_made(&mut self, why: &str) {
        self.making = Some(format!("cannot be made: {why}"));
    }

    /// Whether it must be made, by a leader.
    pub fn must_be_made(&self) -> bool {
        self.presence == Presence::Absent
    }

    /// Whether it would be the same again, not a new one.
    pub fn is_remembered(&self) -> bool {
        !self.data.is_empty()
    }

    /// The Secret to make: what is remembered, else a new pepper.
    pub fn secret(&self, fresh: &Fresh) -> Value {
        let data = if self.is_remembered() {
            self.data.clone()
        } else {
            Map::from_iter([(format!("p{:08x}", fresh.id), STANDARD.encode(fresh.bytes).into())])
        };
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "namespace": self.namespace,
                "name": self.name,
                "labels": {
                    "app.kubernetes.io/name": "latchkey",
                    "app.kubernetes.io/component": "pepper",
                    "app.kubernetes.io/managed-by": "latchkey-operator",
                },
            },
            "type": "Opaque",
            "data": data,
        })
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known")
            .field("presence", &self.presence)
            .field("peppers", &self.peppers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
