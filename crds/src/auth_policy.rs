//! AuthPolicy: what a request must show to pass.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a request must show to pass a Gateway, a listener, a route or a rule.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(group = "latchkey.dev", version = "v1alpha1", kind = "AuthPolicy", namespaced)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthPolicySpec {
    /// What the policy holds for; its own namespace only. Empty: used by `ExtensionRef` filters alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target_refs: Vec<TargetRef>,
    /// The first configured method that finds a credential decides.
    pub methods: Vec<Method>,
    /// Where credentials may come from; the policy's own namespace if empty, `*` for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumer_namespaces: Vec<String>,
    /// Removes the credential from what the upstream receives.
    #[serde(default = "yes")]
    pub hide_credentials: bool,
    /// Must pass in addition to more specific policies. Gateway targets only.
    #[serde(default, rename = "override")]
    pub overrides: bool,
}

fn yes() -> bool {
    true
}

/// A Gateway (or one listener of it) or an HTTPRoute of the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetRef {
    /// `gateway.networking.k8s.io`.
    pub group: String,
    /// `Gateway` or `HTTPRoute`.
    pub kind: String,
    /// The target's name.
    pub name: String,
    /// One listener of a Gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_name: Option<String>,
}

/// One way to pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Method {
    /// Which way.
    #[serde(rename = "type")]
    pub type_: MethodType,
    /// Settings of `APIKey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKeyMethod>,
}

/// The ways to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MethodType {
    /// A key of a Credential.
    APIKey,
    /// Openness, said out loud: applies where no credential was presented.
    Anonymous,
}

/// Where an API key may stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiKeyMethod {
    /// The places; `X-API-Key` if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extract_from: Vec<Place>,
}

/// One place: exactly one of the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Place {
    /// A header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<Named>,
    /// A query parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Named>,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Named {
    /// The header's or parameter's name.
    pub name: String,
}
