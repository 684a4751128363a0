//! A probe: asks one gateway for one key over a kept connection, again and again, and tells when the
//! answer becomes the right one.

use std::{
    io,
    net::SocketAddr,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use latchkey_e2e::{
    client::{Connection, Request},
    wait::pause,
};

use super::propagation::LONGEST;

/// A running probe, with a thread of its own.
pub(crate) struct Probe {
    orders: mpsc::Sender<Order>,
    told: mpsc::Receiver<Told>,
    thread: JoinHandle<io::Result<Tally>>,
}

/// A key to follow.
struct Order {
    key: String,
    wanted: u16,
}

/// What a probe tells of each order, once and in this order.
#[derive(Debug)]
enum Told {
    /// It follows, and the answer is the other one.
    Follows,
    /// The first right answer was read at this time.
    Right(Instant),
}

/// What a probe saw in all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) answers: u64,
    pub(crate) time: Duration,
    /// Answers that were wrong again after the first right one.
    pub(crate) relapses: u64,
}

impl Tally {
    /// Answers a second.
    #[allow(clippy::cast_precision_loss, reason = "no run has that many answers")]
    pub(crate) fn rate(&self) -> f64 {
        self.answers as f64 / self.time.as_secs_f64()
    }
}

impl Probe {
    /// Connects. `rate` is how many requests a second it sends at most; 0: as many as it can.
    pub(crate) fn start(gateway: SocketAddr, rate: u32) -> io::Result<Self> {
        let connection = Connection::open(gateway)?;
        let gap = Duration::from_secs(1).checked_div(rate).unwrap_or_default();
        let (orders, to_do) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("probe".into())
            .spawn(move || follow_all(connection, gap, &to_do, &tell))?;
        Ok(Self { orders, told, thread })
    }

    /// Follows this key from now on; returns when it was asked for once.
    pub(crate) fn follow(&self, key: &str, wanted: u16) {
        // A probe that ended is found out by waiting for it.
        let _ = self.orders.send(Order {
            key: key.to_owned(),
            wanted,
        });
        let told = self.told.recv_timeout(LONGEST);
        assert!(
            matches!(told, Ok(Told::Follows)),
            "a probe that is to see {wanted} does not begin: {told:?}"
        );
    }

    /// When the first right answer was read; waits for it.
    pub(crate) fn right(&self) -> Instant {
        match self.told.recv_timeout(LONGEST) {
            Ok(Told::Right(at)) => at,
            told => panic!("no right answer within {LONGEST:?}: {told:?}"),
        }
    }

    /// Ends it.
    pub(crate) fn end(self) -> io::Result<Tally> {
        drop(self.orders);
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn follow_all(
    mut connection: Connection,
    gap: Duration,
    orders: &mpsc::Receiver<Order>,
    tell: &mpsc::Sender<Told>,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let Ok(mut order) = orders.recv() else {
        return Ok(tally);
    };
    let start = Instant::now();
    loop {
        let request = Request::get("/").key(&order.key);
        let mut was_right = None;
        order = loop {
            let asked = Instant::now();
            let response = connection.send(&request)?;
            let at = Instant::now();
            tally.answers += 1;
            assert!(
                [200, 401].contains(&response.status),
                "neither 200 nor 401 but {}: {}",
                response.status,
                response.text()
            );
            // Whoever is told may have ended.
            match (was_right, response.status == order.wanted) {
                (None, false) => {
                    let _ = tell.send(Told::Follows);
                    was_right = Some(false);
                }
                (None, true) => panic!("{} before the change", order.wanted),
                (Some(false), true) => {
                    let _ = tell.send(Told::Right(at));
                    was_right = Some(true);
                }
                (Some(true), false) => tally.relapses += 1,
                (Some(false), false) | (Some(true), true) => {}
            }
            match orders.try_recv() {
                Ok(next) => break next,
                Err(mpsc::TryRecvError::Disconnected) => {
                    tally.time = start.elapsed();
                    return Ok(tally);
                }
                Err(mpsc::TryRecvError::Empty) => {}
            }
            let rest = gap.saturating_sub(asked.elapsed());
            if !rest.is_zero() {
                pause(rest);
            }
        };
    }
}
