//! What is wrong with AuthPolicies.

use latchkey_core::object::ObjectName;

use super::{RouterConfig, gateways, store::Store, work};
use crate::read::{
    Problem, Reason,
    auth_policy::{AuthPolicy, Target},
};

/// All that is wrong with a policy: with itself, or at one of its targets.
pub(super) fn problems(store: &Store, config: &RouterConfig, name: &ObjectName) -> Vec<Problem> {
    work::look();
    let Some(policy) = store.policies.get(name) else {
        return Vec::new();
    };
    let targets = policy.targets.iter();
    let at_targets = targets.flat_map(|target| at(store, config, name, policy, target));
    invalid(policy).into_iter().chain(at_targets).collect()
}

/// Why a policy holds nowhere.
pub(super) fn invalid(policy: &AuthPolicy) -> Option<Problem> {
    let unhonoured = policy.body.as_ref().err()?;
    let closes = if unhonoured.everything {
        "all routes and Gateways of its namespace answer 503"
    } else {
        "what it holds for answers 503"
    };
    let message = format!("{}; until then {closes}", unhonoured.message);
    Some(Problem::new(Reason::Invalid, message))
}

/// Why a policy does not hold at one of its targets.
pub(super) fn at(
    store: &Store,
    config: &RouterConfig,
    name: &ObjectName,
    policy: &AuthPolicy,
    target: &Target,
) -> Vec<Problem> {
    let shown = show(target);
    let mut problems = Vec::new();
    let mut problem = |reason, message| {
        problems.push(Problem::new(reason, message).under("spec.targetRefs"));
    };
    if !store.exists(target) {
        let mut message = format!("{shown} does not exist; create it or correct the reference");
        if store.astray(target) && !served_by_others(store, config, target) {
            message.push_str("; until then all routes of the Gateway answer 503");
        }
        problem(Reason::TargetNotFound, message);
    } else if served_by_others(store, config, target) {
        let class = &config.gateway_class;
        problem(
            Reason::TargetNotFound,
            format!(
                "{shown} is not of class {class}, so nothing holds there; correct the class or the reference"
            ),
        );
    }
    if policy.body.is_ok() {
        let holding = store.holding(target);
        if let Some(owner) = holding.holder(policy).filter(|holder| *holder != name) {
            problem(
                Reason::Conflicted,
                format!("{shown} has the older AuthPolicy {owner}, which holds there; remove either"),
            );
        }
    }
    problems
}

fn served_by_others(store: &Store, config: &RouterConfig, target: &Target) -> bool {
    match target {
        Target::Gateway(name) | Target::Listener(name, _) => store
            .gateways
            .get(name)
            .is_some_and(|gateway| !gateways::is_ours(config, gateway)),
        Target::Route(_) => false,
    }
}

fn show(target: &Target) -> String {
    match target {
        Target::Gateway(name) => format!("Gateway {name}"),
        Target::Listener(name, listener) => format!("listener {listener} of Gateway {name}"),
        Target::Route(name) => format!("HTTPRoute {name}"),
    }
}
