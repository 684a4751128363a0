use super::*;

const SECOND: Duration = Duration::from_secs(1);
const CONFIG: EjectionConfig = EjectionConfig {
    failures: 3,
    shortest: SECOND,
    longest: Duration::from_secs(30),
};

fn address(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn health() -> Health {
    Health::new(CONFIG, 5 * SECOND)
}

/// What happens to one endpoint at some second, and what is found of it right after.
#[derive(Clone, Copy)]
enum Event {
    Fails,
    Connects,
    IsChosen,
    IsLookedAt,
}
/// When, what, and whether the endpoint is out then.
type Step = (u32, Event, bool);
use Event::{Connects, Fails, IsChosen, IsLookedAt};

/// With a roll of zero the n-th time out is half of what is due, which is 2^n seconds.
#[test]
fn an_endpoint_goes_out_and_comes_back() {
    let cases: &[(&str, &[Step])] = &[
        ("too few", &[(0, Fails, false), (0, Fails, false)]),
        (
            "enough",
            &[(0, Fails, false), (0, Fails, false), (0, Fails, true)],
        ),
        (
            "not in a row",
            &[
                (0, Fails, false),
                (0, Fails, false),
                (0, Connects, false),
                (0, Fails, false),
                (0, Fails, false),
                (0, Fails, true),
            ],
        ),
        (
            "attempts that began before say nothing new",
            &[
                (0, Fails, false),
                (0, Fails, false),
                (0, Fails, true),
                (0, Fails, true),
                (0, Fails, true),
                (1, IsLookedAt, false),
            ],
        ),
        (
            "one tries it, the others do not",
            &[
                (0, Fails, false),
                (0, Fails, false),
                (0, Fails, true),
                (1, IsLookedAt, false),
                (1, IsChosen, true),
                (5, IsLookedAt, true),
                // Whoever tried it went away.
                (6, IsLookedAt, false),
                (6, IsChosen, true),
                (7, Connects, false),
            ],
        ),
        (
            "each time longer",
            &[
                (0, Fails, false),
                (0, Fails, false),
                (0, Fails, true),
                (1, IsChosen, true),
                (1, Fails, true),
                (2, IsLookedAt, true),
                (3, IsChosen, true),
                (3, Fails, true),
                (6, IsLookedAt, true),
                (7, IsLookedAt, false),
            ],
        ),
        (
            "a success begins anew",
            &[
                (0, Fails, false),
                (0, Fails, false),
                (0, Fails, true),
                (1, Fails, true),
                (3, Connects, false),
                (3, Fails, false),
                (3, Fails, false),
                (3, Fails, true),
                (4, IsLookedAt, false),
            ],
        ),
    ];
    let start = Instant::now();
    for (what, events) in cases {
        let mut health = health();
        for (step, (second, event, out)) in events.iter().enumerate() {
            let now = start + *second * SECOND;
            match event {
                Fails => drop(health.failed(address(1), now, 0)),
                Connects => health.succeeded(address(1)),
                IsChosen => health.chosen(address(1), now),
                IsLookedAt => {}
            }
            assert_eq!(health.is_out(address(1), now), *out, "{what}: step {step}");
            assert!(!health.is_out(address(2), now), "{what}: step {step}");
        }
    }
}

#[test]
fn the_time_out_grows_has_a_limit_and_is_spread() {
    for roll in [0, 1 << 15, (1 << 16) - 1] {
        let mut health = health();
        let mut now = Instant::now();
        let mut waits = Vec::new();
        while waits.len() < 12 {
            if health.failed(address(1), now, roll) {
                let since = now;
                while health.is_out(address(1), now) {
                    now += SECOND / 100;
                }
                waits.push(now - since);
            }
        }
        assert!(waits.is_sorted(), "{waits:?}");
        assert!(waits[0] >= SECOND && waits[0] <= 2 * SECOND, "{waits:?}");
        let last = waits[11];
        assert!(last >= CONFIG.longest / 2 && last <= CONFIG.longest, "{waits:?}");
        if roll > 0 {
            assert!(last > CONFIG.longest / 2 + SECOND, "{waits:?}");
        }
    }
}

#[test]
fn going_out_is_told_once_a_time() {
    let now = Instant::now();
    let mut health = health();
    let told: Vec<_> = (0..6).map(|_| health.failed(address(1), now, 0)).collect();
    assert_eq!(told, [false, false, true, false, false, false]);
    assert_eq!(health.count_out(), 1);
    health.failed(address(2), now, 0);
    assert_eq!(health.count_out(), 1);
}

#[test]
fn who_was_not_heard_of_for_long_is_forgotten() {
    let start = Instant::now();
    let mut health = health();
    health.failed(address(1), start, 0);
    for _ in 0..3 {
        health.failed(address(2), start + 30 * SECOND, 0);
    }
    health.sweep(start + 59 * SECOND);
    assert_eq!(health.failing.len(), 2);
    health.sweep(start + 60 * SECOND);
    assert_eq!(health.failing.len(), 1);
    health.sweep(start + 90 * SECOND);
    assert!(health.is_fine());
}

/// However many endpoints fail.
#[test]
fn what_is_known_is_bounded() {
    let now = Instant::now();
    let mut health = health();
    for port in 0..=u16::MAX {
        for _ in 0..3 {
            health.failed(address(port), now, 0);
        }
    }
    assert_eq!(health.failing.len(), MAX_KNOWN);
    assert!(!health.is_out(address(u16::MAX), now));
}
