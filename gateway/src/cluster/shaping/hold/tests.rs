use serde_json::Value;

use super::*;
use crate::cluster::shaping::testing::{scope, told};

/// What is held, and a clock that is moved by hand.
struct Scene {
    hold: Hold,
    begun: Instant,
    ms: u64,
}

impl Scene {
    fn new(namespaces: &[&str]) -> Self {
        Self {
            hold: Hold::new(scope(namespaces).watched(), 0),
            begun: Instant::now(),
            ms: 0,
        }
    }

    fn at(&mut self, ms: u64) -> &mut Self {
        self.ms = ms;
        self
    }

    fn now(&self) -> Instant {
        self.begun + Duration::from_millis(self.ms)
    }

    fn id(&self, kind: Kind) -> usize {
        let watched = &self.hold.watched;
        watched.iter().position(|watched| watched.kind == kind).unwrap()
    }

    /// What is passed on, as `event kind name`, and ignored, as `kind why count`.
    fn told(&self, step: &Step) -> Vec<String> {
        let passed = step
            .pass
            .iter()
            .map(|(id, event)| told(self.hold.watched[*id].kind, event));
        let ignored = step.ignored.iter().map(|ignored| {
            let Ignored { why, count, news, .. } = ignored;
            let news = if *news { ", news" } else { "" };
            format!("{} {why:?} {count}{news}", ignored.kind.as_str())
        });
        passed.chain(ignored).collect()
    }

    fn take(&mut self, kind: Kind, event: Event) -> Vec<String> {
        let (id, now) = (self.id(kind), self.now());
        let step = self.hold.take(id, event, now);
        self.told(&step)
    }

    fn delete(&mut self, kind: Kind, name: &str) {
        assert_eq!(
            self.take(kind, Event::Deleted(object(name))),
            [""; 0],
            "it is held"
        );
    }

    /// How long after the beginning it is to be asked.
    fn wake(&self) -> Option<u64> {
        let wake = self.hold.wake()?;
        Some(u64::try_from(wake.duration_since(self.begun).as_millis()).unwrap())
    }

    /// Asks when it is time; the plurals.
    fn ask(&mut self) -> Vec<&'static str> {
        self.ms = self.wake().expect("something to ask about");
        let asked = self.hold.ask(self.now());
        asked.into_iter().map(|resource| resource.plural).collect()
    }

    /// Asks when all that is held is due.
    fn ask_for_all(&mut self) {
        self.ms += 2000;
        self.hold.ask(self.now());
    }

    /// Answers that these stand.
    fn answer(&mut self, standing: &[Kind]) -> Vec<String> {
        let ids: Vec<_> = standing.iter().map(|kind| self.id(*kind)).collect();
        let standing = ids.into_iter().filter_map(|id| self.hold.resource(id)).collect();
        let now = self.now();
        let step = self.hold.answered(&standing, now);
        self.told(&step)
    }
}

fn object(name: &str) -> Value {
    json!({"metadata": {"namespace": "shop", "name": name, "uid": "u"}, "spec": {"a": "b"}})
}

#[test]
fn a_deletion_is_in_force_after_a_moment_if_its_kind_stands_and_never_if_it_does_not() {
    for (kind, due) in [
        (Kind::AuthPolicy, 1070),
        (Kind::HttpRoute, 570),
        (Kind::Gateway, 570),
    ] {
        let name = kind.as_str();
        for (standing, told) in [
            (vec![kind], format!("deleted {name} a")),
            (vec![], format!("{name} KindGoes 1, news")),
        ] {
            let mut scene = Scene::new(&[]);
            scene.at(70).delete(kind, "a");
            assert_eq!(scene.wake(), Some(due));
            assert_eq!(scene.ask().len(), 1);
            assert_eq!(scene.wake(), None, "one question at a time");
            assert_eq!(scene.answer(&standing), [told]);
            assert_eq!((scene.hold.len(), scene.wake()), (0, None));
        }
    }
}

#[test]
fn all_other_kinds_and_events_pass_at_once_also_while_something_is_held() {
    let mut scene = Scene::new(&[]);
    scene.delete(Kind::HttpRoute, "held");
    for kind in [
        Kind::Consumer,
        Kind::Credential,
        Kind::Secret,
        Kind::ReferenceGrant,
        Kind::Service,
        Kind::EndpointSlice,
        Kind::Namespace,
    ] {
        let told = scene.take(kind, Event::Deleted(object("a")));
        assert_eq!(told, [format!("deleted {} a", kind.as_str())]);
    }
    for (event, told) in [
        (Event::Applied(object("b")), "applied HTTPRoute b"),
        (Event::ListBegin, "begin HTTPRoute"),
        (Event::Listed(object("b")), "listed HTTPRoute b"),
        (Event::Trouble("why".to_owned()), "trouble HTTPRoute"),
        (Event::Working, "working HTTPRoute"),
    ] {
        assert_eq!(scene.take(Kind::HttpRoute, event), [told]);
    }
    assert_eq!(scene.hold.len(), 1);
}

#[test]
fn what_comes_meanwhile_decides() {
    let applied = || Event::Applied(object("a"));
    let listed = || Event::Listed(object("a"));
    for (meanwhile, told) in [
        (vec![applied()], vec!["applied AuthPolicy a"]),
        (
            vec![Event::ListBegin, listed()],
            vec!["begin AuthPolicy", "listed AuthPolicy a"],
        ),
        (
            vec![Event::ListBegin, Event::ListEnd],
            vec!["begin AuthPolicy", "end AuthPolicy"],
        ),
        (
            vec![Event::Missing],
            vec!["missing AuthPolicy", "AuthPolicy KindGoes 1, news"],
        ),
    ] {
        let mut scene = Scene::new(&[]);
        scene.delete(Kind::AuthPolicy, "a");
        // Also where it is being asked about already.
        scene.ask();
        let step: Vec<_> = meanwhile
            .into_iter()
            .flat_map(|event| scene.take(Kind::AuthPolicy, event))
            .collect();
        assert_eq!(step, told);
        assert_eq!(scene.answer(&[Kind::AuthPolicy]), [""; 0], "{told:?}");
        assert_eq!((scene.hold.len(), scene.hold.places.len()), (0, 0), "{told:?}");
    }
}

#[test]
fn a_half_list_and_one_of_another_namespace_or_kind_decide_nothing() {
    let mut scene = Scene::new(&["other", "shop"]);
    let (other, shop) = (scene.id(Kind::AuthPolicy), scene.id(Kind::AuthPolicy) + 1);
    let now = scene.now();
    scene.hold.take(shop, Event::Deleted(object("a")), now);
    scene.hold.take(shop, Event::ListBegin, now);
    for event in [Event::ListBegin, Event::ListEnd, Event::Missing] {
        scene.hold.take(other, event, now);
    }
    scene.take(Kind::Gateway, Event::ListEnd);
    scene.ask();
    assert_eq!(scene.answer(&[Kind::AuthPolicy]), ["deleted AuthPolicy a"]);
}

#[test]
fn all_that_are_due_are_one_question_and_later_ones_wait_for_the_next() {
    let mut scene = Scene::new(&[]);
    scene.delete(Kind::HttpRoute, "a");
    scene.at(10).delete(Kind::Gateway, "b");
    scene.at(490).delete(Kind::Gateway, "c");
    scene.at(495).delete(Kind::HttpRoute, "a");
    assert_eq!(scene.ask(), ["gateways"], "a was deleted anew");
    scene.at(512).delete(Kind::Gateway, "d");
    assert_eq!(
        scene.answer(&[Kind::Gateway, Kind::HttpRoute]),
        ["deleted Gateway b"]
    );
    assert_eq!(scene.wake(), Some(990));
    scene.ask_for_all();
    assert_eq!(scene.wake(), None);
    let told = scene.answer(&[Kind::Gateway, Kind::HttpRoute]);
    assert_eq!(
        told,
        ["deleted Gateway c", "deleted HTTPRoute a", "deleted Gateway d"],
        "as they came"
    );
}

#[test]
fn a_route_goes_before_its_policy_though_it_is_heard_of_half_a_second_later() {
    let mut scene = Scene::new(&[]);
    scene.delete(Kind::AuthPolicy, "p");
    scene.at(499).delete(Kind::HttpRoute, "r");
    assert_eq!(scene.ask(), ["httproutes"]);
    assert_eq!(scene.answer(&[Kind::HttpRoute]), ["deleted HTTPRoute r"]);
    assert_eq!(scene.ask(), ["authpolicies"]);
    assert_eq!(scene.answer(&[Kind::AuthPolicy]), ["deleted AuthPolicy p"]);
}

#[test]
fn kinds_are_decided_each_by_itself() {
    let mut scene = Scene::new(&[]);
    for name in ["a", "b"] {
        scene.delete(Kind::AuthPolicy, name);
        scene.delete(Kind::HttpRoute, name);
    }
    scene.ask_for_all();
    assert_eq!(
        scene.answer(&[Kind::HttpRoute]),
        [
            "deleted HTTPRoute a",
            "deleted HTTPRoute b",
            "AuthPolicy KindGoes 2, news"
        ]
    );
}

#[test]
fn without_an_answer_all_stay_held_and_it_is_asked_again_less_and_less_often() {
    let mut scene = Scene::new(&[]);
    scene.delete(Kind::AuthPolicy, "a");
    let mut waits = Vec::new();
    for round in 0..20 {
        scene.ask();
        let (asked, now) = (scene.ms, scene.now());
        let news = scene.hold.unanswered(None, now);
        assert_eq!(news, round == 0);
        waits.push(scene.wake().unwrap() - asked);
    }
    assert!(waits[0] <= 400 && waits[19] >= 1500, "{waits:?}");
    scene.ask();
    assert_eq!(scene.answer(&[Kind::AuthPolicy]), ["deleted AuthPolicy a"]);
}

#[test]
fn that_a_kind_goes_is_news_once_until_a_list_of_it_is_complete() {
    let mut scene = Scene::new(&[]);
    let ignore = |scene: &mut Scene| {
        scene.delete(Kind::AuthPolicy, "a");
        scene.ask();
        scene.answer(&[])
    };
    assert_eq!(ignore(&mut scene), ["AuthPolicy KindGoes 1, news"]);
    assert_eq!(ignore(&mut scene), ["AuthPolicy KindGoes 1"]);
    scene.take(Kind::Gateway, Event::ListEnd);
    scene.take(Kind::AuthPolicy, Event::Missing);
    assert_eq!(ignore(&mut scene), ["AuthPolicy KindGoes 1"]);
    scene.take(Kind::AuthPolicy, Event::ListEnd);
    assert_eq!(ignore(&mut scene), ["AuthPolicy KindGoes 1, news"]);
}

#[test]
fn more_than_the_limit_is_ignored_and_the_rest_is_not() {
    let mut scene = Scene::new(&[]);
    scene.hold.limit = 2;
    scene.delete(Kind::AuthPolicy, "a");
    scene.delete(Kind::HttpRoute, "b");
    let mut delete = |name| scene.take(Kind::AuthPolicy, Event::Deleted(object(name)));
    assert_eq!(delete("a"), [""; 0], "that one is held already");
    assert_eq!(delete("c"), ["AuthPolicy TooMany 1, news"]);
    assert_eq!(delete("d"), ["AuthPolicy TooMany 1"]);
    assert_eq!(scene.hold.len(), 2);
    scene.ask_for_all();
    let told = scene.answer(&[Kind::AuthPolicy, Kind::HttpRoute]);
    assert_eq!(told, ["deleted HTTPRoute b", "deleted AuthPolicy a"]);
}
