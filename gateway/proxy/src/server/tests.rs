//! What `join` waits for.

use std::future::pending;

use tokio::time::timeout;

use super::*;

const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn one_panic_ends_the_wait_while_other_threads_go_on() {
    let (alive, ended) = mpsc::channel(1);
    let serving = spawn("serving".to_owned(), alive.clone(), pending).expect("a thread");
    let broken = spawn("broken".to_owned(), alive, || async { panic!("on purpose") }).expect("a thread");
    let joined = timeout(PATIENCE, join(vec![serving, broken], ended)).await;
    assert_eq!(joined, Ok(Err(WorkerPanicked)));
}

#[tokio::test]
async fn the_end_of_all_threads_ends_the_wait() {
    let (alive, ended) = mpsc::channel(1);
    let thread = spawn("short".to_owned(), alive, || async {}).expect("a thread");
    let joined = timeout(PATIENCE, join(vec![thread], ended)).await;
    assert_eq!(joined, Ok(Ok(())));
}
