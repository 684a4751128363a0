//! Points in time as look-ups compare them. This crate never asks a clock.

/// Whole seconds since the Unix epoch. Kubernetes timestamps (`metav1.Time`) have this resolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnixSeconds(pub i64);
