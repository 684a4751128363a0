//! From a reason to the gateway's own answer: the one table.
//!
//! `application/problem+json` (RFC 9457) with `title`, `status`, the coarse `reason` and the request id.
//! A client learns what kind of door is closed, never why its key did not open it. A message that is
//! not HTTP never gets here: hyper answers it with a bare 400, 414 or 431 and closes.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use latchkey_core::reason::{ClientReason, Reason};

use crate::{body::ResponseBody, exchange::Exchange, headers::request_id};

/// RFC 9110 section 11.6.1 asks for a challenge on every 401. No scheme is registered for API keys; this is
/// the name that is commonly used.
const CHALLENGE: HeaderValue = HeaderValue::from_static(r#"ApiKey realm="latchkey""#);
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// An answer of the gateway's own, which ends the exchange.
pub(crate) fn refuse(
    reason: Reason,
    method: &Method,
    request_id: &HeaderValue,
    close: bool,
    mut exchange: Exchange,
) -> Response<ResponseBody> {
    // A client that left reads nothing; one that only stopped sending reads that its request is not whole.
    let told = if reason == Reason::ClientGone {
        Reason::BadRequest
    } else {
        reason
    };
    let status = StatusCode::from_u16(told.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    exchange.refuse(reason, status.as_u16());
    let text = problem(told.client(), status, request_id);
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(header::CONTENT_TYPE, PROBLEM);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(text.len()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(request_id::NAME, request_id.clone());
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, CHALLENGE);
    }
    if close {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let content = (method != Method::HEAD).then_some(text);
    let mut response = Response::new(ResponseBody::own(content, exchange));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn problem(reason: ClientReason, status: StatusCode, request_id: &HeaderValue) -> Bytes {
    // Neither of the three texts has a character that JSON would escape: request ids are checked.
    let title = status.canonical_reason().unwrap_or_default();
    let id = request_id.to_str().unwrap_or_default();
    Bytes::from(format!(
        r#"{{"type":"about:blank","title":"{title}","status":{status},"reason":"{reason}","requestId":"{id}"}}"#,
        status = status.as_u16(),
        reason = reason.as_str(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_with_a_status_makes_a_json_answer() {
        let id = HeaderValue::from_static("id-1");
        for reason in Reason::ALL.iter().filter(|reason| reason.status() != 0) {
            let status = StatusCode::from_u16(reason.status()).unwrap();
            let text = problem(reason.client(), status, &id);
            let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(json["status"], reason.status(), "{reason:?}");
            assert_eq!(json["reason"], reason.client().as_str(), "{reason:?}");
            assert_eq!(json["requestId"], "id-1");
            assert!(
                !json["title"].as_str().unwrap().is_empty() && !json["reason"].as_str().unwrap().is_empty()
            );
        }
    }
}
