use super::*;
use crate::watch::change_log::ears::Ears;
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::symlink;

const DIRECTORIES: [&str; 4] = ["", "src", "src/deep", "docs"];
const FILES: [&str; 9] = [
    "README.md",
    "src/a.rs",
    "src/b.rs",
    "src/deep/c.rs",
    "docs/d.md",
    "later/e.rs",
    "link/a.rs",
    "unheard/f.rs",
    "src/./a.rs",
];

fn worktree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for directory in DIRECTORIES.iter().chain(&["unheard"]) {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for file in &FILES[..5] {
        fs::write(root.join(file), "one\n").unwrap();
    }
    fs::write(root.join(FILES[7]), "one\n").unwrap();
    symlink("src", root.join("link")).unwrap();
    dir
}

fn files() -> Vec<String> {
    FILES.iter().map(|file| (*file).to_owned()).collect()
}

/// A worktree whose directories are watched, except one.
fn watched(root: &Path) -> (Ears, Arc<Listener>) {
    let ears = Ears::at(DIRECTORIES.iter().map(|d| root.join(d)).collect()).unwrap();
    let listener = Arc::new(ears.heard.listen(root));
    (ears, listener)
}

/// Does what the daemon does after an answer.
fn learn(looks: &Looks, root: &Path, listener: &Arc<Listener>) {
    let unheard = |d: &&String| !DIRECTORIES.contains(&d.as_str());
    if let Some(strange) = looks.strange(root) {
        let unheard = strange
            .directories
            .iter()
            .filter(unheard)
            .cloned()
            .collect();
        looks.learnt(root, strange, Some((Arc::clone(listener), unheard)));
    }
}

#[test]
fn a_state_is_known_until_something_changes() {
    let dir = worktree();
    let root = dir.path();
    let heard = files()[..6].to_vec();
    let looks = Looks::default();
    let (first, version) = looks.look(root, heard.iter(), Instant::now());
    assert_eq!(
        (version, looks.version(root, Instant::now())),
        (None, None),
        "nobody listens"
    );
    let (_ears, listener) = watched(root);
    learn(&looks, root, &listener);
    let (second, version) = looks.look(root, heard.iter(), Instant::now());
    assert_eq!(first, second);
    assert!(version.is_some() && looks.version(root, Instant::now()) == version);
    fs::write(root.join("src/b.rs"), "two\n").unwrap();
    assert_ne!(looks.version(root, Instant::now()), version);
    let (third, version) = looks.look(root, heard.iter(), Instant::now());
    assert_ne!(second, third);
    assert!(version.is_some() && looks.version(root, Instant::now()) == version);
    fs::create_dir(root.join("later")).unwrap();
    fs::write(root.join("later/e.rs"), "new\n").unwrap();
    let (fourth, version) = looks.look(root, heard.iter(), Instant::now());
    assert!(fourth[5].is_some());
    assert_eq!(
        version, None,
        "nobody hears of what is in the new directory"
    );
}

/// Files of a worktree of which everything is heard, and what is known of them.
fn heard_of(root: &Path) -> (Looks, Vec<String>, Ears) {
    let heard = files()[..6].to_vec();
    let looks = Looks::default();
    looks.look(root, heard.iter(), Instant::now());
    let (ears, listener) = watched(root);
    learn(&looks, root, &listener);
    looks.look(root, heard.iter(), Instant::now());
    (looks, heard, ears)
}

#[test]
fn one_moment_is_waited_for_once() {
    let dir = worktree();
    let root = dir.path();
    let (looks, heard, _ears) = heard_of(root);
    let heard_until = || lock(&looks.of(root)).heard_until;
    let asked_at = Instant::now();
    let version = looks.version(root, asked_at);
    let first = heard_until();
    assert!(version.is_some() && first.is_some_and(|until| until >= asked_at));
    assert_eq!(looks.look(root, heard.iter(), asked_at).1, version);
    assert_eq!(heard_until(), first);
    assert_eq!(looks.version(root, Instant::now()), version);
    assert!(heard_until() > first, "a later one is another");
}

#[test]
fn who_asks_ahead_waits_for_that_alone() {
    let dir = worktree();
    let root = dir.path();
    let nobody_listens = Looks::default();
    assert!(nobody_listens.ask_ahead(root) <= Instant::now());
    let (looks, heard, _ears) = heard_of(root);
    let heard_until = || lock(&looks.of(root)).heard_until;
    let asked_at = looks.ask_ahead(root);
    let version = looks.version(root, asked_at);
    assert!(version.is_some() && heard_until() == Some(asked_at));
    fs::write(root.join("src/b.rs"), "two\n").unwrap();
    let (now, _) = looks.look(root, heard.iter(), Instant::now());
    assert_eq!(now, stamps(root, &heard, AtFlags::SYMLINK_NOFOLLOW));
    assert!(heard_until() > Some(asked_at), "a later moment is another");
    fs::write(root.join("src/b.rs"), "three\n").unwrap();
    let asked_at = looks.ask_ahead(root);
    assert_ne!(
        looks.look(root, heard.iter(), asked_at).0,
        now,
        "what was done before it is seen"
    );
}

#[test]
fn where_nothing_is_heard_files_are_looked_at_each_time() {
    let dir = worktree();
    let root = dir.path();
    let unheard = files()[6..].to_vec();
    let looks = Looks::default();
    looks.look(root, unheard.iter(), Instant::now());
    let (_ears, listener) = watched(root);
    learn(&looks, root, &listener);
    let (first, version) = looks.look(root, unheard.iter(), Instant::now());
    assert_eq!(version, None);
    assert!(
        looks.strange(root).is_none(),
        "it is known that nobody hears"
    );
    fs::write(root.join("unheard/f.rs"), "two\n").unwrap();
    let (second, _) = looks.look(root, unheard.iter(), Instant::now());
    assert_ne!(first[1], second[1]);
}

#[test]
fn an_answer_that_came_too_late_is_not_taken() {
    let dir = worktree();
    let root = dir.path();
    let (looks, files) = (Looks::default(), files()[..1].to_vec());
    looks.look(root, files.iter(), Instant::now());
    let (_ears, listener) = watched(root);
    learn(&looks, root, &listener);
    let more = ["src/a.rs".to_owned()];
    looks.look(root, more.iter(), Instant::now());
    let strange = looks.strange(root).unwrap();
    fs::rename(root.join("src"), root.join("away")).unwrap();
    looks.look(root, files.iter(), Instant::now());
    looks.learnt(root, strange, Some((listener, BTreeSet::new())));
    assert!(!lock(&looks.of(root)).watched.contains("src"));
}

/// One change; what cannot be done is not done.
fn change(root: &Path, what: usize, file: usize, text: &str) {
    let path = root.join(FILES[file % FILES.len()]);
    let _ = match what {
        0 | 1 => fs::write(&path, text),
        2 => fs::remove_file(&path),
        3 => fs::write(root.join("docs/temp"), text)
            .and_then(|()| fs::rename(root.join("docs/temp"), &path)),
        4 => fs::rename(root.join("src"), root.join("moved")),
        5 => fs::rename(root.join("moved"), root.join("src")),
        6 => fs::remove_dir_all(root.join("src/deep")),
        7 => fs::create_dir_all(path.parent().unwrap()),
        8 => fs::remove_file(root.join("link")).and_then(|()| fs::create_dir(root.join("link"))),
        _ => fs::remove_dir_all(root.join("docs")).and_then(|()| symlink("src", root.join("docs"))),
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn looks_are_those_of_now(
        changes in proptest::collection::vec((0_usize..10, 0_usize..20, any::<bool>()), 1..24)
    ) {
        let dir = worktree();
        let root = dir.path();
        let looks = Looks::default();
        let (_ears, listener) = watched(root);
        let mut lost = false;
        for (number, (what, file, ask)) in changes.into_iter().enumerate() {
            change(root, what, file, &"x".repeat(number + 5));
            let asked_at = match file % 2 {
                0 => looks.ask_ahead(root),
                _ => Instant::now(),
            };
            let before = looks.version(root, asked_at);
            let (now, version) = looks.look(root, files().iter(), asked_at);
            prop_assert_eq!(&now, &stamps(root, &files(), AtFlags::SYMLINK_NOFOLLOW));
            if version.is_some() {
                prop_assert_eq!(version, before);
            }
            // A directory that was moved or made anew: the daemon would ask which are watched now.
            lost |= (4..10).contains(&what);
            if ask && !lost {
                learn(&looks, root, &listener);
            }
        }
    }
}
