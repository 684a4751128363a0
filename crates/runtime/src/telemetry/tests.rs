use std::{
    io::Write as _,
    sync::{Arc, Mutex, mpsc},
    time::Instant,
};

use tracing_subscriber::fmt::MakeWriter as _;

use super::*;

/// A sink that takes nothing until it is told to, and shows what it took.
struct Stuck(mpsc::Receiver<()>, Arc<Mutex<Vec<u8>>>);

impl io::Write for Stuck {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        // An error: it was told to for good.
        let _ = self.0.recv();
        self.1.lock().unwrap().extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Broken;

impl io::Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::Error::other("full"))
    }
}

fn say(lines: &Lines, text: &str) {
    lines.make_writer().write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_log_that_nobody_reads_drops_lines_and_keeps_nobody_waiting() {
    let (unstick, stuck) = mpsc::channel();
    let taken = Arc::default();
    let lines = Lines::start(Stuck(stuck, Arc::clone(&taken))).unwrap();
    // Far more than the queue holds; were any of them waited for, this would never end.
    for _ in 0..10_000 {
        say(&lines, "line\n");
    }
    let dropped = lines.dropped();
    assert!(dropped > 0);
    drop(unstick);
    let lost = usize::try_from(dropped).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while lost + taken.lock().unwrap().len() / "line\n".len() < 10_000 {
        assert!(Instant::now() < deadline, "lines are neither written nor counted");
        lines.flush(LAST_LINES);
    }
}

#[test]
fn a_log_that_cannot_be_written_ends_nothing() {
    let lines = Lines::start(Broken).unwrap();
    say(&lines, "one\n");
    lines.flush(LAST_LINES);
    say(&lines, "two\n");
    lines.flush(LAST_LINES);
    assert_eq!(lines.dropped(), 0);
}

#[test]
fn unset_and_blank_filters_mean_info_without_the_attempts_of_kubes_client() {
    for text in [None, Some(""), Some("  ")] {
        let read = filter(text).unwrap().to_string();
        assert_eq!(read, "kube_client=off,info", "{text:?}");
    }
}

#[test]
fn a_filter_by_module_is_taken_as_it_is() {
    let read = filter(Some("warn,latchkey_proxy=debug")).unwrap().to_string();
    assert!(
        read.contains("warn") && read.contains("latchkey_proxy=debug"),
        "{read}"
    );
}

#[test]
fn a_bad_filter_is_refused_with_its_text_and_the_remedy() {
    let message = filter(Some("latchkey=loud")).unwrap_err().to_string();
    assert!(
        message.contains("RUST_LOG=`latchkey=loud`") && message.contains("such as `info`"),
        "{message}"
    );
}

#[test]
fn formats_have_the_names_of_the_flag() {
    for (text, format) in [("json", LogFormat::Json), ("text", LogFormat::Text)] {
        assert_eq!(LogFormat::from_str(text, false), Ok(format));
    }
    assert!(LogFormat::from_str("xml", false).is_err());
}
