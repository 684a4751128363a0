//! What a relay does to which requests.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

pub use super::events::Change;
use super::events::Event;

/// A request that a relay has seen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Seen {
    /// When it came.
    pub at: Instant,
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// What follows `?`, as it stood there.
    pub query: String,
    /// The client's name for itself.
    pub user_agent: String,
    /// The status that the client got; `None` before there is one.
    pub status: Option<u16>,
}

impl Seen {
    /// Whether it asks for a stream of events.
    pub fn is_watch(&self) -> bool {
        self.method == "GET"
            && self
                .query
                .split('&')
                .any(|part| matches!(part, "watch" | "watch=1" | "watch=true"))
    }

    /// The resource, the object's name and the subresource, as far as the path names them.
    fn parts(&self) -> (&str, Option<&str>, Option<&str>) {
        let mut parts = self.path.split('/').skip(1);
        // `/api/v1` or `/apis/GROUP/VERSION`.
        let prefix = if parts.next() == Some("apis") { 2 } else { 1 };
        let parts: Vec<_> = parts.skip(prefix).collect();
        let parts = match parts.as_slice() {
            ["namespaces", _, rest @ ..] if !rest.is_empty() => rest,
            rest => rest,
        };
        (
            parts.first().copied().unwrap_or_default(),
            parts.get(1).copied(),
            parts.get(2).copied(),
        )
    }
}

/// Which requests. Each call narrows it.
#[derive(Clone, Debug, Default)]
pub struct When {
    method: Option<&'static str>,
    resource: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    watch: Option<bool>,
    write: Option<bool>,
    query: Option<String>,
    without: Option<String>,
}

impl When {
    /// All.
    pub fn any() -> Self {
        Self::default()
    }

    /// Watches of a resource (`credentials`).
    pub fn watch(resource: &str) -> Self {
        Self::any().resource(resource).is_watch(true)
    }

    /// Lists of a resource, its `limit=1` contacts among them.
    pub fn list(resource: &str) -> Self {
        Self {
            name: Some(String::new()),
            ..Self::any().resource(resource).method("GET").is_watch(false)
        }
    }

    /// The first page of a list of a resource, but no contact.
    pub fn first_page(resource: &str) -> Self {
        Self::list(resource).query("limit=500").without("continue=")
    }

    /// The pages of a list of a resource after the first.
    pub fn later_page(resource: &str) -> Self {
        Self::list(resource).query("continue=")
    }

    /// Reads of one object.
    pub fn get(resource: &str, name: &str) -> Self {
        Self::any()
            .resource(resource)
            .name(name)
            .method("GET")
            .is_watch(false)
    }

    /// Whatever changes something.
    pub fn write() -> Self {
        Self {
            write: Some(true),
            ..Self::any()
        }
    }

    /// Whatever changes a status.
    pub fn status() -> Self {
        Self::write().subresource("status")
    }

    /// Of this method.
    pub fn method(mut self, method: &'static str) -> Self {
        self.method = Some(method);
        self
    }

    /// To this resource, in whatever namespace and group.
    pub fn resource(mut self, resource: &str) -> Self {
        self.resource = Some(resource.to_owned());
        self
    }

    /// To the object of this name.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// To this part of an object (`status`).
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.to_owned());
        self
    }

    /// Streams of events, or all but them.
    pub fn is_watch(mut self, is: bool) -> Self {
        self.watch = Some(is);
        self
    }

    /// With this text in the query.
    pub fn query(mut self, text: &str) -> Self {
        self.query = Some(text.to_owned());
        self
    }

    /// Without this text in the query.
    pub fn without(mut self, text: &str) -> Self {
        self.without = Some(text.to_owned());
        self
    }

    /// Whether it means this request.
    pub fn matches(&self, seen: &Seen) -> bool {
        fn is(wanted: Option<&str>, actual: Option<&str>) -> bool {
            wanted.is_none_or(|wanted| wanted == actual.unwrap_or_default())
        }
        let (resource, name, subresource) = seen.parts();
        self.method.is_none_or(|method| method == seen.method)
            && is(self.resource.as_deref(), Some(resource))
            && is(self.name.as_deref(), name)
            && is(self.subresource.as_deref(), subresource)
            && self.watch.is_none_or(|watch| watch == seen.is_watch())
            && self.write.is_none_or(|write| write == (seen.method != "GET"))
            && self.query.as_deref().is_none_or(|text| seen.query.contains(text))
            && self
                .without
                .as_deref()
                .is_none_or(|text| !seen.query.contains(text))
    }
}

/// What happens to a request.
#[derive(Clone, Debug)]
pub enum Action {
    /// It goes on after this time.
    Delay(Duration),
    /// It goes on at once, and its answer is kept until the rule is lifted: a result that is late.
    Hold,
    /// It does not go on; its connection stays, silent, and is cut when the rule is lifted. Running
    /// streams go silent, too: what comes meanwhile is passed on when the rule is lifted.
    Stall,
    /// Its connection is cut without an answer; running streams are cut, too.
    Cut,
    /// It does not go on: this is the answer.
    Answer {
        /// The status.
        status: u16,
        /// Header lines.
        headers: Vec<(&'static str, String)>,
        /// The body.
        body: String,
    },
    /// It goes on, and its answer's body breaks when so many bytes of it have passed; that of a running
    /// stream, so many from now on.
    Body(usize, Break),
    /// Its answer's body passes byte by byte, with this time between two; a running stream, too.
    Trickle(Duration),
    /// The flow is forgotten, as by a firewall, when it has carried nothing for so long: what comes then,
    /// from either side, comes to nothing, and neither side is told. Lifted, it is remembered.
    Forget(Duration),
    /// Something happens to such events of a watch, a running one, too. The rule catches events, not
    /// requests: a number of times is a number of events.
    Event(Pick, Change),
}

/// How a body breaks.
#[derive(Clone, Debug)]
pub enum Break {
    /// The connection is cut.
    Cut,
    /// Nothing comes until the rule is lifted; then it goes on.
    Stall,
    /// It ends as if this were all of it.
    End,
    /// This comes, and it ends.
    Tell(String),
}

impl Break {
    /// An `ERROR` event as a watch of the API server words it.
    pub fn error(status: u16, reason: &str) -> Self {
        let event = serde_json::json!({ "type": "ERROR", "object": status_of(status, reason) });
        Self::Tell(format!("{event}\n"))
    }
}

/// Which events of a watch.
#[derive(Clone, Debug)]
pub struct Pick {
    kind: &'static str,
    name: String,
}

impl Pick {
    /// Those of this type (`DELETED`) about the object of this name.
    pub fn new(kind: &'static str, name: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
        }
    }

    pub(super) fn matches(&self, event: &Event) -> bool {
        self.kind == event.kind && self.name == event.name
    }
}

fn status_of(status: u16, reason: &str) -> serde_json::Value {
    serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": format!("{reason}, says the relay"), "reason": reason, "code": status,
    })
}

impl Action {
    /// An answer as the API server words it: a `Status` object.
    pub fn status(status: u16, reason: &str) -> Self {
        Self::Answer {
            status,
            headers: vec![("Content-Type", "application/json".to_owned())],
            body: status_of(status, reason).to_string(),
        }
    }

    /// "Too many requests", with the time after which to ask again.
    pub fn too_many(retry_after: Duration) -> Self {
        Self::Answer {
            status: 429,
            headers: vec![
                ("Content-Type", "application/json".to_owned()),
                ("Retry-After", retry_after.as_secs().to_string()),
            ],
            body: status_of(429, "TooManyRequests").to_string(),
        }
    }

    /// Whether it does anything to a request, or to its answer as a whole.
    pub(super) fn concerns_requests(&self) -> bool {
        !matches!(self, Self::Event(..))
    }

    /// Whether it does anything to an answer that has begun.
    pub(super) fn concerns_streams(&self) -> bool {
        matches!(
            self,
            Self::Stall | Self::Cut | Self::Body(..) | Self::Trickle(_) | Self::Forget(_)
        )
    }
}

/// By what a rule is lifted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RuleId(usize);

impl RuleId {
    pub(super) fn next() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A rule in force.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: RuleId,
    pub(super) when: When,
    pub(super) action: Action,
    /// How many more requests it may catch; `None`: any number.
    pub(super) left: Option<usize>,
    pub(super) caught: usize,
    /// Running streams that it made silent, each as often as it did.
    pub(super) silenced: usize,
}

impl Rule {
    /// It has met one more.
    pub(super) fn catch(&mut self) {
        self.caught += 1;
        self.left = self.left.map(|left| left.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(method: &str, target: &str) -> Seen {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Seen {
            at: Instant::now(),
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            user_agent: String::new(),
            status: None,
        }
    }

    #[test]
    fn requests_are_told_apart() {
        let credentials = "/apis/latchkey.dev/v1alpha1/namespaces/n/credentials";
        let list = seen("GET", &format!("{credentials}?limit=500"));
        let watch = seen(
            "GET",
            &format!("{credentials}?allowWatchBookmarks=true&watch=true"),
        );
        let all = seen("GET", "/apis/latchkey.dev/v1alpha1/credentials?limit=1");
        let status = seen("PATCH", &format!("{credentials}/alice/status"));
        let secret = seen("GET", "/api/v1/namespaces/n/secrets/alice");
        let namespaces = seen("GET", "/api/v1/namespaces?limit=500");

        let lists = When::list("credentials");
        assert!(lists.matches(&list) && lists.matches(&all));
        assert!(!lists.matches(&watch) && !lists.matches(&status) && !lists.matches(&secret));
        assert!(lists.query("limit=1").matches(&all));
        let later = seen("GET", &format!("{credentials}?limit=500&continue=token"));
        let (first_page, later_page) = (When::first_page("credentials"), When::later_page("credentials"));
        assert!(first_page.matches(&list) && !first_page.matches(&later) && !first_page.matches(&all));
        assert!(later_page.matches(&later) && !later_page.matches(&list));
        let watches = When::watch("credentials");
        assert!(watches.matches(&watch) && !watches.matches(&list));
        let writes = When::status().resource("credentials");
        assert!(writes.matches(&status) && !writes.matches(&list));
        assert!(When::get("secrets", "alice").matches(&secret));
        assert!(!When::get("secrets", "bob").matches(&secret));
        assert!(When::list("namespaces").matches(&namespaces));
    }
}
