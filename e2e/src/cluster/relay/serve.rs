//! The relay's connections: one to the API server for each of a client, so that what is cut or stalled
//! on one side is so on the other.

use std::{net::SocketAddr, sync::Arc, time::Instant};

use anyhow::bail;
use http::{HeaderMap, Request, Response, StatusCode, header};
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
    sync::Mutex,
    task::JoinSet,
};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::{
    Shared,
    pipe::Piped,
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
            used: Mutex::new(Instant::now()),
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
    /// When it last carried something between two requests.
    used: Mutex<Instant>,
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
            Some((rule, Action::Forget(idle))) => {
                let since = self.used.lock().await.elapsed();
                if since >= idle {
                    self.shared.lifted(rule).await;
                    bail!("forgotten");
                }
            }
            // What else there is concerns the answer's body.
            Some((_, Action::Body(..) | Action::Trickle(_) | Action::Event(..))) | None => {}
        }
        let response = self.forward(request).await?;
        *self.used.lock().await = Instant::now();
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
        let shared = Arc::clone(&self.shared);
        let mut response = Response::new(Piped::start(body, shared, seen, caught_by));
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
