use std::{
    io::Write as _,
    os::unix::fs::{PermissionsExt, symlink},
    time::Duration,
};

use tempfile::TempDir;

use super::*;

fn watched() -> (TempDir, Events) {
    let dir = tempfile::tempdir().unwrap();
    let mut events = Events::new().unwrap();
    events.ensure(dir.path()).unwrap();
    (dir, events)
}

fn drained(events: &mut Events) -> Vec<Event> {
    let mut all = Vec::new();
    events.drain(|event| all.push(event));
    all.dedup();
    all
}

fn file(name: &str) -> FileName {
    name.into()
}

#[test]
fn what_happens_to_files_is_known_at_once() {
    let (dir, mut events) = watched();
    let path = |name: &str| dir.path().join(name);
    let (a, b) = (|| file("a.yaml"), || file("b.yaml"));

    let mut open = fs::File::create(path("a.yaml")).unwrap();
    assert_eq!(drained(&mut events), [Event::Created(a())]);
    open.write_all(b"1").unwrap();
    assert_eq!(drained(&mut events), [Event::Written(a())]);
    drop(open);
    assert_eq!(drained(&mut events), [Event::Closed(a())]);

    fs::read(path("a.yaml")).unwrap();
    assert_eq!(drained(&mut events), [], "reading is nothing");

    fs::rename(path("a.yaml"), path("b.yaml")).unwrap();
    assert_eq!(drained(&mut events), [Event::Closed(a()), Event::Closed(b())]);
    fs::File::create(path("b.yaml")).unwrap();
    assert_eq!(
        drained(&mut events),
        [Event::Written(b()), Event::Closed(b())],
        "it was emptied"
    );
    fs::set_permissions(path("b.yaml"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(drained(&mut events), [Event::Touched(b())]);
    symlink("b.yaml", path("a.yaml")).unwrap();
    assert_eq!(drained(&mut events), [Event::Created(a())]);
    fs::remove_file(path("b.yaml")).unwrap();
    assert_eq!(drained(&mut events).last(), Some(&Event::Closed(b())));
}

#[test]
fn other_names_mean_nothing_but_the_link_of_a_config_map() {
    let (dir, mut events) = watched();
    for name in [".a.yaml.swp", "a.txt", "..data_tmp", "..2026"] {
        fs::write(dir.path().join(name), "1").unwrap();
    }
    assert_eq!(drained(&mut events), []);
    fs::rename(dir.path().join("..data_tmp"), dir.path().join("..data")).unwrap();
    assert_eq!(drained(&mut events), [Event::Anything]);
}

#[test]
fn another_folder_of_the_same_name_is_watched_anew() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("d");
    let mut events = Events::new().unwrap();
    for _ in 0..3 {
        fs::create_dir(&dir).unwrap();
        events.ensure(&dir).unwrap();
        fs::write(dir.join("a.yaml"), "").unwrap();
        assert_eq!(drained(&mut events).last(), Some(&Event::Closed(file("a.yaml"))));
        fs::remove_dir_all(&dir).unwrap();
        assert!(drained(&mut events).contains(&Event::Anything));
        assert!(events.ensure(&dir).is_err());
    }
    fs::create_dir(&dir).unwrap();
    events.ensure(&dir).unwrap();
    fs::rename(&dir, parent.path().join("away")).unwrap();
    assert_eq!(drained(&mut events), [Event::Anything]);
}

#[test]
fn what_the_kernel_lost_asks_for_everything() {
    let (dir, mut events) = watched();
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    let names = [dir.path().join("a.yaml"), dir.path().join("b.yaml")];
    fs::write(&names[0], "").unwrap();
    for n in 0..limit {
        fs::rename(&names[n % 2], &names[(n + 1) % 2]).unwrap();
    }
    assert!(drained(&mut events).contains(&Event::Anything));
}

#[test]
fn a_wait_ends_by_an_event_the_time_or_the_stop() {
    let (dir, events) = watched();
    let long = Instant::now() + Duration::from_secs(3600);
    assert_eq!(events.wait(Instant::now()), Woken::Deadline);
    fs::write(dir.path().join("a.yaml"), "").unwrap();
    assert_eq!(events.wait(long), Woken::Events);
    let waker = events.waker();
    std::thread::scope(|scope| {
        scope.spawn(|| waker.stop());
        while events.wait(long) != Woken::Stop {}
    });
    assert_eq!(events.wait(Instant::now()), Woken::Stop, "for good");
}
