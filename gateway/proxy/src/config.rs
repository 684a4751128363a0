//! What the proxy can be told, and what holds if it is told nothing. Every wait and every table has its
//! limit here.

use std::{num::NonZeroUsize, time::Duration};

use crate::headers::forwarded::Cidr;

/// How the proxy serves.
#[derive(Clone, Debug)]
pub struct ProxyConfig {
    /// Worker threads.
    pub workers: NonZeroUsize,
    /// Where proxies stand in front whose `X-Forwarded-For`, `-Proto`, `-Host` and `-Port` are believed.
    pub trusted_proxies: Vec<Cidr>,
    /// How long things may take.
    pub timeouts: Timeouts,
    /// How much there may be.
    pub limits: Limits,
    /// Connections to upstreams.
    pub pool: PoolConfig,
    /// Endpoints that cannot be connected to.
    pub ejection: EjectionConfig,
}

/// How long things may take. All are limits on silence or on one step, none on a whole exchange.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// From a connection's begin to its first byte.
    pub first_byte: Duration,
    /// From the first byte of a request to the end of its head.
    pub header_read: Duration,
    /// A client connection without a request. Longer than what load balancers in front wait, so that
    /// it is they who close.
    pub keep_alive: Duration,
    /// One attempt to connect to an endpoint.
    pub connect: Duration,
    /// From the last byte of the request to the answer's head.
    pub response_head: Duration,
    /// Silence in the middle of a body, in either direction.
    pub body_idle: Duration,
    /// A client that takes nothing of its answer.
    pub write_stall: Duration,
    /// From the last answer of a connection to its end, if the client goes on sending.
    pub linger: Duration,
}

/// How much there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a message's head; also how much of a body is held per direction.
    pub max_head_bytes: usize,
    /// Fields of a message's head.
    pub max_head_fields: usize,
    /// Bytes of a request's target.
    pub max_uri_bytes: usize,
    /// Client connections of the process. At the limit no more are accepted until one ends.
    pub max_connections: usize,
    /// Requests of the process that passed and have not ended.
    pub max_requests: Option<NonZeroUsize>,
    /// The same, of one HTTPRoute.
    pub max_requests_per_route: Option<NonZeroUsize>,
}

/// Connections to upstreams.
#[derive(Clone, Copy, Debug)]
pub struct PoolConfig {
    /// How long a connection may wait for its next request. Shorter than what common servers wait
    /// (Node 5 s, Apache 5 s, nginx 75 s), so that it is we who close.
    pub max_idle_age: Duration,
    /// How old a connection may be that gets another request, give or take a fifth: so that load
    /// balancers on the way, and servers that want to end, get to choose anew.
    pub max_age: Duration,
    /// Waiting connections of a worker to one endpoint.
    pub max_idle_per_endpoint: usize,
    /// Waiting connections of a worker.
    pub max_idle: usize,
    /// Connections of a worker to one endpoint, waiting or in use.
    pub max_open_per_endpoint: usize,
    /// Connections of a worker, waiting or in use.
    pub max_open: usize,
    /// Requests of a worker that wait because of one of the last two limits.
    pub max_waiting: usize,
    /// How long each of them waits.
    pub wait: Duration,
    /// Bytes of a body that are kept until the answer begins, where a request may be sent once more.
    pub max_replayed_body: usize,
}

/// Endpoints that cannot be connected to.
#[derive(Clone, Copy, Debug)]
pub struct EjectionConfig {
    /// After so many failures in a row an endpoint is left out, and after each further one.
    pub failures: u32,
    /// Least time to be left out for.
    pub shortest: Duration,
    /// Longest time to be left out for.
    pub longest: Duration,
}

impl Default for ProxyConfig {
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN,
            trusted_proxies: Vec::new(),
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            pool: PoolConfig::default(),
            ejection: EjectionConfig::default(),
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(30),
            header_read: Duration::from_secs(15),
            keep_alive: Duration::from_secs(75),
            connect: Duration::from_secs(5),
            response_head: Duration::from_secs(60),
            body_idle: Duration::from_secs(60),
            write_stall: Duration::from_secs(30),
            linger: Duration::from_secs(2),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_head_bytes: 64 * 1024,
            max_head_fields: 100,
            max_uri_bytes: 16 * 1024,
            max_connections: 16 * 1024,
            max_requests: None,
            max_requests_per_route: None,
        }
    }
}

impl Default for PoolConfig {
    fn default() -> Self {
        Self {
            max_idle_age: Duration::from_secs(4),
            max_age: Duration::from_mins(10),
            max_idle_per_endpoint: 256,
            max_idle: 2048,
            max_open_per_endpoint: 4096,
            max_open: 20 * 1024,
            max_waiting: 1024,
            wait: Duration::from_secs(1),
            max_replayed_body: 16 * 1024,
        }
    }
}

impl Default for EjectionConfig {
    fn default() -> Self {
        Self {
            failures: 3,
            shortest: Duration::from_secs(1),
            longest: Duration::from_secs(30),
        }
    }
}
