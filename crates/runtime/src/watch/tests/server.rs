//! An API server in process: each request waits until the test answers it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::SystemTime,
};

use bytes::Bytes;
use http::{Request, Response, header::ACCEPT};
use hyper::body::{Body as HttpBody, Frame};
use kube::{Client, client::Body};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::LONG;

pub(super) struct Server(mpsc::UnboundedReceiver<Asked>);

/// A request that waits for its answer. Dropped, its connection breaks.
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) accept: String,
    query: Vec<(String, String)>,
    answer: oneshot::Sender<Response<Feed>>,
}

/// A body that a test writes piece by piece.
pub(super) struct Feed(mpsc::UnboundedReceiver<io::Result<Bytes>>);

/// The test's end of a watch; dropped, the watch ends in order.
pub(super) struct Watch(mpsc::UnboundedSender<io::Result<Bytes>>);

impl Server {
    pub(super) fn new() -> (Self, Client) {
        let (asked, requests) = mpsc::unbounded_channel();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (answer, answered) = oneshot::channel();
            let sent = asked.send(Asked::new(&request, answer));
            async move {
                sent.map_err(|_| io::Error::other("the test is over"))?;
                answered
                    .await
                    .map_err(|_| io::Error::from(io::ErrorKind::ConnectionReset))
            }
        });
        (Self(requests), Client::new(service, "default"))
    }

    /// The next request.
    pub(super) async fn asked(&mut self) -> Asked {
        let next = tokio::time::timeout(LONG, self.0.recv()).await;
        next.expect("a request comes").expect("a client is there")
    }

    /// Whether somebody waits for an answer already.
    pub(super) fn is_quiet(&mut self) -> bool {
        self.0.is_empty()
    }
}

impl Asked {
    fn new(request: &Request<Body>, answer: oneshot::Sender<Response<Feed>>) -> Self {
        let query = request.uri().query().unwrap_or_default();
        Self {
            path: request.uri().path().to_owned(),
            accept: request.headers()[ACCEPT].to_str().unwrap().to_owned(),
            query: query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            answer,
        }
    }

    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the client still waits.
    pub(super) fn is_wanted(&self) -> bool {
        !self.answer.is_closed()
    }

    pub(super) fn json(self, code: u16, body: &Value) {
        self.text(code, "application/json", &body.to_string(), None);
    }

    pub(super) fn retry_after(self, code: u16, seconds: u64, body: &Value) {
        self.text(code, "application/json", &body.to_string(), Some(seconds));
    }

    /// What the server's clock shows, beside the body.
    pub(super) fn dated(self, date: SystemTime, body: &Value) {
        let (watch, feed) = Watch::new();
        watch.raw(&body.to_string());
        let response = Response::builder().header("date", httpdate::fmt_http_date(date));
        let _ = self.answer.send(response.body(feed).unwrap());
    }

    pub(super) fn text(self, code: u16, content_type: &str, body: &str, retry_after: Option<u64>) {
        let mut response = Response::builder()
            .status(code)
            .header("content-type", content_type);
        if let Some(seconds) = retry_after {
            response = response.header("retry-after", seconds);
        }
        let (watch, feed) = Watch::new();
        watch.raw(body);
        // An error: the client went away, as it may.
        let _ = self.answer.send(response.body(feed).unwrap());
    }

    /// Answers with the head of a body that the test goes on to write.
    pub(super) fn open(self) -> Watch {
        let (watch, feed) = Watch::new();
        let _ = self.answer.send(Response::new(feed));
        watch
    }
}

impl Watch {
    fn new() -> (Self, Feed) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), Feed(receiver))
    }

    pub(super) fn event(&self, kind: &str, object: &Value) {
        self.raw(&format!(
            "{}\n",
            serde_json::json!({ "type": kind, "object": object })
        ));
    }

    pub(super) fn raw(&self, text: &str) {
        let _ = self.0.send(Ok(Bytes::copy_from_slice(text.as_bytes())));
    }

    /// The connection breaks.
    pub(super) fn cut(self) {
        let _ = self.0.send(Err(io::ErrorKind::ConnectionReset.into()));
    }

    /// Until the client has gone away.
    pub(super) async fn abandoned(&self) {
        self.0.closed().await;
    }
}

impl HttpBody for Feed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = self.0.poll_recv(context);
        next.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
