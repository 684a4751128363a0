//! One client connection: its socket, its limits, and its end.

use std::{
    future::poll_fn,
    net::SocketAddr,
    pin::pin,
    rc::Rc,
    task::{Context, Poll},
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use latchkey_core::reason::Reason;
use latchkey_runtime::shutdown::Phase;
use tokio::{
    net::TcpStream,
    time::{Instant, sleep_until},
};

use crate::{
    headers::forwarded::Forwarded,
    io::Observed,
    request,
    timeouts::{Activity, first_look, poll_watchdog},
    worker::{Seat, Worker},
};

/// The smallest buffer that hyper takes; less would panic.
pub(crate) const HYPER_MIN_BUFFER: usize = 8192;
/// How many fields hyper allows if it is told nothing; told the same number it takes a slower way.
pub(crate) const HYPER_MAX_FIELDS: usize = 100;

/// What all requests of a connection share.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) worker: Rc<Worker>,
    pub(crate) activity: Rc<Activity>,
    /// The listener's port: it decides which Gateway a request is for.
    pub(crate) port: u16,
    pub(crate) forwarded: Forwarded,
}

/// Serves a connection until one side has enough of it.
pub(crate) async fn serve(worker: Rc<Worker>, seat: Seat, stream: TcpStream, peer: SocketAddr, port: u16) {
    let now = Instant::now();
    let timeouts = worker.config.timeouts;
    let activity = Rc::new(Activity::new(now));
    let client = Rc::new(Client {
        worker: Rc::clone(&worker),
        activity: Rc::clone(&activity),
        port,
        forwarded: Forwarded::new(peer, port),
    });
    let io = TokioIo::new(Observed::new(stream, Rc::clone(&activity)));
    let service = service_fn(move |request| request::handle(Rc::clone(&client), request));
    let mut connection = pin!(builder(&worker).serve_connection(io, service));
    let mut timer = pin!(sleep_until(first_look(&timeouts, now)));
    let mut draining = false;
    let ended = poll_fn(|cx: &mut Context<'_>| {
        seat.remember(cx.waker());
        if poll_watchdog(timer.as_mut(), &activity, &timeouts, cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if let Poll::Ready(ended) = connection.as_mut().poll(cx) {
            return Poll::Ready(ended);
        }
        if !draining && worker.phase() >= Phase::Draining {
            // After a poll, so that a request which lies in the socket is answered and not cut.
            draining = true;
            connection.as_mut().graceful_shutdown();
            return connection.as_mut().poll(cx);
        }
        Poll::Pending
    })
    .await;
    if let Err(error) = ended {
        count_unparsed(&worker, &error);
    }
}

/// hyper has answered what it could not parse; it is counted like any other bad request.
fn count_unparsed(worker: &Worker, error: &hyper::Error) {
    if error.is_parse() {
        let counters = worker.counters.route(None);
        counters.start();
        let reason = if error.is_parse_too_large() {
            Reason::HeadTooLarge
        } else {
            Reason::BadRequest
        };
        counters.finish(reason.status(), reason, 0);
    }
}

fn builder(worker: &Worker) -> http1::Builder {
    let limits = &worker.config.limits;
    let mut builder = http1::Builder::new();
    builder
        .max_buf_size(limits.max_head_bytes.max(HYPER_MIN_BUFFER))
        .max_header_size(limits.max_head_bytes)
        // Ours is the watchdog's.
        .header_read_timeout(None);
    if limits.max_head_fields != HYPER_MAX_FIELDS {
        builder.max_headers(limits.max_head_fields);
    }
    builder
}
