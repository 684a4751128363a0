//! A policy that moves to another file, seen by the thread that reads the folder: no door opens between.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::{Arc, Mutex, atomic::Ordering::Relaxed},
    thread::{JoinHandle, park_timeout},
    time::{Duration, Instant, SystemTime},
};

use latchkey_gateway::standalone::{control::Control, watch::Waker};
use latchkey_runtime::readiness::Readiness;
use support::{Door, Scene, consumer, credential_by_secret, key, policy};

const NEVER: Duration = Duration::from_secs(3600);
const DEADLINE: Duration = Duration::from_secs(20);

/// What was answered without a key and with alice's after every commit, each answer once in a row.
struct Running {
    answers: Arc<Mutex<Vec<[String; 2]>>>,
    files_read: Box<dyn Fn() -> u64>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn ready(dir: &Path) -> Self {
        let engine = support::engine();
        let door = Door::of(&engine);
        let answers = Arc::new(Mutex::new(Vec::new()));
        let log = answers.clone();
        let on_commit = move |_: &_| {
            let answer = [door.ask("/", None), door.ask("/", Some(&key("alice")))];
            let mut log = log.lock().unwrap();
            if log.last() != Some(&answer) {
                log.push(answer);
            }
        };
        let control = Control::new(dir, NEVER, engine, Box::new(on_commit)).unwrap();
        let (stats, waker) = (control.stats(), control.waker());
        let guard = Readiness::default().guard("folder");
        let thread = Some(control.start(guard, ()).unwrap());
        let running = Self {
            answers,
            files_read: Box::new(move || stats.files_read.load(Relaxed)),
            waker,
            thread,
        };
        running.become_those(&[["no_credential", "alice"]]);
        running
    }

    fn become_those(&self, expected: &[[&str; 2]]) {
        let start = Instant::now();
        while *self.answers.lock().unwrap() != expected {
            assert!(
                start.elapsed() < DEADLINE,
                "not {expected:?} but {:?}",
                self.answers.lock().unwrap()
            );
            park_timeout(Duration::from_millis(1));
        }
    }

    /// Waits until so many files were read, and until something that is then deleted is gone: nothing else
    /// may be seen to happen.
    fn stay_closed(&self, dir: &Path, read_before: u64, read: u64) {
        let start = Instant::now();
        while (self.files_read)() < read_before + read {
            assert!(start.elapsed() < DEADLINE, "the files are not read");
            park_timeout(Duration::from_millis(1));
        }
        fs::remove_file(dir.join("route-app.yaml")).unwrap();
        self.become_those(&[["no_credential", "alice"], ["no_route", "no_route"]]);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.waker.stop();
        let thread = self.thread.take().expect("it is taken once");
        assert!(thread.join().is_ok(), "the control thread panicked");
    }
}

/// The usual scene with nothing at `/open`, and the policy in `a.yaml`.
fn scene() -> Scene {
    let scene = Scene::usual();
    for file in ["route-open.yaml", "policy-app.yaml"] {
        scene.delete(file);
    }
    scene.write("a.yaml", &policy("app", "app"));
    scene
}

/// Moves a whole file here that was last written this long ago.
fn move_here(dir: &Path, file: &str, text: &str, age: Duration) {
    let draft = dir.join(format!(".{file}"));
    fs::write(&draft, text).unwrap();
    let written = fs::File::options().write(true).open(&draft).unwrap();
    written.set_modified(SystemTime::now() - age).unwrap();
    fs::rename(draft, dir.join(file)).unwrap();
}

#[test]
fn in_a_folder_that_is_swapped_and_too_large_to_be_seen_at_once() {
    let scene = scene();
    let dir = scene.dir.path();
    scene.delete("a.yaml");
    let many: Vec<_> = (0..3_000).map(|n| format!("m{n}.yaml")).collect();
    for (version, first, last) in [
        ("..old", policy("app", "app"), String::new()),
        ("..new", String::new(), policy("app", "app")),
    ] {
        let folder = dir.join(version);
        fs::create_dir(&folder).unwrap();
        let texts = [("a.yaml", first), ("z.yaml", last)];
        for (file, text) in texts {
            fs::write(folder.join(file), text + "# end\n").unwrap();
        }
        for file in &many {
            fs::write(folder.join(file), consumer(file.trim_end_matches(".yaml"))).unwrap();
        }
    }
    symlink("..old", dir.join("..data")).unwrap();
    for file in many.iter().map(String::as_str).chain(["a.yaml", "z.yaml"]) {
        symlink(format!("..data/{file}"), dir.join(file)).unwrap();
    }
    // So old that what is seen of them is not doubted.
    park_timeout(Duration::from_millis(300));
    let running = Running::ready(dir);
    let before = (running.files_read)();
    symlink("..new", dir.join("..tmp")).unwrap();
    fs::rename(dir.join("..tmp"), dir.join("..data")).unwrap();
    running.stay_closed(dir, before, 3_002);
}

#[test]
fn with_an_old_half_and_a_young_half() {
    let scene = scene();
    let dir = scene.dir.path();
    let running = Running::ready(dir);
    let before = (running.files_read)();
    move_here(dir, "a.yaml", "# moved\n", Duration::from_secs(60));
    move_here(dir, "z.yaml", &policy("app", "app"), Duration::ZERO);
    running.stay_closed(dir, before, 2);
}

#[test]
fn with_two_old_halves_one_after_the_other() {
    let scene = scene();
    let dir = scene.dir.path();
    let running = Running::ready(dir);
    let before = (running.files_read)();
    move_here(dir, "a.yaml", "# moved\n", Duration::from_secs(60));
    park_timeout(Duration::from_millis(20));
    move_here(dir, "z.yaml", &policy("app", "app"), Duration::from_secs(60));
    running.stay_closed(dir, before, 2);
}

#[test]
fn what_is_gone_opens_in_the_end_and_what_is_revoked_with_it_closes_before() {
    let scene = scene();
    let dir = scene.dir.path();
    let both = format!(
        "{}---\n{}",
        policy("app", "app"),
        credential_by_secret("alice", "alice")
    );
    scene.delete("credential-alice.yaml");
    scene.write("a.yaml", &both);
    let running = Running::ready(dir);
    move_here(dir, "a.yaml", "# nothing\n", Duration::from_secs(60));
    running.become_those(&[
        ["no_credential", "alice"],
        ["no_credential", "unknown_key"],
        ["open", "open"],
    ]);
}
