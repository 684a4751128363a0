//! What our kinds' schemas need beyond what their types derive.

use schemars::Schema;
use serde_json::Value;

/// Puts the properties of one of our types into the form that an API server and a reader expect.
///
/// - None is nullable. An optional field derives a nullable one, and a rule on it would see `null`.
///   Where it is not, the API server drops a `null` before defaults and rules apply: absent, which is
///   what decoding makes of it too.
/// - A description is one line, however its doc comment was wrapped.
pub(crate) fn tidy(schema: &mut Schema) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for property in properties.values_mut() {
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = &mut types[..] {
                property["type"] = only.take();
            }
        }
        if let Some(Value::String(description)) = property.get_mut("description") {
            *description = description.replace('\n', " ");
        }
    }
}
