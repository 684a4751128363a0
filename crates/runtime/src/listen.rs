//! Listening sockets, and errors about them that say what to do. Never accepts.

use std::{
    io::{self, ErrorKind},
    net::{SocketAddr, TcpListener},
};

use socket2::{Domain, Protocol, Socket, Type};

/// Connections that the kernel holds before we accept them. The kernel caps it at
/// `net.core.somaxconn`; nginx and Envoy ask for as many.
const BACKLOG: i32 = 4096;

/// Why we do not listen.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {addr}: {source}; {}", remedy(source.kind()))]
pub struct ListenError {
    /// Where.
    pub addr: SocketAddr,
    /// Why.
    pub source: io::Error,
}

/// What someone can do about it.
fn remedy(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AddrInUse => "another process has this port: stop it, or choose another port",
        ErrorKind::PermissionDenied => {
            "ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE: \
             lower that sysctl, or choose a higher port"
        }
        ErrorKind::AddrNotAvailable => "no network interface here has this address: choose one that does",
        _ => "check the address and the limits of this process",
    }
}

/// One listening, non-blocking socket.
///
/// # Errors
/// The address cannot be had.
pub fn listen(addr: SocketAddr) -> Result<TcpListener, ListenError> {
    open(addr, false).map_err(|source| ListenError { addr, source })
}

/// Several listening, non-blocking sockets on one address, between which the kernel spreads
/// connections (`SO_REUSEPORT`). Port 0 is the same free port for all of them.
///
/// # Errors
/// The address cannot be had. That includes another process's group on it, which the kernel alone
/// would let us join and split its connections with.
pub fn listen_group(addr: SocketAddr, count: usize) -> Result<Vec<TcpListener>, ListenError> {
    let open_all = || -> io::Result<Vec<TcpListener>> {
        // A plain socket may not bind where any other one listens; it makes room before the group comes.
        let addr = TcpListener::from(bind(addr, false)?).local_addr()?;
        (0..count).map(|_| open(addr, true)).collect()
    };
    open_all().map_err(|source| ListenError { addr, source })
}

fn open(addr: SocketAddr, reuse_port: bool) -> io::Result<TcpListener> {
    let socket = bind(addr, reuse_port)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn bind(addr: SocketAddr, reuse_port: bool) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A restart must not wait for the last process's connections to time out.
    socket.set_reuse_address(true)?;
    if reuse_port {
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    Ok(socket)
}

#[cfg(test)]
mod tests;
