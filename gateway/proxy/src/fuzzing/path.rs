//! The rule for paths.

use super::decoded;
use crate::path::normalise;

/// Any text as the path of a request: what passes means one thing to every reader.
pub fn path(data: &[u8]) {
    let Ok(raw) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(kept) = normalise(raw) else { return };
    assert_eq!(normalise(&kept).as_deref(), Ok(&*kept), "twice is not once");
    assert_eq!(remove_dot_segments(&kept), *kept, "dot segments are left");
    assert_eq!(
        decoded(raw.as_bytes()),
        decoded(kept.as_bytes()),
        "another resource"
    );
    assert!(
        kept.bytes()
            .all(|byte| (0x21..0x7f).contains(&byte) && !b"\"#<>?\\^`{|}".contains(&byte)),
        "{kept:?} is no path of RFC 3986"
    );
    let mut segments = kept.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        assert!(
            !segment.is_empty() || segments.peek().is_none(),
            "an empty segment in {kept:?}"
        );
        let read = decoded(segment.as_bytes());
        assert!(
            !read
                .iter()
                .any(|byte| matches!(byte, b'/' | b'\\' | 0x00..=0x1f | 0x7f)),
            "{segment:?} holds what may end it"
        );
        let name = read.split(|byte| *byte == b';').next().unwrap_or_default();
        assert!(name != b"." && name != b"..", "{segment:?} leads elsewhere");
    }
}

/// RFC 3986 section 5.2.4, to the letter.
fn remove_dot_segments(path: &str) -> String {
    let mut input = path.to_owned();
    let mut output = String::new();
    while !input.is_empty() {
        if let Some(rest) = input.strip_prefix("../").or_else(|| input.strip_prefix("./")) {
            input = rest.to_owned();
        } else if input.starts_with("/./") || input == "/." {
            input = format!("/{}", input.get(3..).unwrap_or_default());
        } else if input.starts_with("/../") || input == "/.." {
            input = format!("/{}", input.get(4..).unwrap_or_default());
            output.truncate(output.rfind('/').unwrap_or_default());
        } else if input == "." || input == ".." {
            input.clear();
        } else {
            let end = input[1..].find('/').map_or(input.len(), |at| at + 1);
            output.extend(input.drain(..end));
        }
    }
    output
}
