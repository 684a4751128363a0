//! One file: what tells its versions apart, and its bytes, within limits. Never its meaning.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    fs::{self, File, Metadata},
    hash::{BuildHasher, RandomState},
    io::{self, Read as _},
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, LazyLock},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::parse::{MAX_FILE_BYTES, Problem};

/// A file's name inside the folder.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(Arc<OsStr>);

impl FileName {
    /// As the system knows it.
    pub fn as_os_str(&self) -> &OsStr {
        &self.0
    }

    /// Whether it is one that is read: `*.yaml` and `*.yml`, but not the dot files of editors.
    pub fn is_manifest(&self) -> bool {
        let name = self.0.as_encoded_bytes();
        !name.starts_with(b".") && (name.ends_with(b".yaml") || name.ends_with(b".yml"))
    }
}

impl From<OsString> for FileName {
    fn from(name: OsString) -> Self {
        Self(name.into())
    }
}

impl From<&str> for FileName {
    fn from(name: &str) -> Self {
        Self(OsStr::new(name).into())
    }
}

/// One line, whatever it holds.
impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.to_string_lossy().escape_debug())
    }
}

impl fmt::Debug for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What tells two versions of a file apart without reading it. Of a symbolic link: its target's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Seconds and nanoseconds since the epoch.
    modified: (i64, i64),
    /// Of the inode. Tools can set back `modified`, but not this.
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether it is of no byte.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Whether the content changed less than `age` before `now`.
    pub fn is_younger_than(&self, age: Duration, now: SystemTime) -> bool {
        let modified = self.modified_nanos();
        let now = nanos(now);
        let age = i128::try_from(age.as_nanos()).unwrap_or(i128::MAX);
        modified <= now && now - modified < age
    }

    /// Whether the content's time lies in the future, where stamps prove nothing.
    pub fn is_after(&self, now: SystemTime) -> bool {
        self.modified_nanos() > nanos(now)
    }

    fn modified_nanos(&self) -> i128 {
        i128::from(self.modified.0) * 1_000_000_000 + i128::from(self.modified.1)
    }
}

fn nanos(time: SystemTime) -> i128 {
    let signed = |age: Duration| i128::try_from(age.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(age) => signed(age),
        Err(before) => -signed(before.duration()),
    }
}

/// A file's bytes and the version they are of.
#[derive(Debug)]
pub struct Read {
    /// All of them.
    pub bytes: Vec<u8>,
    /// The version when reading ended.
    pub stamp: Stamp,
    /// Whether it changed while it was read.
    pub changing: bool,
}

/// The version of the file that is there now; `None` if there is none.
///
/// # Errors
/// There is something that cannot be read as a file.
pub fn stamp(path: &Path) -> Result<Option<Stamp>, Problem> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(Problem::of_file(
                    "the link leads nowhere; restore its target or remove it",
                )),
                Err(_) => Ok(None),
            };
        }
        Err(e) => return Err(unreadable(&e)),
    };
    // A folder in the folder holds nothing that is ours, whatever its name.
    if metadata.is_dir() {
        return Ok(None);
    }
    // Reading a pipe or a device may never end.
    if !metadata.is_file() {
        return Err(Problem::of_file(
            "not a regular file; remove it or give it another name",
        ));
    }
    Ok(Some(Stamp::of(&metadata)))
}

/// Reads a file that [`stamp`] found.
///
/// # Errors
/// It cannot be read, or is too large.
pub fn read(path: &Path) -> Result<Read, Problem> {
    let too_large = || {
        let limit = MAX_FILE_BYTES >> 20;
        Problem::of_file(format!("larger than {limit} MiB; split the file"))
    };
    let mut file = File::open(path).map_err(|e| unreadable(&e))?;
    let before = file.metadata().map_err(|e| unreadable(&e))?;
    if before.len() > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or_default());
    (&mut file)
        .take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| unreadable(&e))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let after = file.metadata().map_err(|e| unreadable(&e))?;
    let (before, stamp) = (Stamp::of(&before), Stamp::of(&after));
    Ok(Read {
        bytes,
        stamp,
        changing: before != stamp,
    })
}

/// Stands for a file's bytes inside this process.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    // Keyed at random, so that nobody can make two files that look the same.
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    KEY.hash_one(bytes)
}

fn unreadable(error: &io::Error) -> Problem {
    Problem::of_file(format!(
        "cannot be read: {error}; give this user read permission or remove it"
    ))
}
