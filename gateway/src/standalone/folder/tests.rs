use std::{fs::File, os::unix::fs::symlink};

use tempfile::TempDir;

use super::*;

const POLICY: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: AuthPolicy, metadata: {name: p}}";
const CONSUMER: &str = "{apiVersion: latchkey.dev/v1alpha1, kind: Consumer, metadata: {name: c}}";

struct Fixture {
    dir: TempDir,
    folder: Folder,
    now: SystemTime,
}

impl Fixture {
    /// `now` is an hour after everything that is written, unless a test turns it back.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path());
        let now = SystemTime::now() + Duration::from_secs(3600);
        Self { dir, folder, now }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn age(&self, name: &str, age: Duration) {
        let file = File::options().write(true).open(self.path(name)).unwrap();
        file.set_modified(self.now - age).unwrap();
    }

    fn scan(&mut self) -> Vec<(String, &'static str)> {
        let names = self.folder.names().unwrap();
        let looked = self.folder.look(names, Trust::Seen, self.now);
        assert!(looked.failed.is_none(), "{:?}", looked.failed);
        assert_eq!(looked.doubtful, [], "nothing is doubtful");
        summary(&looked)
    }

    fn look(&mut self, name: &str, trust: Trust) -> Looked {
        self.folder.look([name.into()], trust, self.now)
    }
}

fn summary(looked: &Looked) -> Vec<(String, &'static str)> {
    looked
        .changes
        .iter()
        .map(|change| {
            let content = match change.content {
                Content::Documents(_) => "documents",
                Content::Broken(_) => "broken",
                Content::Gone => "gone",
            };
            (change.file.to_string(), content)
        })
        .collect()
}

fn one(name: &str, content: &'static str) -> Vec<(String, &'static str)> {
    vec![(name.to_owned(), content)]
}

#[test]
fn only_manifests_of_the_folder_itself_are_read() {
    let mut f = Fixture::new();
    fs::create_dir(f.path("sub.yaml")).unwrap();
    for name in [
        "a.yaml",
        "b.yml",
        ".c.yaml",
        "d.yaml~",
        "e.txt",
        "sub.yaml/f.yaml",
    ] {
        f.write(name, CONSUMER);
    }
    assert_eq!(
        f.scan(),
        [("a.yaml".into(), "documents"), ("b.yml".into(), "documents")]
    );
    assert_eq!(f.folder.files_read(), 2);
}

#[test]
fn a_scan_reads_changed_files_only() {
    let mut f = Fixture::new();
    for n in 0..100 {
        f.write(&format!("{n}.yaml"), CONSUMER);
    }
    assert_eq!(f.scan().len(), 100);
    f.write("7.yaml", POLICY);
    let before = f.folder.files_read();
    assert_eq!(f.scan(), one("7.yaml", "documents"));
    assert_eq!(f.folder.files_read() - before, 1);
    assert_eq!(f.scan(), []);
    assert_eq!(f.folder.files_read() - before, 1);
}

#[test]
fn a_look_touches_the_named_files_only() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.write("b.yaml", CONSUMER);
    assert_eq!(
        summary(&f.look("a.yaml", Trust::Closed)),
        one("a.yaml", "documents")
    );
    assert_eq!(f.folder.len(), 1);
}

#[test]
fn a_file_whose_bytes_are_the_same_has_not_changed() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.scan();
    f.write("a.yaml", CONSUMER);
    assert_eq!(f.scan(), []);
    assert_eq!(f.folder.files_read(), 2);
}

#[test]
fn a_file_read_soon_after_its_change_is_read_again() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.age("a.yaml", Duration::from_secs(1));
    assert_eq!(f.scan(), one("a.yaml", "documents"));
    assert_eq!(f.scan(), []);
    assert_eq!(
        f.folder.files_read(),
        2,
        "a change may hide behind the same stamp"
    );
    f.now += Duration::from_secs(2);
    f.scan();
    assert_eq!(f.folder.files_read(), 3, "it was read too early until now");
    f.scan();
    assert_eq!(f.folder.files_read(), 3);
}

#[test]
fn a_file_from_the_future_is_read_every_time() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.now -= Duration::from_secs(7200);
    assert_eq!(f.scan(), one("a.yaml", "documents"));
    f.scan();
    assert_eq!(f.folder.files_read(), 2);
}

#[test]
fn a_changed_file_of_the_same_size_and_time_is_noticed() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.age("a.yaml", Duration::from_secs(60));
    f.scan();
    f.write("new", &CONSUMER.replace("name: c", "name: d"));
    let old = fs::metadata(f.path("a.yaml")).unwrap().modified().unwrap();
    File::options()
        .write(true)
        .open(f.path("new"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    fs::rename(f.path("new"), f.path("a.yaml")).unwrap();
    assert_eq!(f.scan(), one("a.yaml", "documents"));
}

#[test]
fn a_deleted_file_is_gone() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.scan();
    fs::remove_file(f.path("a.yaml")).unwrap();
    assert_eq!(summary(&f.look("a.yaml", Trust::Closed)), one("a.yaml", "gone"));
    assert_eq!(f.scan(), []);
    assert!(f.folder.is_empty());
}

#[test]
fn a_renamed_file_is_gone_and_there() {
    let mut f = Fixture::new();
    f.write("b.yaml", CONSUMER);
    f.scan();
    fs::rename(f.path("b.yaml"), f.path("a.yaml")).unwrap();
    assert_eq!(
        f.scan(),
        [("a.yaml".into(), "documents"), ("b.yaml".into(), "gone")]
    );
}

#[test]
fn a_missing_folder_takes_nothing_away() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.scan();
    let away = f.dir.path().with_extension("away");
    fs::rename(f.dir.path(), &away).unwrap();
    assert!(f.folder.names().is_err());
    let looked = f.look("a.yaml", Trust::Settled);
    assert!(looked.failed.is_some());
    assert_eq!(looked.changes, []);
    assert_eq!(f.folder.len(), 1);
    fs::rename(&away, f.dir.path()).unwrap();
    assert_eq!(f.scan(), []);
}

#[test]
fn what_is_no_yaml_is_broken_until_it_is_mended() {
    let mut f = Fixture::new();
    f.write("a.yaml", "a: [");
    assert_eq!(f.scan(), one("a.yaml", "broken"));
    assert_eq!(f.scan(), [], "said once");
    f.write("a.yaml", CONSUMER);
    assert_eq!(f.scan(), one("a.yaml", "documents"));
}

#[test]
fn links_are_followed_as_config_map_mounts_have_them() {
    let mut f = Fixture::new();
    for (version, text) in [("..1", CONSUMER), ("..2", POLICY)] {
        fs::create_dir(f.path(version)).unwrap();
        f.write(&format!("{version}/a.yaml"), text);
    }
    symlink("..1", f.path("..data")).unwrap();
    symlink("..data/a.yaml", f.path("a.yaml")).unwrap();
    assert_eq!(f.scan(), one("a.yaml", "documents"));
    symlink("..2", f.path("..tmp")).unwrap();
    fs::rename(f.path("..tmp"), f.path("..data")).unwrap();
    assert_eq!(f.scan(), one("a.yaml", "documents"));
}

#[test]
fn what_cannot_be_read_as_a_file_is_broken() {
    let mut f = Fixture::new();
    symlink("nowhere", f.path("link.yaml")).unwrap();
    symlink("/dev/zero", f.path("device.yaml")).unwrap();
    let large = File::create(f.path("large.yaml")).unwrap();
    large.set_len(file_limit() + 1).unwrap();
    for (name, words) in [
        ("link.yaml", "leads nowhere"),
        ("device.yaml", "not a regular file"),
        ("large.yaml", "split the file"),
    ] {
        assert_eq!(
            f.look(name, Trust::Seen).doubtful,
            [name.into()],
            "may be in the making"
        );
        let looked = f.look(name, Trust::Settled);
        let [
            FileChange {
                content: Content::Broken(problem),
                ..
            },
        ] = &looked.changes[..]
        else {
            panic!("{name}: {looked:?}");
        };
        assert!(problem.message.contains(words), "{problem}");
    }
}

fn file_limit() -> u64 {
    super::super::parse::MAX_FILE_BYTES
}

#[test]
fn a_file_that_may_be_in_the_making_waits() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.age("a.yaml", Duration::from_millis(1));
    assert_eq!(f.look("a.yaml", Trust::Seen).doubtful, ["a.yaml".into()]);
    assert_eq!(f.folder.files_read(), 0);
    assert_eq!(
        summary(&f.look("a.yaml", Trust::Closed)),
        one("a.yaml", "documents")
    );
}

#[test]
fn what_shapes_does_not_change_before_it_settled() {
    let mut f = Fixture::new();
    f.write("a.yaml", POLICY);
    f.scan();
    let cut = POLICY.replace("}}", "}, spec: {}}");
    for text in ["", CONSUMER, "a: [", "{kind: AuthPolicy}", &cut] {
        f.write("a.yaml", text);
        for trust in [Trust::Seen, Trust::Closed, Trust::Settled] {
            f.age("a.yaml", Duration::from_millis(1));
            let looked = f.look("a.yaml", trust);
            assert_eq!(
                (looked.changes, looked.doubtful),
                (vec![], vec!["a.yaml".into()]),
                "{text:?}"
            );
        }
    }
}

#[test]
fn what_shapes_does_not_go_before_it_settled() {
    let mut f = Fixture::new();
    f.write("a.yaml", POLICY);
    f.scan();
    fs::remove_file(f.path("a.yaml")).unwrap();
    for trust in [Trust::Settled, Trust::Seen, Trust::Closed] {
        assert_eq!(f.look("a.yaml", trust).doubtful, ["a.yaml".into()]);
        f.now += REPLACED / 3;
    }
    f.write("a.yaml", POLICY);
    assert_eq!(f.look("a.yaml", Trust::Closed).doubtful, [], "it is back");
    fs::remove_file(f.path("a.yaml")).unwrap();
    assert_eq!(f.look("a.yaml", Trust::Settled).doubtful, ["a.yaml".into()]);
    f.now += REPLACED;
    assert_eq!(summary(&f.look("a.yaml", Trust::Seen)), one("a.yaml", "gone"));
}

#[test]
fn an_emptied_file_that_shaped_settles_longer() {
    let mut f = Fixture::new();
    f.write("a.yaml", POLICY);
    f.scan();
    f.write("a.yaml", "");
    f.age("a.yaml", REPLACED - Duration::from_millis(1));
    for trust in [Trust::Seen, Trust::Closed, Trust::Settled] {
        assert_eq!(f.look("a.yaml", trust).doubtful, ["a.yaml".into()]);
    }
    f.age("a.yaml", REPLACED);
    assert_eq!(
        summary(&f.look("a.yaml", Trust::Settled)),
        one("a.yaml", "documents")
    );
}

#[test]
fn a_new_file_that_shapes_settles_too() {
    let mut f = Fixture::new();
    f.write("a.yaml", POLICY);
    f.age("a.yaml", Duration::from_millis(1));
    assert_eq!(f.look("a.yaml", Trust::Closed).doubtful, ["a.yaml".into()]);
    f.age("a.yaml", SETTLE);
    assert_eq!(
        summary(&f.look("a.yaml", Trust::Settled)),
        one("a.yaml", "documents")
    );
}

#[test]
fn a_file_that_is_given_up_is_broken_until_it_settles() {
    let mut f = Fixture::new();
    f.write("a.yaml", POLICY);
    f.scan();
    let change = f.folder.give_up("a.yaml".into());
    assert!(matches!(change.content, Content::Broken(_)));
    assert_eq!(
        f.scan(),
        one("a.yaml", "documents"),
        "although its bytes are the same"
    );
}

#[test]
fn what_a_look_saw_can_be_forgotten() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.scan();
    f.folder.forget(&"a.yaml".into());
    assert_eq!(f.scan(), one("a.yaml", "documents"));
}

#[test]
fn what_grants_goes_at_once() {
    let mut f = Fixture::new();
    f.write("a.yaml", CONSUMER);
    f.scan();
    f.write("a.yaml", "");
    f.age("a.yaml", Duration::from_millis(1));
    assert_eq!(
        summary(&f.look("a.yaml", Trust::Closed)),
        one("a.yaml", "documents")
    );
}

#[test]
fn a_name_that_is_no_utf8_is_a_name() {
    use std::os::unix::ffi::OsStringExt;
    let mut f = Fixture::new();
    let name = std::ffi::OsString::from_vec(b"\xff\n.yaml".to_vec());
    fs::write(f.dir.path().join(&name), CONSUMER).unwrap();
    let changes = f.scan();
    assert_eq!(changes, one("\u{fffd}\\n.yaml", "documents"));
}
