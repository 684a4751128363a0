//! A copy of a request's head, for the case that a kept connection dies under it.
//!
//! hyper gives a request back only if nothing of it was written, and the usual race is that all of it
//! was. Only requests that may be repeated are copied: of an idempotent method (RFC 9110 section 9.2.2)
//! and without a body. The copy is one buffer: cloning a header map would cost an allocation and a
//! reference count a field, on every request, for something that hardly ever happens.

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use http_body::Body;

use crate::body::RequestBody;

/// All of a request that has no body.
#[derive(Debug)]
pub(super) struct Replay {
    method: Method,
    uri: Uri,
    /// Name, `:`, value, LF: neither can hold an LF, and a name no colon.
    fields: Vec<u8>,
}

impl Replay {
    /// Copies a request that may be sent twice.
    pub(super) fn of(request: &Request<RequestBody>) -> Option<Self> {
        let idempotent = matches!(
            *request.method(),
            Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS | Method::TRACE
        );
        if !idempotent || !request.body().is_end_stream() {
            return None;
        }
        let mut fields = Vec::with_capacity(1024);
        for (name, value) in request.headers() {
            fields.extend_from_slice(name.as_str().as_bytes());
            fields.push(b':');
            fields.extend_from_slice(value.as_bytes());
            fields.push(b'\n');
        }
        Some(Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            fields,
        })
    }

    /// The request once more.
    pub(super) fn into_request(self) -> Request<RequestBody> {
        let mut request = Request::new(RequestBody::empty());
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = read(&self.fields);
        request
    }
}

fn read(fields: &[u8]) -> HeaderMap {
    fields
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            let name = HeaderName::from_bytes(&line[..colon]).ok()?;
            let value = HeaderValue::from_bytes(&line[colon + 1..]).ok()?;
            Some((name, value))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method) -> Request<RequestBody> {
        let mut request = Request::new(RequestBody::empty());
        *request.method_mut() = method;
        *request.uri_mut() = "/a?b=c".parse().unwrap();
        for (name, value) in [
            ("host", "a:80"),
            ("x-two", "1"),
            ("x-two", "2"),
            ("x-empty", ""),
            ("x-raw", "\u{e9}:\t"),
        ] {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            request.headers_mut().append(HeaderName::from_static(name), value);
        }
        request
    }

    #[test]
    fn the_copy_is_the_request() {
        let original = request(Method::GET);
        let copy = Replay::of(&original).unwrap().into_request();
        assert_eq!(copy.headers(), original.headers());
        assert_eq!((copy.method(), copy.uri()), (original.method(), original.uri()));
        assert!(copy.body().is_end_stream());
    }

    #[test]
    fn what_must_not_run_twice_is_not_copied() {
        assert!(Replay::of(&request(Method::POST)).is_none());
        assert!(Replay::of(&request(Method::PATCH)).is_none());
        assert!(Replay::of(&request(Method::from_bytes(b"PURGE").unwrap())).is_none());
    }
}
