//! One version of a Credential as the operator keeps it: what its metadata and spec say, slim.
//!
//! What cannot be decoded is kept too, without a spec: its status must say so.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use latchkey_core::{
    decode::decode,
    digest::{Digest, KeyHash, Pepper},
    object::ObjectName,
    publish::{Subject, accept},
    time::UnixSeconds,
};
use latchkey_crds::{
    Credential,
    credential::{PublishedKey, SecretKeyRef},
};
use serde_json::Value;

use super::standing::Standing;

/// One version of a Credential.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) name: ObjectName,
    pub(super) uid: String,
    pub(super) resource_version: String,
    pub(super) generation: Option<i64>,
    pub(super) created: UnixSeconds,
    pub(super) terminating: bool,
    pub(super) spec: Spec,
    pub(super) standing: Standing,
}

/// What the spec says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spec {
    /// It cannot be decoded: why.
    Undecodable(String),
    /// Whose it is, and where its key is.
    Decoded {
        /// `spec.consumerRef.name`.
        consumer: String,
        /// The method.
        source: Source,
    },
}

/// Where the key is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    /// There is none.
    None,
    /// The key's hash stands in the spec.
    Inline(KeyHash),
    /// In a Secret.
    Secret(SecretKeyRef),
}

/// The name in an object's metadata; `None` for what is no object.
pub(super) fn name_of(object: &Value) -> Option<ObjectName> {
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str()?;
    Some(ObjectName::new(namespace, metadata["name"].as_str()?))
}

impl Known {
    /// Reads a Credential; `None` for what has no name.
    pub(super) fn read(mut object: Value) -> Option<Self> {
        let name = name_of(&object)?;
        // Whatever stands in a status must not make the spec undecodable.
        let status = object
            .as_object_mut()
            .and_then(|object| object.remove("status"))
            .unwrap_or_default();
        let metadata = &object["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        Some(Self {
            name,
            uid: text("uid"),
            resource_version: text("resourceVersion"),
            generation: metadata["generation"].as_i64(),
            created: metadata["creationTimestamp"]
                .as_str()
                .and_then(|created| created.parse().ok())
                .map(|created| UnixSeconds::floor(&Time(created)))
                .unwrap_or_default(),
            terminating: !metadata["deletionTimestamp"].is_null(),
            spec: Spec::read(&object),
            standing: Standing::read(status),
        })
    }

    /// The Consumer that it names.
    pub(super) fn consumer(&self) -> Option<ObjectName> {
        match &self.spec {
            Spec::Undecodable(_) => None,
            Spec::Decoded { consumer, .. } => Some(ObjectName::new(&*self.name.namespace, consumer)),
        }
    }

    /// The place in a Secret that it names.
    pub(super) fn secret_source(&self) -> Option<&SecretKeyRef> {
        match &self.spec {
            Spec::Decoded {
                source: Source::Secret(source),
                ..
            } => Some(source),
            Spec::Decoded { .. } | Spec::Undecodable(_) => None,
        }
    }

    /// The Secret that it names.
    pub(super) fn secret(&self) -> Option<ObjectName> {
        let source = self.secret_source()?;
        Some(ObjectName::new(&*self.name.namespace, &*source.name))
    }

    /// The blocks of ours in its status that count now, each with its digest: the first one a pepper.
    pub(super) fn proven<'k>(
        &'k self,
        peppers: &'k [Pepper],
    ) -> impl Iterator<Item = (&'k PublishedKey, Digest)> {
        let subject = self.secret_source().map(|source| Subject {
            credential_uid: &self.uid,
            source,
        });
        let ours = &self.standing.ours;
        peppers.iter().filter_map(move |pepper| {
            let digest = |block: &'k PublishedKey| Some((block, accept(block, subject?, pepper)?));
            ours.iter().find_map(digest)
        })
    }

    /// The digests that it holds now, as a gateway finds them: none, if it has no key.
    pub(super) fn digests(&self, peppers: &[Pepper]) -> Vec<Digest> {
        match &self.spec {
            Spec::Decoded {
                source: Source::Inline(hash),
                ..
            } => peppers.iter().map(|pepper| pepper.digest(hash)).collect(),
            Spec::Decoded { .. } | Spec::Undecodable(_) => {
                self.proven(peppers).map(|(_, digest)| digest).collect()
            }
        }
    }
}

impl Spec {
    fn read(object: &Value) -> Self {
        let spec = match decode::<Credential>(object) {
            Ok(credential) => credential.spec,
            Err(error) => return Self::Undecodable(error.to_string()),
        };
        let source = spec.api_key.map_or(Source::None, |api_key| {
            let hash = api_key.sha256.as_deref().and_then(KeyHash::from_hex);
            match (api_key.secret_key_ref, hash) {
                (Some(source), None) => Source::Secret(source),
                (None, Some(hash)) => Source::Inline(hash),
                // Decoding refuses both and neither; if it did not, nobody could say which key counts.
                (Some(_), Some(_)) | (None, None) => Source::None,
            }
        });
        Self::Decoded {
            consumer: spec.consumer_ref.name,
            source,
        }
    }
}

#[cfg(test)]
mod tests;
