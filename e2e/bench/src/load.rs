//! Fills a cluster with Consumers and Credentials through its API server, and empties it again.
//!
//! ```text
//! objects (what one holder is) -> pool (so many at once, so many a second) -> answer (go on, again, give up)
//! ```
//!
//! Works on every cluster that has the CRDs. What it makes bears a label, and only that is removed.
//! What is there already is kept, so that a load that was cut short is repeated and goes on.

mod answer;
mod objects;
mod pool;
#[cfg(test)]
mod tests;

use std::{io, path::PathBuf};

use latchkey_e2e::{cluster::api::Api, manifest::Manifest};

pub(crate) use objects::{Keys, Made};
pub(crate) use pool::{Loaded, Pace};

use answer::Reply;
use pool::Job;

/// How many objects are listed before they are deleted.
const PAGE: usize = 10_000;

/// Flags of `latchkey-bench load`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Who writes, and where.
    #[arg(long, value_name = "FILE", env = "KUBECONFIG")]
    kubeconfig: PathBuf,
    /// The namespace of all objects. It is made if it is missing, and never deleted.
    #[arg(long, value_name = "NAME", default_value = "load")]
    namespace: String,
    /// How many Consumers, each with a Credential.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    consumers: u32,
    /// Each key lies in a Secret of its own, instead of its hash in the Credential.
    #[arg(long)]
    secrets: bool,
    /// Objects a second at the most; 0: as many as the API server takes.
    #[arg(long, value_name = "N", default_value_t = 0)]
    rate: u32,
    /// Requests at once.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: u16,
    /// Deletes what an earlier load made in the namespace, however many those are.
    #[arg(long)]
    delete: bool,
}

/// Loads, or deletes what was loaded.
pub(crate) fn run(args: &Args) -> io::Result<()> {
    let api = Api::new(&args.kubeconfig).map_err(|e| {
        io::Error::other(format!(
            "{} describes no cluster: {e:#}",
            args.kubeconfig.display()
        ))
    })?;
    let pace = Pace {
        at_once: args.concurrency,
        a_second: args.rate,
    };
    let loaded = if args.delete {
        empty(&api, &args.namespace, pace)?
    } else {
        make_namespace(&api, &args.namespace)?;
        let keys = if args.secrets { Keys::Secrets } else { Keys::Hashes };
        fill(&api, &args.namespace, args.consumers, keys, pace)?
    };
    crate::progress(&loaded.to_string())
}

/// Creates so many holders in a namespace that exists.
pub(crate) fn fill(api: &Api, namespace: &str, holders: u32, keys: Keys, pace: Pace) -> io::Result<Loaded> {
    let made = Made::new(namespace, keys)?;
    let holders = usize::try_from(holders).unwrap_or(usize::MAX);
    let job = Job {
        verb: "created",
        groups: holders,
        objects: holders * keys.objects(),
    };
    pool::run(
        job,
        pace,
        |number| made.holder(number),
        |object| {
            api.try_create(object)
                .map(|answer| Reply::of(&answer).unless_there())
        },
    )
}

/// Deletes what was ever filled into a namespace. Credentials first: keys are dead at once.
pub(crate) fn empty(api: &Api, namespace: &str, pace: Pace) -> io::Result<Loaded> {
    let mut loaded = Loaded::default();
    for kind in objects::KINDS {
        // Some, then the next: all of their names at once might be a gigabyte.
        loop {
            let found = page(api, kind, namespace)?;
            let job = Job {
                verb: "deleted",
                groups: found.len(),
                objects: found.len(),
            };
            let named = |number: usize| vec![found[number].clone()];
            let done = pool::run(job, pace, named, |object| {
                api.try_delete(object)
                    .map(|answer| Reply::of(&answer).unless_gone())
            })?;
            loaded.add(&done);
            // Those that a finalizer holds would come for ever.
            if done.changed == 0 {
                break;
            }
        }
    }
    Ok(loaded)
}

/// Some of the objects that a load made and that are not being deleted.
fn page(api: &Api, kind: (&str, &str), namespace: &str) -> io::Result<Vec<Manifest>> {
    let query = format!("labelSelector={}&limit={PAGE}", objects::SELECTOR);
    let list = api.try_list(kind, namespace, &query).map_err(io::Error::other)?;
    if list.status != 200 {
        return Err(io::Error::other(format!(
            "{} cannot be listed: {}",
            kind.1, list.status
        )));
    }
    let list = list.json();
    let items = list["items"].as_array().into_iter().flatten();
    let standing = items.filter(|item| item["metadata"]["deletionTimestamp"].is_null());
    let names = standing.filter_map(|item| item["metadata"]["name"].as_str());
    Ok(names
        .map(|name| Manifest::new(kind.0, kind.1, name).namespace(namespace))
        .collect())
}

fn make_namespace(api: &Api, name: &str) -> io::Result<()> {
    let answer = api
        .try_create(&Manifest::new("v1", "Namespace", name))
        .map_err(io::Error::other)?;
    match answer.status {
        201 | 409 => Ok(()),
        status => Err(io::Error::other(format!(
            "namespace {name} cannot be made ({status}): {}",
            answer.json()["message"].as_str().unwrap_or("no reason given")
        ))),
    }
}
