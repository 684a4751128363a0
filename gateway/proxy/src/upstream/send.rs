//! One request to the upstream, up to the head of its answer, with what may be tried again.
//!
//! | what happened | what is done, once each |
//! |---|---|
//! | no connection to the endpoint can be made | another endpoint of the backend |
//! | too many to the endpoint are open | another endpoint of the backend, else one that becomes free |
//! | a kept connection died, nothing of the request was written | a fresh connection |
//! | a kept connection died before any byte of an answer, and the request may be repeated | a fresh connection |
//! | anything else | the error |
//!
//! A body is sent a second time from its beginning, or not at all.

use std::{
    future::poll_fn,
    io::{self, ErrorKind},
    mem::swap,
    net::SocketAddr,
    pin::pin,
    rc::Rc,
    task::Poll,
};

use http::{Request, Response, StatusCode, Version, header};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use tokio::time::Instant;

use super::{
    connect::connect,
    error::Error,
    pick::Target,
    pool::{Acquired, Pool, connection::Connection, gate::Room},
    replay::Replay,
};
use crate::{
    body::RequestBody,
    timeouts::{Activity, Stage},
    worker::Worker,
};

/// The connection on which an answer arrives; goes back to the pool if the answer ends well.
#[derive(Debug)]
pub(crate) struct Lease {
    connection: Connection,
    pool: Rc<Pool>,
    reusable: bool,
}

impl Lease {
    /// The answer came to its end.
    pub(crate) fn release(self, now: Instant) {
        if self.reusable {
            self.pool.release(self.connection, now);
        }
    }
}

/// An answer whose head has arrived.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) response: Response<Incoming>,
    pub(crate) lease: Lease,
    pub(crate) address: SocketAddr,
}

/// Sends a request and waits for the head of its answer.
pub(crate) async fn send(
    worker: &Worker,
    activity: &Activity,
    target: Target,
    mut request: Request<RequestBody>,
) -> Result<Answer, Error> {
    let pool = &worker.pool;
    let mut alternate = target.alternate;
    let mut address = target.first;
    let mut place = None;
    let mut retried = false;
    loop {
        let acquired = match place.take() {
            Some(room) => Acquired::Room(room),
            None => acquire(pool, &target, &mut address, &mut alternate).await?,
        };
        let reused = matches!(acquired, Acquired::Kept(_)) && !retried;
        let mut connection = match acquired {
            Acquired::Kept(connection) if reused => connection,
            acquired => match open(worker, acquired.into_room()).await {
                Ok(connection) => connection,
                Err(error) => match alternate.take() {
                    Some(other) if error.is_unsent() => {
                        address = other;
                        continue;
                    }
                    _ => return Err(error),
                },
            },
        };
        let kept_body = worker.config.pool.max_replayed_body;
        let replay = if reused {
            Replay::of(&mut request, &mut connection.scratch, kept_body)
        } else {
            None
        };
        connection.expect_answer();
        activity.enter(Stage::Awaiting, Instant::now());
        match exchange(&mut connection.sender, request, activity).await {
            Ok(response) => {
                worker.health.borrow_mut().succeeded(address);
                if let Some(replay) = replay {
                    connection.scratch = replay.into_scratch();
                }
                return accept(response, connection, Rc::clone(pool));
            }
            Err(Failed::Expired) => {
                return Err(Error::ResponseTimeout {
                    address,
                    limit: worker.config.timeouts.response_head,
                });
            }
            Err(Failed::Unsent(unsent)) if reused => request = unsent,
            Err(Failed::Sent(source)) => {
                let repeatable = replay.filter(|_| is_death(&source) && !connection.has_answered());
                match repeatable.and_then(Replay::into_request) {
                    Some(repeated) => request = repeated,
                    None => return Err(classify(address, source)),
                }
            }
            Err(Failed::Unsent(unsent)) => {
                drop(unsent);
                return Err(Error::Connect {
                    address,
                    source: ErrorKind::ConnectionReset.into(),
                });
            }
        }
        // Its siblings waited as long and are likely to be as dead: a fresh one, in its place.
        place = Some(connection.into_room());
        retried = true;
        worker.stats.upstream.retried();
        activity.enter(Stage::Working, Instant::now());
    }
}

/// A connection to the endpoint, or leave to open one. At the limits, to the alternate instead, which then
/// changes places with it; and if there is none either, whatever becomes free in time.
async fn acquire(
    pool: &Pool,
    target: &Target,
    address: &mut SocketAddr,
    alternate: &mut Option<SocketAddr>,
) -> Result<Acquired, Error> {
    let key = target.key(*address);
    if let Some(acquired) = pool.acquire(&key) {
        return Ok(acquired);
    }
    if let Some(other) = alternate
        && let Some(acquired) = pool.acquire(&target.key(*other))
    {
        swap(address, other);
        return Ok(acquired);
    }
    // Boxed, because what is rare shall not make every request larger.
    Box::pin(pool.wait(&key)).await
}

/// Opens a connection, and remembers how that went.
async fn open(worker: &Worker, room: Room) -> Result<Connection, Error> {
    let address = room.key().address;
    let retires = worker.pool.retirement(worker.random.next());
    let opened = connect(room, retires, &worker.config.timeouts, &worker.config.limits).await;
    match &opened {
        Ok(_) => worker.health.borrow_mut().succeeded(address),
        Err(error) if error.is_unreachable() => {
            let stats = &worker.stats.upstream;
            stats.connect_failed();
            let roll = worker.random.next();
            if worker.health.borrow_mut().failed(address, Instant::now(), roll) {
                stats.ejected();
            }
        }
        Err(_) => {}
    }
    opened
}

#[expect(
    clippy::large_enum_variant,
    reason = "made once a failure, and taken apart at once"
)]
enum Failed {
    /// The connection was closed before anything was written.
    Unsent(Request<RequestBody>),
    /// It failed later.
    Sent(hyper::Error),
    /// The answer's head took too long.
    Expired,
}

async fn exchange(
    sender: &mut SendRequest<RequestBody>,
    request: Request<RequestBody>,
    activity: &Activity,
) -> Result<Response<Incoming>, Failed> {
    let mut answer = pin!(sender.try_send_request(request));
    poll_fn(|cx| match answer.as_mut().poll(cx) {
        Poll::Ready(Ok(response)) => Poll::Ready(Ok(response)),
        Poll::Ready(Err(mut error)) => Poll::Ready(Err(match error.take_message() {
            Some(request) => Failed::Unsent(request),
            None => Failed::Sent(error.into_error()),
        })),
        // The watchdog runs in this task and wakes it.
        Poll::Pending if activity.expired() => Poll::Ready(Err(Failed::Expired)),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// Whether the other side went away, rather than saying something wrong.
fn is_death(error: &hyper::Error) -> bool {
    !error.is_parse() && !error.is_user() && !error.is_timeout()
}

fn classify(address: SocketAddr, source: hyper::Error) -> Error {
    if source.is_user() {
        if is_cut(&source) {
            Error::RequestCut(source)
        } else {
            Error::RequestBody(source)
        }
    } else if source.is_parse() {
        Error::NotHttp { address, source }
    } else {
        Error::Reset { address, source }
    }
}

/// Whether a request's body failed because its sender went away, rather than by what it sent.
fn is_cut(error: &hyper::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return matches!(
                io.kind(),
                ErrorKind::UnexpectedEof
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
                    | ErrorKind::BrokenPipe
            );
        }
        cause = error.source();
    }
    false
}

/// Refuses an answer that cannot be passed on as it is meant.
fn accept(response: Response<Incoming>, connection: Connection, pool: Rc<Pool>) -> Result<Answer, Error> {
    let address = connection.key().address;
    if let Some(what) = unusable(&response) {
        return Err(Error::Unusable { address, what });
    }
    let lease = Lease {
        // To an HTTP/1.0 server hyper would send the next request in its version, and a body without
        // a length not at all.
        reusable: response.version() == Version::HTTP_11,
        connection,
        pool,
    };
    Ok(Answer {
        response,
        lease,
        address,
    })
}

fn unusable<B>(response: &Response<B>) -> Option<&'static str> {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Some("101 to a request that asked for no upgrade");
    }
    let mut codings = response.headers().get_all(header::TRANSFER_ENCODING).iter();
    let coding = codings.next()?;
    if codings.next().is_some() || !coding.as_bytes().eq_ignore_ascii_case(b"chunked") {
        return Some("a transfer coding other than chunked");
    }
    if response.headers().contains_key(header::CONTENT_LENGTH) {
        return Some("a length beside a transfer coding");
    }
    None
}
