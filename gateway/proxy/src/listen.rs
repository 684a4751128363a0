//! Binding a listener's port: one socket a worker, all with `SO_REUSEPORT`, so that the kernel spreads
//! connections and no worker waits for another.

use std::{
    collections::BTreeMap,
    io,
    net::{SocketAddr, TcpListener},
};

use socket2::{Domain, Protocol, Socket, Type};

/// Connections that may wait to be accepted, a socket. The kernel's own limit (`somaxconn`) holds too.
const BACKLOG: i32 = 4096;

/// Which address to bind for which listener's port.
pub type Bindings = BTreeMap<u16, SocketAddr>;

/// Which listeners' ports are served, and which cannot be.
#[derive(Clone, Debug, Default)]
pub struct BindReport {
    /// Ports that every worker accepts on, and the address that was bound.
    pub bound: BTreeMap<u16, SocketAddr>,
    /// Ports that could not be bound; tried again every second.
    pub failed: BTreeMap<u16, BindError>,
}

/// Why a port could not be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot listen on {address} for listener port {port}: {error}; {remedy}")]
pub struct BindError {
    /// The listener's port.
    pub port: u16,
    /// The address that was asked for.
    pub address: SocketAddr,
    /// What the system says.
    pub error: String,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Binds one socket for each worker, or none.
pub(crate) fn bind(
    port: u16,
    address: SocketAddr,
    workers: usize,
) -> Result<(SocketAddr, Vec<TcpListener>), BindError> {
    try_bind(address, workers).map_err(|error| BindError {
        port,
        address,
        remedy: remedy(error.kind()),
        error: error.to_string(),
    })
}

fn try_bind(address: SocketAddr, workers: usize) -> io::Result<(SocketAddr, Vec<TcpListener>)> {
    // Sockets of another process that share their port as ours do would take half of the connections
    // in silence. A socket that does not share shows whether there are any.
    let probe = socket(address)?;
    probe.bind(&address.into())?;
    probe.listen(1)?;
    drop(probe);

    let mut bound = address;
    let mut listeners = Vec::with_capacity(workers);
    for _ in 0..workers {
        let socket = socket(bound)?;
        socket.set_reuse_port(true)?;
        // Accepted sockets inherit it, which saves a system call a connection.
        socket.set_tcp_nodelay(true)?;
        socket.set_nonblocking(true)?;
        socket.bind(&bound.into())?;
        socket.listen(BACKLOG)?;
        let listener = TcpListener::from(socket);
        // Port 0 asks for any; the others must have the same.
        bound = listener.local_addr()?;
        listeners.push(listener);
    }
    Ok((bound, listeners))
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Connections of the last process that linger are no reason not to start.
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    Ok(socket)
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::AddrInUse => {
            "another process has it: stop that one, or map the port elsewhere with --listen"
        }
        io::ErrorKind::AddrNotAvailable => "no interface has this address: correct --listen",
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 need the sysctl net.ipv4.ip_unprivileged_port_start, or a mapping with --listen"
        }
        _ => "map the port elsewhere with --listen",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 0))
    }

    #[test]
    fn every_worker_gets_a_socket_on_the_same_port() {
        let (address, listeners) = bind(80, any(), 3).unwrap();
        assert_eq!(listeners.len(), 3);
        for listener in &listeners {
            assert_eq!(listener.local_addr().unwrap(), address);
        }
    }

    #[test]
    fn a_port_that_another_gateway_shares_counts_as_taken() {
        let (address, _held) = bind(80, any(), 2).unwrap();
        let error = bind(80, address, 2).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(&address.to_string()) && text.contains("--listen"),
            "{text}"
        );
    }
}
