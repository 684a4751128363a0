//! How `up` and `down` talk to the process that holds a playground: one line each way, through a socket
//! in its folder, which only its owner may open. A locked file says whether there is one.

use std::{
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{BufRead, BufReader, Write},
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

fn place(dir: &Path) -> PathBuf {
    dir.join("control")
}

fn lock_file(dir: &Path) -> anyhow::Result<File> {
    let path = dir.join("lock");
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Says a line; gives what is answered. `None` if nobody listens.
pub(super) fn ask(dir: &Path, line: &str) -> Option<anyhow::Result<String>> {
    let mut stream = UnixStream::connect(place(dir)).ok()?;
    Some((|| {
        writeln!(stream, "{line}")?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer)?;
        match answer.trim_end().split_once(' ') {
            Some(("ok", said)) => Ok(said.to_owned()),
            _ => bail!("{}", answer.trim_end()),
        }
    })())
}

/// Whether a process holds this folder.
pub(super) fn is_held(dir: &Path) -> anyhow::Result<bool> {
    match lock_file(dir)?.try_lock() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(e)) => Err(e.into()),
    }
}

/// The holding process's end.
#[derive(Debug)]
pub(super) struct Held {
    dir: PathBuf,
    _lock: File,
}

impl Held {
    /// Takes the folder.
    pub(super) fn take(dir: &Path) -> anyhow::Result<Self> {
        let lock = lock_file(dir)?;
        if lock.try_lock().is_err() {
            bail!("another process holds {}", dir.display());
        }
        Ok(Self {
            dir: dir.to_owned(),
            _lock: lock,
        })
    }

    /// Listens, when there is something to say.
    pub(super) fn listen(&self) -> anyhow::Result<UnixListener> {
        let path = place(&self.dir);
        // The lock is ours, so what is there is of one that was killed.
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path)
            .with_context(|| format!("cannot listen on {}: is its path too long?", path.display()))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        Ok(listener)
    }
}
