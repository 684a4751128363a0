//! All files merged into one desired state, and its difference from what was handed out before.
//!
//! ```text
//! FileChange -> claims per object -> (all changes of a batch taken in) -> Change per object that differs
//! ```
//!
//! Costs what the changed files hold, never what all hold. Decides what becomes of an object whose
//! file cannot be read, of one that stands twice, and which changes wait for the rest ([`Hold`]); knows
//! nothing of what an object means beyond whether it shapes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Instant,
};

use serde_json::Value;

use super::{
    file::FileName,
    folder::{Content, FileChange},
    hold::{Hold, Moment},
    object::{Document, Placed},
    parse::Problem,
};
use crate::{
    finding::Finding,
    object::{Kind, ObjectKey},
};

/// What the folder says of an object now.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It is there, in one place.
    Present(Value),
    /// It is there, but cannot be read; why, and what to do.
    Unreadable(String),
    /// It is not there.
    Absent,
}

/// An object whose state is not what it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Which object.
    pub key: ObjectKey,
    /// Its state now.
    pub state: State,
}

/// Where an object stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: FileName,
    /// Number of the document in it, and its first line; those of its last whole version if the file is broken.
    pub document: (usize, u64),
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (number, line) = self.document;
        write!(f, "{}, document {number} (line {line})", self.file)
    }
}

/// The merged files.
#[derive(Debug, Default)]
pub struct Desired {
    objects: HashMap<ObjectKey, Object>,
    files: HashMap<FileName, File>,
    touched: BTreeSet<ObjectKey>,
    /// Files of which not all is understood at present, and why.
    unclear: BTreeMap<FileName, Problem>,
    /// What shapes, and is missing, but may stand in an unclear file.
    missed: BTreeSet<ObjectKey>,
    /// The unclear file that was named for those.
    suspect: Option<FileName>,
    /// Changes that are not handed out yet, because they may open.
    hold: Hold<HandedOut>,
    /// Whether anything was asked for before: what is handed out first replaces nothing.
    begun: bool,
}

#[derive(Debug, Default)]
struct Object {
    /// Who says that it is there; nearly always one.
    claims: Vec<Claim>,
    /// What was handed out.
    handed_out: HandedOut,
}

#[derive(Debug)]
struct Claim {
    place: Place,
    content: ClaimContent,
}

#[derive(Clone, Debug)]
enum ClaimContent {
    /// The object as compact JSON: a fraction of the tree's size, and as good to compare.
    Json(Arc<[u8]>),
    Unreadable(Arc<str>),
    /// It is missing, and something stands in the file that may be it. Counts if nobody else has it.
    Suspected(Arc<str>),
}

#[derive(Clone, Debug, Default, PartialEq)]
enum HandedOut {
    #[default]
    Absent,
    Json(Arc<[u8]>),
    Unreadable(String),
}

#[derive(Debug, Default)]
struct File {
    /// What it holds, or held when it could last be read, and where.
    held: BTreeMap<ObjectKey, (usize, u64)>,
    /// How many documents of which kinds were passed over when nothing was missed in it.
    ignored: BTreeMap<String, usize>,
}

impl Desired {
    /// Takes in what became of a file.
    pub fn update(&mut self, change: FileChange) {
        let FileChange { file, content } = change;
        let before = self.files.remove(&file).unwrap_or_default();
        for key in before.held.keys() {
            self.retract(key, &file);
        }
        let after = match content {
            Content::Gone => {
                self.unclear.remove(&file);
                return;
            }
            Content::Broken(problem) => self.hold_unreadable(&file, before, problem),
            Content::Documents(documents) => self.hold(&file, before, documents),
        };
        self.files.insert(file, after);
    }

    /// The objects that differ from what was handed out before, in the order of their keys. What may open
    /// is among them only when it has been so for long enough.
    pub fn take_changes(&mut self, moment: Moment) -> Vec<Change> {
        let suspect = self.unclear.keys().next().cloned();
        if suspect != self.suspect {
            self.touched.append(&mut self.missed);
            self.suspect = suspect;
        }
        let hold = std::mem::replace(&mut self.begun, true).then_some(moment.now);
        let touched = std::mem::take(&mut self.touched);
        let mut changes: Vec<_> = touched
            .into_iter()
            .filter_map(|key| self.take_change(key, hold))
            .collect();
        for key in self.hold.release(moment) {
            changes.extend(self.take_change(key, None));
        }
        changes.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        changes
    }

    /// When changes are to be taken that are held back; `waiting` says whether there is more to look at.
    pub fn due(&self, waiting: bool) -> Option<Instant> {
        self.hold.due(waiting)
    }

    /// The difference of one object. If it may open and there is a time to `hold` it from, it is held.
    fn take_change(&mut self, key: ObjectKey, hold: Option<Instant>) -> Option<Change> {
        let object = self.objects.get_mut(&key)?;
        let mut now = object.now();
        self.missed.remove(&key);
        if let Some(file) = &self.suspect
            && now == HandedOut::Absent
            && object.handed_out != HandedOut::Absent
            && key.kind.shapes()
        {
            now = HandedOut::Unreadable(format!(
                "it is gone, but {file} may hold it; mend or remove that file"
            ));
            self.missed.insert(key.clone());
        }
        if let Some(since) = hold
            && may_open(key.kind, &object.handed_out, &now)
        {
            self.hold.put(key, now, since);
            return None;
        }
        self.hold.drop(&key);
        if now == object.handed_out {
            if now == HandedOut::Absent {
                self.objects.remove(&key);
            }
            return None;
        }
        let state = now.state();
        if now == HandedOut::Absent {
            self.objects.remove(&key);
        } else {
            object.handed_out = now;
        }
        Some(Change { key, state })
    }

    /// Files of which not all is understood: each may hold something that closes.
    pub fn unclear(&self) -> impl Iterator<Item = (&FileName, &Problem)> {
        self.unclear.iter()
    }

    /// The places where an object stands.
    pub fn places(&self, key: &ObjectKey) -> impl Iterator<Item = &Place> {
        let claims = self.objects.get(key).map_or(&[][..], |object| &object.claims);
        claims.iter().map(|claim| &claim.place)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// All objects that a file held count as unreadable.
    fn hold_unreadable(&mut self, file: &FileName, before: File, problem: Problem) -> File {
        let why: Arc<str> = format!("{file}: {problem}").into();
        for (key, document) in &before.held {
            self.claim(key, file, *document, ClaimContent::Unreadable(why.clone()));
        }
        self.unclear.insert(file.clone(), problem);
        before
    }

    /// The documents of a file that is YAML. What it held and does not show any more is deleted,
    /// unless a document may be it: one that cannot be identified, or, of what shapes, one of a kind
    /// that is not read and was not there before.
    fn hold(&mut self, file: &FileName, before: File, documents: Vec<Placed>) -> File {
        let unknown = documents.iter().find_map(Placed::problem);
        let mut after = File::default();
        let mut stranger = None;
        for Placed { place, document } in documents {
            let (key, value) = match document {
                Document::Object(key, value) => (key, value),
                Document::Ignored(kind) => {
                    let count = after.ignored.entry(kind.clone()).or_default();
                    *count += 1;
                    if *count > before.ignored.get(&kind).copied().unwrap_or_default() {
                        stranger.get_or_insert((place, kind));
                    }
                    continue;
                }
                Document::Unknown(_) => continue,
            };
            let content = match value {
                // Maps of `Value` are sorted and have text keys, so that this cannot fail.
                Ok(value) => ClaimContent::Json(serde_json::to_vec(&value).unwrap_or_default().into()),
                Err(why) => ClaimContent::Unreadable(why.into()),
            };
            self.claim(&key, file, place, content);
            after.held.insert(key, place);
        }
        let missing = before.held.into_iter();
        let missing = missing.filter(|(key, _)| !after.held.contains_key(key));
        let kept: Vec<_> = if let Some(problem) = &unknown {
            let why: Arc<str> = format!("{file}: {problem}").into();
            let content = ClaimContent::Unreadable(why);
            missing
                .map(|(key, place)| (key, place, content.clone()))
                .collect()
        } else if let Some(((number, line), kind)) = stranger {
            let why: Arc<str> = format!(
                "{file}: document {number}, line {line}: it is gone, but this document of {kind}, which is \
                 not read, may be it; correct the document, or move it out of this file"
            )
            .into();
            let content = ClaimContent::Suspected(why);
            let shaping = missing.filter(|(key, _)| key.kind.shapes());
            shaping
                .map(|(key, place)| (key, place, content.clone()))
                .collect()
        } else {
            Vec::new()
        };
        if !kept.is_empty() {
            after.ignored = before.ignored;
        }
        for (key, place, content) in kept {
            self.claim(&key, file, place, content);
            after.held.insert(key, place);
        }
        match unknown {
            None => self.unclear.remove(file),
            Some(problem) => self.unclear.insert(file.clone(), problem),
        };
        after
    }

    fn claim(&mut self, key: &ObjectKey, file: &FileName, document: (usize, u64), content: ClaimContent) {
        let place = Place {
            file: file.clone(),
            document,
        };
        let object = self.objects.entry(key.clone()).or_default();
        object.claims.push(Claim { place, content });
        self.touched.insert(key.clone());
    }

    fn retract(&mut self, key: &ObjectKey, file: &FileName) {
        if let Some(object) = self.objects.get_mut(key) {
            object.claims.retain(|claim| claim.place.file != *file);
            self.touched.insert(key.clone());
        }
    }
}

/// Whether something that was closed may be open after this change of an object: a policy may now stand
/// elsewhere, and a route's may be yet to come. What cannot be read closes, and so does a new policy.
fn may_open(kind: Kind, before: &HandedOut, after: &HandedOut) -> bool {
    let closes =
        matches!(after, HandedOut::Unreadable(_)) || kind == Kind::AuthPolicy && *before == HandedOut::Absent;
    kind.shapes() && before != after && !closes
}

impl Object {
    fn now(&self) -> HandedOut {
        let sure = |claim: &&Claim| !matches!(claim.content, ClaimContent::Suspected(_));
        let mut claims: Vec<_> = self.claims.iter().filter(sure).collect();
        if claims.is_empty() {
            claims.extend(self.claims.first());
        }
        match &claims[..] {
            [] => HandedOut::Absent,
            [claim] => match &claim.content {
                ClaimContent::Json(json) => HandedOut::Json(json.clone()),
                ClaimContent::Unreadable(why) | ClaimContent::Suspected(why) => {
                    HandedOut::Unreadable(why.to_string())
                }
            },
            several => {
                let mut places: Vec<_> = several.iter().map(|claim| claim.place.to_string()).collect();
                places.sort_unstable();
                HandedOut::Unreadable(format!(
                    "stands more than once: {}; keep one",
                    places.join(" and ")
                ))
            }
        }
    }
}

impl HandedOut {
    fn state(&self) -> State {
        match self {
            Self::Absent => State::Absent,
            Self::Unreadable(why) => State::Unreadable(why.clone()),
            Self::Json(json) => match serde_json::from_slice(json) {
                Ok(value) => State::Present(value),
                // It was written by the same library from a value of no greater depth.
                Err(_) => State::Unreadable("too deeply nested; simplify it".to_owned()),
            },
        }
    }
}

/// What is wrong with a file itself, apart from the objects in it.
pub fn findings_of(content: &Content) -> Vec<Finding> {
    match content {
        Content::Gone => Vec::new(),
        Content::Broken(problem) => vec![Finding::warning("Unreadable", problem.to_string())],
        Content::Documents(documents) => documents.iter().filter_map(finding_of).collect(),
    }
}

fn finding_of(placed: &Placed) -> Option<Finding> {
    let (number, line) = placed.place;
    match &placed.document {
        Document::Object(..) => None,
        Document::Unknown(message) => Some(Finding::warning(
            "Unidentified",
            format!("document {number}, line {line}: {message}"),
        )),
        Document::Ignored(kind) => Some(Finding::notice(
            "IgnoredKind",
            format!("document {number}, line {line}: {kind} is not read in standalone mode"),
        )),
    }
}

#[cfg(test)]
mod tests;
