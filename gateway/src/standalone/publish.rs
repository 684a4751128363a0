//! What the operator does in a cluster, in process and by the same rules: Credentials are resolved from
//! Secrets into what their status would publish, and all become facts for the index.
//!
//! ```text
//! Secret ----.
//! Credential --+-> touched Credentials -> core::publish -> status.published -> Fact
//! Consumer --'      (once per batch)                                        `-> findings
//! ```
//!
//! References are followed in both directions: a Secret or Consumer that comes or goes touches the
//! Credentials that name it, and no others.

use std::collections::{BTreeSet, HashMap, HashSet};

use latchkey_core::{
    conditions::{
        CredentialFindings, CredentialReason, Finding as Condition, SecretFinding, SpecFinding, Status,
        conditions, types,
    },
    decode::decode,
    digest::Pepper,
    object::ObjectName,
    publish::{SecretVersion, Subject as Publication, key_material, publish},
    referrers::Referrers,
};
use latchkey_crds::{
    CONTROLLER_NAME, Consumer, Credential, CredentialStatus,
    credential::{PublishedKey, SecretKeyRef},
};
use latchkey_index::object::{ConsumerFacts, CredentialFacts, Fact, Kind as IndexKind};
use serde_json::Value;

use super::{diff::State, secret::Secret};
use crate::{
    finding::{Finding, Subject, UNDECODABLE},
    object::{Kind, ObjectKey},
};

/// Where a Credential names its Secret.
const SECRET_FIELD: &str = "spec.apiKey.secretKeyRef";

/// What a batch of changes means for the index and for people.
#[derive(Debug, Default)]
pub struct Published {
    /// To be applied.
    pub facts: Vec<Fact>,
    /// To be deleted.
    pub deleted: Vec<(IndexKind, ObjectName)>,
    /// All that is to be said of each of these subjects now.
    pub findings: Vec<(Subject, Vec<Finding>)>,
}

/// Credentials, and what they refer to.
#[derive(Debug)]
pub struct Publisher {
    pepper: Pepper,
    min_key_length: usize,
    credentials: HashMap<ObjectName, Credential>,
    /// `None`: it is there, but cannot be read.
    secrets: HashMap<ObjectName, Option<Secret>>,
    /// Those that exist, whether or not they can be read.
    consumers: HashSet<ObjectName>,
    by_secret: Referrers,
    by_consumer: Referrers,
    touched: BTreeSet<ObjectName>,
    batch: Published,
}

/// What became of resolving a Credential.
struct Resolved<'c> {
    spec: SpecFinding<'c>,
    published: Option<PublishedKey>,
    unreadable: Option<Finding>,
}

impl<'c> Resolved<'c> {
    fn of(spec: SpecFinding<'c>) -> Self {
        Self {
            spec,
            published: None,
            unreadable: None,
        }
    }
}

impl Publisher {
    /// Knows nothing yet. Keys shorter than `min_key_length` bytes are refused.
    pub fn new(pepper: Pepper, min_key_length: usize) -> Self {
        Self {
            pepper,
            min_key_length,
            credentials: HashMap::new(),
            secrets: HashMap::new(),
            consumers: HashSet::new(),
            by_secret: Referrers::default(),
            by_consumer: Referrers::default(),
            touched: BTreeSet::new(),
            batch: Published::default(),
        }
    }

    /// A Consumer's state changed.
    pub fn consumer(&mut self, name: &ObjectName, state: State) {
        let read = match state {
            State::Absent => None,
            State::Unreadable(why) => Some(Err(why)),
            State::Present(value) => Some(decode::<Consumer>(&value).map_err(|error| error.to_string())),
        };
        let came_or_went = match read {
            None => self.consumers.remove(name),
            Some(_) => self.consumers.insert(name.clone()),
        };
        if came_or_went {
            self.touched.extend(self.by_consumer.of(name).cloned());
        }
        let findings = match read {
            None => {
                self.batch.deleted.push((IndexKind::Consumer, name.clone()));
                Vec::new()
            }
            Some(Ok(consumer)) => {
                let facts = ConsumerFacts::from_resource(&consumer);
                self.batch.facts.push(Fact::Consumer(facts));
                Vec::new()
            }
            Some(Err(why)) => {
                let fact = Fact::Undecodable(IndexKind::Consumer, name.clone());
                self.batch.facts.push(fact);
                vec![undecodable(why)]
            }
        };
        self.find(Kind::Consumer, name, findings);
    }

    /// A Secret's state changed.
    pub fn secret(&mut self, name: &ObjectName, state: State) {
        self.touched.extend(self.by_secret.of(name).cloned());
        let read = match state {
            State::Absent => {
                self.secrets.remove(name);
                self.find(Kind::Secret, name, Vec::new());
                return;
            }
            State::Unreadable(why) => Err(why),
            State::Present(value) => Secret::read(&value),
        };
        let (secret, findings) = match read {
            Ok(secret) => (Some(secret), Vec::new()),
            Err(why) => (None, vec![undecodable(why)]),
        };
        self.secrets.insert(name.clone(), secret);
        self.find(Kind::Secret, name, findings);
    }

    /// A Credential's state changed.
    pub fn credential(&mut self, name: &ObjectName, state: State) {
        if let Some(before) = self.credentials.remove(name) {
            self.by_consumer.remove(&consumer_of(name, &before), name);
            if let Some(source) = secret_source(&before) {
                self.by_secret.remove(&secret_of(name, source), name);
            }
        }
        self.touched.remove(name);
        let why = match state {
            State::Absent => {
                self.batch.deleted.push((IndexKind::Credential, name.clone()));
                self.find(Kind::Credential, name, Vec::new());
                return;
            }
            State::Unreadable(why) => why,
            State::Present(value) => match read_credential(value) {
                Ok(credential) => {
                    self.by_consumer.add(consumer_of(name, &credential), name);
                    if let Some(source) = secret_source(&credential) {
                        self.by_secret.add(secret_of(name, source), name);
                    }
                    self.credentials.insert(name.clone(), credential);
                    self.touched.insert(name.clone());
                    return;
                }
                Err(why) => why,
            },
        };
        self.batch
            .facts
            .push(Fact::Undecodable(IndexKind::Credential, name.clone()));
        self.find(Kind::Credential, name, vec![undecodable(why)]);
    }

    /// The end of a batch of changes: resolves each touched Credential once.
    pub fn finish(&mut self) -> Published {
        for name in std::mem::take(&mut self.touched) {
            let Some(mut credential) = self.credentials.get(&name).cloned() else {
                continue;
            };
            let resolved = self.resolve(&name, &credential);
            let consumer = consumer_of(&name, &credential);
            let known = CredentialFindings {
                spec: resolved.spec,
                consumer: &consumer,
                consumer_exists: self.consumers.contains(&consumer),
                // The index tells, when it knows.
                owner: None,
            };
            let mut findings: Vec<_> = conditions(known).iter().filter_map(say).collect();
            findings.extend(resolved.unreadable);
            let published = resolved.published.into_iter().collect();
            credential.status = Some(CredentialStatus {
                published,
                ..CredentialStatus::default()
            });
            let facts = CredentialFacts::from_resource(&credential);
            self.batch.facts.push(Fact::Credential(facts));
            self.find(Kind::Credential, &name, findings);
        }
        std::mem::take(&mut self.batch)
    }

    /// What a Credential's status would publish, and what is to be said of it.
    fn resolve<'c>(&self, name: &ObjectName, credential: &'c Credential) -> Resolved<'c> {
        let Some(api_key) = &credential.spec.api_key else {
            return Resolved::of(SpecFinding::NoMethod);
        };
        let Some(source) = &api_key.secret_key_ref else {
            return Resolved::of(SpecFinding::Inline);
        };
        let found = |secret| Resolved::of(SpecFinding::Secret(&source.name, &source.key, secret));
        let secret = match self.secrets.get(&secret_of(name, source)) {
            Some(Some(secret)) if !secret.terminating => secret,
            None => return found(SecretFinding::NotFound),
            Some(Some(_)) => return found(SecretFinding::Terminating),
            // In a cluster no such Secret can exist, so that the shared rules have no word for it.
            Some(None) => {
                let message = format!("{SECRET_FIELD}: Secret {} cannot be read; mend it", source.name);
                return Resolved {
                    unreadable: Some(Finding::warning("SecretUnreadable", message)),
                    ..Resolved::of(SpecFinding::Inline)
                };
            }
        };
        let Some(value) = secret.value(&source.key) else {
            return found(SecretFinding::KeyMissing);
        };
        let key = match key_material(value, self.min_key_length) {
            Ok(key) => key,
            Err(refusal) => return found(SecretFinding::Refused(refusal)),
        };
        let subject = Publication {
            credential_uid: credential.metadata.uid.as_deref().unwrap_or_default(),
            source,
        };
        let version = SecretVersion {
            uid: &secret.uid,
            resource_version: &secret.resource_version,
        };
        Resolved {
            published: Some(publish(subject, version, key, &self.pepper, CONTROLLER_NAME)),
            ..found(SecretFinding::Usable)
        }
    }

    fn find(&mut self, kind: Kind, name: &ObjectName, findings: Vec<Finding>) {
        let name = name.clone();
        let subject = Subject::Object(ObjectKey { kind, name });
        self.batch.findings.push((subject, findings));
    }
}

/// A condition that stands against a Credential, with the field that it is about. `Ready`, their sum,
/// says nothing that the others do not.
fn say(condition: &Condition) -> Option<Finding> {
    let wrong = match condition.type_ {
        types::ACCEPTED | types::RESOLVED_REFS => condition.status != Status::True,
        _ => false,
    };
    let field = if condition.reason == CredentialReason::ConsumerNotFound.as_str() {
        "spec.consumerRef"
    } else if condition.type_ == types::RESOLVED_REFS {
        SECRET_FIELD
    } else {
        "spec"
    };
    wrong.then(|| Finding::warning(condition.reason, format!("{field}: {}", condition.message)))
}

/// A status in a file says nothing: this process publishes by itself, under a pepper of its own.
fn read_credential(mut value: Value) -> Result<Credential, String> {
    if let Some(object) = value.as_object_mut() {
        object.remove("status");
    }
    decode::<Credential>(&value).map_err(|error| error.to_string())
}

fn secret_source(credential: &Credential) -> Option<&SecretKeyRef> {
    credential.spec.api_key.as_ref()?.secret_key_ref.as_ref()
}

fn secret_of(credential: &ObjectName, source: &SecretKeyRef) -> ObjectName {
    ObjectName::new(&credential.namespace, &source.name)
}

fn consumer_of(name: &ObjectName, credential: &Credential) -> ObjectName {
    ObjectName::new(&name.namespace, &credential.spec.consumer_ref.name)
}

fn undecodable(why: String) -> Finding {
    Finding::warning(UNDECODABLE, why)
}

#[cfg(test)]
mod tests;
