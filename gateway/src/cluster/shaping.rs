//! What shapes routing, put in an order that opens no door by accident: watches of different kinds have
//! none.
//!
//! ```text
//! deletions       -> hold ---- is the kind still served? ------.
//! HTTPRoutes, Gateways, ..  -> barrier -- are all policies here? -- passed on
//! AuthPolicies    ----------------^---------------------------------^
//! ```
//!
//! `hold`, `barrier`, `policies` and `pace` are pure; `discovery` and `list` ask the API server, and `run` is
//! the loop around them.

mod barrier;
mod discovery;
mod hold;
mod list;
mod pace;
mod policies;
mod run;
#[cfg(test)]
mod testing;

pub(super) use self::{
    discovery::standing,
    list::{listed, policies},
    run::{Heard, run},
};
