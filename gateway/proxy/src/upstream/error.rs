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
    #[error(
        "this machine has nothing left to connect to {address} with: {source}; see `ulimit -n` and `ip_local_port_range`"
    )]
    NoSocket { address: SocketAddr, source: io::Error },
    #[error(
        "no connection to {address} became free within {limit:?}; see --pool-max-open-per-endpoint and --pool-max-open"
    )]
    Saturated { address: SocketAddr, limit: Duration },
    #[error(
        "no connection to {address} is free ({open} are open in all), and --pool-max-waiting requests wait already"
    )]
    QueueFull { address: SocketAddr, open: usize },
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
            Self::Connect { .. } | Self::NoSocket { .. } => Reason::ConnectFailed,
            Self::Saturated { .. } | Self::QueueFull { .. } => Reason::UpstreamSaturated,
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
            Self::NoSocket { .. } | Self::Saturated { .. } | Self::QueueFull { .. } => Origin::Internal,
            _ => Origin::Upstream,
        }
    }

    /// Whether nothing was sent for want of a connection, so that another endpoint may be tried.
    pub(crate) fn is_unsent(&self) -> bool {
        self.is_unreachable() || matches!(self, Self::NoSocket { .. })
    }

    /// Whether the endpoint cannot be connected to, by its own fault or that of the way to it.
    pub(crate) fn is_unreachable(&self) -> bool {
        matches!(self, Self::Connect { .. } | Self::ConnectTimeout { .. })
    }
}
