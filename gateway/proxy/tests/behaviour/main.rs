//! The proxy as clients and upstreams see it: raw bytes on sockets, against workers in this process.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod credentials;
mod dead_connections;
mod drain;
mod ejection;
mod endpoints;
mod forwarding;
mod framing;
mod hang_up;
mod harness;
mod host;
mod identity;
mod last_answer;
mod limits;
mod listeners;
mod one_hop;
mod preflight;
mod proxies;
mod redirect;
mod response_headers;
mod retry;
mod rewrite;
mod route_timeouts;
mod saturation;
mod slow_clients;
mod spelling;
mod streaming;
mod timeouts;
mod wire_table;
