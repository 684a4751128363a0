//! The Prometheus text exposition format, version 0.0.4. Knows no family and no source.
//!
//! What Prometheus would refuse cannot be written: a family stands once, its samples together under
//! its `HELP` and `TYPE`; texts are escaped; every line ends.

use std::fmt::Write;

use bytes::{Bytes, BytesMut};

/// The media type of the format.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What a family measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only ever grows; the name ends in `_total`.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts by upper bound.
    Histogram,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// One metric: its name, and what all its samples share.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What it says, for people.
    pub help: &'static str,
    /// What it measures.
    pub kind: Kind,
    /// The names of its labels, in the order of their values.
    pub labels: &'static [&'static str],
}

/// The first labels of many samples, escaped once.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    count: usize,
    text: String,
}

/// A sample's value.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A whole number.
    Int(u64),
    /// Any number.
    Float(f64),
}

/// An exposition text that is being written.
#[derive(Debug, Default)]
pub struct Text {
    buffer: BytesMut,
    names: Vec<&'static str>,
}

/// One family's samples.
#[derive(Debug)]
pub struct Samples<'t> {
    /// `None` where the family was written before: a second time would spoil the whole text.
    buffer: Option<&'t mut BytesMut>,
    family: &'static Family,
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Int(value)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Int(value as u64)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl Labels {
    /// The first labels of a family, in its order.
    pub fn of(family: &Family, values: &[&str]) -> Self {
        let mut labels = Self::default();
        for (name, value) in family.labels.iter().zip(values) {
            if labels.count > 0 {
                labels.text.push(',');
            }
            labels.text.push_str(name);
            labels.text.push_str("=\"");
            escape(value, true, |part| labels.text.push_str(part));
            labels.text.push('"');
            labels.count += 1;
        }
        labels
    }
}

impl Text {
    /// An empty text that writes into this buffer.
    pub fn reusing(mut buffer: BytesMut) -> Self {
        buffer.clear();
        Self {
            buffer,
            names: Vec::new(),
        }
    }

    /// Begins a family.
    pub fn family(&mut self, family: &'static Family) -> Samples<'_> {
        if self.names.contains(&family.name) {
            tracing::error!(
                family = family.name,
                "two sources render one metric family; the first counts"
            );
            return Samples { buffer: None, family };
        }
        self.names.push(family.name);
        put(&mut self.buffer, &["# HELP ", family.name, " "]);
        escape(family.help, false, |part| put(&mut self.buffer, &[part]));
        put(
            &mut self.buffer,
            &["\n# TYPE ", family.name, " ", family.kind.as_str(), "\n"],
        );
        Samples {
            buffer: Some(&mut self.buffer),
            family,
        }
    }

    /// Writes a family that has one sample and no labels.
    pub fn single(&mut self, family: &'static Family, value: impl Into<Value>) {
        self.family(family).value(&Labels::default(), &[], value);
    }

    /// The whole text.
    pub fn finish(self) -> Bytes {
        self.buffer.freeze()
    }
}

impl Samples<'_> {
    /// Writes a sample; `rest` are the values of the labels after the first ones.
    pub fn value(&mut self, first: &Labels, rest: &[&str], value: impl Into<Value>) {
        let Some(buffer) = self.buffer.as_deref_mut() else {
            return;
        };
        let names = self.family.labels.get(first.count..).unwrap_or_default();
        put(buffer, &[self.family.name]);
        let mut separator = "{";
        if first.count > 0 {
            put(buffer, &[separator, &first.text]);
            separator = ",";
        }
        for (name, value) in names.iter().zip(rest) {
            put(buffer, &[separator, name, "=\""]);
            escape(value, true, |part| put(buffer, &[part]));
            put(buffer, &["\""]);
            separator = ",";
        }
        put(buffer, &[if separator == "{" { " " } else { "} " }]);
        put_value(buffer, value.into());
    }

    /// Writes a histogram: how many were at most each bound (not cumulative; one more is above all
    /// bounds), and the sum of all that was observed. `bounds` are numbers as text.
    pub fn histogram(&mut self, labels: &Labels, bounds: &[String], counts: &[u64], sum: f64) {
        let Some(buffer) = self.buffer.as_deref_mut() else {
            return;
        };
        let (open, close) = if labels.count > 0 { ("{", "}") } else { ("", "") };
        let comma = if labels.count > 0 { "," } else { "" };
        let name = self.family.name;
        let mut cumulative: u64 = 0;
        let bounds = bounds.iter().map(String::as_str).chain(["+Inf"]);
        for (bound, count) in bounds.zip(counts) {
            cumulative += count;
            put(
                buffer,
                &[name, "_bucket{", &labels.text, comma, "le=\"", bound, "\"} "],
            );
            put_value(buffer, Value::Int(cumulative));
        }
        put(buffer, &[name, "_sum", open, &labels.text, close, " "]);
        put_value(buffer, Value::Float(sum));
        put(buffer, &[name, "_count", open, &labels.text, close, " "]);
        put_value(buffer, Value::Int(cumulative));
    }
}

fn put(buffer: &mut BytesMut, parts: &[&str]) {
    for part in parts {
        buffer.extend_from_slice(part.as_bytes());
    }
}

/// A number as the format writes it, and the line's end.
fn put_value(buffer: &mut BytesMut, value: Value) {
    match value {
        Value::Int(value) => put(buffer, &[itoa::Buffer::new().format(value)]),
        Value::Float(f64::INFINITY) => put(buffer, &["+Inf"]),
        Value::Float(f64::NEG_INFINITY) => put(buffer, &["-Inf"]),
        // A buffer that grows refuses nothing.
        Value::Float(value) => drop(write!(buffer, "{value}")),
    }
    put(buffer, &["\n"]);
}

/// Gives `to` a text in pieces, with `\` and line feeds escaped, and quotes too where they would end it.
fn escape(text: &str, quoted: bool, mut to: impl FnMut(&str)) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escaped = match byte {
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'"' if quoted => "\\\"",
            _ => continue,
        };
        to(&text[plain..at]);
        to(escaped);
        plain = at + 1;
    }
    to(&text[plain..]);
}

#[cfg(test)]
mod tests;
