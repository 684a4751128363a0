//! What the system allows this process. A proxy needs two descriptors a request, and the soft limit
//! that most systems start a process with (1024) is for programs that use `select`.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit of open files to what the system permits without privileges.
pub(crate) fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    let before = limit.current;
    limit.current = limit.maximum;
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => tracing::debug!(?before, now = ?limit.current, "raised the limit of open files"),
        Err(error) => tracing::warn!(%error, limit = ?before, "cannot raise the limit of open files"),
    }
}
