//! What one change costs a standalone gateway that holds few consumers, and one that holds many.
//!
//! Both run at once and take turns, so that a machine that slows down slows both. A change swaps
//! the key of one file; its time runs from the rename to the first answer that knows the new key,
//! over a kept connection that asks without pause. The asking shares the machine with the change,
//! in both gateways alike.

use std::{
    fs, io,
    path::Path,
    time::{Duration, Instant},
};

use latchkey_e2e::{
    address::Address,
    client::{Connection, Request},
    folder::Folder,
    gateway::{Gateway, PORT, Starter},
    keys,
    logs::Logs,
    manifest::{Manifest, consumer, credential, gateway},
    scene,
    upstream::Upstream,
    wait::eventually_within,
};

use crate::progress;

/// How many consumers the two gateways hold.
const SIZES: [usize; 2] = [1_000, 50_000];

/// Changes before the first that is measured.
const WARM_UP: u32 = 5;

/// How long a gateway may take until it is ready; it reads a file per consumer.
const START: Duration = Duration::from_secs(300);

/// How long a change may take. Past it something is broken, not slow.
const LONGEST: Duration = Duration::from_secs(60);

/// What one change cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// From the rename to the first answer that knows it.
    pub(crate) latency: Duration,
    /// CPU of the gateway's threads but its workers, which are busy answering the question.
    pub(crate) cpu: Duration,
}

/// One change of each size.
pub(crate) type Pair = [Sample; 2];

/// Starts both gateways and changes one file of each in turn.
pub(crate) fn measure(binary: &Path, pairs: u32) -> io::Result<Vec<Pair>> {
    let logs = Logs::named("bench");
    let upstream = Upstream::answering("ok");
    let towns = SIZES.map(|size| Town::build(size, &upstream));
    let mut running = Vec::new();
    for town in &towns {
        running.push(town.start(binary, &logs)?);
    }
    for changed in &mut running {
        for _ in 0..WARM_UP {
            changed.change()?;
        }
    }
    let mut samples = Vec::new();
    for number in 1..=pairs {
        let [small, large] = running.as_mut_slice() else {
            unreachable!("one gateway a size");
        };
        // Who goes first changes, so that neither always meets the other's leftovers.
        samples.push(if number % 2 == 0 {
            let small = small.change()?;
            [small, large.change()?]
        } else {
            let large = large.change()?;
            [small.change()?, large]
        });
        if number % 10 == 0 || number == pairs {
            progress(&format!("{number} of {pairs} pairs of changes"))?;
        }
    }
    Ok(samples)
}

/// A folder of consumers, one a file, and an address.
struct Town {
    size: usize,
    folder: Folder,
    address: Address,
}

/// A gateway on it, and the connection that asks.
struct Running<'a> {
    folder: &'a Folder,
    gateway: Gateway<'a>,
    connection: Connection,
    present: String,
}

/// The file that changes.
const CHANGING: &str = "c-000000.yaml";

fn holder(key: &str) -> [Manifest; 2] {
    [
        consumer("c-000000"),
        credential("c-000000", "c-000000").sha256(key),
    ]
}

impl Town {
    fn build(size: usize, upstream: &Upstream) -> Self {
        let folder = Folder::new();
        folder.write("gateway.yaml", &[gateway("edge", PORT)]);
        folder.write("route.yaml", &[scene::route(), scene::policy()]);
        folder.write("echo.yaml", &scene::backend("echo", upstream.address()));
        for number in 1..size {
            let name = format!("c-{number:06}");
            let objects = [
                consumer(&name),
                credential(&name, &name).sha256(&format!("a key of {name}")),
            ];
            folder.write(&format!("{name}.yaml"), &objects);
        }
        Self {
            size,
            folder,
            address: Address::claim(),
        }
    }

    fn start<'a>(&'a self, binary: &Path, logs: &'a Logs) -> io::Result<Running<'a>> {
        let size = self.size;
        let present = keys::key("bench");
        self.folder.write(CHANGING, &holder(&present));
        let start = Instant::now();
        let mut gateway = Starter::new(&self.folder, &self.address, logs)
            .binary(binary.to_owned())
            .measured()
            .start_unready();
        eventually_within(START, "the gateway is ready", || gateway.ready());
        progress(&format!(
            "{size} consumers are served after {:.1?}",
            start.elapsed()
        ))?;
        Ok(Running {
            folder: &self.folder,
            connection: gateway.connect(),
            gateway,
            present,
        })
    }
}

impl Running<'_> {
    /// Swaps the key, and asks until the new one is known. The old one must be dead by then.
    fn change(&mut self) -> io::Result<Sample> {
        let next = keys::key("bench");
        let draft = self.folder.file(".draft");
        let text: Vec<_> = holder(&next).iter().map(Manifest::yaml).collect();
        fs::write(&draft, text.join("---\n"))?;
        let request = Request::get("/").key(&next);
        let no_worker = |name: &str| !name.contains("worker");
        let cpu = self.gateway.process().cpu(no_worker);
        let start = Instant::now();
        fs::rename(&draft, self.folder.file(CHANGING))?;
        while self.connection.send(&request)?.status != 200 {
            assert!(
                start.elapsed() < LONGEST,
                "a change is not served after {LONGEST:?}; the gateway says:\n{}",
                self.gateway.process().tail()
            );
        }
        let latency = start.elapsed();
        let old = self
            .connection
            .send(&Request::get("/").key(&self.present))?
            .status;
        assert_eq!(old, 401, "the old key outlived the new one's first answer");
        self.present = next;
        // What the gateway does after the swap is a part of the cost.
        self.gateway.process().wait_idle(no_worker);
        Ok(Sample {
            latency,
            cpu: self.gateway.process().cpu(no_worker).saturating_sub(cpu),
        })
    }
}
