use serde_json::{Value, json};

use super::*;
use crate::cluster::shaping::testing::{scope, told};

/// What waits, and a clock that is moved by hand.
struct Scene {
    barrier: Barrier,
    begun: Instant,
    ms: u64,
}

impl Scene {
    fn new() -> Self {
        Self {
            barrier: Barrier::new(&scope(&[]).watched(), 0),
            begun: Instant::now(),
            ms: 0,
        }
    }

    fn now(&self) -> Instant {
        self.begun + Duration::from_millis(self.ms)
    }

    fn id(&self, kind: Kind) -> usize {
        self.barrier.kinds.iter().position(|of| *of == kind).unwrap()
    }

    /// What is passed on, as `event kind name`, and the news.
    fn told(&self, step: Step) -> Vec<String> {
        let passed = step
            .pass
            .iter()
            .map(|(id, event)| told(self.barrier.kinds[*id], event));
        let news = step.news.map(|news| match news {
            News::Late { policies, one } => format!("late: {policies}, {one}"),
            News::Settled => "settled".to_owned(),
        });
        passed.chain(news).collect()
    }

    fn take(&mut self, kind: Kind, event: Event) -> Vec<String> {
        let (id, now) = (self.id(kind), self.now());
        let step = self.barrier.take(id, event, now);
        self.told(step)
    }

    /// An event that has to wait.
    fn wait(&mut self, kind: Kind, event: Event) {
        assert_eq!(self.take(kind, event), [""; 0]);
    }

    /// How long after the beginning it is to be asked.
    fn wake(&self) -> Option<u64> {
        let wake = self.barrier.wake()?;
        Some(u64::try_from(wake.duration_since(self.begun).as_millis()).unwrap())
    }

    /// Asks when it is time.
    fn ask(&mut self) {
        self.ms = self.wake().expect("something to ask about").max(self.ms);
        self.barrier.ask(self.now());
    }

    /// Answers at once that these policies are there.
    fn answer(&mut self, policies: &[(&str, u64)]) -> Vec<String> {
        let id = self.id(Kind::AuthPolicy);
        let versions = policies
            .iter()
            .map(|(name, version)| Version::of(id, &object(name, *version)));
        let step = self
            .barrier
            .answered(versions.map(Option::unwrap).collect(), self.now());
        self.told(step)
    }
}

fn object(name: &str, version: u64) -> Value {
    let version = version.to_string();
    json!({"metadata": {"namespace": "shop", "name": name, "uid": "u", "resourceVersion": version}})
}

fn applied(name: &str, version: u64) -> Event {
    Event::Applied(object(name, version))
}

const OPENING: [Kind; 4] = [
    Kind::HttpRoute,
    Kind::Gateway,
    Kind::ReferenceGrant,
    Kind::Namespace,
];

#[test]
fn a_route_that_was_applied_after_a_policy_waits_for_it() {
    for kind in OPENING {
        let mut scene = Scene::new();
        scene.wait(kind, applied("r", 8));
        assert_eq!(scene.wake(), Some(0), "it is asked at once");
        scene.ask();
        assert_eq!(scene.wake(), None, "one question at a time");
        assert_eq!(scene.answer(&[("p", 7)]), [""; 0]);
        let other = scene.take(Kind::AuthPolicy, applied("q", 7));
        assert_eq!(other, ["applied AuthPolicy q"]);
        let older = scene.take(Kind::AuthPolicy, applied("p", 6));
        assert_eq!(older, ["applied AuthPolicy p"]);
        let told = scene.take(Kind::AuthPolicy, applied("p", 7));
        let route = format!("applied {} r", kind.as_str());
        assert_eq!(told, ["applied AuthPolicy p", &route], "the policy first");
        assert_eq!((scene.barrier.len(), scene.wake()), (0, None));
    }
}

#[test]
fn it_goes_with_the_answer_where_all_policies_are_here() {
    let mut scene = Scene::new();
    scene.take(Kind::AuthPolicy, Event::ListBegin);
    scene.take(Kind::AuthPolicy, Event::Listed(object("p", 7)));
    scene.take(Kind::AuthPolicy, Event::ListEnd);
    scene.wait(Kind::HttpRoute, applied("r", 8));
    scene.ask();
    assert_eq!(scene.answer(&[("p", 7)]), ["applied HTTPRoute r"]);
}

#[test]
fn all_that_opens_waits_in_order_and_what_came_after_the_question_for_the_next_one() {
    let mut scene = Scene::new();
    scene.wait(Kind::HttpRoute, Event::ListBegin);
    scene.wait(Kind::HttpRoute, Event::Listed(object("a", 1)));
    scene.wait(Kind::Gateway, applied("g", 2));
    scene.ask();
    scene.wait(Kind::HttpRoute, Event::Listed(object("b", 1)));
    scene.wait(Kind::HttpRoute, Event::ListEnd);
    scene.wait(Kind::HttpRoute, Event::Deleted(object("a", 1)));
    assert_eq!(
        scene.answer(&[]),
        ["begin HTTPRoute", "listed HTTPRoute a", "applied Gateway g"]
    );
    assert_eq!(scene.wake(), Some(100), "not at once");
    scene.ask();
    assert_eq!(
        scene.answer(&[]),
        ["listed HTTPRoute b", "end HTTPRoute", "deleted HTTPRoute a"]
    );
}

#[test]
fn all_other_kinds_and_how_a_watch_fares_pass_at_once() {
    let mut scene = Scene::new();
    scene.wait(Kind::HttpRoute, applied("waits", 1));
    for kind in [
        Kind::Consumer,
        Kind::Credential,
        Kind::Secret,
        Kind::Service,
        Kind::EndpointSlice,
    ] {
        let told = scene.take(kind, applied("a", 1));
        assert_eq!(told, [format!("applied {} a", kind.as_str())]);
    }
    let trouble = Event::Trouble("why".to_owned());
    assert_eq!(scene.take(Kind::Gateway, trouble), ["trouble Gateway"]);
    assert_eq!(scene.barrier.len(), 1);
}

#[test]
fn that_a_kind_is_missing_is_told_at_once_and_again_in_its_place() {
    let mut scene = Scene::new();
    scene.wait(Kind::ReferenceGrant, applied("g", 1));
    let told = scene.take(Kind::ReferenceGrant, Event::Missing);
    assert_eq!(told, ["missing ReferenceGrant"]);
    scene.ask();
    assert_eq!(
        scene.answer(&[]),
        ["applied ReferenceGrant g", "missing ReferenceGrant"]
    );
}

#[test]
fn a_policy_goes_only_after_all_that_were_there_before_it_went_are_here() {
    let mut scene = Scene::new();
    scene.take(Kind::AuthPolicy, applied("old", 1));
    scene.wait(Kind::AuthPolicy, Event::Deleted(object("old", 1)));
    scene.ask();
    assert_eq!(scene.answer(&[("new", 2)]), [""; 0]);
    assert_eq!(
        scene.take(Kind::AuthPolicy, applied("new", 2)),
        ["applied AuthPolicy new", "deleted AuthPolicy old"]
    );
}

#[test]
fn a_policy_that_comes_back_is_not_taken_for_the_one_that_went() {
    for back in [Event::Applied, Event::Listed] {
        let mut scene = Scene::new();
        scene.take(Kind::AuthPolicy, applied("p", 1));
        for _ in 0..2 {
            scene.wait(Kind::AuthPolicy, Event::Deleted(object("p", 1)));
        }
        assert_eq!(scene.barrier.len(), 1, "it goes once");
        scene.ask();
        scene.take(Kind::AuthPolicy, back(object("p", 5)));
        assert_eq!(scene.answer(&[("p", 5)]), [""; 0]);
        assert_eq!((scene.barrier.len(), scene.barrier.deletions.len()), (0, 0));
    }
}

#[test]
fn it_is_asked_again_less_and_less_often_until_the_policies_are_here() {
    let mut scene = Scene::new();
    scene.wait(Kind::HttpRoute, applied("r", 1));
    let mut waits = Vec::new();
    for round in 1..20 {
        scene.ask();
        let asked = scene.ms;
        let told = scene.answer(&[("p", 1), ("q", 1)]);
        match round == PATIENCE {
            true => assert!(told[0].starts_with("late: 2, shop/"), "{told:?}"),
            false => assert_eq!(told, [""; 0]),
        }
        waits.push(scene.wake().unwrap() - asked);
    }
    assert!(waits[0] <= 400 && waits[18] >= 1500, "{waits:?}");
    scene.take(Kind::AuthPolicy, applied("p", 1));
    assert_eq!(
        scene.take(Kind::AuthPolicy, applied("q", 1)),
        ["applied AuthPolicy q", "applied HTTPRoute r", "settled"]
    );
    scene.wait(Kind::HttpRoute, applied("r", 2));
    scene.ask();
    assert_eq!(scene.answer(&[("p", 1), ("q", 1)]), ["applied HTTPRoute r"]);
}

#[test]
fn a_newer_answer_takes_the_place_of_one_that_cannot_be_satisfied() {
    let mut scene = Scene::new();
    scene.wait(Kind::HttpRoute, applied("r", 1));
    scene.ask();
    assert_eq!(scene.answer(&[("p", 1)]), [""; 0]);
    scene.take(Kind::AuthPolicy, applied("p", 3));
    scene.wait(Kind::HttpRoute, applied("s", 1));
    scene.ask();
    assert_eq!(
        scene.answer(&[("p", 3)]),
        ["applied HTTPRoute r", "applied HTTPRoute s"]
    );
}

#[test]
fn an_older_answer_counts_while_a_newer_one_is_awaited_or_does_not_come() {
    let mut scene = Scene::new();
    scene.wait(Kind::HttpRoute, applied("r", 1));
    scene.ask();
    scene.answer(&[("p", 1)]);
    scene.wait(Kind::HttpRoute, applied("s", 1));
    scene.ask();
    assert_eq!(
        scene.take(Kind::AuthPolicy, applied("p", 1)),
        ["applied AuthPolicy p", "applied HTTPRoute r"],
        "s came after the first question"
    );
    let now = scene.now();
    assert!(scene.barrier.unanswered(None, now));
    assert!(!scene.barrier.unanswered(None, now), "it is news once");
    scene.ask();
    assert_eq!(scene.answer(&[("p", 1)]), ["applied HTTPRoute s", "settled"]);
}

#[test]
fn without_an_answer_everything_waits() {
    let mut scene = Scene::new();
    scene.wait(Kind::HttpRoute, applied("r", 1));
    for _ in 0..9 {
        scene.ask();
        let now = scene.now();
        scene.barrier.unanswered(None, now);
        assert_eq!(
            scene.take(Kind::AuthPolicy, applied("p", 1)),
            ["applied AuthPolicy p"]
        );
        assert_eq!(scene.barrier.len(), 1);
    }
}

#[test]
fn no_more_is_taken_from_watches_than_the_limit() {
    let mut scene = Scene::new();
    scene.barrier.limit = 2;
    scene.wait(Kind::HttpRoute, applied("a", 1));
    assert!(scene.barrier.has_room());
    scene.wait(Kind::HttpRoute, applied("b", 1));
    assert!(!scene.barrier.has_room());
    scene.ask();
    scene.answer(&[]);
    assert!(scene.barrier.has_room());
}
