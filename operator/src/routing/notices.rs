//! What a person is told of kinds that the API server does not know: once for all kinds that come with each
//! other, with the command that brings them. Other troubles of watches are told by the watches.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_runtime::watch::{Collection, Event};

/// How the kinds of the Gateway API get there.
const GATEWAY_API: &str = "kubectl apply --server-side -f https://github.com/kubernetes-sigs/gateway-api/releases/download/v1.6.1/standard-install.yaml";

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// A kind is missing, with the remedy.
    Missing(String),
    /// All kinds are there.
    There(String),
}

/// Collections whose kind is not there, by API group.
#[derive(Debug, Default)]
pub(super) struct Notices(BTreeMap<&'static str, BTreeSet<usize>>);

impl Notices {
    /// What to say of an event in the collection of this index.
    pub(super) fn of(&mut self, index: usize, collection: &Collection, event: &Event) -> Option<Notice> {
        let group = group(collection);
        let missing = self.0.entry(group).or_default();
        match event {
            Event::Missing => {
                let first = missing.is_empty();
                missing.insert(index);
                first.then(|| Notice::Missing(line(collection)))
            }
            Event::ListEnd => {
                let last = missing.remove(&index) && missing.is_empty();
                last.then(|| Notice::There(format!("all kinds of {group} are there")))
            }
            Event::ListBegin
            | Event::Listed(_)
            | Event::Applied(_)
            | Event::Deleted(_)
            | Event::Trouble(_)
            | Event::Working => None,
        }
    }
}

fn group(collection: &Collection) -> &'static str {
    let grouped = collection.api_version.split_once('/');
    grouped.map_or("", |(group, _)| group)
}

fn line(collection: &Collection) -> String {
    let remedy = if group(collection) == "gateway.networking.k8s.io" {
        format!("install the Gateway API: {GATEWAY_API}")
    } else {
        "apply the manifests in crds/manifests".to_owned()
    };
    let Collection {
        plural, api_version, ..
    } = collection;
    format!("the API server does not know {plural} of {api_version}; {remedy}")
}

#[cfg(test)]
mod tests {
    use super::{super::kinds::collections, *};

    #[test]
    fn missing_kinds_of_one_group_are_told_once_with_the_command_and_once_when_all_are_there() {
        let collections = collections(&[]);
        let mut notices = Notices::default();
        let gateway_api: Vec<_> = (0..collections.len())
            .filter(|index| collections[*index].1.api_version.starts_with("gateway."))
            .collect();
        let mut told = |event: &Event, index: usize| notices.of(index, &collections[index].1, event);
        let first = told(&Event::Missing, gateway_api[0]);
        let Some(Notice::Missing(line)) = first else {
            panic!("{first:?}");
        };
        assert!(line.ends_with(GATEWAY_API), "{line}");
        for index in &gateway_api {
            assert_eq!(told(&Event::Missing, *index), None);
        }
        let (last, others) = gateway_api.split_last().expect("some");
        for index in others {
            assert_eq!(told(&Event::ListEnd, *index), None);
        }
        assert!(matches!(told(&Event::ListEnd, *last), Some(Notice::There(_))));
        assert_eq!(told(&Event::ListEnd, *last), None);
        assert!(told(&Event::Missing, *last).is_some(), "told again");
    }
}
