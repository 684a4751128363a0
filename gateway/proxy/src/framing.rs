//! Refuses a request whose end two readers may see in different places (RFC 9112 sections 6.1 to 6.3,
//! 11.2), and what a gateway must not relay at all.
//!
//! What hyper's parser has decided before a head gets here:
//!
//! | input | outcome |
//! |---|---|
//! | `Content-Length` that is not digits, or two that differ; `Transfer-Encoding` in HTTP/1.0, or without a final `chunked`; a blank before a colon; a folded line; a control character in a value | 400, closed |
//! | `Content-Length` beside `Transfer-Encoding` | the length is dropped, the connection closes after the answer (RFC 9112 section 6.1) |
//! | two equal `Content-Length` lines | one is dropped (RFC 9110 section 8.6) |
//! | a head over the limits on bytes or fields | 431, closed |
//! | a TAB before a value; zeros before a chunk's size, and its extensions | HTTP allows them; dropped |
//! | LF without CR at the end of a line | read as a line end (RFC 9112 section 2.2) |
//! | a bad chunk size | the body ends in an error, the connection closes |
//!
//! Each request is written anew for the upstream, with one length of our own making
//! (`headers::length`) or chunks of our own, so nothing that
//! was tolerated here reaches it.

use http::{Method, Version, header, request::Parts};
use latchkey_core::reason::Reason;

/// The most names that `Connection` may have. Each costs a look-up, and a line has room for tens of
/// thousands.
const MAX_NOMINATIONS: usize = 100;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// `Transfer-Encoding` other than one line with exactly `chunked`.
    TransferEncoding,
    /// More than one length, or a length beside `Transfer-Encoding`.
    Length,
    /// CONNECT: tunnels lead past every policy.
    Connect,
    /// The target is longer than the limit on it.
    Target,
    /// `Connection` nominates more fields than a head may have.
    Nominations,
}

impl Refusal {
    /// What the client is told, and what is counted.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::Target => Reason::UriTooLong,
            _ => Reason::BadRequest,
        }
    }
}

/// Whether a head has exactly one meaning, and a target of at most so many bytes.
pub(crate) fn check(head: &Parts, max_uri_bytes: usize) -> Result<(), Refusal> {
    let authority = head
        .uri
        .authority()
        .map_or(0, |authority| authority.as_str().len());
    let target = head
        .uri
        .path_and_query()
        .map_or(0, |target| target.as_str().len());
    if authority + target > max_uri_bytes {
        return Err(Refusal::Target);
    }
    if head.method == Method::CONNECT {
        return Err(Refusal::Connect);
    }
    let mut codings = head.headers.get_all(header::TRANSFER_ENCODING).iter();
    let mut lengths = head.headers.get_all(header::CONTENT_LENGTH).iter();
    let (coding, length) = (codings.next(), lengths.next());
    if let Some(coding) = coding {
        let chunked = coding.as_bytes().eq_ignore_ascii_case(b"chunked");
        if !chunked || codings.next().is_some() || head.version == Version::HTTP_10 {
            return Err(Refusal::TransferEncoding);
        }
    }
    if lengths.next().is_some() || (coding.is_some() && length.is_some()) {
        return Err(Refusal::Length);
    }
    let nominations = head.headers.get_all(header::CONNECTION).iter();
    let names = nominations.map(|line| 1 + memchr::memchr_iter(b',', line.as_bytes()).count());
    if names.sum::<usize>() > MAX_NOMINATIONS {
        return Err(Refusal::Nominations);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
