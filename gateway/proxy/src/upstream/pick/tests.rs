use std::{sync::Arc, time::Duration};

use latchkey_routing::endpoints::EndpointCell;

use super::*;
use crate::config::EjectionConfig;

fn addresses(count: u16) -> Vec<SocketAddr> {
    (0..count)
        .map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
        .collect()
}

fn backends(entries: Vec<(u64, Backend)>) -> Backends {
    Backends { cumulative: entries }
}

fn health(out: &[SocketAddr], now: Instant) -> RefCell<Health> {
    let mut health = Health::new(EjectionConfig::default(), Duration::from_secs(5));
    for address in out {
        for _ in 0..EjectionConfig::default().failures {
            health.failed(*address, now, 0);
        }
    }
    RefCell::new(health)
}

#[test]
fn an_alternate_is_another_endpoint() {
    let random = Random::new(1);
    let cell = Arc::new(EndpointCell::new(addresses(3)));
    let backends = backends(vec![(1, Backend::Endpoints(cell))]);
    let health = health(&[], Instant::now());
    for _ in 0..100 {
        let target = pick(&backends, &random, &health, Instant::now).unwrap();
        assert_ne!(target.alternate.unwrap(), target.first);
    }
}

#[test]
fn a_lone_endpoint_has_no_alternate() {
    let now = Instant::now();
    let endpoints = addresses(1);
    for out in [&endpoints[..0], &endpoints[..]] {
        let target = among(&endpoints, &Random::new(1), &health(out, now), || now).unwrap();
        assert_eq!((target.first, target.alternate), (endpoints[0], None));
    }
}

#[test]
fn what_cannot_serve_says_why() {
    let random = Random::new(1);
    let health = health(&[], Instant::now());
    let none = Arc::new(EndpointCell::new(vec![]));
    for (entries, reason) in [
        (vec![], Reason::NoBackend),
        (
            vec![(1, Backend::Invalid(Reason::BackendInvalid))],
            Reason::BackendInvalid,
        ),
        (vec![(1, Backend::Endpoints(none))], Reason::NoEndpoint),
    ] {
        let picked = pick(&backends(entries), &random, &health, Instant::now);
        assert_eq!(picked, Err(reason));
    }
}

/// How often each endpoint was picked first, and how often as the alternate.
fn picked(endpoints: &[SocketAddr], out: &[SocketAddr], rounds: usize) -> Vec<(usize, usize)> {
    let now = Instant::now();
    let health = health(out, now);
    let random = Random::new(7);
    let mut counts = vec![(0, 0); endpoints.len()];
    let at = |address| {
        endpoints
            .iter()
            .position(|endpoint| *endpoint == address)
            .unwrap()
    };
    for _ in 0..rounds {
        let target = among(endpoints, &random, &health, || now).unwrap();
        counts[at(target.first)].0 += 1;
        if let Some(alternate) = target.alternate {
            assert_ne!(alternate, target.first);
            counts[at(alternate)].1 += 1;
        }
    }
    counts
}

#[test]
fn those_that_are_out_are_left_out_and_the_others_share_alike() {
    let endpoints = addresses(5);
    let counts = picked(&endpoints, &endpoints[1..3], 9000);
    for (index, (first, alternate)) in counts.into_iter().enumerate() {
        if (1..3).contains(&index) {
            assert_eq!((first, alternate), (0, 0), "endpoint {index}");
        } else {
            assert!((2800..3200).contains(&first), "endpoint {index}: {first}");
        }
    }
}

#[test]
fn the_only_one_that_is_left_is_found_among_many() {
    let endpoints = addresses(500);
    let counts = picked(&endpoints, &endpoints[1..], 1000);
    assert_eq!(counts[0].0, 1000);
}

#[test]
fn where_all_are_out_all_are_tried() {
    let endpoints = addresses(4);
    for (first, alternate) in picked(&endpoints, &endpoints, 4000) {
        assert!((800..1200).contains(&first), "{first}");
        assert!((800..1200).contains(&alternate), "{alternate}");
    }
}

/// Pearson's statistic against the wanted shares stays under its 99.9 % quantile for three degrees of
/// freedom. What is left out in one backend moves nothing to another.
#[test]
fn weights_are_kept_whatever_the_endpoints() {
    const ROUNDS: u32 = 100_000;
    const QUANTILE: f64 = 16.27;
    let now = Instant::now();
    let weights: [u32; 5] = [1, 3, 0, 6, 90];
    let all: Vec<SocketAddr> = addresses(15);
    let mut upto = 0;
    let mut entries = Vec::new();
    for (weight, endpoints) in weights.iter().zip(all.chunks(3)) {
        upto += u64::from(*weight);
        let cell = Arc::new(EndpointCell::new(endpoints.to_vec()));
        entries.push((upto, Backend::Endpoints(cell)));
    }
    let backends = backends(entries);
    // Two of three of the first, all of the second, one of the last.
    let out = [all[0], all[1], all[3], all[4], all[5], all[14]];
    for out in [&[][..], &out] {
        let health = health(out, now);
        let random = Random::new(11);
        let mut counts = [0_u32; 5];
        for _ in 0..ROUNDS {
            let target = pick(&backends, &random, &health, || now).unwrap();
            counts[usize::from(target.first.port() / 3)] += 1;
        }
        assert_eq!(counts[2], 0, "a weight of zero");
        let total: u32 = weights.iter().sum();
        let statistic: f64 = weights
            .iter()
            .zip(counts)
            .filter(|(weight, _)| **weight > 0)
            .map(|(weight, count)| {
                let wanted = f64::from(ROUNDS) * f64::from(*weight) / f64::from(total);
                (f64::from(count) - wanted).powi(2) / wanted
            })
            .sum();
        assert!(statistic < QUANTILE, "{statistic}: {counts:?}");
    }
}
