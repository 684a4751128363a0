//! The names of the headers that tell an upstream who calls.
//!
//! They stand in one place because three parts must agree on them: a client's own copies are removed
//! from every request, ours are set, and no AuthPolicy may look for a key in one.

/// `metadata.uid` of the Consumer.
pub const CONSUMER_ID: &str = "x-consumer-id";
/// `metadata.namespace` of the Consumer.
pub const CONSUMER_NAMESPACE: &str = "x-consumer-namespace";
/// `spec.username` of the Consumer, or its name.
pub const CONSUMER_USERNAME: &str = "x-consumer-username";
/// `spec.customID` of the Consumer.
pub const CONSUMER_CUSTOM_ID: &str = "x-consumer-custom-id";
/// `spec.groups` of the Consumer, joined by commas.
pub const CONSUMER_GROUPS: &str = "x-consumer-groups";
/// Namespace and name of the Credential, joined by a slash.
pub const CREDENTIAL_IDENTIFIER: &str = "x-credential-identifier";
/// `true` where a policy let a request without a credential pass.
pub const ANONYMOUS_CONSUMER: &str = "x-anonymous-consumer";

/// All of them, in lower case.
pub const ALL: [&str; 7] = [
    CONSUMER_ID,
    CONSUMER_NAMESPACE,
    CONSUMER_USERNAME,
    CONSUMER_CUSTOM_ID,
    CONSUMER_GROUPS,
    CREDENTIAL_IDENTIFIER,
    ANONYMOUS_CONSUMER,
];

/// Whether an upstream may take this header for one of [`ALL`].
///
/// Case does not matter, and `_` counts as `-`: CGI and its heirs show both to an application as the
/// same variable. Allocates nothing.
pub fn is_identity(name: &str) -> bool {
    ALL.iter().any(|known| matches(name, known))
}

/// Whether `name` is `known` (lower case, with `-`) to an application that folds case and `_`.
pub(crate) fn matches(name: &str, known: &str) -> bool {
    name.len() == known.len()
        && name.bytes().zip(known.bytes()).all(|(byte, known)| match byte {
            b'_' => known == b'-',
            byte => byte.to_ascii_lowercase() == known,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_spelling_an_upstream_may_confuse_is_an_identity_header() {
        for name in ALL {
            assert!(is_identity(name), "{name}");
            assert!(is_identity(&name.to_uppercase()), "{name} in upper case");
            assert!(is_identity(&name.replace('-', "_")), "{name} with underscores");
            assert!(
                is_identity(&name.replacen('-', "_", 1)),
                "{name} with one underscore"
            );
        }
    }

    #[test]
    fn other_headers_are_not_identity_headers() {
        for name in [
            "",
            "x-consumer",
            "x-consumer-id-",
            "x-consumer-ids",
            "-x-consumer-id",
            "x consumer-id",
            "host",
        ] {
            assert!(!is_identity(name), "{name}");
        }
    }
}
