use super::*;
use crate::discover::list;
use crate::index_view::{FileId, View};
use crate::indexer::Options;
use std::fs;
use std::path::Path;

static GO_ON: AtomicBool = AtomicBool::new(false);

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns when a change made from now on gets another time than every change so far.
fn tick(beside: &Path) {
    let change = || {
        fs::write(beside, "x").unwrap();
        look_at(beside).unwrap().changed
    };
    let now = change();
    while change() == now {}
}

fn paths(indexer: &Indexer) -> Vec<(String, Option<crate::segment::ContentId>)> {
    let tree = indexer.tree();
    let id = |file: FileId| tree.rows().get(file.0 as usize).map(|row| row.id);
    let files = (0..tree.files()).map(FileId);
    files
        .map(|file| (tree.path(file).to_owned(), id(file)))
        .collect()
}

fn git(root: &Path, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    let output = git
        .args(arguments)
        .current_dir(root)
        .env("HOME", root)
        .output();
    assert!(output.unwrap().status.success());
}

/// A tree with its ground, then one change; whether the ground still holds, and whether the tree is
/// right in any case.
fn after(change: impl FnOnce(&Path)) -> bool {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("tree");
    write(&root, "a.rs", "fn a() {}");
    write(&root, "sub/b.rs", "fn b() {}");
    write(&root, "sub/.gitignore", "*.log\n.gitignore\n");
    write(&root, "sub/c.log", "fn c() {}");
    write(&root, "build/tracked.rs", "fn t() {}");
    write(&root, "nested/d.rs", "fn d() {}");
    write(&root, "nested/.git/HEAD", "");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "build"]);
    write(&root, ".gitignore", "/build/\n");
    let open = || Indexer::open(&root, Some(root.join(".git")), None, Options::default());
    let indexer = open();
    indexer.reconcile(&GO_ON);
    // As if the listing came much later.
    let later = SystemTime::now() + Duration::from_secs(60);
    let listing = list(
        &root,
        Some(&root.join(".git")),
        &indexer.options.discover,
        &GO_ON,
    );
    let ground = Ground::of(&indexer, &listing, indexer.tree().paths(), later, &GO_ON);
    *indexer.updating.lock().unwrap() = Some(ground.unwrap());
    tick(&home.path().join("beside"));
    change(&root);
    let holds = {
        let ground = indexer.updating.lock().unwrap();
        let base = indexer.tree();
        ground
            .as_ref()
            .unwrap()
            .changed(&indexer, &base, &GO_ON)
            .is_some()
    };
    indexer.reconcile(&GO_ON);
    let fresh = open();
    fresh.reconcile(&GO_ON);
    assert_eq!(paths(&indexer), paths(&fresh));
    holds
}

#[test]
fn what_is_written_into_files_leaves_the_ground() {
    assert!(after(|_| {}));
    assert!(after(|root| write(root, "sub/b.rs", "fn other() {}")));
    assert!(after(|root| write(
        root,
        "build/tracked.rs",
        "fn other() {}"
    )));
    // Nobody looks at what is ignored or belongs to others.
    assert!(after(|root| write(root, "sub/c.log", "fn other() {}")));
    assert!(after(|root| write(root, "nested/d.rs", "fn other() {}")));
}

#[test]
fn what_comes_and_goes_takes_the_ground_away() {
    let gone = |root: &Path, path: &str| fs::remove_file(root.join(path)).unwrap();
    assert!(!after(|root| write(root, "sub/new.rs", "fn new() {}")));
    assert!(!after(|root| write(root, "more/new.rs", "fn new() {}")));
    assert!(!after(|root| gone(root, "sub/b.rs")));
    assert!(!after(|root| gone(root, "build/tracked.rs")));
    assert!(!after(|root| fs::rename(
        root.join("sub"),
        root.join("bus")
    )
    .unwrap()));
    assert!(!after(|root| write(root, "sub/.gitignore", "*.rs\n")));
    assert!(!after(|root| write(root, ".gitignore", "")));
    assert!(!after(|root| write(root, ".git/info/exclude", "a.rs\n")));
    assert!(!after(|root| git(root, &["add", "a.rs"])));
    assert!(!after(
        |root| fs::remove_dir_all(root.join("nested/.git")).unwrap()
    ));
    assert!(!after(|root| write(root, "sub/.git/HEAD", "")));
    assert!(!after(|root| {
        gone(root, "sub/b.rs");
        std::os::unix::fs::symlink("../a.rs", root.join("sub/b.rs")).unwrap();
    }));
}
