//! Guard rules beyond a command's own risk: the user's limits, other live sessions, and the
//! check at the end of a turn.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

/// Returns the verdict on an edit: decision, reason, note.
pub(crate) fn before_edit(
    play: &Play<'_>,
    root: &std::path::Path,
    file: &str,
) -> (String, String, String) {
    // The same call told twice is answered once.
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = format!("t{}", CALLS.fetch_add(1, Ordering::Relaxed));
    let input = json!({ "file_path": root.join(file), "old_string": "a", "new_string": "b" });
    let run = play.hook(
        "PreToolUse",
        json!({ "tool_name": "Edit", "tool_input": input, "tool_use_id": call }),
    );
    if run.stdout.is_empty() {
        return Default::default();
    }
    let answer = run.json();
    let text = |name: &str| {
        answer["hookSpecificOutput"][name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    (
        text("permissionDecision"),
        text("permissionDecisionReason"),
        text("additionalContext"),
    )
}

pub(crate) fn before_command(play: &Play<'_>, command: &str) -> Value {
    let run = play.hook(
        "PreToolUse",
        json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": aictx_tests::call_id() }),
    );
    if run.stdout.is_empty() {
        return Value::Null;
    }
    run.json()["hookSpecificOutput"]["permissionDecision"].clone()
}

#[test]
fn what_the_user_put_off_limits_is_not_edited_until_they_lift_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Please fix add, but don't touch calc.py");
    let (decision, reason, _) = before_edit(&ann, &repo, "calc.py");
    assert_eq!(decision, "deny", "{reason}");
    assert!(reason.contains("calc.py"), "{reason}");
    assert_eq!(before_edit(&ann, &repo, "README.md").0, "");

    // Another session has its own user.
    let bob = Play::claude(&env, &repo, "bob");
    bob.start("startup");
    assert_eq!(before_edit(&bob, &repo, "calc.py").0, "");

    // A daemon that is started again knows.
    drop(daemon);
    let _daemon = env.daemon();
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "deny");

    ann.prompt("ok, you can edit calc.py now");
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "");
}

#[test]
fn names_in_what_the_user_says_are_looked_for_in_the_repository() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    for (file, text) in [
        ("src/db/store.py", "a\n"),
        ("src/web/migrations/1.sql", "a\n"),
        ("docs/store.md", "a\n"),
    ] {
        let file = repo.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    let refused = |file: &str| before_edit(&ann, &repo, file).0 == "deny";

    ann.prompt("Add paging. Don't touch store.py, the migrations or the readme.");
    assert!(refused("src/db/store.py"));
    assert!(refused("src/web/migrations/2.sql"));
    assert!(refused("README.md"));
    assert!(!refused("docs/store.md") && !refused("calc.py"));

    ann.prompt("You may touch it now.");
    assert!(
        !refused("src/db/store.py") && !refused("README.md"),
        "what was said last"
    );

    ann.prompt("Don't change anything, just explain how calc.py works.");
    assert!(refused("calc.py") && refused("new.py"));
    ann.prompt("Good. Now fix it.");
    assert!(!refused("calc.py"), "that was about one request");

    ann.prompt("Only change calc.py and its tests.");
    assert!(!refused("calc.py") && !refused("tests/test_calc.py"));
    assert!(refused("src/db/store.py"));
}

#[test]
fn files_are_read_and_edited_on_the_command_line_too() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let (ann, bob) = (
        Play::claude(&env, &repo, "ann"),
        Play::claude(&env, &repo, "bob"),
    );
    ann.start("startup");
    ann.prompt("Fix add");
    bob.start("startup");
    bob.prompt("Fix sub");
    ann.read("calc.py");
    // What the shell writes counts as an edit.
    fs::write(
        repo.join("calc.py"),
        "def add(a, b):\n    return a + b + 0\n",
    )
    .unwrap();
    bob.passes("sed -i 's/a + b/a + b + 0/' calc.py", "");
    let (_, _, note) = before_edit(&ann, &repo, "calc.py");
    assert!(note.contains("bob"), "{note}");
    // What it shows has been read.
    ann.passes("sed -n '1,40p' calc.py", "def add(a, b):\n");
    let (_, _, note) = before_edit(&ann, &repo, "calc.py");
    assert!(!note.contains("changed"), "{note}");

    let run = bob.hook("Stop", json!({ "stop_hook_active": false }));
    assert!(
        run.stdout.contains("pytest"),
        "the stop gate asks for the check: {}",
        run.stdout
    );
    bob.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("it is finalized", || {
        env.rows(&repo, "metrics/execution_logs.jsonl").len() == 1
    });
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows[0]["files_edited"], json!(["calc.py"]));
}

#[test]
fn claimed_paths_are_told_until_their_session_ends() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    let bob = Play::claude(&env, &repo, "bob");
    ann.start("startup");
    bob.start("startup");
    bob.prompt("Work on calc");
    let claimed = env.aictx(
        &repo,
        &["claim", "calc.py", "tests", "--session-id", "bob", "--json"],
    );
    assert_eq!(claimed.ok().json()["claims"], json!(["calc.py", "tests"]));
    let (decision, _, note) = before_edit(&ann, &repo, "calc.py");
    assert_eq!(decision, "", "a caution by default");
    assert!(
        note.contains("was claimed just now by another live session (claude, bob)"),
        "{note}"
    );
    assert_eq!(before_edit(&bob, &repo, "calc.py").2, "");
    // Whoever wants the same is told at once.
    let late = env.aictx(
        &repo,
        &["claim", "tests/a.py", "--session-id", "ann", "--json"],
    );
    let held = &late.ok().json()["held_by"];
    assert_eq!(
        (&held[0]["path"], &held[0]["session_id"]),
        (&json!("tests"), &json!("bob"))
    );
    // As everywhere, paths start where the command is run.
    fs::create_dir_all(repo.join("tests")).unwrap();
    let from_within = env.aictx(
        &repo.join("tests"),
        &["claim", "b.py", "../docs", "--session-id", "ann", "--json"],
    );
    assert_eq!(
        from_within.ok().json()["claims"],
        json!(["tests/a.py", "tests/b.py", "docs"])
    );
    let nobody = env.aictx(
        &repo,
        &["claim", "calc.py", "--session-id", "nobody", "--json"],
    );
    assert_ne!(nobody.status, 0, "{}", nobody.stdout);

    // The guard's own answer says so, too; a daemon that is started again knows.
    drop(daemon);
    let _daemon = env.daemon();
    let guard = |level: &str| {
        let asked = [
            "guard",
            "--action",
            "edit",
            "--paths",
            "calc.py",
            "--session-id",
            "ann",
            "--json",
        ];
        wait_until("the claim is known", || {
            let answer = env.aictx(&repo, &asked).ok().json();
            let found = answer["warnings"]
                .as_array()
                .unwrap()
                .iter()
                .find(|w| w["code"] == "parallel_edit")
                .cloned();
            found.is_some_and(|found| found["severity"] == level)
        });
    };
    guard("warning");
    fs::write(
        repo.join(".aictx/policy.toml"),
        "parallel_edits = \"deny\"\n",
    )
    .unwrap();
    guard("error");
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "deny");
    assert_eq!(before_command(&ann, "sed -i s/a/b/ calc.py"), "deny");
    assert_eq!(before_command(&ann, "cat calc.py"), Value::Null);

    // It ends with its session.
    bob.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("the claim is gone", || {
        before_edit(&ann, &repo, "calc.py").0.is_empty()
    });
}

#[test]
fn whoever_takes_up_all_changes_hears_whose_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let (ann, bob) = (
        Play::claude(&env, &repo, "ann"),
        Play::claude(&env, &repo, "bob"),
    );
    for session in [&ann, &bob] {
        session.start("startup");
    }
    ann.prompt("Fix calc");
    let note = |session: &Play, command: &str| {
        let input = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": aictx_tests::call_id() });
        let run = session.hook("PreToolUse", input);
        let answer = match run.stdout.as_str() {
            "" => json!({}),
            _ => run.json()["hookSpecificOutput"].clone(),
        };
        // What puts changes of others aside is asked about, the rest is told.
        match answer["permissionDecision"].as_str() {
            None => answer["additionalContext"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            Some(decision) => {
                assert!(
                    decision == "ask" && command.contains("stash"),
                    "{command}: {answer}"
                );
                format!("asked: {}", answer["permissionDecisionReason"])
            }
        }
    };
    let commands = [
        "git stash",
        "git add -A && git commit -m x",
        "git commit -am x",
    ];
    for command in commands {
        assert_eq!(note(&ann, command), "", "alone: {command}");
    }
    bob.prompt("Fix calc");
    bob.edit("calc.py", "def add(a, b):\n    return a + b\n");
    for command in commands {
        let told = note(&ann, command);
        assert!(told.contains("calc.py"), "{command}: {told}");
        assert_eq!(told.starts_with("asked"), command == "git stash", "{told}");
        assert_eq!(note(&bob, command), "", "its own: {command}");
    }
    assert_eq!(note(&ann, "git stash push README.md"), "");
    for command in [
        "git stash push -u",
        "git stash push -m wip calc.py",
        "git stash -- calc.py",
        "git stash push '*.py'",
    ] {
        let told = note(&ann, command);
        assert!(
            told.starts_with("asked") && told.contains("calc.py"),
            "{command}: {told}"
        );
    }
    // What is claimed is somebody's, too, once it has changed.
    env.aictx(&repo, &["claim", "README.md", "--session-id", "bob"])
        .ok();
    assert!(!note(&ann, "git stash push README.md").starts_with("asked"));
    std::fs::write(repo.join("README.md"), "changed\n").unwrap();
    wait_until("the change is known", || {
        note(&ann, "git stash push README.md").starts_with("asked")
    });
    env.git(&repo, &["checkout", "-q", "--", "README.md"]);
    let asked = [
        "guard",
        "--action",
        "risky_command",
        "--command",
        "git stash",
    ];
    let asked = [&asked[..], &["--session-id", "ann", "--json"]].concat();
    let answer = env.aictx(&repo, &asked).ok().json();
    assert_eq!(answer["decision"], "caution", "{answer}");
    assert_eq!(answer["warnings"][0]["code"], "takes_others_changes");
    // Once it is committed, nothing of it is taken.
    env.git(&repo, &["commit", "-qam", "calc"]);
    wait_until("the commit is known", || note(&ann, "git stash").is_empty());
    // A limit of one's own user is told of, too.
    ann.prompt("Don't touch README.md");
    let told = note(&ann, "git stash");
    assert!(told.contains("README.md"), "{told}");
    assert_eq!(note(&ann, "git commit -am x"), "");
}

#[test]
fn claims_of_idle_sessions_survive_a_restart() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let (idle, done) = (
        Play::claude(&env, &repo, "idle"),
        Play::claude(&env, &repo, "done"),
    );
    idle.start("startup");
    idle.prompt("hi");
    done.start("startup");
    done.prompt("Add a subtraction to calc");
    done.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    for (session, path) in [("idle", "docs"), ("done", "calc.py")] {
        env.aictx(&repo, &["claim", path, "--session-id", session])
            .ok();
    }
    let told = [
        "finalize",
        "--session-id",
        "done",
        "--status",
        "success",
        "--summary",
        "Subtracts.",
    ];
    env.aictx(&repo, &told).ok();

    drop(daemon);
    let _daemon = env.daemon();
    // The first that is asked of the new one.
    let third = Play::claude(&env, &repo, "third");
    let (_, _, note) = before_edit(&third, &repo, "calc.py");
    assert!(note.contains("done"), "{note}");
    let claims = |session: &str| {
        let who = env.aictx(&repo, &["who", "--json"]).ok().json();
        let sessions = who["sessions"].as_array().cloned().unwrap_or_default();
        let found = sessions.into_iter().find(|s| s["session_id"] == session);
        found.map(|s| s["claims"].clone())
    };
    for (session, path) in [("idle", "docs"), ("done", "calc.py")] {
        wait_until("the claim is known", || {
            claims(session) == Some(json!([path]))
        });
    }
    done.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("the session is gone", || claims("done").is_none());
}

#[test]
fn a_tool_named_powershell_speaks_powershell() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Tidy up");
    let asked = |tool: &str, command: &str| {
        let input = json!({ "command": command });
        let run = ann.hook(
            "PreToolUse",
            json!({ "tool_name": tool, "tool_input": input, "tool_use_id": aictx_tests::call_id() }),
        );
        match run.stdout.as_str() {
            "" => Value::Null,
            _ => run.json()["hookSpecificOutput"]["permissionDecision"].clone(),
        }
    };
    // In a POSIX shell this is a comment behind a word; here a line break escaped by a backtick.
    let broken = "rd `\n  /s /q src\\app";
    assert_eq!(asked("PowerShell", broken), "ask");
    assert_eq!(asked("PowerShell", "del src\\*.py"), "ask");
    assert_eq!(asked("PowerShell", "Get-ChildItem -Recurse"), Value::Null);
    assert_eq!(asked("Bash", "ls src"), Value::Null);
}

#[test]
fn the_end_of_a_turn_asks_once_for_the_check() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    let stop = |again: bool| {
        ann.hook(
            "Stop",
            json!({ "stop_hook_active": again, "last_assistant_message": "Done." }),
        )
        .stdout
    };
    ann.start("startup");
    ann.prompt("Fix add");
    assert_eq!(stop(false), "", "nothing was edited");
    ann.prompt("Fix add");
    ann.edit("calc.py", "def add(a, b):\n    return a + b\n");
    let asked: Value = serde_json::from_str(&stop(false)).unwrap();
    assert_eq!(asked["decision"], "block");
    assert!(asked["reason"].as_str().unwrap().contains("calc.py"));
    assert_eq!(stop(true), "", "once a turn");
    assert_eq!(stop(false), "", "once a turn, whatever the agent says");
    ann.prompt("And now?");
    ann.edit("calc.py", "def add(a, b):\n    return b + a\n");
    ann.passes("python -m pytest", "4 passed in 0.01s");
    assert_eq!(stop(false), "", "the check passed");
    ann.prompt("Try something");
    ann.edit("calc.py", "def add(a, b):\n    return 0\n");
    env.git(&repo, &["checkout", "-q", "calc.py"]);
    let written = fs::File::options()
        .append(true)
        .open(repo.join("calc.py"))
        .unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    written.set_modified(later).unwrap();
    ann.edit(".gitignore", "*.log\n");
    assert_eq!(stop(false), "", "nothing is left that a check is about");
    ann.prompt("Use subtraction instead, and skip the tests this time");
    ann.edit("calc.py", "def add(a, b):\n    return b - a\n");
    assert_eq!(stop(false), "", "the user wants no check");
    ann.prompt("Ok, run the tests again from now on, and rename b");
    ann.edit("calc.py", "def add(a, c):\n    return c - a\n");
    assert_ne!(stop(false), "", "the user wants it again");
}

#[test]
fn limits_from_the_command_line_reach_the_one_session_or_none() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let apply = [
        "steer",
        "--message",
        "don't touch calc.py",
        "--apply",
        "--json",
    ];
    let nobody = env.aictx(&repo, &apply);
    assert_ne!(nobody.status, 0);
    assert!(nobody.json()["error"].to_string().contains("--session-id"));
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    assert_eq!(env.aictx(&repo, &apply).ok().json()["applied_to"], "ann");
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "deny");
    let bob = Play::claude(&env, &repo, "bob");
    bob.start("startup");
    assert_ne!(env.aictx(&repo, &apply).status, 0, "whose?");
}

#[test]
fn what_is_off_limits_is_so_for_commands_too() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::create_dir_all(repo.join("src")).unwrap();
    fs::create_dir_all(repo.join("migrations")).unwrap();
    fs::write(repo.join("src/auth.py"), "x = 1\n").unwrap();
    fs::write(repo.join("migrations/1.sql"), "SELECT 1;\n").unwrap();
    fs::write(
        repo.join(".aictx/policy.toml"),
        "[paths]\n\"docs/**\" = \"deny\"\n\"README.md\" = \"ask\"\n",
    )
    .unwrap();
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Tidy up. Don't touch src/auth.py and migrations/.");
    for command in [
        "git checkout src/auth.py",
        "git rm -q --cached src/auth.py",
        "git mv src/auth.py src/login.py",
        "mv src lib",
        "sed -i s/a/b/ src/*.py",
        "find src -name auth.py -exec sed -i s/a/b/ {} +",
        "find migrations -name '*.sql' -exec sed -i s/a/b/ {} +",
        "grep -rl foo migrations | xargs sed -i s/foo/bar/",
        "python3 -c 'open(\"src/auth.py\", \"w\").write(\"\")'",
        "python3 - <<'EOF'\nimport pathlib\np = pathlib.Path('src/auth.py')\np.write_text(p.read_text().replace('a', 'b'))\nEOF",
        "black src/auth.py",
        "ruff format src",
        "npx prettier --write migrations",
        "sort -o src/auth.py src/auth.py",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/auth.py\n@@\n-x = 1\n+x = 2\n*** End Patch\nEOF",
        "cd src && touch auth.py",
        "sed -i s/a/b/ docs/guide.md",
    ] {
        assert_eq!(before_command(&ann, command), "deny", "{command}");
    }
    assert_eq!(before_command(&ann, "echo x >> README.md"), "ask");
    for command in [
        "cat src/auth.py",
        "git diff src/auth.py",
        "git add src/auth.py",
        "git log --oneline -- migrations",
        "git restore --staged src/auth.py",
        "python3 src/auth.py",
        "pytest -q src/auth.py",
        "ruff check src",
        "grep -rn foo migrations",
        "sed -n 1,5p src/auth.py",
        "find migrations -name '*.sql'",
        "sed -i s/a/b/ calc.py",
        "black calc.py",
        "cat docs/guide.md",
    ] {
        assert_eq!(before_command(&ann, command), Value::Null, "{command}");
    }
    ann.prompt("You may change src/auth.py again, and the migrations too.");
    assert_eq!(before_command(&ann, "black src/auth.py"), Value::Null);
}

#[test]
fn limits_that_cannot_be_read_after_a_restart_are_asked_for_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("Fix add, but don't touch README.md");
    assert_eq!(before_edit(&ann, &repo, "README.md").0, "deny");
    drop(daemon);
    let ledger = repo.join(".aictx/sessions/ann.jsonl");
    let sound = fs::read_to_string(&ledger).unwrap();
    // All of it, and only the row that says what is off limits.
    let torn = sound.replace("\"limits\":{", "\"limits\":");
    assert_ne!(torn, sound);
    for damaged in ["garbage\n", &torn] {
        fs::write(&ledger, damaged).unwrap();
        let daemon = env.daemon();
        ann.prompt("Go on");
        assert_eq!(before_command(&ann, "python -m pytest -q"), Value::Null);
        let (decision, reason, _) = before_edit(&ann, &repo, "README.md");
        assert_eq!(decision, "ask", "{damaged}");
        assert!(reason.contains("cannot be read"), "{reason}");
        assert_eq!(before_edit(&ann, &repo, "calc.py").0, "");
        drop(daemon);
    }
}

#[test]
fn taking_back_what_is_committed_anyway_asks_nobody() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    fs::create_dir(repo.join("docs")).unwrap();
    fs::write(repo.join("docs/a.md"), "a\n").unwrap();
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-qm", "docs"]);
    env.git(&repo, &["branch", "docs"]);
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    let taken_back = [
        "git checkout calc.py",
        "git restore calc.py",
        "git checkout -- .",
        "git checkout *.py",
        "git reset --hard",
    ];
    for command in [
        "git checkout docs",
        "git checkout calc.py",
        "git restore calc.py",
    ] {
        assert_eq!(before_command(&ann, command), Value::Null, "{command}");
    }
    fs::write(repo.join("calc.py"), "def add(a, b):\n    return 0\n").unwrap();
    for command in taken_back {
        assert_eq!(before_command(&ann, command), "ask", "{command}");
    }
    assert_eq!(before_command(&ann, "git checkout docs/a.md"), Value::Null);
}

#[test]
fn a_limit_behind_a_long_log_holds() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    let log = "2026-11-27 10:00:00 INFO worker finished a job\n".repeat(2_000);
    ann.prompt(&format!("{log}\nFix this. Don't touch calc.py."));
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "deny");
    ann.prompt(&format!("{log}\nOK, you may edit calc.py again."));
    assert_eq!(before_edit(&ann, &repo, "calc.py").0, "");
}

#[test]
fn limits_hold_while_the_daemon_hangs_and_when_it_is_gone() {
    use rustix::process::{Pid, Signal, kill_process};

    let mut env = TestEnv::new();
    env.set("AICTX_HOOK_TIMEOUT_MS", "1000");
    let repo = env.repository("demo");
    std::fs::create_dir(repo.join("migrations")).unwrap();
    std::fs::write(repo.join("migrations/1.sql"), "x").unwrap();
    let daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    ann.start("startup");
    ann.prompt("do not touch migrations/");
    let decision = |tool: &str, input: Value| {
        let more = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": tool });
        let run = ann.hook("PreToolUse", more);
        match run.stdout.as_str() {
            "" => String::new(),
            _ => {
                let answer = &run.json()["hookSpecificOutput"];
                let reason = answer["permissionDecisionReason"]
                    .as_str()
                    .unwrap_or_default();
                let told = if reason.contains("do not touch migrations/") {
                    " told"
                } else {
                    ""
                };
                format!(
                    "{}{told}",
                    answer["permissionDecision"].as_str().unwrap_or_default()
                )
            }
        }
    };
    let edit = |path: &str| json!({ "file_path": path, "old_string": "x", "new_string": "y" });
    let all = |when: &str| {
        for (tool, input, expected) in [
            ("Edit", edit("migrations/1.sql"), "deny told"),
            (
                "Bash",
                json!({ "command": "sed -i s/x/y/ migrations/1.sql" }),
                "deny told",
            ),
            (
                "Monitor",
                json!({ "command": "rm migrations/1.sql", "description": "x" }),
                "deny told",
            ),
            (
                "mcp__files__put",
                json!({ "path": "migrations/2.sql", "content": "x" }),
                "deny told",
            ),
            ("Edit", edit("calc.py"), ""),
            ("Task", json!({ "prompt": "rm -rf ~" }), ""),
        ] {
            let shown = input.to_string();
            assert_eq!(decision(tool, input), expected, "{when}: {tool} {shown}");
        }
    };
    all("with the daemon");
    let pid = Pid::from_raw(i32::try_from(daemon.pid()).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    all("while it hangs");
    kill_process(pid, Signal::CONT).unwrap();
    daemon.kill();
    all("when it is gone");
}
