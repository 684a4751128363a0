//! All families: name, help, type and label names stand here and nowhere else.
//!
//! No label holds anything a client can choose: `route` is an HTTPRoute that exists, `code` and
//! `reason` are of bounded number on each.

use crate::encode::{Family, Kind};

/// The value of `route` where no rule matched. No HTTPRoute has it: theirs hold a `/`.
pub const NO_ROUTE: &str = "none";
/// The value of `code` where no status was sent.
pub const NO_CODE: &str = "none";
/// The value of `code` and `reason` beyond the pairs that a route tells apart.
pub const OTHER: &str = "other";

const ROUTE: &str = "route";

// A doc comment is the help as well: readers of this file and of `/metrics` get one text.
macro_rules! families {
    ($(#[doc = $help:literal] $constant:ident = $kind:ident $name:literal [$($label:expr),*];)+) => {
        $(
            #[doc = $help]
            pub static $constant: Family = Family {
                name: $name,
                help: $help.trim_ascii(),
                kind: Kind::$kind,
                labels: &[$($label),*],
            };
        )+

        /// All of them.
        pub static ALL: &[&Family] = &[$(&$constant),+];
    };
}

families! {
    /// Requests that ended, by HTTPRoute (namespace/name; none: no rule matched), status sent and reason.
    REQUESTS = Counter "latchkey_requests_total" [ROUTE, "code", "reason"];
    /// Time from a request's head to the end of its answer, by HTTPRoute (namespace/name).
    REQUEST_DURATION = Histogram "latchkey_request_duration_seconds" [ROUTE];
    /// Requests that began and have not ended, by HTTPRoute (namespace/name).
    REQUESTS_IN_FLIGHT = Gauge "latchkey_requests_in_flight" [ROUTE];

    /// Client connections that are open.
    CONNECTIONS_OPEN = Gauge "latchkey_connections_open" [];
    /// Client connections since start.
    CONNECTIONS = Counter "latchkey_connections_total" [];
    /// Client connections closed at a time limit: first_byte, keep_alive, header_read, body_idle, write_stall, response, linger.
    CONNECTIONS_TIMED_OUT = Counter "latchkey_connections_timed_out_total" ["limit"];
    /// Times that a worker stopped accepting because there were --max-connections.
    ACCEPT_PAUSES = Counter "latchkey_accept_pauses_total" [];
    /// Accepts that failed, for want of file descriptors or otherwise.
    ACCEPT_ERRORS = Counter "latchkey_accept_errors_total" [];

    /// Connections to upstreams that are open, waiting for a request or in use.
    UPSTREAM_CONNECTIONS_OPEN = Gauge "latchkey_upstream_connections_open" [];
    /// Connections to upstreams since start, with those that could not be made.
    UPSTREAM_CONNECTIONS = Counter "latchkey_upstream_connections_total" [];
    /// Connections to upstreams that were refused or took too long.
    UPSTREAM_CONNECT_FAILURES = Counter "latchkey_upstream_connect_failures_total" [];
    /// Requests sent once more on a fresh upstream connection.
    UPSTREAM_RETRIES = Counter "latchkey_upstream_retries_total" [];
    /// Requests that wait for an upstream connection because of a limit on them.
    UPSTREAM_WAITING = Gauge "latchkey_upstream_waiting_requests" [];
    /// Requests that waited for an upstream connection because of a limit on them.
    UPSTREAM_WAITS = Counter "latchkey_upstream_waits_total" [];
    /// Requests refused because of such a limit: none became free in time, or too many waited already.
    UPSTREAM_REFUSALS = Counter "latchkey_upstream_wait_refusals_total" [];
    /// Times that an endpoint was left out because it could not be connected to, as each worker found.
    UPSTREAM_EJECTIONS = Counter "latchkey_upstream_ejections_total" [];
    /// Endpoints that are left out, each counted once a worker that found it.
    UPSTREAM_ENDPOINTS_OUT = Gauge "latchkey_upstream_endpoints_out" [];

    /// Consumers known to authentication.
    INDEX_CONSUMERS = Gauge "latchkey_index_consumers" [];
    /// Credential entries under digests; a Credential under two peppers counts twice.
    INDEX_ENTRIES = Gauge "latchkey_index_credential_entries" [];
    /// Distinct digests.
    INDEX_DIGESTS = Gauge "latchkey_index_digests" [];
    /// Active peppers.
    INDEX_PEPPERS = Gauge "latchkey_index_peppers" [];
    /// Commits of the authentication snapshot since start: its revision.
    INDEX_COMMITS = Counter "latchkey_index_commits_total" [];

    /// Times that all of the authentication snapshot was compared with the objects that it is made of.
    INDEX_CHECKS = Counter "latchkey_index_checks_total" [];
    /// Times that it differed from them and was built anew: a fault of this program or of its machine.
    INDEX_REPAIRS = Counter "latchkey_index_repairs_total" [];

    /// Gateways of our class.
    ROUTING_GATEWAYS = Gauge "latchkey_routing_gateways" [];
    /// HTTPRoutes attached to at least one listener.
    ROUTING_ROUTES = Gauge "latchkey_routing_routes" [];
    /// Attached HTTPRoutes of which some rule has no AuthPolicy.
    ROUTING_UNPROTECTED_ROUTES = Gauge "latchkey_routing_unprotected_routes" [];
    /// AuthPolicies.
    ROUTING_POLICIES = Gauge "latchkey_routing_policies" [];
    /// Commits of the route table since start: its revision.
    ROUTING_COMMITS = Counter "latchkey_routing_commits_total" [];

    /// Manifest files that the folder holds.
    STANDALONE_FILES = Gauge "latchkey_standalone_files" [];
    /// Objects of the folder that cannot be read.
    STANDALONE_UNDECODABLE = Gauge "latchkey_standalone_undecodable_objects" [];
    /// Scans of the folder that failed.
    STANDALONE_FAILED_SCANS = Counter "latchkey_standalone_failed_scans_total" [];

    /// Time since the API server last answered a consistent read; no sample before the first answer.
    CONTACT_AGE = Gauge "latchkey_contact_age_seconds" [];
    /// By how many seconds this gateway's clock is ahead of the API server's, at least (negative: behind); 0 while whole seconds cannot tell them apart.
    CLOCK_SKEW = Gauge "latchkey_clock_skew_seconds" [];
    /// Consistent reads that the API server did not answer.
    CONTACT_FAILURES = Counter "latchkey_contact_failures_total" [];
    /// Times that the API server's store was found put back to an older state, so that everything was listed.
    STORE_ROLLBACKS = Counter "latchkey_store_rollbacks_total" [];
    /// Consumers and Credentials of which a list said something else than was in force: after an outage what was missed, at other times lost events.
    LIST_CORRECTIONS = Counter "latchkey_watch_list_corrections_total" [];
    /// Complete lists of a kind since start.
    WATCH_LISTS = Counter "latchkey_watch_lists_total" ["kind"];
    /// Lists of a kind that broke or were refused.
    WATCH_LIST_FAILURES = Counter "latchkey_watch_list_failures_total" ["kind"];
    /// Watches of a kind that ended or were given up, by cause.
    WATCH_RESTARTS = Counter "latchkey_watch_restarts_total" ["kind", "cause"];
    /// Changes that watches of a kind told.
    WATCH_EVENTS = Counter "latchkey_watch_events_total" ["kind"];
    /// Whether all watches of a kind work now.
    WATCH_WORKING = Gauge "latchkey_watch_working" ["kind"];
    /// Whether the API server does not know the kind: its CRD is missing.
    WATCH_MISSING = Gauge "latchkey_watch_missing" ["kind"];
    /// Deletions of AuthPolicies, HTTPRoutes and Gateways that wait until it is known whether their CRD is being removed.
    DELETIONS_HELD = Gauge "latchkey_watch_deletions_held" [];
    /// Changes of HTTPRoutes, Gateways, ReferenceGrants and Namespaces, and deletions of AuthPolicies, that wait until every AuthPolicy that was there before them is known.
    OPENINGS_HELD = Gauge "latchkey_watch_openings_held" [];
    /// Objects of a kind that stay in force though they are deleted, because their CRD was being removed.
    DELETIONS_IGNORED = Counter "latchkey_watch_deletions_ignored_total" ["kind"];
    /// Objects of a kind that exist and cannot be read or honoured.
    UNDECODABLE_OBJECTS = Gauge "latchkey_undecodable_objects" ["kind"];
    /// Blocks in the status of Credentials that claim to be theirs under a held pepper, but bear a wrong tag.
    PUBLISHED_BLOCKS_REFUSED = Counter "latchkey_published_blocks_refused_total" [];

    /// Access log lines dropped because their reader is too slow.
    ACCESS_LOG_DROPPED = Counter "latchkey_access_log_dropped_total" [];
    /// Lines of the process's own log dropped because nobody takes them.
    LOG_DROPPED = Counter "latchkey_log_dropped_total" [];

    /// Always 1; the labels say what runs.
    BUILD_INFO = Gauge "latchkey_build_info" ["version"];
    /// When the process started, in seconds since the Unix epoch.
    PROCESS_START_TIME = Gauge "process_start_time_seconds" [];

    /// When this text was rendered, in seconds since the Unix epoch: its age is `time()` less this.
    METRICS_RENDERED = Gauge "latchkey_metrics_rendered_timestamp_seconds" [];
    /// Texts rendered since start, this one included.
    METRICS_RENDERS = Counter "latchkey_metrics_renders_total" [];
    /// How long the text before this one took to render.
    METRICS_RENDER_DURATION = Gauge "latchkey_metrics_render_duration_seconds" [];
    /// The length of the text before this one.
    METRICS_TEXT_BYTES = Gauge "latchkey_metrics_text_bytes" [];
    /// How often the rendering of metrics failed and was started again.
    METRICS_RESTARTS = Counter "latchkey_metrics_worker_restarts_total" [];
}
