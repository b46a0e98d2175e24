//! Failure memory: told when it helps, changed by hand, found by question.

use aictx_tests::session::{after_command, end, failed_command, prompt, start};
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

const FAILING: &str =
    "Exit code 1\nFAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s";

/// One session that fails and gives up.
fn failed_session(env: &TestEnv, repo: &std::path::Path, id: &str) {
    env.hook(repo, &start(repo, id, "startup")).ok();
    env.hook(repo, &prompt(repo, id, "make the tests pass"))
        .ok();
    env.hook(
        repo,
        &failed_command(repo, id, "python -m pytest -q", FAILING),
    )
    .ok();
    env.hook(repo, &end(repo, id)).ok();
}

fn told(answer: &str) -> String {
    if answer.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(answer).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PostToolUseFailure");
    output["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_that_meets_a_known_failure_hears_of_it_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    failed_session(&env, &repo, "s1");
    wait_until("the failure is remembered", || {
        !env.rows(&repo, "failure_memory/failure_patterns.jsonl")
            .is_empty()
    });
    let list = env
        .aictx(&repo, &["failures", "list", "--json"])
        .ok()
        .json();
    let id = list["failures"][0]["failure_id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(list["failures"][0]["status"], "open");
    let resolve = [
        "failures",
        "resolve",
        &id,
        "--summary",
        "add() must sum its arguments",
        "--json",
    ];
    let resolved = env.aictx(&repo, &resolve).ok().json();
    assert_eq!(resolved["failure"]["resolution_evidence"], "explicit");
    let fail = |session: &str| {
        let event = failed_command(&repo, session, "python -m pytest -q", FAILING);
        told(&env.hook(&repo, &event).ok().stdout)
    };
    env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    let first = fail("s2");
    assert!(
        first.starts_with("Seen before, as recorded in this repository (1x"),
        "{first}"
    );
    assert!(
        first.contains("Recorded as what fixed it: \"add() must sum its arguments\""),
        "{first}"
    );
    assert!(first.lines().count() <= 3);
    assert_eq!(fail("s2"), "", "once a session");
    // Another error is not taken for this one.
    let other = failed_command(
        &repo,
        "s2",
        "python -m pytest -q",
        "Exit code 1\nFAILED test_other.py::test_sub - TypeError: bad operand\n1 failed",
    );
    assert_eq!(told(&env.hook(&repo, &other).ok().stdout), "");
}

/// `make test`, `npm test` and what they run are the same check, whichever of them failed.
#[test]
fn a_check_is_known_by_the_name_of_its_script_and_by_what_that_runs() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    std::fs::write(
        repo.join("Makefile"),
        "test: lint\n\tpython -m pytest -q\nlint:\n\t-ruff check .\n",
    )
    .unwrap();
    std::fs::write(
        repo.join("package.json"),
        r#"{"scripts": {"test": "npm run test:unit", "test:unit": "jest --ci", "lax": "jest || true"}}"#,
    )
    .unwrap();
    let _daemon = env.daemon();
    let open = || {
        let all = env.aictx(&repo, &["failures", "list", "--json"]);
        all.ok().json()["failures"].as_array().unwrap().len()
    };
    let mut session = 0;
    let mut seen = |event: &dyn Fn(&str) -> Value| {
        session += 1;
        let id = format!("s{session}");
        env.hook(&repo, &start(&repo, &id, "startup")).ok();
        env.hook(&repo, &prompt(&repo, &id, "make the tests pass"))
            .ok();
        env.hook(&repo, &event(&id)).ok();
        env.hook(&repo, &end(&repo, &id)).ok();
        let rows = || env.rows(&repo, "metrics/agent_execution_log.jsonl").len();
        wait_until("the session is finalized", || rows() == session);
        open()
    };
    let jest = "Exit code 1\nFAIL src/a.test.js\n  \u{25cf} adds\n\n    expect(received).toBe(expected)\n\n\
                Tests:       1 failed, 1 total";
    for (failed, error, others, passed) in [
        (
            "make test",
            FAILING,
            &["make lint", "python -m unittest"][..],
            "pytest",
        ),
        (
            "pytest -q",
            FAILING,
            &["make -n test"],
            "make test 2>&1 | tail -3",
        ),
        (
            "npm test",
            jest,
            &["npm run lint", "npx mocha", "npm run lax"],
            "npx jest",
        ),
        (
            "npx jest src/a.test.js",
            jest,
            &["npm test -- src/b.test.js"],
            "npm test",
        ),
    ] {
        let fails = |id: &str| failed_command(&repo, id, failed, error);
        assert_eq!(seen(&fails), 1, "{failed}");
        for other in others {
            let passes = |id: &str| after_command(&repo, id, other, "1 passed in 0.01s");
            assert_eq!(seen(&passes), 1, "{failed}, {other}");
        }
        let passes = |id: &str| after_command(&repo, id, passed, "4 passed in 0.01s");
        assert_eq!(seen(&passes), 0, "{failed}, {passed}");
    }
}

#[test]
fn failures_are_found_by_question_and_edited_by_hand() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    failed_session(&env, &repo, "s1");
    wait_until("the failure is remembered", || {
        !env.rows(&repo, "failure_memory/failure_patterns.jsonl")
            .is_empty()
    });
    let list = |more: &[&str]| {
        let mut all = vec!["failures", "list", "--json"];
        all.extend(more);
        let found = env.aictx(&repo, &all).ok().json();
        found["failures"].as_array().unwrap().len()
    };
    assert_eq!(list(&[]), 1);
    assert_eq!(list(&["--path", "test_calc.py"]), 1);
    assert_eq!(list(&["--command", "python -m pytest"]), 1);
    assert_eq!(list(&["--path", "elsewhere.py"]), 0);
    assert_eq!(list(&["--for", "write the release notes"]), 0);
    let show = env.aictx(&repo, &["failures", "show", "failure::", "--json"]);
    assert_ne!(show.status, 0);
    let all = env
        .aictx(&repo, &["failures", "list", "--json"])
        .ok()
        .json();
    let id = all["failures"][0]["failure_id"].as_str().unwrap();
    env.aictx(&repo, &["failures", "resolve", id]).ok();
    assert_eq!((list(&[]), list(&["--status", "resolved"])), (0, 1));
    let reopened = env
        .aictx(&repo, &["failures", "reopen", id, "--json"])
        .ok()
        .json();
    assert_eq!(
        (&reopened["action"], &reopened["failure"]["reopened"]),
        (&json!("reopened"), &json!(1))
    );
    // The same check passing resolves it without anybody saying so.
    env.hook(&repo, &start(&repo, "s2", "startup")).ok();
    env.hook(
        &repo,
        &after_command(&repo, "s2", "python -m pytest -q", "4 passed in 0.01s"),
    )
    .ok();
    env.hook(&repo, &end(&repo, "s2")).ok();
    wait_until("it is resolved", || list(&[]) == 0);
    env.aictx(&repo, &["failures", "forget", id]).ok();
    assert_eq!(list(&["--status", "all"]), 0);
    let text = env.aictx(&repo, &["failures", "list"]).ok();
    assert_eq!(text.stdout, "no such failure is remembered\n");
}

#[test]
fn raw_output_becomes_events() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let parse = |arguments: &[&str], input: &str| {
        let mut command = env.command(aictx_tests::program("aictx"));
        command.args(["signals", "parse", "--json"]).args(arguments);
        command.current_dir(&repo);
        env.with_input(&mut command, input.as_bytes()).ok().json()
    };
    let output = "src/main.c:3:5: error: unknown type name 'strng'\n    3 |     strng x;\n      |     ^~~~~\n";
    let found = parse(
        &["--command", "gcc -c src/main.c", "--exit-code", "1"],
        output,
    );
    let event = &found["events"][0];
    assert_eq!(
        (&event["file"], &event["line"]),
        (&json!("src/main.c"), &json!("3")),
        "{found}"
    );
    assert_eq!(found["truncated"], false);
    let passed = parse(
        &["--command", "pytest", "--exit-code", "0"],
        "3 passed in 0.01s\n",
    );
    assert_eq!(
        (&passed["events"], &passed["tests"]["passed"]),
        (&json!([]), &json!(3)),
        "{passed}"
    );
    let long = parse(
        &["--command", "make", "--exit-code", "2"],
        &"building\n".repeat(300_000),
    );
    assert_eq!(long["truncated"], true);
    let garbage = parse(&["--exit-code", "1"], "\u{0}\u{1b}[31m\u{7f}\n");
    assert!(garbage["events"].is_array());
}

#[test]
fn among_many_patterns_what_changed_is_appended_and_still_one_pattern() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let rows: String = (0..80)
        .map(|n| {
            let row = json!({
                "failure_id": format!("failure::s{n}"), "signature": format!("s{n}"),
                "failure_signature": format!("s{n}"), "status": "open", "occurrences": 1,
                "symptoms": [format!("boom {n}")], "timestamp": "2026-01-01T00:00:00Z",
                "failed_command": format!("make part{n}"),
            });
            format!("{row}\n")
        })
        .collect();
    let file = repo.join(".aictx/failure_memory/failure_patterns.jsonl");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, rows).unwrap();
    let found = |status: &str| {
        let list = env
            .aictx(&repo, &["failures", "list", "--json", "--status", status])
            .ok()
            .json();
        let all = list["failures"].as_array().unwrap();
        let ours = all
            .iter()
            .filter(|f| f["failed_command"] == "python -m pytest -q");
        ours.map(|f| f["occurrences"].clone()).collect::<Vec<_>>()
    };
    for id in ["s1", "s2"] {
        failed_session(&env, &repo, id);
    }
    wait_until("both are counted", || found("open") == [json!(2)]);
    let lines = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(lines.len(), 82, "80 and two of the same pattern");
    env.hook(&repo, &start(&repo, "s3", "startup")).ok();
    let passed = after_command(&repo, "s3", "python -m pytest -q", "4 passed in 0.01s");
    env.hook(&repo, &passed).ok();
    env.hook(&repo, &end(&repo, "s3")).ok();
    wait_until("it is resolved", || found("open").is_empty());
    // What a fresh process reads from the files is the same.
    daemon.stop();
    assert_eq!(found("resolved"), [json!(2)]);
    assert_eq!(found("open"), Vec::<Value>::new());
    let index = env.file(&repo, "failure_memory/failure_index.json");
    assert_eq!(index["failure_count"], 81);
}

/// A session that runs the tests on the branch that is checked out.
fn tested(env: &TestEnv, repo: &std::path::Path, id: &str, passes: bool) {
    let pass = after_command(repo, id, "python -m pytest -q", "4 passed in 0.01s");
    let fail = failed_command(repo, id, "python -m pytest -q", FAILING);
    env.hook(repo, &start(repo, id, "startup")).ok();
    env.hook(repo, if passes { &pass } else { &fail }).ok();
    env.hook(repo, &end(repo, id)).ok();
    wait_until("the session is on record", || {
        env.rows(repo, "metrics/execution_logs.jsonl")
            .iter()
            .any(|row| row["session_id"] == id)
    });
}

#[test]
fn a_failure_of_a_branch_is_not_resolved_by_a_pass_on_one_without_its_work() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut day = 10;
    let mut git = |env: &mut TestEnv, arguments: &[&str]| {
        day += 1;
        env.set("GIT_COMMITTER_DATE", &format!("2027-01-{day}T12:00:00Z"));
        env.git(&repo, arguments);
    };
    let status = |env: &TestEnv| {
        env.rows(&repo, "failure_memory/failure_patterns.jsonl")[0]["status"].clone()
    };
    // Uncommitted work fails on a branch: neither the trunk that it was made from proves anything …
    git(&mut env, &["checkout", "-q", "-b", "feature"]);
    tested(&env, &repo, "s1", false);
    git(&mut env, &["checkout", "-q", "main"]);
    tested(&env, &repo, "s2", true);
    assert_eq!(status(&env), "open");
    // … nor does it once the work is committed there and not merged.
    git(&mut env, &["checkout", "-q", "feature"]);
    git(&mut env, &["commit", "-q", "--allow-empty", "-m", "work"]);
    git(&mut env, &["checkout", "-q", "main"]);
    tested(&env, &repo, "s3", true);
    assert_eq!(status(&env), "open");
    // A branch that goes on with the work does.
    git(&mut env, &["checkout", "-q", "-b", "second", "feature"]);
    tested(&env, &repo, "s4", true);
    assert_eq!(status(&env), "resolved");
    // What fails on the trunk fails there until its own code passed: not with work that it does not have.
    git(&mut env, &["checkout", "-q", "main"]);
    tested(&env, &repo, "s5", false);
    git(&mut env, &["checkout", "-q", "-b", "mend"]);
    let calc = std::fs::read_to_string(repo.join("calc.py")).unwrap();
    std::fs::write(repo.join("calc.py"), format!("{calc}# mended\n")).unwrap();
    tested(&env, &repo, "s6", true);
    assert_eq!(status(&env), "open", "with an edit");
    git(&mut env, &["commit", "-q", "-a", "-m", "mended"]);
    tested(&env, &repo, "s6-2", true);
    assert_eq!(status(&env), "open", "with a commit");
    git(&mut env, &["branch", "-q", "-f", "main", "mend"]);
    tested(&env, &repo, "s6-3", true);
    assert_eq!(status(&env), "resolved", "the trunk has it");
    // And nothing can fail any more on a branch that is gone.
    git(&mut env, &["checkout", "-q", "feature"]);
    tested(&env, &repo, "s7", false);
    git(&mut env, &["checkout", "-q", "mend"]);
    tested(&env, &repo, "s8", true);
    assert_eq!(status(&env), "open");
    git(&mut env, &["branch", "-q", "-D", "feature"]);
    tested(&env, &repo, "s9", true);
    assert_eq!(status(&env), "resolved");
}
