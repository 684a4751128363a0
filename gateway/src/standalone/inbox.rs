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
/// How long a file may stay doubtful because it changes again and again.
const MAX_DOUBT: Duration = Duration::from_secs(1);

/// What happened to the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A file was closed after writing, moved here or away, or deleted.
    Closed(FileName),
    /// A file's content was changed by somebody who still has it open.
    Written(FileName),
    /// A name appeared: a file that somebody is about to write, or a link.
    Created(FileName),
    /// A file's permissions or times changed; whether more follows is unknown.
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
    since: Instant,
    due: Instant,
    /// Whether its writer has yet to close it.
    open: Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// Nobody is known to write it.
    No,
    /// If it is a file and no link.
    Perhaps,
    /// It was written to.
    Yes,
}

/// What is to be looked at now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// Whole files.
    pub closed: Vec<FileName>,
    /// Names that appeared and have been quiet for a moment: links, or files not yet written.
    pub created: Vec<FileName>,
    /// Files that were quiet for a moment, and since when they have waited.
    pub settled: Vec<(FileName, Instant)>,
    /// Files that have waited for too long.
    pub overdue: Vec<FileName>,
    /// The whole folder.
    pub everything: bool,
}

impl Inbox {
    /// Takes in an event.
    pub fn push(&mut self, event: Event, now: Instant) {
        match event {
            Event::Closed(file) => {
                if self
                    .waiting
                    .get(&file)
                    .is_some_and(|waiting| waiting.open != Open::No)
                {
                    self.waiting.remove(&file);
                }
                self.stir(&file, now);
                self.closed.insert(file);
            }
            Event::Written(file) => {
                self.closed.remove(&file);
                let writing = Waiting {
                    since: now,
                    due: now + MAX_WRITING,
                    open: Open::Yes,
                };
                let waiting = self.waiting.entry(file).or_insert(writing);
                if waiting.open != Open::Yes {
                    *waiting = writing;
                }
            }
            Event::Created(file) => {
                let created = Waiting {
                    since: now,
                    due: now + SETTLE,
                    open: Open::Perhaps,
                };
                self.closed.remove(&file);
                self.waiting.insert(file, created);
            }
            Event::Touched(file) => {
                self.stir(&file, now);
                self.doubt(file, now, now);
            }
            Event::Anything => self.everything = true,
        }
    }

    /// A file is to be looked at again in a moment; `since` says when it was first to be.
    pub fn doubt(&mut self, file: FileName, since: Instant, now: Instant) {
        self.waiting.entry(file).or_insert(Waiting {
            since,
            due: now + SETTLE,
            open: Open::No,
        });
    }

    /// Whether something happened to this file that was not looked at yet.
    pub fn names(&self, file: &FileName) -> bool {
        self.closed.contains(file) || self.waiting.contains_key(file)
    }

    /// What is not quiet has not settled; but that has an end.
    fn stir(&mut self, file: &FileName, now: Instant) {
        if let Some(waiting) = self.waiting.get_mut(file)
            && waiting.open != Open::Yes
        {
            waiting.due = (now + SETTLE).min(waiting.since + MAX_DOUBT);
        }
    }

    /// Whether a file has a look of its own to come, and none before that.
    pub fn awaits(&self, file: &FileName) -> bool {
        self.waiting.contains_key(file)
    }

    /// Whether some file is still to be looked at.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether nothing at all is to be looked at.
    pub fn is_quiet(&self) -> bool {
        !self.everything && self.closed.is_empty() && self.waiting.is_empty()
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
        let mut due = Due {
            closed: std::mem::take(&mut self.closed).into_iter().collect(),
            everything: std::mem::take(&mut self.everything),
            ..Due::default()
        };
        for (file, waiting) in self.waiting.extract_if(|_, waiting| waiting.due <= now) {
            if now >= waiting.since + MAX_DOUBT {
                due.overdue.push(file);
            } else if waiting.open == Open::Perhaps {
                due.created.push(file);
            } else {
                due.settled.push((file, waiting.since));
            }
        }
        due.created.sort_unstable();
        due.overdue.sort_unstable();
        due.settled.sort_unstable();
        due
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
        assert!(inbox.awaits(&file("a")));
        assert_eq!(inbox.due(now), Some(now + MAX_WRITING));
        assert_eq!(inbox.take(now + Duration::from_secs(4)), Due::default());
        assert_eq!(inbox.take(now + MAX_WRITING).overdue, [file("a")]);
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
        assert_eq!(inbox.take(now + SETTLE).settled, [(file("a"), now)]);
    }

    #[test]
    fn a_created_name_is_asked_about_unless_it_is_closed() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Created(file("link")), now);
        inbox.push(Event::Created(file("file")), now);
        inbox.push(Event::Closed(file("file")), now);
        let due = inbox.take(now + SETTLE);
        assert_eq!(
            (due.created, due.closed),
            (vec![file("link")], vec![file("file")])
        );
    }

    #[test]
    fn what_is_not_quiet_does_not_settle() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        let later = now + SETTLE / 2;
        inbox.push(Event::Touched(file("a")), now);
        inbox.push(Event::Closed(file("a")), later);
        assert_eq!(inbox.take(now + SETTLE).settled, []);
        assert_eq!(inbox.take(later + SETTLE).settled, [(file("a"), now)]);
    }

    #[test]
    fn doubt_ends_however_often_the_file_changes() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        let mut at = now;
        while at < now + MAX_DOUBT {
            inbox.doubt(file("a"), now, at);
            inbox.push(Event::Closed(file("a")), at);
            let due = inbox.take(at);
            assert_eq!(
                (due.closed, due.settled, due.overdue),
                (vec![file("a")], vec![], vec![])
            );
            at += SETTLE / 2;
        }
        assert_eq!(inbox.take(now + MAX_DOUBT).overdue, [file("a")]);
    }

    #[test]
    fn a_lost_event_asks_for_everything() {
        let (mut inbox, now) = (Inbox::default(), Instant::now());
        inbox.push(Event::Anything, now);
        assert!(inbox.take(now).everything);
        assert!(!inbox.take(now).everything);
    }
}
