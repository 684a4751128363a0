//! Which policies a request of a rule must pass, and what closes the rule.

use latchkey_core::object::ObjectName;
use serde_json::Value;

use super::{Kind, Model, created, list, listeners, routes::Place, text};

/// What a policy names: the kind, the object in its own namespace, and a listener of it.
type Target<'t> = (&'t str, &'t ObjectName, Option<&'t str>);

/// What the policies that name one target say.
#[derive(Default)]
struct Held<'o> {
    broken: bool,
    overriding: Option<&'o ObjectName>,
    usual: Option<&'o ObjectName>,
}

impl<'o> Model<'o> {
    /// What a request gets that belongs to a rule.
    pub(super) fn on_rule(self, place: Place<'o, '_>, route: &'o ObjectName, rule: &'o Value) -> String {
        if self.routes_close(&route.namespace) {
            return "500".to_owned();
        }
        let (gateway, listener) = place;
        let of_gateway = self.held(("Gateway", gateway, None));
        let of_listener = self.held(("Gateway", gateway, Some(listener.name)));
        let of_route = self.held(("HTTPRoute", route, None));
        let named: Vec<_> = list(&rule["filters"])
            .iter()
            .map(|filter| &filter["extensionRef"])
            .filter(|reference| !reference.is_null())
            .map(|reference| ObjectName::new(&*route.namespace, text(&reference["name"])))
            .collect();
        let filter = match &*named {
            [name] => self.policy(name),
            _ => None,
        };
        let closed = of_gateway.broken
            || of_listener.broken
            || of_route.broken
            || self.names_no_listener(gateway)
            || self.policies_close(&route.namespace)
            || self.policies_close(&gateway.namespace)
            || filter.is_some_and(|(_, object)| !is_honoured(object));
        if closed {
            return "503 policy_invalid".to_owned();
        }
        let undecided = !named.is_empty() && filter.is_none();
        let Some(does) = self.forwards(route, rule).filter(|_| !undecided) else {
            return "500".to_owned();
        };
        let specific = filter.map(|(name, _)| name);
        let specific = specific
            .or(of_route.usual)
            .or(of_listener.usual)
            .or(of_gateway.usual);
        let passed = [
            of_gateway.overriding.map(|name| format!("Gateway! {name} > ")),
            of_listener.overriding.map(|name| format!("listener! {name} > ")),
            specific.map(|name| format!("{name} > ")),
        ];
        let passed: String = passed.into_iter().flatten().collect();
        if passed.is_empty() && self.deny {
            return "503 no_policy".to_owned();
        }
        passed + &does
    }

    fn policy(self, name: &ObjectName) -> Option<(&'o ObjectName, Option<&'o Value>)> {
        self.all(Kind::AuthPolicy).find(|(held, _)| *held == name)
    }

    /// The policies that name a target, the oldest first.
    fn naming(self, target: Target<'_>) -> Vec<(&'o ObjectName, &'o Value)> {
        let (_, object, _) = target;
        let mut naming: Vec<_> = self
            .all(Kind::AuthPolicy)
            .filter(|(name, _)| name.namespace == object.namespace)
            .filter_map(|(name, policy)| Some((name, policy?)))
            .filter(|(name, policy)| {
                let mut targets = list(&policy["spec"]["targetRefs"]).iter();
                targets.any(|written| names(written, name, target))
            })
            .collect();
        naming.sort_by_key(|(name, policy)| (created(Some(policy)), *name));
        naming
    }

    /// The oldest holds, with `override` and without.
    fn held(self, target: Target<'_>) -> Held<'o> {
        let mut held = Held::default();
        for (name, policy) in self.naming(target) {
            if !is_honoured(Some(policy)) {
                held.broken = true;
            } else if policy["spec"]["override"] == true {
                held.overriding.get_or_insert(name);
            } else {
                held.usual.get_or_insert(name);
            }
        }
        held
    }

    /// Whether a policy names a listener that a Gateway does not have: all of it is closed.
    fn names_no_listener(self, gateway: &ObjectName) -> bool {
        let object = self.get(Kind::Gateway, gateway).flatten();
        let there: Vec<_> = object
            .and_then(listeners)
            .into_iter()
            .flatten()
            .map(|l| l.name)
            .collect();
        let policies = self
            .all(Kind::AuthPolicy)
            .filter_map(|(name, policy)| Some((name, policy?)));
        let mut sections = policies.flat_map(|(name, policy)| {
            let targets = list(&policy["spec"]["targetRefs"]).iter();
            targets.filter_map(move |target| {
                let section = target["sectionName"].as_str()?;
                names(target, name, ("Gateway", gateway, Some(section))).then_some(section)
            })
        });
        sections.any(|section| !there.contains(&section))
    }

    /// Whether a policy that cannot be honoured closes a namespace: not all of its targets are known, or it has
    /// none.
    fn policies_close(self, namespace: &str) -> bool {
        let known = |policy: &Value| {
            let targets = list(&policy["spec"]["targetRefs"]);
            !targets.is_empty() && targets.iter().all(is_target)
        };
        self.all(Kind::AuthPolicy).any(|(name, policy)| {
            name.namespace == namespace && !is_honoured(policy) && !policy.is_some_and(known)
        })
    }
}

fn is_target(written: &Value) -> bool {
    written["group"] == "gateway.networking.k8s.io"
        && ["Gateway", "HTTPRoute"].contains(&text(&written["kind"]))
        && written["name"].is_string()
}

fn names(written: &Value, policy: &ObjectName, (kind, object, section): Target<'_>) -> bool {
    is_target(written)
        && written["kind"] == kind
        && policy.namespace == object.namespace
        && written["name"] == *object.name
        && written["sectionName"].as_str() == section
}

/// Whether this version can do what a policy says.
fn is_honoured(policy: Option<&Value>) -> bool {
    let Some(spec) = policy.map(|policy| &policy["spec"]) else {
        return false;
    };
    let targets = list(&spec["targetRefs"]);
    let gateways = !targets.is_empty() && targets.iter().all(|target| target["kind"] == "Gateway");
    let fields = spec.as_object().into_iter().flatten();
    let known = ["targetRefs", "methods", "override"];
    fields.into_iter().all(|(name, _)| known.contains(&&**name))
        && list(&spec["methods"])
            .iter()
            .all(|method| ["APIKey", "Anonymous"].contains(&text(&method["type"])))
        && targets.iter().all(is_target)
        && (spec["override"] != true || gateways)
}
