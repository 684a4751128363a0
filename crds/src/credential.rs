//! Credential: one way in which a Consumer proves who it is.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One way in which a Consumer proves who it is.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "latchkey.dev",
    version = "v1alpha1",
    kind = "Credential",
    namespaced,
    status = "CredentialStatus"
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CredentialSpec {
    /// Whose credential this is.
    pub consumer_ref: ConsumerRef,
    /// Refuses this credential. It still owns its key.
    #[serde(default)]
    pub disabled: bool,
    /// Refused before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before_time: Option<Time>,
    /// Refused from this time on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiration_time: Option<Time>,
    /// An API key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKey>,
}

/// A Consumer of the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsumerRef {
    /// The Consumer's name.
    pub name: String,
}

/// An API key: exactly one of the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKey {
    /// The key lies in a Secret of the same namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_key_ref: Option<SecretKeyRef>,
    /// SHA-256 of a key that never enters the cluster, as 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// One data key of a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretKeyRef {
    /// The Secret's name.
    pub name: String,
    /// The key in its `data`.
    pub key: String,
}

/// What controllers say of a Credential.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialStatus {
    /// The `metadata.generation` that this status speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Accepted`, `ResolvedRefs`, `Conflicted` and `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// What gateways look keys up by: one element per controller and pepper.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PublishedKey>,
}

/// A key as a gateway may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishedKey {
    /// The format of this element; 1.
    pub format: u32,
    /// Who published it.
    pub controller_name: String,
    /// Under which pepper.
    pub pepper_id: String,
    /// HMAC-SHA-256 of the key's SHA-256 under the pepper, in hex.
    pub digest: String,
    /// The source in `spec` that it was resolved from.
    pub source: SecretKeyRef,
    /// The Secret's uid.
    pub secret_uid: String,
    /// The Secret's resourceVersion.
    pub secret_resource_version: String,
    /// Proof that a holder of the pepper wrote all of this for this Credential, in hex.
    pub tag: String,
}
