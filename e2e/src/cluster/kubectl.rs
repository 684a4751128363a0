//! `kubectl`, of the API server's version: what a user types.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use super::programs::Programs;

/// How it ended and what it wrote.
#[derive(Clone, Debug)]
pub struct Output {
    /// Whether it ended with 0.
    pub ok: bool,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Output {
    /// The standard output of a command that succeeded.
    pub fn must(self) -> String {
        assert!(self.ok, "kubectl failed: {}{}", self.stdout, self.stderr);
        self.stdout
    }
}

/// Runs it as whom a kubeconfig describes, with this standard input.
pub fn kubectl(kubeconfig: &Path, args: &[&str], stdin: &str) -> Output {
    let program = &Programs::find().expect("the control plane runs").kubectl;
    let mut child = Command::new(program)
        .args(args)
        .env("KUBECONFIG", kubeconfig)
        // What it learns of the API is kept with the cluster, not in somebody's home.
        .env("KUBECACHEDIR", kubeconfig.with_file_name("kubectl-cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("cannot run {}: {e}", program.display()));
    let mut pipe = child.stdin.take().expect("its input is a pipe");
    // It may end without reading it; its output says why. It writes nothing before it has read all.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().expect("a child of ours");
    Output {
        ok: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
