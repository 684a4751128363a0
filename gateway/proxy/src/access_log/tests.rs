use std::sync::{Mutex, PoisonError, mpsc};

use http::{HeaderValue, Method};
use latchkey_core::reason::Reason;

use super::*;

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn entry(path: &str, reason: Reason) -> Box<Entry> {
    let id = HeaderValue::from_static("id-1");
    let mut entry = Entry::new(&id, &Method::GET, path, [192, 0, 2, 1].into());
    entry.reason = reason;
    entry.code = reason.status();
    entry
}

fn logged(mode: AccessLogMode) -> Vec<serde_json::Value> {
    let sink = Sink::default();
    let (log, writer) = AccessLog::start(mode, sink.clone()).unwrap();
    log.write(entry("/served", Reason::Served));
    log.write(entry("/de\"nied\n", Reason::UnknownKey));
    drop(log);
    assert!(writer.join(Duration::from_secs(10)));
    let bytes = sink.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_mode_chooses_what_is_logged() {
    let paths = |mode| {
        logged(mode)
            .iter()
            .map(|line| line["path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(AccessLogMode::Off), Vec::<String>::new());
    assert_eq!(paths(AccessLogMode::Denied), ["/de\"nied\n"]);
    assert_eq!(paths(AccessLogMode::All), ["/served", "/de\"nied\n"]);
}

#[test]
fn a_line_says_what_is_known() {
    let lines = logged(AccessLogMode::Denied);
    assert_eq!(lines[0]["reason"], "unknown_key");
    assert_eq!(lines[0]["code"], 401);
    assert_eq!(lines[0]["requestId"], "id-1");
    assert_eq!(lines[0]["client"], "192.0.2.1");
    assert!(lines[0]["route"].is_null());
    let time = lines[0]["time"].as_str().unwrap();
    assert_eq!((time.len(), time.ends_with('Z')), (27, true), "{time}");
}

/// A sink that says when a write begins and then blocks until it is let go.
struct Blocked {
    begun: mpsc::Sender<()>,
    go: Receiver<()>,
}

impl Write for Blocked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.begun.send(());
        let _ = self.go.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_queue_drops_and_counts_instead_of_waiting() {
    let (begun, has_begun) = mpsc::channel();
    let (let_go, go) = mpsc::channel();
    let (log, writer) = AccessLog::start(AccessLogMode::All, Blocked { begun, go }).unwrap();
    log.write(entry("/first", Reason::Served));
    has_begun.recv().unwrap();
    for _ in 0..QUEUE + 5 {
        log.write(entry("/more", Reason::Served));
    }
    assert_eq!(log.drop_counter()(), 5);
    drop((let_go, log));
    assert!(writer.join(Duration::from_secs(10)));
}
