//! Credential: one way in which a Consumer proves who it is.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

use crate::{form, time};

/// One way in which a Consumer proves who it is.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "latchkey.dev",
    version = "v1alpha1",
    kind = "Credential",
    namespaced,
    status = "CredentialStatus",
    doc = "A Credential is one way in which a Consumer of the same namespace proves who it is.",
    category = "latchkey",
    shortname = "lkcred",
    selectable = ".spec.consumerRef.name",
    printcolumn(
        name = "Consumer",
        type_ = "string",
        json_path = ".spec.consumerRef.name",
        description = "Whose credential this is"
    ),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status",
        description = "Whether it is accepted, resolved and not in conflict"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason",
        description = "Why it is or is not ready"
    ),
    printcolumn(
        name = "Disabled",
        type_ = "boolean",
        json_path = ".spec.disabled",
        description = "Whether this credential is refused"
    ),
    printcolumn(
        name = "Expires",
        type_ = "string",
        json_path = ".spec.expirationTime",
        description = "From when on this credential is refused"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct CredentialSpec {
    /// Whose credential this is. Until that Consumer exists, and once it is gone, the credential is
    /// refused with 401.
    pub consumer_ref: ConsumerRef,
    /// Refuses this credential with 401, from the next request on. It still owns its key: no other
    /// Credential of the namespace may use the same one meanwhile. Default: false.
    #[serde(default)]
    pub disabled: bool,
    /// Until this time the credential is refused with 401. RFC 3339, for example 2030-01-31T12:00:00Z, in
    /// whole seconds; fractions are rounded up. Default: valid at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = time::SPAN.rule())]
    pub not_before_time: Option<Time>,
    /// From this time on the credential is refused with 401. RFC 3339, for example
    /// 2030-01-31T12:00:00Z, in whole seconds; fractions are cut. Default: never. To let it in again, set
    /// a later time or remove the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = time::SPAN.rule())]
    pub expiration_time: Option<Time>,
    /// An API key. Without it the Credential lets nobody in (condition Accepted is False, NoMethod).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKey>,
}

/// A Consumer of the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct ConsumerRef {
    /// The Consumer's metadata.name, in the Credential's own namespace.
    #[schemars(length(max = form::NAME_LENGTH))]
    #[x_kube(validation = form::NAME.rule())]
    pub name: String,
}

/// An API key: exactly one of the two.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
#[x_kube(validation = ("has(self.secretKeyRef) != has(self.sha256)", ApiKey::ONE_OF))]
pub struct ApiKey {
    /// The key lies in a Secret of the same namespace: at most 4096 bytes of printable ASCII, and at least
    /// 16 unless the installation says otherwise; one final line end is cut. Changing or deleting the
    /// Secret changes or revokes the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_key_ref: Option<SecretKeyRef>,
    /// SHA-256 of a key that never enters the cluster, as 64 hex digits: printf %s KEY | sha256sum. Use
    /// it for long random keys only; a short one can be guessed from its hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = form::SHA256_LENGTH))]
    #[x_kube(validation = form::SHA256.rule())]
    pub sha256: Option<String>,
}

impl ApiKey {
    pub(crate) const ONE_OF: &str = "must have exactly one of secretKeyRef and sha256";
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey")
            .field("secret_key_ref", &self.secret_key_ref)
            .field("sha256", &self.sha256.as_ref().map(|_| ".."))
            .finish()
    }
}

/// One data key of a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct SecretKeyRef {
    /// The Secret's metadata.name, in the Credential's own namespace.
    #[schemars(length(max = form::NAME_LENGTH))]
    #[x_kube(validation = form::NAME.rule())]
    pub name: String,
    /// The key in the Secret's data whose value is the API key.
    #[schemars(length(max = form::NAME_LENGTH))]
    #[x_kube(validation = form::DATA_KEY.rule())]
    pub key: String,
}

/// What controllers say of a Credential.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::tidy)]
pub struct CredentialStatus {
    /// The metadata.generation that this status speaks of. An older one than the object's says that
    /// the last change has not been looked at yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Accepted (the spec makes sense), ResolvedRefs (Consumer and Secret are there and usable),
    /// Conflicted (an older Credential of the namespace owns the key) and Ready (the sum of them).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".into()]))]
    pub conditions: Vec<Condition>,
    /// What gateways look keys up by: one element per controller and pepper. Written by the operator
    /// alone; a block that anyone else wrote or moved does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = form::PUBLISHED))]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["controllerName".into(), "pepperId".into()]))]
    pub published: Vec<PublishedKey>,
}

/// A key as a gateway may know it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = crate::schema::tidy)]
pub struct PublishedKey {
    /// The format of this element: 1. Gateways ignore formats that they do not know.
    pub format: i32,
    /// Who published it, such as latchkey.dev/gateway-controller.
    pub controller_name: String,
    /// Under which pepper: a data key of the pepper Secret.
    pub pepper_id: String,
    /// HMAC-SHA-256 of the key's SHA-256 under the pepper, in hex. Worthless without the pepper.
    pub digest: String,
    /// The source in spec that it was resolved from. It counts only while spec still says the same.
    pub source: SecretKeyRef,
    /// The Secret's metadata.uid.
    pub secret_uid: String,
    /// The Secret's metadata.resourceVersion.
    pub secret_resource_version: String,
    /// Proof that a holder of the pepper wrote all of this for this Credential, in hex.
    pub tag: String,
}

impl fmt::Debug for PublishedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublishedKey")
            .field("format", &self.format)
            .field("controller_name", &self.controller_name)
            .field("pepper_id", &self.pepper_id)
            .field("source", &self.source)
            .field("secret_uid", &self.secret_uid)
            .field("secret_resource_version", &self.secret_resource_version)
            .finish_non_exhaustive()
    }
}
