//! Finding the key of a request, and hiding it.

use http::{HeaderName, Method as HttpMethod, header};
use latchkey_core::{
    object::ObjectName,
    tenancy::{Admission, Namespaces},
};
use latchkey_routing::{
    policy::{Method, Place, Policy, Protection},
    table::RequestView,
};

use super::{first_line, head, lines, query::read};
use crate::auth::{
    extract::{Presented, extract},
    hide,
};

const HEADERS: [&str; 2] = ["x-api-key", "authorization"];
const PARAMETERS: [&str; 2] = ["apikey", "k[]"];

/// A query (the first line) and a head: one value is a key, several are none, and once hidden none is left.
pub fn key(data: &[u8]) {
    let (query, rest) = first_line(data);
    let Ok(query) = std::str::from_utf8(query) else {
        return;
    };
    let query = Some(query).filter(|query| !query.is_empty());
    let mut headers = head(rest);
    let expected = all_values(query, &headers);
    let policy = policy();
    let Method::ApiKey(places) = &policy.methods[0] else {
        return;
    };
    let presented = |query, headers: &_| match extract(places, &view(query, headers)) {
        Presented::Nothing => (0, None),
        Presented::Empty => (1, None),
        Presented::One(key) => (1, Some(key.into_owned())),
        Presented::Several => (2, None),
    };
    let one = match &expected[..] {
        [value] => value.clone().filter(|value| !value.trim_ascii().is_empty()),
        _ => None,
    };
    assert_eq!(presented(query, &headers), (expected.len().min(2), one));

    let protection = Protection {
        specific: Some(&policy),
        ..Protection::default()
    };
    let edited = query.and_then(|raw| hide::query(&protection, raw));
    hide::headers(&protection, &mut headers);
    hide::trailers(&protection, &mut headers);
    let query = edited.as_deref().or(query);
    assert_eq!(presented(query, &headers), (0, None), "a key was left");
    for name in headers.keys() {
        let folded = name.as_str().replace('_', "-");
        assert!(
            !HEADERS.contains(&&*folded),
            "{name} may be read as a key's place"
        );
    }
    for line in lines(&headers, header::TRAILER.as_str()) {
        let line = String::from_utf8_lossy(line).replace('_', "-");
        assert!(
            line.split(',').all(|name| !HEADERS.contains(&name.trim())),
            "{line}"
        );
    }
}

/// What stands in all places, decoded; `None` for a parameter without `=`.
fn all_values(query: Option<&str>, headers: &http::HeaderMap) -> Vec<Option<Vec<u8>>> {
    let lines = HEADERS.iter().flat_map(|name| lines(headers, name));
    let mut values: Vec<_> = lines.map(|line| Some(line.to_vec())).collect();
    for pair in query.into_iter().flat_map(|query| query.split('&')) {
        let (name, value) = match pair.split_once('=') {
            Some((name, value)) => (name, Some(read(value))),
            None => (pair, None),
        };
        if PARAMETERS.iter().any(|known| read(name) == known.as_bytes()) {
            values.push(value);
        }
    }
    values
}

fn view<'r>(query: Option<&'r str>, headers: &'r http::HeaderMap) -> RequestView<'r> {
    RequestView {
        method: &HttpMethod::GET,
        host: "a.example",
        path: "/",
        query,
        headers,
    }
}

fn policy() -> Policy {
    let headers = HEADERS.map(|name| Place::Header(HeaderName::from_static(name)));
    let parameters = PARAMETERS.map(|name| Place::Query(name.to_owned()));
    Policy {
        name: ObjectName::new("ns", "policy"),
        methods: vec![Method::ApiKey(headers.into_iter().chain(parameters).collect())],
        admission: Admission {
            own: "ns".into(),
            namespaces: Namespaces::All,
        },
        hide_credentials: true,
        passes_preflights: false,
    }
}
