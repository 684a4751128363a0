//! The relay's connections: one to the API server for each of a client, so that what is cut or stalled
//! on one side is so on the other.

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use anyhow::{anyhow, bail};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::{body::Incoming, client::conn::http1::SendRequest, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Mutex, mpsc},
    task::JoinSet,
};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::{
    Shared,
    rule::{Action, Seen},
};
use crate::cluster::pki::Pair;

/// The API server.
#[derive(Clone)]
pub(super) struct Upstream {
    address: SocketAddr,
    connector: TlsConnector,
}

impl Upstream {
    pub(super) fn new(url: &str, ca: &str) -> Self {
        let address = url
            .strip_prefix("https://")
            .and_then(|rest| rest.parse().ok())
            .expect("a cluster's URL is an address");
        let mut roots = RootCertStore::empty();
        let ca = CertificateDer::from_pem_slice(ca.as_bytes()).expect("a cluster's CA is PEM");
        roots.add(ca).expect("a cluster's CA is a certificate");
        let config = ClientConfig::builder_with_provider(aws_lc_rs::default_provider().into())
            .with_safe_default_protocol_versions()
            .expect("the provider has them")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self {
            address,
            connector: TlsConnector::from(Arc::new(config)),
        }
    }

    async fn connect(&self) -> Result<SendRequest<Incoming>, anyhow::Error> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let name = ServerName::IpAddress(self.address.ip().into());
        let stream = self.connector.connect(name, stream).await?;
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }
}

/// Serves until it is aborted; its connections end with it.
pub(super) async fn accept(listener: TcpListener, pair: Pair, upstream: Upstream, shared: Arc<Shared>) {
    let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).expect("PEM of ours");
    let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).expect("PEM of ours");
    let config = ServerConfig::builder_with_provider(aws_lc_rs::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("the provider has them")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a pair of ours");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = stream else { continue };
        let _ = stream.set_nodelay(true);
        let acceptor = acceptor.clone();
        let client = Arc::new(Client {
            upstream: upstream.clone(),
            sender: Mutex::new(None),
            shared: Arc::clone(&shared),
        });
        connections.spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                return;
            };
            let service = service_fn(move |request| {
                let client = Arc::clone(&client);
                async move { client.relay(request).await }
            });
            // It ends by an error when a rule cuts it.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// One client's connection.
struct Client {
    upstream: Upstream,
    /// The way to the API server, between two requests.
    sender: Mutex<Option<SendRequest<Incoming>>>,
    shared: Arc<Shared>,
}

impl Client {
    async fn relay(&self, request: Request<Incoming>) -> Result<Response<Piped>, anyhow::Error> {
        let seen = see(&request);
        let number = self.shared.record(seen.clone());
        let mut caught_by = Vec::new();
        let mut held_by = None;
        match self.shared.decide(&seen, &mut caught_by) {
            Some((_, Action::Delay(time))) => tokio::time::sleep(time).await,
            Some((rule, Action::Hold)) => held_by = Some(rule),
            Some((rule, Action::Stall)) => {
                self.shared.lifted(rule).await;
                bail!("stalled");
            }
            Some((_, Action::Cut)) => bail!("cut"),
            Some((
                _,
                Action::Answer {
                    status,
                    headers,
                    body,
                },
            )) => {
                self.shared.answered(number, status);
                return answer(status, &headers, body);
            }
            None => {}
        }
        let response = self.forward(request).await?;
        let (parts, body) = response.into_parts();
        self.shared.answered(number, parts.status.as_u16());
        if let Some(rule) = held_by {
            let whole = body.collect().await?.to_bytes();
            self.shared.lifted(rule).await;
            let mut response = Response::new(Piped::of(whole));
            *response.status_mut() = parts.status;
            *response.headers_mut() = end_to_end(parts.headers);
            return Ok(response);
        }
        let mut response = Response::new(self.pipe(body, seen, caught_by));
        *response.status_mut() = parts.status;
        *response.headers_mut() = end_to_end(parts.headers);
        Ok(response)
    }

    async fn forward(&self, mut request: Request<Incoming>) -> Result<Response<Incoming>, anyhow::Error> {
        let headers = std::mem::take(request.headers_mut());
        *request.headers_mut() = end_to_end(headers);
        let mut place = self.sender.lock().await;
        let mut sender = match place.take() {
            Some(mut kept) => match kept.ready().await {
                Ok(()) => kept,
                Err(_) => self.upstream.connect().await?,
            },
            None => self.upstream.connect().await?,
        };
        let response = sender.send_request(request).await?;
        *place = Some(sender);
        Ok(response)
    }

    /// A body that passes on each piece as it comes, while no rule is against it.
    fn pipe(&self, mut body: Incoming, seen: Seen, mut caught_by: Vec<super::RuleId>) -> Piped {
        let (pieces, piped) = mpsc::channel::<Result<Frame<Bytes>, anyhow::Error>>(1);
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let mut changes = shared.changes.subscribe();
            loop {
                changes.borrow_and_update();
                match shared.decide_stream(&seen, &mut caught_by) {
                    Some((rule, Action::Stall)) => {
                        tokio::select! {
                            () = shared.lifted(rule) => continue,
                            () = pieces.closed() => return,
                        }
                    }
                    Some(_) => {
                        let _ = pieces.send(Err(anyhow!("cut"))).await;
                        return;
                    }
                    None => {}
                }
                let piece = tokio::select! {
                    piece = body.frame() => piece,
                    // Only an end of the relay closes it, and then pieces close as well.
                    Ok(()) = changes.changed() => continue,
                    () = pieces.closed() => return,
                };
                let Some(piece) = piece else { return };
                let is_end = piece.is_err();
                if pieces.send(piece.map_err(Into::into)).await.is_err() || is_end {
                    return;
                }
            }
        });
        Piped(piped)
    }
}

fn see(request: &Request<Incoming>) -> Seen {
    let text = |name| {
        let value = request.headers().get(name)?;
        Some(value.to_str().ok()?.to_owned())
    };
    Seen {
        at: Instant::now(),
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
        user_agent: text(header::USER_AGENT).unwrap_or_default(),
        status: None,
    }
}

fn answer(
    status: u16,
    headers: &[(&'static str, String)],
    body: String,
) -> Result<Response<Piped>, anyhow::Error> {
    let mut response = Response::new(Piped::of(body.into()));
    *response.status_mut() = StatusCode::from_u16(status)?;
    for (name, value) in headers {
        response.headers_mut().append(*name, value.parse()?);
    }
    Ok(response)
}

/// Without what concerns one connection alone.
fn end_to_end(mut headers: HeaderMap) -> HeaderMap {
    for name in [header::CONNECTION, header::TRANSFER_ENCODING, header::UPGRADE] {
        headers.remove(name);
    }
    headers
}

/// A body whose pieces come from elsewhere.
struct Piped(mpsc::Receiver<Result<Frame<Bytes>, anyhow::Error>>);

impl Piped {
    fn of(whole: Bytes) -> Self {
        let (pieces, piped) = mpsc::channel(1);
        // There is room for one.
        let _ = pieces.try_send(Ok(Frame::data(whole)));
        Self(piped)
    }
}

impl Body for Piped {
    type Data = Bytes;
    type Error = anyhow::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, anyhow::Error>>> {
        self.0.poll_recv(context)
    }
}
