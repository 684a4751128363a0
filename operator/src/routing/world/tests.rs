//! Events in, plans out.

use serde_json::json;

use super::{super::kinds::collections, *};

fn now() -> Time {
    serde_json::from_value(json!("2026-02-02T00:00:00Z")).expect("a time")
}

fn object(kind: &str, name: &str, version: u32, spec: &Value) -> Value {
    let namespace = if kind == "GatewayClass" {
        Value::Null
    } else {
        json!("ns")
    };
    json!({
        "kind": kind,
        "metadata": {
            "name": name, "namespace": namespace, "uid": format!("{kind}-{name}"),
            "resourceVersion": version.to_string(), "generation": 1,
        },
        "spec": spec,
    })
}

fn gateway(version: u32) -> Value {
    let listener = json!({ "name": "web", "port": 80, "protocol": "HTTP" });
    let spec = json!({ "gatewayClassName": "latchkey", "listeners": [listener] });
    object("Gateway", "gw", version, &spec)
}

fn route(version: u32) -> Value {
    let spec = json!({ "parentRefs": [{ "name": "gw" }], "rules": [{}] });
    object("HTTPRoute", "api", version, &spec)
}

fn class(controller: &str) -> Value {
    object(
        "GatewayClass",
        "latchkey",
        1,
        &json!({ "controllerName": controller }),
    )
}

fn key(subject: Subject, name: &str) -> Key {
    let namespace = if subject == Subject::GatewayClass {
        ""
    } else {
        "ns"
    };
    Key {
        subject,
        name: ObjectName::new(namespace, name),
    }
}

/// A world that watches all namespaces.
struct Watching {
    world: World,
    sources: Vec<&'static str>,
}

impl Watching {
    fn new() -> Self {
        let collections = collections(&[]);
        Self {
            world: World::new("latchkey".to_owned(), &collections),
            sources: collections
                .iter()
                .map(|(_, collection)| collection.plural)
                .collect(),
        }
    }

    fn take(&mut self, plural: &str, event: Event) {
        let index = self.sources.iter().position(|source| *source == plural);
        self.world.take(index.expect("a collection"), event);
    }

    fn list(&mut self, plural: &str, objects: impl IntoIterator<Item = Value>) {
        self.take(plural, Event::ListBegin);
        for object in objects {
            self.take(plural, Event::Listed(object));
        }
        self.take(plural, Event::ListEnd);
    }

    /// With complete lists of these objects.
    fn of(objects: &[Value]) -> Self {
        let mut watching = Self::new();
        for plural in watching.sources.clone() {
            let kind = match plural {
                "gateways" => "Gateway",
                "httproutes" => "HTTPRoute",
                "gatewayclasses" => "GatewayClass",
                _ => "none here",
            };
            let of_kind = objects.iter().filter(|object| object["kind"] == kind);
            watching.list(plural, of_kind.cloned());
        }
        watching
    }

    fn commit(&mut self) -> (Vec<Key>, Vec<Key>) {
        let Touched { arrived, touched } = self.world.commit();
        (arrived.into_iter().collect(), touched.into_iter().collect())
    }

    fn plan(&self, subject: Subject, name: &str) -> Option<Value> {
        self.world
            .plan(&key(subject, name), &now())
            .map(|write| write.status)
    }
}

#[test]
fn nothing_is_complete_before_every_list_is() {
    let mut watching = Watching::new();
    for plural in watching.sources.clone() {
        assert!(!watching.world.complete(), "{plural}");
        watching.take(plural, Event::ListEnd);
        assert!(!watching.world.complete(), "an end without a begin says nothing");
        watching.list(plural, []);
    }
    assert!(watching.world.complete());
}

#[test]
fn a_kind_that_grants_may_be_missing_and_one_that_shapes_is_waited_for() {
    let mut watching = Watching::new();
    for plural in watching.sources.clone() {
        match plural {
            "referencegrants" | "httproutes" => watching.take(plural, Event::Missing),
            _ => watching.list(plural, []),
        }
    }
    assert!(!watching.world.complete());
    watching.list("httproutes", []);
    assert!(watching.world.complete());
    watching.list("httproutes", [route(1)]);
    watching.take("httproutes", Event::Missing);
    assert!(watching.world.complete());
    watching.list("gateways", [gateway(1)]);
    watching.commit();
    assert!(
        watching.plan(Subject::HttpRoute, "api").is_some(),
        "it holds what it had"
    );
}

#[test]
fn a_plan_carries_the_version_that_it_was_computed_from() {
    let mut watching = Watching::of(&[gateway(5), route(6)]);
    watching.commit();
    let write = watching
        .world
        .plan(&key(Subject::Gateway, "gw"), &now())
        .expect("a write");
    let target = Target {
        path: "/apis/gateway.networking.k8s.io/v1/namespaces/ns/gateways/gw".to_owned(),
        uid: "Gateway-gw".to_owned(),
        resource_version: "5".to_owned(),
    };
    assert_eq!(write.target, target);
    assert_eq!(write.status["listeners"][0]["attachedRoutes"], 1);
    let parents = watching.plan(Subject::HttpRoute, "api").expect("a write");
    assert_eq!(parents["parents"][0]["conditions"][0]["observedGeneration"], 1);
}

#[test]
fn our_own_write_comes_back_and_nothing_is_left_to_write() {
    let mut watching = Watching::of(&[gateway(5)]);
    watching.commit();
    let mut written = gateway(6);
    written["status"] = watching.plan(Subject::Gateway, "gw").expect("a write");
    watching.take("gateways", Event::Applied(written.clone()));
    assert_eq!(watching.commit(), (vec![key(Subject::Gateway, "gw")], vec![]));
    assert_eq!(watching.plan(Subject::Gateway, "gw"), None);
    watching.list("gateways", [written]);
    assert_eq!(watching.commit(), (vec![], vec![]), "a list that says the same");
}

#[test]
fn what_a_stranger_wrote_into_a_status_is_put_right() {
    let mut watching = Watching::of(&[gateway(5)]);
    watching.commit();
    let mut spoilt = gateway(7);
    spoilt["status"] = watching.plan(Subject::Gateway, "gw").expect("a write");
    spoilt["status"]["listeners"][0]["attachedRoutes"] = json!(99);
    watching.take("gateways", Event::Applied(spoilt));
    watching.commit();
    let status = watching.plan(Subject::Gateway, "gw").expect("a write");
    assert_eq!(status["listeners"][0]["attachedRoutes"], 0);
}

#[test]
fn a_change_touches_what_it_concerns() {
    let mut watching = Watching::of(&[gateway(5)]);
    watching.commit();
    watching.take("httproutes", Event::Applied(route(8)));
    let (arrived, touched) = watching.commit();
    assert_eq!(arrived, [key(Subject::HttpRoute, "api")]);
    assert_eq!(
        touched,
        [key(Subject::Gateway, "gw"), key(Subject::HttpRoute, "api")]
    );
    watching.take("httproutes", Event::Deleted(route(9)));
    let (_, touched) = watching.commit();
    assert!(touched.contains(&key(Subject::Gateway, "gw")));
    assert_eq!(watching.plan(Subject::HttpRoute, "api"), None);
}

#[test]
fn what_a_complete_list_does_not_name_is_gone() {
    let mut watching = Watching::of(&[gateway(5), route(6), class(CONTROLLER_NAME)]);
    watching.commit();
    watching.take("httproutes", Event::ListBegin);
    watching.take("httproutes", Event::ListBegin);
    watching.commit();
    assert!(
        watching.plan(Subject::HttpRoute, "api").is_some(),
        "the list is not complete"
    );
    watching.take("httproutes", Event::ListEnd);
    watching.list("gatewayclasses", []);
    watching.commit();
    assert_eq!(watching.plan(Subject::HttpRoute, "api"), None);
    assert_eq!(watching.plan(Subject::GatewayClass, "latchkey"), None);
    assert_eq!(watching.world.keys().count(), 1);
}

#[test]
fn only_our_class_of_our_name_is_accepted() {
    let watching = Watching::of(&[class(CONTROLLER_NAME)]);
    assert!(watching.plan(Subject::GatewayClass, "latchkey").is_some());
    let watching = Watching::of(&[class("example.com/other")]);
    assert_eq!(watching.plan(Subject::GatewayClass, "latchkey"), None);
    let mut other = class(CONTROLLER_NAME);
    other["metadata"]["name"] = json!("other");
    let watching = Watching::of(&[other]);
    assert_eq!(watching.plan(Subject::GatewayClass, "other"), None);
}

#[test]
fn a_read_helps_only_if_the_spec_is_the_one_that_is_known() {
    let mut watching = Watching::of(&[gateway(5)]);
    let gw = key(Subject::Gateway, "gw");
    let mut newer = gateway(9);
    newer["metadata"]["generation"] = json!(2);
    assert!(!watching.world.refresh(&gw, &newer));
    let mut recreated = gateway(9);
    recreated["metadata"]["uid"] = json!("another");
    assert!(!watching.world.refresh(&gw, &recreated));
    assert_eq!(watching.world.version(&gw), Some("5"));
    assert!(watching.world.refresh(&gw, &gateway(9)));
    assert_eq!(watching.world.version(&gw), Some("9"));
}

#[test]
fn a_list_of_one_namespace_says_nothing_of_another() {
    let namespaces = ["ns".to_owned(), "other".to_owned()];
    let collections = collections(&namespaces);
    let mut world = World::new("latchkey".to_owned(), &collections);
    let mut list = |namespace: &str, objects: &[Value]| {
        for (index, (_, collection)) in collections.iter().enumerate() {
            if collection.namespace.as_deref() == Some(namespace) {
                world.take(index, Event::ListBegin);
                if collection.plural == "gateways" {
                    let objects = objects.iter().cloned();
                    objects.for_each(|object| world.take(index, Event::Listed(object)));
                }
                world.take(index, Event::ListEnd);
            }
        }
        world.commit();
        (world.complete(), world.keys().count())
    };
    assert_eq!(list("ns", &[gateway(5)]), (false, 1));
    assert_eq!(list("other", &[]), (true, 1));
    assert_eq!(list("ns", &[]), (true, 0));
}
