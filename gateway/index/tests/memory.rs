//! What a credential and its consumer cost in memory, in the ledger and the snapshot together.

mod support;

use latchkey_index::object::KeySource;
use support::{World, block_of, consumer, credential, pepper, published};

const PAIRS: u64 = 20_000;
/// Bytes that are asked for; an allocator adds some tenth. The budget of the whole gateway is 600 a
/// pair.
const BUDGET: u64 = 530;

fn filled(credential: impl Fn(u64) -> support::Applied) -> World {
    let mut world = World::new();
    for n in 0..PAIRS {
        let mut consumer = consumer(&format!("team-{}/consumer-{n:06}", n % 100));
        consumer.uid = "5f0c8f4e-7c3c-4f0e-9a53-1d2b6f3c9a10".to_owned();
        consumer.groups = vec!["standard".to_owned()];
        world.add(consumer);
        world.add(credential(n));
        // Batches as an informer makes them; each leaves pages behind that are not shared.
        if n % 512 == 0 {
            world.commit();
        }
    }
    world.commit();
    world
}

/// What `work` left allocated.
fn grown(work: impl FnOnce()) -> u64 {
    let grown = allocation_counter::measure(work).bytes_current;
    u64::try_from(grown).unwrap_or_default()
}

fn name(n: u64) -> String {
    format!("team-{}/credential-{n:06}", n % 100)
}

fn who(n: u64) -> String {
    format!("consumer-{n:06}")
}

fn key(n: u64) -> String {
    format!("a key for memory {n}")
}

#[test]
fn a_credential_and_its_consumer_fit_their_budget() {
    let mut world = None;
    let inline = |n| credential(&name(n), &who(n), &key(n)).into();
    let bytes = grown(|| world = Some(filled(inline))) / PAIRS;
    assert!(bytes <= BUDGET, "{bytes} bytes with an inline digest");

    let peppers = [pepper("1")];
    let secret = |n| published(&name(n), &who(n), &key(n), &peppers).into();
    let bytes = grown(|| world = Some(filled(secret))) / PAIRS;
    drop(world);
    assert!(bytes <= BUDGET, "{bytes} bytes with a published digest");
}

/// A status that is written again, and says the same, leaves one copy of each entry.
#[test]
fn an_update_that_changes_no_answer_takes_no_memory() {
    let peppers = [pepper("1")];
    let mut world = filled(|n| published(&name(n), &who(n), &key(n), &peppers).into());
    let bytes = grown(|| {
        for n in 0..PAIRS {
            let mut facts = published(&name(n), &who(n), &key(n), &peppers);
            if let Some(KeySource::Published(_, blocks)) = &mut facts.source {
                blocks[0] = block_of(&facts.uid, &key(n), &peppers[0], "2");
            }
            world.add(facts);
        }
        assert!(!world.commit().changed);
    });
    assert!(bytes / PAIRS <= 1, "{bytes} bytes more");
}
