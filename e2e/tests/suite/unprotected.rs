//! Routes that no policy holds for.

use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    logs::Logs,
    scene::{Scene, policy},
    wait::eventually,
};

#[test]
fn a_route_without_a_policy_is_served_and_counted() {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let scene = Scene::open(echo.address());
    let gateway = scene
        .gateway()
        .args(&["--metrics-refresh-interval", "50ms"])
        .start();
    let seen = Seen::of(&gateway.send(&Request::get("/")));
    assert_eq!(seen.identity(), []);
    let counted = |count: f64| {
        eventually("unprotected routes are counted", || {
            match gateway.metrics().sum("latchkey_routing_unprotected_routes", &[]) {
                Some(seen) if (seen - count).abs() < 0.5 => Ok(()),
                seen => Err(format!("{seen:?}")),
            }
        });
    };
    counted(1.0);
    scene.folder.write("policy.yaml", &[policy()]);
    counted(0.0);
}

#[test]
fn where_unprotected_routes_are_denied_deleting_a_policy_closes_its_route() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().args(&["--unprotected-routes", "deny"]).start();
    let request = Request::get("/").key(&key);
    assert_eq!(gateway.status(&request), 200);

    scene.folder.delete("policy.yaml");
    let response = gateway.flips(&request, 200, 503);
    assert_eq!(response.reason(), "unavailable");
    gateway.says(&["no_policy"]);
    assert_eq!(gateway.status(&Request::get("/")), 503);

    scene.folder.write("policy.yaml", &[policy()]);
    gateway.flips(&request, 503, 200);
}
