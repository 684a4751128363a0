//! A real control plane, and what tests do with it.
//!
//! ```text
//! latchkey-cluster (process)          serve -> plane -> network, pki, etcd, kube-apiserver
//! ```

pub mod api;
mod child;
mod install;
pub mod kubeconfig;
mod network;
pub mod pki;
mod plane;
pub mod programs;
mod resource;
pub mod serve;

use std::{
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

/// Writes a file that nobody else may read: it holds a key or a token.
pub(crate) fn write_private(file: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(file)?
        .write_all(text.as_bytes())
}
