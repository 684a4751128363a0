use std::time::Duration;

use super::*;

/// Connections that were opened together do not end together, and none is much older than it may be.
#[test]
fn ages_are_spread() {
    let config = PoolConfig {
        max_age: Duration::from_secs(100),
        ..PoolConfig::default()
    };
    let pool = Pool::new(config, Arc::default());
    let start = Instant::now();
    let ages: Vec<_> = (0..=8_u64)
        .map(|eighth| pool.retirement((eighth << 13).min((1 << 16) - 1)) - start)
        .collect();
    assert!(
        ages.is_sorted_by(|a, b| *b > *a + Duration::from_secs(4)),
        "{ages:?}"
    );
    assert!(
        ages[0] >= Duration::from_secs(80) && ages[8] <= Duration::from_secs(121),
        "{ages:?}"
    );
}
