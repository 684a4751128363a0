//! Making a connection to an endpoint.

use std::rc::Rc;

use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::spawn_local, time::timeout};

use super::{
    error::Error,
    pool::{Answered, Connection, Pool, PoolKey, Transport},
};
use crate::{
    config::{Limits, ProxyConfig},
    connection::{HYPER_MAX_FIELDS, HYPER_MIN_BUFFER},
    io::Observed,
};

/// Connects, within the limits on time and on open connections.
pub(super) async fn connect(pool: &Pool, key: PoolKey, config: &ProxyConfig) -> Result<Connection, Error> {
    let address = key.address;
    let slot = pool
        .open_slot()
        .ok_or_else(|| Error::TooManyConnections { open: pool.open() })?;
    let Transport::Plain = key.transport;
    let limit = config.timeouts.connect;
    let stream = timeout(limit, TcpStream::connect(address))
        .await
        .map_err(|_| Error::ConnectTimeout { address, limit })?
        .map_err(|source| Error::Connect { address, source })?;
    // Without it small requests may wait for the acknowledgement of the last one. A socket that
    // cannot do it is slower, not wrong.
    let _ = stream.set_nodelay(true);

    let answered = Rc::new(Answered::default());
    let io = TokioIo::new(Observed::new(stream, Rc::clone(&answered)));
    let (sender, connection) = builder(&config.limits)
        .handshake(io)
        .await
        .map_err(|source| Error::Reset { address, source })?;
    let task = spawn_local(async move {
        // Whoever uses the connection learns of its end by itself.
        let _ = connection.await;
    });
    Ok(Connection {
        key,
        sender,
        task,
        answered,
        _slot: slot,
    })
}

fn builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .max_buf_size(limits.max_head_bytes.max(HYPER_MIN_BUFFER))
        .max_header_size(limits.max_head_bytes);
    if limits.max_head_fields != HYPER_MAX_FIELDS {
        builder.max_headers(limits.max_head_fields);
    }
    builder
}
