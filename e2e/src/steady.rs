//! Clients that ask for many things again and again beside a test and always get the same answer, so that
//! not one other in between goes unseen. What changes is for [`crate::poll`].

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    client::{Connection, Request},
    wait::pause,
};

/// How long after an answer the next request follows.
const EVERY: Duration = Duration::from_millis(5);

/// One thread for each gateway asked. Dropping it ends them.
#[derive(Debug)]
pub struct Steady {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<usize, String>>>,
}

impl Steady {
    /// Asks each of these servers for all of these in turn, every few milliseconds, on connections that
    /// are kept. Every answer must have this status; what does not is kept for [`Steady::finish`].
    pub fn start(servers: &[SocketAddr], requests: &[Request], status: u16) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = servers.iter().map(|&server| {
            let (stop, requests) = (Arc::clone(&stop), requests.to_vec());
            thread::spawn(move || ask(server, &requests, status, &stop))
        });
        Self {
            threads: threads.collect(),
            stop,
        }
    }

    /// Ends it; every answer must have been as wanted. Gives how many there were.
    pub fn finish(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.threads.drain(..).map(|thread| {
            let answers = thread.join().expect("a client does not panic");
            answers.unwrap_or_else(|wrong| panic!("{wrong}"))
        });
        let answers = ended.sum();
        assert!(answers > 0, "nobody answered");
        answers
    }
}

impl Drop for Steady {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn ask(server: SocketAddr, requests: &[Request], status: u16, stop: &AtomicBool) -> Result<usize, String> {
    let start = Instant::now();
    let mut answers = 0;
    let mut connection = None;
    loop {
        for (number, request) in requests.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Ok(answers);
            }
            let answer = Connection::again(&mut connection, server, request);
            let after = start.elapsed();
            match answer {
                Ok(answer) if answer.status == status => answers += 1,
                Ok(answer) => {
                    return Err(format!(
                        "request {number} of {server}: after {after:?} and {answers} answers of {status} came {}: {}",
                        answer.status,
                        answer.text()
                    ));
                }
                Err(e) => return Err(format!("request {number} of {server}: after {after:?}: {e}")),
            }
            pause(EVERY);
        }
    }
}
