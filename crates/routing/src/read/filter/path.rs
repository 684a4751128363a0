//! `HTTPPathModifier`: the `path` of a RequestRedirect or URLRewrite.

use super::super::{
    fields::{Fields, Misfit},
    problem::Problem,
};
use super::unknown;
use crate::filter::PathChange;

const FULL: &str = "replaceFullPath";
const PREFIX: &str = "replacePrefixMatch";

/// Reads the field `path`, if present; `matched` is how many bytes of a path the rule's only match covers,
/// where that is a `PathPrefix`. `None` also where it cannot be done, which is a problem.
pub(super) fn read(
    filter: Fields<'_>,
    matched: Option<usize>,
    problems: &mut Vec<Problem>,
) -> Result<Option<PathChange>, Misfit> {
    let Some(fields) = filter.object("path")? else {
        return Ok(None);
    };
    let mut found = Vec::new();
    let change = modifier(fields, matched, &mut found).map_err(|misfit| misfit.under("path"))?;
    problems.extend(found.into_iter().map(|problem| problem.under("path")));
    Ok(change)
}

fn modifier(
    fields: Fields<'_>,
    matched: Option<usize>,
    problems: &mut Vec<Problem>,
) -> Result<Option<PathChange>, Misfit> {
    let (field, change) = match fields.required_text("type")? {
        "ReplaceFullPath" => {
            unknown(fields, &["type", FULL], problems);
            (FULL, fields.text(FULL)?.map(PathChange::full))
        }
        "ReplacePrefixMatch" => {
            unknown(fields, &["type", PREFIX], problems);
            let Some(matched) = matched else {
                let message = "needs a rule with one match, whose path is a PathPrefix; make a rule for each";
                problems.push(Problem::unsupported(message).under("type"));
                return Ok(None);
            };
            let by = fields.text(PREFIX)?;
            (PREFIX, by.map(|by| PathChange::prefix(matched, by)))
        }
        _ => {
            let message = "is not supported; use ReplaceFullPath or ReplacePrefixMatch";
            problems.push(Problem::unsupported(message).under("type"));
            return Ok(None);
        }
    };
    match change {
        Some(Ok(change)) => return Ok(Some(change)),
        Some(Err(error)) => problems.push(Problem::unsupported(error.to_string()).under(field)),
        None => problems.push(super::missing(field)),
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
