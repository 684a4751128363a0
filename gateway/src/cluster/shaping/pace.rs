//! When a question may be asked again. Pure: the clock is an argument.

use std::time::{Duration, Instant};

use latchkey_runtime::{backoff::Backoff, random::Random};

/// The shortest time between an answer and the next question, so that many events are few questions.
const SPACING: Duration = Duration::from_millis(100);
/// How many times as long as an answer took the next question waits: asking takes a tenth of the time at
/// most, however dear it is.
const SHARE: u32 = 9;
/// The shortest and the longest wait after a question that settled nothing, unless the server wants more.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(3));

/// When one kind of question was asked, and when it may be asked again.
#[derive(Debug)]
pub(super) struct Pace {
    asked: Option<Instant>,
    /// When the last answer allows the next question.
    spaced: Option<Instant>,
    not_before: Option<Instant>,
    backoff: Backoff,
    random: Random,
}

impl Pace {
    /// Nothing was asked. `seed` spreads the waits of processes that fail together.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            asked: None,
            spaced: None,
            not_before: None,
            backoff: Backoff::new(BACKOFF),
            random: Random::new(seed),
        }
    }

    /// It is asked.
    pub(super) fn ask(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// There is an answer.
    pub(super) fn answered(&mut self, now: Instant) {
        let took = self.asked.map_or(Duration::ZERO, |asked| now - asked);
        let spacing = took.saturating_mul(SHARE).clamp(SPACING, BACKOFF.1);
        self.spaced = Some(now + spacing);
        self.not_before = self.spaced;
    }

    /// The question settled nothing: it may be asked again, later each time. How often it settled nothing
    /// until now.
    pub(super) fn again(&mut self, retry_after: Option<Duration>, now: Instant) -> u32 {
        let wait = now + self.backoff.next(retry_after, self.random.roll());
        self.not_before = self.spaced.max(Some(wait));
        self.backoff.failures()
    }

    /// What was asked is settled.
    pub(super) fn settled(&mut self) {
        self.backoff.reset();
        self.not_before = self.spaced;
    }

    /// When something that is `due` then may be asked.
    pub(super) fn earliest(&self, due: Instant) -> Instant {
        self.not_before.map_or(due, |earliest| due.max(earliest))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_first_question_is_asked_when_it_is_due() {
        let now = Instant::now();
        assert_eq!(Pace::new(0).earliest(now), now);
    }

    #[test]
    fn the_next_waits_nine_times_as_long_as_the_answer_took_between_two_limits() {
        for (took, wait) in [(0, 100), (5, 100), (20, 180), (200, 1800), (5000, 3000)] {
            let mut pace = Pace::new(0);
            let asked = Instant::now();
            pace.ask(asked);
            let answered = asked + ms(took);
            pace.answered(answered);
            pace.settled();
            assert_eq!(pace.earliest(answered) - answered, ms(wait), "{took}");
            let late = answered + ms(10_000);
            assert_eq!(pace.earliest(late), late);
        }
    }

    #[test]
    fn what_settles_nothing_is_asked_less_and_less_often_until_it_does() {
        let mut pace = Pace::new(0);
        let now = Instant::now();
        let waits: Vec<_> = (1..=70)
            .map(|times| {
                assert_eq!(pace.again(None, now), times.min(16));
                pace.earliest(now) - now
            })
            .collect();
        assert!(
            waits.iter().all(|wait| (ms(200)..=ms(3000)).contains(wait)),
            "{waits:?}"
        );
        assert!(waits[0] <= ms(400) && waits[69] >= ms(1500), "{waits:?}");
        pace.settled();
        assert_eq!(pace.earliest(now), now);
        assert_eq!(pace.again(None, now), 1);
    }

    #[test]
    fn a_wish_of_the_server_is_honoured_up_to_half_a_minute() {
        let now = Instant::now();
        for (wished, wait) in [(5, 5000), (3600, 30_000)] {
            let mut pace = Pace::new(7);
            pace.again(Some(Duration::from_secs(wished)), now);
            let waited = pace.earliest(now) - now;
            assert!((ms(wait)..=ms(wait + wait / 5)).contains(&waited), "{waited:?}");
        }
    }

    #[test]
    fn waits_of_processes_that_fail_together_differ() {
        let now = Instant::now();
        let wait = |seed| {
            let mut pace = Pace::new(seed);
            pace.again(None, now);
            pace.earliest(now)
        };
        assert!((0..100).map(wait).collect::<BTreeSet<_>>().len() > 50);
    }
}
