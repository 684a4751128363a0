//! What the access log adds to a request: two gateways alike but for it, asked in turn.

use std::{io, path::Path};

use latchkey_e2e::{address::Address, client::Connection, gateway::Gateway, logs::Logs, upstream::Upstream};
use latchkey_workload::{
    catalogue::Figures,
    stats::{interval, median},
};

use super::Town;

/// Pairs of turns.
const PAIRS: usize = 30;
/// Requests in a turn.
const TURN: usize = 2_000;

/// The CPU time that the whole process spends more for a request that it logs, in microseconds.
pub(super) fn measure(gateway: &Path) -> io::Result<Figures> {
    let upstream = Upstream::answering("ok");
    let town = Town::plain(upstream.address());
    let addresses = [(); 2].map(|()| Address::claim());
    let logs = Logs::named("bench");
    let [without, with] = [("off", &addresses[0]), ("all", &addresses[1])]
        .map(|(log, address)| town.start(gateway.to_owned(), address, &logs, log));
    let mut connections = [without.connect(), with.connect()];
    let mut more = Vec::new();
    for pair in 0..PAIRS {
        let mut turn = |which: usize| {
            let gateway = if which == 0 { &without } else { &with };
            cpu(&town, gateway, &mut connections[which])
        };
        // Who goes first changes.
        more.push(match pair % 2 {
            0 => {
                let without = turn(0)?;
                turn(1)? - without
            }
            _ => turn(1)? - turn(0)?,
        });
    }
    let (low, high) = interval(&more, 0.5);
    let name = "accesslog_us_per_request";
    Ok(Figures::from([
        (name.to_owned(), median(&more)),
        (format!("{name}_low"), low),
        (format!("{name}_high"), high),
    ]))
}

/// Microseconds of CPU a request.
fn cpu(town: &Town, gateway: &Gateway<'_>, connection: &mut Connection) -> io::Result<f64> {
    let all = |_: &str| true;
    let before = gateway.process().cpu(all);
    town.ask(connection, TURN)?;
    // What is written later belongs to these requests.
    gateway.process().wait_idle(all);
    let spent = gateway.process().cpu(all).saturating_sub(before);
    Ok(spent.as_secs_f64() * 1e6 / TURN as f64)
}
