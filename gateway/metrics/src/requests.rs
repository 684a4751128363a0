//! The families of requests, by route, from the workers' counters.

use latchkey_core::object::ObjectName;
use latchkey_snapshot::counters::{LATENCY_BOUNDS_MICROS, Registry, RouteTotals};

use crate::{
    Source,
    encode::{Labels, Text},
    families::{NO_CODE, NO_ROUTE, OTHER, REQUEST_DURATION, REQUESTS, REQUESTS_IN_FLIGHT},
};

/// Requests as all workers counted them.
#[derive(Debug)]
pub struct Requests {
    registry: Registry,
    /// The histogram's bounds in seconds, as text.
    bounds: Vec<String>,
}

impl Requests {
    /// Renders what this registry's workers count.
    pub fn new(registry: Registry) -> Self {
        let seconds = |micros: &u64| {
            std::time::Duration::from_micros(*micros)
                .as_secs_f64()
                .to_string()
        };
        Self {
            registry,
            bounds: LATENCY_BOUNDS_MICROS.iter().map(seconds).collect(),
        }
    }
}

impl Source for Requests {
    fn render(&mut self, text: &mut Text) {
        // One reading for all families, so that they agree with each other.
        let mut routes: Vec<(Labels, RouteTotals)> = Vec::new();
        self.registry
            .for_each(|route, totals| routes.push((labels(route), totals.clone())));

        let mut samples = text.family(&REQUESTS);
        for (route, totals) in &routes {
            for request in &totals.requests {
                let mut digits = itoa::Buffer::new();
                let code = match request.code {
                    0 => NO_CODE,
                    code => digits.format(code),
                };
                samples.value(route, &[code, request.reason.as_str()], request.count);
            }
            if totals.other > 0 {
                samples.value(route, &[OTHER, OTHER], totals.other);
            }
        }
        let mut samples = text.family(&REQUEST_DURATION);
        for (route, totals) in &routes {
            let sum = std::time::Duration::from_micros(totals.sum_micros).as_secs_f64();
            samples.histogram(route, &self.bounds, &totals.buckets, sum);
        }
        let mut samples = text.family(&REQUESTS_IN_FLIGHT);
        for (route, totals) in &routes {
            samples.value(route, &[], totals.in_flight);
        }
    }
}

/// `route` is the first label of all three families.
fn labels(route: Option<&ObjectName>) -> Labels {
    match route {
        Some(name) => Labels::of(&REQUESTS, &[&name.to_string()]),
        None => Labels::of(&REQUESTS, &[NO_ROUTE]),
    }
}
