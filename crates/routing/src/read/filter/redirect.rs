//! `RequestRedirect`.

use http::StatusCode;

use super::super::{
    fields::{Fields, Misfit},
    problem::Problem,
};
use super::{hostname, path, unknown};
use crate::filter::{Redirect, Scheme};

/// The status codes that Gateway API knows.
const STATUSES: [StatusCode; 5] = [
    StatusCode::MOVED_PERMANENTLY,
    StatusCode::FOUND,
    StatusCode::SEE_OTHER,
    StatusCode::TEMPORARY_REDIRECT,
    StatusCode::PERMANENT_REDIRECT,
];

/// Reads a redirect of a rule whose only match covers `matched` bytes of a path, if it is a `PathPrefix`.
pub(super) fn read(
    fields: Fields<'_>,
    matched: Option<usize>,
    problems: &mut Vec<Problem>,
) -> Result<Redirect, Misfit> {
    const KNOWN: &[&str] = &["scheme", "hostname", "path", "port", "statusCode"];
    unknown(fields, KNOWN, problems);
    let scheme = match fields.text("scheme")? {
        None => None,
        Some("http") => Some(Scheme::Http),
        Some("https") => Some(Scheme::Https),
        Some(_) => {
            problems.push(Problem::unsupported("is not supported; use http or https").under("scheme"));
            None
        }
    };
    let code = fields.integer("statusCode")?.unwrap_or(302);
    let status = STATUSES
        .into_iter()
        .find(|known| i64::from(known.as_u16()) == code);
    if status.is_none() {
        let message = "is not supported; use 301, 302, 303, 307 or 308";
        problems.push(Problem::unsupported(message).under("statusCode"));
    }
    Ok(Redirect {
        status: status.unwrap_or(StatusCode::FOUND),
        scheme,
        hostname: hostname(fields, problems)?,
        port: fields.port("port")?,
        path: path::read(fields, matched, problems)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn redirect(value: &Value) -> (Redirect, Vec<String>) {
        let mut problems = Vec::new();
        let redirect = read(Fields::of(value).expect("fields"), None, &mut problems).expect("a redirect");
        (
            redirect,
            problems.into_iter().map(|problem| problem.path).collect(),
        )
    }

    #[test]
    fn a_redirect_is_302_to_what_it_names() {
        let bare = Redirect {
            status: StatusCode::FOUND,
            scheme: None,
            hostname: None,
            port: None,
            path: None,
        };
        assert_eq!(redirect(&json!({})), (bare, vec![]));
        let (whole, problems) = redirect(&json!({
            "scheme": "https", "hostname": "Example.org", "port": 8443, "statusCode": 301,
            "path": { "type": "ReplaceFullPath", "replaceFullPath": "/" },
        }));
        assert_eq!(whole.hostname.as_deref(), Some("example.org"));
        assert_eq!((whole.scheme, whole.port), (Some(Scheme::Https), Some(8443)));
        assert_eq!(whole.status, StatusCode::MOVED_PERMANENTLY);
        assert!(whole.path.is_some() && problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn every_status_of_gateway_api_is_taken_and_no_other() {
        for code in 300..=399 {
            let (read, problems) = redirect(&json!({ "statusCode": code }));
            if [301, 302, 303, 307, 308].contains(&code) {
                assert_eq!((read.status.as_u16(), problems), (code, vec![]));
            } else {
                assert_eq!(problems, ["statusCode"], "{code}");
            }
        }
    }

    #[test]
    fn what_is_not_supported_is_told_by_path() {
        for (value, path) in [
            (json!({ "scheme": "ftp" }), "scheme"),
            (json!({ "scheme": "HTTPS" }), "scheme"),
            (json!({ "hostname": "*.example.org" }), "hostname"),
            (json!({ "hostname": "" }), "hostname"),
            (json!({ "hostname": "a/b" }), "hostname"),
            (json!({ "hostname": "a:80" }), "hostname"),
            (json!({ "query": "x" }), "query"),
            (json!({ "path": { "type": "Other" } }), "path.type"),
        ] {
            assert_eq!(redirect(&value).1, [path], "{value}");
        }
    }
}
