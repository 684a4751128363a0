//! Sending one request, in bounded time and memory.

use std::{error::Error, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{Response, StatusCode, header::CONTENT_LENGTH};
use http_body_util::BodyExt as _;
use kube::{Client, client::AuthError, client::Body};
use tokio::time::{Instant, timeout_at};

use super::{Answer, Call, Failure, Verb, calls};

/// How many causes of an error are told.
const MAX_CAUSES: usize = 8;

/// How long an answer may take, and how large it may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the request to the last byte of the answer.
    pub timeout: Duration,
    /// Bytes of the answer's body.
    pub body: usize,
}

/// Ten seconds and four MiB: for one object, which the store keeps below two.
impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            body: 4 << 20,
        }
    }
}

/// Why a request has no answer of use.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// The server said no.
    #[error(transparent)]
    Refused(#[from] Failure),
    /// No whole answer came, and whether the request was acted upon is not known.
    #[error("{0}; check that the API server runs and can be reached from here")]
    Transport(String),
    /// No whole answer came in time, and whether the request was acted upon is not known.
    #[error("no answer within {0:?}; check that the API server runs and can be reached from here")]
    Timeout(Duration),
    /// The answer is larger than what is read.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The answer is not what was asked for. The text never quotes it.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
    /// The request cannot be written.
    #[error("the request cannot be made: {0}")]
    Request(#[from] http::Error),
}

impl ApiError {
    /// What the server said, if it said something.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Refused(failure) => Some(failure),
            Self::Transport(_)
            | Self::Timeout(_)
            | Self::TooLarge(_)
            | Self::Unreadable(_)
            | Self::Request(_) => None,
        }
    }

    /// The status code of a server that said no.
    pub fn code(&self) -> Option<u16> {
        self.failure().map(|failure| failure.code)
    }

    /// How long the server wants to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        self.failure()?.retry_after
    }
}

/// Sends one request and reads the whole answer, whatever its status: [`Answer::ok`] tells. Dropped, it
/// abandons both.
///
/// # Errors
/// No whole answer in time.
pub async fn send(client: &Client, call: Call, limits: Limits) -> Result<Answer, ApiError> {
    let deadline = Instant::now() + limits.timeout;
    let answer = async {
        let response = open(client, call, limits.timeout).await?;
        read(response, limits.body).await
    };
    timeout_at(deadline, answer)
        .await
        .unwrap_or(Err(ApiError::Timeout(limits.timeout)))
}

/// Sends one request and gives back the answer as soon as its head is there.
pub(crate) async fn open(client: &Client, call: Call, timeout: Duration) -> Result<Response<Body>, ApiError> {
    let mut counted = Counted {
        verb: call.verb(),
        status: None,
    };
    let request = call.into_request()?;
    match tokio::time::timeout(timeout, client.send(request)).await {
        Err(_) => Err(ApiError::Timeout(timeout)),
        Ok(Err(error)) => Err(ApiError::Transport(reason(&error))),
        Ok(Ok(response)) => {
            counted.status = Some(response.status());
            Ok(response)
        }
    }
}

/// Counts a request when it is over, also one that is abandoned.
struct Counted {
    verb: Verb,
    status: Option<StatusCode>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        calls().count(self.verb, self.status);
    }
}

/// Reads the body of an answer up to a limit.
pub(crate) async fn read(response: Response<Body>, limit: usize) -> Result<Answer, ApiError> {
    let (head, mut body) = response.into_parts();
    let promised = head
        .headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    if promised.is_some_and(|promised: usize| promised > limit) {
        return Err(ApiError::TooLarge(limit));
    }
    let mut whole = BytesMut::with_capacity(promised.unwrap_or_default());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ApiError::Transport(reason(&error)))?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > limit {
            return Err(ApiError::TooLarge(limit));
        }
        whole.extend_from_slice(&data);
    }
    Ok(Answer::new(head.status, &head.headers, Bytes::from(whole)))
}

/// An error with its causes on one line. What a helper program that makes credentials printed is not told,
/// for it may be a token.
pub(crate) fn reason(error: &(dyn Error + 'static)) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next.filter(|_| causes.len() < MAX_CAUSES) {
        next = error.source();
        if let Some(auth) = error.downcast_ref::<AuthError>() {
            return credentials(auth);
        }
        if matches!(
            error.downcast_ref(),
            Some(kube::Error::Service(_) | kube::Error::HyperError(_))
        ) {
            continue;
        }
        let cause = error.to_string();
        // Some libraries end with the address of their manual, which says nothing about this failure.
        let cause = cause.split(": https://").next().unwrap_or_default();
        // Many errors end with their cause's text already.
        match causes.last_mut() {
            Some(last) if last.ends_with(cause) => {}
            _ => causes.push(cause.to_owned()),
        }
    }
    causes.join(": ")
}

fn credentials(error: &AuthError) -> String {
    match error {
        AuthError::ReadTokenFile(error, path) => format!("token file {}: {error}", path.display()),
        _ => "the credentials of the kubeconfig cannot be had; run its credential plugin by hand".to_owned(),
    }
}
