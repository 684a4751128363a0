//! A proxy with one worker, its tables, and the ends of all that it hands out.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use latchkey_core::{digest::Pepper, object::ObjectName};
use latchkey_index::Index;
use latchkey_proxy::{
    AccessLog, AccessLogMode, AccessLogWriter, Bindings, Freshness, ProxyConfig, Shared, Workers,
};
use latchkey_routing::{
    object::{Kind, Manifest},
    router::{Router, RouterConfig},
};
use latchkey_runtime::shutdown::{Phase, phases};
use latchkey_snapshot::counters::{Registry, RouteTotals};
use serde_json::Value;
use tokio::{runtime::Runtime, sync::watch};

use super::{Message, Wire, objects, wait_until};

/// The proxy. Dropping it cuts everything.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    pub(crate) workers: Option<Workers>,
    pub(crate) phases: watch::Sender<Phase>,
    pub(crate) bindings: watch::Sender<Bindings>,
    pub(crate) router: Router,
    registry: Registry,
    log: Log,
    log_writer: Option<AccessLogWriter>,
    runtime: Runtime,
}

/// Where the access log goes.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Gateway {
    /// Serves the usual world with these endpoints.
    pub(crate) fn of(endpoints: &[SocketAddr]) -> Self {
        Self::start(objects::world(endpoints), &ProxyConfig::default())
    }

    /// Serves these objects.
    pub(crate) fn start(objects: Vec<Value>, config: &ProxyConfig) -> Self {
        let mut router = Router::new(RouterConfig {
            gateway_class: "latchkey".to_owned(),
            deny_unprotected: false,
        });
        for object in objects {
            let (kind, name) = objects::identity(&object);
            router.apply(kind, &name, Manifest::Value(object));
        }
        let commit = router.commit();
        assert!(commit.findings.is_empty(), "{:?}", commit.findings);

        let mut index = Index::new(7);
        index.set_peppers(vec![Pepper::new("p", &[7; 32])]);
        for fact in objects::people() {
            index.apply(fact);
        }
        index.commit();

        let log = Log::default();
        let (access_log, log_writer) = AccessLog::start(AccessLogMode::All, log.clone()).unwrap();
        let (phases, phase) = phases();
        let registry = Registry::default();
        let shared = Shared {
            tables: router.tables(),
            snapshots: index.snapshots(),
            freshness: Freshness::default(),
            registry: registry.clone(),
            access_log,
            phase,
        };
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let (bindings, wanted) = watch::channel(BTreeMap::from([(80, any)]));
        let workers = Workers::start(config, &shared, wanted).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let mut report = workers.report();
        let bound = runtime.block_on(async {
            report
                .wait_for(|report| report.bound.len() == 1)
                .await
                .unwrap()
                .clone()
        });
        Self {
            address: bound.bound[&80],
            workers: Some(workers),
            phases,
            bindings,
            router,
            registry,
            log,
            log_writer: Some(log_writer),
            runtime,
        }
    }

    pub(crate) fn connect(&self) -> Wire {
        Wire::connect(self.address)
    }

    /// Sends a request on a connection of its own, which is closed afterwards.
    pub(crate) fn ask(&self, request: impl AsRef<[u8]>) -> Message {
        self.connect().ask(request)
    }

    /// `GET` of a target with extra lines (each with its line end).
    pub(crate) fn get(&self, target: &str, lines: &str) -> Message {
        self.ask(format!("GET {target} HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n"))
    }

    /// Applies an object, whatever is wrong with it.
    pub(crate) fn put(&mut self, object: Value) {
        let (kind, name) = objects::identity(&object);
        self.router.apply(kind, &name, Manifest::Value(object));
        self.router.commit();
    }

    /// A rule that these objects ask for cannot be honoured: each is answered 500 at its path.
    pub(crate) fn cannot_honour(&mut self, routes: impl IntoIterator<Item = (&'static str, Value)>) {
        for (path, route) in routes {
            self.put(route);
            let answer = self.get(path, "");
            let refusal = (answer.status(), answer.reason());
            assert_eq!(refusal, (500, "misconfigured".to_owned()), "{path}");
        }
    }

    pub(crate) fn delete(&mut self, kind: Kind, name: &str) {
        self.router.delete(kind, &ObjectName::new("default", name));
        self.router.commit();
    }

    /// What was counted for a route, or for requests that none matched.
    pub(crate) fn totals(&self, route: Option<&str>) -> RouteTotals {
        let mut found = RouteTotals::default();
        self.registry.for_each(|name, totals| {
            if name.map(|name| name.name.as_str()) == route {
                found = totals.clone();
            }
        });
        found
    }

    /// Waits until exactly these requests of a route were counted, as `code reason`, and none is left.
    pub(crate) fn wait_for_counts(&self, route: Option<&str>, expected: &[(&str, u64)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|(what, count)| ((*what).to_owned(), *count))
            .collect();
        wait_until(&format!("{expected:?}"), || {
            let totals = self.totals(route);
            let counts: Vec<_> = totals
                .requests
                .iter()
                .map(|cell| (format!("{} {}", cell.code, cell.reason.as_str()), cell.count))
                .collect();
            totals.in_flight == 0 && counts == expected
        });
    }

    /// Waits until the proxy's threads have ended by themselves.
    pub(crate) fn wait_for_end(&mut self) {
        let workers = self.workers.take().unwrap();
        let joined = async { tokio::time::timeout(super::DEADLINE, workers.join()).await };
        self.runtime
            .block_on(joined)
            .expect("the workers end in time")
            .unwrap();
    }

    /// Ends the proxy and gives all that it logged.
    pub(crate) fn into_log(mut self) -> String {
        self.phases.send_replace(Phase::Forced);
        self.wait_for_end();
        assert!(self.log_writer.take().unwrap().join(super::DEADLINE));
        let log = self.log.0.lock().unwrap().clone();
        String::from_utf8(log).unwrap()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.phases.send_replace(Phase::Forced);
        if let Some(workers) = self.workers.take() {
            let _ = self.runtime.block_on(workers.join());
        }
    }
}
