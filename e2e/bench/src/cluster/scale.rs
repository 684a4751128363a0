//! Among many: how long they take to load, a gateway to start on them, and a change to pass by them.

use std::{
    collections::BTreeMap,
    io, thread,
    time::{Duration, Instant},
};

use latchkey_e2e::{
    cluster::{Cluster, Installation, api::Api},
    wait::eventually_within,
};
use serde_json::{Value, value::RawValue};

use super::{
    propagation::{self, Propagation, START},
    start::settled,
};
use crate::{
    load::{self, Keys, Loaded, Pace},
    progress,
};

/// How fast objects are loaded.
const PACE: Pace = Pace {
    at_once: 32,
    a_second: 0,
};
/// How often a gateway starts from nothing.
const STARTS: usize = 9;
/// What gateways list of it, in pages as they ask for them.
const LISTS: [&str; 2] = ["consumers", "credentials"];
const PAGE: usize = 500;

/// What was measured.
pub(crate) struct Scale {
    pub(crate) holders: u32,
    pub(crate) loaded: Loaded,
    /// How long the operator took until it had looked at all.
    pub(crate) settled: Duration,
    /// Seconds of bare lists of both kinds, and of a gateway from its start to ready, in turn.
    pub(crate) starts: Vec<[f64; 2]>,
    pub(crate) propagation: Propagation,
}

/// Loads, starts gateways, and makes changes.
pub(crate) fn measure(holders: u32, changes: u32, rate: u32) -> io::Result<Scale> {
    progress(&format!("loading {holders} Consumers and Credentials"))?;
    let cluster = Cluster::own();
    let installation = Installation::cluster_wide(&cluster);
    let namespace = installation.namespace();
    let loaded = load::fill(cluster.api(), namespace.name(), holders, Keys::Hashes, PACE)?;
    progress(&loaded.to_string())?;

    progress("starting the operator on them, which writes a status of each")?;
    let begun = Instant::now();
    let mut operator = installation.operator().measured().start_unready();
    settled(&mut operator, holders);
    let settled = begun.elapsed();

    progress("starting gateways on them")?;
    let mut starts = Vec::new();
    for number in 0..=STARTS {
        // Who goes first changes: the server's caches serve both.
        let pair = if number.is_multiple_of(2) {
            let bare = bare_lists(cluster.api())?;
            [bare, cold_start(&installation)]
        } else {
            let start = cold_start(&installation);
            [bare_lists(cluster.api())?, start]
        };
        // The first warms the server.
        if number > 0 {
            starts.push(pair);
        }
    }

    progress("changing keys among them")?;
    Ok(Scale {
        holders,
        loaded,
        settled,
        starts,
        propagation: propagation::measure_in(&installation, changes, rate)?,
    })
}

/// Seconds from a gateway's start until it is ready.
fn cold_start(installation: &Installation<'_>) -> f64 {
    let begun = Instant::now();
    let mut gateway = installation.gateway().measured().start_unready();
    eventually_within(START, "a gateway is ready", || gateway.ready());
    begun.elapsed().as_secs_f64()
}

/// Seconds of reading both kinds at once, page by page, and making nothing of them.
fn bare_lists(api: &Api) -> io::Result<f64> {
    let begun = Instant::now();
    thread::scope(|scope| {
        let lists = LISTS.map(|kind| scope.spawn(move || bare_list(api, kind)));
        lists.into_iter().try_for_each(|list| {
            list.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    Ok(begun.elapsed().as_secs_f64())
}

fn bare_list(api: &Api, kind: &str) -> io::Result<()> {
    let path = format!("/apis/latchkey.dev/v1alpha1/{kind}?limit={PAGE}");
    let mut next = path.clone();
    loop {
        let page = api.try_request("GET", &next, None).map_err(io::Error::other)?;
        if page.status != 200 {
            return Err(io::Error::other(format!(
                "{kind} cannot be listed: {}",
                page.status
            )));
        }
        match continues(&page.text()) {
            Some(token) => next = format!("{path}&continue={token}"),
            None => return Ok(()),
        }
    }
}

/// The token for the next page; the objects are passed over.
fn continues(page: &str) -> Option<String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(page).ok()?;
    let metadata: Value = serde_json::from_str(members.get("metadata")?.get()).ok()?;
    let token = metadata["continue"].as_str()?;
    (!token.is_empty()).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_goes_on_as_long_as_its_pages_say_so() {
        let page = |metadata: &str| continues(&format!(r#"{{"items":[{{"a":1}}],"metadata":{metadata}}}"#));
        assert_eq!(
            page(r#"{"continue":"abc","resourceVersion":"7"}"#),
            Some("abc".to_owned())
        );
        assert_eq!(page(r#"{"continue":""}"#), None);
        assert_eq!(page("{}"), None);
        assert_eq!(continues("not JSON"), None);
    }
}
