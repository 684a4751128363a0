//! A folder of manifests: what a standalone gateway reads.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::manifest::Manifest;

/// The folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Goes when this does.
    _temporary: Option<TempDir>,
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty folder, which goes when this does.
    pub fn new() -> Self {
        let temporary = tempfile::tempdir().expect("the system's temporary directory is writable");
        Self {
            path: temporary.path().to_owned(),
            _temporary: Some(temporary),
        }
    }

    /// One that is there, and stays.
    pub fn at(path: PathBuf) -> Self {
        Self {
            path,
            _temporary: None,
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file's path in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Puts a file with these objects in place, whole, whether or not one of that name was there.
    pub fn write(&self, name: &str, objects: &[Manifest]) {
        self.write_text(name, &text(objects));
    }

    /// [`Folder::write`] of any text.
    pub fn write_text(&self, name: &str, text: &str) {
        let draft = self.file(&format!(".{name}.draft"));
        fs::write(&draft, text).expect("the folder is writable");
        fs::rename(&draft, self.file(name)).expect("a file moves within its folder");
    }

    /// Overwrites a file in place, in two halves, as an editor might: a reader may see it half
    /// written. `between` runs while it is.
    pub fn write_in_halves(&self, name: &str, objects: &[Manifest], between: impl FnOnce()) {
        let text = text(objects);
        let (first, second) = text.split_at(text.len() / 2);
        let mut file = File::create(self.file(name)).expect("the folder is writable");
        file.write_all(first.as_bytes()).expect("the folder is writable");
        between();
        file.write_all(second.as_bytes()).expect("the folder is writable");
    }

    /// Deletes a file.
    pub fn delete(&self, name: &str) {
        fs::remove_file(self.file(name)).unwrap_or_else(|e| panic!("cannot delete {name}: {e}"));
    }
}

fn text(objects: &[Manifest]) -> String {
    let documents: Vec<_> = objects.iter().map(Manifest::yaml).collect();
    documents.join("---\n")
}
