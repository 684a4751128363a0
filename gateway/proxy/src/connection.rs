//! One client connection: its socket, its limits, and its end.
//!
//! ```text
//! wait for a byte (no buffer yet) -> HTTP -> the last answer is out -> linger -> closed
//! ```

use std::{
    future::poll_fn,
    net::SocketAddr,
    pin::{Pin, pin},
    rc::Rc,
    task::{Context, Poll, ready},
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use latchkey_core::reason::Reason;
use latchkey_runtime::shutdown::Phase;
use tokio::{
    io::ReadBuf,
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};

use crate::{
    deadline::Deadline,
    headers::forwarded::Forwarded,
    io::Observed,
    linger::linger,
    request,
    timeouts::{Activity, Drain, TimeUp, first_look, poll_watchdog},
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
    /// What the present request's rule allows it.
    pub(crate) deadline: Deadline,
    /// The listener's port: it decides which Gateway a request is for.
    pub(crate) port: u16,
    pub(crate) forwarded: Forwarded,
}

/// Serves a connection until one side has enough of it.
pub(crate) async fn serve(worker: Rc<Worker>, seat: Seat, stream: TcpStream, peer: SocketAddr, port: u16) {
    let now = Instant::now();
    let activity = Rc::new(Activity::new(now));
    let mut timer = pin!(sleep_until(first_look(&worker.config.timeouts, now)));
    let mut watch = Watch {
        worker: &worker,
        seat: &seat,
        activity: &activity,
        draining: false,
    };
    if !watch.first_byte(&stream, timer.as_mut()).await {
        return;
    }
    let client = Rc::new(Client {
        worker: Rc::clone(&worker),
        activity: Rc::clone(&activity),
        deadline: Deadline::default(),
        port,
        forwarded: Forwarded::new(peer, port, &worker.config.trusted_proxies),
    });
    if let Some(stream) = watch.http(client, stream, timer.as_mut()).await
        && let Err(limit) = linger(&stream, timer.as_mut(), &worker.config.timeouts).await
    {
        worker.stats.timed_out(limit);
    }
}

/// Whoever looks after a connection while it is served.
struct Watch<'a> {
    worker: &'a Rc<Worker>,
    seat: &'a Seat,
    activity: &'a Rc<Activity>,
    draining: bool,
}

impl Watch<'_> {
    /// Waits for a client's first byte; whether there is one. Until then a connection costs a socket and
    /// this task.
    async fn first_byte(&mut self, stream: &TcpStream, mut timer: Pin<&mut Sleep>) -> bool {
        poll_fn(|cx| {
            // Looks into the socket: a new one counts as readable until it was looked at.
            if stream.poll_peek(cx, &mut ReadBuf::new(&mut [0])).is_ready() {
                return Poll::Ready(true);
            }
            self.poll(timer.as_mut(), cx).map(|_| false)
        })
        .await
    }

    /// Serves requests. Gives the socket back if its client may still be sending.
    async fn http(
        &mut self,
        client: Rc<Client>,
        stream: TcpStream,
        mut timer: Pin<&mut Sleep>,
    ) -> Option<TcpStream> {
        let io = TokioIo::new(Observed::new(stream, Rc::clone(self.activity)));
        let service = service_fn(|request| request::handle(Rc::clone(&client), request));
        let mut connection = builder(self.worker).serve_connection(io, service);
        let ended = poll_fn(|cx| {
            // Before HTTP, because a request that has expired learns it from there.
            let up = self.poll(timer.as_mut(), cx);
            if let Poll::Ready(TimeUp::Limit(_)) = up {
                return Poll::Ready(None);
            }
            if let Poll::Ready(ended) = Pin::new(&mut connection).poll(cx) {
                return Poll::Ready(Some(ended));
            }
            if up.is_ready() {
                Pin::new(&mut connection).graceful_shutdown();
                return Pin::new(&mut connection).poll(cx).map(Some);
            }
            client.deadline.poll_cut(cx).map(|()| None)
        })
        .await?;
        let is_answered = match ended {
            Ok(()) => true,
            // hyper has answered what it could not parse. It is counted like any other bad request.
            Err(error) if error.is_parse() => {
                count_unparsed(self.worker, &error);
                true
            }
            // The last answer is cut, or there is none, and the client is to notice.
            Err(_) => false,
        };
        let stream = connection.into_parts().io.into_inner().into_stream();
        (is_answered && !self.activity.client_ended()).then_some(stream)
    }

    /// Looks after the phase and the limits.
    fn poll(&mut self, mut timer: Pin<&mut Sleep>, cx: &mut Context<'_>) -> Poll<TimeUp> {
        self.seat.remember(cx.waker());
        if !self.draining && self.worker.phase() >= Phase::Draining {
            self.draining = true;
            match self.activity.drain(Instant::now()) {
                Drain::Now => return Poll::Ready(TimeUp::Leave),
                Drain::At(end) => timer.as_mut().reset(end),
                Drain::Later => {}
            }
        }
        let limits = &self.worker.config.timeouts;
        let up = ready!(poll_watchdog(timer, self.activity, limits, cx));
        if let TimeUp::Limit(limit) = up {
            self.worker.stats.timed_out(limit);
        }
        Poll::Ready(up)
    }
}

fn count_unparsed(worker: &Worker, error: &hyper::Error) {
    let (code, reason) = if error.is_parse_version_h2() {
        // The one that it does not answer: whoever begins so reads no HTTP/1.
        (0, Reason::BadRequest)
    } else if !error.is_parse_too_large() {
        (Reason::BadRequest.status(), Reason::BadRequest)
    } else if error.to_string().contains("URI") {
        // It has no other way to tell.
        (Reason::UriTooLong.status(), Reason::UriTooLong)
    } else {
        (Reason::HeadTooLarge.status(), Reason::HeadTooLarge)
    };
    let counters = worker.counters.route(None);
    counters.start();
    counters.finish(code, reason, 0);
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
