//! The rules of a Credential.

use super::{Check, Validate, Violation};
use crate::{Credential, credential::ApiKey, form};

impl Validate for Credential {
    fn validate(&self) -> Vec<Violation> {
        let mut check = Check::default();
        check.text(&self.spec.consumer_ref.name, "spec.consumerRef.name", &form::NAME);
        check.time(self.spec.not_before_time.as_ref(), "spec.notBeforeTime");
        check.time(self.spec.expiration_time.as_ref(), "spec.expirationTime");
        if let Some(key) = &self.spec.api_key {
            api_key(&mut check, key);
        }
        check.0
    }
}

fn api_key(check: &mut Check, key: &ApiKey) {
    check.require(
        key.secret_key_ref.is_some() != key.sha256.is_some(),
        "spec.apiKey",
        ApiKey::ONE_OF,
    );
    if let Some(source) = &key.secret_key_ref {
        check.text(&source.name, "spec.apiKey.secretKeyRef.name", &form::NAME);
        check.text(&source.key, "spec.apiKey.secretKeyRef.key", &form::DATA_KEY);
    }
    if let Some(sha256) = &key.sha256 {
        check.text(sha256, "spec.apiKey.sha256", &form::SHA256);
    }
}
