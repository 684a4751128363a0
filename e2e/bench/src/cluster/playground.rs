//! From `make cluster` to the first 200 of both gateways, with everything built.

use std::{io, path::Path, process::Command};

use latchkey_e2e::{binaries, logs::Logs};

use crate::progress;

/// Seconds, or why it was not measured: it needs fixed addresses, and one may run already.
pub(crate) type FirstAnswers = Result<f64, String>;

/// Starts a playground and ends it.
pub(crate) fn measure() -> io::Result<FirstAnswers> {
    progress("starting what `make cluster` starts")?;
    let folder = Logs::named("playground").path().join("cluster");
    let bin_dir = binaries::operator();
    let bin_dir = bin_dir.parent().unwrap_or(Path::new("."));
    let order = |verb: &str| {
        let mut command = Command::new(binaries::cluster());
        command.arg(verb).arg("--dir").arg(&folder);
        command
    };
    let output = order("up").arg("--bin-dir").arg(bin_dir).output()?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(why.trim().trim_start_matches("error: ").to_owned()));
    }
    let ended = order("down").output()?;
    if !ended.status.success() {
        return Err(io::Error::other(
            String::from_utf8_lossy(&ended.stderr).into_owned(),
        ));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(seconds(&text).ok_or_else(|| format!("it does not say how long it took: {text}")))
}

/// What the line says that ends in `came after 5.2 s.`
fn seconds(text: &str) -> Option<f64> {
    text.split_once("came after ")?.1.split_once(" s")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seconds_are_read_from_what_a_playground_says() {
        let said = "Started; the first 200 of both gateways came after 5.2 s.\n";
        assert_eq!(seconds(said), Some(5.2));
        assert_eq!(seconds("It runs already: nothing to do\n"), None);
    }
}
