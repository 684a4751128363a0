//! What a CORS preflight is: the request by which a browser asks whether it may send another (WHATWG
//! Fetch, section 4.8). No browser adds a credential to it, and none sends content.
//!
//! A policy may let such requests in without a credential, so the test is exact: whatever has the form by half,
//! or carries content, is no preflight and is judged like any other request.

use http::{HeaderMap, Method, header};
use latchkey_routing::table::RequestView;

use crate::headers::single;

/// Whether a request is one.
pub(super) fn is_preflight(request: &RequestView<'_>) -> bool {
    let headers = request.headers;
    *request.method == Method::OPTIONS
        && single(headers, &header::ORIGIN).is_some_and(|origin| !origin.is_empty())
        && single(headers, &header::ACCESS_CONTROL_REQUEST_METHOD)
            .is_some_and(|method| Method::from_bytes(method.as_bytes()).is_ok())
        && !has_content(headers)
}

/// Nobody unknown is to send the upstream more than a question.
fn has_content(headers: &HeaderMap) -> bool {
    headers.contains_key(header::TRANSFER_ENCODING)
        || headers
            .get_all(header::CONTENT_LENGTH)
            .iter()
            .any(|length| length != "0")
}

#[cfg(test)]
mod tests;
