//! Random histories over a universe small enough for everything to meet everything.

use latchkey_core::{
    digest::{KeyHash, Pepper},
    object::ObjectName,
    tenancy::{Admission, Namespaces},
    time::UnixSeconds,
};
use latchkey_crds::credential::PublishedKey;
use latchkey_index::object::{ConsumerFacts, CredentialFacts, Fact, KeySource, Kind};
use proptest::{
    option,
    prelude::*,
    sample::{Index, select},
};

use crate::support::{block_from, secret};

pub(crate) const KEYS: [&str; 3] = [
    "the first key of all",
    "the second key here",
    "the third key there",
];
pub(crate) const TIMES: [UnixSeconds; 3] = [UnixSeconds(5), UnixSeconds(15), UnixSeconds(25)];
const NAMESPACES: [&str; 2] = ["a", "b"];

/// A policy's admission, as a constant.
pub(crate) struct Admitted {
    own: &'static str,
    these: Option<&'static [&'static str]>,
}

pub(crate) const ADMISSIONS: [Admitted; 6] = [
    Admitted {
        own: "a",
        these: None,
    },
    Admitted {
        own: "c",
        these: None,
    },
    Admitted {
        own: "a",
        these: Some(&["a"]),
    },
    Admitted {
        own: "a",
        these: Some(&["b"]),
    },
    Admitted {
        own: "c",
        these: Some(&["a", "b"]),
    },
    Admitted {
        own: "b",
        these: Some(&["a", "b"]),
    },
];

impl Admitted {
    pub(crate) fn admission(&self) -> Admission {
        Admission {
            own: self.own.into(),
            namespaces: match self.these {
                None => Namespaces::All,
                Some(these) => Namespaces::These(these.iter().map(|&name| name.into()).collect()),
            },
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Apply(Fact),
    RelistApply(Fact),
    Delete(Kind, ObjectName),
    Begin(Kind, Option<&'static str>),
    End(Kind, Option<&'static str>),
    Peppers(Vec<Pepper>),
    Commit,
}

/// Two peppers, one with the id of the first and another secret, and one with the second's secret.
fn peppers() -> [Pepper; 4] {
    [("1", 1), ("2", 2), ("1", 3), ("4", 2)].map(|(id, secret)| Pepper::new(id, &[secret; 32]))
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Consumer), Just(Kind::Credential)]
}

/// What a list speaks of.
fn scope() -> impl Strategy<Value = (Kind, Option<&'static str>)> {
    (kind(), option::of(select(&NAMESPACES[..])))
}

fn object(names: &'static [&'static str]) -> impl Strategy<Value = ObjectName> {
    (select(&NAMESPACES[..]), select(names)).prop_map(|(namespace, name)| ObjectName::new(namespace, name))
}

fn name_of(kind: Kind) -> BoxedStrategy<ObjectName> {
    match kind {
        Kind::Consumer => object(&["alice", "bob"]).boxed(),
        Kind::Credential => object(&["c", "d", "e"]).boxed(),
    }
}

fn time() -> impl Strategy<Value = Option<UnixSeconds>> {
    option::weighted(0.2, select(&[UnixSeconds(10), UnixSeconds(20)][..]))
}

fn rarely() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.15)
}

fn uid() -> impl Strategy<Value = String> {
    select(&["u1", "u2"][..]).prop_map(str::to_owned)
}

fn consumer() -> impl Strategy<Value = Fact> {
    let seen = (
        uid(),
        select(&["", "A"][..]),
        option::of(Just("42".to_owned())),
        select(&[0, 1, 2][..]),
    );
    (name_of(Kind::Consumer), seen, rarely(), time(), rarely()).prop_map(
        |(name, (uid, username, custom_id, groups), disabled, expires, terminating)| {
            let username = if username.is_empty() {
                name.name.clone()
            } else {
                username.to_owned()
            };
            Fact::Consumer(ConsumerFacts {
                name,
                uid,
                username,
                custom_id,
                groups: ["g".to_owned(), "h".to_owned()][..groups].to_vec(),
                disabled,
                expires,
                terminating,
            })
        },
    )
}

/// Blocks of this credential or another one, of this source or another one, under any pepper.
fn published() -> impl Strategy<Value = PublishedKey> {
    (uid(), select(&KEYS[..]), 0..4_usize, rarely()).prop_map(|(uid, key, pepper, other_source)| {
        let mut source = secret();
        if other_source {
            source.key.push('x');
        }
        block_from(&uid, &source, key, &peppers()[pepper])
    })
}

fn source() -> impl Strategy<Value = Option<KeySource>> {
    let inline = select(&KEYS[..]).prop_map(|key| KeySource::Sha256(KeyHash::of(key.as_bytes())));
    let blocks = prop::collection::vec(published(), 0..4);
    prop_oneof![
        1 => Just(None),
        5 => inline.prop_map(Some),
        5 => blocks.prop_map(|blocks| Some(KeySource::Published(secret(), blocks))),
    ]
}

fn credential() -> impl Strategy<Value = Fact> {
    let times = (0..3_i64, time(), time());
    let names = (name_of(Kind::Credential), uid(), select(&["alice", "bob"][..]));
    (names, source(), times, rarely(), rarely()).prop_map(
        |((name, uid, consumer), source, (created, not_before, expires), disabled, terminating)| {
            Fact::Credential(CredentialFacts {
                name,
                uid,
                created: UnixSeconds(created),
                consumer: consumer.to_owned(),
                source,
                disabled,
                not_before,
                expires,
                terminating,
            })
        },
    )
}

fn fact() -> impl Strategy<Value = Fact> {
    let undecodable =
        kind().prop_flat_map(|kind| name_of(kind).prop_map(move |name| Fact::Undecodable(kind, name)));
    prop_oneof![3 => consumer(), 6 => credential(), 1 => undecodable]
}

/// A step, or one of the facts told so far once more, perhaps as that of another object of its name.
#[derive(Clone, Debug)]
enum Plan {
    Step(Box<Step>),
    Again(Index, bool),
}

fn recreated(fact: &mut Fact) {
    let (Fact::Consumer(ConsumerFacts { uid, .. }) | Fact::Credential(CredentialFacts { uid, .. })) = fact
    else {
        return;
    };
    *uid = if uid == "u1" { "u2" } else { "u1" }.to_owned();
}

fn steps_of(plans: Vec<Plan>) -> Vec<Step> {
    let mut told: Vec<Fact> = Vec::new();
    let mut steps = vec![Step::Peppers(peppers()[..1].to_vec())];
    for plan in plans {
        let step = match plan {
            Plan::Step(step) => *step,
            Plan::Again(..) if told.is_empty() => continue,
            Plan::Again(at, other_uid) => {
                let mut fact = at.get(&told).clone();
                if other_uid {
                    recreated(&mut fact);
                }
                Step::Apply(fact)
            }
        };
        if let Step::Apply(fact) | Step::RelistApply(fact) = &step {
            told.push(fact.clone());
        }
        steps.push(step);
    }
    steps
}

pub(crate) fn history() -> impl Strategy<Value = Vec<Step>> {
    let delete = kind().prop_flat_map(|kind| name_of(kind).prop_map(move |name| Step::Delete(kind, name)));
    let active = prop::collection::vec(select(peppers().to_vec()), 0..4);
    let step = prop_oneof![
        8 => fact().prop_map(Step::Apply),
        4 => fact().prop_map(Step::RelistApply),
        3 => delete,
        2 => scope().prop_map(|(kind, namespace)| Step::Begin(kind, namespace)),
        2 => scope().prop_map(|(kind, namespace)| Step::End(kind, namespace)),
        1 => active.prop_map(Step::Peppers),
        4 => Just(Step::Commit),
    ];
    let again = (any::<Index>(), any::<bool>()).prop_map(|(at, other_uid)| Plan::Again(at, other_uid));
    let plan = prop_oneof![7 => step.prop_map(|step| Plan::Step(Box::new(step))), 1 => again];
    prop::collection::vec(plan, 0..80).prop_map(steps_of)
}
