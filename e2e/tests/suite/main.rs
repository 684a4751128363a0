//! What the gateway does, as a user drives it: a folder of manifests, real processes, sockets.
//! A module is an area of behaviour, a test is one sentence about it.

mod admin;
mod anonymous;
mod bodies;
mod breakage;
mod command_line;
mod doubtful_requests;
mod endpoints;
mod failing_upstreams;
mod folder_changes;
mod forwarded_headers;
mod hang_ups;
mod harness;
mod hidden_keys;
mod index_faults;
mod kept_connections;
mod key_material;
mod order;
mod ownership;
mod presenting_keys;
mod quickstart;
mod revocation;
mod routes;
mod self_check;
mod shutdown;
mod tenancy;
mod unprotected;
