//! A standalone gateway without threads and sockets: a folder, an engine, and what a request would get.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test binary uses a part of it"
)]

use std::{
    fs,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use http::{HeaderMap, Method};
use latchkey_core::{digest::Pepper, time::UnixSeconds};
use latchkey_gateway::standalone::{
    engine::{Engine, Outcome},
    folder::{Folder, Trust},
    hold::{Moment, QUIET},
    publish::Publisher,
};
use latchkey_index::Index;
use latchkey_routing::{
    router::{Router, RouterConfig},
    table::{Action, Backend, Found, RequestView, TableCell},
};
use latchkey_snapshot::SnapshotCell;
use tempfile::TempDir;

/// The port of the suite's Gateway.
pub const PORT: u16 = 80;

/// A folder and what was made of it.
pub struct Scene {
    pub dir: TempDir,
    pub folder: Folder,
    pub engine: Engine,
}

impl Scene {
    /// An empty folder.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path());
        Self {
            dir,
            folder,
            engine: engine(),
        }
    }

    /// `app.test/` protected by an AuthPolicy, `app.test/open` not, and alice with a key in a Secret.
    ///
    /// Each object in a file of its own, `KIND-NAME.yaml`.
    pub fn usual() -> Self {
        let scene = Self::new();
        for (file, text) in [
            ("gateway-edge.yaml", GATEWAY.to_owned()),
            ("route-app.yaml", route("app", "/")),
            ("route-open.yaml", route("open", "/open")),
            ("policy-app.yaml", policy("app", "app")),
            ("backend.yaml", BACKEND.to_owned()),
            ("consumer-alice.yaml", consumer("alice")),
            ("credential-alice.yaml", credential_by_secret("alice", "alice")),
            ("secret-alice.yaml", secret("alice", &key("alice"))),
        ] {
            scene.write(file, &text);
        }
        scene
    }

    pub fn write(&self, file: &str, text: &str) {
        fs::write(self.dir.path().join(file), text).unwrap();
    }

    pub fn delete(&self, file: &str) {
        fs::remove_file(self.dir.path().join(file)).unwrap();
    }

    /// Reads what changed, an hour later than it did and again a second later, as one batch, and waits for what is
    /// held back.
    pub fn sync(&mut self) -> Outcome {
        let now = SystemTime::now() + Duration::from_secs(3600);
        let names = self.folder.names().unwrap();
        let mut looked = self.folder.look(names, Trust::Seen, now);
        let doubtful = std::mem::take(&mut looked.doubtful);
        looked.extend(
            self.folder
                .look(doubtful, Trust::Settled, now + Duration::from_secs(1)),
        );
        assert!(
            looked.failed.is_none() && looked.doubtful.is_empty(),
            "{looked:?}"
        );
        let moment = Moment {
            now: Instant::now(),
            scanning: false,
            waiting: false,
        };
        self.engine.take(looked.changes, moment);
        let later = Moment {
            now: moment.now + QUIET,
            ..moment
        };
        self.engine.take(Vec::new(), later)
    }

    pub fn door(&self) -> Door {
        Door::of(&self.engine)
    }

    /// What a request to `app.test` gets, without and with a key.
    pub fn ask(&self, path: &str, key: Option<&str>) -> String {
        self.door().ask(path, key)
    }

    /// Present findings as `subject: reason`, sorted.
    pub fn findings(&self) -> Vec<String> {
        let mut all: Vec<_> = self
            .engine
            .findings()
            .iter()
            .map(|(subject, finding)| format!("{subject}: {}", finding.reason))
            .collect();
        all.sort();
        all
    }

    /// The message of the only finding with this reason.
    pub fn message(&self, reason: &str) -> String {
        let mut all = self
            .engine
            .findings()
            .iter()
            .filter(|(_, finding)| finding.reason == reason);
        let (_, finding) = all
            .next()
            .unwrap_or_else(|| panic!("no {reason}: {:?}", self.findings()));
        assert!(all.next().is_none(), "more than one {reason}");
        finding.message.clone()
    }
}

/// What requests read.
#[derive(Clone)]
pub struct Door {
    tables: TableCell,
    snapshots: SnapshotCell,
}

impl Door {
    pub fn of(engine: &Engine) -> Self {
        Self {
            tables: engine.router().tables(),
            snapshots: engine.index().snapshots(),
        }
    }

    /// `open`, `alice`, or the reason why not.
    pub fn ask(&self, path: &str, key: Option<&str>) -> String {
        let table = self.tables.load();
        let request = RequestView {
            method: &Method::GET,
            host: "app.test",
            path,
            query: None,
            headers: &HeaderMap::new(),
        };
        let (rule, protection) = match table.find(PORT, &request) {
            Found::Nothing => return "no_route".to_owned(),
            Found::Closed(reason, _) => return reason.as_str().to_owned(),
            Found::Rule(rule, protection) => (rule, protection),
        };
        if let Some(reason) = protection.closed {
            return reason.as_str().to_owned();
        }
        let snapshot = self.snapshots.load();
        let mut who = "open".to_owned();
        for policy in protection.checks() {
            let Some(key) = key else {
                return "no_credential".to_owned();
            };
            match snapshot.look_up(key.as_bytes(), &policy.admission, now()) {
                Ok(identity) => identity.consumer.name().clone_into(&mut who),
                Err(reason) => return reason.as_str().to_owned(),
            }
        }
        match &rule.action {
            Action::Fail(reason) => reason.as_str().to_owned(),
            Action::Redirect(_) => "redirect".to_owned(),
            Action::Forward(forward) => match forward.backends.pick(0) {
                Some(Backend::Endpoints(cell)) if cell.load().is_empty() => "no_endpoint".to_owned(),
                Some(Backend::Endpoints(_)) => who,
                Some(Backend::Invalid(reason)) => reason.as_str().to_owned(),
                None => "no_backend".to_owned(),
            },
        }
    }

    /// Revisions of index and routes.
    pub fn revisions(&self) -> (u64, u64) {
        let index = self.snapshots.load().stats().revision;
        (index, self.tables.load().stats().revision)
    }

    pub fn ports(&self) -> Vec<u16> {
        self.tables.load().ports()
    }

    pub fn consumers(&self) -> usize {
        self.snapshots.load().stats().consumers
    }
}

pub fn engine() -> Engine {
    let pepper = Pepper::new("test", &[7; 32]);
    let mut index = Index::new(1);
    index.set_peppers(vec![pepper.clone()]);
    let router = Router::new(RouterConfig {
        gateway_class: "latchkey".to_owned(),
        deny_unprotected: false,
    });
    Engine::new(index, router, Publisher::new(pepper, 16))
}

fn now() -> UnixSeconds {
    let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    UnixSeconds(age.as_secs().try_into().unwrap())
}

/// A key of a consumer's, long enough.
pub fn key(name: &str) -> String {
    format!("{name}-example-key-0123456789")
}

pub const GATEWAY: &str = "\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec:
  gatewayClassName: latchkey
  listeners: [{name: http, protocol: HTTP, port: 80}]
";

pub const BACKEND: &str = "\
apiVersion: v1
kind: Service
metadata: {name: echo}
spec:
  ports: [{name: http, port: 80, targetPort: 80}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: echo
  labels: {kubernetes.io/service-name: echo}
addressType: IPv4
endpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]
ports: [{name: http, port: 80}]
";

pub fn route(name: &str, path: &str) -> String {
    format!(
        "\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {{name: {name}}}
spec:
  parentRefs: [{{name: edge}}]
  hostnames: [app.test]
  rules:
    - matches: [{{path: {{type: PathPrefix, value: {path}}}}}]
      backendRefs: [{{name: echo, port: 80}}]
"
    )
}

pub fn policy(name: &str, route: &str) -> String {
    format!(
        "\
apiVersion: latchkey.dev/v1alpha1
kind: AuthPolicy
metadata: {{name: {name}}}
spec:
  methods: [{{type: APIKey}}]
  targetRefs: [{{group: gateway.networking.k8s.io, kind: HTTPRoute, name: {route}}}]
"
    )
}

pub fn consumer(name: &str) -> String {
    format!("apiVersion: latchkey.dev/v1alpha1\nkind: Consumer\nmetadata: {{name: {name}}}\nspec: {{}}\n")
}

pub fn credential_by_secret(name: &str, secret: &str) -> String {
    format!(
        "\
apiVersion: latchkey.dev/v1alpha1
kind: Credential
metadata: {{name: {name}}}
spec:
  consumerRef: {{name: {name}}}
  apiKey: {{secretKeyRef: {{name: {secret}, key: key}}}}
"
    )
}

pub fn secret(name: &str, key: &str) -> String {
    format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\nstringData: {{key: {key:?}}}\n")
}

/// All `*.yaml` files of a folder that exists.
pub fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}
