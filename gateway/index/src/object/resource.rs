//! From objects of the API to facts: one function a kind.
//!
//! The caller has decoded and validated the object, and filled in metadata that its source leaves
//! out; what an API server always sets is taken as empty here if it is not there.

#[cfg(test)]
mod tests;

use latchkey_core::{digest::KeyHash, object::ObjectName, time::UnixSeconds};
use latchkey_crds::{
    Consumer, Credential,
    credential::{CredentialSpec, PublishedKey},
};

use super::{ConsumerFacts, CredentialFacts, KeySource};

impl ConsumerFacts {
    /// The facts of a Consumer.
    pub fn from_resource(consumer: &Consumer) -> Self {
        let (metadata, spec) = (&consumer.metadata, &consumer.spec);
        let name = ObjectName::new(
            metadata.namespace.clone().unwrap_or_default(),
            metadata.name.clone().unwrap_or_default(),
        );
        Self {
            username: spec.username.clone().unwrap_or_else(|| name.name.clone()),
            name,
            uid: metadata.uid.clone().unwrap_or_default(),
            custom_id: spec.custom_id.clone(),
            groups: spec.groups.clone(),
            disabled: spec.disabled,
            expires: spec.expiration_time.as_ref().map(UnixSeconds::floor),
            terminating: metadata.deletion_timestamp.is_some(),
        }
    }
}

impl CredentialFacts {
    /// The facts of a Credential. A method that cannot be understood is no method.
    pub fn from_resource(credential: &Credential) -> Self {
        let (metadata, spec) = (&credential.metadata, &credential.spec);
        let status = credential.status.as_ref();
        let published = status.map_or(&[][..], |status| &status.published);
        Self {
            name: ObjectName::new(
                metadata.namespace.clone().unwrap_or_default(),
                metadata.name.clone().unwrap_or_default(),
            ),
            uid: metadata.uid.clone().unwrap_or_default(),
            created: metadata
                .creation_timestamp
                .as_ref()
                .map(UnixSeconds::floor)
                .unwrap_or_default(),
            consumer: spec.consumer_ref.name.clone(),
            source: key_source(spec, published),
            disabled: spec.disabled,
            not_before: spec.not_before_time.as_ref().map(UnixSeconds::ceil),
            expires: spec.expiration_time.as_ref().map(UnixSeconds::floor),
            terminating: metadata.deletion_timestamp.is_some(),
        }
    }
}

fn key_source(spec: &CredentialSpec, published: &[PublishedKey]) -> Option<KeySource> {
    let api_key = spec.api_key.as_ref()?;
    match (&api_key.secret_key_ref, &api_key.sha256) {
        (Some(source), None) => Some(KeySource::Published(source.clone(), published.to_vec())),
        (None, Some(sha256)) => KeyHash::from_hex(sha256).map(KeySource::Sha256),
        // Two methods in one are none: nobody can say which key its owner wants dead.
        (Some(_), Some(_)) | (None, None) => None,
    }
}
