//! Where an object is on an API server: kinds as paths.

use crate::manifest::Manifest;

/// Kinds that have no namespace.
const CLUSTER_WIDE: [&str; 8] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "GatewayClass",
    "Namespace",
    "SelfSubjectAccessReview",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
];

/// An object's path.
pub(crate) fn path_of(manifest: &Manifest) -> String {
    format!(
        "{}/{}",
        collection(manifest.api_version(), manifest.kind(), manifest.namespace_name()),
        manifest.name()
    )
}

/// The path of a kind's objects; those of a namespace, `default` where none is named.
pub(crate) fn collection(api_version: &str, kind: &str, namespace: Option<&str>) -> String {
    let group = if api_version.contains('/') { "apis" } else { "api" };
    let place = if CLUSTER_WIDE.contains(&kind) {
        String::new()
    } else {
        format!("/namespaces/{}", namespace.unwrap_or("default"))
    };
    format!("/{group}/{api_version}{place}/{}", plural(kind))
}

/// As the API server spells it: kinds follow English, endings included.
fn plural(kind: &str) -> String {
    let name = kind.to_ascii_lowercase();
    if let Some(stem) = name.strip_suffix('y')
        && !stem.ends_with(['a', 'e', 'o', 'u'])
    {
        return format!("{stem}ies");
    }
    if name.ends_with('s') {
        return format!("{name}es");
    }
    format!("{name}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_api_server() {
        for (api_version, kind, path) in [
            ("v1", "Secret", "/api/v1/namespaces/n/secrets/x"),
            (
                "latchkey.dev/v1alpha1",
                "AuthPolicy",
                "/apis/latchkey.dev/v1alpha1/namespaces/n/authpolicies/x",
            ),
            (
                "gateway.networking.k8s.io/v1",
                "GatewayClass",
                "/apis/gateway.networking.k8s.io/v1/gatewayclasses/x",
            ),
            (
                "gateway.networking.k8s.io/v1",
                "Gateway",
                "/apis/gateway.networking.k8s.io/v1/namespaces/n/gateways/x",
            ),
        ] {
            let manifest = Manifest::new(api_version, kind, "x").namespace("n");
            assert_eq!(path_of(&manifest), path);
        }
    }
}
