//! The router as its callers see it: objects in, answers out.

mod astray;
mod closing;
mod cost;
mod findings;
mod histories;
mod incremental;
mod policies;
mod redirects;
mod relist;
mod retired;
mod serving;
mod statuses;
mod support;
