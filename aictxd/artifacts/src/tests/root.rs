//! Repositories, heads and paths, compared with git itself where it is there.

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

use aictx_proto::path::{Located, Outside};

use super::*;
use crate::root::{self, RootError, find_repository, head};

fn git(dir: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn repository() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().canonicalize().unwrap().join("main");
    std::fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    (dir, main)
}

#[test]
fn worktrees_share_the_main_root() {
    let (dir, main) = repository();
    git(&main, &["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&main, &["worktree", "add", "-q", "../linked", "-b", "side"]);
    let linked = dir.path().canonicalize().unwrap().join("linked");
    std::fs::create_dir_all(linked.join("a/b")).unwrap();
    let found = find_repository(&linked.join("a/b")).unwrap();
    assert_eq!((&found.root, &found.worktree), (&main, &linked));
    assert_eq!(found.common_dir, Some(main.join(".git")));
    assert_eq!(found.git_dir, Some(main.join(".git/worktrees/linked")));
    let found = find_repository(&main).unwrap();
    assert_eq!((&found.root, &found.worktree), (&main, &main));
    assert_eq!(head(&linked).branch, "side");
    assert_eq!(head(&linked).head, git(&linked, &["rev-parse", "HEAD"]));

    // A directory that only claims to be a worktree of it gets no share.
    let thief = dir.path().canonicalize().unwrap().join("thief");
    std::fs::create_dir(&thief).unwrap();
    std::fs::copy(linked.join(".git"), thief.join(".git")).unwrap();
    assert_eq!(find_repository(&thief).unwrap().root, thief);
}

#[test]
fn heads_in_every_state() {
    let (_dir, main) = repository();
    assert_eq!(head(&main).branch, "main");
    assert_eq!(head(&main).head, "", "before the first commit");
    git(&main, &["commit", "-q", "--allow-empty", "-m", "one"]);
    let id = git(&main, &["rev-parse", "HEAD"]);
    assert_eq!(head(&main).head, id);
    git(&main, &["checkout", "-q", "-b", "deep/er"]);
    git(&main, &["pack-refs", "--all"]);
    assert_eq!(
        (head(&main).branch.as_str(), head(&main).head),
        ("deep/er", id.clone())
    );
    git(&main, &["checkout", "-q", "--detach"]);
    assert_eq!(
        (head(&main).branch.as_str(), head(&main).head),
        ("(detached)", id)
    );
    for bad in [
        "",
        "ref: ../../../etc/passwd",
        "ref:",
        "garbage",
        "ref: refs/heads/../../x",
    ] {
        std::fs::write(main.join(".git/HEAD"), bad).unwrap();
        assert_eq!(head(&main).head, "", "{bad:?}");
    }
    assert_eq!(head(Path::new("/nowhere")), root::Head::default());
}

#[test]
fn submodules_plain_directories_and_none() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(base.join("plain/.aictx")).unwrap();
    std::fs::create_dir_all(base.join("plain/sub")).unwrap();
    std::fs::write(base.join("plain/sub/file"), "").unwrap();
    let found = find_repository(&base.join("plain/sub/file")).unwrap();
    assert_eq!((found.root, found.git_dir), (base.join("plain"), None));
    // A submodule is a repository of its own.
    std::fs::create_dir_all(base.join("super/.git/modules/m")).unwrap();
    std::fs::create_dir_all(base.join("super/m")).unwrap();
    std::fs::write(
        base.join("super/.git/modules/m/HEAD"),
        "ref: refs/heads/main\n",
    )
    .unwrap();
    std::fs::write(base.join("super/m/.git"), "gitdir: ../.git/modules/m\n").unwrap();
    let found = find_repository(&base.join("super/m")).unwrap();
    assert_eq!(
        (found.root, found.worktree),
        (base.join("super/m"), base.join("super/m"))
    );
    assert!(matches!(
        find_repository(Path::new("/")),
        Err(RootError::Refused { .. })
    ));
    assert!(matches!(
        find_repository(&base.join("gone")),
        Err(RootError::Missing { .. })
    ));
    std::fs::create_dir(base.join("none")).unwrap();
    assert!(matches!(
        find_repository(&base.join("none")),
        Err(RootError::NotARepository { .. })
    ));
}

#[test]
fn the_home_directory_is_no_repository() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(home.join(".aictx")).unwrap();
    std::fs::create_dir_all(home.join("work")).unwrap();
    let find = |p: &Path| root::find(p, Some(&home));
    assert!(matches!(find(&home), Err(RootError::Refused { .. })));
    assert!(matches!(
        find(&home.join("work")),
        Err(RootError::NotARepository { .. })
    ));
    std::fs::create_dir_all(home.join(".git")).unwrap();
    std::fs::write(home.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    assert!(matches!(
        find(&home.join("work")),
        Err(RootError::Refused { .. })
    ));
}

#[test]
fn paths_are_located_where_they_really_are() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let repo = base.join("repo");
    std::fs::create_dir_all(repo.join("src/deep")).unwrap();
    std::fs::create_dir_all(base.join("outside/dir")).unwrap();
    symlink(base.join("outside"), repo.join("out")).unwrap();
    symlink("src", repo.join("alias")).unwrap();
    symlink("../../outside/new", repo.join("src/dangling")).unwrap();
    symlink("loop", repo.join("loop")).unwrap();
    symlink(&repo, base.join("byname")).unwrap();
    let at = |cwd: &str, raw: &str| match root::locate(&repo, &repo.join(cwd), raw) {
        Located::Inside(path) => path.as_str().to_owned(),
        Located::Outside(why) => format!("{why:?}"),
    };
    let absolute = |p: &str| base.join(p).to_str().unwrap().to_owned();
    assert_eq!(at("", "src/a.rs"), "src/a.rs");
    assert_eq!(at("src", "a.rs"), "src/a.rs");
    assert_eq!(at("", "alias/a.rs"), "src/a.rs", "one file, one path");
    assert_eq!(
        at("", "new/dir/that/is/not/there"),
        "new/dir/that/is/not/there"
    );
    assert_eq!(at("", &absolute("byname/src/a.rs")), "src/a.rs");
    assert_eq!(at("", "out/x"), "Elsewhere");
    assert_eq!(at("", "out"), "Elsewhere");
    assert_eq!(at("", "out/dir/../../x"), "Elsewhere");
    assert_eq!(at("", "src/dangling"), "Elsewhere");
    assert_eq!(at("", "loop"), "Unusable");
    assert_eq!(at("", "../x"), "Escapes");
    assert_eq!(at("", "/etc/passwd"), "Elsewhere");
    assert_eq!(at("", "~/x"), "Home");
    assert_eq!(at("", ""), "Unusable");
    assert_eq!(at("", "."), ".");
    // Past the link and back: where the system would go, not where the text seems to.
    assert_eq!(at("", "out/../repo/src/a.rs"), "src/a.rs");
    assert_eq!(
        root::locate(&repo, Path::new(""), "a"),
        root::locate(&repo, &repo, "a")
    );
    assert!(matches!(
        root::locate(&repo, &base, "x"),
        Located::Outside(Outside::Escapes | Outside::Elsewhere)
    ));
    // A root that is itself a link: its own way is walked once, and nothing else changes by that.
    let byname = base.join("byname");
    for raw in [
        "src/a.rs",
        "alias/../a.rs",
        "src/../../repo/src/a.rs",
        "out/x",
        "out/../repo/src/a.rs",
        "../x",
        "loop",
        "new/file",
        ".",
    ] {
        let through = root::locate(&byname, &byname, raw);
        assert_eq!(through, root::locate(&repo, &repo, raw), "{raw}");
    }
    let by_both = root::locate(&byname, Path::new(""), &absolute("repo/src/a.rs"));
    assert_eq!(by_both, root::locate(&repo, Path::new(""), "src/a.rs"));
}

#[test]
fn references_in_reftables_are_asked_of_git() {
    let dir = tempfile::tempdir().unwrap();
    let main = dir.path().canonicalize().unwrap().join("main");
    std::fs::create_dir(&main).unwrap();
    let made = Command::new("git")
        .args(["init", "-q", "--ref-format=reftable", "-b", "trunk"])
        .current_dir(&main)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        // A git before 2.45.
        return;
    }
    let unborn = head(&main);
    assert_eq!(
        (unborn.branch.as_str(), unborn.head.as_str()),
        ("trunk", "")
    );
    for subject in ["one", "two"] {
        git(&main, &["commit", "-q", "--allow-empty", "-m", subject]);
        let now = head(&main);
        assert_eq!(now.branch, "trunk");
        assert_eq!(now.head, git(&main, &["rev-parse", "HEAD"]), "{subject}");
    }
    let one = git(&main, &["rev-parse", "HEAD~1"]);
    assert_eq!(root::branch_named(&main, "other/x"), None);
    git(&main, &["branch", "other/x", "HEAD~1"]);
    assert_eq!(root::branch_named(&main, "other/x").unwrap().commit, one);
    git(&main, &["worktree", "add", "-q", "../linked", "other/x"]);
    let linked = dir.path().canonicalize().unwrap().join("linked");
    assert_eq!(
        (head(&linked).branch, head(&linked).head),
        ("other/x".to_owned(), one.clone())
    );
    assert_eq!(root::branch(&main), "trunk");
    git(&main, &["checkout", "-q", "--detach", "HEAD~1"]);
    assert_eq!(
        (head(&main).branch, head(&main).head),
        ("(detached)".to_owned(), one)
    );
    git(&main, &["branch", "-q", "-f", "trunk", "HEAD"]);
    git(&main, &["checkout", "-q", "trunk"]);
    assert_eq!(root::branch(&main), "trunk");
}
