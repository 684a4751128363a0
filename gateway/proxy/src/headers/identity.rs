//! The headers by which an upstream learns who calls. Only the gateway may set them: a client's own
//! copies, in any spelling that an upstream may confuse, go before anything else looks at a request.

use http::{HeaderMap, HeaderName, HeaderValue};
use latchkey_core::identity as names;
use latchkey_snapshot::Identity;

use super::remove_where;

const CONSUMER_ID: HeaderName = HeaderName::from_static(names::CONSUMER_ID);
const CONSUMER_NAMESPACE: HeaderName = HeaderName::from_static(names::CONSUMER_NAMESPACE);
const CONSUMER_USERNAME: HeaderName = HeaderName::from_static(names::CONSUMER_USERNAME);
const CONSUMER_CUSTOM_ID: HeaderName = HeaderName::from_static(names::CONSUMER_CUSTOM_ID);
const CONSUMER_GROUPS: HeaderName = HeaderName::from_static(names::CONSUMER_GROUPS);
const CREDENTIAL_IDENTIFIER: HeaderName = HeaderName::from_static(names::CREDENTIAL_IDENTIFIER);
const ANONYMOUS_CONSUMER: HeaderName = HeaderName::from_static(names::ANONYMOUS_CONSUMER);

/// Removes what a client may have said about who it is.
pub(crate) fn remove(headers: &mut HeaderMap) {
    remove_where(headers, is_ours);
}

/// Whether only the gateway may set this name.
pub(crate) fn is_ours(name: &HeaderName) -> bool {
    let name = name.as_str();
    // All of them begin so; the exact comparison is seven times as long.
    matches!(name.as_bytes(), [b'x', b'-' | b'_', ..]) && names::is_identity(name)
}

/// Says who calls: one line for each thing that is known, none for what is not.
pub(crate) fn set(headers: &mut HeaderMap, identity: &Identity<'_>) {
    let consumer = identity.consumer;
    for (name, value) in [
        (CONSUMER_ID, Some(consumer.uid())),
        (CONSUMER_NAMESPACE, Some(consumer.namespace())),
        (CONSUMER_USERNAME, Some(consumer.username())),
        (CONSUMER_CUSTOM_ID, consumer.custom_id()),
        (CONSUMER_GROUPS, consumer.groups()),
        (CREDENTIAL_IDENTIFIER, Some(identity.credential.identifier())),
    ] {
        // The index holds printable ASCII only. Were it not so, no value is safer than a wrong one.
        if let Some(Ok(value)) = value.map(HeaderValue::from_maybe_shared) {
            headers.insert(name, value);
        }
    }
}

/// Says that a policy let the request pass without a credential.
pub(crate) fn set_anonymous(headers: &mut HeaderMap) {
    headers.insert(ANONYMOUS_CONSUMER, HeaderValue::from_static("true"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_every_name_is_removed() {
        let mut headers = HeaderMap::new();
        for name in names::ALL {
            for spelling in [
                name.to_owned(),
                name.replace('-', "_"),
                name.replacen('-', "_", 1),
            ] {
                let spelling = HeaderName::try_from(spelling).unwrap();
                headers.append(spelling.clone(), HeaderValue::from_static("admin"));
                headers.append(spelling, HeaderValue::from_static("root"));
            }
        }
        headers.insert("x-consumer", HeaderValue::from_static("kept"));
        remove(&mut headers);
        assert_eq!(headers.len(), 1, "{headers:?}");
    }
}
