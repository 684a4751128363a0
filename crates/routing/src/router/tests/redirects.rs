//! A rule that redirects is behind policies like one that sends requests on.

use serde_json::{Value, json};

use super::support::*;

fn redirecting(name: &str) -> Value {
    let filter = json!({ "type": "RequestRedirect", "requestRedirect": { "statusCode": 301 } });
    route(name, &["t"], &json!([{ "filters": [filter] }]))
}

#[test]
fn a_redirect_needs_no_backend_and_is_behind_its_policies() {
    let mut world = World::of([plain_gateway(), redirecting("api")]);
    assert_eq!(world.get("t", "/"), "api redirects 301");
    assert_eq!(world.router.tables().load().stats().unprotected_routes, 1);
    world.apply([policy("keys", &["HTTPRoute/api"])]);
    assert_eq!(world.get("t", "/"), "keys > api redirects 301");
    assert_eq!(world.router.tables().load().stats().unprotected_routes, 0);
    assert!(world.open.is_empty(), "{:?}", world.open);
}

#[test]
fn a_redirect_without_a_policy_is_closed_where_such_routes_are() {
    let mut world = World::with(true);
    world.apply([plain_gateway(), redirecting("api")]);
    assert_eq!(world.get("t", "/"), "no_policy > api redirects 301");
}
