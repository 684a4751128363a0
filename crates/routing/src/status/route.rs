//! What an HTTPRoute's status says of one of its parents.

use latchkey_core::conditions::{Finding, Status};

use super::{finding, good, joined, types};
use crate::read::{Problem, Reason};

/// A route's rules, as far as they matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'a> {
    /// Whether no rule is left that does what it says.
    pub(crate) fail_all: bool,
    /// What rules ask for that this version does not do: these answer 500.
    pub(crate) unsupported: &'a [Problem],
    /// References that lead nowhere.
    pub(crate) unresolved: &'a [Problem],
}

/// The conditions of a route at a parent: why it is not attached there, if it is not, and its rules, or
/// why they cannot be read.
pub(crate) fn conditions(refusal: Option<Problem>, rules: Result<Rules<'_>, Problem>) -> Vec<Finding> {
    let rules = match rules {
        Ok(rules) => rules,
        Err(problem) => {
            let message = problem.text();
            return vec![
                finding(types::ACCEPTED, Status::False, "Invalid", message),
                finding(
                    types::RESOLVED_REFS,
                    Status::Unknown,
                    "Invalid",
                    "the route cannot be read; do what the condition Accepted says".to_owned(),
                ),
            ];
        }
    };
    let fails = rules.fail_all.then(|| Problem {
        reason: rules
            .unsupported
            .first()
            .map_or(Reason::UnsupportedValue, |problem| problem.reason),
        path: String::new(),
        message: joined(rules.unsupported.iter().chain(rules.unresolved)),
    });
    let accepted = match refusal.or(fails) {
        Some(problem) => finding(
            types::ACCEPTED,
            Status::False,
            problem.reason.as_str(),
            problem.text(),
        ),
        None => good(types::ACCEPTED, "Accepted"),
    };
    let resolved = match rules.unresolved.first() {
        Some(first) => finding(
            types::RESOLVED_REFS,
            Status::False,
            first.reason.as_str(),
            joined(rules.unresolved),
        ),
        None => good(types::RESOLVED_REFS, "ResolvedRefs"),
    };
    // Gateway API fixes how the message begins.
    let partially = (accepted.status == Status::True && !rules.unsupported.is_empty()).then(|| {
        let message = format!("Dropped Rules, which answer 500: {}", joined(rules.unsupported));
        let reason = Reason::UnsupportedValue.as_str();
        finding(types::PARTIALLY_INVALID, Status::True, reason, message)
    });
    [accepted, resolved].into_iter().chain(partially).collect()
}
