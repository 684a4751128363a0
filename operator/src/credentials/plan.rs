//! What a Credential's status must say, as a function of what is known.
//!
//! ```text
//! Known + Resolution (its Secret) + Consumer + owner + now -> the status to write, or nothing
//! ```

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use latchkey_core::{
    conditions::{CredentialFindings, SecretFinding, SpecFinding, conditions, merge},
    digest::{Digest, Pepper},
    object::ObjectName,
};
use latchkey_crds::credential::PublishedKey;
use serde_json::{Value, json};

use super::{
    known::{Known, Source, Spec},
    secret::Verdict,
};

/// What became of a Credential's key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resolution {
    /// What its Secret means; `None`: it names none.
    secret: Option<Judgement>,
    /// What is to be published of it: one block an active pepper, or none.
    published: Vec<PublishedKey>,
    /// The digests that it holds with that.
    digests: Vec<Digest>,
}

#[derive(Clone, Debug, PartialEq)]
enum Judgement {
    Certain(Verdict),
    ReadFailed,
}

impl Resolution {
    /// Of a Credential that names no Secret.
    pub(super) fn without_secret(known: &Known, peppers: &[Pepper]) -> Self {
        Self {
            secret: None,
            published: Vec::new(),
            digests: known.digests(peppers),
        }
    }

    /// Of one whose Secret was read: the verdict, and the blocks that it gives.
    pub(super) fn read(verdict: Verdict, published: Vec<PublishedKey>) -> Self {
        Self {
            secret: Some(Judgement::Certain(verdict)),
            digests: published
                .iter()
                .filter_map(|block| Digest::from_hex(&block.digest))
                .collect(),
            published,
        }
    }

    /// Of one whose Secret needs no read: if it is usable, what stands was published from just this version.
    pub(super) fn standing(known: &Known, peppers: &[Pepper], verdict: Verdict) -> Self {
        let published = match verdict {
            Verdict::Usable(_) => kept(known, peppers),
            Verdict::NotFound | Verdict::Terminating | Verdict::KeyMissing | Verdict::Refused(_) => {
                Vec::new()
            }
        };
        Self::read(verdict, published)
    }

    /// Of one whose Secret could not be read: what counts now goes on counting.
    pub(super) fn read_failed(known: &Known, peppers: &[Pepper]) -> Self {
        Self {
            secret: Some(Judgement::ReadFailed),
            published: kept(known, peppers),
            digests: known.digests(peppers),
        }
    }

    /// The digests that the Credential holds with this.
    pub(super) fn digests(&self) -> &[Digest] {
        &self.digests
    }
}

fn kept(known: &Known, peppers: &[Pepper]) -> Vec<PublishedKey> {
    known.proven(peppers).map(|(block, _)| block.clone()).collect()
}

/// What else is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances<'a> {
    /// Whether its Consumer exists.
    pub(super) consumer_exists: bool,
    /// The Credential of its namespace that owns its key, if that is another one.
    pub(super) owner: Option<&'a str>,
    /// The selector that Secrets must fit to be read.
    pub(super) secret_selector: Option<&'a str>,
    /// In whole seconds, as the API keeps times.
    pub(super) now: &'a Time,
}

/// The status to write; `None` if what stands says all of it.
pub(super) fn plan(known: &Known, resolution: &Resolution, around: Circumstances<'_>) -> Option<Value> {
    let standing = &known.standing;
    let nameless = ObjectName::new(&*known.name.namespace, "");
    let consumer = known.consumer().unwrap_or(nameless);
    let findings = conditions(CredentialFindings {
        spec: spec_finding(known, resolution, around.secret_selector),
        consumer: &consumer,
        consumer_exists: around.consumer_exists,
        owner: around.owner,
    });
    let types: Vec<_> = findings.iter().map(|finding| finding.type_).collect();
    let conditions = merge(&standing.conditions, findings, known.generation, around.now);
    let same = !standing.spoiled
        && standing.observed_generation == known.generation
        && types.iter().all(|type_| {
            let new = conditions.iter().find(|new| new.type_ == *type_);
            standing.condition(type_) == new
        })
        && same_blocks(&standing.ours, &resolution.published);
    (!same).then(|| status(known, &conditions, &resolution.published))
}

/// Whether two lists hold the same blocks: the order is that of whoever wrote last.
fn same_blocks(a: &[PublishedKey], b: &[PublishedKey]) -> bool {
    a.len() == b.len() && b.iter().all(|block| a.contains(block))
}

fn status(known: &Known, conditions: &[Condition], published: &[PublishedKey]) -> Value {
    let others = known.standing.others.iter().cloned();
    let blocks: Vec<_> = published.iter().map(|block| json!(block)).chain(others).collect();
    json!({
        "observedGeneration": known.generation,
        "conditions": conditions,
        // A merge patch removes what is null; an empty list would stay.
        "published": if blocks.is_empty() { Value::Null } else { blocks.into() },
    })
}

fn spec_finding<'a>(
    known: &'a Known,
    resolution: &'a Resolution,
    selector: Option<&'a str>,
) -> SpecFinding<'a> {
    match (&known.spec, &resolution.secret) {
        (Spec::Undecodable(why), _) => SpecFinding::Invalid(why),
        (
            Spec::Decoded {
                source: Source::Secret(source),
                ..
            },
            judgement,
        ) => {
            let finding = match judgement {
                Some(Judgement::Certain(verdict)) => secret_finding(verdict, selector),
                Some(Judgement::ReadFailed) | None => SecretFinding::ReadFailed,
            };
            SpecFinding::Secret(&source.name, &source.key, finding)
        }
        (
            Spec::Decoded {
                source: Source::Inline(_),
                ..
            },
            _,
        ) => SpecFinding::Inline,
        (
            Spec::Decoded {
                source: Source::None, ..
            },
            _,
        ) => SpecFinding::NoMethod,
    }
}

fn secret_finding<'a>(verdict: &Verdict, selector: Option<&'a str>) -> SecretFinding<'a> {
    match verdict {
        Verdict::Usable(_) => SecretFinding::Usable,
        Verdict::NotFound => selector.map_or(SecretFinding::NotFound, SecretFinding::NotSelected),
        Verdict::Terminating => SecretFinding::Terminating,
        Verdict::KeyMissing => SecretFinding::KeyMissing,
        Verdict::Refused(refusal) => SecretFinding::Refused(*refusal),
    }
}

#[cfg(test)]
mod tests;
