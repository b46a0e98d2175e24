//! Work after a finalized turn, and turns that are finalized more than once.

use aictx_tests::play::Play;
use aictx_tests::{Run, TestEnv, wait_until};
use serde_json::{Value, json};

fn finalize(env: &TestEnv, repo: &std::path::Path, session: &str, more: &[&str]) -> Run {
    let told = ["finalize", "--session-id", session, "--json"];
    let arguments: Vec<&str> = told.into_iter().chain(more.iter().copied()).collect();
    env.aictx(repo, &arguments).ok()
}

fn handoffs(env: &TestEnv, repo: &std::path::Path) -> Vec<Value> {
    env.rows(repo, "continuity/handoffs.jsonl")
}

/// Plays the request and the work of every session here.
fn checks_arguments(play: &Play) {
    play.start("startup");
    play.prompt("Make add check its arguments");
    play.edit("calc.py", "def add(a, b):\n    return int(a) + b\n");
}

#[test]
fn work_after_a_finalize_in_the_same_turn_is_not_lost() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    checks_arguments(&ann);
    let done = ["--status", "success", "--summary", "Checks arguments"];
    let next = ["--next-step", "Release it", "--risk", "Slower"];
    finalize(&env, &repo, "ann", &[&done[..], &next[..]].concat());
    // And it goes on without having been asked.
    ann.edit("store.py", "x = 1\n");
    ann.fails(
        "pytest -q",
        "FAILED tests/test_store.py::test_x - assert 1 == 2\n1 failed in 0.1s",
    );
    ann.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("the rest is finalized", || handoffs(&env, &repo).len() == 2);

    let last = env.file(&repo, "continuity/handoff.json");
    let summary = last["summary"].as_str().unwrap();
    assert!(summary.starts_with("Checks arguments. Then: "), "{summary}");
    assert_eq!(last["reason"], "Make add check its arguments");
    assert_eq!(last["status"], "failed");
    assert_eq!(last["next_steps"], json!(["Release it"]));
    assert_eq!(last["risks"], json!(["Slower"]));
    let points = last["recommended_starting_points"].to_string();
    assert!(
        points.contains("store.py") && points.contains("calc.py"),
        "{points}"
    );
}

#[test]
fn a_turn_that_is_finalized_again_says_nothing_twice_and_loses_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    checks_arguments(&ann);
    let done = ["--status", "success", "--summary", "Checks arguments"];
    let first = finalize(&env, &repo, "ann", &done).json();
    let second = finalize(&env, &repo, "ann", &done).json();
    assert_eq!(first["execution_id"], second["execution_id"]);
    assert_eq!(
        (&second["recorded"], handoffs(&env, &repo).len()),
        (&json!(false), 1)
    );

    let more = [&done[..], &["--next-step", "Release it"]].concat();
    let third = finalize(&env, &repo, "ann", &more).json();
    assert_eq!(third["recorded"], true);
    let last = env.file(&repo, "continuity/handoff.json");
    assert_eq!(last["next_steps"], json!(["Release it"]));
    assert_eq!(last["recommended_starting_points"], json!(["calc.py"]));
}

#[test]
fn a_handoff_says_that_its_edits_were_taken_back() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    checks_arguments(&ann);
    let done = ["--status", "success", "--summary", "Checks arguments"];
    finalize(&env, &repo, "ann", &done);
    let bob = Play::claude(&env, &repo, "bob");
    let told = "Not as it was left: \"calc.py changed";
    assert!(!bob.start_and_continue().contains(told));
    env.git(&repo, &["checkout", "."]);
    let cat = Play::claude(&env, &repo, "cat");
    let context = cat.start_and_continue();
    assert!(context.contains(told), "{context}");
    let resumed = env.aictx(&repo, &["resume", "--task", "Check the arguments of add"]);
    assert!(
        resumed.stdout.contains("calc.py changed"),
        "{}",
        resumed.stdout
    );
}

#[test]
fn a_question_leaves_unfinished_work_to_whoever_goes_on_with_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    checks_arguments(&ann);
    ann.fails(
        "pytest -q",
        "FAILED test_calc.py::test_add - assert 1 == 2\n1 failed in 0.1s",
    );
    ann.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("it is finalized", || handoffs(&env, &repo).len() == 1);
    let bob = Play::claude(&env, &repo, "bob");
    bob.start("startup");
    bob.prompt("What does calc.py do?");
    bob.read("calc.py");
    bob.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("it is finalized", || {
        env.rows(&repo, "metrics/execution_logs.jsonl").len() == 2
    });
    let last = env.file(&repo, "continuity/handoff.json");
    assert_eq!(last["reason"], "Make add check its arguments");
}

#[test]
fn a_check_of_what_was_stashed_away_proves_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    checks_arguments(&ann);
    ann.fails(
        "pytest -q",
        "FAILED test_calc.py::test_add - assert 1 == 2\n1 failed in 0.1s",
    );
    ann.passes("git stash -q", "");
    ann.passes("pytest -q", "1 passed in 0.01s");
    ann.passes("git stash pop -q", "");
    ann.passes(
        "git stash -q && pytest -q; git stash pop",
        "1 passed in 0.01s",
    );
    ann.hook("SessionEnd", json!({ "reason": "exit" }));
    wait_until("it is finalized", || handoffs(&env, &repo).len() == 1);
    assert_eq!(
        env.file(&repo, "continuity/handoff.json")["status"],
        "failed"
    );
}

#[test]
fn a_step_that_was_left_is_done_once_the_turn_succeeds() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    checks_arguments(&ann);
    let failed = [
        "--status",
        "failure",
        "--summary",
        "One test fails",
        "--next-step",
        "Adapt test_add",
    ];
    finalize(&env, &repo, "ann", &failed);
    ann.edit("test_calc.py", "def test_add():\n    pass\n");
    ann.passes("python -m pytest -q", "1 passed in 0.01s");
    finalize(
        &env,
        &repo,
        "ann",
        &["--status", "success", "--summary", "Adapted the test"],
    );
    let last = env.file(&repo, "continuity/handoff.json");
    assert_eq!(
        (&last["status"], &last["next_steps"]),
        (&json!("resolved"), &json!([]))
    );
}

#[test]
fn a_call_that_two_registrations_report_is_one_row() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let event = |name: &str, id: &str, more: serde_json::Value| {
        let mut payload = json!({
            "session_id": "s", "cwd": repo, "hook_event_name": name, "tool_name": "Bash",
            "tool_input": { "command": "git reset --hard" }, "tool_use_id": id,
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        env.hook(&repo, &payload).ok().stdout
    };
    let before = |id: &str| event("PreToolUse", id, json!({}));
    let after = |id: &str| {
        let response = json!({ "stdout": "done", "stderr": "", "interrupted": false });
        event("PostToolUse", id, json!({ "tool_response": response }))
    };
    let rows = |kind: &str| {
        let rows = env.rows(&repo, "sessions/s.jsonl");
        rows.iter().filter(|row| row["kind"] == kind).count()
    };
    for id in ["a", "b", "a"] {
        let both = [before(id), before(id)];
        assert!(both.iter().all(|said| said.contains("ask")), "{both:?}");
        after(id);
        after(id);
    }
    wait_until("all is recorded", || {
        rows("tool_intent") == 3 && rows("command") == 3
    });
}
