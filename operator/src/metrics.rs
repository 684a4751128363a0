//! All families of the operator: names, labels and help stand here and nowhere else; and their text.
//!
//! Everything counted is counted where it happens; this reads it when asked. A few dozen samples cost less
//! than a scrape's own connection, so nothing is rendered ahead.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{
    Encoder as _, TextEncoder,
    proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType},
};

/// One family: its name, and what all its samples share.
#[derive(Debug)]
pub struct Family {
    name: &'static str,
    help: &'static str,
    kind: MetricType,
    labels: &'static [&'static str],
}

// A doc comment is the help as well: readers of this file and of `/metrics` get one text.
macro_rules! families {
    ($(#[doc = $help:literal] $constant:ident = $kind:ident $name:literal [$($label:literal),*];)+) => {
        $(
            #[doc = $help]
            pub static $constant: Family = Family {
                name: $name,
                help: $help.trim_ascii(),
                kind: MetricType::$kind,
                labels: &[$($label),*],
            };
        )+

        /// All of them.
        pub static ALL: &[&Family] = &[$(&$constant),+];
    };
}

families! {
    /// Whether this process may write now: 1 or 0.
    LEADER = GAUGE "latchkey_operator_leader" [];
    /// Peppers that are known.
    PEPPERS = GAUGE "latchkey_operator_peppers" [];
    /// Reconciliations that ended, by kind of object and how.
    RECONCILES = COUNTER "latchkey_operator_reconciles_total" ["kind", "outcome"];
    /// Objects that wait: Credentials that just changed, that a list or a new leader brings up (backlog), or that failed (delayed); and all that shapes routing.
    QUEUE_DEPTH = GAUGE "latchkey_operator_queue_depth" ["lane"];
    /// How long the Credential has waited that waits longest for its turn.
    QUEUE_AGE = GAUGE "latchkey_operator_queue_age_seconds" [];
    /// Status writes, by kind of object and what became of them (not_leading: not sent).
    STATUS_WRITES = COUNTER "latchkey_operator_status_writes_total" ["kind", "outcome"];
    /// Secrets that were read from the API server.
    SECRET_READS = COUNTER "latchkey_operator_secret_reads_total" [];
    /// Published blocks replaced because a stranger put them there: forged, copied, or an older one.
    BLOCKS_REFUSED = COUNTER "latchkey_operator_published_blocks_refused_total" [];
    /// Credentials by what their status says of Ready (none: nothing yet).
    CREDENTIALS = GAUGE "latchkey_operator_credentials" ["ready"];
    /// Objects that cannot be decoded, by kind.
    UNDECODABLE = GAUGE "latchkey_operator_undecodable_objects" ["kind"];

    /// Requests of the API server that ended, by verb and status code (none: no answer).
    API_REQUESTS = COUNTER "latchkey_api_requests_total" ["verb", "code"];
    /// How long ago the API server was last heard to be current; absent before the first time.
    CONTACT_AGE = GAUGE "latchkey_contact_age_seconds" [];
    /// By how many seconds this process's clock is ahead of the API server's, at least (negative: behind); 0 while whole seconds cannot tell them apart.
    CLOCK_SKEW = GAUGE "latchkey_clock_skew_seconds" [];

    /// Complete lists of a collection, by kind.
    WATCH_LISTS = COUNTER "latchkey_watch_lists_total" ["kind"];
    /// Lists that broke or were refused, by kind.
    WATCH_LIST_FAILURES = COUNTER "latchkey_watch_list_failures_total" ["kind"];
    /// Changes that watches told, by kind.
    WATCH_EVENTS = COUNTER "latchkey_watch_events_total" ["kind"];
    /// Ends of watches, by kind and cause.
    WATCH_RESTARTS = COUNTER "latchkey_watch_restarts_total" ["kind", "cause"];
    /// Watches that do not work now, by kind.
    WATCHES_FAILING = GAUGE "latchkey_watches_failing" ["kind"];
    /// How often the API server's store was found put back to an older state.
    STORE_ROLLBACKS = COUNTER "latchkey_store_rollbacks_total" [];

    /// Lines of the process's own log dropped because nobody takes them.
    LOG_DROPPED = COUNTER "latchkey_log_dropped_total" [];
    /// Always 1; the labels say what runs.
    BUILD_INFO = GAUGE "latchkey_build_info" ["version"];
    /// When the process started, in seconds since the Unix epoch.
    PROCESS_START_TIME = GAUGE "process_start_time_seconds" [];
}

/// The media type of the text.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

/// One text in the making.
#[derive(Debug, Default)]
pub struct Text(Vec<MetricFamily>);

impl Text {
    /// The only sample of a family without labels.
    pub fn value(&mut self, family: &Family, value: f64) {
        self.values(family, [([], value)]);
    }

    /// The samples of a family, by the values of its labels in their order. A family without samples is
    /// left out, as the format wants.
    pub fn values<'a, const N: usize>(
        &mut self,
        family: &Family,
        samples: impl IntoIterator<Item = ([&'a str; N], f64)>,
    ) {
        debug_assert_eq!(family.labels.len(), N, "{}", family.name);
        let metrics: Vec<_> = samples
            .into_iter()
            .map(|(labels, value)| sample(family, &labels, value))
            .collect();
        if metrics.is_empty() {
            return;
        }
        let mut proto = MetricFamily::default();
        proto.set_name(family.name.to_owned());
        proto.set_help(family.help.to_owned());
        proto.set_field_type(family.kind);
        proto.set_metric(metrics);
        self.0.push(proto);
    }

    /// The text.
    ///
    /// # Errors
    /// A family came twice or the encoder refuses it otherwise.
    pub fn render(&self) -> Result<Vec<u8>, prometheus::Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.0, &mut text)?;
        Ok(text)
    }
}

fn sample(family: &Family, labels: &[&str], value: f64) -> Metric {
    let pairs = family.labels.iter().zip(labels).map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name((*name).to_owned());
        pair.set_value((*value).to_owned());
        pair
    });
    let mut metric = Metric::from_label(pairs.collect());
    if family.kind == MetricType::COUNTER {
        let mut counter = Counter::default();
        counter.set_value(value);
        metric.set_counter(counter);
    } else {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        metric.set_gauge(gauge);
    }
    metric
}

/// A count as the format has it; exact up to 2^53.
#[allow(clippy::cast_precision_loss, reason = "no counter gets there")]
pub fn count(count: u64) -> f64 {
    count as f64
}

/// Seconds since the Unix epoch.
pub fn unix_seconds(at: SystemTime) -> f64 {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
mod tests;
