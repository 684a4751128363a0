//! The flags of the request path: how long things may take, and how much there may be.

use std::{num::NonZeroUsize, time::Duration};

use clap::builder::RangedU64ValueParser;
use latchkey_proxy::{Cidr, EjectionConfig, Limits, PoolConfig, ProxyConfig, Timeouts};

use super::positive;

/// How requests are served.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Requests")]
pub struct ProxyArgs {
    /// Networks of the proxies in front whose X-Forwarded-For, -Proto, -Host and -Port are believed, such as
    /// 10.0.0.0/8; repeated, or with commas between. All others' are replaced [default: none]
    #[arg(
        long,
        env = "LATCHKEY_TRUSTED_PROXIES",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub trusted_proxies: Vec<Cidr>,

    /// How long a client connection may wait for its first byte
    #[arg(long, env = "LATCHKEY_FIRST_BYTE_TIMEOUT", value_name = "DURATION", default_value = "30s", value_parser = positive)]
    pub first_byte_timeout: Duration,

    /// Longest time from the first byte of a request to the end of its head
    #[arg(long, env = "LATCHKEY_HEADER_READ_TIMEOUT", value_name = "DURATION", default_value = "15s", value_parser = positive)]
    pub header_read_timeout: Duration,

    /// How long a client connection may wait for its next request; longer than what load balancers
    /// in front wait
    #[arg(long, env = "LATCHKEY_KEEP_ALIVE_TIMEOUT", value_name = "DURATION", default_value = "75s", value_parser = positive)]
    pub keep_alive_timeout: Duration,

    /// Longest time for one attempt to connect to an endpoint
    #[arg(long, env = "LATCHKEY_CONNECT_TIMEOUT", value_name = "DURATION", default_value = "5s", value_parser = positive)]
    pub connect_timeout: Duration,

    /// Longest silence of an upstream that owes the head of an answer
    #[arg(long, env = "LATCHKEY_RESPONSE_TIMEOUT", value_name = "DURATION", default_value = "60s", value_parser = positive)]
    pub response_timeout: Duration,

    /// Longest silence in the middle of a body, in either direction
    #[arg(long, env = "LATCHKEY_BODY_IDLE_TIMEOUT", value_name = "DURATION", default_value = "60s", value_parser = positive)]
    pub body_idle_timeout: Duration,

    /// Longest time that a client may take nothing of its answer
    #[arg(long, env = "LATCHKEY_WRITE_STALL_TIMEOUT", value_name = "DURATION", default_value = "30s", value_parser = positive)]
    pub write_stall_timeout: Duration,

    /// How long a connection stays after its last answer if the client goes on sending, so that it can
    /// read that answer
    #[arg(long, env = "LATCHKEY_LINGER_TIMEOUT", value_name = "DURATION", default_value = "2s", value_parser = positive)]
    pub linger_timeout: Duration,

    /// Largest head of a message, in bytes; as much of a body is held in each direction
    #[arg(long, env = "LATCHKEY_MAX_HEAD_BYTES", value_name = "BYTES", default_value_t = Limits::default().max_head_bytes, value_parser = RangedU64ValueParser::<usize>::new().range(8192..=1_048_576))]
    pub max_head_bytes: usize,

    /// Most fields in the head of a message
    #[arg(long, env = "LATCHKEY_MAX_HEAD_FIELDS", value_name = "N", default_value_t = Limits::default().max_head_fields, value_parser = RangedU64ValueParser::<usize>::new().range(16..=4096))]
    pub max_head_fields: usize,

    /// Longest target of a request, in bytes
    #[arg(long, env = "LATCHKEY_MAX_URI_BYTES", value_name = "BYTES", default_value_t = Limits::default().max_uri_bytes, value_parser = RangedU64ValueParser::<usize>::new().range(256..=1_048_576))]
    pub max_uri_bytes: usize,

    /// Most requests that passed and have not ended; one more gets 503 [default: as many as connections]
    #[arg(long, env = "LATCHKEY_MAX_REQUESTS", value_name = "N")]
    pub max_requests: Option<NonZeroUsize>,

    /// The same, for each HTTPRoute [default: no limit of its own]
    #[arg(long, env = "LATCHKEY_MAX_REQUESTS_PER_ROUTE", value_name = "N")]
    pub max_requests_per_route: Option<NonZeroUsize>,

    /// Most client connections; at the limit no more are accepted until one ends
    #[arg(long, env = "LATCHKEY_MAX_CONNECTIONS", value_name = "N", default_value_t = Limits::default().max_connections, value_parser = at_least_one())]
    pub max_connections: usize,

    /// How long a connection to an upstream may wait for its next request; shorter than what
    /// upstreams wait
    #[arg(long, env = "LATCHKEY_POOL_IDLE_TIMEOUT", value_name = "DURATION", default_value = "4s", value_parser = positive)]
    pub pool_idle_timeout: Duration,

    /// How old a connection to an upstream may be that gets another request, give or take a fifth
    #[arg(long, env = "LATCHKEY_POOL_MAX_AGE", value_name = "DURATION", default_value = "10m", value_parser = positive)]
    pub pool_max_age: Duration,

    /// Most waiting connections of a worker to one endpoint
    #[arg(long, env = "LATCHKEY_POOL_MAX_IDLE_PER_ENDPOINT", value_name = "N", default_value_t = PoolConfig::default().max_idle_per_endpoint, value_parser = at_least_one())]
    pub pool_max_idle_per_endpoint: usize,

    /// Most waiting connections of a worker
    #[arg(long, env = "LATCHKEY_POOL_MAX_IDLE", value_name = "N", default_value_t = PoolConfig::default().max_idle, value_parser = at_least_one())]
    pub pool_max_idle: usize,

    /// Most connections of a worker to one endpoint, waiting or in use; at the limit requests wait
    #[arg(long, env = "LATCHKEY_POOL_MAX_OPEN_PER_ENDPOINT", value_name = "N", default_value_t = PoolConfig::default().max_open_per_endpoint, value_parser = at_least_one())]
    pub pool_max_open_per_endpoint: usize,

    /// Most connections of a worker to upstreams, waiting or in use; at the limit requests wait
    #[arg(long, env = "LATCHKEY_POOL_MAX_OPEN", value_name = "N", default_value_t = PoolConfig::default().max_open, value_parser = at_least_one())]
    pub pool_max_open: usize,

    /// Most requests of a worker that wait for a connection at those limits; one more answers 503
    #[arg(long, env = "LATCHKEY_POOL_MAX_WAITING", value_name = "N", default_value_t = PoolConfig::default().max_waiting, value_parser = at_least_one())]
    pub pool_max_waiting: usize,

    /// How long a request waits for a connection at those limits before it answers 503
    #[arg(long, env = "LATCHKEY_POOL_WAIT_TIMEOUT", value_name = "DURATION", default_value = "1s", value_parser = positive)]
    pub pool_wait_timeout: Duration,

    /// Largest body, in bytes, with which a PUT or DELETE is sent once more when its reused connection
    /// dies; as much is held of each until its answer begins
    #[arg(long, env = "LATCHKEY_RETRY_BODY_BYTES", value_name = "BYTES", default_value_t = PoolConfig::default().max_replayed_body, value_parser = RangedU64ValueParser::<usize>::new().range(0..=1_048_576))]
    pub retry_body_bytes: usize,

    /// Failures to connect in a row after which an endpoint is left out for a while
    #[arg(long, env = "LATCHKEY_EJECT_AFTER", value_name = "N", default_value_t = EjectionConfig::default().failures, value_parser = clap::value_parser!(u32).range(1..))]
    pub eject_after: u32,

    /// Least time that such an endpoint is left out; each time twice as long
    #[arg(long, env = "LATCHKEY_EJECT_MIN_TIME", value_name = "DURATION", default_value = "1s", value_parser = positive)]
    pub eject_min_time: Duration,

    /// Longest time that such an endpoint is left out
    #[arg(long, env = "LATCHKEY_EJECT_MAX_TIME", value_name = "DURATION", default_value = "30s", value_parser = positive)]
    pub eject_max_time: Duration,
}

fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

impl ProxyArgs {
    /// What the proxy is told.
    pub fn config(&self, workers: NonZeroUsize) -> ProxyConfig {
        ProxyConfig {
            workers,
            trusted_proxies: self.trusted_proxies.clone(),
            timeouts: Timeouts {
                first_byte: self.first_byte_timeout,
                header_read: self.header_read_timeout,
                keep_alive: self.keep_alive_timeout,
                connect: self.connect_timeout,
                response_head: self.response_timeout,
                body_idle: self.body_idle_timeout,
                write_stall: self.write_stall_timeout,
                linger: self.linger_timeout,
            },
            limits: Limits {
                max_head_bytes: self.max_head_bytes,
                max_head_fields: self.max_head_fields,
                max_uri_bytes: self.max_uri_bytes,
                max_connections: self.max_connections,
                max_requests: self.max_requests,
                max_requests_per_route: self.max_requests_per_route,
            },
            pool: PoolConfig {
                max_idle_age: self.pool_idle_timeout,
                max_age: self.pool_max_age,
                max_idle_per_endpoint: self.pool_max_idle_per_endpoint,
                max_idle: self.pool_max_idle,
                max_open_per_endpoint: self.pool_max_open_per_endpoint,
                max_open: self.pool_max_open,
                max_waiting: self.pool_max_waiting,
                wait: self.pool_wait_timeout,
                max_replayed_body: self.retry_body_bytes,
            },
            ejection: EjectionConfig {
                failures: self.eject_after,
                shortest: self.eject_min_time,
                longest: self.eject_max_time,
            },
        }
    }
}
