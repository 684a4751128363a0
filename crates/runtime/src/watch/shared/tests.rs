use std::io;

use http::{Request, Response};
use kube::client::Body;

use super::*;

fn shared(seed: u64) -> Shared {
    let nobody = tower::service_fn(async |_: Request<Body>| {
        Err::<Response<Body>, _>(io::Error::from(io::ErrorKind::ConnectionRefused))
    });
    Shared::new(Client::new(nobody, "default"), Tuning::default(), seed)
}

#[tokio::test]
async fn what_was_seen_before_the_store_was_put_back_is_not_held_after_it() {
    let shared = shared(1);
    shared.hold(0, 100);
    let held = shared.held();
    assert!(!shared.contacted(held, Some(100)));
    assert!(shared.contacted(held, Some(99)));
    // A watch that has not noticed yet.
    shared.hold(0, 101);
    assert!(!shared.contacted(shared.held(), Some(99)));
    shared.hold(1, 99);
    assert!(shared.contacted(shared.held(), Some(98)));
}

#[tokio::test]
async fn a_contact_that_was_asked_before_the_store_was_put_back_finds_nothing_new() {
    let shared = shared(1);
    shared.hold(0, 100);
    let before = shared.held();
    assert!(shared.contacted(before, Some(50)));
    assert!(!shared.contacted(before, Some(50)));
}

#[tokio::test]
async fn a_contact_without_a_version_finds_nothing() {
    let shared = shared(1);
    shared.hold(0, 100);
    assert!(!shared.contacted(shared.held(), None));
    assert!(shared.contact_age().is_some());
}

#[tokio::test]
async fn seeds_lead_to_different_waits() {
    let (one, two) = (shared(1), shared(2));
    let waits = |shared: &Shared| [0; 8].map(|_| shared.roll());
    assert_ne!(waits(&one), waits(&two));
    assert_ne!(one.roll(), one.roll());
}
