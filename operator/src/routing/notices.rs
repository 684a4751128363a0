//! What watching tells a person: each trouble once, and once when it is over. A kind that the API server
//! does not know is told once for all kinds that come with it. Pure: the lines are logged elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_runtime::watch::{Collection, Event};

/// How the kinds of the Gateway API get there.
const GATEWAY_API: &str = "kubectl apply --server-side -f https://github.com/kubernetes-sigs/gateway-api/releases/download/v1.6.1/standard-install.yaml";

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// Something is wrong, with the remedy.
    Wrong(String),
    /// It is right again.
    Right(String),
}

/// What is wrong now.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// Collections whose kind is not there, by API version.
    missing: BTreeMap<&'static str, BTreeSet<usize>>,
    /// Collections that cannot be listed or watched.
    troubled: BTreeSet<usize>,
}

impl Notices {
    /// What to say of an event in the collection of this index.
    pub(super) fn of(&mut self, index: usize, collection: &Collection, event: &Event) -> Option<Notice> {
        let plural = collection.plural;
        match event {
            Event::Missing => {
                let missing = self.missing.entry(collection.api_version).or_default();
                let first = missing.is_empty();
                missing.insert(index);
                first.then(|| Notice::Wrong(missing_line(collection)))
            }
            Event::Trouble(why) => {
                self.troubled.insert(index);
                Some(Notice::Wrong(format!(
                    "{plural} cannot be watched, and statuses wait for that: {why}"
                )))
            }
            Event::Working | Event::ListEnd => {
                if let Some(missing) = self.missing.get_mut(collection.api_version)
                    && missing.remove(&index)
                {
                    return missing.is_empty().then(|| {
                        Notice::Right(format!("all kinds of {} are there", collection.api_version))
                    });
                }
                self.troubled
                    .remove(&index)
                    .then(|| Notice::Right(format!("{plural} are watched again")))
            }
            Event::ListBegin | Event::Listed(_) | Event::Applied(_) | Event::Deleted(_) => None,
        }
    }
}

fn missing_line(collection: &Collection) -> String {
    let remedy = if collection.api_version.starts_with("gateway.networking.k8s.io/") {
        format!("install the Gateway API: {GATEWAY_API}")
    } else {
        "apply the manifests in crds/manifests".to_owned()
    };
    format!(
        "the API server does not know {} of {}; {remedy}",
        collection.plural, collection.api_version
    )
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
        let Some(Notice::Wrong(line)) = first else {
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
        assert!(matches!(told(&Event::ListEnd, *last), Some(Notice::Right(_))));
        assert_eq!(told(&Event::Working, *last), None);
        assert!(told(&Event::Missing, *last).is_some(), "told again");
    }

    #[test]
    fn trouble_is_told_and_its_end_once() {
        let collections = collections(&[]);
        let mut notices = Notices::default();
        let mut told = |event: &Event| notices.of(0, &collections[0].1, event);
        let trouble = told(&Event::Trouble("403".to_owned()));
        assert!(
            matches!(trouble, Some(Notice::Wrong(line)) if line.contains("gateways") && line.ends_with("403"))
        );
        assert!(matches!(told(&Event::Working), Some(Notice::Right(_))));
        assert_eq!(told(&Event::Working), None);
    }
}
