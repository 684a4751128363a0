//! What operator and gateways do on a real API server, as a user drives it: `kubectl`, real
//! processes, sockets. A module is an area of behaviour, a test is one sentence about it.

mod crds;
mod cut_lists;
mod expiry;
mod faults;
mod first_light;
mod forged_status;
mod gateway_api;
mod gateway_status;
mod harness;
mod key_material;
mod late_reads;
mod many_keys;
mod missing_crds;
mod operator_restart;
mod orders;
mod outage;
mod ownership;
mod pepper;
mod quiet;
mod rbac;
mod readiness;
mod relay;
mod relist;
mod restore;
mod revocation;
mod route_status;
mod secret_reads;
mod secret_references;
mod silence;
mod slow_leases;
mod tenants;
mod terminating;
mod two_operators;
mod undecodable;
mod unreadable_secrets;
