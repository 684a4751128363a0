//! Loopback addresses that belong to one test. All of 127.0.0.0/8 is local, so a test that holds an
//! address of its own may use fixed ports on it: no port is chosen, freed and hoped for.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// The port whose binding says that an address is taken. Below the ephemeral range, as are all
/// fixed ports of the suite.
const CLAIM_PORT: u16 = 20_999;

/// Where the gateway's proxy listens on its own address.
pub const PROXY_PORT: u16 = 20_080;
/// A second listener, for tests that need one.
pub const SECOND_PROXY_PORT: u16 = 20_081;
/// Where the listener of barriers is.
pub const BARRIER_PORT: u16 = 20_007;
/// Where the gateway's admin server listens.
pub const ADMIN_PORT: u16 = 20_190;
/// On which nothing ever listens.
pub const CLOSED_PORT: u16 = 20_009;

/// A loopback address that no other test, and no other run, uses while this lives.
#[derive(Debug)]
pub struct Address {
    ip: Ipv4Addr,
    _claim: TcpListener,
}

impl Address {
    /// Claims an address. The kernel arbitrates: the claim is a bound port.
    pub fn claim() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let start = process::id().wrapping_mul(0x9E37_79B1);
        for _ in 0..10_000 {
            let n = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
            let [_, b, c, d] = n.to_be_bytes();
            // 127.0.0.x is left to everybody else; .0 and .255 to nobody.
            let ip = Ipv4Addr::new(127, b.max(1), c, d.clamp(1, 254));
            if let Ok(claim) = TcpListener::bind((ip, CLAIM_PORT))
                && [PROXY_PORT, SECOND_PROXY_PORT, BARRIER_PORT, ADMIN_PORT]
                    .iter()
                    .all(|port| TcpListener::bind((ip, *port)).is_ok())
            {
                return Self { ip, _claim: claim };
            }
        }
        panic!("no loopback address is free");
    }

    /// The address itself.
    pub fn ip(&self) -> Ipv4Addr {
        self.ip
    }

    /// A port on it.
    pub fn port(&self, port: u16) -> SocketAddr {
        (self.ip, port).into()
    }
}
