//! Upstreams that close each connection soon after an answer, at the pace at which requests come (O-D3).
//!
//! | | may be sent | sees |
//! |---|---|---|
//! | what may be repeated | twice | no error |
//! | POST | once | 502, if its connection died under it |
//!
//! `LATCHKEY_CASES` sets how many requests of each kind there are.

use std::{
    collections::HashMap,
    env,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use crate::harness::{DEADLINE, Gateway, Upstream, Wire, upstream::ok};

/// How an upstream ends a connection on which it has answered.
#[derive(Clone, Copy, Debug)]
enum End {
    /// In order, a little later.
    Finish,
    /// With a reset, a little later.
    Reset,
    /// When it has read the next request's head.
    AtNextHead,
}

/// How a client sends.
#[derive(Clone, Copy, Debug)]
enum Body {
    None,
    Whole,
    /// In two pieces, the second a little later.
    Streamed,
}

const CLIENTS: usize = 8;
/// How long an upstream keeps a connection, and a client waits between requests: so that they meet.
const PACE: Duration = Duration::from_millis(5);

fn requests() -> usize {
    let wanted = env::var("LATCHKEY_CASES").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(400)
}

/// What an upstream has seen: how often each target, and what was not as it should be.
#[derive(Debug, Default)]
struct Seen {
    times: Mutex<HashMap<String, usize>>,
    cut: Mutex<Vec<String>>,
}

fn body(target: &str) -> String {
    format!("{target}-begins-{target}-ends")
}

/// Reads a request, of which the head alone counts as seen; whether all of it came.
fn read(wire: &mut Wire, seen: &Seen) -> bool {
    let Some(head) = wire.head() else { return false };
    let target = head.split(' ').nth(1).unwrap().to_owned();
    *seen.times.lock().unwrap().entry(target.clone()).or_default() += 1;
    let got = if head.contains("chunked") {
        let mut got = Vec::new();
        loop {
            let Some(size) = wire.line() else { return false };
            let size = usize::from_str_radix(&size, 16).unwrap();
            got.extend(wire.exactly(size));
            if wire.line().is_none() {
                return false;
            }
            if size == 0 {
                break got;
            }
        }
    } else if let Some(length) = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
    {
        let length = length.parse().unwrap();
        let got = wire.exactly(length);
        if got.len() < length {
            return false;
        }
        got
    } else {
        return true;
    };
    if got != body(&target).as_bytes() {
        seen.cut.lock().unwrap().push(target);
    }
    true
}

fn upstream(end: End, seen: &Arc<Seen>) -> Upstream {
    let seen = Arc::clone(seen);
    Upstream::start(move |mut served| {
        if !read(&mut served.wire, &seen) || !served.wire.send(ok("fine")) {
            return;
        }
        if matches!(end, End::AtNextHead) {
            if let Some(head) = served.wire.head() {
                let target = head.split(' ').nth(1).unwrap().to_owned();
                *seen.times.lock().unwrap().entry(target).or_default() += 1;
            }
            return;
        }
        // Requests that come in the meantime are served.
        let stream = served.wire.stream.try_clone().unwrap();
        stream.set_read_timeout(Some(PACE)).unwrap();
        let mut buffer = [0; 1];
        while matches!(stream.peek(&mut buffer), Ok(1)) {
            stream.set_read_timeout(Some(DEADLINE)).unwrap();
            if !read(&mut served.wire, &seen) || !served.wire.send(ok("fine")) {
                return;
            }
            stream.set_read_timeout(Some(PACE)).unwrap();
        }
        match end {
            End::Reset => served.wire.reset(),
            _ => served.wire.finish(),
        }
    })
}

/// Sends one request, and gives its status.
fn ask(client: &mut Wire, method: &str, target: &str, how: Body) -> u16 {
    let head = format!("{method} {target} HTTP/1.1\r\nHost: a\r\n");
    let body = body(target);
    match how {
        Body::None => client.send(format!("{head}\r\n")),
        Body::Whole => client.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())),
        Body::Streamed => {
            let (first, second) = body.split_at(body.len() / 3);
            client.send(format!(
                "{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n",
                first.len()
            ));
            thread::park_timeout(PACE / 4);
            client.send(format!("{:x}\r\n{second}\r\n0\r\n\r\n", second.len()))
        }
    };
    if method == "HEAD" {
        return client.head().expect("an answer")[9..12].parse().unwrap();
    }
    client.answer().expect("an answer").status()
}

/// Statuses by how often they came, with what the upstream saw and how often something was sent again.
fn run(end: End, method: &'static str, how: Body) -> (HashMap<u16, usize>, Arc<Seen>, u64) {
    let seen = Arc::new(Seen::default());
    let upstream = upstream(end, &seen);
    let gateway = Gateway::of(&[upstream.address]);
    let address = gateway.address;
    let next = AtomicUsize::new(0);
    let total = requests();
    let mut statuses = HashMap::new();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..CLIENTS)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = Wire::connect(address);
                    let mut statuses = Vec::new();
                    loop {
                        let id = next.fetch_add(1, Relaxed);
                        if id >= total {
                            return statuses;
                        }
                        let status = ask(&mut client, method, &format!("/open/{id}"), how);
                        if !matches!(how, Body::None) && status != 200 {
                            // Its body may not have been read.
                            client = Wire::connect(address);
                        }
                        statuses.push(status);
                        thread::park_timeout(PACE * u32::try_from(id % 5).unwrap() / 3);
                    }
                })
            })
            .collect();
        for thread in threads {
            for status in thread.join().unwrap() {
                *statuses.entry(status).or_default() += 1;
            }
        }
    });
    let stats = gateway.workers.as_ref().unwrap().stats().read();
    (statuses, seen, stats.upstream.retries)
}

const ENDS: [End; 3] = [End::Finish, End::Reset, End::AtNextHead];

#[test]
fn what_may_be_repeated_shows_no_error() {
    for end in ENDS {
        let mut retries = 0;
        for (method, how) in [
            ("GET", Body::None),
            ("HEAD", Body::None),
            ("PUT", Body::Whole),
            ("PUT", Body::Streamed),
            ("DELETE", Body::None),
            ("OPTIONS", Body::None),
        ] {
            let (statuses, seen, again) = run(end, method, how);
            let what = format!("{end:?} {method} {how:?}");
            assert_eq!(statuses, HashMap::from([(200, requests())]), "{what}");
            let times = seen.times.lock().unwrap();
            assert!(times.values().all(|times| *times <= 2), "{what}: {times:?}");
            assert_eq!(*seen.cut.lock().unwrap(), [""; 0], "{what}");
            retries += again;
        }
        assert!(retries > 0, "{end:?}: the race was never hit");
    }
}

#[test]
fn a_post_is_never_seen_twice() {
    for end in ENDS {
        for how in [Body::None, Body::Whole, Body::Streamed] {
            let (statuses, seen, _) = run(end, "POST", how);
            let what = format!("{end:?} {how:?}");
            assert!(
                statuses.keys().all(|status| matches!(status, 200 | 502)),
                "{what}: {statuses:?}"
            );
            let times = seen.times.lock().unwrap();
            assert!(times.values().all(|times| *times == 1), "{what}: {times:?}");
            assert_eq!(*seen.cut.lock().unwrap(), [""; 0], "{what}");
            assert!(statuses[&200] > 0, "{what}");
            if matches!(end, End::AtNextHead) {
                assert!(statuses[&502] > 0, "{what}");
            }
        }
    }
}

/// Where the end is noticed before the first byte is written, nothing speaks against another connection.
#[test]
fn a_post_of_which_nothing_was_sent_is_sent_on_a_fresh_connection() {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let (statuses, seen, again) = run(End::Finish, "POST", Body::Whole);
        let served = statuses.get(&200).copied().unwrap_or_default();
        // What was sent again was served, and seen once like all others.
        let times = seen.times.lock().unwrap();
        assert!(times.values().all(|times| *times == 1), "{times:?}");
        assert!(
            times.len() >= served,
            "{served} were served, {} seen",
            times.len()
        );
        if again > 0 {
            return;
        }
        assert!(Instant::now() < deadline, "the race was never hit");
    }
}
