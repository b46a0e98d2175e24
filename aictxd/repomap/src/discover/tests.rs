use super::*;
use std::process::Command;

fn git(at: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(at)
        .env("HOME", at)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn paths(listing: &Listing) -> Vec<String> {
    let lossy = |f: &Found| String::from_utf8_lossy(&f.path).into_owned();
    listing.files.iter().map(lossy).collect()
}

fn all(root: &Path) -> Listing {
    let git_dir = root.join(".git");
    let git_dir = git_dir.is_dir().then_some(git_dir);
    list(
        root,
        git_dir.as_deref(),
        &Limits::default(),
        &AtomicBool::new(false),
    )
}

#[test]
fn tracked_files_belong_whatever_the_rules_say() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    git(root, &["init", "-q"]);
    write(root, ".gitignore", "*.log\nbuild/\n");
    write(root, "a.rs", "fn a() {}");
    write(root, "kept.log", "tracked all the same");
    write(root, "noise.log", "ignored");
    write(root, "build/tracked.rs", "fn b() {}");
    write(root, "build/output.o", "ignored");
    write(root, "node_modules/x/index.js", "installed");
    write(root, "target/debug/x", "built");
    write(root, "src/dist/coord.py", "untracked, and not built");
    write(root, "sub/.gitignore", "secret.txt\n");
    write(root, "sub/secret.txt", "ignored");
    write(root, "sub/shown.txt", "untracked");
    write(root, ".github/workflows/ci.yml", "on: push");
    git(root, &["add", "a.rs", ".gitignore"]);
    git(root, &["add", "-f", "kept.log", "build/tracked.rs"]);
    let listing = all(root);
    assert_eq!(
        paths(&listing),
        [
            ".github/workflows/ci.yml",
            ".gitignore",
            "a.rs",
            "build/tracked.rs",
            "kept.log",
            "src/dist/coord.py",
            "sub/.gitignore",
            "sub/shown.txt"
        ]
    );
    assert!(listing.git);
}

#[test]
fn the_index_vouches_for_unchanged_files_only() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    git(root, &["init", "-q"]);
    write(root, "same.rs", "fn same() {}");
    write(root, "edited.rs", "fn before() {}");
    for file in ["same.rs", "edited.rs"] {
        let old = std::time::SystemTime::now() - Duration::from_secs(100);
        let file = std::fs::File::options()
            .write(true)
            .open(root.join(file))
            .unwrap();
        file.set_modified(old).unwrap();
    }
    git(root, &["add", "."]);
    write(root, "edited.rs", "fn after() { longer }");
    write(root, "new.rs", "fn new() {}");
    let listing = all(root);
    let ids: Vec<_> = listing.files.iter().map(|f| f.id).collect();
    assert_eq!(ids, [None, None, Some(ContentId::of(b"fn same() {}"))]);
}

#[test]
fn own_rules_exclude_even_tracked_files() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    git(root, &["init", "-q"]);
    write(root, "a.rs", "");
    write(root, "huge/data.json", "{}");
    git(root, &["add", "."]);
    write(root, ".aictxignore", "huge/\n");
    assert_eq!(paths(&all(root)), [".aictxignore", "a.rs"]);
}

#[test]
fn links_and_other_repositories_are_not_entered() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("repo");
    let outside = home.path().join("outside");
    write(&outside, "secret.rs", "fn secret() {}");
    write(&root, "a.rs", "");
    write(&root, "inner/.git/HEAD", "ref: refs/heads/main");
    write(&root, "inner/b.rs", "");
    std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.rs"), root.join("file.rs")).unwrap();
    std::os::unix::fs::symlink(&root, root.join("loop")).unwrap();
    let listing = all(&root);
    assert_eq!(paths(&listing), ["a.rs"]);
    assert_eq!(listing.nested, ["inner"]);
    assert!(!listing.git);
}

#[test]
fn limits_are_kept_and_said() {
    let home = tempfile::tempdir().unwrap();
    for number in 0..20 {
        write(home.path(), &format!("f{number:02}.rs"), "");
    }
    let limits = Limits {
        files: 5,
        ..Limits::default()
    };
    let listing = list(home.path(), None, &limits, &AtomicBool::new(false));
    assert_eq!(listing.files.len(), 5);
    assert_eq!(listing.over, 15);
}

#[test]
fn names_that_are_not_utf8_are_kept_as_they_are() {
    let home = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"caf\xe9.rs");
    std::fs::write(home.path().join(name), "fn a() {}").unwrap();
    let listing = all(home.path());
    assert_eq!(listing.files[0].path, b"caf\xe9.rs");
}

#[test]
fn homes_and_the_file_system_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let refused = check_root(home.path(), Some(home.path()));
    assert_eq!(refused, Err(Refused::Home(home.path().to_owned())));
    let refused = check_root(Path::new("/"), None);
    assert_eq!(refused, Err(Refused::FileSystemRoot("/".into())));
    assert!(check_root(home.path(), None).is_ok());
}

#[test]
fn the_repositorys_own_excludes_file_decides_from_its_root() {
    let home = tempfile::tempdir().unwrap();
    let root = &home.path().join("main");
    std::fs::create_dir(root).unwrap();
    git(root, &["init", "-q"]);
    git(root, &["config", "core.excludesFile", "../mine"]);
    write(home.path(), "mine", "/notes\n*.draft\n");
    for path in ["notes/a.md", "deep/notes/b.md", "a.draft", "a.rs"] {
        write(root, path, "text");
    }
    assert_eq!(paths(&all(root)), ["a.rs", "deep/notes/b.md"]);
    let listed = |path: &str| would_list(root, Path::new(path), &|_| false);
    assert!(!listed("notes/a.md") && !listed("a.draft"));
    assert!(listed("deep/notes/b.md"));

    // A linked worktree has the same settings.
    git(root, &["add", "a.rs"]);
    let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(root, &[&author[..], &["commit", "-qm", "a"]].concat());
    git(root, &["worktree", "add", "-q", "../linked"]);
    let linked = &home.path().join("linked");
    for path in ["notes/a.md", "a.draft"] {
        write(linked, path, "text");
    }
    assert_eq!(paths(&all(linked)), ["a.rs"]);

    // What cannot be read to its end is not read.
    git(root, &["config", "core.excludesFile", "/dev/zero"]);
    assert_eq!(paths(&all(root)).len(), 4);
}

/// What the walker of the `ignore` crate finds by the same rules.
fn by_the_crate(root: &Path) -> Vec<String> {
    let walk = ignore::WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .require_git(false)
        .git_global(false)
        .current_dir(root)
        .add_custom_ignore_filename(".aictxignore")
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let entries = walk.flatten().filter(|e| e.file_type().unwrap().is_file());
    let mut paths: Vec<String> = entries
        .map(|e| {
            e.path()
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    paths.sort_unstable();
    paths
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn nested_rules_decide_as_they_do_elsewhere(
        rules in proptest::collection::vec((
            proptest::sample::select(vec!["", "a/", "b/", "a/b/"]),
            proptest::sample::select(vec![".gitignore", ".ignore", ".aictxignore", ".git/info/exclude"]),
            proptest::collection::vec(proptest::sample::select(vec![
                "x", "!x", "/x", "a/", "/a", "b/x", "**/b", "a/*", "!a/x", "!a/", "*.y", "!q.y", "a/b/",
                "\u{feff}x", "# x", "[", "\\!x",
            ]), 1..4),
        ), 0..5),
    ) {
        let home = tempfile::tempdir().unwrap();
        let root = home.path();
        for directory in ["", "a/", "b/", "a/b/", "b/a/"] {
            for name in ["x", "q.y", "p.y", "!x"] {
                write(root, &format!("{directory}{name}"), "");
            }
        }
        for (directory, file, lines) in &rules {
            let directory = if file.starts_with(".git/") { "" } else { directory };
            write(root, &format!("{directory}{file}"), &lines.join("\n"));
        }
        let ours = paths(&all(root));
        proptest::prop_assert_eq!(&ours, &by_the_crate(root));
        // One path at a time, too.
        let listed = |path: &&str| would_list(root, Path::new(path), &|_| false);
        for path in ["x", "a/x", "a/b/x", "b/a/q.y", "a/b/p.y"] {
            proptest::prop_assert_eq!(listed(&path), ours.iter().any(|p| p == path), "{}", path);
        }
    }
}

#[test]
fn rules_that_cannot_be_read_keep_a_directory_out() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    write(root, "a.rs", "");
    let place = |path: &str| root.join(path);
    for (name, rules) in [
        ("pipe", ".gitignore"),
        ("long", ".ignore"),
        ("link", ".aictxignore"),
        ("dir", ".gitignore"),
    ] {
        write(root, &format!("{name}/b.rs"), "");
        write(root, &format!("{name}/deep/c.rs"), "");
        let rules = place(&format!("{name}/{rules}"));
        match name {
            "pipe" => assert!(
                Command::new("mkfifo")
                    .arg(rules)
                    .status()
                    .unwrap()
                    .success()
            ),
            "long" => std::fs::File::create(rules)
                .unwrap()
                .set_len(1 << 40)
                .unwrap(),
            "link" => std::os::unix::fs::symlink("/dev/zero", rules).unwrap(),
            _ => std::fs::create_dir(rules).unwrap(),
        }
    }
    write(root, ".git/info/x", "");
    assert!(
        Command::new("mkfifo")
            .arg(place(".git/info/exclude"))
            .status()
            .unwrap()
            .success()
    );
    let listing = all(root);
    assert_eq!(paths(&listing), ["a.rs"]);
    assert!(
        listing.directories.is_empty(),
        "somebody may put plain rules there"
    );
    assert!(!would_list(root, Path::new("pipe/b.rs"), &|_| false));
    assert!(would_list(root, Path::new("a.rs"), &|_| false));
    std::os::unix::fs::symlink("/dev/zero", place(".gitignore")).unwrap();
    let listing = all(root);
    assert!(listing.files.is_empty() && listing.unreadable == 1 && listing.timed_out);
}

#[test]
fn rules_that_are_only_many_are_bounded() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    let long = |name: &str, bytes: usize| format!("# {}\n{name}\n", "x".repeat(bytes));
    // Each of them is short enough, but not all of them together.
    write(root, ".gitignore", &long("a", 100 << 10));
    write(root, "one/.gitignore", &long("b", 100 << 10));
    write(root, "one/two/.gitignore", &long("c", 100 << 10));
    for path in [
        "a",
        "f.rs",
        "one/b",
        "one/f.rs",
        "one/two/f.rs",
        "one/two/three/f.rs",
    ] {
        write(root, path, "");
    }
    let found = paths(&all(root));
    assert_eq!(found, [".gitignore", "f.rs", "one/.gitignore", "one/f.rs"]);
    let home = tempfile::tempdir().unwrap();
    for number in 0..60 {
        write(
            home.path(),
            &format!("d{number:02}/.ignore"),
            &long("c", 100 << 10),
        );
    }
    let listing = all(home.path());
    assert!(
        (30..45).contains(&listing.files.len()),
        "{}",
        listing.files.len()
    );
    assert!(listing.directories.is_empty());
}
