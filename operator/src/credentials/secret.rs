//! A Secret as a live read brings it, and what it makes of a Credential. Its bytes live no longer than
//! that.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use latchkey_core::{
    digest::Pepper,
    publish::{KeyRefusal, SecretVersion, Subject, key_material, publish},
};
use latchkey_crds::{CONTROLLER_NAME, credential::PublishedKey};
use serde_json::Value;

/// Which Secret in which version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) uid: String,
    pub(super) resource_version: String,
}

/// A Secret as its metadata shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) version: Version,
    pub(super) terminating: bool,
}

/// A Secret that was read, of its data only the key that was asked for.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret {
    seen: Seen,
    value: Option<Vec<u8>>,
}

/// What came of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// It is there.
    Found(Secret),
    /// It is not there.
    NotFound,
    /// Nobody can say: why.
    Failed(String),
}

/// What a Secret in its present version means for a Credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It holds a key.
    Usable(Version),
    /// It does not exist.
    NotFound,
    /// It is being deleted.
    Terminating,
    /// It has no such data key.
    KeyMissing,
    /// Its value cannot be a key.
    Refused(KeyRefusal),
}

impl Version {
    /// Whether a block was published from exactly this.
    pub(super) fn made(&self, block: &PublishedKey) -> bool {
        self.uid == block.secret_uid && self.resource_version == block.secret_resource_version
    }
}

impl Seen {
    /// Reads the metadata of a Secret.
    pub(super) fn read(object: &Value) -> Self {
        let metadata = &object["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        Self {
            version: Version {
                uid: text("uid"),
                resource_version: text("resourceVersion"),
            },
            terminating: !metadata["deletionTimestamp"].is_null(),
        }
    }
}

impl Secret {
    /// What its metadata show.
    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    /// Reads a Secret as the API shows it, and of its data one key.
    pub(super) fn read(object: &Value, key: &str) -> Self {
        Self {
            seen: Seen::read(object),
            value: object["data"][key]
                .as_str()
                .and_then(|value| STANDARD.decode(value).ok()),
        }
    }
}

/// What a read that did not fail means for a Credential, and what to publish of it: one block a pepper.
pub(super) fn judge(
    secret: Option<&Secret>,
    subject: Subject<'_>,
    peppers: &[Pepper],
    min_key_length: usize,
) -> (Verdict, Vec<PublishedKey>) {
    let Some(Secret { seen, value }) = secret else {
        return (Verdict::NotFound, Vec::new());
    };
    if seen.terminating {
        return (Verdict::Terminating, Vec::new());
    }
    let Some(value) = value else {
        return (Verdict::KeyMissing, Vec::new());
    };
    let key = match key_material(value, min_key_length) {
        Ok(key) => key,
        Err(refusal) => return (Verdict::Refused(refusal), Vec::new()),
    };
    let version = SecretVersion {
        uid: &seen.version.uid,
        resource_version: &seen.version.resource_version,
    };
    let published = peppers
        .iter()
        .map(|pepper| publish(subject, version, key, pepper, CONTROLLER_NAME))
        .collect();
    (Verdict::Usable(seen.version.clone()), published)
}

/// Never shows the value.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret")
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
