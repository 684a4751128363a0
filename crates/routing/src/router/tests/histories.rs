//! Any history of changes and lists stands, after every commit, where a rebuild from the objects of the
//! moment does, and answers requests as a model does that shares nothing with the router.
//!
//! `LATCHKEY_CASES` sets how many histories are tried. One that fails is kept in `proptest-regressions`, and
//! tried first from then on.

mod model;
mod objects;
mod readers;
mod regressions;
mod seen;
mod step;

use http::Method;
use proptest::prelude::*;

use super::support::*;
use crate::{object::Manifest, table::RouteTable};
use seen::{Labels, seen};
use step::{Naive, Step, history};

/// The model answers one in so many questions after a commit.
const SHARE: usize = 5;

/// The questions, of which any two may be answered by different rules.
fn asks() -> impl Iterator<Item = (u16, Ask)> {
    let hosts = ["one.test", "two.test", "a.one.test", "b.a.one.test", "other"];
    let asks = hosts.into_iter().flat_map(|host| {
        let paths = ["/", "/a", "/a/b"].into_iter();
        let plain = paths.map(move |path| Ask::new(host, path));
        plain.chain([
            Ask {
                method: Method::POST,
                ..Ask::new(host, "/a")
            },
            Ask::new(host, "/a/b").header("x-beta", "yes"),
        ])
    });
    let asks: Vec<_> = asks.collect();
    [80, 81]
        .into_iter()
        .flat_map(move |port| asks.clone().into_iter().map(move |ask| (port, ask)))
}

/// What a table answers to every question.
fn answers(table: &RouteTable) -> Vec<String> {
    let ports = format!("{:?}", table.ports());
    let answers = asks().map(|(port, ask)| {
        let Ask {
            method, host, path, ..
        } = &ask;
        format!("{port} {method} {host}{path}: {}", answer(table, port, &ask))
    });
    [ports].into_iter().chain(answers).collect()
}

/// All that a world says, revision and order apart.
fn said(world: &World) -> Vec<String> {
    let table = world.router.tables();
    let table = table.load();
    let mut said = answers(&table);
    let mut stats = table.stats();
    stats.revision = 0;
    said.push(format!("{stats:?}"));
    let mut open: Vec<_> = world.open.iter().map(|finding| format!("{finding:?}")).collect();
    open.sort_unstable();
    said.extend(open);
    said.extend(world.statuses.iter().map(|status| format!("{status:?}")));
    said
}

/// How many histories: `LATCHKEY_CASES`, where it is set.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("LATCHKEY_CASES").ok();
    ProptestConfig::with_cases(wanted.and_then(|text| text.parse().ok()).unwrap_or(usual))
}

/// Takes the steps, and compares with a rebuild and with the model after every commit.
fn follow(steps: impl IntoIterator<Item = Step>, deny: bool) -> Result<(), TestCaseError> {
    let mut world = World::with(deny);
    let mut naive = Naive::default();
    let mut labels = Labels::default();
    let mut commits = 0;
    for step in steps.into_iter().chain([Step::Commit]) {
        match step {
            Step::Put(object) => {
                let (kind, name) = identity(&object);
                world.router.apply(kind, &name, Manifest::Value(object.clone()));
                naive.put(kind, name, Manifest::Value(object));
            }
            Step::Unreadable(kind, name) => {
                world.router.apply(kind, &name, Manifest::Unreadable);
                naive.put(kind, name, Manifest::Unreadable);
            }
            Step::Delete(kind, name) => {
                world.router.delete(kind, &name);
                naive.delete(kind, name);
            }
            Step::Begin((kind, namespace)) => {
                world.router.relist_begin(kind, namespace);
                naive.begin((kind, namespace));
            }
            Step::End((kind, namespace)) => {
                let gone = world.router.relist_end(kind, namespace);
                prop_assert_eq!(gone, naive.end((kind, namespace)));
            }
            Step::Commit => {
                world.commit();
                prop_assert_eq!(said(&world), said(&naive.rebuilt(deny)));
                let table = world.router.tables();
                let table = table.load();
                // A handful of the questions each time, since the model is slow: others than before.
                commits += 1;
                for (port, ask) in asks().skip(commits % SHARE).step_by(SHARE) {
                    let expected = naive.model(deny).answer(port, &ask);
                    prop_assert_eq!(seen(&table, port, &ask), expected, "port {} {:?}", port, ask);
                    prop_assert!(labels.are_right(&naive.held, &table, port, &ask), "{:?}", labels);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_history_stands_where_a_rebuild_and_the_model_do(
        steps in history(),
        deny in any::<bool>(),
    ) {
        follow(steps, deny)?;
    }
}
