//! The folder as it was last read: which files there are, and what of them changed.
//!
//! ```text
//! names (events) or the whole folder (poll) -> stat -> read what changed -> FileChange
//! ```
//!
//! Owns when a file counts as changed, and when what is seen may be believed. Knows no object's
//! meaning beyond whether it shapes; never waits, and is told the time.
//!
//! A file is looked at again when its [`Stamp`] differs, or when it was read so soon after its last
//! change that another one may hide behind the same stamp (git calls such a file *racily clean*).
//!
//! Editors do not replace a file in one step, so that for a moment it may be missing, empty or cut
//! short. Where that would take away something that shapes, which may open a door, or would make the
//! file unreadable, a look answers *doubtful* and is to be repeated a moment ([`SETTLE`]) later.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use super::{
    file::{self, FileName, Read, Stamp},
    object::{Document, ObjectKey, Placed, identify},
    parse::{Problem, parse},
};

/// How old a change must be to be believed where it is doubtful.
pub const SETTLE: Duration = Duration::from_millis(20);
/// The coarsest resolution of time stamps that a file system in use has (FAT: two seconds).
const RACY: Duration = Duration::from_secs(2);

/// How much a look may trust that a file is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It was seen; somebody may be writing it just now.
    Seen,
    /// Its writer closed it, or moved it here or away.
    Closed,
    /// It was doubtful and had its time: what is there counts.
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
    /// To be looked at again, [`Trust::Settled`], after [`SETTLE`].
    pub doubtful: Vec<FileName>,
    /// The folder itself could not be read, so that nothing counts as gone.
    pub failed: Option<FolderError>,
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
    /// The objects in it that shape.
    shapes: HashSet<ObjectKey>,
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

    /// Looks at every file that is there, and at every one that was, but for those that `skip` names.
    pub fn scan(&mut self, now: SystemTime, skip: impl Fn(&FileName) -> bool) -> Looked {
        let mut names = match self.list() {
            Ok(names) => names,
            Err(source) => {
                return Looked {
                    failed: Some(self.error(source)),
                    ..Looked::default()
                };
            }
        };
        names.extend(self.files.keys().cloned());
        let mut names: Vec<_> = names.into_iter().filter(|name| !skip(name)).collect();
        // So that whatever is said of several files is said in the same order each time.
        names.sort_unstable();
        self.look(names, Trust::Seen, now)
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
            Ok(None) => return self.missing(name, trust),
            Err(problem) => return Ok(self.broken(name, None, problem, trust)),
        };
        let known = self.files.get(name);
        if known.is_some_and(|known| known.stamp == Some(stamp) && !known.racy) {
            return Ok(Verdict::Unchanged);
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
        if changing && trust != Trust::Settled {
            return Ok(Verdict::Doubtful);
        }
        let racy = changing || stamp.is_younger_than(RACY, now) || stamp.is_after(now);
        let fingerprint = file::fingerprint(&bytes);
        if let Some(known) = self.files.get_mut(name)
            && known.fingerprint == Some(fingerprint)
        {
            (known.stamp, known.racy) = (Some(stamp), racy);
            return Ok(Verdict::Unchanged);
        }
        let believed = trust == Trust::Settled || !fresh;
        let documents = match parse(&bytes) {
            Ok(parsed) => identify(parsed),
            Err(_) if !believed => return Ok(Verdict::Doubtful),
            Err(problem) => {
                let known = self.known(name);
                (known.stamp, known.racy, known.fingerprint) = (Some(stamp), racy, Some(fingerprint));
                return Ok(Verdict::Changed(Content::Broken(problem)));
            }
        };
        let shapes = shapes_of(&documents);
        let known = self.known(name);
        if !believed && !known.shapes.is_subset(&shapes) {
            return Ok(Verdict::Doubtful);
        }
        *known = Known {
            stamp: Some(stamp),
            racy,
            fingerprint: Some(fingerprint),
            shapes,
        };
        Ok(Verdict::Changed(Content::Documents(documents)))
    }

    /// A file that is not there: gone, if the folder is there to say so.
    fn missing(&mut self, name: &FileName, trust: Trust) -> Result<Verdict, FolderError> {
        let Some(known) = self.files.get(name) else {
            return Ok(Verdict::Unchanged);
        };
        fs::read_dir(&self.dir).map_err(|e| self.error(e))?;
        if !known.shapes.is_empty() && trust != Trust::Settled {
            return Ok(Verdict::Doubtful);
        }
        self.files.remove(name);
        Ok(Verdict::Changed(Content::Gone))
    }

    /// A file that is there but cannot be read. What shapes in it goes on shaping.
    fn broken(&mut self, name: &FileName, stamp: Option<Stamp>, problem: Problem, trust: Trust) -> Verdict {
        if trust != Trust::Settled {
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
            shapes: HashSet::new(),
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

fn shapes_of(documents: &[Placed]) -> HashSet<ObjectKey> {
    documents
        .iter()
        .filter_map(|placed| match &placed.document {
            Document::Object(key, _) if key.kind.shapes() => Some(key.clone()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests;
