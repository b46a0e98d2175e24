//! `init --stealth`: everything is remembered, and nothing of it can be seen in the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::session::{edited, end, failed_command, prompt, start};
use aictx_tests::{TestEnv, wait_until};

/// Every file below a directory with its bytes, git's own included.
fn everything(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        found.insert(directory.clone(), Vec::new());
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// The only memory outside of a repository.
fn home_outside(env: &TestEnv) -> PathBuf {
    let mut homes = fs::read_dir(env.path().join("state/aictx/memory")).unwrap();
    let home = homes.next().unwrap().unwrap().path();
    assert!(homes.next().is_none());
    home
}

fn one_session(env: &TestEnv, at: &Path, id: &str) -> String {
    let mut told = env.hook(at, &start(at, id, "startup")).ok().stdout;
    told += &env.hook(at, &prompt(at, id, "continue")).ok().stdout;
    for event in [
        prompt(at, id, "fix the add function"),
        edited(at, id, "calc.py"),
        failed_command(
            at,
            id,
            "python3 -m pytest -q",
            "E   assert 0 == 4\nFAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.02s",
        ),
        end(at, id),
    ] {
        env.hook(at, &event).ok();
    }
    told
}

fn remembers_without_a_trace(with_daemon: bool) {
    let mut env = TestEnv::new();
    fs::create_dir_all(env.path().join("home/.claude")).unwrap();
    let daemon = with_daemon.then(|| env.daemon());
    if !with_daemon {
        env.set("AICTX_NO_DAEMON", "1");
    }
    let repo = env.plain_repository("demo");
    let linked = env.path().join("linked");
    env.git(&repo, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    let (before, linked_before) = (everything(&repo), everything(&linked));

    let dry = env.aictx(&repo, &["init", "--stealth", "--dry-run", "--json"]);
    assert_eq!(dry.ok().json()["stealth"], true);
    assert!(!env.path().join("state/aictx/memory").exists());

    let made = env.aictx(&repo, &["init", "--stealth"]).ok().stdout;
    let home = home_outside(&env);
    assert!(made.contains(home.to_str().unwrap()), "{made}");
    assert!(made.contains("aictx install"), "hooks are missing: {made}");
    let owner = fs::read_to_string(home.join("repository")).unwrap();
    assert_eq!(owner.trim(), repo.to_str().unwrap());

    assert!(!one_session(&env, &repo, "one").contains("Open failure"));
    wait_until("the session is finalized", || {
        env.rows(&home, "metrics/execution_logs.jsonl").len() == 1
    });
    // From a linked worktree as well: it is the same memory.
    let told = one_session(&env, &linked, "two");
    assert!(told.contains("Last handoff"), "{told}");
    assert!(told.contains("fix the add function"), "{told}");
    assert!(told.contains("Open failure"), "{told}");
    env.aictx(&repo, &["map", "refresh"]).ok();
    assert!(home.join(".aictx/repo_map/status.json").exists());
    let log = env.aictx(&repo, &["log", "--json"]).ok();
    assert!(log.stdout.contains("calc.py"), "{}", log.stdout);
    // Answers name the files where they are.
    let resumed = env.aictx(&repo, &["resume", "--json"]).ok();
    let finalized = env
        .aictx(
            &repo,
            &[
                "finalize",
                "--status",
                "success",
                "--summary",
                "done",
                "--json",
            ],
        )
        .ok();
    let compacted = env
        .aictx(&repo, &["internal", "compact", "--apply", "--json"])
        .ok();
    for (answer, pointer) in [
        (&resumed, "/written_files/markdown"),
        (&resumed, "/contract_ref/path"),
        (&finalized, "/handoff_persisted/path"),
        (&compacted, "/manifest_path"),
    ] {
        let value = answer.json();
        let path = value
            .pointer(pointer)
            .and_then(|path| path.as_str())
            .unwrap();
        assert!(path.starts_with(home.to_str().unwrap()), "{path}");
        assert!(Path::new(path).exists(), "{path}");
        assert!(!answer.stdout.contains("\".aictx/"), "{}", answer.stdout);
    }
    // A second time without the word is no way in.
    env.aictx(&repo, &["init"]).ok();
    let shared = env.aictx(&repo, &["init", "--shared"]);
    assert_eq!(shared.status, 2, "{shared:?}");

    let doctor = env.aictx(&repo, &["doctor", "--json"]).ok().json();
    for check in doctor["checks"].as_array().unwrap() {
        if ["repo_initialized", "git_hides_memory", "state_readable"]
            .contains(&check["name"].as_str().unwrap())
        {
            assert_eq!(check["status"], "ok", "{check}");
        }
    }

    assert_eq!(everything(&repo), before);
    assert_eq!(everything(&linked), linked_before);
    let status = env.git(&repo, &["status", "--porcelain", "--ignored"]);
    assert_eq!(status, "");

    let cleaned = env
        .aictx(&repo, &["clean", "--verify", "--json"])
        .ok()
        .json();
    let archive = cleaned["archived"][0].as_str().unwrap();
    assert!(Path::new(archive).join("continuity/handoff.json").exists());
    assert!(!home.exists());
    drop(daemon);
}

#[test]
fn the_daemon_remembers_without_a_trace_in_the_repository() {
    remembers_without_a_trace(true);
}

#[test]
fn one_shot_processes_remember_without_a_trace_in_the_repository() {
    remembers_without_a_trace(false);
}

#[test]
fn a_memory_is_in_one_place_only() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let refused = env.aictx(&repo, &["init", "--stealth"]);
    assert_ne!(refused.status, 0);
    assert!(refused.stderr.contains("aictx clean"), "{}", refused.stderr);
    assert!(!env.path().join("state/aictx/memory").exists());
    env.aictx(&repo, &["clean"]).ok();
    env.aictx(&repo, &["init", "--stealth"]).ok();
    assert!(!repo.join(".aictx").exists());

    let plain = env.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let refused = env.aictx(&plain, &["init", "--stealth"]);
    assert_ne!(refused.status, 0, "nothing tells where it begins");
}

#[test]
fn a_daemon_sees_a_memory_that_another_process_made_outside() {
    let mut env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let daemon = env.daemon();
    // It has looked for the repository before there was anything.
    env.hook(&repo, &start(&repo, "early", "startup")).ok();
    env.set("AICTX_NO_DAEMON", "1");
    env.aictx(&repo, &["init", "--stealth"]).ok();
    env.unset("AICTX_NO_DAEMON");
    one_session(&env, &repo, "one");
    let home = home_outside(&env);
    wait_until("the session is finalized", || {
        env.rows(&home, "metrics/execution_logs.jsonl").len() == 1
    });
    assert!(!repo.join(".aictx").exists());
    // What people change there is seen as it is in a repository.
    wait_until("the memory is watched", || {
        env.status()
            .repositories
            .first()
            .is_some_and(|repository| repository.watch.mode == "native")
    });
    drop(daemon);
}

#[test]
fn uninstall_keeps_what_is_outside_and_purging_deletes_it() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let before = everything(&repo);
    env.aictx(&repo, &["init", "--stealth"]).ok();
    let home = home_outside(&env);
    env.aictx(&repo, &["uninstall"]).ok();
    assert!(home.join(".aictx/format.json").exists());
    env.aictx(&repo, &["init"]).ok();
    assert!(!repo.join(".aictx").exists(), "it stays outside");
    env.aictx(&repo, &["uninstall", "--purge", "--yes"]).ok();
    assert!(!env.path().join("state/aictx").exists());
    assert_eq!(everything(&repo), before);
}

#[test]
fn memory_of_a_repository_that_moved_is_found() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--stealth"]).ok();
    let checks = |at: &Path| env.aictx(at, &["doctor", "--json"]).ok().stdout;
    assert!(!checks(&repo).contains("memory_without_repository"));
    let moved = env.path().join("moved");
    fs::rename(&repo, &moved).unwrap();
    assert!(checks(&moved).contains("memory_without_repository"));
    fs::rename(&moved, &repo).unwrap();
    assert!(!checks(&repo).contains("memory_without_repository"));
}
