//! The Lease object: what it says, and the objects that claim and release it. Fields that are not ours
//! stay as they are.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// A Lease as the API server shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Record(Value);

impl Record {
    /// One that nobody holds yet, to be claimed. The server gives it its version.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self(json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"namespace": namespace, "name": name},
        }))
    }

    /// As it was read.
    pub fn read(object: Value) -> Self {
        Self(object)
    }

    /// What is sent to the server.
    pub fn object(&self) -> &Value {
        &self.0
    }

    /// Who holds it; nobody: empty.
    pub fn holder(&self) -> &str {
        self.spec("holderIdentity")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Whether the other is the very same version of the same object.
    pub fn same_version(&self, other: &Self) -> bool {
        let version = |record: &Self| {
            ["/metadata/uid", "/metadata/resourceVersion"].map(|part| record.0.pointer(part).cloned())
        };
        version(self) == version(other)
    }

    /// Held by `identity`, as of `now`: a renewal where it was that one's, else taken.
    #[must_use]
    pub fn claimed(&self, identity: &str, duration: Duration, now: Timestamp) -> Self {
        // The API knows whole seconds. Rounded up, others wait rather longer than needed.
        let seconds = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
        let mut spec = json!({
            "holderIdentity": identity,
            "leaseDurationSeconds": seconds,
            "renewTime": micro_time(now),
        });
        if self.holder() != identity {
            spec["acquireTime"] = micro_time(now);
            spec["leaseTransitions"] = self.transitions_after_this().into();
        }
        self.with_spec(spec)
    }

    /// Held by nobody, as of `now`.
    #[must_use]
    pub fn released(&self, now: Timestamp) -> Self {
        self.with_spec(json!({"holderIdentity": "", "renewTime": micro_time(now)}))
    }

    /// A new object's first holder is no transition.
    fn transitions_after_this(&self) -> i64 {
        if self.0.get("spec").is_none() {
            return 0;
        }
        let so_far = self.spec("leaseTransitions").and_then(Value::as_i64).unwrap_or(0);
        // The API's type is a 32-bit integer, at whose end it would refuse every claim.
        if (0..i64::from(i32::MAX)).contains(&so_far) {
            so_far + 1
        } else {
            1
        }
    }

    fn spec(&self, field: &str) -> Option<&Value> {
        self.0.get("spec")?.get(field)
    }

    fn with_spec(&self, fields: Value) -> Self {
        let mut object = self.0.as_object().cloned().unwrap_or_default();
        let spec = object.entry("spec").or_insert_with(|| Map::new().into());
        if !spec.is_object() {
            *spec = Map::new().into();
        }
        if let (Value::Object(spec), Value::Object(fields)) = (spec, fields) {
            spec.extend(fields);
        }
        Self(object.into())
    }
}

/// `MicroTime` of the API: six digits after the second, always. For people; nothing is decided by it.
fn micro_time(at: Timestamp) -> Value {
    format!("{at:.6}").into()
}

#[cfg(test)]
mod tests;
