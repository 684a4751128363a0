//! What a credential and its consumer cost in memory, in the ledger and the snapshot together.

mod support;

use support::{World, consumer, credential, pepper, published};

const PAIRS: u64 = 50_000;
/// Bytes that are asked for; an allocator adds some tenth. The budget of the whole gateway is 600 a
/// pair.
const BUDGET: u64 = 520;

fn bytes_a_pair(credential: impl Fn(u64) -> support::Applied) -> u64 {
    let mut kept = None;
    let info = allocation_counter::measure(|| {
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
        kept = Some(world);
    });
    drop(kept);
    u64::try_from(info.bytes_current).expect("more was allocated than freed") / PAIRS
}

#[test]
fn a_credential_and_its_consumer_fit_their_budget() {
    let name = |n: u64| format!("team-{}/credential-{n:06}", n % 100);
    let who = |n: u64| format!("consumer-{n:06}");
    let key = |n: u64| format!("a key for memory {n}");
    let peppers = [pepper("1")];
    let inline = bytes_a_pair(|n| credential(&name(n), &who(n), &key(n)).into());
    let secret = bytes_a_pair(|n| published(&name(n), &who(n), &key(n), &peppers).into());
    assert!(inline <= BUDGET, "{inline} bytes with an inline digest");
    assert!(secret <= BUDGET, "{secret} bytes with a published digest");
}
