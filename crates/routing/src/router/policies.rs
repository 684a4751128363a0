//! What is wrong with AuthPolicies.

use latchkey_core::object::ObjectName;

use super::store::Store;
use crate::read::{Problem, Reason, auth_policy::Target};

/// All that is wrong with a policy: with itself, or at one of its targets.
pub(super) fn problems(store: &Store, name: &ObjectName) -> Vec<Problem> {
    let Some(policy) = store.policies.get(name) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    if let Err(unhonoured) = &policy.body {
        let closes = if unhonoured.everything {
            "all routes and Gateways of its namespace answer 503"
        } else {
            "what it holds for answers 503"
        };
        let message = format!("{}; until then {closes}", unhonoured.message);
        problems.push(Problem::new(Reason::Invalid, message));
    }
    for target in &policy.targets {
        let shown = show(target);
        if !store.exists(target) {
            let message = format!("{shown} does not exist; create it or correct the reference");
            problems.push(Problem::new(Reason::TargetNotFound, message).under("spec.targetRefs"));
        }
        if policy.body.is_err() {
            continue;
        }
        let holding = store.holding(target);
        if let Some(older) = holding.holder(policy).filter(|holder| *holder != name) {
            let message =
                format!("{shown} has the older AuthPolicy {older}, which holds there; remove either");
            problems.push(Problem::new(Reason::Conflicted, message).under("spec.targetRefs"));
        }
    }
    problems
}

fn show(target: &Target) -> String {
    match target {
        Target::Gateway(name) => format!("Gateway {name}"),
        Target::Listener(name, listener) => format!("listener {listener} of Gateway {name}"),
        Target::Route(name) => format!("HTTPRoute {name}"),
    }
}
