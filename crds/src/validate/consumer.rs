//! The rules of a Consumer.

use super::{Check, Validate, Violation};
use crate::{Consumer, form};

impl Validate for Consumer {
    fn validate(&self) -> Vec<Violation> {
        let mut check = Check::default();
        if let Some(username) = &self.spec.username {
            check.text(username, "spec.username", &form::USERNAME);
        }
        if let Some(custom_id) = &self.spec.custom_id {
            check.text(custom_id, "spec.customID", &form::USERNAME);
        }
        check.texts(&self.spec.groups, form::GROUPS, "spec.groups", &form::GROUP);
        check.time(self.spec.expiration_time.as_ref(), "spec.expirationTime");
        check.0
    }
}
