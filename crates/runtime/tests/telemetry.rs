//! The log belongs to the whole process, so that its one test has a process of its own.

use latchkey_runtime::telemetry::{LogFormat, init};

#[test]
fn a_second_log_is_refused_with_the_remedy() {
    let _log = init(LogFormat::Json).unwrap();
    let message = init(LogFormat::Text).unwrap_err().to_string();
    assert!(
        message.contains("already set up") && message.contains("once"),
        "{message}"
    );
}
