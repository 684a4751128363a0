//! Reading untyped JSON field by field, so that unknown can be told from absent and an error names
//! its path. Never repeats a value: people paste keys into the wrong fields.

use serde_json::{Map, Value};

/// A field is not what its kind says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{colon}must be {expected}; correct it", colon = if path.is_empty() { "" } else { ": " })]
pub struct Misfit {
    path: String,
    expected: String,
}

impl Misfit {
    /// The value itself is not `expected`.
    pub fn new(expected: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            expected: expected.into(),
        }
    }

    /// The same, seen from the object that has the value under `field`.
    #[must_use]
    pub fn under(mut self, field: &str) -> Self {
        prefix(&mut self.path, field);
        self
    }

    /// The same, seen from the list that has the value at `index`.
    #[must_use]
    pub fn at(self, index: usize) -> Self {
        self.under(&format!("[{index}]"))
    }
}

/// Puts `field` before a path that was relative to it.
pub(super) fn prefix(path: &mut String, field: &str) {
    if !path.is_empty() && !path.starts_with('[') {
        path.insert(0, '.');
    }
    path.insert_str(0, field);
}

/// The fields of a JSON object. `null` is absent, as an API server has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'v>(&'v Map<String, Value>);

impl<'v> Fields<'v> {
    /// The value's fields.
    pub(super) fn of(value: &'v Value) -> Result<Self, Misfit> {
        value
            .as_object()
            .map(Self)
            .ok_or_else(|| Misfit::new("a mapping of fields"))
    }

    /// The field's value, if present.
    pub(super) fn get(self, field: &str) -> Option<&'v Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    /// A text.
    pub(super) fn text(self, field: &str) -> Result<Option<&'v str>, Misfit> {
        self.read(field, |value| value.as_str().ok_or_else(|| Misfit::new("text")))
    }

    /// A text that must be there.
    pub(super) fn required_text(self, field: &str) -> Result<&'v str, Misfit> {
        self.text(field)?
            .filter(|text| !text.is_empty())
            .ok_or_else(|| Misfit::new("given, as text").under(field))
    }

    /// A text, or what stands for its absence.
    pub(super) fn text_or(self, field: &str, default: &'v str) -> Result<&'v str, Misfit> {
        Ok(self.text(field)?.unwrap_or(default))
    }

    /// A boolean.
    pub(super) fn boolean(self, field: &str) -> Result<Option<bool>, Misfit> {
        self.read(field, |value| {
            value.as_bool().ok_or_else(|| Misfit::new("`true` or `false`"))
        })
    }

    /// A whole number.
    pub(super) fn integer(self, field: &str) -> Result<Option<i64>, Misfit> {
        self.read(field, |value| {
            value.as_i64().ok_or_else(|| Misfit::new("a whole number"))
        })
    }

    /// A port number.
    pub(super) fn port(self, field: &str) -> Result<Option<u16>, Misfit> {
        self.read(field, |value| {
            value
                .as_u64()
                .and_then(|port| u16::try_from(port).ok())
                .filter(|port| *port > 0)
                .ok_or_else(|| Misfit::new("a port number from 1 to 65535"))
        })
    }

    /// An object.
    pub(super) fn object(self, field: &str) -> Result<Option<Fields<'v>>, Misfit> {
        self.read(field, Fields::of)
    }

    /// A list's elements; none if it is absent.
    pub(super) fn list<T>(
        self,
        field: &str,
        mut element: impl FnMut(&'v Value) -> Result<T, Misfit>,
    ) -> Result<Vec<T>, Misfit> {
        let read = |value: &'v Value| {
            let list = value.as_array().ok_or_else(|| Misfit::new("a list"))?;
            list.iter()
                .enumerate()
                .map(|(index, value)| element(value).map_err(|misfit| misfit.at(index)))
                .collect()
        };
        Ok(self.read(field, read)?.unwrap_or_default())
    }

    /// Reads the field, if present, by `read`; an error gets the field's name.
    pub(super) fn read<T>(
        self,
        field: &str,
        read: impl FnOnce(&'v Value) -> Result<T, Misfit>,
    ) -> Result<Option<T>, Misfit> {
        self.get(field)
            .map(read)
            .transpose()
            .map_err(|misfit| misfit.under(field))
    }

    /// The fields that are present and not among `known`.
    pub(super) fn unknown(self, known: &'static [&'static str]) -> impl Iterator<Item = &'v str> {
        self.0
            .iter()
            .filter(|(name, value)| !value.is_null() && !known.contains(&name.as_str()))
            .map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests;
