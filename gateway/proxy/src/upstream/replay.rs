//! A copy of a request, for the case that a kept connection dies under it.
//!
//! hyper gives a request back only if nothing of it was written, and the usual race is that all of it
//! was. Only requests that may be repeated are copied: those of an idempotent method (RFC 9110 section
//! 9.2.2). Of the body, what has passed is kept while it is short; most have none. The copy of the head is
//! one buffer: cloning a header map would cost an allocation and a reference count a field, on every
//! request, for something that hardly ever happens.

use std::mem::{replace, take};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};

use super::tape::{Tape, tape};
use crate::body::{RequestBody, Upstreamed};

/// What the fields of most heads take.
const USUAL_HEAD: usize = 1024;
/// The most room that a connection keeps.
const MAX_SCRATCH: usize = 4 * USUAL_HEAD;

/// All of a request.
#[derive(Debug)]
pub(super) struct Replay {
    method: Method,
    uri: Uri,
    /// Name, `:`, value, LF: neither can hold an LF, and a name no colon.
    fields: Vec<u8>,
    body: Option<Tape<Upstreamed>>,
}

impl Replay {
    /// Copies a request that may be sent twice, its head to `scratch`, and so many bytes of its body as they
    /// pass.
    pub(super) fn of(
        request: &mut Request<RequestBody>,
        scratch: &mut Vec<u8>,
        body_limit: usize,
    ) -> Option<Self> {
        let idempotent = matches!(
            *request.method(),
            Method::GET | Method::HEAD | Method::PUT | Method::DELETE | Method::OPTIONS | Method::TRACE
        );
        if !idempotent {
            return None;
        }
        let mut fields = take(scratch);
        fields.clear();
        fields.reserve(USUAL_HEAD);
        for (name, value) in request.headers() {
            fields.extend_from_slice(name.as_str().as_bytes());
            fields.push(b':');
            fields.extend_from_slice(value.as_bytes());
            fields.push(b'\n');
        }
        let body = match replace(request.body_mut(), RequestBody::Empty) {
            RequestBody::Empty => None,
            RequestBody::Passing(body) => {
                let (taped, tape) = tape(body, body_limit);
                *request.body_mut() = RequestBody::Taped(taped);
                Some(tape)
            }
            // It was sent once already.
            other => {
                *request.body_mut() = other;
                return None;
            }
        };
        Some(Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            fields,
            body,
        })
    }

    /// The room for the next copy, unless this head was of an unusual size.
    pub(super) fn into_scratch(self) -> Vec<u8> {
        if self.fields.capacity() > MAX_SCRATCH {
            return Vec::new();
        }
        self.fields
    }

    /// The request once more, unless too much of its body has passed.
    pub(super) fn into_request(self) -> Option<Request<RequestBody>> {
        let body = match self.body {
            None => RequestBody::Empty,
            Some(tape) => RequestBody::Again(tape.rewind()?),
        };
        let mut request = Request::new(body);
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = read(&self.fields);
        Some(request)
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
        let mut request = Request::new(RequestBody::Empty);
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
        let mut original = request(Method::GET);
        let copy = Replay::of(&mut original, &mut Vec::new(), 0)
            .unwrap()
            .into_request()
            .unwrap();
        assert_eq!(copy.headers(), original.headers());
        assert_eq!((copy.method(), copy.uri()), (original.method(), original.uri()));
        assert!(matches!(copy.body(), RequestBody::Empty));
    }

    #[test]
    fn room_is_used_again_but_not_hoarded() {
        let mut scratch = Vec::new();
        let replay = Replay::of(&mut request(Method::GET), &mut scratch, 0).unwrap();
        scratch = replay.into_scratch();
        let place = scratch.as_ptr();
        let replay = Replay::of(&mut request(Method::HEAD), &mut scratch, 0).unwrap();
        assert_eq!(replay.fields.as_ptr(), place);
        let copy = replay.into_request().unwrap();
        assert_eq!(copy.headers(), request(Method::HEAD).headers());

        let mut large = request(Method::GET);
        let value = HeaderValue::from_bytes(&[b'x'; MAX_SCRATCH]).unwrap();
        large.headers_mut().insert("x-large", value);
        let replay = Replay::of(&mut large, &mut scratch, 0).unwrap();
        assert_eq!(replay.into_scratch().capacity(), 0);
    }

    #[test]
    fn what_must_not_run_twice_is_not_copied() {
        for method in ["POST", "PATCH", "PURGE"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            assert!(Replay::of(&mut request(method), &mut Vec::new(), 0).is_none());
        }
    }
}
