//! The answer of a rule that redirects. It is given to who passed the rule's policies, like any other.

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use latchkey_core::reason::Reason;
use latchkey_routing::{filter::Asked, table::Redirection};

use crate::{
    body::ResponseBody,
    exchange::Exchange,
    headers::{modifier, request_id},
};

/// Where a client is sent, as its answer says it.
#[derive(Debug)]
pub(crate) struct Elsewhere {
    status: StatusCode,
    headers: HeaderMap,
}

impl Elsewhere {
    /// Where a rule sends what was asked for.
    ///
    /// The query is to be without what a policy hides: the other place may be another party's, and whatever
    /// stands in `Location` ends in histories and logs.
    ///
    /// # Errors
    /// [`Reason::BadRequest`] if the client named no host and the rule names none.
    pub(crate) fn of(redirection: &Redirection, asked: &Asked<'_>) -> Result<Self, Reason> {
        let Redirection {
            redirect,
            response_headers,
        } = redirection;
        let location = redirect.location(asked).ok_or(Reason::BadRequest)?;
        let location = HeaderValue::try_from(location).map_err(|_| Reason::BadRequest)?;
        let mut headers = HeaderMap::with_capacity(8);
        if let Some(changes) = response_headers {
            modifier::on_response(changes, &mut headers);
        }
        headers.insert(header::LOCATION, location);
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        Ok(Self {
            status: redirect.status,
            headers,
        })
    }

    /// The answer, which ends the exchange.
    pub(crate) fn answer(
        self,
        request_id: &HeaderValue,
        close: bool,
        mut exchange: Exchange,
    ) -> Response<ResponseBody> {
        let Self { status, mut headers } = self;
        exchange.refuse(Reason::Redirected, status.as_u16());
        headers.insert(request_id::NAME, request_id.clone());
        if close {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let mut response = Response::new(ResponseBody::own(None, exchange));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }
}
