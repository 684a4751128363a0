//! The example folder does what its README says: the first thing that anybody tries.

use std::{fs, path::Path};

use latchkey_e2e::{
    address::Address,
    client::Request,
    echo::{Echo, Seen},
    folder::Folder,
    gateway::Starter,
    logs::Logs,
};

/// The listener's port in the example.
const LISTENER: u16 = 8080;
/// Where the example's EndpointSlice finds the echo server.
const ENDPOINT: &str = "9080";

/// A copy of the example whose endpoint is this echo server, and where its gateway may listen.
fn example(echo: &Echo) -> (Folder, Address) {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/quickstart");
    for entry in fs::read_dir(&source).expect("the example is there") {
        let path = entry.expect("its entries are readable").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a plain name");
        let text = fs::read_to_string(&path).expect("a text");
        let port = echo.address().port().to_string();
        folder.write_text(
            name,
            &text.replace(&format!("port: {ENDPOINT}"), &format!("port: {port}")),
        );
    }
    (folder, Address::claim())
}

#[test]
fn the_example_opens_and_closes_as_its_readme_says() {
    let logs = Logs::of_this_test();
    let echo = Echo::start("echo", &logs);
    let (folder, address) = example(&echo);
    let gateway = Starter::new(&folder, &address, &logs).listener(LISTENER).start();
    let alice = Request::get("/api/hello")
        .host("127.0.0.1:8080")
        .key("alice-example-key-1");
    let bob = Request::get("/api/hello?api_key=bob-example-key-2").host("127.0.0.1:8080");

    let seen = Seen::of(&gateway.send(&alice));
    assert_eq!(
        seen.header("X-Consumer-Username").as_deref(),
        Some("alice@example.com")
    );
    assert!(!seen.has_trace_of("alice-example-key-1"));
    let seen = Seen::of(&gateway.send(&bob));
    assert_eq!(seen.target(), "/api/hello");
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("bob"));
    assert_eq!(gateway.status(&Request::get("/api/hello")), 401);
    assert_eq!(gateway.status(&Request::get("/open/hello")), 200);

    let text = fs::read_to_string(folder.file("alice.yaml")).expect("a text");
    folder.write_text("alice.yaml", &text.replace("disabled: false", "disabled: true"));
    gateway.flips(&alice, 200, 401);
    folder.delete("bob.yaml");
    gateway.flips(&bob, 200, 401);
    folder.write_text("policy.yaml", "no: [yaml");
    gateway.flips(&Request::get("/open/hello"), 200, 503);
}

#[test]
fn the_example_is_read_without_a_complaint() {
    let logs = Logs::of_this_test();
    let echo = Echo::start("echo", &logs);
    let (folder, address) = example(&echo);
    let gateway = Starter::new(&folder, &address, &logs).listener(LISTENER).start();
    let complaints: Vec<_> = gateway
        .process()
        .stderr()
        .lines()
        .filter(|line| line.contains("WARN") || line.contains("ERROR"))
        .map(str::to_owned)
        .collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}
