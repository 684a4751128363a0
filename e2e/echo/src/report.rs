//! What was received, as JSON.

use std::{net::SocketAddr, time::Duration};

use http::{HeaderMap, request};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::time::sleep;

/// How much of a request's body a report repeats.
const BODY_TEXT_LIMIT: usize = 1024;

/// Where a request came in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// The other end.
    pub(crate) peer: SocketAddr,
    /// Which connection of this process, from 1.
    pub(crate) connection: u64,
    /// Which request on it, from 1.
    pub(crate) request: u64,
}

/// A request's body and trailers, read to their end; memory is bounded whatever their length.
#[derive(Debug, Default)]
pub(crate) struct Received {
    length: u64,
    start: Vec<u8>,
    trailers: HeaderMap,
}

/// Reads a body to its end, waiting before each piece.
pub(crate) async fn receive(mut body: Incoming, wait: Option<Duration>) -> hyper::Result<Received> {
    let mut received = Received::default();
    loop {
        if let Some(wait) = wait {
            sleep(wait).await;
        }
        let Some(frame) = body.frame().await.transpose()? else {
            return Ok(received);
        };
        match frame.into_data() {
            Ok(data) => {
                received.length += data.len() as u64;
                let room = BODY_TEXT_LIMIT - received.start.len();
                received.start.extend_from_slice(&data[..data.len().min(room)]);
            }
            Err(frame) => received
                .trailers
                .extend(frame.into_trailers().unwrap_or_default()),
        }
    }
}

/// The report of a request. Names are in lower case and grouped: the parser keeps no more.
pub(crate) fn report(name: &str, head: &request::Parts, received: &Received, arrival: Arrival) -> Value {
    json!({
        "name": name,
        "method": head.method.as_str(),
        "target": head.uri.to_string(),
        "version": format!("{:?}", head.version),
        "headers": pairs(&head.headers),
        "trailers": pairs(&received.trailers),
        "body_length": received.length,
        "body_text": String::from_utf8_lossy(&received.start),
        "peer": arrival.peer.to_string(),
        "connection": arrival.connection,
        "request": arrival.request,
    })
}

fn pairs(headers: &HeaderMap) -> Vec<[String; 2]> {
    let pair = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        [
            name.to_string(),
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        ]
    };
    headers.iter().map(pair).collect()
}
