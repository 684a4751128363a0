//! What can go wrong between a request that passed and the head of its answer.

use std::{io, net::SocketAddr, time::Duration};

use latchkey_core::reason::Reason;

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The client's.
    Downstream,
    /// The upstream's, or the way to it.
    Upstream,
    /// A limit of our own.
    Internal,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot connect to {address}: {source}")]
    Connect { address: SocketAddr, source: io::Error },
    #[error("no connection to {address} within {limit:?}; is it dropping packets?")]
    ConnectTimeout { address: SocketAddr, limit: Duration },
    #[error("{open} connections to upstreams are open, which is the limit of this worker (`max_open`)")]
    TooManyConnections { open: usize },
    #[error("{address} ended the connection before its answer: {source}")]
    Reset {
        address: SocketAddr,
        source: hyper::Error,
    },
    #[error("{address} answered with something that is not HTTP/1.x: {source}")]
    NotHttp {
        address: SocketAddr,
        source: hyper::Error,
    },
    #[error("{address} answered in a way that cannot be passed on: {what}")]
    Unusable { address: SocketAddr, what: &'static str },
    #[error("no answer from {address} within {limit:?} after the request")]
    ResponseTimeout { address: SocketAddr, limit: Duration },
    #[error("the request's body is broken: {0}")]
    RequestBody(#[source] hyper::Error),
    #[error("the client went away in the middle of its request: {0}")]
    RequestCut(#[source] hyper::Error),
}

impl Error {
    /// What the client is told, and what is counted.
    pub(crate) fn reason(&self) -> Reason {
        match self {
            Self::Connect { .. } | Self::TooManyConnections { .. } => Reason::ConnectFailed,
            Self::ConnectTimeout { .. } => Reason::ConnectTimeout,
            Self::Reset { .. } => Reason::UpstreamReset,
            Self::NotHttp { .. } | Self::Unusable { .. } => Reason::UpstreamProtocol,
            Self::ResponseTimeout { .. } => Reason::ResponseTimeout,
            Self::RequestBody(_) => Reason::BadRequest,
            Self::RequestCut(_) => Reason::ClientGone,
        }
    }

    /// Whose fault it is.
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::RequestBody(_) | Self::RequestCut(_) => Origin::Downstream,
            Self::TooManyConnections { .. } => Origin::Internal,
            _ => Origin::Upstream,
        }
    }

    /// Whether nothing was sent, so that another endpoint may be tried.
    pub(crate) fn is_unsent(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::ConnectTimeout { .. })
    }
}
