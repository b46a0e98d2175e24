use super::super::{STATUS, ignored_in, parse};
use super::*;
use crate::watch::change_log::ears::Ears;
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

fn git(at: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t"])
        .args(arguments)
        .current_dir(at)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output.stdout
}

fn asked(at: &Path) -> (GitState, HashSet<Vec<u8>>) {
    let paths = ["--", ".", ":(exclude).aictx"];
    let plain = git(at, &[STATUS.as_slice(), &paths].concat());
    let more = [STATUS.as_slice(), &["--ignored=matching"], &paths].concat();
    (parse(&plain), ignored_in(&git(at, &more)))
}

/// As if everything had been settled for long: in these tests nothing changes while git looks.
fn learnt(at: &Path) -> Ground {
    let (answer, ignored) = asked(at);
    let later = SystemTime::now() + Duration::from_secs(3_600);
    Ground::of(at, answer, &ignored, later).unwrap()
}

fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path();
    git(at, &["init", "-q", "-b", "main"]);
    for (path, text) in [
        (".gitignore", "*.o\ntarget/\n"),
        ("a.rs", "fn a() {}\n"),
        ("src/b.rs", "fn b() {}\n"),
        ("src/deep/c.rs", "fn c() {}\n"),
        ("docs/d.md", "# d\n"),
        ("target/x", "built\n"),
        ("obj/only.o", "built\n"),
        ("new/one", "untracked\n"),
        (".aictx/facts", "ours\n"),
    ] {
        fs::create_dir_all(at.join(path).parent().unwrap()).unwrap();
        fs::write(at.join(path), text).unwrap();
    }
    git(at, &["add", "a.rs", "src", "docs", ".gitignore"]);
    git(at, &["commit", "-q", "-m", "one"]);
    dir
}

#[test]
fn edits_and_what_is_ignored_need_no_git() {
    let dir = repository();
    let at = dir.path();
    let ground = learnt(at);
    assert_eq!(ground.state(at, None).unwrap(), asked(at).0);
    fs::write(at.join("src/b.rs"), "fn b() { longer() }\n").unwrap();
    fs::write(at.join("target/y"), "more\n").unwrap();
    fs::write(at.join(".aictx/more"), "more\n").unwrap();
    // As editors do that never leave half a file.
    fs::write(at.join("docs/.d.swp"), "# d, and more\n").unwrap();
    fs::rename(at.join("docs/.d.swp"), at.join("docs/d.md")).unwrap();
    fs::write(at.join("new/one"), "still untracked\n").unwrap();
    let state = ground.state(at, None).unwrap();
    assert_eq!(state, asked(at).0);
    assert_eq!(state.unstaged, ["docs/d.md", "src/b.rs"]);
    assert_eq!(state.untracked, ["new/"]);
    fs::write(at.join("src/b.rs"), "fn c() {}\n").unwrap();
    assert_eq!(
        ground.state(at, None),
        None,
        "only git knows whether it is the same"
    );
}

#[test]
fn what_filters_and_attributes_change_is_asked_again() {
    let dir = repository();
    let at = dir.path();
    git(at, &["config", "core.autocrlf", "input"]);
    fs::write(at.join("a.rs"), "fn a() {}\r\n").unwrap();
    let ground = learnt(at);
    assert_eq!(ground.state(at, None).unwrap().unstaged, ["a.rs"]);
    git(at, &["add", "a.rs"]);
    assert_eq!(asked(at).0.unstaged, [""; 0], "it is the same to git");
    assert_eq!(ground.state(at, None), None);
    let ground = learnt(at);
    fs::write(at.join("src/.gitattributes"), "*.rs text\n").unwrap();
    assert_eq!(ground.state(at, None), None);
}

#[test]
fn what_changed_just_now_is_not_learnt() {
    let dir = repository();
    let at = dir.path();
    let (answer, ignored) = asked(at);
    // By the file's own stamp: how long git takes to answer says nothing here.
    let changed = look_at(&at.join("a.rs")).unwrap().changed;
    let changed = Duration::from_nanos(u64::try_from(changed).unwrap());
    let within = SystemTime::UNIX_EPOCH + changed + CLOCK_TICK;
    let ground = Ground::of(at, answer, &ignored, within);
    assert_eq!(ground.err(), Some(Trouble::Unsettled));
}

#[test]
fn what_git_compares_in_its_own_way_is_not_learnt() {
    let changes: [&[&[&str]]; 6] = [
        &[&["update-index", "--assume-unchanged", "a.rs"]],
        &[&["update-index", "--skip-worktree", "a.rs"]],
        &[&["add", "-N", "new/one"]],
        &[&["config", "core.worktree", ".."]],
        &[&["config", "core.excludesFile", ".mine"]],
        &[&["config", "include.path", "more"]],
    ];
    for commands in changes {
        let dir = repository();
        let at = dir.path();
        let (answer, ignored) = asked(at);
        for command in commands {
            git(at, command);
        }
        let later = SystemTime::now() + Duration::from_secs(3_600);
        let ground = Ground::of(at, answer, &ignored, later);
        assert_eq!(ground.err(), Some(Trouble::Unfit), "{commands:?}");
    }
    let dir = repository();
    let at = dir.path();
    git(at, &["init", "-q", "new/other"]);
    let (answer, ignored) = asked(at);
    let later = SystemTime::now() + Duration::from_secs(3_600);
    let ground = Ground::of(at, answer, &ignored, later);
    assert_eq!(ground.err(), Some(Trouble::Unfit), "another repository");
}

fn run(at: &Path, arguments: &[&str]) -> std::io::Result<()> {
    git(at, arguments);
    Ok(())
}

const FILES: [&str; 10] = [
    "a.rs",
    "src/b.rs",
    "src/deep/c.rs",
    "docs/d.md",
    "new/one",
    "new/two",
    "obj/only.o",
    "obj/plain",
    "target/x",
    "src/made.rs",
];
const RULES: [&str; 3] = [".gitignore", "src/.gitignore", ".git/info/exclude"];

/// One change to a worktree; what cannot be done there is not done.
fn change(at: &Path, what: usize, file: usize) {
    let path = at.join(FILES[file % FILES.len()]);
    let _ = match what {
        0 | 1 => fs::write(&path, "x".repeat(20 + file)),
        2 => fs::write(&path, "fn z() {}\n"),
        3 => fs::remove_file(&path),
        4 => fs::write(at.join("temp"), "y".repeat(30 + file))
            .and_then(|()| fs::rename(at.join("temp"), &path)),
        5 => fs::set_permissions(&path, fs::Permissions::from_mode(0o755)),
        6 => fs::remove_file(&path).and_then(|()| symlink("elsewhere", &path)),
        7 => fs::create_dir_all(at.join("src/more/empty")),
        8 => fs::remove_dir_all(at.join("new")),
        9 => fs::write(
            at.join(RULES[file % RULES.len()]),
            format!("*.{}\n", file % 3),
        ),
        10 => fs::write(at.join(RULES[file % RULES.len()]), "new\n*.md\n"),
        11 => fs::rename(at.join("src/deep"), at.join("src/moved")),
        12 => fs::remove_file(&path).and_then(|()| fs::create_dir(&path)),
        13 => run(at, &["add", "-A", "--", "."]),
        14 => run(at, &["commit", "-q", "-m", "x", "--allow-empty"]),
        15 => run(at, &["checkout", "-q", "-B", "other"]),
        16 => run(at, &["reset", "-q", "--hard"]),
        18 => fs::write(at.join("src/.gitattributes"), "*.rs text=auto\n"),
        17 => fs::create_dir_all(at.join(".aictx"))
            .and_then(|()| fs::write(at.join(".aictx/facts"), "z".repeat(file))),
        _ => Ok(()),
    };
}

/// Has every change in what a ground rests on heard of; nothing where a directory of it is gone.
fn hear(at: &Path, ground: &mut Ground) -> Option<Ears> {
    let ears = Ears::at(ground.places(at))?;
    ground.is_told_by(Arc::new(ears.heard.listen(at)));
    Some(ears)
}

/// Returns the daemon's answer.
fn answered(at: &Path, ground: &Ground) -> Option<GitState> {
    ground.state(at, Some(&ground.told()?))
}

#[test]
fn what_is_heard_of_is_looked_at_and_nothing_else() {
    let dir = repository();
    let at = dir.path();
    let mut ground = learnt(at);
    let _ears = hear(at, &mut ground).unwrap();
    assert_eq!(answered(at, &ground).unwrap(), asked(at).0);
    fs::write(at.join("src/b.rs"), "fn b() { longer() }\n").unwrap();
    fs::write(at.join("docs/.d.swp"), "# d, and more\n").unwrap();
    fs::rename(at.join("docs/.d.swp"), at.join("docs/d.md")).unwrap();
    let state = answered(at, &ground).unwrap();
    assert_eq!(state, asked(at).0);
    assert_eq!(state.unstaged, ["docs/d.md", "src/b.rs"]);
    let told = ground.told().unwrap();
    let told: Vec<_> = told.iter().map(|p| String::from_utf8_lossy(p)).collect();
    assert_eq!(told, ["docs/.d.swp", "docs/d.md", "src/b.rs"]);
    let suspects = ground.suspects(&told.iter().map(|p| p.as_bytes().to_vec()).collect());
    let Suspects::These {
        directories,
        tracked,
        ..
    } = suspects
    else {
        panic!("only some may have changed");
    };
    assert_eq!((directories.len(), tracked.len()), (2, 2));
}

#[test]
fn a_mode_a_name_and_a_rule_that_change_are_heard_of() {
    let changes: [fn(&Path); 6] = [
        |at| fs::set_permissions(at.join("a.rs"), fs::Permissions::from_mode(0o755)).unwrap(),
        |at| fs::write(at.join("src/new.rs"), "").unwrap(),
        |at| fs::remove_file(at.join("docs/d.md")).unwrap(),
        |at| fs::write(at.join("src/.gitignore"), "b.rs\n").unwrap(),
        |at| fs::rename(at.join("src/deep"), at.join("src/deeper")).unwrap(),
        |at| {
            fs::rename(at.join("src"), at.join("away")).unwrap();
            fs::write(at.join("away/b.rs"), "fn b() { longer() }\n").unwrap();
            fs::rename(at.join("away"), at.join("src")).unwrap();
        },
    ];
    for (number, change) in changes.iter().enumerate() {
        let dir = repository();
        let at = dir.path();
        let mut ground = learnt(at);
        let _ears = hear(at, &mut ground).unwrap();
        change(at);
        let state = answered(at, &ground);
        assert!(state.is_none_or(|s| s == asked(at).0), "{number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_answered_is_what_git_says(
        changes in proptest::collection::vec((0_usize..20, 0_usize..40), 1..14)
    ) {
        let dir = repository();
        let at = dir.path();
        let mut ground = learnt(at);
        let mut _ears = hear(at, &mut ground);
        for (what, file) in changes {
            change(at, what, file);
            let now = asked(at).0;
            if let Some(state) = answered(at, &ground) {
                prop_assert_eq!(&state, &now);
            }
            match ground.state(at, None) {
                Some(state) => prop_assert_eq!(state, now),
                None => {
                    let (answer, ignored) = asked(at);
                    let later = SystemTime::now() + Duration::from_secs(3_600);
                    let next = Ground::of(at, answer, &ignored, later);
                    prop_assume!(next.is_ok());
                    ground = next.unwrap();
                    _ears = hear(at, &mut ground);
                }
            }
        }
    }
}
