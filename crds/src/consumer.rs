//! Consumer: somebody who calls an API.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

use crate::{form, time};

/// Somebody who calls an API: the identity that an upstream sees.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize, KubeSchema)]
#[kube(
    group = "latchkey.dev",
    version = "v1alpha1",
    kind = "Consumer",
    namespaced,
    doc = "A Consumer is somebody who calls an API. Credentials of the same namespace let it in; upstreams see who it is.",
    category = "latchkey",
    shortname = "lkc",
    printcolumn(
        name = "Username",
        type_ = "string",
        json_path = ".spec.username",
        description = "What upstreams see as the user's name; the object's name if empty"
    ),
    printcolumn(
        name = "Disabled",
        type_ = "boolean",
        json_path = ".spec.disabled",
        description = "Whether every credential of this Consumer is refused"
    ),
    printcolumn(
        name = "Expires",
        type_ = "string",
        json_path = ".spec.expirationTime",
        description = "From when on every credential of this Consumer is refused"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = crate::schema::tidy)]
pub struct ConsumerSpec {
    /// What upstreams see as the user's name, in the header X-Consumer-Username. Printable ASCII, at
    /// most 256 characters. Default: the Consumer's metadata.name. It is a label, not an identity: two
    /// Consumers may share one; tell them apart by X-Consumer-ID, which is metadata.uid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = form::USERNAME_LENGTH))]
    #[x_kube(validation = form::USERNAME.rule())]
    pub username: Option<String>,
    /// An identifier of the platform's own, in the header X-Consumer-Custom-ID. Printable ASCII, at
    /// most 256 characters. Default: none, and no such header.
    #[serde(default, rename = "customID", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = form::USERNAME_LENGTH))]
    #[x_kube(validation = form::USERNAME.rule())]
    pub custom_id: Option<String>,
    /// Names of groups, in the header X-Consumer-Groups, joined by commas. At most 64 names of at most
    /// 128 printable ASCII characters without commas. Default: none, and no such header.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = form::GROUPS), inner(length(max = form::GROUP_LENGTH)))]
    #[x_kube(validation = form::GROUP.rule_for_each())]
    pub groups: Vec<String>,
    /// Refuses every credential of this Consumer with 401, from the next request on. Default: false. Set
    /// it to false again to let them in again.
    #[serde(default)]
    pub disabled: bool,
    /// From this time on every credential of this Consumer is refused with 401. RFC 3339, for example
    /// 2030-01-31T12:00:00Z, in whole seconds; fractions are cut. Default: never. To let the Consumer in
    /// again, set a later time or remove the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[x_kube(validation = time::SPAN.rule())]
    pub expiration_time: Option<Time>,
}
