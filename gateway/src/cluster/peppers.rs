//! The pepper Secret: which peppers it gives, and what is to be said of it.
//!
//! Peppers that were read once are kept whatever becomes of the Secret: without them every key would be
//! dead, and whoever deleted it did not revoke them all.

use latchkey_core::{digest::Pepper, object::ObjectName, pepper::Peppers};
use serde_json::Value;

use crate::finding::Finding;

/// What is known of the pepper Secret.
#[derive(Debug)]
pub(super) struct PepperSecret {
    name: ObjectName,
    /// Whether the running list has named it.
    listed: bool,
    /// Whether a usable pepper was read.
    held: bool,
}

/// What follows from a change of the Secret.
#[derive(Debug, Default)]
pub(super) struct News {
    /// These are active from now on, if any.
    pub(super) active: Vec<Pepper>,
    /// All that is to be said of the Secret now.
    pub(super) findings: Vec<Finding>,
    /// Why there is no pepper yet.
    pub(super) lacking: Option<String>,
}

impl PepperSecret {
    pub(super) fn new(name: ObjectName) -> Self {
        Self {
            name,
            listed: false,
            held: false,
        }
    }

    pub(super) fn name(&self) -> &ObjectName {
        &self.name
    }

    pub(super) fn list_begin(&mut self) {
        self.listed = false;
    }

    /// The Secret is there.
    pub(super) fn read(&mut self, secret: &Value) -> News {
        self.listed = true;
        let Peppers { active, problems } = Peppers::read(secret);
        let usable = !active.is_empty();
        let mut findings: Vec<_> = problems
            .iter()
            .map(|problem| Finding::warning("PepperUnusable", problem))
            .collect();
        if !usable {
            findings.push(Finding::warning("NoPepper", self.unusable()));
        }
        self.held |= usable;
        News {
            active,
            findings,
            lacking: (!self.held).then(|| {
                let why = [self.unusable()].into_iter().chain(problems);
                why.collect::<Vec<_>>().join("; ")
            }),
        }
    }

    /// The list was complete. Something, if it did not name the Secret.
    pub(super) fn list_end(&mut self) -> Option<News> {
        (!self.listed).then(|| self.gone())
    }

    /// There is no such Secret.
    pub(super) fn gone(&mut self) -> News {
        self.listed = false;
        let why = format!(
            "Secret {} does not exist; the operator creates it, or name another with --pepper-secret",
            self.name
        );
        News {
            active: Vec::new(),
            lacking: (!self.held).then(|| why.clone()),
            findings: vec![Finding::warning("NoPepper", why)],
        }
    }

    fn unusable(&self) -> String {
        format!(
            "Secret {} holds no usable pepper; let the operator write it anew by deleting it",
            self.name
        )
    }
}
