//! Tasks that take several sessions: every command, every form of a patch, what is refused and how,
//! and which branch and worktree a task belongs to.

use std::fs;
use std::path::Path;

use aictx_tests::memory::assert_sound;
use aictx_tests::play::Play;
use aictx_tests::{Run, TestEnv, program};
use serde_json::{Value, json};

fn task(env: &TestEnv, directory: &Path, arguments: &[&str]) -> Run {
    env.aictx(directory, &[&["task"], arguments].concat())
}

fn asked(env: &TestEnv, directory: &Path, arguments: &[&str]) -> Value {
    task(env, directory, &[arguments, &["--json"]].concat())
        .ok()
        .json()
}

fn patch(env: &TestEnv, repo: &Path, patch: &Value) -> Value {
    asked(env, repo, &["update", "--json-patch", &patch.to_string()])
}

/// The command refuses: exit status, a word of the reason, nothing on standard output.
#[track_caller]
fn refused(run: &Run, status: i32, reason: &str) {
    assert_eq!(run.status, status, "{run:?}");
    assert_eq!(run.stdout, "");
    assert!(run.stderr.starts_with("aictx: "), "{run:?}");
    assert!(run.stderr.contains(reason), "{run:?}");
}

#[test]
fn every_command_says_what_it_did() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let text = |arguments: &[&str]| task(&env, &repo, arguments).ok().stdout;
    assert_eq!(text(&["list"]), "no tasks are recorded\n");
    assert_eq!(text(&["status"]), "No task is active here.\n");
    assert_eq!(asked(&env, &repo, &["status"])["active"], false);
    let started = asked(
        &env,
        &repo,
        &[
            "start",
            "Fix login: tokens expire",
            "--initial-json",
            r#"{"next_action": "read auth.py"}"#,
        ],
    );
    assert_eq!(started["task_id"], "fix-login-tokens-expire");
    assert_eq!(
        text(&["status"]),
        "\"Fix login: tokens expire\". Next: \"read auth.py\".\n"
    );
    text(&["start", "Second", "--task-id", "two"]);
    let list = text(&["list"]);
    assert!(list.contains("two [in_progress active] Second"), "{list}");
    assert!(
        list.contains("fix-login-tokens-expire [in_progress] Fix login"),
        "{list}"
    );
    assert_eq!(text(&["show", "two"]), "\"Second\".\n");
    let updated = text(&[
        "update",
        "--task-id",
        "two",
        "--json-patch",
        r#"{"hypothesis": "it is the clock"}"#,
    ]);
    assert_eq!(
        updated,
        "Updated: current_hypothesis\n\"Second\". Hypothesis: \"it is the clock\".\n"
    );
    assert_eq!(
        text(&["resume", "fix-login-tokens-expire"]),
        "\"Fix login: tokens expire\". Next: \"read auth.py\".\n"
    );
    let closed = asked(
        &env,
        &repo,
        &[
            "close",
            "--task-id",
            "two",
            "--status",
            "blocked",
            "--json-patch",
            r#"{"risks": ["waits for ops"]}"#,
        ],
    );
    assert_eq!(
        (&closed["closed"], &closed["status"]),
        (&json!(true), &json!("blocked"))
    );
    let active = asked(&env, &repo, &["status"]);
    assert_eq!(
        active["task_id"], "fix-login-tokens-expire",
        "closing another leaves it"
    );
    let closed = asked(&env, &repo, &["close"]);
    assert_eq!(closed["status"], "resolved");
    assert_eq!(asked(&env, &repo, &["status"])["active"], false);
    let all = asked(&env, &repo, &["status", "--all"]);
    assert_eq!(all["tasks"].as_array().unwrap().len(), 2);
    let events = env.rows(&repo, "tasks/threads/two.events.jsonl");
    let names: Vec<&str> = events
        .iter()
        .map(|e| e["event"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["started", "updated", "closed"]);
    assert_eq!(
        events[1]["patch"],
        json!({ "hypothesis": "it is the clock" })
    );
    assert_sound(&repo);
}

#[test]
fn w12_w20_patches_in_every_form() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    asked(&env, &repo, &["start", "Goal", "--task-id", "t"]);
    let files: Vec<String> = (1..=13).map(|n| format!("f{n}.py")).collect();
    let now = patch(&env, &repo, &json!({ "files": files }));
    assert_eq!(now["active_files"].as_array().unwrap().len(), 12);
    assert_eq!(now["active_files"][11], "f13.py", "the newest stays");
    assert_eq!(now["changed_fields"], json!(["active_files"]));
    let now = patch(
        &env,
        &repo,
        &json!({ "active_files": { "remove": ["f3.py"], "add": ["g.py"] } }),
    );
    let list = now["active_files"].as_array().unwrap();
    assert!(list.contains(&json!("g.py")) && !list.contains(&json!("f3.py")));
    let now = patch(
        &env,
        &repo,
        &json!({ "active_files": { "set": ["only.py"] }, "risks": ["a"] }),
    );
    assert_eq!(now["active_files"], json!(["only.py"]));
    let now = patch(&env, &repo, &json!({ "risks": null, "next": "look" }));
    assert_eq!(
        (&now["risks"], &now["next_action"]),
        (&json!([]), &json!("look"))
    );
    let now = patch(&env, &repo, &json!({ "next_action": null }));
    assert_eq!(now["next_action"], "");
    let now = patch(
        &env,
        &repo,
        &json!({
            "discarded_hypotheses": ["the cache", { "claim": "the clock", "why": "it is in UTC", "paths": ["a.py"] }],
            "uncertainties": ["is it the proxy?"],
        }),
    );
    assert_eq!(
        now["discarded_hypotheses"][1],
        json!({
            "hypothesis": "the clock", "reason": "it is in UTC", "confidence": "unknown", "related_paths": ["a.py"],
        })
    );
    // A file, the option over it; standard input.
    fs::write(
        repo.join("patch.json"),
        r#"{"next_action": "of the file", "verified": ["x"]}"#,
    )
    .unwrap();
    let now = asked(
        &env,
        &repo,
        &[
            "update",
            "--from-file",
            "patch.json",
            "--json-patch",
            r#"{"next_action": "of the option"}"#,
        ],
    );
    assert_eq!(
        (&now["next_action"], &now["verified"]),
        (&json!("of the option"), &json!(["x"]))
    );
    let mut command = env.command(program("aictx"));
    command
        .args(["task", "update", "--from-file", "-", "--json"])
        .current_dir(&repo);
    let now = env
        .with_input(&mut command, br#"{"next": "piped"}"#)
        .ok()
        .json();
    assert_eq!(now["next_action"], "piped");
    // Over the wire, too.
    let params = json!({ "repo": repo, "patch": { "goal": "Better goal" } });
    assert_eq!(
        env.rpc("task.update", &params)["result"]["goal"],
        "Better goal"
    );
    let same = task(
        &env,
        &repo,
        &["update", "--json-patch", r#"{"goal": "Better goal"}"#],
    )
    .ok();
    assert!(same.stdout.starts_with("Nothing changed\n"), "{same:?}");
}

#[test]
fn paths_of_a_patch_are_kept_as_the_repository_knows_them() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    asked(&env, &repo, &["start", "Goal", "--task-id", "t"]);
    fs::create_dir_all(repo.join("src")).unwrap();
    let files = json!({
        "active_files": ["./a.py", "../calc.py", repo.join("src/b.py")],
        "discarded_paths": ["old/**"],
    });
    let now = patch(&env, &repo.join("src"), &files);
    assert_eq!(
        (&now["active_files"], &now["discarded_paths"]),
        (
            &json!(["src/a.py", "calc.py", "src/b.py"]),
            &json!(["old/**"])
        )
    );
    let now = patch(
        &env,
        &repo,
        &json!({ "files": { "remove": ["src/../calc.py"] } }),
    );
    assert_eq!(now["active_files"], json!(["src/a.py", "src/b.py"]));
    for outside in ["/etc/passwd", "../other.py"] {
        let wrong = json!({ "active_files": [outside] }).to_string();
        let run = task(&env, &repo, &["update", "--json-patch", &wrong]);
        refused(&run, 2, outside);
    }
    assert_sound(&repo);
}

#[test]
fn w19_w20_what_is_wrong_is_refused_by_name_and_changes_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let run = |arguments: &[&str]| task(&env, &repo, arguments);
    refused(
        &run(&["update", "--json-patch", r#"{"next": "x"}"#]),
        1,
        "no task is active here",
    );
    refused(&run(&["close"]), 1, "no task is active here");
    refused(&run(&["show", "ghost"]), 1, "there is no task `ghost`");
    refused(&run(&["resume", "ghost"]), 1, "there is no task `ghost`");
    refused(
        &run(&["close", "--task-id", "ghost"]),
        1,
        "there is no task `ghost`",
    );
    refused(&run(&["start", "  "]), 2, "a goal is needed");
    assert!(
        !repo
            .join(".aictx/tasks/threads")
            .join("ghost.json")
            .exists()
    );
    asked(
        &env,
        &repo,
        &[
            "start",
            "Goal",
            "--task-id",
            "t",
            "--initial-json",
            r#"{"verified": ["kept"]}"#,
        ],
    );
    let file = repo.join(".aictx/tasks/threads/t.json");
    let before = fs::read_to_string(&file).unwrap();
    refused(
        &run(&["start", "Other", "--task-id", "t"]),
        2,
        "there is a task `t` already",
    );
    refused(
        &run(&["start", "Other", "--initial-json", "[1]"]),
        2,
        "--initial-json is not the JSON object",
    );
    for (wrong, reason) in [
        ("{bad", "--json-patch is not the JSON object"),
        ("{}", "must say what to change"),
        (
            r#"{"active_files": "abc"}"#,
            "`active_files` must be a list",
        ),
        (
            r#"{"active_files": [1]}"#,
            "`active_files` holds an entry of the wrong type",
        ),
        (
            r#"{"active_files": {"push": ["a"]}}"#,
            "set, add and remove",
        ),
        (r#"{"goal": 7}"#, "`goal` must be a text"),
        (r#"{"status": "half-done"}"#, "`status` must be one of"),
        (
            r#"{"next_action": "x", "colour": "red"}"#,
            "`colour` is not a member of a task",
        ),
    ] {
        refused(&run(&["update", "--json-patch", wrong]), 2, reason);
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{wrong}");
    }
    refused(
        &run(&["update", "--from-file", "nowhere.json"]),
        1,
        "nowhere.json",
    );
    refused(
        &run(&["close", "--status", "in_progress"]),
        2,
        "in_progress",
    );
    let json = run(&["show", "ghost", "--json"]);
    assert_eq!(
        (
            json.status,
            json.json()["error"]["message"]
                .as_str()
                .unwrap()
                .contains("ghost")
        ),
        (1, true)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert!(
        run(&["start", "Other", "--task-id", "t", "--force"])
            .ok()
            .stdout
            .starts_with("\"Other\".")
    );
}

#[test]
fn w19_a_broken_thread_is_put_aside_and_never_overwritten() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    asked(&env, &repo, &["start", "Precious", "--task-id", "t"]);
    let file = repo.join(".aictx/tasks/threads/t.json");
    let broken = fs::read_to_string(&file)
        .unwrap()
        .replace("\"goal\"", "goal");
    fs::write(&file, &broken).unwrap();
    let run = task(
        &env,
        &repo,
        &[
            "update",
            "--task-id",
            "t",
            "--json-patch",
            r#"{"next": "x"}"#,
        ],
    );
    assert_ne!(run.status, 0, "{run:?}");
    asked(&env, &repo, &["start", "Another", "--task-id", "t2"]);
    let started = task(&env, &repo, &["start", "Precious again", "--task-id", "t"]);
    let kept = aictx_tests::memory::facts(&repo.join(".aictx"));
    let kept = kept.iter().any(|path| {
        fs::read_to_string(repo.join(".aictx").join(path)).is_ok_and(|text| text == broken)
    });
    assert!(kept, "the broken file is somewhere: {started:?}");
}

#[test]
fn w16_goals_in_any_script_are_different_tasks() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for goal in [
        "修复登录",
        "修复注销",
        "Починить вход",
        "Починить выход",
        "ñandú",
    ] {
        asked(&env, &repo, &["start", goal]);
    }
    let list = asked(&env, &repo, &["list"]);
    assert_eq!(list["tasks"].as_array().unwrap().len(), 5);
    assert_eq!(asked(&env, &repo, &["status"])["goal"], "ñandú");
}

#[test]
fn w1_six_updates_at_once_all_count() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    asked(&env, &repo, &["start", "Goal", "--task-id", "t"]);
    std::thread::scope(|scope| {
        for n in 0..6 {
            let (env, repo) = (&env, &repo);
            scope.spawn(move || patch(env, repo, &json!({ "verified": [format!("check {n}")] })));
        }
    });
    let now = asked(&env, &repo, &["show", "t"]);
    assert_eq!(now["verified"].as_array().unwrap().len(), 6);
    assert_eq!(env.rows(&repo, "tasks/threads/t.events.jsonl").len(), 7);
}

fn commit(env: &TestEnv, repo: &Path, file: &str) {
    fs::write(repo.join(file), file).unwrap();
    env.git(repo, &["add", "-A"]);
    env.git(repo, &["commit", "-q", "-m", file]);
}

#[test]
fn w15_a_task_follows_its_branch_with_real_branches() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let git = |arguments: &[&str]| env.git(&repo, arguments);
    let status = || asked(&env, &repo, &["status"]);
    let is_active = |why: &str| {
        let status = status();
        assert_eq!(status["active"], true, "{status}");
        assert_eq!(status["work_state_git_status"]["reason"], why, "{status}");
    };
    let waits = |branch: &str| {
        let status = status();
        assert_eq!(status["active"], false, "{status}");
        assert_eq!(
            status["skipped_work_state"]["saved_branch"], branch,
            "{status}"
        );
        assert_eq!(
            status["skipped_work_state"]["reason"],
            "branch_mismatch_unmerged"
        );
        let told = Play::claude(&env, &repo, "look").start("startup");
        assert!(
            told.contains(&format!("A task waits on branch {branch}: ship-it")),
            "{told}"
        );
    };
    // Begun on main with changes in the tree, then a branch is made for it.
    fs::write(repo.join("calc.py"), "x = 1\n").unwrap();
    fs::write(repo.join("a ñandú file.py"), "y = 2\n").unwrap();
    asked(&env, &repo, &["start", "Ship it"]);
    let thread = env.file(&repo, "tasks/threads/ship-it.json");
    assert_eq!(
        thread["git_context"]["changed_files"],
        json!(["a ñandú file.py", "calc.py"]),
        "w27: names are not quoted"
    );
    git(&["checkout", "-q", "-b", "feature"]);
    is_active("same_commit");
    patch(&env, &repo, &json!({ "next": "commit" }));
    is_active("same_branch");
    commit(&env, &repo, "one.py");
    patch(&env, &repo, &json!({ "next": "test" }));
    // Elsewhere it waits, and an update from there leaves it where it belongs.
    git(&["checkout", "-q", "main"]);
    waits("feature");
    commit(&env, &repo, "hotfix.py");
    asked(
        &env,
        &repo,
        &[
            "update",
            "--task-id",
            "ship-it",
            "--json-patch",
            r#"{"risks": ["the hotfix"]}"#,
        ],
    );
    waits("feature");
    git(&["checkout", "-q", "feature"]);
    is_active("same_branch");
    assert_eq!(status()["risks"], json!(["the hotfix"]));
    // A branch without it, one that has it, no branch at all.
    git(&["checkout", "-q", "--orphan", "alone"]);
    git(&["commit", "-q", "-m", "alone"]);
    waits("feature");
    git(&["checkout", "-q", "main"]);
    git(&["merge", "-q", "-m", "merge", "feature"]);
    is_active("branch_changed_but_merged");
    git(&["checkout", "-q", "--detach", "HEAD~1"]);
    waits("feature");
    git(&["checkout", "-q", "feature"]);
    is_active("same_branch");
    // Paused, it is told on its own branch only.
    asked(&env, &repo, &["close", "--status", "paused"]);
    let told = Play::claude(&env, &repo, "feature").start("startup");
    assert!(told.contains("Task left paused: \"Ship it\""), "{told}");
    git(&["checkout", "-q", "alone"]);
    let told = Play::claude(&env, &repo, "alone").start("startup");
    assert!(!told.contains("Ship it"), "{told}");
}

#[test]
fn each_worktree_has_its_own_task() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let linked = env.path().join("linked");
    env.git(
        &repo,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "side",
            &linked.to_string_lossy(),
        ],
    );
    asked(&env, &repo, &["start", "Main work"]);
    asked(&env, &linked, &["start", "Side work"]);
    assert_eq!(asked(&env, &repo, &["status"])["goal"], "Main work");
    assert_eq!(asked(&env, &linked, &["status"])["goal"], "Side work");
    // One memory: both are listed in both, and each finalize goes to its own.
    assert_eq!(
        asked(&env, &linked, &["list"])["tasks"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    for (directory, session) in [(&repo, "m"), (&linked, "s")] {
        let who = Play::claude(&env, directory, session);
        who.start("startup");
        who.prompt("work");
        who.edit(&format!("{session}.py"), "x = 1\n");
        who.end();
    }
    let files =
        |id: &str| env.file(&repo, &format!("tasks/threads/{id}.json"))["active_files"].clone();
    assert_eq!(files("main-work"), json!(["m.py"]));
    assert_eq!(files("side-work"), json!(["s.py"]));
    asked(&env, &linked, &["close"]);
    assert_eq!(asked(&env, &repo, &["status"])["goal"], "Main work");
}
