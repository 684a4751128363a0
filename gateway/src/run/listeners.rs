//! Whether the ports that Gateways ask for are bound: at start all must be; later one that cannot be
//! had is tried again, and the others go on.

use latchkey_proxy::{BindReport, Bindings};
use latchkey_runtime::readiness::Guard;
use tokio::sync::{oneshot, watch};

use super::RunError;
use crate::bindings::{Standing, standing};

/// Releases the guard when everything that the first commit asks for is bound. Completes only with the
/// reason why something of it cannot be.
///
/// After that no listener makes the process unready: whoever may create a Gateway could else take all
/// others down with a port that is taken. What fails then is logged and counted.
pub(super) async fn watch(
    first_commit: oneshot::Receiver<()>,
    mut wanted: watch::Receiver<Bindings>,
    mut report: watch::Receiver<BindReport>,
    ready: &Guard,
) -> RunError {
    if first_commit.await.is_err() {
        // The control thread ended, which is noticed where it is waited for.
        return std::future::pending().await;
    }
    loop {
        let now = standing(&wanted.borrow_and_update(), &report.borrow_and_update());
        match now {
            Standing::Failed(why) => return RunError::Listen(why),
            Standing::Waiting => {}
            Standing::Bound => {
                ready.ready();
                return std::future::pending().await;
            }
        }
        let ended = tokio::select! {
            changed = wanted.changed() => changed.is_err(),
            changed = report.changed() => changed.is_err(),
        };
        if ended {
            return std::future::pending().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use latchkey_runtime::readiness::Readiness;
    use tokio::time::timeout;

    use super::*;

    fn address() -> std::net::SocketAddr {
        "127.0.0.1:1".parse().unwrap()
    }

    #[tokio::test]
    async fn ready_when_all_that_the_first_commit_wants_is_bound() {
        let readiness = Readiness::default();
        let ready = readiness.guard("listeners");
        let (commit, first_commit) = oneshot::channel();
        let (wanted, wanted_seen) = watch::channel(Bindings::new());
        let (report, report_seen) = watch::channel(BindReport::default());
        let task = tokio::spawn(async move { watch(first_commit, wanted_seen, report_seen, &ready).await });
        wanted.send_replace(Bindings::from([(80, address())]));
        commit.send(()).unwrap();
        tokio::task::yield_now().await;
        assert!(!readiness.is_ready());
        report.send_modify(|report| {
            report.bound.insert(80, address());
        });
        timeout(Duration::from_secs(10), async {
            while !readiness.is_ready() {
                tokio::task::yield_now().await;
            }
        })
        .await
        .unwrap();
        task.abort();
    }
}
