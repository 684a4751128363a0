//! Connections, and one request on them: report, then what the path asks for.

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{
    HeaderValue, Request, Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    time::sleep,
};

use crate::{
    behaviour::Behaviour,
    body::{Broken, EchoBody},
    report::{Arrival, receive, report},
};

/// How many ids are counted; later ones share [`OVERFLOW`].
const MAX_COUNTS: usize = 10_000;
const OVERFLOW: &str = "(others)";

/// How long to wait where accepting fails because the process ran out of something.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// The upstream: what all its connections share.
pub(crate) struct Upstream {
    name: String,
    connections: AtomicU64,
    counts: Mutex<BTreeMap<String, u64>>,
}

/// One connection.
struct Connection {
    upstream: Arc<Upstream>,
    peer: SocketAddr,
    number: u64,
    requests: AtomicU64,
    /// End it by a reset.
    reset: Arc<AtomicBool>,
}

impl Upstream {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            connections: AtomicU64::new(0),
            counts: Mutex::default(),
        }
    }

    /// Serves for ever.
    pub(crate) async fn accept(self: Arc<Self>, listener: TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let connection = Connection {
                        upstream: Arc::clone(&self),
                        peer,
                        number: self.connections.fetch_add(1, Ordering::Relaxed) + 1,
                        requests: AtomicU64::new(0),
                        reset: Arc::default(),
                    };
                    tokio::spawn(connection.serve(stream));
                }
                Err(_) => sleep(ACCEPT_BACKOFF).await,
            }
        }
    }

    /// Counts an arrival, and says the how-manieth it is.
    fn count(&self, id: &str) -> u64 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let full = counts.len() >= MAX_COUNTS && !counts.contains_key(id);
        let count = counts
            .entry(if full { OVERFLOW } else { id }.to_owned())
            .or_default();
        *count += 1;
        *count
    }

    fn counts(&self) -> Value {
        json!(*self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        // Without it answers are late, not wrong.
        let _ = stream.set_nodelay(true);
        let reset = Arc::clone(&self.reset);
        let service = service_fn(|request| self.answer(request));
        let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // An error here is a client that went away, or an end without an answer that was asked for.
        let _ = (&mut connection).await;
        if reset.load(Ordering::Relaxed) {
            let stream = connection.into_parts().io.into_inner();
            let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        }
    }

    /// Reads a request and answers it. An error ends the connection without an answer.
    async fn answer(&self, request: Request<Incoming>) -> io::Result<Response<EchoBody>> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let (head, body) = request.into_parts();
        let behaviour = Behaviour::of(&head.uri);
        if let Behaviour::HangUp { spare_first } = behaviour
            && !(spare_first && number == 1)
        {
            return Err(io::Error::other("hung up as asked"));
        }
        // An arrival counts although its body may never end.
        let count = match &behaviour {
            Behaviour::Count(id) => Some(self.upstream.count(id)),
            _ => None,
        };
        let wait = match behaviour {
            Behaviour::SlowRead(wait) => Some(wait),
            _ => None,
        };
        let received = receive(body, wait).await.map_err(io::Error::other)?;
        if let Behaviour::Delay(wait) = behaviour {
            sleep(wait).await;
        }
        let arrival = Arrival {
            peer: self.peer,
            connection: self.number,
            request: number,
        };
        let mut report = report(&self.upstream.name, &head, &received, arrival);
        if let Some(count) = count {
            report["count"] = count.into();
        }
        Ok(self.respond(behaviour, &report))
    }

    /// The answer that a behaviour asks for; a report where it asks for nothing else.
    fn respond(&self, behaviour: Behaviour, report: &Value) -> Response<EchoBody> {
        match behaviour {
            Behaviour::Bytes { length, chunked } => Response::new(EchoBody::Stream {
                left: length,
                chunked,
            }),
            Behaviour::ResetMidBody(length) => {
                Response::new(EchoBody::Broken(Broken::new(length, Arc::clone(&self.reset))))
            }
            Behaviour::Counts => json_response(StatusCode::OK, &self.upstream.counts()),
            Behaviour::Status(status) => json_response(status, report),
            Behaviour::Invalid(why) => json_response(StatusCode::BAD_REQUEST, &json!({ "error": why })),
            Behaviour::Close => {
                let mut response = json_response(StatusCode::OK, report);
                response
                    .headers_mut()
                    .insert(CONNECTION, HeaderValue::from_static("close"));
                response
            }
            Behaviour::ResponseHeaders(headers) => {
                let mut response = json_response(StatusCode::OK, report);
                for (name, value) in headers {
                    response.headers_mut().append(name, value);
                }
                response
            }
            Behaviour::Report
            | Behaviour::Delay(_)
            | Behaviour::SlowRead(_)
            | Behaviour::HangUp { .. }
            | Behaviour::Count(_) => json_response(StatusCode::OK, report),
        }
    }
}

fn json_response(status: StatusCode, value: &Value) -> Response<EchoBody> {
    // RFC 9110 sections 15.3.5 and 15.4.5: these end with their head.
    let bodiless = matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let body = if bodiless {
        String::new()
    } else {
        format!("{value}\n")
    };
    let mut response = Response::new(EchoBody::Full(Bytes::from(body)));
    *response.status_mut() = status;
    if !bodiless {
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}
