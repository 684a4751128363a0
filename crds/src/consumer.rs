//! Consumer: somebody who calls an API.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Somebody who calls an API: the identity that an upstream sees.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "latchkey.dev", version = "v1alpha1", kind = "Consumer", namespaced)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConsumerSpec {
    /// What upstreams see as the user's name; the object's name if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// An identifier of the platform's own.
    #[serde(default, rename = "customID", skip_serializing_if = "Option::is_none")]
    pub custom_id: Option<String>,
    /// Names of groups that upstreams see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Refuses every credential of this Consumer.
    #[serde(default)]
    pub disabled: bool,
    /// From this time on every credential of this Consumer is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiration_time: Option<Time>,
}
