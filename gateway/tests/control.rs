//! The thread that reads the folder: what reaches it by events, what by polling, and what it withstands.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::{
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering::Relaxed},
    thread::{JoinHandle, park_timeout},
    time::{Duration, Instant},
};

use latchkey_gateway::standalone::{
    control::{Control, FolderStats},
    watch::Waker,
};
use latchkey_runtime::readiness::Readiness;
use support::{Door, Scene, consumer, credential_by_secret, key, policy, secret};

/// So long that a test that needs it fails.
const NEVER: Duration = Duration::from_secs(3600);
const DEADLINE: Duration = Duration::from_secs(20);

struct Running {
    door: Door,
    stats: Arc<FolderStats>,
    readiness: Readiness,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(dir: &Path, poll: Duration) -> Self {
        let readiness = Readiness::default();
        let engine = support::engine();
        let door = Door::of(&engine);
        let control = Control::new(dir, poll, engine, Box::new(|_| {})).unwrap();
        let (stats, waker) = (control.stats(), control.waker());
        let thread = Some(control.start(readiness.guard("folder"), ()).unwrap());
        Self {
            door,
            stats,
            readiness,
            waker,
            thread,
        }
    }

    /// Starts it, and waits until the folder is served.
    fn ready(dir: &Path, poll: Duration) -> Self {
        let running = Self::start(dir, poll);
        eventually("ready", || match running.readiness.pending() {
            pending if pending.is_empty() => Ok(()),
            pending => Err(pending),
        });
        running
    }

    fn becomes(&self, path: &str, key: Option<&str>, expected: &str) {
        eventually(expected, || match self.door.ask(path, key) {
            answer if answer == expected => Ok(()),
            answer => Err(answer),
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.waker.stop();
        let thread = self.thread.take().expect("it is taken once");
        assert!(thread.join().is_ok(), "the control thread panicked");
    }
}

fn eventually<E: std::fmt::Debug>(what: &str, mut check: impl FnMut() -> Result<(), E>) {
    let start = Instant::now();
    while let Err(seen) = check() {
        assert!(start.elapsed() < DEADLINE, "not {what} but {seen:?}");
        park_timeout(Duration::from_millis(1));
    }
}

/// As tools do it that know how: whole, or not at all.
fn replace(dir: &Path, file: &str, text: &str) {
    let draft = dir.join(format!(".{file}"));
    fs::write(&draft, text).unwrap();
    fs::rename(draft, dir.join(file)).unwrap();
}

#[test]
fn a_change_among_a_thousand_files_reads_one() {
    let scene = Scene::usual();
    for n in 0..1_000 {
        scene.write(&format!("{n}.yaml"), &consumer(&format!("c{n}")));
    }
    let running = Running::ready(scene.dir.path(), NEVER);
    let before = running.stats.files_read.load(Relaxed);
    replace(
        scene.dir.path(),
        "credential-alice.yaml",
        &credential_by_secret("alice", "other"),
    );
    running.becomes("/", Some(&key("alice")), "unknown_key");
    eventually("one file read", || {
        match running.stats.files_read.load(Relaxed) - before {
            1 => Ok(()),
            read => Err(read),
        }
    });
    assert_eq!(
        running.stats.scans.load(Relaxed),
        1,
        "the folder is not looked at as a whole"
    );
}

#[test]
fn every_way_to_write_and_to_remove_is_noticed() {
    let scene = Scene::usual();
    let dir = scene.dir.path();
    let running = Running::ready(dir, NEVER);
    let alice = key("alice");
    let (file, text) = ("credential-alice.yaml", credential_by_secret("alice", "alice"));
    let ways: [(&str, &dyn Fn()); 4] = [
        ("in place", &|| scene.write(file, &text)),
        ("moved here", &|| replace(dir, file, &text)),
        ("a hard link", &|| {
            fs::write(dir.join(".draft"), &text).unwrap();
            fs::hard_link(dir.join(".draft"), dir.join(file)).unwrap();
        }),
        ("a symbolic link", &|| symlink(".draft", dir.join(file)).unwrap()),
    ];
    for (way, write) in ways {
        scene.delete(file);
        running.becomes("/", Some(&alice), "unknown_key");
        write();
        eventually(way, || match running.door.ask("/", Some(&alice)) {
            answer if answer == "alice" => Ok(()),
            answer => Err(answer),
        });
    }
    fs::rename(dir.join(file), dir.join("away")).unwrap();
    running.becomes("/", Some(&alice), "unknown_key");
}

#[test]
fn no_way_to_rewrite_a_policy_opens_the_door() {
    let scene = Scene::usual();
    let dir = scene.dir.path().to_owned();
    let running = Running::ready(&dir, Duration::from_millis(5));
    let (done, writer_done) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        for n in 0..60 {
            rewrite(&dir.join("policy-app.yaml"), n);
        }
        done.send(()).unwrap();
    });
    while writer_done.try_recv().is_err() {
        let answer = running.door.ask("/", None);
        assert_ne!(answer, "open");
    }
    writer.join().unwrap();
    running.becomes("/", None, "no_credential");
}

/// Rewrites a file as some editor or tool does.
fn rewrite(path: &PathBuf, n: usize) {
    let text = policy("app", "app");
    // Cut after `methods` and before `targetRefs`, the first half is a policy without a target.
    let (first, second) = text.split_at(text.find("  targetRefs").unwrap());
    let aside = path.with_extension("yaml~");
    match n % 3 {
        0 => fs::write(path, &text).unwrap(),
        1 => {
            let mut file = fs::File::create(path).unwrap();
            file.write_all(first.as_bytes()).unwrap();
            park_timeout(Duration::from_millis(40));
            file.write_all(second.as_bytes()).unwrap();
        }
        _ => {
            fs::rename(path, &aside).unwrap();
            fs::write(path, &text).unwrap();
            fs::remove_file(&aside).unwrap();
        }
    }
}

#[test]
fn a_deleted_policy_opens_and_a_deleted_key_closes() {
    let scene = Scene::usual();
    let running = Running::ready(scene.dir.path(), NEVER);
    scene.delete("secret-alice.yaml");
    running.becomes("/", Some(&key("alice")), "unknown_key");
    scene.delete("policy-app.yaml");
    running.becomes("/", None, "open");
}

#[test]
fn what_events_do_not_tell_the_poll_finds() {
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("secret");
    fs::write(&target, secret("alice", &key("alice"))).unwrap();
    let scene = Scene::usual();
    scene.delete("secret-alice.yaml");
    symlink(&target, scene.dir.path().join("secret-alice.yaml")).unwrap();
    let running = Running::ready(scene.dir.path(), Duration::from_millis(20));
    assert_eq!(running.door.ask("/", Some(&key("alice"))), "alice");
    fs::write(&target, secret("alice", &key("new"))).unwrap();
    running.becomes("/", Some(&key("new")), "alice");
    assert_eq!(running.door.ask("/", Some(&key("alice"))), "unknown_key");
}

#[test]
fn a_config_map_that_is_swapped_is_noticed() {
    let scene = Scene::usual();
    let dir = scene.dir.path();
    scene.delete("secret-alice.yaml");
    for version in ["old", "new"] {
        let folder = dir.join(format!("..{version}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("secret-alice.yaml"), secret("alice", &key(version))).unwrap();
    }
    symlink("..old", dir.join("..data")).unwrap();
    symlink("..data/secret-alice.yaml", dir.join("secret-alice.yaml")).unwrap();
    let running = Running::ready(dir, NEVER);
    assert_eq!(running.door.ask("/", Some(&key("old"))), "alice");
    symlink("..new", dir.join("..tmp")).unwrap();
    fs::rename(dir.join("..tmp"), dir.join("..data")).unwrap();
    running.becomes("/", Some(&key("new")), "alice");
    assert_eq!(running.door.ask("/", Some(&key("old"))), "unknown_key");
}

#[test]
fn a_folder_that_vanishes_takes_nothing_with_it_and_is_followed_when_it_is_back() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("manifests");
    let scene = Scene::usual();
    fs::create_dir(&dir).unwrap();
    support::copy(scene.dir.path(), &dir);
    let running = Running::ready(&dir, Duration::from_millis(20));
    let away = parent.path().join("away");
    fs::rename(&dir, &away).unwrap();
    eventually("noticed", || match running.stats.failed_scans.load(Relaxed) {
        0..3 => Err("too few failed scans"),
        _ => Ok(()),
    });
    assert_eq!(running.door.ask("/", Some(&key("alice"))), "alice");
    fs::create_dir(&dir).unwrap();
    support::copy(&away, &dir);
    replace(&dir, "secret-alice.yaml", &secret("alice", &key("new")));
    running.becomes("/", Some(&key("new")), "alice");
}

#[test]
fn a_file_broken_at_start_is_named_until_it_is_mended() {
    let scene = Scene::usual();
    scene.write("bad.yaml", "a: [");
    let running = Running::start(scene.dir.path(), NEVER);
    eventually("named", || match running.readiness.pending() {
        pending
            if pending
                .iter()
                .any(|line| line.starts_with("folder: bad.yaml: document 1")) =>
        {
            Ok(())
        }
        pending => Err(pending),
    });
    assert!(running.door.ports().is_empty());
    scene.write("bad.yaml", "# empty\n");
    running.becomes("/", Some(&key("alice")), "alice");
    eventually("ready", || {
        if running.readiness.is_ready() {
            Ok(())
        } else {
            Err("pending")
        }
    });
}

#[test]
fn a_folder_that_is_not_there_is_an_error_at_start() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("none");
    let made = Control::new(&dir, NEVER, support::engine(), Box::new(|_| {}));
    let error = made.err().expect("it cannot be read").to_string();
    assert!(
        error.contains("none") && error.contains("--standalone"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1);
}
