//! The watcher: woken by changes and by nothing else, and never blind for good.

use std::fs;
use std::path::{Path, PathBuf};

use aictx_proto::methods::WatchStats;
use aictx_tests::session::{after_command, start};
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

fn stats(env: &TestEnv, repo: &Path) -> WatchStats {
    let path = repo.to_string_lossy();
    let all = env.status().repositories;
    let found = all.into_iter().find(|r| r.repo == path);
    found.map(|r| r.watch).unwrap_or_default()
}

/// Waits until the repository is watched.
fn watched(env: &TestEnv, repo: &Path) -> WatchStats {
    wait_until("the repository is watched", || {
        !["", "off"].contains(&stats(env, repo).mode.as_str())
    });
    stats(env, repo)
}

/// Makes a change of our own and waits until it was delivered: whatever happened before it has
/// been delivered, too, because the kernel keeps the order. Gives the counters after it, with the
/// mark's own batch and path taken off.
fn mark(env: &TestEnv, repo: &Path, before: &WatchStats) -> WatchStats {
    let mark = repo.join("mark");
    fs::write(&mark, "").unwrap();
    wait_until("the mark is seen", || {
        stats(env, repo).changed_paths > before.changed_paths
    });
    let mut after = stats(env, repo);
    after.batches -= 1;
    after.changed_paths -= 1;
    after
}

fn directories(env: &TestEnv, repo: &Path, wanted: u64) {
    wait_until(&format!("{wanted} directories are watched"), || {
        stats(env, repo).directories == wanted
    });
}

#[test]
fn reading_wakes_nobody() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let before = watched(&env, &repo);
    assert_eq!(
        (before.mode.as_str(), before.reason.as_str()),
        ("native", "")
    );
    for _ in 0..20 {
        for file in ["README.md", "calc.py", ".git/HEAD", ".aictx/format.json"] {
            fs::read(repo.join(file)).unwrap();
        }
        let _ = fs::read_dir(&repo).unwrap().count();
    }
    env.git(&repo, &["status", "--porcelain"]);
    env.git(&repo, &["log", "--stat"]);
    env.git(&repo, &["--no-optional-locks", "diff", "HEAD"]);
    let grep = env
        .command("grep")
        .args(["-r", "nothing like this", "."])
        .current_dir(&repo)
        .output()
        .unwrap();
    assert!(grep.stdout.is_empty());
    env.rpc("session.list", &json!({ "repo": repo }));
    let after = mark(&env, &repo, &before);
    assert_eq!(
        (after.batches, after.changed_paths, after.rescans),
        (before.batches, before.changed_paths, before.rescans)
    );
}

#[test]
fn what_we_write_into_ledgers_wakes_nobody() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    watched(&env, &repo);
    // The session's start was a commit; it has to have been seen before we count.
    let before = mark(&env, &repo, &stats(&env, &repo));
    wait_until("all is quiet", || {
        let one = stats(&env, &repo);
        let event = after_command(&repo, "s", "true", "ok");
        env.hook(&repo, &event).ok();
        stats(&env, &repo) == one
    });
    let before = WatchStats {
        changed_paths: stats(&env, &repo).changed_paths,
        batches: stats(&env, &repo).batches,
        ..before
    };
    for n in 0..50 {
        let event = after_command(&repo, "s", &format!("echo {n}"), "ok");
        env.hook(&repo, &event).ok();
    }
    assert!(env.rows(&repo, "sessions/s.jsonl").len() > 50);
    fs::write(repo.join("mark2"), "").unwrap();
    wait_until("the mark is seen", || {
        stats(&env, &repo).changed_paths > before.changed_paths
    });
    let after = stats(&env, &repo);
    assert_eq!(
        (after.batches, after.changed_paths),
        (before.batches + 1, before.changed_paths + 1),
        "the mark and nothing else"
    );
}

#[test]
fn directories_are_followed_wherever_they_go() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::write(repo.join(".gitignore"), "ignored/\n").unwrap();
    let _daemon = env.daemon();
    let base = watched(&env, &repo).directories;
    fs::create_dir_all(repo.join("a/b/c")).unwrap();
    directories(&env, &repo, base + 3);
    fs::create_dir_all(repo.join("ignored/x/y")).unwrap();
    // A change in a directory that is new is seen like any other.
    let before = stats(&env, &repo);
    fs::write(repo.join("a/b/c/new.py"), "x = 1\n").unwrap();
    wait_until("the change is seen", || {
        stats(&env, &repo).changed_paths > before.changed_paths
    });
    assert_eq!(stats(&env, &repo).directories, base + 3);
    // Renamed, with everything below it.
    fs::rename(repo.join("a"), repo.join("z")).unwrap();
    wait_until("the tree was walked again", || {
        stats(&env, &repo).rescans > before.rescans
    });
    assert_eq!(stats(&env, &repo).directories, base + 3);
    let before = stats(&env, &repo);
    fs::write(repo.join("z/b/c/more.py"), "x = 1\n").unwrap();
    wait_until("the change under the new name is seen", || {
        stats(&env, &repo).changed_paths > before.changed_paths
    });
    // Moved out, moved in, gone.
    fs::rename(repo.join("z"), env.path().join("outside")).unwrap();
    directories(&env, &repo, base);
    fs::rename(env.path().join("outside"), repo.join("back")).unwrap();
    directories(&env, &repo, base + 3);
    fs::remove_dir_all(repo.join("back")).unwrap();
    directories(&env, &repo, base);
    // What is not ignored any more is watched from then on.
    fs::write(repo.join(".gitignore"), "").unwrap();
    directories(&env, &repo, base + 3);
}

#[test]
fn a_burst_of_three_thousand_files_is_a_few_batches() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let before = watched(&env, &repo);
    for n in 0..3_000 {
        fs::write(repo.join(format!("f{n}.txt")), "x").unwrap();
    }
    wait_until("all are seen", || {
        stats(&env, &repo).changed_paths >= before.changed_paths + 3_000
    });
    let batches = stats(&env, &repo).batches - before.batches;
    // At most one every 500 ms where writing goes on without a pause; every pause of a slow machine
    // ends one, too.
    assert!((1..=300).contains(&batches), "{batches} batches");
}

/// 2 000 files in 100 directories on a branch of their own.
fn with_two_branches(env: &TestEnv) -> PathBuf {
    let repo = env.repository("demo");
    env.git(&repo, &["checkout", "-q", "-b", "big"]);
    for d in 0..100 {
        let directory = repo.join(format!("src/d{d}"));
        fs::create_dir_all(&directory).unwrap();
        for f in 0..20 {
            fs::write(directory.join(format!("f{f}.py")), format!("x = {d}{f}\n")).unwrap();
        }
    }
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "big"]);
    repo
}

#[test]
fn a_checkout_of_thousands_of_files_ends_with_the_right_directories() {
    let env = TestEnv::new();
    let repo = with_two_branches(&env);
    let _daemon = env.daemon();
    let big = watched(&env, &repo);
    assert!(big.directories >= 101);
    for _ in 0..3 {
        env.git(&repo, &["checkout", "-q", "main"]);
        directories(&env, &repo, big.directories - 101);
        env.git(&repo, &["checkout", "-q", "big"]);
        directories(&env, &repo, big.directories);
    }
    let before = stats(&env, &repo);
    fs::write(repo.join("src/d99/new.py"), "x = 1\n").unwrap();
    wait_until("a change in the last directory is seen", || {
        stats(&env, &repo).changed_paths > before.changed_paths
    });
}

#[test]
fn an_overflow_of_the_kernels_queue_is_made_good_by_a_walk() {
    let limit: u64 = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .unwrap_or_default()
        .trim()
        .parse()
        .unwrap_or(0);
    if limit == 0 || limit > 50_000 {
        println!("skipped: the queue holds {limit} events");
        return;
    }
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let before = watched(&env, &repo);
    let pid = rustix::process::Pid::from_raw(i32::try_from(daemon.pid()).unwrap()).unwrap();
    // While the daemon stands still nobody empties the queue.
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    wait_until("it stands still", || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.pid())).unwrap();
        stat.contains(") T ")
    });
    // Of different names in turn, so that the kernel merges none.
    let names = [repo.join("even"), repo.join("odd")];
    for n in 0..limit + 1_000 {
        fs::File::create(&names[usize::from(n % 2 == 0)]).unwrap();
    }
    fs::create_dir_all(repo.join("late/later")).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    wait_until("the overflow is noticed", || {
        stats(&env, &repo).overflows > 0
    });
    directories(&env, &repo, before.directories + 2);
    assert!(stats(&env, &repo).rescans > before.rescans);
    let before = stats(&env, &repo);
    fs::write(repo.join("late/later/file"), "x").unwrap();
    wait_until("and it goes on", || {
        stats(&env, &repo).changed_paths > before.changed_paths
    });
}

#[test]
fn too_few_watches_mean_polling_and_a_reason() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    fs::create_dir_all(repo.join("a/b/c")).unwrap();
    env.set("AICTXD_MAX_WATCHES", "3");
    let _daemon = env.daemon();
    let found = watched(&env, &repo);
    assert_eq!(found.mode, "polling");
    assert!(
        found.reason.contains("fs.inotify.max_user_watches"),
        "{found:?}"
    );
    // And what matters is right all the same.
    let text = handed_over(&env, &repo, "by hand, while polling");
    assert!(text.contains("by hand, while polling"), "{text}");
}

/// Changes the handoff as an editor or a pull would, and gives what the next session is told.
fn handed_over(env: &TestEnv, repo: &Path, summary: &str) -> String {
    let path = repo.join(".aictx/continuity/handoff.json");
    if !path.exists() {
        env.rpc(
            "finalize",
            &json!({ "repo": repo, "status": "success", "summary": "did it" }),
        );
    }
    let mut handoff: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    handoff["summary"] = json!(summary);
    // Written aside and renamed, like git and most editors.
    let draft = repo.join(".aictx/continuity/draft");
    fs::write(&draft, handoff.to_string()).unwrap();
    fs::rename(&draft, &path).unwrap();
    let run = env.hook(repo, &start(repo, summary, "startup")).ok();
    run.json()["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn memory_changed_by_hand_is_what_the_next_session_is_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    watched(&env, &repo);
    for n in 0..5 {
        let summary = format!("changed by hand {n}");
        let text = handed_over(&env, &repo, &summary);
        assert!(text.contains(&summary), "at once: {text}");
    }
    // It is noticed without anybody asking, too.
    let generation = || env.status().repositories[0].generation;
    let before = stats(&env, &repo);
    let path = repo.join(".aictx/continuity/handoff.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("changed by hand 4", "changed once more"),
    )
    .unwrap();
    wait_until("the watcher has seen it", || {
        stats(&env, &repo).batches > before.batches
    });
    assert!(generation() > 0);
    // Broken by hand: reported, and nobody is told nonsense.
    fs::write(&path, "<<<<<<< ours\n{").unwrap();
    let run = env.hook(&repo, &start(&repo, "broken", "startup")).ok();
    assert!(!run.stdout.contains("<<<<<<<"), "{run:?}");
    let warnings = &env.status().repositories[0].warnings;
    assert!(
        warnings.iter().any(|w| w.contains("handoff.json")),
        "{warnings:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "<<<<<<< ours\n{");
}

#[test]
fn a_repository_is_watched_from_its_registration_to_its_end() {
    let env = TestEnv::new();
    let _daemon = env.daemon();
    let repo = env.plain_repository("late");
    let init = json!({ "repo": repo });
    assert_eq!(env.rpc("init", &init)["result"]["registered"], true);
    watched(&env, &repo);
    env.rpc("repo.remove", &json!({ "repo": repo }));
    assert!(env.status().repositories.is_empty());
    env.rpc("repo.add", &json!({ "repo": repo }));
    let again = watched(&env, &repo);
    assert_eq!(again.mode, "native");
    let before = stats(&env, &repo);
    mark(&env, &repo, &before);
    // Deleted and made anew in the same place.
    fs::remove_dir_all(&repo).unwrap();
    wait_until("its end is seen", || stats(&env, &repo).mode == "off");
    let repo = env.plain_repository("late");
    assert_eq!(env.rpc("init", &init)["result"]["registered"], true);
    let before = watched(&env, &repo);
    assert_eq!(before.mode, "native");
    mark(&env, &repo, &before);
}

/// Returns the worktree's changed and new files by the daemon's word.
fn git_state(env: &TestEnv, repo: &Path, round: usize) -> (Vec<String>, Vec<String>) {
    let report = json!({
        "repo": repo, "status": "success", "summary": format!("round {round}"),
        "caller": { "session_id": format!("s{round}") },
    });
    let reply = env.rpc("finalize", &report);
    let list = |name: &str| -> Vec<String> {
        let list = reply["result"]["git_state"][name].clone();
        serde_json::from_value(list).unwrap_or_else(|_| panic!("{reply}"))
    };
    (list("unstaged_files"), list("untracked_files"))
}

#[test]
fn what_changed_just_now_is_known_to_whoever_asks() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    watched(&env, &repo);
    let calc = repo.join("calc.py");
    let clean = fs::read_to_string(&calc).unwrap();
    for round in 0..72 {
        // At first nothing that git has to be asked about, so that only the watcher tells of it.
        let how = match round {
            0..40 => round % 2 * 2 + 1,
            round => round % 4,
        };
        let (edited, made) = (how != 0, round > 40 && round % 3 == 0);
        match how {
            0 => fs::write(&calc, &clean).unwrap(),
            1 => fs::write(&calc, format!("{clean}# {round}\n")).unwrap(),
            // With the size that git knows.
            2 => fs::write(&calc, clean.replace("return", "retorn")).unwrap(),
            // As editors write that never leave half a file.
            _ => {
                fs::write(repo.join(".calc.swp"), format!("# {round}\n{clean}")).unwrap();
                fs::rename(repo.join(".calc.swp"), &calc).unwrap();
            }
        }
        let new = repo.join("made.py");
        if made {
            fs::write(&new, "").unwrap();
        } else if new.exists() {
            fs::remove_file(&new).unwrap();
        }
        let wanted = |there: bool, name: &str| match there {
            true => vec![name.to_owned()],
            false => Vec::new(),
        };
        let expected = (wanted(edited, "calc.py"), wanted(made, "made.py"));
        assert_eq!(git_state(&env, &repo, round), expected, "round {round}");
    }
}

#[test]
fn directories_that_were_away_for_a_moment_are_watched_with_all_below() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let file = repo.join("src/deep/x.py");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "x = 1\n").unwrap();
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "deep"]);
    let _daemon = env.daemon();
    let before = watched(&env, &repo);
    fs::rename(repo.join("src"), repo.join("away")).unwrap();
    fs::rename(repo.join("away"), repo.join("src")).unwrap();
    mark(&env, &repo, &before);
    fs::remove_file(repo.join("mark")).unwrap();
    for round in 0..40 {
        fs::write(&file, format!("x = {}\n", "1".repeat(round + 2))).unwrap();
        let expected = (vec!["src/deep/x.py".to_owned()], Vec::new());
        assert_eq!(git_state(&env, &repo, round), expected, "round {round}");
        if round % 8 == 7 {
            fs::write(&file, "x = 1\n").unwrap();
            assert_eq!(git_state(&env, &repo, 100 + round), Default::default());
        }
    }
}
