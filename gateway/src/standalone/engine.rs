//! From changed files to committed versions: the one place that writes index and router.
//!
//! ```text
//! FileChange -> Desired (diff) -> Publisher -> Index --.
//!                            `--------------> Router --+-> one commit each -> requests
//! ```
//!
//! Knows no file system and no thread, and is told the time. Serves nothing before all files are whole, because
//! one that is not may hold what closes a door. From then on such a file keeps what closes from going.

use std::time::Instant;

use latchkey_index::{Checked, Index, object::Kind as IndexKind};
use latchkey_routing::{object::Manifest, router::Router};

use super::{
    diff::{Change, Desired, State, findings_of},
    file::FileName,
    folder::FileChange,
    hold::Moment,
    parse::Problem,
    publish::{Published, Publisher},
};
use crate::{
    finding::{Finding, Findings, Subject, UNDECODABLE, nowhere},
    object::{ObjectKey, Reader},
};

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is in force.
    Committed,
    /// Nothing is served: these files must be mended or removed first.
    Held(String),
}

/// The writer of everything that requests read.
#[derive(Debug)]
pub struct Engine {
    desired: Desired,
    publisher: Publisher,
    index: Index,
    router: Router,
    findings: Findings,
    serving: bool,
}

/// Files that a message names before it only counts them.
const NAMED: usize = 3;

impl Engine {
    /// An engine on an index and a router that hold nothing yet.
    pub fn new(index: Index, router: Router, publisher: Publisher) -> Self {
        Self {
            desired: Desired::default(),
            publisher,
            index,
            router,
            findings: Findings::default(),
            serving: false,
        }
    }

    /// Takes in all changes of a batch, and commits them as one version of each side, but for what may open
    /// and has not been so for long enough.
    pub fn take(&mut self, changes: Vec<FileChange>, moment: Moment) -> Outcome {
        for change in changes {
            let findings = findings_of(&change.content);
            self.findings
                .replace(Subject::File(change.file.clone()), findings, nowhere);
            self.desired.update(change);
        }
        let outcome = self.commit(moment);
        self.findings.end_of_batch();
        outcome
    }

    /// Compares about so many objects of the index with what requests read. After a repair,
    /// [`take`](Self::take) says who holds no key of their own any more.
    pub fn check(&mut self, at_most: usize) -> Checked {
        self.index.check(at_most)
    }

    /// When it is to be called again for what is held back; `waiting` says whether there is more to look at.
    pub fn due(&self, waiting: bool) -> Option<Instant> {
        self.desired.due(waiting)
    }

    /// What is known of the folder itself: `None` if it can be read.
    pub fn folder_problem(&mut self, problem: Option<String>) {
        let finding = problem.map(|message| Finding::warning("FolderUnreadable", message));
        let findings = finding.into_iter().collect();
        self.findings.replace(Subject::Folder, findings, nowhere);
        self.findings.end_of_batch();
    }

    /// How many objects there are.
    pub fn objects(&self) -> usize {
        self.desired.len()
    }

    /// All that is wrong at present.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The index that it writes.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The router that it writes.
    pub fn router(&self) -> &Router {
        &self.router
    }

    fn commit(&mut self, moment: Moment) -> Outcome {
        if !self.serving {
            let held: Vec<_> = self.desired.unclear().collect();
            if !held.is_empty() {
                return Outcome::Held(name_some(&held));
            }
            self.serving = true;
        }
        for Change { key, state } in self.desired.take_changes(moment) {
            self.hand_out(key, state);
        }
        let Published {
            facts,
            deleted,
            findings,
        } = self.publisher.finish();
        for (kind, name) in deleted {
            self.index.delete(kind, &name);
        }
        for fact in facts {
            self.index.apply(fact);
        }
        for (subject, findings) in findings {
            self.find(&subject, findings);
        }
        self.index.commit();
        for change in self.index.conflict_changes() {
            let place = |subject: &Subject| place(&self.desired, subject);
            self.findings.ownership(change, place);
        }
        for finding in self.router.commit().findings {
            let place = |subject: &Subject| place(&self.desired, subject);
            self.findings.routing(finding, place);
        }
        Outcome::Committed
    }

    /// Gives an object's new state to the side that reads its kind.
    fn hand_out(&mut self, key: ObjectKey, state: State) {
        let name = &key.name;
        let kind = match key.kind.reader() {
            Reader::Index(IndexKind::Consumer) => return self.publisher.consumer(name, state),
            Reader::Index(IndexKind::Credential) => return self.publisher.credential(name, state),
            Reader::Secrets => return self.publisher.secret(name, state),
            Reader::Router(kind) => kind,
        };
        let mut findings = Vec::new();
        match state {
            State::Absent => self.router.delete(kind, name),
            State::Present(value) => self.router.apply(kind, name, Manifest::Value(value)),
            State::Unreadable(why) => {
                self.router.apply(kind, name, Manifest::Unreadable);
                findings.push(Finding::warning(UNDECODABLE, why));
            }
        }
        self.find(&Subject::Object(key), findings);
    }

    fn find(&mut self, subject: &Subject, findings: Vec<Finding>) {
        let place = |subject: &Subject| place(&self.desired, subject);
        self.findings.replace(subject.clone(), findings, place);
    }
}

/// Where the subject of a finding stands, for the log.
fn place(desired: &Desired, subject: &Subject) -> String {
    match subject {
        Subject::Folder | Subject::File(_) => String::new(),
        Subject::Object(key) | Subject::Ownership(key) | Subject::Routing(key) => {
            let places: Vec<_> = desired.places(key).map(ToString::to_string).collect();
            places.join(" and ")
        }
    }
}

fn name_some(files: &[(&FileName, &Problem)]) -> String {
    let named: Vec<_> = files
        .iter()
        .take(NAMED)
        .map(|(file, problem)| format!("{file}: {problem}"))
        .collect();
    let more = files.len() - named.len();
    let mut text = named.join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more files"));
    }
    text
}
