//! What is wrong at present, logged once when it appears and once when it is gone.
//!
//! Owns what was said before; never decides what is wrong.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use latchkey_core::conditions::CredentialReason;
use latchkey_index::ConflictChange;
use latchkey_routing::router;

use crate::{
    object::{Kind, ObjectKey},
    standalone::file::FileName,
};

/// Log lines that one batch of changes may cause. A hundred thousand bad objects say so in a
/// hundred lines and a sum.
const LINES_PER_BATCH: usize = 100;

/// The reason of objects that cannot be read.
pub const UNDECODABLE: &str = "Undecodable";

/// Something that a person should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether something does not work because of it.
    pub severity: Severity,
    /// One word, as a status condition would have.
    pub reason: &'static str,
    /// What is wrong, the field where there is one, and the remedy.
    pub message: String,
}

/// Whether something does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// All works as it should.
    Notice,
    /// Something does not.
    Warning,
}

impl Finding {
    /// Something does not work.
    pub fn warning(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            reason,
            message: message.into(),
        }
    }

    /// Something worth knowing.
    pub fn notice(reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Notice,
            reason,
            message: message.into(),
        }
    }
}

/// What a set of findings is about. Each source of findings has subjects of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// The folder as a whole.
    Folder,
    /// A file itself.
    File(FileName),
    /// An object: whether it can be read and resolved.
    Object(ObjectKey),
    /// A Credential: whether another one owns its key.
    Ownership(ObjectKey),
    /// An object: what the router says of it.
    Routing(ObjectKey),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder => f.write_str("folder"),
            Self::File(file) => write!(f, "{file}"),
            Self::Object(key) | Self::Ownership(key) | Self::Routing(key) => write!(f, "{key}"),
        }
    }
}

/// The place of what is one itself, or has none beyond its name.
pub fn nowhere(_: &Subject) -> String {
    String::new()
}

/// All findings that hold at present.
#[derive(Debug, Default)]
pub struct Findings {
    present: HashMap<Subject, Vec<Finding>>,
    /// How many hold, by reason.
    counts: BTreeMap<&'static str, usize>,
    lines: usize,
    unsaid: usize,
}

impl Findings {
    /// All that is to be said of a subject now. `place` says where it stands, for the log; it is
    /// asked only if something changed.
    pub fn replace(&mut self, subject: Subject, now: Vec<Finding>, place: impl FnOnce(&Subject) -> String) {
        if now.is_empty() && !self.present.contains_key(&subject) {
            return;
        }
        let before = self.present.remove(&subject).unwrap_or_default();
        if before != now {
            let place = Some(place(&subject)).filter(|place| !place.is_empty());
            let place = place.as_deref();
            for finding in before.iter().filter(|finding| !now.contains(finding)) {
                self.say(&subject, place, finding, true);
            }
            for finding in now.iter().filter(|finding| !before.contains(finding)) {
                self.say(&subject, place, finding, false);
            }
        }
        for finding in &before {
            if let Some(count) = self.counts.get_mut(finding.reason) {
                *count -= 1;
            }
        }
        for finding in &now {
            *self.counts.entry(finding.reason).or_default() += 1;
        }
        if !now.is_empty() {
            self.present.insert(subject, now);
        }
    }

    /// One more thing, or one less, is to be said of a subject.
    pub fn change(
        &mut self,
        subject: Subject,
        finding: Finding,
        resolved: bool,
        place: impl FnOnce(&Subject) -> String,
    ) {
        let mut now = self.present.get(&subject).cloned().unwrap_or_default();
        now.retain(|known| *known != finding);
        if !resolved {
            now.push(finding);
        }
        self.replace(subject, now, place);
    }

    /// A Credential became or ceased to be one whose key another one owns.
    pub fn ownership(&mut self, change: &ConflictChange, place: impl FnOnce(&Subject) -> String) {
        let finding = Finding::warning(
            CredentialReason::Conflicted.as_str(),
            "spec.apiKey: an older Credential of this namespace has the same key, and owns it; change or remove one",
        );
        let subject = Subject::Ownership(ObjectKey {
            kind: Kind::Credential,
            name: change.credential.clone(),
        });
        self.replace(
            subject,
            change.conflicted.then_some(finding).into_iter().collect(),
            place,
        );
    }

    /// What the router says of an object changed.
    pub fn routing(&mut self, change: router::Finding, place: impl FnOnce(&Subject) -> String) {
        let subject = Subject::Routing(ObjectKey {
            kind: change.kind.into(),
            name: change.name,
        });
        let finding = Finding::warning(change.reason, change.message);
        self.change(subject, finding, change.resolved, place);
    }

    /// A batch of changes is over.
    pub fn end_of_batch(&mut self) {
        if self.unsaid > 0 {
            tracing::warn!(
                unsaid = self.unsaid,
                "more findings than are logged at once; mend those above first"
            );
        }
        (self.lines, self.unsaid) = (0, 0);
    }

    /// How many hold at present for this reason.
    pub fn count(&self, reason: &str) -> usize {
        self.counts.get(reason).copied().unwrap_or_default()
    }

    /// All that hold at present, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Subject, &Finding)> {
        self.present
            .iter()
            .flat_map(|(subject, findings)| findings.iter().map(move |finding| (subject, finding)))
    }

    fn say(&mut self, subject: &Subject, place: Option<&str>, finding: &Finding, resolved: bool) {
        if self.lines == LINES_PER_BATCH {
            self.unsaid += 1;
            return;
        }
        self.lines += 1;
        let Finding {
            severity,
            reason,
            message,
        } = finding;
        match (severity, resolved) {
            (_, true) => tracing::info!(%subject, place, reason, "no longer: {message}"),
            (Severity::Warning, false) => tracing::warn!(%subject, place, reason, "{message}"),
            (Severity::Notice, false) => tracing::info!(%subject, place, reason, "{message}"),
        }
    }
}

#[cfg(test)]
mod tests;
