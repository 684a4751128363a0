//! The folder as it was last read: which files there are, and what of them changed.
//!
//! ```text
//! names (events) or the whole folder (poll) -> stat -> read what changed -> FileChange
//! ```
//!
//! Owns when a file counts as changed, and when what is seen may be believed. Knows no object's
//! meaning beyond whether it shapes; never waits, and is told the time.
//!
//! A file is read again when its [`Stamp`] differs, or when it was read so soon after its last change
//! that another one may hide behind the same stamp (git calls such a file *racily clean*).
//!
//! Editors do not replace a file in one step: for a moment it may be missing, empty or cut short, and
//! half a policy may be a policy that protects nothing. So what shapes is not believed to be changed or
//! gone, and nothing is believed to be broken, before it has been so for a moment ([`SETTLE`]); until
//! then a look answers *doubtful*, and is to be repeated. What only grants is believed at once.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{
    file::{self, FileName, Read, Stamp},
    object::{Document, Placed, identify},
    parse::{Problem, parse},
};

/// How old a change must be to be believed where it is doubtful.
pub const SETTLE: Duration = Duration::from_millis(50);
/// How long something that shapes must have been missing, or its file empty, to be believed gone: this is
/// how a file looks while it is being replaced, and a busy disk may draw that out.
const REPLACED: Duration = Duration::from_millis(250);
/// The coarsest resolution of time stamps that a file system in use has (FAT: two seconds).
const RACY: Duration = Duration::from_secs(2);

/// How much a look may trust what it sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// Somebody may be writing the file just now.
    Seen,
    /// Its last writer closed it, or it was moved here or away.
    Closed,
    /// It was doubtful, and nothing is known to have happened to it for [`SETTLE`].
    Settled,
}

/// What became of a file.
#[derive(Debug, PartialEq)]
pub struct FileChange {
    /// Which file.
    pub file: FileName,
    /// What it holds now.
    pub content: Content,
}

/// What a file holds.
#[derive(Debug, PartialEq)]
pub enum Content {
    /// These documents.
    Documents(Vec<Placed>),
    /// It cannot be read, or is no YAML.
    Broken(Problem),
    /// It is not there any more.
    Gone,
}

/// The outcome of one or more looks.
#[derive(Debug, Default)]
pub struct Looked {
    /// In the order in which the files were looked at.
    pub changes: Vec<FileChange>,
    /// To be looked at again after [`SETTLE`].
    pub doubtful: Vec<FileName>,
    /// The folder itself could not be read, so that nothing counts as gone.
    pub failed: Option<FolderError>,
}

impl Looked {
    /// Adds the outcome of a later look.
    pub fn extend(&mut self, later: Self) {
        self.changes.extend(later.changes);
        self.doubtful.extend(later.doubtful);
        self.failed = later.failed.or(self.failed.take());
    }
}

/// Why the folder as a whole could not be read. What is held stays.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the folder {}: {source}; it must exist and be readable for this user", dir.display())]
pub struct FolderError {
    dir: PathBuf,
    source: io::Error,
}

/// The folder's files as they were last read.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    files: HashMap<FileName, Known>,
    files_read: u64,
}

#[derive(Debug)]
struct Known {
    stamp: Option<Stamp>,
    /// Whether a change may hide behind `stamp`.
    racy: bool,
    /// Of the bytes that were read; `None` if they could not be.
    fingerprint: Option<u64>,
    /// Whether anything in it shapes, or did when it could last be read.
    shapes: bool,
    /// Since when it has been missing at every look.
    missing: Option<SystemTime>,
}

impl Folder {
    /// A folder of which nothing was read yet.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            files: HashMap::new(),
            files_read: 0,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// How many times a file's bytes were read.
    pub fn files_read(&self) -> u64 {
        self.files_read
    }

    /// How many files are held.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether no file is held.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Every file that is there, and every one that was, to be looked at.
    ///
    /// # Errors
    /// The folder itself cannot be read; then nothing of it counts as gone.
    pub fn names(&self) -> Result<Vec<FileName>, FolderError> {
        let mut names = self.list().map_err(|source| self.error(source))?;
        names.extend(self.files.keys().cloned());
        let mut names: Vec<_> = names.into_iter().collect();
        // So that whatever is said of several files is said in the same order each time.
        names.sort_unstable();
        Ok(names)
    }

    /// Looks at these files.
    pub fn look(
        &mut self,
        names: impl IntoIterator<Item = FileName>,
        trust: Trust,
        now: SystemTime,
    ) -> Looked {
        let mut looked = Looked::default();
        for name in names {
            match self.look_at(&name, trust, now) {
                Ok(Verdict::Unchanged) => {}
                Ok(Verdict::Doubtful) => looked.doubtful.push(name),
                Ok(Verdict::Changed(content)) => looked.changes.push(FileChange { file: name, content }),
                Err(error) => looked.failed = Some(error),
            }
        }
        looked
    }

    /// Whether there is a file without a byte, as one is between its making and its writing.
    pub fn is_empty_file(&self, name: &FileName) -> bool {
        matches!(file::stamp(&self.dir.join(name.as_os_str())), Ok(Some(stamp)) if stamp.is_empty())
    }

    /// Forgets what a look saw, because something happened to the file meanwhile: the next look reads it.
    pub fn forget(&mut self, name: &FileName) {
        let known = self.known(name);
        (known.stamp, known.racy, known.fingerprint) = (None, true, None);
        // It may have been half of what it is.
        known.shapes = true;
    }

    /// Gives up on a file that stays doubtful: what cannot be read whole cannot be read.
    pub fn give_up(&mut self, name: FileName) -> FileChange {
        self.forget(&name);
        let problem = Problem::of_file(
            "changes again and again; write it elsewhere, and move it here when it is whole",
        );
        FileChange {
            file: name,
            content: Content::Broken(problem),
        }
    }

    fn list(&self) -> io::Result<HashSet<FileName>> {
        let mut names = HashSet::new();
        for entry in fs::read_dir(&self.dir)? {
            let name = FileName::from(entry?.file_name());
            if name.is_manifest() {
                names.insert(name);
            }
        }
        Ok(names)
    }

    fn look_at(&mut self, name: &FileName, trust: Trust, now: SystemTime) -> Result<Verdict, FolderError> {
        if !name.is_manifest() {
            return Ok(Verdict::Unchanged);
        }
        let path = self.dir.join(name.as_os_str());
        let stamp = match file::stamp(&path) {
            Ok(Some(stamp)) => stamp,
            Ok(None) => return self.missing(name, now),
            Err(problem) => return Ok(self.broken(name, None, problem, trust)),
        };
        if let Some(known) = self.files.get_mut(name) {
            known.missing = None;
            if known.stamp == Some(stamp) && !known.racy {
                return Ok(Verdict::Unchanged);
            }
        }
        let fresh = stamp.is_younger_than(SETTLE, now);
        if fresh && trust == Trust::Seen {
            return Ok(Verdict::Doubtful);
        }
        self.files_read += 1;
        let Read {
            bytes,
            stamp,
            changing,
        } = match file::read(&path) {
            Ok(read) => read,
            Err(problem) => return Ok(self.broken(name, Some(stamp), problem, trust)),
        };
        if changing {
            return Ok(Verdict::Doubtful);
        }
        let racy = stamp.is_younger_than(RACY, now) || stamp.is_after(now);
        let fingerprint = file::fingerprint(&bytes);
        if let Some(known) = self.files.get_mut(name)
            && known.fingerprint == Some(fingerprint)
        {
            (known.stamp, known.racy) = (Some(stamp), racy);
            return Ok(Verdict::Unchanged);
        }
        let parsed = parse(&bytes).map(identify);
        let shapes = parsed.as_deref().is_ok_and(shapes);
        let known = self.known(name);
        if known.shapes && stamp.is_empty() && stamp.is_younger_than(REPLACED, now) {
            return Ok(Verdict::Doubtful);
        }
        if fresh && (parsed.is_err() || shapes || known.shapes) {
            return Ok(Verdict::Doubtful);
        }
        (known.stamp, known.racy, known.fingerprint) = (Some(stamp), racy, Some(fingerprint));
        Ok(Verdict::Changed(match parsed {
            Ok(documents) => {
                // What shaped in it may now count as another's kind.
                known.shapes = shapes || known.shapes && ignores(&documents);
                Content::Documents(documents)
            }
            Err(problem) => Content::Broken(problem),
        }))
    }

    /// A file that is not there: gone, if the folder is there to say so.
    fn missing(&mut self, name: &FileName, now: SystemTime) -> Result<Verdict, FolderError> {
        if !self.files.contains_key(name) {
            return Ok(Verdict::Unchanged);
        }
        fs::read_dir(&self.dir).map_err(|e| self.error(e))?;
        let known = self.known(name);
        let since = *known.missing.get_or_insert(now);
        // A clock that was set back begins again.
        let age = now.duration_since(since).unwrap_or_else(|_| {
            known.missing = Some(now);
            Duration::ZERO
        });
        if known.shapes && age < REPLACED {
            return Ok(Verdict::Doubtful);
        }
        self.files.remove(name);
        Ok(Verdict::Changed(Content::Gone))
    }

    /// A file that is there but cannot be read. What shapes in it goes on shaping.
    fn broken(&mut self, name: &FileName, stamp: Option<Stamp>, problem: Problem, trust: Trust) -> Verdict {
        if trust < Trust::Settled {
            return Verdict::Doubtful;
        }
        let known = self.known(name);
        // Whether it can be read again does not show in its stamp, so that it is read every time.
        (known.stamp, known.racy, known.fingerprint) = (stamp, true, None);
        Verdict::Changed(Content::Broken(problem))
    }

    fn known(&mut self, name: &FileName) -> &mut Known {
        self.files.entry(name.clone()).or_insert_with(|| Known {
            stamp: None,
            racy: true,
            fingerprint: None,
            shapes: false,
            missing: None,
        })
    }

    fn error(&self, source: io::Error) -> FolderError {
        FolderError {
            dir: self.dir.clone(),
            source,
        }
    }
}

enum Verdict {
    Unchanged,
    Doubtful,
    Changed(Content),
}

/// Whether any of these may close a door.
fn shapes(documents: &[Placed]) -> bool {
    documents.iter().any(|placed| match &placed.document {
        Document::Object(key, _) => key.kind.shapes(),
        Document::Unknown(_) => true,
        Document::Ignored(_) => false,
    })
}

fn ignores(documents: &[Placed]) -> bool {
    documents
        .iter()
        .any(|placed| matches!(placed.document, Document::Ignored(_)))
}

#[cfg(test)]
mod tests;
