//! A deserializer over JSON values whose errors cannot show a value of the input.
//!
//! serde's own errors quote what they found ("invalid type: string \"...\""). The error type here
//! has no room for it: what a visitor found is kept as its JSON type alone, and free-form messages of
//! visitors are dropped. Names that the input made up are shown as far as [`shown_field`] lets them.

use std::fmt;

use latchkey_crds::validate::{Violation, time_problem};
use serde::{
    de::{
        self, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor,
        value::{MapDeserializer, SeqDeserializer, StrDeserializer},
    },
    forward_to_deserialize_any,
};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::shown_field;

/// Why a value could not be read.
#[derive(Debug)]
pub(super) enum Refusal {
    Type {
        found: &'static str,
        expected: String,
    },
    UnknownField {
        name: Option<String>,
        known: &'static [&'static str],
    },
    UnknownVariant {
        known: &'static [&'static str],
    },
    Missing(&'static str),
    Opaque,
    /// A text, and what to say of it where it should have been a time.
    Text(&'static str),
    /// Something below a mapping of free names, such as labels.
    UnderFreeName(Box<Self>),
}

impl Refusal {
    /// The broken rule, for an error that came up at `path`.
    pub(super) fn explain(&self, path: &Path) -> Violation {
        let is_showable = |name: &str| shown_field(name).is_some();
        match self {
            // Only these paths hold names that are not the types' own.
            Self::UnknownField { .. } => self.explain_at(&shown_path(path, is_showable)),
            Self::UnderFreeName(refusal) => refusal.explain_at(&shown_path(path, is_showable)),
            _ => self.explain_at(&shown_path(path, |_| true)),
        }
    }

    fn explain_at(&self, path: &str) -> Violation {
        match self {
            Self::UnderFreeName(refusal) => refusal.explain_at(path),
            Self::Missing(field) => {
                let separator = if path.is_empty() { "" } else { "." };
                Violation::new(format!("{path}{separator}{field}"), "is missing; add it")
            }
            Self::UnknownField { name, known } => Violation::new(
                path,
                format!(
                    "{} of this version; correct or remove it (there is: {})",
                    match name {
                        Some(name) => format!("`{name}` is no field"),
                        None => "an unknown field is none".to_owned(),
                    },
                    known.join(", ")
                ),
            ),
            Self::UnknownVariant { known } => Violation::new(
                path,
                format!("is no value of this version; use one of: {}", known.join(", ")),
            ),
            Self::Text(problem) if is_time(path) => Violation::new(path, *problem),
            Self::Type { .. } | Self::Opaque if is_time(path) => Violation::new(path, time_problem("")),
            Self::Type { found, expected } => Violation::new(path, format!("is {found}; give {expected}")),
            Self::Opaque | Self::Text(_) => {
                Violation::new(path, "cannot be read; see `kubectl explain` for its form")
            }
        }
    }

    fn mismatch(found: &'static str, expected: &dyn Expected) -> Self {
        let expected = match expected.to_string() {
            expected if expected.starts_with("struct ") => "a mapping of fields".to_owned(),
            expected if expected == "a sequence" => "a list".to_owned(),
            expected => expected,
        };
        Self::Type { found, expected }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explain_at("").message)
    }
}

impl de::StdError for Refusal {}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(_quotes_the_value: T) -> Self {
        Self::Opaque
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(_) => "a boolean",
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
            Unexpected::Str(_) | Unexpected::Char(_) => "text",
            Unexpected::Unit | Unexpected::Option => "null",
            Unexpected::Seq => "a list",
            Unexpected::Map => "a mapping",
            _ => "something else",
        };
        Self::mismatch(found, expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::mismatch("out of range", expected)
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::mismatch("of the wrong length", expected)
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownVariant { known }
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownField {
            name: shown_field(name).map(str::to_owned),
            known,
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}

fn is_time(path: &str) -> bool {
    path.ends_with("Time") || path.ends_with("Timestamp")
}

/// The path as an error shows it: `spec.methods[0].type`, and nothing for the root. It ends before the
/// first name that may not be shown.
fn shown_path(path: &Path, may_show: fn(&str) -> bool) -> String {
    let mut shown = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => shown.push_str(&format!("[{index}]")),
            Segment::Map { key: name } | Segment::Enum { variant: name } => {
                if !may_show(name) {
                    break;
                }
                if !shown.is_empty() {
                    shown.push('.');
                }
                shown.push_str(name);
            }
            Segment::Unknown => shown.push_str("[?]"),
        }
    }
    shown
}

/// Reads a JSON value; errors are [`Refusal`]s.
#[derive(Clone, Copy)]
pub(super) struct Redacting<'a>(pub(super) &'a Value);

impl<'de> IntoDeserializer<'de, Refusal> for Redacting<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Redacting<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(value) => match (value.as_u64(), value.as_i64(), value.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (None, Some(value), _) => visitor.visit_i64(value),
                (None, None, Some(value)) => visitor.visit_f64(value),
                (None, None, None) => Err(Refusal::Opaque),
            },
            // Times are parsed by a visitor with messages of its own, which are not passed on.
            Value::String(text) => visitor.visit_borrowed_str(text).map_err(|refusal| match refusal {
                Refusal::Opaque => Refusal::Text(time_problem(text)),
                refusal => refusal,
            }),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Redacting))),
            Value::Object(fields) => visitor.visit_map(MapDeserializer::new(
                fields
                    .iter()
                    .map(|(name, value)| (name.as_str(), Redacting(value))),
            )),
        }
    }

    /// Reads a structure the way an API server reads an object of its schema: a mapping (serde would
    /// take a list of the fields' values too) in which a field that is `null` is absent.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::Array(_) => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            Value::Object(fields) => visitor.visit_map(MapDeserializer::new(
                fields
                    .iter()
                    .filter(|(name, value)| !(value.is_null() && known.contains(&name.as_str())))
                    .map(|(name, value)| (name.as_str(), Redacting(value))),
            )),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_any(visitor)
            .map_err(|refusal| Refusal::UnderFreeName(Box::new(refusal)))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    /// Our enumerations are plain words.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(StrDeserializer::new(word)),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct identifier
    }
}
