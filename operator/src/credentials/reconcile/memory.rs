//! What was found about Credentials and need not be asked again, and which versions of them are past.
//!
//! Holds versions and verdicts, never a key or a digest. Losing it costs one read a Credential.

use std::{collections::HashMap, sync::Arc, time::Instant};

use latchkey_core::{
    digest::Pepper,
    object::ObjectName,
    publish::{FORMAT, Subject, accept},
};
use latchkey_crds::credential::SecretKeyRef;

use super::super::{
    known::Known,
    secret::{Seen, Verdict},
};

/// By Credential; what is gone is forgotten.
#[derive(Debug, Default)]
pub(super) struct Memory(HashMap<ObjectName, Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    judged: Option<Judged>,
    /// A version that is not the newest, and since when that is known.
    superseded: Option<(String, Instant)>,
}

/// What a Secret meant.
#[derive(Debug)]
struct Judged {
    source: SecretKeyRef,
    /// As its metadata showed it before that was found out. While they show the same, it holds.
    seen: Option<Seen>,
    verdict: Verdict,
    /// The status has said so.
    stood: bool,
}

impl Memory {
    pub(super) fn forget(&mut self, name: &ObjectName) {
        self.0.remove(name);
    }

    /// This version of a Credential is past.
    pub(super) fn supersede(&mut self, known: &Known, now: Instant) {
        let remembered = self.0.entry(known.name.clone()).or_default();
        remembered.superseded = Some((known.resource_version.clone(), now));
    }

    /// Since when this version of a Credential is known to be past.
    pub(super) fn superseded(&self, known: &Known) -> Option<Instant> {
        let (version, since) = self.0.get(&known.name)?.superseded.as_ref()?;
        (*version == known.resource_version).then_some(*since)
    }

    /// What a Credential's Secret means, if that is known without reading it: because it was read and its
    /// metadata show no change since, or because all that stands was published from just what they show.
    pub(super) fn verdict(&self, known: &Known, seen: Option<&Seen>, peppers: &[Pepper]) -> Option<Verdict> {
        let verdict = match (self.remembered(known, seen), seen) {
            (Some(judged), _) => judged.verdict.clone(),
            (None, Some(seen)) if seen.terminating => Verdict::Terminating,
            (None, Some(seen)) => Verdict::Usable(seen.version.clone()),
            (None, None) => return None,
        };
        let Verdict::Usable(version) = &verdict else {
            return Some(verdict);
        };
        let current = known.proven(peppers).filter(|(block, _)| version.made(block));
        (current.count() == peppers.len()).then_some(verdict)
    }

    /// A Credential's Secret means this.
    pub(super) fn judged(&mut self, known: &Known, seen: Option<&Seen>, verdict: Verdict) {
        let Some(source) = known.secret_source() else {
            return;
        };
        let remembered = self.0.entry(known.name.clone()).or_default();
        let stood = remembered
            .judged
            .as_ref()
            .is_some_and(|judged| judged.stood && judged.source == *source && judged.verdict == verdict);
        remembered.judged = Some(Judged {
            source: source.clone(),
            seen: seen.cloned(),
            verdict,
            stood,
        });
    }

    /// A Credential's status says what was found last.
    pub(super) fn stands(&mut self, known: &Arc<Known>) {
        if let Some(judged) = self.0.get_mut(&known.name).and_then(|held| held.judged.as_mut()) {
            judged.stood = true;
        }
    }

    /// How many blocks under our name stand that nobody but a stranger can have put there: forged or copied,
    /// which their tags show; or older ones put back, after the status has said what the Secret still means.
    pub(super) fn strangers(&self, known: &Known, verdict: &Verdict, peppers: &[Pepper]) -> u64 {
        let Some(source) = known.secret_source() else {
            return 0;
        };
        let judged = self.0.get(&known.name).and_then(|held| held.judged.as_ref());
        let stood = judged
            .is_some_and(|judged| judged.stood && judged.source == *source && judged.verdict == *verdict);
        let strange = known.standing.ours.iter().filter(|block| {
            let Some(pepper) = peppers.iter().find(|pepper| pepper.id() == block.pepper_id) else {
                return false;
            };
            // By its own source: one of the source that spec had before is no stranger's.
            let subject = Subject {
                credential_uid: &known.uid,
                source: &block.source,
            };
            let current = matches!(verdict, Verdict::Usable(version) if version.made(block));
            block.format == FORMAT && (accept(block, subject, pepper).is_none() || (stood && !current))
        });
        u64::try_from(strange.count()).unwrap_or(u64::MAX)
    }

    fn remembered(&self, known: &Known, seen: Option<&Seen>) -> Option<&Judged> {
        let judged = self.0.get(&known.name)?.judged.as_ref()?;
        let holds = known.secret_source() == Some(&judged.source) && judged.seen.as_ref() == seen;
        holds.then_some(judged)
    }
}
