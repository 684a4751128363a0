//! Where the numbers of `/metrics` come from, read when they are asked for.

use std::{sync::Arc, time::SystemTime};

use http::StatusCode;
use latchkey_core::digest::Pepper;
use latchkey_runtime::{admin::AdminResponse, api::calls, watch::Session};
use tokio::sync::watch;

use crate::{
    credentials,
    leadership::{Leadership, now},
    metrics::{self, CONTENT_TYPE, Text, count, unix_seconds},
    routing::{self, Subject},
    status::Outcome,
};

/// The kind that is not one of [`Subject`].
const CREDENTIAL: &str = "Credential";

/// Everything that counts.
pub(super) struct Sources {
    leadership: Leadership,
    session: Session,
    peppers: watch::Receiver<Vec<Pepper>>,
    credentials: Arc<credentials::Stats>,
    routing: Arc<routing::Stats>,
    log_dropped: Box<dyn Fn() -> u64 + Send + Sync>,
    started: SystemTime,
}

impl Sources {
    pub(super) fn new(
        leadership: Leadership,
        session: Session,
        peppers: watch::Receiver<Vec<Pepper>>,
        credentials: Arc<credentials::Stats>,
        routing: Arc<routing::Stats>,
        log_dropped: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            leadership,
            session,
            peppers,
            credentials,
            routing,
            log_dropped: Box::new(log_dropped),
            started: SystemTime::now(),
        }
    }

    /// The answer of `/metrics`.
    pub(super) fn answer(&self) -> AdminResponse {
        match self.text().render() {
            Ok(text) => AdminResponse {
                status: StatusCode::OK,
                content_type: CONTENT_TYPE,
                body: text.into(),
            },
            Err(error) => AdminResponse::text(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("metrics cannot be rendered: {error}\n"),
            ),
        }
    }

    fn text(&self) -> Text {
        let mut text = Text::default();
        let leads = self.leadership.remaining(now()).is_some();
        text.value(&metrics::LEADER, count(leads.into()));
        text.value(&metrics::PEPPERS, count(self.peppers.borrow().len() as u64));
        self.status_writes(&mut text);
        self.queues(&mut text);
        self.credentials(&mut text);
        self.api(&mut text);
        text.value(&metrics::LOG_DROPPED, count((self.log_dropped)()));
        text.values(&metrics::BUILD_INFO, [([env!("CARGO_PKG_VERSION")], 1.0)]);
        text.value(&metrics::PROCESS_START_TIME, unix_seconds(self.started));
        text
    }

    fn status_writes(&self, text: &mut Text) {
        let samples = Outcome::ALL.into_iter().flat_map(|outcome| {
            let credentials = (CREDENTIAL, self.credentials.writes(outcome));
            let others =
                Subject::ALL.map(|subject| (subject.as_str(), self.routing.writes(subject, outcome)));
            let all = [credentials].into_iter().chain(others);
            all.map(move |(kind, times)| ([kind, outcome.as_str()], count(times)))
        });
        text.values(&metrics::STATUS_WRITES, samples);
    }

    fn queues(&self, text: &mut Text) {
        let held = self.credentials.held();
        let lanes = [
            ("fresh", held.queue_fresh),
            ("backlog", held.queue_backlog),
            ("delayed", held.queue_delayed),
            ("routing", self.routing.waiting()),
        ];
        text.values(
            &metrics::QUEUE_DEPTH,
            lanes.map(|(lane, waiting)| ([lane], count(waiting))),
        );
        text.value(&metrics::QUEUE_AGE, count(held.queue_age_ms) / 1000.0);
    }

    fn credentials(&self, text: &mut Text) {
        let (stats, held) = (&self.credentials, self.credentials.held());
        let ended = credentials::Outcome::ALL
            .map(|outcome| ([CREDENTIAL, outcome.as_str()], count(stats.reconciles(outcome))));
        text.values(&metrics::RECONCILES, ended);
        text.value(&metrics::SECRET_READS, count(stats.secret_reads()));
        text.value(&metrics::BLOCKS_REFUSED, count(stats.blocks_refused()));
        let ready = held.credentials;
        text.values(
            &metrics::CREDENTIALS,
            [
                (["true"], count(ready.ready)),
                (["false"], count(ready.not_ready)),
                (["unknown"], count(ready.unknown)),
                (["none"], count(ready.unsaid)),
            ],
        );
        text.values(&metrics::UNDECODABLE, [([CREDENTIAL], count(held.undecodable))]);
    }

    fn api(&self, text: &mut Text) {
        let requests = calls().snapshot();
        let requests = requests.iter().map(|(verb, code, times)| {
            let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
            (verb.as_str(), code, count(*times))
        });
        let requests: Vec<_> = requests.collect();
        text.values(
            &metrics::API_REQUESTS,
            requests
                .iter()
                .map(|(verb, code, times)| ([*verb, code.as_str()], *times)),
        );
        if let Some(age) = self.session.contact_age() {
            text.value(&metrics::CONTACT_AGE, age.as_secs_f64());
        }
        if let Some(skew) = self.session.clock_skew() {
            text.value(&metrics::CLOCK_SKEW, skew);
        }
        let counts = self.session.counts();
        let kinds = || {
            counts
                .collections
                .iter()
                .map(|(plural, of)| (kind_of(plural), of))
        };
        text.values(
            &metrics::WATCH_LISTS,
            kinds().map(|(kind, of)| ([kind], count(of.lists))),
        );
        text.values(
            &metrics::WATCH_LIST_FAILURES,
            kinds().map(|(kind, of)| ([kind], count(of.list_failures))),
        );
        text.values(
            &metrics::WATCH_EVENTS,
            kinds().map(|(kind, of)| ([kind], count(of.events))),
        );
        text.values(
            &metrics::WATCH_RESTARTS,
            kinds().flat_map(|(kind, of)| {
                of.restarts
                    .iter()
                    .map(move |(cause, times)| ([kind, cause.as_str()], count(*times)))
            }),
        );
        text.values(
            &metrics::WATCHES_FAILING,
            kinds().map(|(kind, of)| ([kind], count(of.watches.saturating_sub(of.working)))),
        );
        text.value(&metrics::STORE_ROLLBACKS, count(counts.rollbacks));
    }
}

/// The kind of a collection as objects write it, as the gateway's numbers have it too.
fn kind_of(plural: &'static str) -> &'static str {
    credentials::kind_of(plural)
        .or_else(|| routing::kind_of(plural))
        .unwrap_or(plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_watches_name_the_kind_as_objects_do() {
        for (plural, kind) in [
            ("credentials", "Credential"),
            ("consumers", "Consumer"),
            ("secrets", "Secret"),
            ("gateways", "Gateway"),
            ("gatewayclasses", "GatewayClass"),
            ("httproutes", "HTTPRoute"),
            ("authpolicies", "AuthPolicy"),
            ("referencegrants", "ReferenceGrant"),
            ("services", "Service"),
            ("namespaces", "Namespace"),
        ] {
            assert_eq!(kind_of(plural), kind);
        }
    }
}
