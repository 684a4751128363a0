//! What a request's path asks for. Owns the names, does nothing itself.

use std::time::Duration;

use http::{HeaderName, HeaderValue, StatusCode, Uri};

/// What to do with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Answer with the report alone.
    Report,
    /// Wait, then report.
    Delay(Duration),
    /// Report with this status.
    Status(StatusCode),
    /// Stream so many bytes, with their length declared or in chunks.
    Bytes { length: u64, chunked: bool },
    /// Report, with these headers.
    ResponseHeaders(Vec<(HeaderName, HeaderValue)>),
    /// Wait before each piece of the request's body.
    SlowRead(Duration),
    /// Report with `Connection: close`.
    Close,
    /// Close without an answer, unless it may spare a connection's first request.
    HangUp { spare_first: bool },
    /// Send so many bytes of more, then reset.
    ResetMidBody(usize),
    /// Count an arrival.
    Count(String),
    /// Answer with all counts.
    Counts,
    /// The path names a behaviour and gives it what it cannot use.
    Invalid(&'static str),
}

impl Behaviour {
    /// What the end of this target's path asks for.
    pub(crate) fn of(uri: &Uri) -> Self {
        let mut segments = uri.path().rsplit('/');
        let last = segments.next().unwrap_or_default();
        let before = segments.next().unwrap_or_default();
        Self::with_argument(before, last, uri).unwrap_or_else(|| Self::alone(last, uri))
    }

    fn with_argument(name: &str, argument: &str, uri: &Uri) -> Option<Self> {
        let parsed = match name {
            "delay" => millis(argument).map(Self::Delay),
            "slow-read" => millis(argument).map(Self::SlowRead),
            "status" => status(argument).map(Self::Status),
            "bytes" => argument.parse().ok().map(|length| Self::Bytes {
                length,
                chunked: uri.query() == Some("chunked"),
            }),
            "reset-mid-body" => argument.parse().ok().map(Self::ResetMidBody),
            "count" => Some(Self::Count(argument.to_owned())),
            _ => return None,
        };
        Some(parsed.unwrap_or(Self::Invalid("the last segment is no number this path can use")))
    }

    fn alone(name: &str, uri: &Uri) -> Self {
        match name {
            "close" => Self::Close,
            "hang-up" => Self::HangUp { spare_first: false },
            "hang-up-reused" => Self::HangUp { spare_first: true },
            "counts" => Self::Counts,
            "response-headers" => match headers(uri.query().unwrap_or_default()) {
                Some(headers) => Self::ResponseHeaders(headers),
                None => Self::Invalid("the query is no list of header=value"),
            },
            _ => Self::Report,
        }
    }
}

fn millis(text: &str) -> Option<Duration> {
    text.parse().ok().map(Duration::from_millis)
}

/// Not 1xx: those are no answers.
fn status(text: &str) -> Option<StatusCode> {
    text.parse()
        .ok()
        .filter(|code| *code >= 200)
        .and_then(|code| StatusCode::from_u16(code).ok())
}

fn headers(query: &str) -> Option<Vec<(HeaderName, HeaderValue)>> {
    let parse = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let name = HeaderName::from_bytes(&percent_decode(name)?).ok()?;
        Some((name, HeaderValue::from_bytes(&percent_decode(value)?).ok()?))
    };
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(parse)
        .collect()
}

fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut decoded = parts.next()?.as_bytes().to_vec();
    for part in parts {
        decoded.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        decoded.extend_from_slice(&part.as_bytes()[2..]);
    }
    Some(decoded)
}

#[cfg(test)]
mod tests;
