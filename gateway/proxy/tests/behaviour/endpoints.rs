//! Endpoints that come and go under load.

use std::{
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use latchkey_proxy::ProxyConfig;
use latchkey_routing::object::{Kind, Manifest};

use crate::harness::{Gateway, Wire, objects, upstream::ok, wait_until};

const ROUNDS: usize = 200;
/// Endpoints at a time.
const PODS: usize = 3;
const CLIENTS: usize = 4;

/// A server that can go away.
struct Pod {
    name: String,
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    requests: AtomicUsize,
    /// Those that brought a request.
    kept: Mutex<Vec<TcpStream>>,
    open: AtomicUsize,
    stopped: AtomicBool,
}

impl State {
    fn answer(&self, wire: &mut Wire) {
        self.requests.fetch_add(1, SeqCst);
        wire.send(ok("fine"));
    }
}

impl Pod {
    fn start(name: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let served = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if served.stopped.load(SeqCst) {
                    return;
                }
                let stream = stream.unwrap();
                served.open.fetch_add(1, SeqCst);
                let served = Arc::clone(&served);
                thread::spawn(move || {
                    let kept = stream.try_clone().unwrap();
                    let mut wire = Wire::of(stream);
                    if wire.request().is_some() {
                        served.kept.lock().unwrap().push(kept);
                        served.answer(&mut wire);
                        while wire.request().is_some() {
                            served.answer(&mut wire);
                        }
                    }
                    wire.finish();
                    served.open.fetch_sub(1, SeqCst);
                });
            }
        });
        Self { name, address, state }
    }

    /// Ends each connection that is kept, as soon as what came on it is answered.
    fn close_connections(&self) {
        for connection in self.state.kept.lock().unwrap().drain(..) {
            // It may have ended by itself.
            let _ = connection.shutdown(Shutdown::Read);
        }
    }

    /// Accepts no more.
    fn stop(&self) {
        self.state.stopped.store(true, SeqCst);
        // Wakes who accepts.
        drop(TcpStream::connect(self.address));
    }

    fn enter(&self, gateway: &mut Gateway) {
        let slice = objects::endpoint(&self.name, self.address);
        let (kind, name) = objects::identity(&slice);
        gateway.router.apply(kind, &name, Manifest::Value(slice));
        gateway.router.commit();
    }
}

/// Clients without end, and how often each was answered.
struct Load {
    stop: Arc<AtomicBool>,
    answers: Vec<Arc<AtomicUsize>>,
    threads: Vec<thread::JoinHandle<Vec<u16>>>,
}

impl Load {
    fn start(address: SocketAddr, requests: &'static [&'static str]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let answers: Vec<_> = (0..CLIENTS).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let threads = answers
            .iter()
            .map(|answered| {
                let (stop, answered) = (Arc::clone(&stop), Arc::clone(answered));
                thread::spawn(move || {
                    let mut client = Wire::connect(address);
                    let mut lost = Vec::new();
                    for request in requests.iter().cycle() {
                        if stop.load(SeqCst) {
                            break;
                        }
                        match client.ask(request).status() {
                            200 => {}
                            status => lost.push(status),
                        }
                        answered.fetch_add(1, SeqCst);
                    }
                    lost
                })
            })
            .collect();
        Self {
            stop,
            answers,
            threads,
        }
    }

    /// Waits until whatever is under way now has ended.
    fn settle(&self) {
        let before: Vec<_> = self.answers.iter().map(|count| count.load(SeqCst)).collect();
        wait_until("the end of what is under way", || {
            let now = self.answers.iter().map(|count| count.load(SeqCst));
            now.zip(&before).all(|(now, before)| now > *before)
        });
    }

    /// What was not answered by 200.
    fn lost(self) -> Vec<u16> {
        self.stop.store(true, SeqCst);
        let ended = self.threads.into_iter().map(thread::JoinHandle::join);
        ended.flat_map(Result::unwrap).collect()
    }
}

/// Replaces the oldest endpoint in each round. `leave` is told when, and does it.
fn rounds(requests: &'static [&'static str], leave: impl Fn(&Pod, &mut Gateway, &Load)) {
    let mut pods: Vec<_> = (0..PODS)
        .map(|number| Pod::start(format!("pod-{number}")))
        .collect();
    let mut gateway = Gateway::start(objects::world(&[]), &ProxyConfig::default());
    for pod in &pods {
        pod.enter(&mut gateway);
    }
    let load = Load::start(gateway.address, requests);
    for round in 0..ROUNDS {
        let new = Pod::start(format!("pod-{}", PODS + round));
        new.enter(&mut gateway);
        wait_until("a request to the new endpoint", || {
            new.state.requests.load(SeqCst) > 0
        });
        pods.push(new);
        let old = pods.remove(0);
        leave(&old, &mut gateway, &load);
        old.stop();
    }
    let answers: usize = load.answers.iter().map(|count| count.load(SeqCst)).sum();
    assert!(answers > ROUNDS * CLIENTS, "{answers}");
    assert_eq!(load.lost(), [0; 0]);
}

const ANY: &[&str] = &[
    "GET /open HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /open HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
    "POST /open HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
];
const REPEATABLE: &[&str] = &[
    "GET /open HTTP/1.1\r\nHost: a\r\n\r\n",
    "PUT /open HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi",
];

#[test]
fn endpoints_come_and_go_and_no_request_is_lost() {
    rounds(ANY, |pod, gateway, load| {
        gateway.delete(Kind::EndpointSlice, &pod.name);
        load.settle();
        let requests = pod.state.requests.load(SeqCst);
        pod.close_connections();
        load.settle();
        assert_eq!(
            pod.state.requests.load(SeqCst),
            requests,
            "it was gone from the table"
        );
    });
}

/// Nobody tells the gateway before.
#[test]
fn connections_that_end_under_load_lose_nothing_that_may_be_repeated() {
    rounds(REPEATABLE, |pod, gateway, load| {
        pod.close_connections();
        load.settle();
        gateway.delete(Kind::EndpointSlice, &pod.name);
        load.settle();
    });
}

/// Not at once, for the endpoint may come back, but without any request.
#[test]
fn connections_to_an_endpoint_that_is_gone_are_closed() {
    let [gone, stays] = ["gone", "stays"].map(|name| Pod::start(name.to_owned()));
    let mut config = ProxyConfig::default();
    config.pool.max_idle_age = Duration::from_millis(50);
    let mut gateway = Gateway::start(objects::world(&[]), &config);
    gone.enter(&mut gateway);
    assert_eq!(gateway.get("/open", "").status(), 200);
    stays.enter(&mut gateway);
    gateway.delete(Kind::EndpointSlice, &gone.name);
    let mut client = gateway.connect();
    wait_until("its connections' end", || {
        assert_eq!(client.ask("GET /open HTTP/1.1\r\nHost: a\r\n\r\n").status(), 200);
        gone.state.open.load(SeqCst) == 0
    });
    let stats = gateway.workers.as_ref().unwrap().stats().read();
    assert_eq!(stats.upstream.open, 1);
}
