//! What the API server answered: an object, or a `Status` that says why not.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_TYPE, DATE, RETRY_AFTER},
};
use serde::{Deserialize, de::DeserializeOwned};

use super::ApiError;

/// How many characters of a server's message are told.
const MAX_MESSAGE: usize = 300;
/// What an API server answers below a group that it does not serve.
const NO_SUCH_PATH: &str = "404 page not found";

/// A whole answer. Its body may be a Secret: it is not shown.
pub struct Answer {
    /// The status code.
    pub status: StatusCode,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
    /// What the server's clock showed, in whole seconds.
    pub date: Option<SystemTime>,
    /// The body.
    pub body: Bytes,
    is_text: bool,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({}, {} bytes)", self.status, self.body.len())
    }
}

/// A refusal, as a Kubernetes `Status` says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The HTTP status code, or that of a watch's `ERROR` event.
    pub code: u16,
    /// The machine-readable reason, such as `NotFound`, `Conflict`, `Expired`; may be empty.
    pub reason: String,
    /// For people. Empty where it could quote an object.
    pub message: String,
    /// The object or kind that it is about, if the server named one.
    pub about: Option<String>,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
    /// Whether an API server said so, not something in between.
    pub is_status: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        for part in [&self.reason, &self.message] {
            if !part.is_empty() {
                write!(f, " {part}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

impl Answer {
    pub(super) fn new(status: StatusCode, headers: &HeaderMap, body: Bytes) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        Self {
            status,
            retry_after: text(RETRY_AFTER)
                .and_then(|value| Some(Duration::from_secs(value.trim().parse().ok()?))),
            date: text(DATE).and_then(|value| httpdate::parse_http_date(value).ok()),
            body,
            is_text: text(CONTENT_TYPE).is_some_and(|value| value.starts_with("text/plain")),
        }
    }

    /// The answer, if it is a success.
    ///
    /// # Errors
    /// It is something else.
    pub fn ok(self) -> Result<Self, Failure> {
        if self.status.is_success() {
            Ok(self)
        } else {
            Err(self.failure())
        }
    }

    /// Reads the body.
    ///
    /// # Errors
    /// It is something else; the text does not quote it.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        serde_json::from_slice(&self.body)
            .map_err(|error| ApiError::Unreadable(format!("{:?} in line {}", error.classify(), error.line())))
    }

    fn failure(&self) -> Failure {
        let mut failure = Failure::of_status(&self.body).unwrap_or_else(|| {
            let text = if self.is_text {
                String::from_utf8_lossy(&self.body)
            } else {
                "".into()
            };
            Failure {
                code: 0,
                reason: String::new(),
                message: printable(&text),
                about: None,
                retry_after: None,
                is_status: text.starts_with(NO_SUCH_PATH),
            }
        });
        failure.code = self.status.as_u16();
        failure.retry_after = self.retry_after.or(failure.retry_after);
        failure
    }
}

impl Failure {
    /// Reads a `Status` object.
    pub(crate) fn of_status(json: &[u8]) -> Option<Self> {
        let status: Status = serde_json::from_slice(json).ok()?;
        if status.kind != "Status" {
            return None;
        }
        let details = status.details.unwrap_or_default();
        let message = if status.code == StatusCode::UNPROCESSABLE_ENTITY.as_u16() {
            // The message of a validation quotes the values that it refuses; the fields alone do not.
            let fields = details
                .causes
                .iter()
                .map(|cause| format!("{} ({})", cause.field, cause.reason));
            fields.collect::<Vec<_>>().join(", ")
        } else {
            status.message
        };
        Some(Self {
            code: status.code,
            reason: printable(&status.reason),
            message: printable(&message),
            about: Some(details.name).filter(|name| !name.is_empty()),
            retry_after: Some(details.retry_after_seconds)
                .filter(|seconds| *seconds > 0)
                .map(Duration::from_secs),
            is_status: true,
        })
    }
}

/// The beginning of a server's text, on one line.
fn printable(text: &str) -> String {
    let one_line = text.trim().chars().take(MAX_MESSAGE);
    one_line.map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[derive(Deserialize)]
struct Status {
    kind: String,
    #[serde(default)]
    code: u16,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    message: String,
    details: Option<Details>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Details {
    name: String,
    retry_after_seconds: u64,
    causes: Vec<Cause>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cause {
    reason: String,
    field: String,
}
