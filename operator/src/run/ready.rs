//! When the operator is ready: it has seen every collection whole once, and it knows a pepper or does not
//! lead. A standby is ready, or a rolling update would wait for the leader's end.

use std::time::Duration;

use latchkey_runtime::{
    readiness::Guard,
    watch::{Counts, Session},
};
use tokio::time::sleep;

use crate::{
    leadership::{Leadership, now},
    pepper::Outcome,
};

/// How often the counts of watches are looked at until all work.
const LOOK: Duration = Duration::from_millis(100);

/// Releases the guards when it is so. Never ends.
pub(super) async fn watch(
    session: &Session,
    leadership: Leadership,
    pepper: Outcome,
    objects: &Guard,
    peppers: &Guard,
) {
    tokio::join!(
        watch_objects(session, objects),
        watch_pepper(leadership, pepper, peppers)
    );
}

async fn watch_objects(session: &Session, ready: &Guard) {
    while let Some(missing) = missing(&session.counts()) {
        ready.pending(missing);
        sleep(LOOK).await;
    }
    // From here on, losing the API server changes nothing: whoever would be asked instead has none either.
    ready.ready();
    std::future::pending::<()>().await;
}

/// What was not listed yet.
fn missing(counts: &Counts) -> Option<String> {
    if counts.collections.is_empty() {
        return Some("nothing is watched yet".to_owned());
    }
    let missing: Vec<_> = counts
        .collections
        .iter()
        .filter(|(_, counts)| counts.working < counts.watches)
        .map(|(plural, _)| *plural)
        .collect();
    (!missing.is_empty()).then(|| format!("not yet listed: {}; the log says what fails", missing.join(", ")))
}

async fn watch_pepper(mut leadership: Leadership, mut pepper: Outcome, ready: &Guard) {
    loop {
        let known = !pepper.peppers.borrow_and_update().is_empty();
        let leads = leadership.remaining(now()).is_some();
        let trouble = pepper.trouble.borrow_and_update().clone();
        match lacking(known, leads, trouble) {
            None => ready.ready(),
            Some(why) => ready.pending(why),
        }
        let ended = tokio::select! {
            () = leadership.changed() => false,
            changed = pepper.peppers.changed() => changed.is_err(),
            changed = pepper.trouble.changed() => changed.is_err(),
        };
        if ended {
            // The keeper ended, which is noticed where it was started.
            return std::future::pending().await;
        }
    }
}

/// Why a process that leads cannot do anything; a standby has nothing to do.
fn lacking(known: bool, leads: bool, trouble: Option<String>) -> Option<String> {
    if known || !leads {
        return None;
    }
    Some(trouble.unwrap_or_else(|| "not read yet".to_owned()))
}

#[cfg(test)]
mod tests {
    use latchkey_runtime::watch::CollectionCounts;

    use super::*;

    #[test]
    fn every_collection_must_have_been_listed() {
        let mut counts = Counts::default();
        assert!(missing(&counts).is_some(), "not even asked for");
        let listed = CollectionCounts {
            watches: 2,
            working: 2,
            ..CollectionCounts::default()
        };
        let half = CollectionCounts {
            working: 1,
            ..listed.clone()
        };
        counts.collections.insert("credentials", listed.clone());
        counts.collections.insert("gateways", half);
        assert!(missing(&counts).unwrap().contains("gateways"));
        assert!(!missing(&counts).unwrap().contains("credentials"));
        counts.collections.insert("gateways", listed);
        assert_eq!(missing(&counts), None);
    }

    #[test]
    fn a_leader_needs_a_pepper_and_says_what_is_wrong_with_it() {
        let trouble = || Some("it is empty".to_owned());
        assert_eq!(lacking(true, true, trouble()), None);
        assert_eq!(lacking(false, false, trouble()), None);
        assert_eq!(lacking(false, true, trouble()), trouble());
        assert!(lacking(false, true, None).is_some());
    }
}
