//! One admin request to one answer. Knows no socket.

use bytes::Bytes;
use http::{
    HeaderValue, Method, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body_util::Full;

use super::{AdminResponse, Paths};

/// What this method of this path gets.
pub(super) fn answer(method: &Method, path: &str, paths: &Paths) -> Response<Full<Bytes>> {
    if method != Method::GET && method != Method::HEAD {
        let body = "this port only answers GET and HEAD\n";
        let mut response = respond(AdminResponse::text(StatusCode::METHOD_NOT_ALLOWED, body), false);
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let found = match paths.get(path) {
        Some(handler) => handler(),
        None => AdminResponse::text(StatusCode::NOT_FOUND, not_found(paths)),
    };
    respond(found, method == Method::HEAD)
}

fn not_found(paths: &Paths) -> String {
    let mut text = "no such path; there are\n".to_owned();
    for path in paths.keys() {
        text.push_str(path);
        text.push('\n');
    }
    text
}

fn respond(from: AdminResponse, head_only: bool) -> Response<Full<Bytes>> {
    let length = from.body.len();
    let mut response = Response::new(if head_only {
        Full::default()
    } else {
        Full::new(from.body)
    });
    *response.status_mut() = from.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(from.content_type));
    // Also for HEAD, where hyper cannot know it.
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
