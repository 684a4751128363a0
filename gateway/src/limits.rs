//! What the system allows this process. A proxy needs two descriptors a request, and the soft limit
//! that most systems start a process with (1024) is for programs that use `select`.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Raises the limit of open files to what the system permits without privileges.
pub(crate) fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    let [soft, hard] = [limit.current, limit.maximum].map(in_words);
    if limit.current == limit.maximum {
        tracing::info!(soft, hard, "limit of open files");
        return;
    }
    limit.current = limit.maximum;
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => tracing::info!(soft, hard, "limit of open files, raised to the hard one"),
        Err(error) => tracing::warn!(%error, soft, hard, "cannot raise the limit of open files"),
    }
}

fn in_words(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}
