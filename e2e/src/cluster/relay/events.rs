//! A watch as lines, one event each, and changes of their order. Pure.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use serde_json::Value;

/// What a line of a watch tells, as far as rules ask.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Event {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`, `ERROR`.
    pub(super) kind: String,
    /// The object's name; empty where it has none.
    pub(super) name: String,
}

impl Event {
    /// Reads a line. What is no event has neither type nor name, and no rule means it.
    pub(super) fn read(line: &[u8]) -> Self {
        let json: Value = serde_json::from_slice(line).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            kind: text(&json["type"]),
            name: text(&json["object"]["metadata"]["name"]),
        }
    }
}

/// What becomes of an event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Change {
    /// It never comes.
    Drop,
    /// It comes, and once more after the next event of the same object.
    Again,
    /// It comes only after the next event of the same object: the two are swapped.
    Late,
}

/// A stream of bytes as whole lines, with some of them kept back.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: BytesMut,
    /// Lines that follow the next event of their object.
    kept: VecDeque<(String, Bytes)>,
}

impl Lines {
    /// Takes what came; gives what is to be passed on. `decide` says what becomes of each event.
    pub(super) fn pass(&mut self, data: &[u8], mut decide: impl FnMut(&Event) -> Option<Change>) -> Bytes {
        self.rest.extend_from_slice(data);
        let mut passed = BytesMut::new();
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line = self.rest.split_to(end + 1).freeze();
            let event = Event::read(&line);
            let due = self.kept.iter().position(|(name, _)| *name == event.name);
            let due = due.and_then(|place| self.kept.remove(place));
            let change = decide(&event);
            if !matches!(change, Some(Change::Drop | Change::Late)) {
                passed.extend_from_slice(&line);
            }
            if let Some((_, late)) = due {
                passed.extend_from_slice(&late);
            }
            if matches!(change, Some(Change::Again | Change::Late)) {
                self.kept.push_back((event.name, line));
            }
        }
        passed.freeze()
    }

    /// What is left of a stream that ends: a line without its end. What was kept back is lost.
    pub(super) fn rest(&mut self) -> Bytes {
        self.rest.split().freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, name: &str, version: u8) -> String {
        format!(
            "{{\"type\":\"{kind}\",\"object\":{{\"metadata\":{{\"name\":\"{name}\",\"v\":{version}}}}}}}\n"
        )
    }

    /// What is passed of these lines, if this happens to each event of this type.
    fn passed(lines: &[String], kind: &str, change: Change) -> String {
        let mut stream = Lines::default();
        let mut left = Some(change);
        let passed = stream.pass(lines.concat().as_bytes(), |event| {
            if event.kind == kind { left.take() } else { None }
        });
        String::from_utf8(passed.to_vec()).expect("it was text")
    }

    #[test]
    fn whole_lines_pass_as_they_are_in_whatever_pieces_they_come() {
        let text = line("ADDED", "a", 1) + "no event\n" + &line("BOOKMARK", "", 2) + "{\"type\":";
        let mut stream = Lines::default();
        let pieces = text.as_bytes().chunks(7);
        let mut passed: Vec<u8> = pieces.flat_map(|piece| stream.pass(piece, |_| None)).collect();
        assert!(text.as_bytes().starts_with(&passed) && passed.ends_with(b"\n"));
        passed.extend(stream.rest());
        assert_eq!(passed, text.as_bytes());
    }

    #[test]
    fn an_event_is_dropped_told_again_or_told_after_the_next_of_its_object() {
        let [first, other, next] = [
            line("ADDED", "a", 1),
            line("MODIFIED", "b", 2),
            line("MODIFIED", "a", 3),
        ];
        let all = [first.clone(), other.clone(), next.clone()];
        let order = |change, wanted: &[&String]| {
            let wanted: String = wanted.iter().map(|line| line.as_str()).collect();
            assert_eq!(passed(&all, "ADDED", change), wanted, "{change:?}");
        };
        order(Change::Drop, &[&other, &next]);
        order(Change::Again, &[&first, &other, &next, &first]);
        order(Change::Late, &[&other, &next, &first]);
    }
}
