use super::*;

/// Status and reason of each condition, in order.
fn summary(findings: CredentialFindings<'_>) -> Vec<String> {
    conditions(findings)
        .into_iter()
        .map(|finding| format!("{}={}/{}", finding.type_, finding.status.as_str(), finding.reason))
        .collect()
}

fn secret(finding: SecretFinding<'static>) -> SpecFinding<'static> {
    SpecFinding::Secret("alice-key", "key", finding)
}

#[test]
fn conditions_say_what_is_known() {
    let consumer = ObjectName::new("shop", "alice");
    let refused = SecretFinding::Refused(KeyRefusal::Empty);
    for (spec, consumer_exists, owner, expected) in [
        (
            SpecFinding::Inline,
            true,
            None,
            "True/Accepted True/ResolvedRefs False/NoConflict True/Ready",
        ),
        (
            secret(SecretFinding::Usable),
            true,
            None,
            "True/Accepted True/ResolvedRefs False/NoConflict True/Ready",
        ),
        (
            SpecFinding::NoMethod,
            true,
            None,
            "False/NoMethod True/ResolvedRefs False/NoConflict False/NoMethod",
        ),
        (
            SpecFinding::NoMethod,
            false,
            None,
            "False/NoMethod False/ConsumerNotFound False/NoConflict False/NoMethod",
        ),
        (
            SpecFinding::Invalid("spec.x: is no field"),
            false,
            None,
            "False/Invalid Unknown/Invalid False/NoConflict False/Invalid",
        ),
        (
            SpecFinding::Inline,
            false,
            None,
            "True/Accepted False/ConsumerNotFound False/NoConflict False/ConsumerNotFound",
        ),
        (
            secret(SecretFinding::NotFound),
            true,
            None,
            "True/Accepted False/SecretNotFound False/NoConflict False/SecretNotFound",
        ),
        (
            secret(SecretFinding::NotSelected("app=shop")),
            true,
            None,
            "True/Accepted False/SecretNotFound False/NoConflict False/SecretNotFound",
        ),
        (
            secret(SecretFinding::Terminating),
            true,
            None,
            "True/Accepted False/SecretNotFound False/NoConflict False/SecretNotFound",
        ),
        (
            secret(SecretFinding::KeyMissing),
            true,
            None,
            "True/Accepted False/SecretKeyMissing False/NoConflict False/SecretKeyMissing",
        ),
        (
            secret(refused),
            true,
            None,
            "True/Accepted False/InvalidKey False/NoConflict False/InvalidKey",
        ),
        (
            secret(SecretFinding::ReadFailed),
            true,
            None,
            "True/Accepted Unknown/SecretUnreadable False/NoConflict Unknown/SecretUnreadable",
        ),
        (
            secret(SecretFinding::ReadFailed),
            false,
            None,
            "True/Accepted False/ConsumerNotFound False/NoConflict False/ConsumerNotFound",
        ),
        (
            SpecFinding::Inline,
            true,
            Some("older"),
            "True/Accepted True/ResolvedRefs True/Conflicted False/Conflicted",
        ),
        (
            secret(SecretFinding::ReadFailed),
            true,
            Some("older"),
            "True/Accepted Unknown/SecretUnreadable True/Conflicted False/Conflicted",
        ),
    ] {
        let findings = CredentialFindings {
            spec,
            consumer: &consumer,
            consumer_exists,
            owner,
        };
        let expected: Vec<_> = ["Accepted", "ResolvedRefs", "Conflicted", "Ready"]
            .into_iter()
            .zip(expected.split(' '))
            .map(|(type_, rest)| format!("{type_}={rest}"))
            .collect();
        assert_eq!(summary(findings), expected, "{findings:?}");
    }
}

#[test]
fn what_is_not_in_order_says_so_in_words() {
    let consumer = ObjectName::new("shop", "alice");
    for finding in conditions(CredentialFindings {
        spec: secret(SecretFinding::Refused(KeyRefusal::TooShort { minimum: 16 })),
        consumer: &consumer,
        consumer_exists: false,
        owner: Some("older"),
    }) {
        let expected: &[&str] = match finding.type_ {
            types::ACCEPTED => &[],
            types::CONFLICTED => &["Credential older"],
            _ => &[
                "Consumer shop/alice",
                "Secret alice-key",
                "data key key",
                "shorter than 16",
            ],
        };
        for part in expected {
            assert!(finding.message.contains(part), "{finding:?} lacks {part}");
        }
        assert_eq!(finding.message.is_empty(), expected.is_empty(), "{finding:?}");
    }
}
