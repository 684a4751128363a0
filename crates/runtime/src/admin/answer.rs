//! One admin request to one answer. Knows no socket.

use bytes::Bytes;
use http::{
    HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Full;

use super::{AdminResponse, Paths};

/// What this method of this path gets.
pub(super) fn answer(method: &Method, path: &str, paths: &Paths) -> Response<Full<Bytes>> {
    if method != Method::GET && method != Method::HEAD {
        let body = "this port only answers GET and HEAD\n";
        let mut response = respond(AdminResponse::text(StatusCode::METHOD_NOT_ALLOWED, body));
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    respond(match paths.get(path) {
        Some(handler) => handler(),
        None => AdminResponse::text(StatusCode::NOT_FOUND, not_found(paths)),
    })
}

fn not_found(paths: &Paths) -> String {
    let mut text = "no such path; there are\n".to_owned();
    for path in paths.keys() {
        text.push_str(path);
        text.push('\n');
    }
    text
}

/// The server sends the body's length in either case, and of an answer to `HEAD` nothing else of it.
fn respond(from: AdminResponse) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(from.body));
    *response.status_mut() = from.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(from.content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
