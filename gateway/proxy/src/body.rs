//! The two bodies of an exchange: frames pass as they come, one at a time, so that whoever is slower sets
//! the pace. Nothing is collected.

use std::{
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Instant;

use crate::{
    exchange::Exchange,
    headers::trailers,
    timeouts::{Activity, Upload},
    upstream::{
        send::Lease,
        tape::{Again, Taped},
    },
};

/// What a client sends to the upstream.
#[derive(Debug)]
pub(crate) enum RequestBody {
    /// Nothing.
    Empty,
    /// It passes by.
    Passing(Upstreamed),
    /// It passes by, and can be had again.
    Taped(Taped<Upstreamed>),
    /// It is sent a second time.
    Again(Again<Upstreamed>),
}

/// What a client sends, and whoever wants to know how that gets on.
#[derive(Debug)]
pub(crate) struct Upstreamed {
    body: Incoming,
    activity: Rc<Activity>,
    complete: bool,
}

impl RequestBody {
    /// Passes on what a client sends.
    pub(crate) fn new(body: Incoming, activity: &Rc<Activity>) -> Self {
        if body.is_end_stream() {
            return Self::Empty;
        }
        activity.upload(Upload::Flowing);
        Self::Passing(Upstreamed {
            body,
            activity: Rc::clone(activity),
            complete: false,
        })
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.get_mut() {
            Self::Empty => Poll::Ready(None),
            Self::Passing(body) => Pin::new(body).poll_frame(cx),
            Self::Taped(body) => Pin::new(body).poll_frame(cx),
            Self::Again(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Passing(body) => body.is_end_stream(),
            Self::Taped(body) => body.is_end_stream(),
            Self::Again(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Passing(body) => body.size_hint(),
            Self::Taped(body) => body.size_hint(),
            Self::Again(body) => body.size_hint(),
        }
    }
}

impl Body for Upstreamed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let passed = &mut *self;
        let polled = Pin::new(&mut passed.body).poll_frame(cx);
        passed.note(match &polled {
            Poll::Pending => Upload::ClientSilent,
            // Whoever sends it on may not ask again when it says that it is at its end.
            Poll::Ready(Some(Ok(frame))) if frame.is_data() && !passed.body.is_end_stream() => {
                Upload::Flowing
            }
            Poll::Ready(Some(Err(_))) => Upload::Abandoned,
            Poll::Ready(_) => Upload::Done,
        });
        polled.map_ok(without_forbidden_trailers)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Upstreamed {
    fn note(&mut self, upload: Upload) {
        self.complete = upload == Upload::Done;
        self.activity.upload(upload);
    }
}

impl Drop for Upstreamed {
    fn drop(&mut self) {
        // One that is complete may be dropped late, when the connection has its next request.
        if !self.complete {
            self.activity.upload(Upload::Abandoned);
        }
    }
}

fn without_forbidden_trailers(frame: Frame<Bytes>) -> Frame<Bytes> {
    match frame.into_trailers() {
        Ok(mut fields) => {
            trailers::clean(&mut fields);
            Frame::trailers(fields)
        }
        Err(frame) => frame,
    }
}

/// What a client gets, and with it the exchange, which ends when this does.
#[derive(Debug)]
pub(crate) struct ResponseBody {
    content: Content,
    exchange: Exchange,
}

#[derive(Debug)]
enum Content {
    /// The gateway's own words.
    Own(Option<Bytes>),
    /// The upstream's.
    Upstream { body: Incoming, lease: Option<Lease> },
}

impl ResponseBody {
    /// An answer of the gateway's own.
    pub(crate) fn own(content: Option<Bytes>, exchange: Exchange) -> Self {
        Self {
            content: Content::Own(content),
            exchange,
        }
    }

    /// The upstream's answer.
    pub(crate) fn upstream(body: Incoming, lease: Lease, exchange: Exchange) -> Self {
        let mut this = Self {
            content: Content::Upstream {
                body,
                lease: Some(lease),
            },
            exchange,
        };
        this.end_if_complete();
        this
    }

    /// hyper does not poll a body that says it is at its end, so the end must be seen before it is.
    fn end_if_complete(&mut self) {
        if matches!(&self.content, Content::Upstream { body, .. } if body.is_end_stream()) {
            self.end();
        }
    }

    fn end(&mut self) {
        self.exchange.served();
        if let Content::Upstream { lease, .. } = &mut self.content
            && let Some(lease) = lease.take()
        {
            lease.release(Instant::now());
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let this = &mut *self;
        let body = match &mut this.content {
            Content::Own(content) => {
                let frame = content.take().map(|bytes| {
                    this.exchange.sent(bytes.len());
                    Ok(Frame::data(bytes))
                });
                return Poll::Ready(frame);
            }
            Content::Upstream { body, .. } => body,
        };
        let polled = Pin::new(body).poll_frame(cx);
        this.exchange.waits_for_upstream(polled.is_pending());
        match ready!(polled) {
            None => {
                this.end();
                Poll::Ready(None)
            }
            Some(Err(error)) => {
                this.exchange.upstream_aborted();
                Poll::Ready(Some(Err(error)))
            }
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    this.exchange.sent(data.len());
                    this.end_if_complete();
                } else {
                    this.end();
                }
                Poll::Ready(Some(Ok(without_forbidden_trailers(frame))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Own(content) => content.is_none(),
            Content::Upstream { body, .. } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Own(content) => SizeHint::with_exact(content.as_ref().map_or(0, Bytes::len) as u64),
            Content::Upstream { body, .. } => body.size_hint(),
        }
    }
}
