//! Which address is bound for which listener's port: what Gateways ask for, as `--listen` maps it.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
};

use latchkey_proxy::{BindReport, Bindings};
use latchkey_routing::router::Router;

/// What a writer calls after each commit of routes.
pub type OnCommit = Box<dyn FnMut(&Router) + Send>;

/// From the ports of Gateways to addresses.
#[derive(Clone, Debug)]
pub struct BindingMap {
    mapped: BTreeMap<u16, SocketAddr>,
    all: IpAddr,
}

impl BindingMap {
    /// Ports that are not mapped are bound as they are, on all addresses.
    pub fn new(mapped: BTreeMap<u16, SocketAddr>) -> Self {
        Self {
            mapped,
            all: all_addresses(),
        }
    }

    /// What is to be bound for these ports.
    pub fn bindings(&self, ports: impl IntoIterator<Item = u16>) -> Bindings {
        let address = |port| self.mapped.get(&port).copied().unwrap_or((self.all, port).into());
        ports.into_iter().map(|port| (port, address(port))).collect()
    }
}

/// An IPv6 socket takes IPv4 as well, but some machines have no IPv6.
fn all_addresses() -> IpAddr {
    match TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)) {
        Ok(_) => Ipv6Addr::UNSPECIFIED.into(),
        Err(_) => Ipv4Addr::UNSPECIFIED.into(),
    }
}

/// How the bindings that are wanted compare with those that are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All are there.
    Bound,
    /// Some were not tried yet.
    Waiting,
    /// At least one cannot be had; why.
    Failed(String),
}

/// Compares what is wanted with what is there.
pub fn standing(wanted: &Bindings, report: &BindReport) -> Standing {
    let mut standing = Standing::Bound;
    for port in wanted.keys() {
        if let Some(error) = report.failed.get(port) {
            return Standing::Failed(error.to_string());
        }
        if !report.bound.contains_key(port) {
            standing = Standing::Waiting;
        }
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_ports_go_where_they_are_told_and_others_stay() {
        let mapped = "127.0.0.1:8080".parse().unwrap();
        let map = BindingMap::new(BTreeMap::from([(80, mapped), (443, mapped)]));
        let bindings = map.bindings([80, 81]);
        assert_eq!(bindings.len(), 2, "a port that no Gateway has is not bound");
        assert_eq!(bindings[&80], mapped);
        assert_eq!(bindings[&81].port(), 81);
        assert!(bindings[&81].ip().is_unspecified());
    }

    #[test]
    fn what_is_wanted_is_compared_with_what_is_there() {
        let address = "127.0.0.1:1".parse().unwrap();
        let wanted = Bindings::from([(80, address), (81, address)]);
        let mut report = BindReport::default();
        assert_eq!(standing(&Bindings::new(), &report), Standing::Bound);
        assert_eq!(standing(&wanted, &report), Standing::Waiting);
        report.bound.insert(80, address);
        assert_eq!(standing(&wanted, &report), Standing::Waiting);
        report.bound.insert(81, address);
        assert_eq!(standing(&wanted, &report), Standing::Bound);
    }
}
