//! How the watches of an API server fare.

use std::time::Duration;

use crate::{
    Source,
    encode::{Family, Labels, Text, Value},
    families::{
        CLOCK_SKEW, CONTACT_AGE, CONTACT_FAILURES, DELETIONS_HELD, DELETIONS_IGNORED, LIST_CORRECTIONS,
        OPENINGS_HELD, PUBLISHED_BLOCKS_REFUSED, STORE_ROLLBACKS, UNDECODABLE_OBJECTS, WATCH_EVENTS,
        WATCH_LIST_FAILURES, WATCH_LISTS, WATCH_MISSING, WATCH_RESTARTS, WATCH_WORKING,
    },
};

/// All watches.
#[derive(Clone, Debug, Default)]
pub struct Watches {
    /// How long ago the server last answered; `None` before it did.
    pub contact_age: Option<Duration>,
    /// By how many seconds this clock is ahead of the server's; `None` before it is known.
    pub clock_skew: Option<f64>,
    /// Contacts that failed since start.
    pub contact_failures: u64,
    /// How often the server's store was found put back since start.
    pub rollbacks: u64,
    /// Blocks with a wrong tag since start.
    pub refused_blocks: u64,
    /// Consumers and Credentials of which a list said something else than was in force, since serving began.
    pub corrections: u64,
    /// Deletions that wait until it is known whether their kind stands.
    pub deletions_held: usize,
    /// Changes that wait until every AuthPolicy that was there before them is known.
    pub openings_held: usize,
    /// By kind.
    pub kinds: Vec<KindWatches>,
}

/// The watches of one kind.
#[derive(Clone, Debug, Default)]
pub struct KindWatches {
    /// As manifests spell it.
    pub kind: &'static str,
    /// Complete lists since start.
    pub lists: u64,
    /// Lists that failed since start.
    pub list_failures: u64,
    /// Changes since start.
    pub events: u64,
    /// Ends of watches since start, by cause.
    pub restarts: Vec<(&'static str, u64)>,
    /// Whether all of its watches work.
    pub working: bool,
    /// Whether the server does not know it.
    pub missing: bool,
    /// Objects that cannot be read or honoured.
    pub undecodable: usize,
    /// Objects that stay in force though they are deleted, since start.
    pub deletions_ignored: u64,
}

/// How the watches of an API server fare.
pub fn watches(read: impl Fn() -> Watches + Send) -> impl Source {
    move |text: &mut Text| {
        let watches = read();
        if let Some(age) = watches.contact_age {
            text.single(&CONTACT_AGE, age.as_secs_f64());
        }
        if let Some(skew) = watches.clock_skew {
            text.single(&CLOCK_SKEW, skew);
        }
        text.single(&CONTACT_FAILURES, watches.contact_failures);
        text.single(&STORE_ROLLBACKS, watches.rollbacks);
        text.single(&PUBLISHED_BLOCKS_REFUSED, watches.refused_blocks);
        text.single(&LIST_CORRECTIONS, watches.corrections);
        text.single(&DELETIONS_HELD, watches.deletions_held);
        text.single(&OPENINGS_HELD, watches.openings_held);
        let mut by_kind = |family: &'static Family, value: fn(&KindWatches) -> Value| {
            let mut samples = text.family(family);
            for kind in &watches.kinds {
                samples.value(&Labels::default(), &[kind.kind], value(kind));
            }
        };
        by_kind(&WATCH_LISTS, |kind| kind.lists.into());
        by_kind(&WATCH_LIST_FAILURES, |kind| kind.list_failures.into());
        by_kind(&WATCH_EVENTS, |kind| kind.events.into());
        by_kind(&WATCH_WORKING, |kind| u64::from(kind.working).into());
        by_kind(&WATCH_MISSING, |kind| u64::from(kind.missing).into());
        by_kind(&UNDECODABLE_OBJECTS, |kind| kind.undecodable.into());
        by_kind(&DELETIONS_IGNORED, |kind| kind.deletions_ignored.into());
        let mut samples = text.family(&WATCH_RESTARTS);
        for kind in &watches.kinds {
            for (cause, count) in &kind.restarts {
                samples.value(&Labels::default(), &[kind.kind, cause], *count);
            }
        }
    }
}
