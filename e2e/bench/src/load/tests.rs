//! A load against a server that is played.

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use super::{
    answer::Reply,
    objects::{KINDS, Keys, Made},
    pool::{self, Job, Pace},
};
use latchkey_e2e::manifest::Manifest;

const FAST: Pace = Pace {
    at_once: 8,
    a_second: 0,
};

fn job(groups: usize) -> Job {
    Job {
        verb: "created",
        groups,
        objects: 2 * groups,
    }
}

fn holders() -> Made {
    Made::new("load", Keys::Hashes).expect("this machine has random numbers")
}

/// A server that gives the answers of each object in their order, then says that all is done.
struct Server {
    answers: fn(&Manifest) -> Vec<Result<Reply, String>>,
    asked: Mutex<BTreeMap<String, usize>>,
}

impl Server {
    fn new(answers: fn(&Manifest) -> Vec<Result<Reply, String>>) -> Self {
        Self {
            answers,
            asked: Mutex::default(),
        }
    }

    fn write(&self, object: &Manifest) -> Result<Reply, String> {
        let mut asked = self.asked.lock().unwrap();
        let times = asked
            .entry(format!("{} {}", object.kind(), object.name()))
            .or_default();
        *times += 1;
        let answers = (self.answers)(object);
        answers.into_iter().nth(*times - 1).unwrap_or(Ok(Reply::Done))
    }

    fn asked(&self) -> BTreeMap<String, usize> {
        self.asked.lock().unwrap().clone()
    }
}

#[test]
fn every_object_is_written_once_though_many_write_at_once() {
    let (server, made) = (Server::new(|_| Vec::new()), holders());
    let loaded = pool::run(job(100), FAST, |n| made.holder(n), |object| server.write(object)).unwrap();
    assert_eq!((loaded.changed, loaded.kept), (200, 0));
    let asked = server.asked();
    assert_eq!(asked.len(), 200);
    assert!(asked.values().all(|times| *times == 1));
}

#[test]
fn what_was_too_much_or_failed_is_asked_again_and_what_is_there_is_kept() {
    let server = Server::new(|object| match object.name() {
        "load-0000001" => vec![Ok(Reply::TooMany(Some(Duration::ZERO)))],
        "load-0000002" => vec![Ok(Reply::Fault(503)), Err("no answer".to_owned())],
        "load-0000003" => vec![Ok(Reply::Kept)],
        _ => Vec::new(),
    });
    let made = holders();
    let loaded = pool::run(job(10), FAST, |n| made.holder(n), |object| server.write(object)).unwrap();
    assert_eq!((loaded.changed, loaded.kept), (18, 2));
    assert_eq!((loaded.too_many, loaded.faults), (2, 4));
}

#[test]
fn a_refusal_ends_the_load_and_names_the_object_and_no_key() {
    let server = Server::new(|object| match (object.kind(), object.name()) {
        ("Credential", "load-0000000") => vec![Ok(Reply::Refused(403, "Forbidden".to_owned()))],
        _ => Vec::new(),
    });
    let made = holders();
    let slow = Pace {
        at_once: 1,
        a_second: 0,
    };
    let failed = pool::run(
        job(1_000),
        slow,
        |n| made.holder(n),
        |object| server.write(object),
    )
    .unwrap_err();
    assert_eq!(
        failed.to_string(),
        "Credential load/load-0000000 is refused: 403 Forbidden"
    );
    assert_eq!(server.asked().len(), 2, "nothing is written after it");
}

#[test]
fn a_rate_spreads_the_writes() {
    let (server, made) = (Server::new(|_| Vec::new()), holders());
    let pace = Pace {
        at_once: 8,
        a_second: 1_000,
    };
    let loaded = pool::run(job(50), pace, |n| made.holder(n), |object| server.write(object)).unwrap();
    // The hundredth is due 99 thousandths of a second after the first.
    assert!(loaded.took >= Duration::from_millis(99), "{loaded}");
}

#[test]
fn all_objects_bear_the_label_and_are_of_kinds_that_are_deleted() {
    for keys in [Keys::Hashes, Keys::Secrets] {
        let made = Made::new("load", keys).unwrap();
        let holder = made.holder(7);
        assert_eq!(holder.len(), keys.objects());
        for object in holder {
            let label = object
                .json()
                .pointer("/metadata/labels/app.kubernetes.io~1managed-by");
            assert_eq!(label.and_then(|label| label.as_str()), Some("latchkey-load"));
            assert!(KINDS.contains(&(object.api_version(), object.kind())));
        }
    }
}

#[test]
fn no_two_loads_make_the_same_keys() {
    let hash = |made: &Made| made.holder(0)[1].json()["spec"]["apiKey"]["sha256"].clone();
    assert_ne!(hash(&holders()), hash(&holders()));
}
