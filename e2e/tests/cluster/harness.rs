//! The harness itself: what the other modules take for granted of a control plane.

use latchkey_e2e::{
    client::{Request, send},
    cluster::{Cluster, Namespace},
    manifest::{consumer, endpoint_slice},
    upstream::Upstream,
    wait::eventually,
};

#[test]
fn a_control_plane_is_killed_restarted_and_put_back_to_an_earlier_state() {
    let cluster = Cluster::own();
    let namespace = Namespace::new(&cluster);
    let before = consumer("before");
    namespace.put(std::slice::from_ref(&before));
    let version = |name: &str| {
        let read = namespace.read(&consumer(name)).expect("it is there");
        let text = read["metadata"]["resourceVersion"].as_str().unwrap_or_default();
        text.parse::<u64>().expect("a resourceVersion is a number")
    };
    let copy = cluster.save_store();

    cluster.kill_apiserver();
    let path = "/api/v1/namespaces/default";
    cluster
        .api()
        .try_request("GET", path, None)
        .expect_err("nobody answers");
    cluster.start_apiserver_with(&["--min-request-timeout=4"]);
    for number in 0..20 {
        namespace.put(&[consumer(&format!("after-{number}"))]);
    }
    let later = version("after-19");

    cluster.restore_store(&copy);
    assert!(namespace.read(&before).is_some());
    assert!(namespace.read(&consumer("after-0")).is_none());
    namespace.put(&[consumer("again")]);
    assert!(version("again") < later, "resourceVersions did not go back");

    cluster.stop_apiserver();
    cluster.continue_apiserver();
    cluster.kill_etcd();
    cluster.start_etcd();
    eventually("the store is back", || {
        let answer = cluster.api().get(path);
        (answer.status == 200).then_some(()).ok_or_else(|| answer.text())
    });
}

#[test]
fn two_control_planes_run_side_by_side() {
    let (one, two) = (Cluster::shared(), Cluster::own());
    assert_ne!(one.host(), two.host());
    let (here, there) = (Namespace::new(one), Namespace::new(&two));
    here.put(&[consumer("alice")]);
    assert!(there.read(&consumer("alice").namespace(here.name())).is_none());
}

#[test]
fn an_upstream_listens_where_endpoints_may_be() {
    let cluster = Cluster::shared();
    let namespace = Namespace::new(cluster);
    let upstream = Upstream::answering_on(cluster.host(), "ok");
    namespace.apply(&[endpoint_slice("echo", "echo", upstream.address())]);
    let answer = send(upstream.address(), &Request::get("/")).expect("an answer");
    assert_eq!(answer.text(), "ok");
}
