//! Which endpoint a request goes to.

use std::net::SocketAddr;

use latchkey_core::reason::Reason;
use latchkey_routing::table::{Backend, Backends};

use crate::random::Random;

/// Where to send a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The endpoint.
    pub(crate) first: SocketAddr,
    /// Another one of the same backend, for when the first cannot be reached.
    pub(crate) alternate: Option<SocketAddr>,
}

/// Picks a backend by weight, then one of its endpoints, each as likely as the others.
///
/// # Errors
/// The reason why there is none.
pub(crate) fn pick(backends: &Backends, random: &Random) -> Result<Target, Reason> {
    match backends.pick(random.next()) {
        None => Err(Reason::NoBackend),
        Some(Backend::Invalid(reason)) => Err(*reason),
        Some(Backend::Endpoints(cell)) => among(&cell.load(), random),
    }
}

fn among(endpoints: &[SocketAddr], random: &Random) -> Result<Target, Reason> {
    if endpoints.is_empty() {
        return Err(Reason::NoEndpoint);
    }
    let index = random.index(endpoints.len());
    let next = (index + 1) % endpoints.len();
    Ok(Target {
        first: endpoints[index],
        alternate: (next != index).then(|| endpoints[next]),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use latchkey_routing::endpoints::EndpointCell;

    use super::*;

    fn addresses(count: u16) -> Vec<SocketAddr> {
        (0..count)
            .map(|port| SocketAddr::from(([127, 0, 0, 1], port)))
            .collect()
    }

    fn backends(entries: Vec<(u64, Backend)>) -> Backends {
        Backends { cumulative: entries }
    }

    #[test]
    fn an_alternate_is_another_endpoint() {
        let random = Random::new(1);
        let cell = Arc::new(EndpointCell::new(addresses(3)));
        let backends = backends(vec![(1, Backend::Endpoints(cell))]);
        for _ in 0..100 {
            let target = pick(&backends, &random).unwrap();
            assert_ne!(target.alternate.unwrap(), target.first);
        }
    }

    #[test]
    fn a_lone_endpoint_has_no_alternate() {
        let target = among(&addresses(1), &Random::new(1)).unwrap();
        assert_eq!(target.alternate, None);
    }

    #[test]
    fn what_cannot_serve_says_why() {
        let random = Random::new(1);
        let none = Arc::new(EndpointCell::new(vec![]));
        for (entries, reason) in [
            (vec![], Reason::NoBackend),
            (
                vec![(1, Backend::Invalid(Reason::BackendInvalid))],
                Reason::BackendInvalid,
            ),
            (vec![(1, Backend::Endpoints(none))], Reason::NoEndpoint),
        ] {
            assert_eq!(pick(&backends(entries), &random), Err(reason));
        }
    }
}
