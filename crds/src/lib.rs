//! The API kinds of `latchkey.dev/v1alpha1`. A field stands here only once it works.

// `KubeSchema` repeats each type, with its visibility, inside a function.
#![allow(unreachable_pub)]
// Two printer columns of the same type are not the same column.
#![allow(clippy::duplicated_attributes)]

pub mod auth_policy;
pub mod consumer;
pub mod credential;
mod form;
pub mod identity;
pub mod manifests;
mod schema;
mod time;
pub mod validate;

pub use auth_policy::{AuthPolicy, AuthPolicySpec, AuthPolicyStatus};
pub use consumer::{Consumer, ConsumerSpec};
pub use credential::{Credential, CredentialSpec, CredentialStatus};

/// The API group of all kinds.
pub const GROUP: &str = "latchkey.dev";
/// The version of all kinds.
pub const VERSION: &str = "v1alpha1";
/// `GatewayClass.spec.controllerName` of ours, and the name in status lists shared by controllers.
pub const CONTROLLER_NAME: &str = "latchkey.dev/gateway-controller";
