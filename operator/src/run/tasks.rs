//! Tasks with names, none of which may end before it is told to.

use std::collections::HashMap;

use tokio::task::{Id, JoinSet};

/// Those that run.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    running: JoinSet<()>,
    names: HashMap<Id, &'static str>,
}

impl Tasks {
    /// Starts one.
    pub(super) fn start(&mut self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let id = self.running.spawn(task).id();
        self.names.insert(id, name);
    }

    /// Waits until one ends, by a panic or otherwise, and says which.
    pub(super) async fn ended(&mut self) -> &'static str {
        let id = match self.running.join_next_with_id().await {
            Some(Ok((id, ()))) => id,
            Some(Err(error)) => error.id(),
            None => return std::future::pending().await,
        };
        self.names.get(&id).copied().unwrap_or("unnamed")
    }

    /// Ends all of them, and what they were waiting for with them.
    pub(super) async fn stop(&mut self) {
        self.running.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_is_named() {
        let mut tasks = Tasks::default();
        tasks.start("steady", std::future::pending());
        tasks.start("shaky", async { panic!("for this test") });
        assert_eq!(tasks.ended().await, "shaky");
    }

    #[tokio::test]
    async fn stopping_ends_all_before_it_returns() {
        let alive = std::sync::Arc::new(());
        let mut tasks = Tasks::default();
        for _ in 0..3 {
            let alive = std::sync::Arc::clone(&alive);
            tasks.start("holder", async move {
                let _alive = alive;
                std::future::pending::<()>().await;
            });
        }
        tokio::task::yield_now().await;
        tasks.stop().await;
        assert_eq!(std::sync::Arc::strong_count(&alive), 1);
    }
}
