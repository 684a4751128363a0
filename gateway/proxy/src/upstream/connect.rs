//! Making a connection to an endpoint.

use std::{
    io::{self, ErrorKind},
    rc::Rc,
};

use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    task::spawn_local,
    time::{Instant, timeout},
};

use super::{
    error::Error,
    pool::{
        PoolKey, Transport,
        connection::{Answered, Connection, Task},
        gate::Room,
    },
};
use crate::{
    config::{Limits, Timeouts},
    connection::{HYPER_MAX_FIELDS, HYPER_MIN_BUFFER},
    io::Observed,
};

/// Connects to where there is room for it, within the limit on time.
pub(super) async fn connect(
    room: Room,
    retires: Instant,
    timeouts: &Timeouts,
    limits: &Limits,
) -> Result<Connection, Error> {
    let PoolKey { address, transport } = room.key();
    let (address, Transport::Plain) = (*address, transport);
    let limit = timeouts.connect;
    let stream = timeout(limit, TcpStream::connect(address))
        .await
        .map_err(|_| Error::ConnectTimeout { address, limit })?
        .map_err(|source| {
            if is_own(&source) {
                Error::NoSocket { address, source }
            } else {
                Error::Connect { address, source }
            }
        })?;
    // Without it small requests may wait for the acknowledgement of the last one. A socket that
    // cannot do it is slower, not wrong.
    let _ = stream.set_nodelay(true);

    let answered = Rc::new(Answered::default());
    let io = TokioIo::new(Observed::new(stream, Rc::clone(&answered)).heard_out());
    let (sender, connection) = builder(limits)
        .handshake(io)
        .await
        .map_err(|source| Error::Reset { address, source })?;
    let task = spawn_local(async move {
        // Whoever uses the connection learns of its end by itself.
        let _ = connection.await;
    });
    Ok(Connection {
        sender,
        answered,
        scratch: Vec::new(),
        _task: Task(task),
        retires,
        room,
    })
}

/// Whether it is this machine that has no more to give (file descriptors, ports, memory), rather than the
/// endpoint that does not answer.
fn is_own(error: &io::Error) -> bool {
    // As Linux numbers them; the standard library has no kinds for these.
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    const ENOBUFS: i32 = 105;
    matches!(error.raw_os_error(), Some(ENFILE | EMFILE | ENOBUFS))
        || matches!(error.kind(), ErrorKind::AddrNotAvailable | ErrorKind::OutOfMemory)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_machine_lacks_is_not_the_endpoints_fault() {
        for (code, own) in [
            (24, true),
            (23, true),
            (99, true),
            (105, true),
            (12, true),
            (111, false),
            (113, false),
            (104, false),
            (110, false),
        ] {
            let error = io::Error::from_raw_os_error(code);
            assert_eq!(is_own(&error), own, "{error}");
        }
    }
}
