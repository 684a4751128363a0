use std::collections::BTreeSet;

use super::*;

#[test]
fn all_has_each_reason_once_in_the_order_of_its_discriminant() {
    for (index, reason) in Reason::ALL.iter().enumerate() {
        assert_eq!(*reason as usize, index, "{reason:?}");
    }
}

#[test]
fn texts_are_unique_words_that_fit_a_label() {
    let texts: BTreeSet<_> = Reason::ALL.iter().map(|reason| reason.as_str()).collect();
    assert_eq!(texts.len(), Reason::ALL.len());
    for text in texts {
        assert!(
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
            "{text}"
        );
    }
}

#[test]
fn a_client_learns_no_more_than_the_status_says() {
    for reason in Reason::ALL {
        let expected: &[ClientReason] = match reason.status() {
            0 => &[ClientReason::None],
            400 | 414 | 431 => &[ClientReason::BadRequest],
            401 => &[ClientReason::CredentialMissing, ClientReason::CredentialInvalid],
            404 => &[ClientReason::NotFound],
            500 => &[ClientReason::Misconfigured],
            502 => &[ClientReason::UpstreamFailed],
            503 => &[ClientReason::Unavailable],
            504 => &[ClientReason::UpstreamTimeout],
            other => panic!("{reason:?} has status {other}, which has no client reason"),
        };
        assert!(
            expected.contains(&reason.client()),
            "{reason:?} tells {:?}",
            reason.client()
        );
    }
}

#[test]
fn only_an_answer_that_is_not_ours_tells_a_client_nothing() {
    for reason in Reason::ALL {
        assert_eq!(
            reason.client().as_str().is_empty(),
            reason.status() == 0,
            "{reason:?}"
        );
    }
}
