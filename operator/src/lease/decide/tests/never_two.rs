//! Whatever becomes of calls, never two may write at once: three candidates on one store, in made-up time.

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;

/// What happens to one call, and to who sent it.
#[derive(Clone, Copy, Debug)]
struct Fate {
    /// Milliseconds until it arrives at the server; `None`: never.
    arrives: Option<u64>,
    /// Milliseconds from then until the answer is there.
    returns: u64,
    /// The server refuses it.
    fails: bool,
    /// The candidate dies after it, and another process starts in its place.
    dies: bool,
}

fn fate() -> impl Strategy<Value = Fate> {
    let delay = || prop_oneof![4 => 0..300_u64, 2 => 0..4_000_u64, 1 => 0..20_000_u64];
    let arrives = prop_oneof![9 => delay().prop_map(Some), 1 => Just(None)];
    let rarely = |n: u32| prop_oneof![n => Just(false), 1 => Just(true)];
    (arrives, delay(), rarely(6), rarely(30)).prop_map(|(arrives, returns, fails, dies)| Fate {
        arrives,
        returns,
        fails,
        dies,
    })
}

/// The Lease on the server.
#[derive(Default)]
struct Store {
    record: Option<Record>,
    version: u64,
}

impl Store {
    fn done(&mut self, sent: &Sent) -> Answer {
        match (sent.call, &self.record) {
            (Call::Read, Some(record)) => return Answer::Lease(record.clone()),
            (Call::Read | Call::Claim | Call::Release, None) => return Answer::Missing,
            (Call::Create, Some(_)) => return Answer::Conflict,
            (Call::Create, None) => {}
            (Call::Claim | Call::Release, Some(record)) => {
                if sent
                    .on_top_of
                    .as_ref()
                    .is_none_or(|seen| !seen.same_version(record))
                {
                    return Answer::Conflict;
                }
            }
        }
        self.version += 1;
        let mut object = sent.wanted.object().clone();
        object["metadata"] = json!({"uid": "u", "resourceVersion": self.version.to_string()});
        let record = Record::read(object);
        self.record = Some(record.clone());
        Answer::Lease(record)
    }
}

struct Sent {
    call: Call,
    at: u64,
    on_top_of: Option<Record>,
    wanted: Record,
    arrives: Option<u64>,
    /// Known once it arrived.
    answer: Option<Answer>,
    /// When the candidate knows the answer, or gives up.
    ends: u64,
    fate: Fate,
}

struct Process {
    elector: Elector,
    identity: String,
    waits: Option<Sent>,
}

impl Process {
    fn new(number: usize) -> Self {
        let identity = format!("process-{number}");
        Self {
            elector: Elector::new(identity.clone(), Timing::of(DURATION)),
            identity,
            waits: None,
        }
    }
}

struct World {
    start: Instant,
    now: u64,
    store: Store,
    processes: Vec<Process>,
    /// Calls whose answer nobody waits for any more, which arrive all the same.
    adrift: Vec<Sent>,
    births: usize,
}

impl World {
    fn new(count: usize) -> Self {
        Self {
            start: Instant::now(),
            now: 0,
            store: Store::default(),
            processes: (0..count).map(Process::new).collect(),
            adrift: Vec::new(),
            births: count,
        }
    }

    fn instant(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }

    fn leaders(&self) -> Vec<&str> {
        let now = self.instant(self.now);
        let leads = |process: &&Process| process.elector.until().is_some_and(|until| until > now);
        let leaders = self.processes.iter().filter(leads);
        leaders.map(|process| process.identity.as_str()).collect()
    }

    fn send(&mut self, index: usize, fate: Fate) {
        let step = self.processes[index].elector.next(self.instant(self.now));
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap();
        let at = millis(step.at - self.start);
        let process = &mut self.processes[index];
        let on_top_of = process.elector.record().cloned();
        let base = on_top_of.clone().unwrap_or_else(|| Record::new("n", "l"));
        let returned = fate.arrives.map(|arrives| at + arrives + fate.returns);
        let given_up = at + millis(step.limit);
        process.waits = Some(Sent {
            call: step.call,
            at,
            on_top_of,
            wanted: base.claimed(&process.identity, DURATION, Timestamp::UNIX_EPOCH),
            arrives: fate.arrives.map(|arrives| at + arrives),
            answer: None,
            ends: returned.map_or(given_up, |returned| returned.min(given_up)),
            fate,
        });
    }

    /// The next thing that happens.
    fn step(&mut self, mut next_fate: impl FnMut() -> Fate) {
        for index in 0..self.processes.len() {
            if self.processes[index].waits.is_none() {
                self.send(index, next_fate());
            }
        }
        let waiting = || self.processes.iter().filter_map(|process| process.waits.as_ref());
        let on_the_way = waiting().chain(&self.adrift).filter(|sent| sent.answer.is_none());
        let arrival = on_the_way.filter_map(|sent| sent.arrives).min();
        let end = waiting().map(|sent| sent.ends).min().unwrap();
        match arrival.filter(|arrival| *arrival <= end) {
            Some(arrival) => self.arrive(arrival),
            None => self.end(end),
        }
    }

    fn arrive(&mut self, at: u64) {
        self.now = self.now.max(at);
        let waiting = self
            .processes
            .iter_mut()
            .filter_map(|process| process.waits.as_mut());
        let mut all = waiting.chain(&mut self.adrift);
        let sent = all
            .find(|sent| sent.answer.is_none() && sent.arrives == Some(at))
            .unwrap();
        let answer = if sent.fate.fails {
            Answer::Failed
        } else {
            self.store.done(sent)
        };
        sent.answer = Some(answer);
    }

    fn end(&mut self, at: u64) {
        self.now = self.now.max(at);
        let now = self.instant(self.now);
        let due = |process: &Process| process.waits.as_ref().is_some_and(|sent| sent.ends == at);
        let index = self.processes.iter().position(due).unwrap();
        let mut sent = self.processes[index].waits.take().unwrap();
        let (call, began, fate) = (sent.call, self.instant(sent.at), sent.fate);
        let in_time = sent.arrives.is_some_and(|arrives| arrives + fate.returns <= at);
        let answer = if in_time { sent.answer.take() } else { None };
        if !in_time && sent.answer.is_none() {
            self.adrift.push(sent);
        }
        self.processes[index]
            .elector
            .answered(call, began, now, answer.unwrap_or(Answer::Failed));
        if fate.dies {
            self.processes[index] = Process::new(self.births);
            self.births += 1;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_two_lead(fates in prop::collection::vec(fate(), 1..200)) {
        let mut world = World::new(3);
        let mut fates = fates.into_iter().cycle();
        for _ in 0..600 {
            world.step(|| fates.next().unwrap());
            let leaders = world.leaders();
            prop_assert!(leaders.len() <= 1, "{leaders:?} at {}", world.now);
        }
    }
}

#[test]
fn with_a_server_that_answers_somebody_leads_nearly_always() {
    let mut world = World::new(3);
    let prompt = Fate {
        arrives: Some(5),
        returns: 5,
        fails: false,
        dies: false,
    };
    let mut led = 0;
    for _ in 0..1000 {
        world.step(|| prompt);
        led += world.leaders().len();
    }
    assert!(led > 990, "{led}");
}
