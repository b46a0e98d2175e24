//! A command that is run under observation: shown as it runs, recorded as it ended, learned from.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};

use aictx_tests::{TestEnv, program};
use serde_json::{Value, json};

fn observed(env: &TestEnv, repo: &Path, options: &[&str], command: &[&str]) -> aictx_tests::Run {
    let arguments = [&["internal", "run-execution"], options, &["--"], command].concat();
    env.aictx(repo, &arguments)
}

#[test]
fn w32_a_command_under_observation_streams_and_is_recorded() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let fifo = env.path().join("go");
    assert!(env.command("mkfifo").arg(&fifo).status().unwrap().success());
    let script = format!(
        "echo first; read word < {}; printf 'b\\377d %s\\n' \"$word\"; exit 3",
        fifo.display()
    );
    let mut child: Child = env
        .command(program("aictx"))
        .args([
            "internal",
            "run-execution",
            "--task",
            "Try it",
            "--",
            "sh",
            "-c",
            &script,
        ])
        .current_dir(&repo)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "first\n", "shown while the command still runs");
    fs::write(&fifo, "word\n").unwrap();
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"b\xffd word\n", "byte for byte, and nothing of ours");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let row = env
        .rows(&repo, "metrics/execution_logs.jsonl")
        .pop()
        .unwrap();
    assert_eq!(
        (&row["success"], &row["files_edited"]),
        (&json!(false), &json!([]))
    );
}

#[test]
fn w32_signals_reach_the_command_and_statuses_are_its_own() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let script = "trap 'echo caught; exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = env
        .command(program("aictx"))
        .args(["internal", "run-execution", "--", "bash", "-c", script])
        .current_dir(&repo)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    line.clear();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "caught\n");
    assert_eq!(child.wait().unwrap().code(), Some(9));

    let gone = observed(&env, &repo, &[], &["/no/such/program", "x"]);
    assert_eq!(gone.status, 127);
    assert!(gone.stderr.contains("/no/such/program"), "{gone:?}");
    assert_eq!(
        observed(&env, &repo, &[], &["sh", "-c", "kill -KILL $$"]).status,
        137
    );
    assert_eq!(
        observed(&env, &repo, &["--timeout", "0"], &["sleep", "60"]).status,
        124
    );
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl").len(),
        4,
        "each is on record"
    );
    let failures = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    let causes: Vec<Value> = failures
        .iter()
        .map(|row| &row["error_events"][0])
        .map(|event| json!([event["code"], event["exit_code"], event["command"]]))
        .collect();
    for (code, status, command) in [
        ("", 127, "/no/such/program x"),
        ("SIGKILL", 137, "sh -c 'kill -KILL $$'"),
        ("timeout", 124, "sleep 60"),
    ] {
        let cause = json!([code, status, command]);
        assert!(causes.contains(&cause), "{cause}: {causes:?}");
    }
    // A word of code that looks like a test is none.
    observed(&env, &repo, &[], &["python3", "-c", "test_x = 1"]).ok();
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl")[4]["tests_executed"],
        json!([])
    );
}

#[test]
fn w32_what_a_command_edits_fails_and_mends_is_learned() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    // The tree is dirty already, with this very file.
    fs::write(repo.join("calc.py"), "dirty = 1\n").unwrap();
    fs::write(repo.join("other.py"), "dirty = 1\n").unwrap();
    let fake = env.path().join("pytest");
    let set = |script: &str| {
        fs::write(&fake, format!("#!/bin/sh\n{script}\n")).unwrap();
        assert!(
            env.command("chmod")
                .arg("+x")
                .arg(&fake)
                .status()
                .unwrap()
                .success()
        );
    };
    let pytest = fake.to_string_lossy().into_owned();
    set("echo 'FAILED test_calc.py::test_add - assert 0 == 4'; echo '1 failed in 0.01s'; exit 1");
    let task = ["--task", "Make the sums right"];
    let failed = observed(&env, &repo, &task, &[&pytest, "-q"]);
    assert_eq!(failed.status, 1);
    let pattern = env
        .rows(&repo, "failure_memory/failure_patterns.jsonl")
        .pop()
        .unwrap();
    assert_eq!(
        (&pattern["status"], &pattern["error_events"][0]["test"]),
        (&json!("open"), &json!("test_calc.py::test_add"))
    );
    // A success of something else resolves nothing (w14, wm1).
    observed(&env, &repo, &["--task", "Fix a colour"], &["true"]).ok();
    let pattern = env
        .rows(&repo, "failure_memory/failure_patterns.jsonl")
        .pop()
        .unwrap();
    assert_eq!(pattern["status"], "open");
    set("echo 'clean = 1' > calc.py; mkdir new; echo > new/made.py; echo '1 passed in 0.01s'");
    let json = observed(
        &env,
        &repo,
        &["--task", "Make the sums right", "--json"],
        &[&pytest, "-q"],
    )
    .ok()
    .json();
    assert_eq!(
        (&json["exit_code"], json["stdout"].as_str().unwrap().trim()),
        (&json!(0), "1 passed in 0.01s")
    );
    let done = &json["finalized"];
    assert_eq!(
        done["resolved_failures"][0], pattern["failure_id"],
        "{done}"
    );
    assert!(
        done["strategy_persisted"]["task_id"].is_string(),
        "wt1: {done}"
    );
    let row = env
        .rows(&repo, "metrics/execution_logs.jsonl")
        .pop()
        .unwrap();
    assert_eq!(
        row["files_edited"],
        json!(["calc.py", "new/made.py"]),
        "the edited one, not the dirty one"
    );
    // The same id again changes nothing (w26).
    let again = ["--execution-id", "mine"];
    observed(&env, &repo, &again, &["true"]).ok();
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl").len();
    observed(&env, &repo, &again, &["true"]).ok();
    assert_eq!(env.rows(&repo, "metrics/execution_logs.jsonl").len(), rows);
}

#[test]
fn what_a_wrapper_observed_beside_the_command_is_recorded() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let patch = env.path().join("patch.json");
    fs::write(
        &patch,
        r#"{"current_hypothesis":"from the file","next_action":"look"}"#,
    )
    .unwrap();
    env.aictx(&repo, &["task", "start", "Make the sums right"])
        .ok();
    // Without dashes, and with every option that the Python program has.
    let run = env.aictx(
        &repo,
        &[
            "internal",
            "run-execution",
            "--request",
            "Make the sums right",
            "--agent-id",
            "wrapper",
            "--adapter-id",
            "generic",
            "--execution-mode",
            "plain",
            "--files-opened",
            "a.py",
            "--files-edited",
            "calc.py",
            "--files-reopened",
            "b.py",
            "--commands-executed",
            "make build",
            "--tests-executed",
            "pytest -q",
            "--notable-errors",
            "it was slow",
            "--error-event-json",
            r#"{"message":"odd","toolchain":"make"}"#,
            "--work-state-file",
            patch.to_str().unwrap(),
            "--work-state-json",
            r#"{"current_hypothesis":"from the option"}"#,
            "--json",
            "sh",
            "-c",
            "exit 3",
        ],
    );
    assert_eq!(run.status, 3, "{run:?}");
    let row = env
        .rows(&repo, "metrics/execution_logs.jsonl")
        .pop()
        .unwrap();
    assert_eq!(row["files_opened"], json!(["a.py", "b.py"]));
    assert_eq!(row["files_edited"], json!(["calc.py"]));
    assert_eq!(
        row["commands_executed"],
        json!(["sh -c 'exit 3'", "make build"])
    );
    assert_eq!(row["tests_executed"], json!(["pytest -q"]));
    let task = env
        .aictx(&repo, &["task", "status", "--json"])
        .ok()
        .json()
        .to_string();
    assert!(
        task.contains("from the option") && task.contains("\"look\""),
        "{task}"
    );
    // What is wrong is found out before the command runs.
    let wrong = ["--work-state-json", "[]"];
    let run = observed(&env, &repo, &wrong, &["touch", "ran"]);
    assert_eq!(
        (run.status, repo.join("ran").exists()),
        (2, false),
        "{run:?}"
    );
    for (flag, value) in [("--skill-id", "x"), ("--execution-mode", "skill")] {
        let run = observed(&env, &repo, &[flag, value], &["touch", "ran"]);
        assert_eq!(
            (run.status, repo.join("ran").exists()),
            (2, false),
            "{run:?}"
        );
        assert!(run.stderr.contains("--task"), "{run:?}");
    }
}

#[test]
fn an_execution_is_prepared_and_finalized_by_a_wrapper() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let prepare = [
        "internal",
        "execution",
        "prepare",
        "--task",
        "Make the sums right",
        "--agent-id",
        "wrapper",
        "--execution-id",
        "e1",
        "--files-opened",
        "a.py",
    ];
    let prepared = env.aictx(&repo, &prepare).ok();
    let document: Value = serde_json::from_str(&prepared.stdout).unwrap();
    assert_eq!(document["envelope"]["execution_id"], "e1");
    assert_eq!(document["envelope"]["files_opened"], json!(["a.py"]));
    assert!(document["execution_contract"].is_object(), "{document}");
    let file = env.path().join("prepared.json");
    fs::write(&file, &prepared.stdout).unwrap();
    let finalize = [
        "internal",
        "execution",
        "finalize",
        "--prepared",
        file.to_str().unwrap(),
        "--success",
        "--result-summary",
        "The sums are right",
        "--files-edited",
        "calc.py",
        "--tests-executed",
        "pytest -q",
        "--decision-json",
        r#"{"decision":"keep the signature","rationale":"callers"}"#,
    ];
    // From anywhere: the document says where.
    let done = env.aictx(env.path(), &finalize).ok();
    let done: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(done["execution_id"], "e1");
    let row = env
        .rows(&repo, "metrics/execution_logs.jsonl")
        .pop()
        .unwrap();
    assert_eq!(row["success"], true);
    assert_eq!(row["files_opened"], json!(["a.py"]));
    assert_eq!(row["files_edited"], json!(["calc.py"]));
    assert_eq!(env.rows(&repo, "continuity/decisions.jsonl").len(), 1);
    // Documents that are none.
    for text in [
        "",
        "[]",
        "{}",
        r#"{"envelope":[]}"#,
        r#"{"envelope":{"repo_root":"/"}}"#,
    ] {
        fs::write(&file, text).unwrap();
        let run = env.aictx(&repo, &finalize);
        assert_eq!(run.status, 2, "{text}: {run:?}");
    }
    assert_eq!(env.rows(&repo, "metrics/execution_logs.jsonl").len(), 1);
}
