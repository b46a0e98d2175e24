use super::*;

#[test]
fn what_differs_is_named_or_lies_below_what_is() {
    let git = GitState {
        unstaged: vec!["src/a.rs".into()],
        untracked: vec!["new/".into()],
        ..GitState::default()
    };
    let at = |path: &str| differs(&git, &RepoPath::parse(path).unwrap());
    assert!(at("src/a.rs") && at("new/b.rs"));
    assert!(!at("src/b.rs") && !at("src/a") && !at("newer"));
}

/// One look says for a whole directory that nothing is in it; what is in a link is looked for.
#[test]
fn what_lies_at_a_path() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("src")).unwrap();
    std::fs::write(dir.path().join("src/a.rs"), "").unwrap();
    std::os::unix::fs::symlink("src", dir.path().join("led")).unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("lost")).unwrap();
    let facts = WorktreeFacts::without_map(dir.path(), Arc::default(), Arc::default());
    let path = |path: &str| RepoPath::parse(path).unwrap();
    // Asked from above to below, as a command is judged, and the other way round.
    let mut asked = [
        ("gone", None),
        ("gone/a.rs", None),
        ("gone/b/c.rs", None),
        ("src", Some(true)),
        ("src/a.rs", Some(false)),
        ("src/a.rs/b", None),
        ("led", Some(false)),
        ("led/a.rs", Some(false)),
        ("led/b.rs", None),
        ("lost", Some(false)),
        ("lost/a.rs", None),
    ];
    for _ in 0..2 {
        facts.seen.borrow_mut().clear();
        for (name, directory) in asked {
            let known = facts.path(&path(name));
            assert_eq!(known.directory, directory, "{name}");
            assert_eq!(known.exists, Some(directory.is_some()), "{name}");
        }
        asked.reverse();
    }
    let link = |name: &str| facts.link(&path(name)).map(|to| to.to_string());
    assert_eq!(link("led").as_deref(), Some("src"));
    assert_eq!(link("lost").as_deref(), Some("nowhere"));
    assert_eq!(link("src"), None);
    assert_eq!(link("gone/x"), None);
}
