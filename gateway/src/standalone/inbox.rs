//! What the file system said since it was last asked: which files are to be looked at, and when.
//!
//! ```text
//! Event -> Inbox -> take(now): closed, settled, or everything
//! ```
//!
//! Pure: knows no file system and is told the time. Holds each file once, however often it is named,
//! so that it is never larger than the folder.

use std::{
    collections::{BTreeSet, HashMap},
    time::{Duration, Instant},
};

use super::{file::FileName, folder::SETTLE};

/// How long a file that somebody holds open for writing is left alone. Who writes longer than that
/// in place, instead of moving a whole file there, is read half way.
const MAX_WRITING: Duration = Duration::from_secs(5);

/// What happened to the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A file was closed after writing, moved here or away, or deleted.
    Closed(FileName),
    /// A file's content was changed by somebody who still has it open.
    Written(FileName),
    /// A name appeared, or its permissions changed; whether more follows is unknown.
    Touched(FileName),
    /// Something happened that the other kinds cannot say: look at everything.
    Anything,
}

/// Files that are to be looked at.
#[derive(Debug, Default)]
pub struct Inbox {
    closed: BTreeSet<FileName>,
    waiting: HashMap<FileName, Waiting>,
    everything: bool,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    due: Instant,
    writing: bool,
}

/// What is to be looked at now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// Whole files.
    pub closed: Vec<FileName>,
    /// Files that had their time.
    pub settled: Vec<FileName>,
    /// The whole folder.
    pub everything: bool,
}

impl Inbox {
    /// Takes in an event.
    pub fn push(&mut self, event: Event, now: Instant) {
        match event {
            Event::Closed(file) => {
                self.waiting.remove(&file);
                self.closed.insert(file);
            }
            Event::Written(file) => {
                self.closed.remove(&file);
                let waiting = self.waiting.entry(file).or_insert(Waiting {
                    due: now + MAX_WRITING,
                    writing: true,
                });
                if !waiting.writing {
                    *waiting = Waiting {
                        due: now + MAX_WRITING,
                        writing: true,
                    };
                }
            }
            Event::Touched(file) => {
                if !self.closed.contains(&file) {
                    self.waiting.entry(file).or_insert(Waiting {
                        due: now + SETTLE,
                        writing: false,
                    });
                }
            }
            Event::Anything => self.everything = true,
        }
    }

    /// Whether somebody is known to be in the middle of writing this file.
    pub fn is_being_written(&self, file: &FileName) -> bool {
        self.waiting.get(file).is_some_and(|waiting| waiting.writing)
    }

    /// When there is something to be looked at, if nothing more happens.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        if self.everything || !self.closed.is_empty() {
            return Some(now);
        }
        self.waiting.values().map(|waiting| waiting.due).min()
    }

    /// Everything that is to be looked at by now.
    pub fn take(&mut self, now: Instant) -> Due {
        let mut settled: Vec<_> = self
            .waiting
            .extract_if(|_, waiting| waiting.due <= now)
            .map(|(file, _)| file)
            .collect();
        settled.sort_unstable();
        Due {
            closed: std::mem::take(&mut self.closed).into_iter().collect(),
            settled,
            everything: std::mem::take(&mut self.everything),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> FileName {
        name.into()
    }

    #[test]
    fn a_closed_file_is_due_at_once_and_once() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Written(file("a")), now);
        inbox.push(Event::Closed(file("a")), now);
        inbox.push(Event::Closed(file("a")), now);
        assert_eq!(inbox.due(now), Some(now));
        assert_eq!(inbox.take(now).closed, [file("a")]);
        assert_eq!(inbox.due(now), None);
        assert_eq!(inbox.take(now), Due::default());
    }

    #[test]
    fn a_file_being_written_waits_for_its_close_but_not_for_ever() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Written(file("a")), now);
        inbox.push(Event::Written(file("a")), now + Duration::from_secs(4));
        assert!(inbox.is_being_written(&file("a")));
        assert_eq!(inbox.due(now), Some(now + MAX_WRITING));
        assert_eq!(inbox.take(now + Duration::from_secs(4)), Due::default());
        assert_eq!(inbox.take(now + MAX_WRITING).settled, [file("a")]);
    }

    #[test]
    fn writing_again_before_the_look_waits_again() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Closed(file("a")), now);
        inbox.push(Event::Written(file("a")), now);
        assert_eq!(inbox.take(now).closed, []);
    }

    #[test]
    fn a_touched_file_settles_unless_it_turns_out_to_be_written() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Touched(file("a")), now);
        inbox.push(Event::Touched(file("b")), now);
        inbox.push(Event::Written(file("b")), now);
        assert_eq!(inbox.due(now), Some(now + SETTLE));
        assert_eq!(inbox.take(now + SETTLE).settled, [file("a")]);
        inbox.push(Event::Closed(file("c")), now);
        inbox.push(Event::Touched(file("c")), now);
        assert_eq!(inbox.take(now).closed, [file("c")]);
    }

    #[test]
    fn a_lost_event_asks_for_everything() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Anything, now);
        assert!(inbox.take(now).everything);
        assert!(!inbox.take(now).everything);
    }
}
