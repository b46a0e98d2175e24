//! `init --portable-continuity`: what is worth sharing goes through git, nothing else does, and both
//! sides of a merge are remembered.

use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::session::{edited, end, failed_command, prompt, start};
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Value, json};

use super::{tree, write};

fn one_session(env: &TestEnv, at: &Path, id: &str, request: &str, file: &str, error: &str) {
    let rows = || env.rows(at, "metrics/execution_logs.jsonl").len();
    let before = rows();
    for event in [
        start(at, id, "startup"),
        prompt(at, id, request),
        edited(at, id, file),
        failed_command(at, id, &format!("python3 -m pytest -q {error}.py"), error),
        end(at, id),
    ] {
        env.hook(at, &event).ok();
    }
    wait_until("the session is finalized", || rows() > before);
}

fn failure(name: &str) -> String {
    format!("FAILED test_{name}.py::test_{name} - AssertionError: {name}\n1 failed in 0.02s")
}

#[test]
fn a_clone_knows_and_a_merge_forgets_nothing() {
    let env = TestEnv::new();
    let one = env.plain_repository("one");
    let _daemon = env.daemon();
    let made = env
        .aictx(
            &one,
            &["init", "--agents", "claude", "--portable-continuity"],
        )
        .ok();
    assert!(made.stdout.contains(".gitattributes"), "{}", made.stdout);
    one_session(
        &env,
        &one,
        "a",
        "fix the add function",
        "src/calc.py",
        &failure("add"),
    );
    env.git(&one, &["add", "-A"]);
    env.git(&one, &["commit", "-q", "-m", "remember"]);
    let tracked = env.git(&one, &["ls-files", ".aictx"]);
    for file in [".aictx/shared/", "continuity/portability.json"] {
        assert!(tracked.contains(file), "{tracked}");
    }
    for private in [
        "handoffs.jsonl",
        "failure_memory",
        "sessions/",
        "metrics/",
        "handoff.json",
        "area_memory",
        ".lock",
        "format.json",
    ] {
        let shared = tracked.lines().any(|line| line.contains(private));
        assert!(!shared, "{private}: {tracked}");
    }
    assert_eq!(env.git(&one, &["status", "--porcelain"]), "");

    let two = env.path().join("two");
    env.git(&one, &["clone", "-q", ".", two.to_str().unwrap()]);
    let two = fs::canonicalize(two).unwrap();
    let params = json!({"repo": two, "runners": ["claude"], "program": program("aictx")});
    let reply = env.rpc("init", &params);
    assert_eq!(reply["result"]["portable"], true, "{reply}");
    let status = env.git(&two, &["status", "--porcelain"]);
    assert_eq!(status, "", "what was chosen is not chosen again");
    let told = env.hook(&two, &start(&two, "b0", "startup")).ok().stdout;
    assert!(told.contains("Last handoff"), "{told}");
    assert!(told.contains("fix the add function"), "{told}");
    let told = env.hook(&two, &prompt(&two, "b0", "continue")).ok().stdout;
    assert!(told.contains("Open failure"), "{told}");

    // Both go on, and one takes in what the other did.
    one_session(
        &env,
        &one,
        "c",
        "round the result",
        "src/round.py",
        &failure("round"),
    );
    one_session(
        &env,
        &two,
        "d",
        "print the result",
        "src/print.py",
        &failure("print"),
    );
    for repo in [&one, &two] {
        env.git(repo, &["add", "-A"]);
        env.git(repo, &["commit", "-q", "-m", "more"]);
    }
    env.git(
        &one,
        &[
            "pull",
            "-q",
            "--no-rebase",
            "--no-edit",
            two.to_str().unwrap(),
            "main",
        ],
    );
    // Whoever looks takes in what came, unless a writer is at work just then.
    let taken_in = || {
        env.aictx(&one, &["status"]).ok();
        let rows = env.rows(&one, "failure_memory/failure_patterns.jsonl");
        rows.iter()
            .any(|row| row.to_string().contains("test_print"))
    };
    wait_until("what was pulled is taken in", taken_in);
    let requests: Vec<String> = env
        .rows(&one, "continuity/handoffs.jsonl")
        .iter()
        .map(|row| row.to_string())
        .collect();
    let failures = env.rows(&one, "failure_memory/failure_patterns.jsonl");
    for word in ["round", "print"] {
        assert!(
            requests.iter().any(|row| row.contains(word)),
            "{requests:?}"
        );
        let known = failures
            .iter()
            .any(|row| row.to_string().contains(&format!("test_{word}")));
        assert!(known, "{failures:?}");
    }
    let listed = env.aictx(&one, &["failures", "list", "--json"]).ok().stdout;
    assert_eq!(env.git(&one, &["status", "--porcelain"]), "");
    for word in ["add", "round", "print"] {
        assert!(listed.contains(&format!("test_{word}")), "{listed}");
    }
    let doctor = env.aictx(&one, &["doctor", "--json"]).ok().json();
    let checks = doctor["checks"].as_array().unwrap();
    let state = checks
        .iter()
        .find(|check| check["name"] == "state_readable");
    assert_eq!(state.unwrap()["status"], "ok", "{doctor}");
}

#[test]
fn choosing_and_choosing_otherwise_leaves_git_s_files_as_they_were() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    write(&repo, ".gitattributes", "*.bin binary\r\n*.png binary");
    write(&repo, ".gitignore", "target\n.aictx/");
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "rules"]);
    let before = tree(&repo);
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    let local = tree(&repo);
    let portable = ["init", "--agents", "none", "--portable-continuity"];
    env.aictx(&repo, &portable).ok();
    let shared = tree(&repo);
    let status = env.git(&repo, &["status", "--porcelain", "-uall"]);
    assert!(
        status.contains("?? .aictx/continuity/portability.json"),
        "{status}"
    );
    assert!(!status.contains("format.json"), "{status}");
    env.aictx(&repo, &portable).ok();
    assert_eq!(tree(&repo), shared, "twice is once");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    assert_eq!(tree(&repo), shared, "the choice stays");
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--no-portable-continuity"],
    )
    .ok();
    let mut back = tree(&repo);
    let said = back.remove(".aictx/continuity/portability.json").unwrap();
    assert!(
        String::from_utf8(said.1)
            .unwrap()
            .contains("\"enabled\": false")
    );
    let own = |tree: &std::collections::BTreeMap<String, super::Shape>| {
        let mut tree = tree.clone();
        tree.retain(|file, _| !file.starts_with(".aictx"));
        tree
    };
    assert_eq!(own(&back), own(&local));
    env.aictx(&repo, &portable).ok();
    let clean = env
        .aictx(&repo, &["clean", "--verify", "--json"])
        .ok()
        .json();
    for file in clean["verified"].as_array().unwrap() {
        assert_eq!(file["identical"], true, "{clean}");
    }
    assert_eq!(tree(&repo), before);
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn memory_that_git_tracks_keeps_its_rules() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "remember"]);
    let refused = env.aictx(&repo, &["clean"]);
    assert_eq!(refused.status, 3, "{refused:?}");
    assert!(repo.join(".aictx/continuity/portability.json").exists());
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    env.aictx(&repo, &["clean", "--yes"]).ok();
    assert!(!repo.join(".aictx").exists());
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let both = env.aictx(&repo, &["init", "--stealth", "--portable-continuity"]);
    assert_eq!(both.status, 2);
    env.aictx(&repo, &["init", "--stealth"]).ok();
    assert_ne!(
        env.aictx(&repo, &["init", "--portable-continuity"]).status,
        0
    );
    let plain = env.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let without_git = env.aictx(&plain, &["init", "--force", "--portable-continuity"]);
    assert_ne!(without_git.status, 0);
    assert!(!plain.join(".aictx").exists());
}

#[test]
fn files_of_single_areas_are_kept_up_where_the_ancestor_made_them() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let file = "area_memory/areas/src--25a66342.json";
    let area = json!({"area_id": "src", "executions": 7, "files": {"src/calc.py": 7}});
    write(&repo, &format!(".aictx/{file}"), &area.to_string());
    one_session(&env, &repo, "a", "fix add", "src/calc.py", &failure("add"));
    assert_eq!(env.file(&repo, file)["executions"], 8);
    assert_eq!(
        env.file(&repo, "area_memory/areas.json")["areas"]["src"]["executions"],
        8
    );
}

#[test]
fn what_a_merge_wrote_twice_and_somebody_leaked_is_found_and_taken_out() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    let status = || {
        env.aictx(&repo, &["portability", "status", "--json"])
            .ok()
            .json()
    };
    let local = status();
    assert_eq!(
        (&local["mode"], &local["status"]),
        (&json!("local-only"), &json!("ok"))
    );
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    for summary in ["one", "two"] {
        let said = [
            "finalize",
            "--status",
            "failure",
            "--summary",
            summary,
            "--error",
            summary,
        ];
        env.aictx(&repo, &said).ok();
    }
    let fine = status();
    assert_eq!(
        (&fine["mode"], &fine["status"]),
        (&json!("portable-continuity"), &json!("ok")),
        "{fine}"
    );
    assert_eq!(fine["sync"]["drift"], json!([]));
    assert!(
        fine["portable_patterns"]
            .as_array()
            .unwrap()
            .contains(&json!("shared/*.jsonl"))
    );

    // Both sides of a merge wrote the same row, and a program of somebody else's a token.
    let file = repo.join(".aictx/continuity/handoffs.jsonl");
    let rows = fs::read_to_string(&file).unwrap();
    let token = format!("ghp_{}", "0aB1".repeat(9));
    let leaked = format!("{{\"summary\":\"used {token}\"}}\n");
    fs::write(&file, format!("{rows}{rows}{leaked}<<<<<<<\n")).unwrap();
    fs::write(repo.join(".gitattributes"), "# mine\n").unwrap();
    let warned = status();
    assert_eq!(warned["status"], "warning");
    assert_eq!(
        warned["secret_scan"]["files"],
        json!([".aictx/continuity/handoffs.jsonl"])
    );
    assert_eq!(warned["sync"]["gitattributes_in_sync"], json!(false));
    assert!(
        !warned.to_string().contains(&token),
        "a value is never told"
    );
    let text = env.aictx(&repo, &["portability", "status"]).ok().stdout;
    assert!(
        text.contains("what looks like a secret") && text.contains("--apply"),
        "{text}"
    );

    let compact = |more: &[&str]| {
        let arguments = [&["portability", "compact", "--json"][..], more].concat();
        env.aictx(&repo, &arguments).ok().json()
    };
    let would = compact(&[]);
    assert_eq!(
        (&would["would_change"], &would["changed"]),
        (&json!(true), &json!(false))
    );
    let done = compact(&["--apply"]);
    let totals = &done["totals"];
    assert_eq!(
        (&totals["duplicates_removed"], &totals["secret_redactions"]),
        (&json!(2), &json!(1)),
        "{done}"
    );
    assert_eq!(totals["invalid_rows"], json!(1));
    let left = fs::read_to_string(&file).unwrap();
    assert!(
        left.starts_with(&rows) && !left.contains(&token) && left.contains("<<<<<<<"),
        "{left}"
    );
    assert_eq!(
        compact(&["--apply"])["changed"],
        json!(false),
        "twice is once"
    );
    env.aictx(&repo, PORTABLE).ok();
    assert_eq!(status()["status"], "ok", "{}", status());
}

#[test]
fn private_files_are_hidden_on_branches_from_before() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let _daemon = env.daemon();
    env.git(&repo, &["branch", "old"]);
    env.aictx(
        &repo,
        &["init", "--agents", "none", "--portable-continuity"],
    )
    .ok();
    write(&repo, "calc.py", "def add(a, b): return a + b\n");
    one_session(&env, &repo, "s1", "private words", "calc.py", &failure("a"));
    env.git(&repo, &["add", "-A"]);
    env.git(&repo, &["commit", "-q", "-m", "memory"]);
    env.git(&repo, &["checkout", "-q", "old"]);
    assert!(repo.join(".aictx/sessions").is_dir());
    write(&repo, "new.py", "x = 1\n");
    env.git(&repo, &["add", "-A"]);
    assert_eq!(
        env.git(&repo, &["diff", "--cached", "--name-only"]).trim(),
        "new.py"
    );
}

const PORTABLE: &[&str] = &["init", "--agents", "none", "--portable-continuity"];

/// A portable repository with a branch from before, and the memory committed.
fn shared(env: &TestEnv) -> PathBuf {
    let repo = env.plain_repository("one");
    env.git(&repo, &["branch", "old"]);
    env.aictx(&repo, PORTABLE).ok();
    finish(env, &repo, "begun on main");
    commit(env, &repo, "memory");
    repo
}

fn finish(env: &TestEnv, repo: &Path, summary: &str) {
    let arguments = ["finalize", "--status", "success", "--summary", summary];
    env.aictx(repo, &arguments).ok();
}

fn commit(env: &TestEnv, repo: &Path, message: &str) {
    env.git(repo, &["add", "-A"]);
    env.git(repo, &["commit", "-q", "-m", message]);
}

fn clone(env: &TestEnv, from: &Path, name: &str) -> PathBuf {
    let to = env.path().join(name);
    env.git(from, &["clone", "-q", ".", to.to_str().unwrap()]);
    let to = fs::canonicalize(to).unwrap();
    env.aictx(&to, &["init", "--agents", "none"]).ok();
    to
}

/// Changes of files that git tracks.
fn changes(env: &TestEnv, repo: &Path) -> String {
    env.git(repo, &["status", "--porcelain", "-uno"])
}

/// Summaries of all handoffs that `aictx memory list` names.
fn remembered(env: &TestEnv, repo: &Path) -> Vec<String> {
    let arguments = ["memory", "list", "--kind", "handoff", "--json"];
    let listed = env.aictx(repo, &arguments).ok().json();
    let items = listed["items"].as_array().unwrap();
    let texts = items.iter().map(|item| item["text"].as_str().unwrap());
    texts.map(str::to_owned).collect()
}

fn assert_remembers(env: &TestEnv, repo: &Path, summaries: &[&str]) {
    let all = remembered(env, repo);
    for summary in summaries {
        let count = all.iter().filter(|text| text.contains(summary)).count();
        assert_eq!(count, 1, "{summary}: {all:?}");
    }
}

#[test]
fn no_session_keeps_anybody_from_another_branch_or_a_rebase() {
    let env = TestEnv::new();
    let repo = shared(&env);
    env.git(&repo, &["checkout", "-q", "old"]);
    finish(&env, &repo, "done on old");
    env.git(&repo, &["checkout", "-q", "main"]);
    finish(&env, &repo, "done on main");
    assert_eq!(changes(&env, &repo), "");
    env.git(&repo, &["checkout", "-q", "old"]);
    finish(&env, &repo, "again on old");
    env.git(&repo, &["pull", "-q", "--rebase", ".", "main"]);
    let all = [
        "begun on main",
        "done on old",
        "done on main",
        "again on old",
    ];
    assert_remembers(&env, &repo, &all);
    // What was recorded on either branch goes with whichever takes it in.
    commit(&env, &repo, "what was done");
    let two = env.path().join("two");
    env.git(
        &repo,
        &["clone", "-q", "-b", "old", ".", two.to_str().unwrap()],
    );
    assert_remembers(&env, &fs::canonicalize(two).unwrap(), &all);
}

#[test]
fn two_branches_with_memory_merge_and_rebase_over_conflicts() {
    let env = TestEnv::new();
    let repo = shared(&env);
    for branch in ["left", "right"] {
        env.git(&repo, &["checkout", "-q", "-b", branch, "main"]);
        write(&repo, "calc.py", &format!("{branch}\n"));
        finish(&env, &repo, &format!("done on the {branch}"));
        commit(&env, &repo, branch);
    }
    env.git(&repo, &["checkout", "-q", "-b", "merged", "left"]);
    let merge = ["merge", "-q", "-X", "ours", "--no-edit", "right"];
    env.git(&repo, &merge);
    env.git(&repo, &["checkout", "-q", "right"]);
    finish(&env, &repo, "not committed");
    env.git(&repo, &["stash", "-q", "-u"]);
    env.git(&repo, &["rebase", "-q", "-X", "theirs", "left"]);
    env.git(&repo, &["stash", "pop", "-q"]);
    assert_eq!(changes(&env, &repo), "");
    let all = ["done on the left", "done on the right", "not committed"];
    assert_remembers(&env, &repo, &all);
    commit(&env, &repo, "all of it");
    let two = clone(&env, &repo, "two");
    assert_remembers(&env, &two, &all);
}

#[test]
fn two_clones_that_work_on_one_task_lose_nothing() {
    let env = TestEnv::new();
    let one = shared(&env);
    env.aictx(&one, &["task", "start", "parse the input"]).ok();
    commit(&env, &one, "task");
    let two = clone(&env, &one, "two");
    env.git(&two, &["config", "pull.rebase", "true"]);
    let update = |repo: &Path, patch: Value| {
        let patch = patch.to_string();
        env.aictx(repo, &["task", "update", "--json-patch", &patch])
            .ok();
    };
    update(
        &one,
        json!({"verified": ["the lexer"], "next_action": "ask one"}),
    );
    update(
        &two,
        json!({"verified": ["the printer"], "risks": ["slow"]}),
    );
    for (repo, decision) in [(&one, "use pest"), (&two, "keep it small")] {
        env.aictx(repo, &["remember", decision]).ok();
    }
    commit(&env, &two, "two");
    commit(&env, &one, "one");
    env.git(&two, &["pull", "-q", one.to_str().unwrap(), "main"]);
    env.git(
        &one,
        &["pull", "-q", "--rebase", two.to_str().unwrap(), "main"],
    );
    for repo in [&one, &two] {
        let task = env.aictx(repo, &["task", "show", "parse-the-input", "--json"]);
        let task = task.ok().stdout;
        for text in ["the lexer", "the printer", "slow", "ask one"] {
            assert!(task.contains(text), "{text}: {task}");
        }
        let listed = env.aictx(repo, &["memory", "list", "--json"]).ok().stdout;
        assert!(
            listed.contains("use pest") && listed.contains("keep it small"),
            "{listed}"
        );
        assert_eq!(env.git(repo, &["status", "--porcelain"]), "");
    }
    // Who goes on is followed.
    let done = json!({"unverified": [], "next_action": "release", "status": "resolved"});
    update(&two, done);
    commit(&env, &two, "done");
    env.git(
        &one,
        &["pull", "-q", "--rebase", two.to_str().unwrap(), "main"],
    );
    let task = env.aictx(&one, &["task", "show", "parse-the-input", "--json"]);
    let task = task.ok().stdout;
    assert!(
        task.contains("resolved") && task.contains("release"),
        "{task}"
    );
}

#[test]
fn worktrees_share_one_memory_and_keep_nobody_from_it() {
    let env = TestEnv::new();
    let repo = shared(&env);
    let tree = env.path().join("tree");
    env.git(
        &repo,
        &["worktree", "add", "-q", tree.to_str().unwrap(), "old"],
    );
    let tree = fs::canonicalize(tree).unwrap();
    finish(&env, &tree, "done in the worktree");
    finish(&env, &repo, "done beside it");
    for at in [&repo, &tree] {
        assert_eq!(changes(&env, at), "");
        assert_remembers(&env, at, &["done in the worktree", "done beside it"]);
    }
    env.git(&tree, &["pull", "-q", "--rebase", ".", "main"]);
    env.git(&tree, &["checkout", "-q", "--detach", "main"]);
    env.git(&repo, &["checkout", "-q", "old"]);
}

/// Whole histories that rules show to git, as the ancestor and earlier versions track them.
fn tracked_histories(env: &TestEnv) -> PathBuf {
    let repo = env.plain_repository("one");
    env.git(&repo, &["branch", "old"]);
    let row = |summary: &str| {
        json!({
            "execution_id": summary, "summary": summary, "status": "resolved",
            "timestamp": "2026-01-01T00:00:00Z",
        })
    };
    let rows = format!("{}\n{}\n", row("first of theirs"), row("second of theirs"));
    write(&repo, ".aictx/continuity/handoffs.jsonl", &rows);
    write(&repo, ".aictx/failure_memory/failure_patterns.jsonl", "");
    let thread = json!({
        "task_id": "their-task", "status": "in_progress", "goal": "their task",
        "updated_at": "2026-01-01T00:00:00Z",
    });
    write(
        &repo,
        ".aictx/tasks/threads/their-task.json",
        &thread.to_string(),
    );
    let said =
        json!({"version": 1, "enabled": true, "mode": "portable-continuity", "policy_version": 2});
    write(
        &repo,
        ".aictx/continuity/portability.json",
        &said.to_string(),
    );
    let rules = "# mode: portable-continuity\n.aictx/*\n!.aictx/\n\
        !.aictx/continuity/\n.aictx/continuity/*\n!.aictx/continuity/handoffs.jsonl\n\
        !.aictx/continuity/decisions.jsonl\n!.aictx/continuity/portability.json\n\
        !.aictx/failure_memory/\n.aictx/failure_memory/*\n\
        !.aictx/failure_memory/failure_patterns.jsonl\n\
        !.aictx/tasks/\n.aictx/tasks/*\n!.aictx/tasks/threads/\n";
    write(&repo, ".gitignore", rules);
    commit(env, &repo, "whole histories");
    repo
}

#[test]
fn whole_histories_that_git_tracks_are_read_and_left_as_they_are() {
    let env = TestEnv::new();
    let repo = tracked_histories(&env);
    env.aictx(&repo, &["init", "--agents", "none"]).ok();
    assert_eq!(
        changes(&env, &repo),
        "",
        "plain init changes no tracked file"
    );
    let theirs = ["first of theirs", "second of theirs"];
    assert_remembers(&env, &repo, &theirs);
    finish(&env, &repo, "own on main");
    env.aictx(&repo, &["remember", "our decision"]).ok();
    let patch = json!({"next_action": "go on"}).to_string();
    let update = [
        "task",
        "update",
        "--task-id",
        "their-task",
        "--json-patch",
        &patch,
    ];
    env.aictx(&repo, &update).ok();
    assert_eq!(changes(&env, &repo), "");
    env.git(&repo, &["checkout", "-q", "old"]);
    finish(&env, &repo, "own on old");
    env.git(&repo, &["checkout", "-q", "main"]);
    env.git(&repo, &["pull", "-q", "--rebase", ".", "old"]);
    assert_remembers(&env, &repo, &["own on main", "own on old"]);
    assert_remembers(&env, &repo, &theirs);
    let status = env.git(&repo, &["status", "--porcelain"]);
    assert_eq!(status, "", "nothing of this machine is shown");
    let listed = env.aictx(&repo, &["memory", "list", "--json"]).ok().json();
    let items = listed["items"].as_array().unwrap();
    let origin = |text: &str| {
        let item = items
            .iter()
            .find(|item| item["text"].as_str().unwrap().contains(text));
        item.unwrap_or_else(|| panic!("{text}: {listed}"))["origin"].clone()
    };
    assert_eq!(origin("first of theirs"), "repository");
    assert_eq!(origin("their task"), "repository");
    assert_eq!(origin("own on main"), Value::Null);
}

#[test]
fn who_asks_for_it_has_whole_histories_taken_out_of_git() {
    let env = TestEnv::new();
    let repo = tracked_histories(&env);
    finish(&env, &repo, "own before");
    let doctor = env.aictx(&repo, &["doctor", "--json"]).ok().json();
    let checks = doctor["checks"].as_array().unwrap();
    let check = checks
        .iter()
        .find(|check| check["name"] == "portable_continuity");
    let check = check.unwrap();
    assert!(
        check["command"]
            .to_string()
            .contains("--portable-continuity"),
        "{check}"
    );
    let would = [PORTABLE, &["--dry-run"]].concat();
    assert!(
        env.aictx(&repo, &would)
            .ok()
            .stdout
            .contains("no longer tracks")
    );
    assert_eq!(changes(&env, &repo), "");
    let done = env.aictx(&repo, PORTABLE).ok().stdout;
    assert!(
        done.contains("handoffs.jsonl") && done.contains("no longer tracks"),
        "{done}"
    );
    commit(&env, &repo, "single records");
    let tracked = env.git(&repo, &["ls-files", ".aictx"]);
    assert!(tracked.contains(".aictx/shared/"), "{tracked}");
    assert!(
        !tracked.contains("handoffs.jsonl") && !tracked.contains("threads"),
        "{tracked}"
    );
    let all = ["first of theirs", "second of theirs", "own before"];
    assert_remembers(&env, &repo, &all);
    finish(&env, &repo, "own after");
    assert_eq!(changes(&env, &repo), "");
    // The branch from before still tracks them; a clone has all of it.
    env.git(&repo, &["checkout", "-q", "HEAD~1"]);
    finish(&env, &repo, "in between");
    env.git(&repo, &["checkout", "-q", "main"]);
    commit(&env, &repo, "more");
    let two = clone(&env, &repo, "two");
    for at in [&repo, &two] {
        assert_remembers(&env, at, &all);
        assert_remembers(&env, at, &["own after", "in between"]);
        let task = env.aictx(at, &["task", "show", "their-task"]).ok().stdout;
        assert!(task.contains("their task"), "{task}");
    }
    assert_eq!(
        env.aictx(&two, &["portability", "status", "--json"])
            .ok()
            .json()["status"],
        "ok"
    );
    let folded = env.aictx(&two, &["portability", "compact", "--apply", "--json"]);
    let folded = folded.ok().json();
    assert_eq!(folded["files"][0]["files_after"], 1, "{folded}");
    commit(&env, &two, "put together");
    env.git(
        &repo,
        &["pull", "-q", "--rebase", two.to_str().unwrap(), "main"],
    );
    assert_remembers(&env, &repo, &all);
}
