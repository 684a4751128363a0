//! Flags and start-up: what is wrong is said in one line, with the exit status that scripts expect.

use std::{net::TcpListener, process::Command};

use latchkey_e2e::{
    address::{ADMIN_PORT, PROXY_PORT},
    binaries,
    gateway::PORT,
    logs::Logs,
    manifest::gateway,
    process::Process,
    scene::Scene,
};

/// Runs the gateway with these arguments to its end.
fn run(args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(binaries::gateway());
    command.args(args);
    let mut process = Process::spawn("gateway", &mut command, &Logs::of_this_test());
    let status = process.wait();
    (status.code(), process.output())
}

/// Everything that is no line of the log: what a person at a terminal reads.
fn said(output: &str) -> Vec<&str> {
    output
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('{'))
        .collect()
}

#[test]
fn wrong_flags_end_with_2_and_usage() {
    for args in [
        &["--nonsense"][..],
        &["--standalone"],
        &["--standalone", "/tmp", "--kubeconfig", "/tmp/x"],
        &["--standalone", "/tmp", "--workers", "many"],
        &["--standalone", "/tmp", "--workers", "0"],
        &["--standalone", "/tmp", "--listen", "80"],
        &["--standalone", "/tmp", "--listen", "80=nowhere"],
        &["--standalone", "/tmp", "--listen", "99999=127.0.0.1:1"],
        &["--standalone", "/tmp", "--admin", "here"],
        &["--standalone", "/tmp", "--unprotected-routes", "maybe"],
        &["--standalone", "/tmp", "--access-log", "some"],
        &["--standalone", "/tmp", "--drain-delay", "soon"],
        &["--standalone", "/tmp", "--kubeconfig", "/tmp/config"],
        &["--min-key-length", "20"],
        &["--max-staleness", "2m", "--contact-interval", "1m"],
    ] {
        let (code, output) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {output}");
        assert!(output.contains("Usage:"), "{args:?}: {output}");
    }
}

#[test]
fn help_and_version_end_with_0() {
    let (code, output) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for flag in ["--standalone", "--listen", "--admin", "--workers", "--access-log"] {
        assert!(output.contains(flag), "{flag} is not in the help");
    }
    let (code, output) = run(&["--version"]);
    assert_eq!(code, Some(0));
    assert!(output.contains("latchkey-gateway"));
}

#[test]
fn an_api_server_that_nobody_names_is_one_clear_line() {
    let file = "/nowhere/at/all/kubeconfig";
    let (code, output) = run(&["--kubeconfig", file, "--admin", "127.0.0.1:0"]);
    assert_eq!(code, Some(1), "{output}");
    let said = said(&output);
    assert_eq!(said.len(), 1, "{output}");
    assert!(said[0].contains(file), "{}", said[0]);
}

#[test]
fn a_folder_that_cannot_be_read_is_one_clear_line() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let file = file.path().to_str().expect("a plain path").to_owned();
    for folder in ["/nowhere/at/all", &file] {
        let (code, output) = run(&["--standalone", folder, "--admin", "127.0.0.1:0"]);
        assert_eq!(code, Some(1), "{folder}: {output}");
        let said = said(&output);
        assert_eq!(said.len(), 1, "{folder}: {output}");
        assert!(said[0].contains(folder), "{}", said[0]);
    }
}

#[test]
fn a_kubeconfig_that_cannot_be_read_is_one_clear_line() {
    let (code, output) = run(&["--kubeconfig", "/nowhere/at/all", "--admin", "127.0.0.1:0"]);
    assert_eq!(code, Some(1), "{output}");
    let said = said(&output);
    assert_eq!(said.len(), 1, "{output}");
    assert!(said[0].contains("/nowhere/at/all"), "{}", said[0]);
}

#[test]
fn a_busy_port_is_one_clear_line() {
    let scene = Scene::empty();
    scene.folder.write("gateway.yaml", &[gateway("edge", PORT)]);
    for port in [ADMIN_PORT, PROXY_PORT] {
        let address = scene.address.port(port);
        let _busy = TcpListener::bind(address).expect("the test's own address");
        let (status, output) = scene.gateway().fail();
        assert_eq!(status.code(), Some(1), "{address}: {output}");
        let said = said(&output);
        assert_eq!(said.len(), 1, "{address}: {output}");
        assert!(said[0].contains(&address.to_string()), "{}", said[0]);
    }
}
