//! What names an object: namespace and name, and what names a route in metrics and logs.

use std::{fmt, sync::atomic::AtomicUsize};

/// Namespace and name of an object of a kind that the context gives. Never a leaf name alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectName {
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

impl ObjectName {
    /// An object's name.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// One HTTPRoute as counters and logs know it. All rebuilds of its rules share one `Arc` of it, and
/// when the last is gone so is the route: counters hold a `Weak` to see that.
#[derive(Debug)]
pub struct RouteLabel {
    /// Never used twice in a process, so that a recreated route does not inherit counters.
    pub id: u64,
    /// Which HTTPRoute.
    pub name: ObjectName,
    /// Its requests under way in the whole process, counted where there is a limit on them.
    pub under_way: AtomicUsize,
}

impl RouteLabel {
    /// A route without requests.
    pub const fn new(id: u64, name: ObjectName) -> Self {
        Self {
            id,
            name,
            under_way: AtomicUsize::new(0),
        }
    }
}
