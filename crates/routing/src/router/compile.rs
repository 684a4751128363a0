//! A route's rules, compiled: what they do, and what stands before them.

use std::{collections::BTreeSet, sync::Arc};

use latchkey_core::{
    object::{ObjectName, RouteLabel},
    reason::Reason as Answer,
};

use super::{
    cells::{Cells, ServicePort},
    store::Store,
};
use crate::{
    host::{Entry, Guard},
    policy::Holding,
    read::{
        Problem, Reason,
        auth_policy::Target,
        backend_ref::{BackendRef, BackendTarget},
        filter::Filter,
        http_route::{RouteRule, RouteSpec},
    },
    table::{Action, Backend, Backends, Forward, Redirection, Rule},
};

/// All rules of a route.
#[derive(Debug, Default)]
pub(super) struct CompiledRules {
    /// The matches, with the index of their rule and their own in it.
    pub(super) entries: Vec<(usize, usize, Entry)>,
    /// Whether a rule that does not fail has no policy of its own.
    pub(super) bare: bool,
    /// The cells that its rules hold.
    pub(super) cells: Vec<ServicePort>,
    /// What is wrong in its rules.
    pub(super) faults: Faults,
}

/// What is wrong in a route's rules.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// How many rules it has.
    pub(super) rules: usize,
    /// Those that say what this version does not do, by index: they answer 500.
    pub(super) failing: BTreeSet<usize>,
    /// What that is.
    pub(super) unsupported: Vec<Problem>,
    /// References that lead nowhere.
    pub(super) unresolved: Vec<Problem>,
}

impl Faults {
    /// Whether no rule is left that does what it says.
    pub(super) fn fail_all(&self) -> bool {
        self.failing.len() == self.rules
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Problem> {
        self.unsupported.iter().chain(&self.unresolved)
    }

    fn rule(&mut self, index: usize, problems: impl IntoIterator<Item = Problem>) {
        for problem in problems {
            self.failing.insert(index);
            match problem.reason {
                Reason::InvalidKind => self.unresolved.push(problem),
                _ => self.unsupported.push(problem),
            }
        }
    }
}

/// Compiles the rules of a route as all objects are now.
pub(super) fn compile(
    store: &Store,
    cells: &mut Cells,
    spec: &RouteSpec,
    label: &Arc<RouteLabel>,
) -> CompiledRules {
    let mut compiler = Compiler {
        store,
        cells,
        route: &label.name,
        holding: store.holding(&Target::Route(label.name.clone())),
        compiled: CompiledRules::default(),
    };
    compiler.compiled.faults.rules = spec.rules.len();
    for (index, rule) in spec.rules.iter().enumerate() {
        let (action, guard) = compiler.rule(rule, index);
        let serves = !matches!(action, Action::Fail(_));
        compiler.compiled.bare |= serves && !guard.closed && guard.specific.is_none();
        let compiled = Arc::new(Rule {
            route: Arc::clone(label),
            action,
        });
        let guard = Arc::new(guard);
        for (element, matcher) in rule.matches.iter().enumerate() {
            let entry = Entry {
                matcher: Arc::new(matcher.clone()),
                rule: Arc::clone(&compiled),
                guard: Arc::clone(&guard),
            };
            compiler.compiled.entries.push((index, element, entry));
        }
    }
    compiler.compiled
}

struct Compiler<'a> {
    store: &'a Store,
    cells: &'a mut Cells,
    route: &'a ObjectName,
    /// The policies of the route.
    holding: Holding,
    compiled: CompiledRules,
}

impl Compiler<'_> {
    fn rule(&mut self, rule: &RouteRule, index: usize) -> (Action, Guard) {
        self.compiled.faults.rule(index, rule.problems.iter().cloned());
        let guard = self.guard(rule, index);
        let fail = if !rule.problems.is_empty() {
            Some(Answer::UnsupportedValue)
        } else if guard.is_none() {
            Some(Answer::FilterInvalid)
        } else {
            None
        };
        // A broken policy of the route closes it, whatever its filters say.
        let guard = guard.unwrap_or(Guard {
            closed: self.holding.closed,
            specific: None,
        });
        let action = match (fail, rule.filters.iter().find_map(Filter::redirect)) {
            (Some(answer), _) => Action::Fail(answer),
            (None, Some(redirect)) => Action::Redirect(Redirection {
                redirect: redirect.clone(),
                response_headers: rule.filters.iter().find_map(Filter::response_headers).cloned(),
            }),
            (None, None) => self.forward(rule, index),
        };
        (action, guard)
    }

    /// What stands before the rule; `None` if its filters do not say.
    fn guard(&mut self, rule: &RouteRule, index: usize) -> Option<Guard> {
        let store = self.store;
        let filters = rule.filters.iter().enumerate();
        let named: Vec<_> = filters
            .filter_map(|(at, filter)| match filter {
                Filter::Policy(name) => Some((at, name)),
                _ => None,
            })
            .collect();
        let (at, name) = match *named.as_slice() {
            [] => {
                return Some(Guard {
                    closed: self.holding.closed,
                    specific: self.holding.default.clone(),
                });
            }
            [one] => one,
            [..] => {
                let message = "has two AuthPolicy filters; keep one";
                let problem = Problem::new(Reason::IncompatibleFilters, message)
                    .under(&format!("spec.rules[{index}].filters"));
                self.compiled.faults.rule(index, [problem]);
                return None;
            }
        };
        let name = ObjectName::new(self.route.namespace.as_str(), name.as_str());
        let Some(policy) = store.policies.get(&name) else {
            let message = format!("there is no AuthPolicy {name}; create it or correct the name");
            self.unresolved(
                Problem::new(Reason::InvalidKind, message),
                &format!("spec.rules[{index}].filters[{at}].extensionRef.name"),
            );
            return None;
        };
        Some(Guard {
            closed: self.holding.closed || policy.body.is_err(),
            specific: policy.body.as_ref().ok().map(Arc::clone),
        })
    }

    fn forward(&mut self, rule: &RouteRule, index: usize) -> Action {
        let mut cumulative = Vec::new();
        let mut total = 0;
        for (at, reference) in rule.backends.iter().enumerate() {
            let place = format!("spec.rules[{index}].backendRefs[{at}]");
            let backend = self.backend(reference, &place);
            if reference.weight > 0 {
                total += reference.weight;
                cumulative.push((total, backend));
            }
        }
        if cumulative.is_empty() {
            return Action::Fail(Answer::NoBackend);
        }
        let filters = || rule.filters.iter();
        Action::Forward(Forward {
            request_headers: filters().find_map(Filter::request_headers).cloned(),
            rewrite: filters().find_map(Filter::rewrite).cloned(),
            response_headers: filters().find_map(Filter::response_headers).cloned(),
            backends: Backends { cumulative },
            timeouts: rule.timeouts,
        })
    }

    fn backend(&mut self, reference: &BackendRef, place: &str) -> Backend {
        match self.resolve(reference) {
            Ok(service_port) => {
                let (store, (service, port)) = (self.store, &service_port);
                let cell = self
                    .cells
                    .acquire(&service_port, || store.endpoints(service, *port));
                self.compiled.cells.push(service_port);
                Backend::Endpoints(cell)
            }
            Err(problem) => {
                self.unresolved(problem, place);
                Backend::Invalid(Answer::BackendInvalid)
            }
        }
    }

    /// The Service's port that a reference means, or why it means none.
    fn resolve(&self, reference: &BackendRef) -> Result<ServicePort, Problem> {
        let BackendTarget::Service(name, port) = &reference.target else {
            let message = "only a Service can be a backend; refer to one";
            return Err(Problem::new(Reason::InvalidKind, message).under("kind"));
        };
        if !self.store.permits(&self.route.namespace, name) {
            let namespace = &name.namespace;
            return Err(Problem::new(
                Reason::RefNotPermitted,
                format!("no ReferenceGrant in {namespace} permits this; create one there"),
            ));
        }
        let Some(service) = self.store.services.get(name) else {
            let message = format!("there is no Service {name}; create it or correct the name");
            return Err(Problem::new(Reason::BackendNotFound, message).under("name"));
        };
        let Some(port) = *port else {
            let message = "is missing; give the Service's port";
            return Err(Problem::unsupported(message).under("port"));
        };
        if service.external_name {
            let message = format!("Service {name} is an ExternalName; use one with endpoints");
            return Err(Problem::unsupported(message).under("name"));
        }
        match service.port(port) {
            Some(found) if found.foreign_protocol => Err(Problem::new(
                Reason::UnsupportedProtocol,
                "the Service's port has an appProtocol other than plain HTTP/1.1; use another port",
            )
            .under("port")),
            // Of a Service that cannot be read it is not known which ports it has.
            None if service.ports.is_ok() => {
                let message = format!("Service {name} has no TCP port {port}; correct it");
                Err(Problem::new(Reason::BackendNotFound, message).under("port"))
            }
            Some(_) | None => Ok((name.clone(), port)),
        }
    }

    fn unresolved(&mut self, problem: Problem, place: &str) {
        self.compiled.faults.unresolved.push(problem.under(place));
    }
}
