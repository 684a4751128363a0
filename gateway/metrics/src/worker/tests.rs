use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;
use crate::{
    cache::NoText,
    encode::{Family, Kind},
};

static VALUE: Family = Family {
    name: "value",
    help: "Of a test.",
    kind: Kind::Gauge,
    labels: &[],
};
const DEADLINE: Duration = Duration::from_secs(20);

/// Waits for a condition, and says what was seen last when it does not come.
fn eventually<T, E: std::fmt::Debug>(mut check: impl FnMut() -> Result<T, E>) -> T {
    let (_never, wait) = mpsc::channel::<()>();
    let start = Instant::now();
    loop {
        match check() {
            Ok(seen) => return seen,
            Err(seen) => assert!(start.elapsed() < DEADLINE, "still {seen:?}"),
        }
        let _ = wait.recv_timeout(Duration::from_millis(2));
    }
}

fn text(cache: &Cache) -> Result<String, NoText> {
    cache
        .text()
        .map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
}

/// Waits for a text that holds this line.
fn eventually_holds(cache: &Cache, line: &str) {
    eventually(|| match text(cache) {
        Ok(text) if text.lines().any(|held| held == line) => Ok(()),
        other => Err(other),
    });
}

#[test]
fn there_is_a_text_when_the_first_render_is_announced() {
    let (announce, announced) = mpsc::channel();
    let source = |text: &mut Text| text.single(&VALUE, 1_u64);
    let cache = start(vec![Box::new(source)], Duration::from_secs(3600), move || {
        announce.send(()).unwrap();
    })
    .unwrap();
    announced.recv_timeout(DEADLINE).unwrap();
    let text = text(&cache).unwrap();
    for line in [
        "value 1",
        "latchkey_metrics_renders_total 1",
        "latchkey_metrics_worker_restarts_total 0",
    ] {
        assert!(text.lines().any(|held| held == line), "{line}: {text}");
    }
}

#[test]
fn scrapes_between_two_renders_share_one_text_and_render_nothing() {
    let renders = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&renders);
    let source = move |_: &mut Text| {
        counted.fetch_add(1, Ordering::Relaxed);
    };
    let cache = start(vec![Box::new(source)], Duration::from_secs(3600), || {}).unwrap();
    let first = eventually(|| cache.text());
    for _ in 0..100 {
        assert_eq!(cache.text().unwrap().as_ptr(), first.as_ptr());
    }
    assert_eq!(renders.load(Ordering::Relaxed), 1);
}

#[test]
fn the_text_follows_its_sources_interval_by_interval() {
    let value = Arc::new(AtomicUsize::new(1));
    let seen = Arc::clone(&value);
    let source = move |text: &mut Text| text.single(&VALUE, seen.load(Ordering::Relaxed));
    let cache = start(vec![Box::new(source)], MIN_INTERVAL, || {}).unwrap();
    eventually_holds(&cache, "value 1");
    value.store(2, Ordering::Relaxed);
    eventually_holds(&cache, "value 2");
}

#[test]
fn a_panic_is_counted_expires_the_text_and_is_recovered_from() {
    let broken = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&broken);
    let source = move |text: &mut Text| {
        text.single(&VALUE, 1_u64);
        assert!(!seen.load(Ordering::Relaxed), "on purpose");
    };
    let cache = start(vec![Box::new(source)], MIN_INTERVAL, || {}).unwrap();
    eventually_holds(&cache, "value 1");
    broken.store(true, Ordering::Relaxed);
    let message = eventually(|| match cache.text() {
        Err(why @ NoText::Expired { failures, .. }) if failures > 0 => Ok(why.to_string()),
        other => Err(other),
    });
    assert!(
        message.contains("more than 40ms") && message.contains("see the log"),
        "{message}"
    );
    broken.store(false, Ordering::Relaxed);
    let text = eventually(|| text(&cache));
    let restarts = text
        .lines()
        .find_map(|line| line.strip_prefix("latchkey_metrics_worker_restarts_total "));
    assert!(restarts.unwrap().parse::<u64>().unwrap() > 0, "{text}");
}

#[test]
fn a_panic_before_the_first_text_is_said() {
    let source = |_: &mut Text| panic!("on purpose");
    let cache = start(vec![Box::new(source)], MIN_INTERVAL, || {
        panic!("announced without a text")
    })
    .unwrap();
    let message = eventually(|| match cache.text() {
        Err(why @ NoText::NotYet { failures }) if failures > 1 => Ok(why.to_string()),
        other => Err(other),
    });
    assert!(message.contains("not rendered yet"), "{message}");
}

#[test]
fn the_worker_ends_with_its_last_cache() {
    let dropped = Arc::new(());
    let held = Arc::downgrade(&dropped);
    let source = move |_: &mut Text| {
        let _ = &dropped;
    };
    let cache = start(vec![Box::new(source)], Duration::from_secs(3600), || {}).unwrap();
    let other = cache.clone();
    eventually(|| cache.text());
    drop(cache);
    assert!(other.text().is_ok() && held.upgrade().is_some());
    drop(other);
    eventually(|| held.upgrade().map_or(Ok(()), |_| Err("held")));
}

#[test]
fn a_replaced_buffer_is_written_again_unless_a_scrape_reads_it() {
    let mut renderer = Renderer::default();
    let text = renderer.render(0);
    let first = text.as_ptr();
    let reader = text.clone();
    renderer.recycle(Some(text));
    let second = renderer.render(0);
    assert_ne!(second.as_ptr(), first, "a scrape reads it");
    drop(reader);
    let reused = second.as_ptr();
    renderer.recycle(Some(second));
    assert_eq!(renderer.render(0).as_ptr(), reused);
}
