//! I1: a change writes as many pages among 50,000 credentials as among 1,000.

mod support;

use latchkey_core::digest::KeyHash;
use latchkey_index::object::{KeySource, Kind};
use support::{World, consumer, credential, name};

fn filled(size: usize) -> World {
    let mut world = World::new();
    for n in 0..size {
        world.add(consumer(&format!("ns/consumer-{n}")));
        let facts = credential(&format!("ns/credential-{n}"), &format!("consumer-{n}"), &key(n));
        world.add(facts);
    }
    world.commit();
    world
}

fn key(n: usize) -> String {
    format!("the key of number {n}")
}

/// Pages written by each of 20 changes of each sort, one commit each: the most of each sort.
fn most_pages(world: &mut World) -> [(&'static str, usize); 6] {
    let mut most = [
        ("a new pair", 0),
        ("another key", 0),
        ("a consumer's groups", 0),
        ("a disabled credential", 0),
        ("a deleted credential", 0),
        ("a deleted consumer", 0),
    ];
    for n in 0..20 {
        let (who, what) = (format!("ns/new-{n}"), format!("ns/new-{n}"));
        let mut facts = credential(&what, &format!("new-{n}"), &format!("a new key, number {n}"));
        world.add(consumer(&who));
        let mut written = [0; 6];
        written[0] = world.apply(facts.clone()).pages_written;
        facts.source = Some(KeySource::Sha256(KeyHash::of(format!("rotated {n}").as_bytes())));
        written[1] = world.apply(facts.clone()).pages_written;
        let mut changed = consumer(&who);
        changed.groups = vec!["group".to_owned()];
        written[2] = world.apply(changed).pages_written;
        facts.disabled = true;
        written[3] = world.apply(facts).pages_written;
        written[4] = world.delete(Kind::Credential, &what).pages_written;
        written[5] = world.delete(Kind::Consumer, &who).pages_written;
        for ((_, most), written) in most.iter_mut().zip(written) {
            assert!(written > 0);
            *most = written.max(*most);
        }
    }
    most
}

#[test]
fn a_change_writes_as_many_pages_among_50_000_as_among_1_000() {
    let few = most_pages(&mut filled(1_000));
    let many = most_pages(&mut filled(50_000));
    for ((what, few), (_, many)) in few.into_iter().zip(many) {
        // A deeper slot array, and now and then a page that splits or merges.
        assert!(
            many <= few + 4,
            "{what}: {few} pages among 1,000 and {many} among 50,000"
        );
        assert!(many <= 12, "{what}: {many} pages");
    }
}

#[test]
fn a_batch_writes_less_than_its_changes_one_by_one() {
    let mut world = filled(1_000);
    for n in 0..100 {
        let mut changed = consumer(&format!("ns/consumer-{n}"));
        changed.disabled = true;
        world.add(changed);
    }
    let batch = world.commit();
    assert!(batch.changed);
    assert_eq!(batch.events, 100);
    assert!(batch.pages_written <= 10, "{} pages", batch.pages_written);
}

#[test]
fn a_consumer_of_many_credentials_changes_in_one_slot() {
    let mut world = World::of([consumer("ns/shared").into()]);
    for n in 0..2_000 {
        world.add(credential(&format!("ns/c-{n}"), "shared", &key(n)));
    }
    world.commit();
    let mut changed = consumer("ns/shared");
    changed.username = "renamed".to_owned();
    assert!(world.apply(changed).pages_written <= 2);
    assert_eq!(world.who(&key(1_999)), Ok("renamed".into()));
    world.index.delete(Kind::Consumer, &name("ns/shared"));
    assert!(world.commit().pages_written <= 2);
}
