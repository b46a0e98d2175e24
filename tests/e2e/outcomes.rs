//! Outcomes of executions: by observation, not by words, and not by the deeds of others.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

const FAILING: &str = "FAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s";
const STRAY: &str = "make: *** No rule to make target 'test'.  Stop.";

fn handoff(env: &TestEnv, repo: &std::path::Path, session: &str) -> Value {
    wait_until("the session is handed over", || {
        env.rows(repo, "continuity/handoffs.jsonl")
            .iter()
            .any(|row| row["session_id"] == session)
    });
    let rows = env.rows(repo, "continuity/handoffs.jsonl");
    rows.into_iter()
        .rfind(|row| row["session_id"] == session)
        .unwrap()
}

#[test]
fn a_success_that_was_seen_to_fail_is_none() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let who = Play::claude(&env, &repo, "s1");
    who.start("startup");
    who.prompt("Add add()");
    who.edit("calc.py", "def add(a, b):\n    return 0\n");
    who.fails("python -m pytest -q", FAILING);
    let summary = "add() adds, all tests pass.";
    let reply = who
        .aictx(&[
            "finalize",
            "--status",
            "success",
            "--summary",
            summary,
            "--json",
        ])
        .ok()
        .json();
    assert_eq!(
        reply["differences"],
        json!([{
            "field": "status", "reported_only": ["success"],
            "observed_only": ["python -m pytest -q"],
        }])
    );
    let warned = reply["warnings"][0].as_str().unwrap();
    assert!(warned.starts_with("reported as success, but seen failing: `python -m pytest -q`"));
    let row = handoff(&env, &repo, "s1");
    assert_eq!(row["status"], "failed");
    assert_eq!(
        row["risks"][0],
        "reported as a success, while a check was seen to fail"
    );
    // Passed at last: nothing differs, and nothing is only reported.
    who.prompt("Mend it");
    who.edit("calc.py", "def add(a, b):\n    return a + b\n");
    who.passes("python -m pytest -q", "4 passed in 0.01s");
    let reply = who
        .aictx(&[
            "finalize",
            "--status",
            "success",
            "--summary",
            summary,
            "--json",
        ])
        .ok()
        .json();
    assert_eq!(reply["differences"], json!([]));
    let row = handoff(&env, &repo, "s1");
    assert_eq!(
        (&row["status"], &row["risks"]),
        (&json!("resolved"), &json!([]))
    );
    // Said, and nothing was run.
    who.prompt("Add sub()");
    who.edit("calc.py", "def sub(a, b):\n    return a - b\n");
    who.aictx(&["finalize", "--status", "success", "--summary", summary])
        .ok();
    let row = handoff(&env, &repo, "s1");
    assert_eq!(row["status"], "resolved");
    assert!(
        row["risks"][0]
            .as_str()
            .unwrap()
            .starts_with("reported, not observed"),
        "{row}"
    );
}

#[test]
fn a_failure_that_is_only_told_names_no_test() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let who = Play::claude(&env, &repo, "s1");
    who.start("startup");
    who.prompt("Deploy it");
    who.fails("python -m pytest -q", FAILING);
    who.passes("python -m pytest -q", "4 passed in 0.01s");
    let summary = "test_deploy could not run: no credentials.";
    who.aictx(&["finalize", "--status", "failure", "--summary", summary])
        .ok();
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    let is_open = |pattern: &&Value| pattern["status"] == "open";
    assert_eq!(patterns.iter().filter(is_open).count(), 1);
    for pattern in patterns.iter().filter(is_open) {
        assert_eq!(
            (&pattern["failed_command"], &pattern["phases"]),
            (&Value::Null, &json!(["runtime"])),
            "{pattern}"
        );
    }
}

#[test]
fn a_tool_that_has_nothing_to_do_here_decides_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let who = Play::claude(&env, &repo, "s1");
    who.start("startup");
    who.prompt("Add add()");
    who.edit("calc.py", "def add(a, b):\n    return a + b\n");
    who.passes("python -m pytest -q", "4 passed in 0.01s");
    who.fails("make test", STRAY);
    who.says("add() adds.");
    who.end();
    assert_eq!(handoff(&env, &repo, "s1")["status"], "resolved");
    assert!(
        !repo
            .join(".aictx/failure_memory/failure_patterns.jsonl")
            .exists()
            || env
                .rows(&repo, "failure_memory/failure_patterns.jsonl")
                .is_empty()
    );
}

#[test]
fn an_interrupted_session_is_not_handed_over_as_done() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon_with(&[("AICTXD_SESSION_GRACE_MS", "50")]);
    let exits = Play::claude(&env, &repo, "s1");
    exits.start("startup");
    exits.prompt("Add add() and sub(), and document them");
    exits.edit("calc.py", "def add(a, b):\n    return a + b\n");
    exits.passes("python -m pytest -q", "4 passed in 0.01s");
    exits.end();
    let row = handoff(&env, &repo, "s1");
    assert_eq!(
        (&row["status"], &row["risks"]),
        (
            &json!("unresolved"),
            &json!(["interrupted in the middle of a turn"])
        )
    );
}

#[test]
fn a_command_under_observation_claims_what_it_wrote_and_its_time() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    fs::write(repo.join("before.py"), "x = 1\n").unwrap();
    let other = Play::claude(&env, &repo, "other");
    other.start("startup");
    other.prompt("Write theirs.py");
    let fifo = env.path().join("go");
    assert!(env.command("mkfifo").arg(&fifo).status().unwrap().success());
    let script = format!(
        "sleep 0.05; echo y > mine.py; read word < {}",
        fifo.display()
    );
    let mut child = env
        .command(aictx_tests::program("aictx"))
        .args(["internal", "run-execution", "--", "sh", "-c", &script])
        .envs([("CLAUDE_CODE_SESSION_ID", "mine"), ("CLAUDECODE", "1")])
        .current_dir(&repo)
        .stdin(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the command writes", || repo.join("mine.py").exists());
    fs::write(repo.join("theirs.py"), "z = 1\n").unwrap();
    other.edit("theirs.py", "z = 1\n");
    fs::write(&fifo, "word\n").unwrap();
    assert!(child.wait().unwrap().success());
    let row = env
        .rows(&repo, "metrics/execution_logs.jsonl")
        .pop()
        .unwrap();
    assert_eq!(row["files_edited"], json!(["mine.py"]));
    assert!(row["execution_time_ms"].as_u64().unwrap() >= 50, "{row}");
}

#[test]
fn what_another_session_learned_meanwhile_was_not_reused() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let finalized = |who: &Play| {
        who.edit("calc.py", "def add(a, b):\n    return a + b\n");
        who.passes("python -m pytest -q", "4 passed in 0.01s");
        let told = ["--status", "success", "--summary", "add() adds.", "--json"];
        let all = [&["finalize"][..], &told].concat();
        who.aictx(&all).ok().json()["agent_summary"]["strategy_reused"].clone()
    };
    let [first, second, third, fourth] =
        ["s1", "s2", "s3", "s4"].map(|id| Play::claude(&env, &repo, id));
    for who in [&first, &second] {
        who.start("startup");
        who.prompt("Fix the sums in calc.py");
    }
    // Rows are stamped with the second they are of.
    let clock = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_secs()
    };
    let begun = clock();
    wait_until("another second has begun", || clock() > begun);
    assert_eq!(finalized(&first), false);
    assert_eq!(finalized(&second), false);
    third.start("startup");
    third.prompt("Fix the sums in calc.py");
    assert_eq!(finalized(&third), false, "it was there, and not told");
    fourth.start("startup");
    fourth.prompt("Fix the sums in calc.py");
    let told = ["resume", "--task", "Fix the sums in calc.py"];
    assert!(fourth.aictx(&told).ok().stdout.contains("Strategy"));
    assert_eq!(finalized(&fourth), true);
}

/// A recipe may ignore how its tests end; and what is seen to pass later is not told as failing.
#[test]
fn a_run_that_says_that_tests_failed_has_failed_until_one_passes() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let who = Play::claude(&env, &repo, "s1");
    who.start("startup");
    who.prompt("Add add()");
    who.edit("calc.py", "def add(a, b):\n    return 0\n");
    who.passes(
        "make test",
        &format!("{FAILING}\nmake: [Makefile:2: test] Error 1 (ignored)"),
    );
    who.fails(
        "make test --bogus",
        "make: unrecognized option '--bogus'\nUsage: make [options]",
    );
    who.end();
    let row = handoff(&env, &repo, "s1");
    assert_eq!(row["status"], "failed", "{row}");
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns.len(), 1, "{patterns:?}");
    assert_eq!(patterns[0]["failed_command"], "make test");

    let later = Play::claude(&env, &repo, "s2");
    let told = later.start("startup");
    assert!(told.contains("still failing: make test"), "{told}");
    later.prompt("Do the tests pass?");
    later.passes("make test", "4 passed in 0.01s");
    later.end();
    wait_until("the failure is resolved", || {
        let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
        patterns
            .iter()
            .all(|pattern| pattern["status"] == "resolved")
    });
    let told = Play::claude(&env, &repo, "s3").start("startup");
    assert!(!told.contains("still failing"), "{told}");
}

#[test]
fn what_failed_behind_a_pipe_is_told_with_its_message() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for (n, (command, output, message)) in [
        (
            "python -m pytest -q 2>&1 | tail -1",
            "1 failed, 3 passed in 0.02s",
            "1 failed, 3 passed",
        ),
        (
            "cargo test 2>&1 | grep -E 'FAILED|panicked'",
            "test tests::adds ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored",
            "tests::adds failed",
        ),
        (
            "npx tsc --noEmit | head -3",
            "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
            "TS2322",
        ),
        (
            "make 2>&1 | tail -2",
            "make: *** [Makefile:3: all] Error 2",
            "all: Error 2",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("s{n}");
        let who = Play::claude(&env, &repo, &id);
        who.start("startup");
        who.prompt("Make the build work");
        who.edit("calc.py", &format!("x = {n}\n"));
        who.passes(command, output);
        who.says("I tried.");
        who.end();
        let left = handoff(&env, &repo, &id);
        assert_eq!(left["status"], "failed", "{left}");
        let blocked = left["blocked"].to_string();
        assert!(blocked.contains(message), "{command}: {blocked}");
    }
}

#[test]
fn a_recommended_check_names_a_program_that_is_there() {
    use std::os::unix::fs::symlink;
    let mut env = TestEnv::new();
    let bin = env.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let search = std::env::var("PATH").unwrap();
    for name in ["git", "python3", "sh"] {
        let mut found = std::env::split_paths(&search).map(|dir| dir.join(name));
        symlink(found.find(|path| path.exists()).unwrap(), bin.join(name)).unwrap();
    }
    env.set("PATH", bin.to_str().unwrap());
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let start = Play::claude(&env, &repo, "a").start("startup");
    assert!(start.contains("`python3 -m pytest`"), "{start}");
    let next = env.aictx(&repo, &["next"]).ok().stdout;
    assert!(next.contains("`python3 -m pytest`"), "{next}");
}
