//! `timeouts` of a rule.

use std::time::Duration;

use super::{
    duration,
    fields::{Fields, Misfit},
    problem::Problem,
};
use crate::table::RouteTimeouts;

/// Reads a rule's field `timeouts`, if present.
pub(super) fn read(rule: Fields<'_>, problems: &mut Vec<Problem>) -> Result<RouteTimeouts, Misfit> {
    let Some(fields) = rule.object("timeouts")? else {
        return Ok(RouteTimeouts::default());
    };
    let mut found = Vec::new();
    let timeouts = timeouts(fields, &mut found).map_err(|misfit| misfit.under("timeouts"))?;
    problems.extend(found.into_iter().map(|problem| problem.under("timeouts")));
    Ok(timeouts)
}

fn timeouts(fields: Fields<'_>, problems: &mut Vec<Problem>) -> Result<RouteTimeouts, Misfit> {
    const BACKEND: &str = "backendRequest";
    problems.extend(fields.unknown(&["request", BACKEND]).map(Problem::unknown_field));
    let timeouts = RouteTimeouts {
        request: limit(fields, "request", problems)?,
        backend_request: limit(fields, BACKEND, problems)?,
    };
    if let (Some(request), Some(backend)) = (timeouts.request, timeouts.backend_request)
        && backend > request
    {
        let message = "is longer than the timeout of the whole request; shorten it";
        problems.push(Problem::unsupported(message).under(BACKEND));
    }
    Ok(timeouts)
}

/// A limit; none where it is absent or zero, which takes it away.
fn limit(fields: Fields<'_>, field: &str, problems: &mut Vec<Problem>) -> Result<Option<Duration>, Misfit> {
    let Some(text) = fields.text(field)? else {
        return Ok(None);
    };
    let Some(limit) = duration::parse(text) else {
        let message = "is no duration such as 500ms, 10s or 1m30s; correct it";
        problems.push(Problem::unsupported(message).under(field));
        return Ok(None);
    };
    Ok(Some(limit).filter(|limit| !limit.is_zero()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn timeouts(value: &Value) -> (RouteTimeouts, Vec<String>) {
        let mut problems = Vec::new();
        let rule = json!({ "timeouts": value });
        let timeouts = read(Fields::of(&rule).expect("fields"), &mut problems).expect("timeouts");
        (
            timeouts,
            problems.into_iter().map(|problem| problem.path).collect(),
        )
    }

    #[test]
    fn zero_and_absent_are_no_limit() {
        let of = |request, backend_request| RouteTimeouts {
            request,
            backend_request,
        };
        let second = Some(Duration::from_secs(1));
        for (value, expected) in [
            (Value::Null, of(None, None)),
            (json!({}), of(None, None)),
            (
                json!({ "request": "0s", "backendRequest": "0h0m" }),
                of(None, None),
            ),
            (json!({ "request": "1s" }), of(second, None)),
            (json!({ "backendRequest": "1000ms" }), of(None, second)),
            (
                json!({ "request": "1s", "backendRequest": "1s" }),
                of(second, second),
            ),
            (
                json!({ "request": "0s", "backendRequest": "1s" }),
                of(None, second),
            ),
            (
                json!({ "request": "1s", "backendRequest": "0s" }),
                of(second, None),
            ),
        ] {
            assert_eq!(timeouts(&value), (expected, vec![]), "{value}");
        }
    }

    #[test]
    fn what_cannot_be_held_is_told_by_path() {
        for (value, path) in [
            (json!({ "request": "1" }), "timeouts.request"),
            (json!({ "request": "" }), "timeouts.request"),
            (json!({ "backendRequest": "1.5s" }), "timeouts.backendRequest"),
            (
                json!({ "request": "1s", "backendRequest": "1001ms" }),
                "timeouts.backendRequest",
            ),
            (json!({ "connect": "1s" }), "timeouts.connect"),
        ] {
            assert_eq!(timeouts(&value).1, [path], "{value}");
        }
    }
}
