//! Runs the workload under callgrind and reads what each of its steps cost.
//!
//! ```text
//! valgrind (counting switched off) workload -> "ready" -> vgdb: count -> newline -> steps, a dump each
//! ```
//!
//! Filling an index with a million pairs would take an hour under a callgrind that counts. It is told to
//! only when all is filled, through the door that valgrind has for debuggers.

use std::{
    fs,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The function whose calls are the steps.
const COUNTED: &str = "latchkey_workload::instructions::counted";

/// What one step cost.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) name: String,
    /// Instructions of one time of its work.
    pub(crate) instructions: f64,
    /// How many key hashes and digests are among that.
    pub(crate) hashes: f64,
    pub(crate) digests: f64,
}

/// Counts the steps of a part of the workload.
pub(crate) fn count(workload: &Path, part: &str, size: usize, folder: &Path) -> io::Result<Vec<Step>> {
    let dump = folder.join(format!("callgrind.{part}.{size}"));
    let mut child = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--instr-atstart=no"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", dump.display()))
        .arg(workload)
        .args([part, "--size", &size.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| io::Error::new(e.kind(), format!("valgrind does not start ({e}); install it")))?;
    let lines = steps(&mut child);
    if lines.is_err() {
        // It waits for what will not come.
        let _ = child.kill();
    }
    let status = child.wait()?;
    let lines = lines?;
    if !status.success() {
        return Err(io::Error::other(format!(
            "{part} {size} under valgrind: {status}"
        )));
    }
    let read = |(number, line): (usize, &String)| {
        let path = PathBuf::from(format!("{}.{}", dump.display(), number + 1));
        let text = fs::read_to_string(&path)
            .map_err(|e| io::Error::new(e.kind(), format!("no dump of `{line}`: {}: {e}", path.display())))?;
        step(line, &text)
            .ok_or_else(|| io::Error::other(format!("`{line}` or {} cannot be read", path.display())))
    };
    lines.iter().enumerate().map(read).collect()
}

/// Lets it begin when it is filled and counted; the lines of its steps.
fn steps(child: &mut Child) -> io::Result<Vec<String>> {
    let gone = || io::Error::other("the workload has no input or output");
    let mut input = child.stdin.take().ok_or_else(gone)?;
    let mut output = BufReader::new(child.stdout.take().ok_or_else(gone)?).lines();
    if output.next().transpose()?.as_deref() != Some("ready") {
        return Err(io::Error::other("the workload was never ready"));
    }
    let told = Command::new("vgdb")
        .arg(format!("--pid={}", child.id()))
        .args(["instrumentation", "on"])
        .output()?;
    if !told.status.success() {
        let why = String::from_utf8_lossy(&told.stderr);
        return Err(io::Error::other(format!(
            "vgdb cannot switch counting on: {}",
            why.trim()
        )));
    }
    input.write_all(b"\n")?;
    drop(input);
    output.collect()
}

/// A step, by the line that the workload says and the dump that callgrind wrote of it.
fn step(line: &str, dump: &str) -> Option<Step> {
    let ["step", name, times, hashes, digests] = line.split(' ').collect::<Vec<_>>()[..] else {
        return None;
    };
    let totals = dump.lines().find_map(|line| line.strip_prefix("totals: "))?;
    let totals: f64 = totals.trim().parse().ok()?;
    let times: f64 = times.parse().ok()?;
    (totals > 0.0).then_some(Step {
        name: name.to_owned(),
        instructions: totals / times,
        hashes: hashes.parse().ok()?,
        digests: digests.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_what_its_dump_says_over_how_often_it_was_done() {
        let dump = "# callgrind format\nevents: Ir\nsummary: 5000\n\nfn=(1)\n0 5000\n\ntotals: 5000\n";
        let counted = step("step rotate 200 0 1", dump);
        let wanted = Step {
            name: "rotate".to_owned(),
            instructions: 25.0,
            hashes: 0.0,
            digests: 1.0,
        };
        assert_eq!(counted, Some(wanted));
    }

    #[test]
    fn a_step_of_which_nothing_was_counted_is_none() {
        assert_eq!(step("step rotate 200 0 1", "totals: 0\n"), None);
        assert_eq!(step("step rotate 200 0 1", "events: Ir\n"), None);
        assert_eq!(step("ready", "totals: 7\n"), None);
    }
}
