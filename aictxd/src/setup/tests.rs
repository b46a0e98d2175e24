use std::fs;

use aictx_runners::merge::{Block, Comment};

use super::*;

fn block(file: &Path, body: &str) -> Edit {
    Edit {
        agent: "generic",
        file: file.to_string_lossy().into_owned(),
        content: Content::Block(Block {
            comment: Comment::Hash,
            id: "t".to_owned(),
            body: body.to_owned(),
        }),
        reason: "test",
        shared: false,
        caution: "",
    }
}

#[test]
fn what_is_written_in_steps_is_undone_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let (mine, new) = (root.join("mine"), root.join("a/b/new"));
    fs::write(&mine, "mine\n\n").unwrap();
    let state = root.join("state");
    for body in ["one\n", "two\n"] {
        let mut ledger = Ledger::open(&state, true).unwrap();
        let mut carrier = Carrier::new(&mut ledger, Bounds::new([&root]), &root, false);
        for file in [&mine, &new] {
            let change = carrier.put(USER, &block(file, body));
            assert!(["created", "updated"].contains(&change.action.as_str()));
        }
        let again = carrier.put(USER, &block(&mine, body));
        assert_eq!(
            (again.action.as_str(), again.path.as_str()),
            ("unchanged", "mine")
        );
    }
    let plan = [block(&mine, ""), block(&new, "")];
    for dry_run in [true, false] {
        let mut ledger = Ledger::open(&state, !dry_run).unwrap();
        let mut carrier = Carrier::new(&mut ledger, Bounds::new([&root]), &root, dry_run);
        let (changes, verified) = carrier.take_all(USER, &plan);
        assert_eq!(changes.len(), 2);
        assert!(verified.len() == 2 && verified.iter().all(|file| file.identical));
        assert_eq!(new.exists(), dry_run);
    }
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine\n\n");
    assert!(!root.join("a").exists(), "directories of ours go, too");
    assert!(!state.join("install.json").exists());
}

#[test]
fn a_file_deleted_by_its_user_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let file = root.join("file");
    fs::write(&file, "mine\n").unwrap();
    let mut ledger = Ledger::open(&root.join("state"), true).unwrap();
    let mut carrier = Carrier::new(&mut ledger, Bounds::new([&root]), &root, false);
    carrier.put(USER, &block(&file, "one\n"));
    fs::remove_file(&file).unwrap();
    assert_eq!(carrier.put(USER, &block(&file, "one\n")).action, "created");
    let (_, verified) = carrier.take_all(USER, &[]);
    assert!(!file.exists() && verified[0].identical);
}

#[test]
fn nothing_is_written_out_of_bounds() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let (inside, outside) = (root.join("inside"), root.join("outside"));
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("file"), "theirs\n").unwrap();
    std::os::unix::fs::symlink(outside.join("file"), inside.join("link")).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("directory")).unwrap();
    let mut ledger = Ledger::open(&root.join("state"), true).unwrap();
    let mut carrier = Carrier::new(&mut ledger, Bounds::new([&inside]), &root, false);
    for file in ["link", "directory/new", "directory/deep/new"] {
        let change = carrier.put(USER, &block(&inside.join(file), "x\n"));
        assert_eq!(change.action, "skipped", "{file}: {change:?}");
        assert!(change.reason.contains("outside"), "{change:?}");
    }
    assert_eq!(
        fs::read_to_string(outside.join("file")).unwrap(),
        "theirs\n"
    );
    assert!(!outside.join("new").exists() && !outside.join("deep").exists());
}

#[test]
fn a_damaged_ledger_is_an_empty_one_and_entries_are_still_found() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let (file, state) = (root.join("file"), root.join("state"));
    fs::write(&file, "mine\n").unwrap();
    {
        let mut ledger = Ledger::open(&state, true).unwrap();
        let mut carrier = Carrier::new(&mut ledger, Bounds::new([&root]), &root, false);
        carrier.put(USER, &block(&file, "one\n"));
    }
    fs::write(state.join("install.json"), "{").unwrap();
    let mut ledger = Ledger::open(&state, true).unwrap();
    let mut carrier = Carrier::new(&mut ledger, Bounds::new([&root]), &root, false);
    let (changes, verified) = carrier.take_all(USER, &[block(&file, "")]);
    assert_eq!(changes[0].action, "restored");
    assert!(verified.is_empty(), "nothing is known of before");
    assert!(!fs::read_to_string(&file).unwrap().contains("AICTX"));
}
