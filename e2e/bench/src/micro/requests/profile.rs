//! What callgrind wrote down of a gateway.

use std::{
    collections::HashSet,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// The doors of the allocator: what Rust's programs ask it for memory by.
const ALLOCATE: [&str; 8] = [
    "mi_malloc",
    "mi_malloc_aligned",
    "mi_zalloc",
    "mi_zalloc_aligned",
    "mi_calloc",
    "mi_calloc_aligned",
    "mi_realloc",
    "mi_realloc_aligned",
];

/// Sums over all that was counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Profile {
    pub(super) instructions: f64,
    pub(super) allocations: f64,
}

impl Profile {
    /// Of a file that callgrind wrote.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let named = |what: &str| io::Error::other(format!("{}: {what}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| named(&error.to_string()))?;
        Self::of(&text).ok_or_else(|| named("it tells of no instructions, or of no allocator"))
    }

    /// Names stand where they come first, later a number does for each.
    fn of(text: &str) -> Option<Self> {
        let mut doors = HashSet::new();
        let mut known = false;
        let mut into_door = false;
        let mut allocations = 0.0;
        let mut instructions = None;
        for line in text.lines() {
            let name = line.strip_prefix("cfn=").or_else(|| line.strip_prefix("fn="));
            if let Some(name) = name {
                let (number, name) = name.split_once(' ').unwrap_or((name, ""));
                if ALLOCATE.contains(&name) {
                    doors.insert(number);
                    known = true;
                }
                if line.starts_with("cfn=") {
                    into_door = doors.contains(number);
                }
            } else if let Some(calls) = line.strip_prefix("calls=") {
                if std::mem::take(&mut into_door) {
                    allocations += calls.split(' ').next()?.parse::<f64>().ok()?;
                }
            } else if let Some(totals) = line.strip_prefix("totals: ") {
                instructions = totals.trim().parse().ok();
            }
        }
        let instructions = instructions.filter(|number| known && *number > 0.0)?;
        Some(Self {
            instructions,
            allocations,
        })
    }
}

/// A program that is the gateway under a callgrind that counts when it is told to.
pub(super) fn under_valgrind(gateway: &Path, dump: &Path) -> io::Result<PathBuf> {
    let gateway = fs::canonicalize(gateway)?;
    let script = dump.with_extension("sh");
    let text = format!(
        "#!/bin/sh\nexec valgrind --tool=callgrind --quiet --instr-atstart=no --callgrind-out-file='{}' '{}' \"$@\"\n",
        dump.display(),
        gateway.display()
    );
    fs::write(&script, text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    fs::canonicalize(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_the_totals_and_allocations_the_calls_of_the_allocators_doors() {
        let text = "\
fn=(1) handle
0 700
cfn=(2) mi_malloc
calls=3 0
0 60
cfn=(3) memcpy
calls=50 0
0 100
fn=(4) other
cfn=(2)
calls=2 0
0 40
cfn=(5) mi_malloc_generic
calls=9 0
fn=(2)
0 100
totals: 1000
";
        let wanted = Profile {
            instructions: 1000.0,
            allocations: 5.0,
        };
        assert_eq!(Profile::of(text), Some(wanted));
    }

    #[test]
    fn a_file_without_counts_or_without_the_allocator_says_nothing() {
        assert_eq!(Profile::of("cfn=(2) mi_malloc\ncalls=3 0\ntotals: 0\n"), None);
        assert_eq!(Profile::of("cfn=(2) malloc\ncalls=3 0\ntotals: 7\n"), None);
        assert_eq!(Profile::of(""), None);
    }
}
