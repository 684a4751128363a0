mod fixture;
mod orders;

use serde_json::json;

use super::super::{
    testing::{
        KEY, NEW_KEY, by_secret, credential, found, inline, named, pepper, published, said, secret, time,
        written,
    },
    world::Kind,
};
use super::*;
use fixture::{Fixture, ends};

#[test]
fn a_credential_and_its_secret_that_come_together_cost_one_read_and_one_write() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show(credential("c", 1, &by_secret("s")));
    let step = f.begin("c");
    let step = f.read(step, found(&s));
    f.show_secret(&s);
    let (step, object) = f.write(step);
    assert_eq!(ends(&step), (Outcome::Written, After::Nothing));
    assert!(matches!(
        ends(&f.begin("c")),
        (Outcome::Superseded, After::Wait(_))
    ));
    f.show(object);
    assert_eq!(f.settle("c", None), Outcome::Unchanged);
    assert_eq!((f.reads, f.writes), (1, 1));
}

#[test]
fn what_stands_from_the_present_version_is_not_read_again_after_a_restart() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    let object = f.credentials["c"].clone();
    let mut f = Fixture::new();
    f.show(object);
    f.show_secret(&s);
    assert_eq!(f.settle("c", None), Outcome::Unchanged);
    assert_eq!((f.reads, f.writes), (0, 0));
}

#[test]
fn what_does_not_resolve_is_not_asked_again_until_its_secret_moves() {
    let mut f = Fixture::new();
    f.show(credential("c", 1, &by_secret("s")));
    assert_eq!(f.settle("c", None), Outcome::Written);
    assert_eq!(f.settle("c", None), Outcome::Unchanged);
    assert_eq!(f.reads, 1);
    let s = secret("s", "5", KEY.as_bytes());
    f.show_secret(&s);
    assert_eq!(f.settle("c", Some(&s)), Outcome::Written);
    assert!(said(f.status("c")).ends_with("Ready=True/Ready"));
}

#[test]
fn a_changed_secret_is_read_and_a_deleted_one_withdrawn() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show_secret(&s);
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    let s = secret("s", "6", NEW_KEY.as_bytes());
    f.show_secret(&s);
    assert_eq!(f.settle("c", Some(&s)), Outcome::Written);
    assert_eq!(published(f.status("c")), [("p1".to_owned(), "6".to_owned())]);
    f.reconciler.world.delete(Kind::Secret, &named("s"));
    assert_eq!(f.settle("c", None), Outcome::Written);
    assert!(published(f.status("c")).is_empty());
}

#[test]
fn a_secret_that_is_being_deleted_is_withdrawn_without_a_read() {
    let mut f = Fixture::new();
    let mut s = secret("s", "5", KEY.as_bytes());
    f.show_secret(&s);
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    s["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z".into();
    s["metadata"]["resourceVersion"] = "6".into();
    f.show_secret(&s);
    f.settle("c", None);
    assert!(published(f.status("c")).is_empty());
    assert_eq!(f.reads, 1);
}

#[test]
fn a_read_that_ends_after_the_credential_changed_is_dropped() {
    let mut f = Fixture::new();
    f.show(credential("c", 1, &by_secret("s")));
    let step = f.begin("c");
    let mut changed = credential("c", 1, &by_secret("t"));
    changed["metadata"]["resourceVersion"] = "2".into();
    f.show(changed);
    let step = f.read(step, found(&secret("s", "5", KEY.as_bytes())));
    assert_eq!(ends(&step), (Outcome::Superseded, After::Again));
}

#[test]
fn a_read_that_ends_after_its_secret_changed_is_dropped_unless_it_brought_just_that() {
    let [old, new] = [("5", KEY), ("6", NEW_KEY)].map(|(version, key)| secret("s", version, key.as_bytes()));
    let deleted: Option<&Value> = None;
    for (meanwhile, read, drops) in [
        (Some(&new), Some(&old), true),
        (Some(&new), Some(&new), false),
        (Some(&new), deleted, true),
        (deleted, Some(&new), true),
        (deleted, deleted, false),
    ] {
        let mut f = Fixture::new();
        f.show(credential("c", 1, &by_secret("s")));
        f.show_secret(&old);
        let step = f.begin("c");
        match meanwhile {
            Some(secret) => f.show_secret(secret),
            None => f.reconciler.world.delete(Kind::Secret, &named("s")),
        }
        let step = f.read(step, read.map_or(Read::NotFound, found));
        if drops {
            assert_eq!(ends(&step), (Outcome::Superseded, After::Again));
            f.settle("c", meanwhile);
        } else {
            f.write(step);
        }
        assert_eq!(f.writes, 1, "{meanwhile:?} {read:?}");
    }
}

#[test]
fn a_conflict_waits_for_the_newer_version_and_then_reads_it_live() {
    let mut f = Fixture::new();
    f.show(credential("c", 1, &inline(KEY)));
    let Step::Write(attempt, ..) = f.begin("c") else {
        panic!("writes");
    };
    let step = f.reconciler.written(&attempt, &Written::Conflict, f.now);
    assert_eq!(ends(&step), (Outcome::Superseded, After::Wait(CATCH_UP)));
    assert!(
        matches!(ends(&f.begin("c")), (_, After::Wait(_))),
        "the same version is past"
    );
    f.now += CATCH_UP;
    assert!(matches!(f.begin("c"), Step::ReadCredential(_)));
    let mut newer = credential("c", 1, &inline(KEY));
    newer["metadata"]["resourceVersion"] = "7".into();
    let step = f.reconciler.credential_read(Ok(Some(newer)), &time(0));
    let Step::Write(_, target, _) = step else {
        panic!("writes: {step:?}");
    };
    assert_eq!(target.resource_version, "7");
    let gone = f.reconciler.credential_read(Ok(None), &time(0));
    assert_eq!(ends(&gone), (Outcome::Gone, After::Nothing));
    let failed = f.reconciler.credential_read(Err(()), &time(0));
    assert_eq!(ends(&failed), (Outcome::Failed, After::Retry));
}

#[test]
fn a_read_that_fails_keeps_what_was_published_and_is_tried_again() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show_secret(&s);
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    f.show_secret(&secret("s", "6", NEW_KEY.as_bytes()));
    let step = f.begin("c");
    let step = f.read(step, Read::Failed("500".to_owned()));
    let (step, object) = f.write(step);
    assert_eq!(ends(&step), (Outcome::Failed, After::Retry));
    f.show(object);
    assert_eq!(published(f.status("c")), [("p1".to_owned(), "5".to_owned())]);
    assert!(said(f.status("c")).ends_with("Ready=Unknown/SecretUnreadable"));
    let step = f.begin("c");
    let step = f.read(step, Read::Failed("500".to_owned()));
    assert_eq!(ends(&step), (Outcome::Failed, After::Retry), "without a write");
    assert_eq!(
        f.settle("c", Some(&secret("s", "6", NEW_KEY.as_bytes()))),
        Outcome::Written
    );
    assert_eq!(published(f.status("c")), [("p1".to_owned(), "6".to_owned())]);
}

#[test]
fn a_block_that_a_stranger_wrote_is_replaced_and_counted() {
    let s = secret("s", "5", KEY.as_bytes());
    let mut neighbour = Fixture::new();
    neighbour.show(credential("n", 1, &by_secret("s")));
    neighbour.settle("n", Some(&s));
    let copied = neighbour.status("n")["published"].clone();

    let mut f = Fixture::new();
    f.show_secret(&s);
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    let right = f.status("c")["published"].clone();
    let mut forged = right.clone();
    forged[0]["digest"] = "0".repeat(64).into();
    let newer = secret("s", "6", NEW_KEY.as_bytes());
    f.show_secret(&newer);
    f.settle("c", Some(&newer));
    let newest = f.status("c")["published"].clone();
    for (case, strange) in [("copied", copied), ("forged", forged), ("an older one", right)] {
        let mut object = f.credentials["c"].clone();
        object["status"]["published"] = strange;
        f.version += 1;
        object["metadata"]["resourceVersion"] = f.version.to_string().into();
        f.show(object);
        let step = f.begin("c");
        let step = f.read(step, found(&newer));
        let Step::Write(attempt, ..) = &step else {
            panic!("{case}: {step:?}");
        };
        assert_eq!(attempt.refused(), 1, "{case}");
        let (_, object) = f.write(step);
        f.show(object);
        assert_eq!(f.status("c")["published"], newest, "{case}");
        assert_eq!(f.settle("c", None), Outcome::Unchanged);
    }
}

#[test]
fn a_rotation_is_no_stranger_even_if_its_write_had_to_be_tried_again() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show_secret(&s);
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    let newer = secret("s", "6", NEW_KEY.as_bytes());
    f.show_secret(&newer);
    for _ in 0..2 {
        let step = f.begin("c");
        let step = f.read(step, found(&newer));
        let Step::Write(attempt, ..) = step else {
            panic!("writes");
        };
        assert_eq!(attempt.refused(), 0);
        let failed = Written::Failed("500".to_owned());
        let step = f.reconciler.written(&attempt, &failed, f.now);
        assert_eq!(ends(&step), (Outcome::Failed, After::Retry));
    }
}

#[test]
fn a_younger_one_with_the_same_key_is_conflicted_in_its_first_write() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show(credential("old", 1, &by_secret("s")));
    f.settle("old", Some(&s));
    f.show(credential("new", 2, &by_secret("t")));
    f.settle("new", Some(&secret("t", "9", KEY.as_bytes())));
    assert!(said(f.status("new")).ends_with("Ready=False/Conflicted"));
    assert_eq!(
        published(f.status("new")).len(),
        1,
        "gateways know it, for when the owner goes"
    );
    f.reconciler.world.take_touched();
    f.reconciler.world.delete(Kind::Credential, &named("old"));
    assert!(f.reconciler.world.take_touched().contains(&named("new")));
    f.settle("new", None);
    assert!(said(f.status("new")).ends_with("Ready=True/Ready"));
    assert_eq!(f.reads, 2);
}

#[test]
fn one_that_is_deleted_or_being_deleted_is_left_alone_and_forgotten() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    let mut object = f.credentials["c"].clone();
    object["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z".into();
    object["metadata"]["resourceVersion"] = "90".into();
    f.show(object);
    f.show_secret(&secret("s", "6", NEW_KEY.as_bytes()));
    assert_eq!(f.settle("c", None), Outcome::Gone);
    f.reconciler.world.delete(Kind::Credential, &named("c"));
    assert_eq!(f.settle("c", None), Outcome::Gone);
    assert_eq!(f.writes, 1);
}

#[test]
fn a_second_pepper_is_published_too_and_the_first_taken_back_without_a_read() {
    let mut f = Fixture::new();
    let s = secret("s", "5", KEY.as_bytes());
    f.show_secret(&s);
    f.show(credential("c", 1, &by_secret("s")));
    f.settle("c", Some(&s));
    f.reconciler.world.set_peppers(vec![pepper(1), pepper(2)]);
    f.settle("c", Some(&s));
    let ids = |f: &Fixture| {
        published(f.status("c"))
            .into_iter()
            .map(|(id, _)| id)
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(&f), ["p1", "p2"]);
    f.reconciler.world.set_peppers(vec![pepper(2)]);
    f.settle("c", Some(&s));
    assert_eq!(ids(&f), ["p2"]);
    assert_eq!((f.reads, f.writes), (2, 3));
}
