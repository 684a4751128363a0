//! YAML text to documents, within limits. Owns what is said of a file that is no YAML; never shows
//! a value of it.

use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::{Error, Options, Spanned};

/// The largest file that is read, in bytes. All files are read one after the other, so that a large
/// one delays what the others say.
pub const MAX_FILE_BYTES: u64 = 16 << 20;
/// The deepest nesting that is read. `serde_json::Value` and its readers recurse.
const MAX_DEPTH: usize = 64;
/// Aliases, and what they may expand to: a manifest has few, a bomb has many.
const MAX_ALIASES: usize = 1_000;
const MAX_ALIAS_EVENTS: usize = 100_000;
/// What one file may hold, for the same reason as its size.
const MAX_DOCUMENTS: usize = 1_000_000;
const MAX_NODES: usize = 1_000_000;

/// One document that is not empty.
#[derive(Debug, PartialEq)]
pub struct Parsed {
    /// Its number among the file's documents that are not empty, from 1.
    pub number: usize,
    /// The line where its content begins, from 1.
    pub line: u64,
    /// What it holds.
    pub value: Value,
}

/// Why a file, or a document of it, cannot be read, without anything that stands in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Number of the document, and line, where they are known.
    pub place: Option<(usize, u64)>,
    /// What is wrong, and the remedy.
    pub message: String,
}

impl Problem {
    /// A problem with the file as a whole.
    pub fn of_file(message: impl Into<String>) -> Self {
        Self {
            place: None,
            message: message.into(),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some((number, line)) = self.place {
            write!(f, "document {number}, line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// All documents of a file that are not empty.
///
/// # Errors
/// The first place at which it is no YAML or goes over a limit.
pub fn parse(bytes: &[u8]) -> Result<Vec<Parsed>, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        let line = lines(before).count();
        Problem::of_file(format!("line {line}: not UTF-8; save the file as UTF-8"))
    })?;
    // A file of nothing but comments is an empty one; the reader would call it an unexpected end.
    if lines(text).all(|line| !is_content(line)) {
        return Ok(Vec::new());
    }
    let documents: Vec<Spanned<Document>> =
        serde_saphyr::from_multiple_with_options(text, options()).map_err(|error| problem(text, &error))?;
    Ok(documents
        .into_iter()
        .enumerate()
        .map(|(index, document)| Parsed {
            number: index + 1,
            line: document.referenced.line(),
            value: document.value.0,
        })
        .collect())
}

/// `Value` under a type of our own, because `Spanned` asks for one that is not recursive in itself.
#[derive(Deserialize)]
#[serde(transparent)]
struct Document(Value);

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_aliases: MAX_ALIASES,
            max_anchors: MAX_ALIASES,
            max_documents: MAX_DOCUMENTS,
            max_nodes: MAX_NODES,
            max_events: MAX_NODES,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_ALIAS_EVENTS,
        },
        // A snippet would show what stands around the error.
        with_snippet: false,
    }
}

/// The error's place and its kind. Never its own text, unless that is one of the parser's fixed ones.
fn problem(text: &str, error: &Error) -> Problem {
    Problem {
        place: error
            .location()
            .filter(|location| location.line() > 0)
            .map(|location| (number_at(text, location.line()), location.line())),
        message: explain(error),
    }
}

fn explain(error: &Error) -> String {
    let over_limit = || {
        format!(
            "over a limit (nesting {MAX_DEPTH}, aliases {MAX_ALIASES}, {MAX_NODES} values); simplify it or split the file"
        )
    };
    match error {
        Error::AliasError { error, .. } | Error::WithSnippet { error, .. } => explain(error),
        Error::ExternalMessage { source, .. } => match &**source {
            serde_saphyr::localizer::ExternalMessageSource::Parser(scan) => {
                use serde_saphyr::granit_parser::ErrorKind;
                match scan.kind() {
                    ErrorKind::Custom(_) | ErrorKind::InputDecoding { .. } | ErrorKind::InputIo { .. } => {
                        "not YAML".to_owned()
                    }
                    ErrorKind::RecursionLimitExceeded => over_limit(),
                    kind => format!("not YAML: {kind}"),
                }
            }
            _ => "not YAML".to_owned(),
        },
        Error::Eof { .. } => "not YAML: it ends in the middle".to_owned(),
        Error::DuplicateMappingKey { .. } => "a field stands twice in one mapping; remove one".to_owned(),
        Error::UnknownAnchor { .. } => "an alias names an anchor that is not there".to_owned(),
        Error::NonFiniteFloat { .. } => "a number is not finite; quote it if it is a text".to_owned(),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. } => over_limit(),
        _ => "not YAML that can stand for an object".to_owned(),
    }
}

/// The number of the document that a line belongs to.
fn number_at(text: &str, line: u64) -> usize {
    let mut number = 1;
    let mut content = false;
    let before = usize::try_from(line).unwrap_or(usize::MAX);
    for line in lines(text).take(before) {
        if line == "---" || line.starts_with("--- ") {
            number += usize::from(content);
            content = line.len() > 4 && is_content(&line[4..]);
        } else {
            content |= is_content(line);
        }
    }
    number
}

/// Lines as YAML has them: a carriage return ends one too, with a line feed or without.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split("\r\n").flat_map(|part| part.split(['\r', '\n']))
}

fn is_content(line: &str) -> bool {
    let line = line.trim_matches([' ', '\t']);
    !(line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
}

#[cfg(test)]
mod tests;
