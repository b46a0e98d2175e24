//! More faults of the ancestor, each under its number: what is recorded, and what of it is told.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use aictx_tests::memory::assert_sound;
use aictx_tests::play::Play;
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::json;

use crate::faults::{failure, resume, success};

#[test]
fn w26_wt4_executions_of_one_session_and_one_second_are_different() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (env, repo) = (&env, &repo);
            scope.spawn(move || {
                let task = [
                    "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel",
                ][n];
                success(
                    env,
                    repo,
                    task,
                    &[
                        "--task",
                        &format!("Build the {task} exporter"),
                        "--session-id",
                        "one",
                        "--files-edited",
                        &format!("{task}.py"),
                        "--tests-executed",
                        &format!("pytest {task}"),
                    ],
                )
            });
        }
    });
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    let ids: std::collections::BTreeSet<_> = rows
        .iter()
        .map(|r| r["task_id"].as_str().unwrap())
        .collect();
    assert_eq!(
        (
            ids.len(),
            env.rows(&repo, "strategy_memory/strategies.jsonl").len()
        ),
        (8, 8)
    );
    assert_eq!(
        env.file(&repo, "continuity/session.json")["session_count"],
        1
    );
}

#[test]
fn w27_paths_as_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    fs::create_dir(repo.join("src")).unwrap();
    fs::write(repo.join("src/ñandú file.txt"), "x").unwrap();
    env.git(&repo, &["mv", "calc.py", "moved calc.py"]);
    let reply = success(
        &env,
        &repo,
        "Done",
        &[
            "--files-edited",
            "./src/ñandú file.txt",
            &repo.join("moved calc.py").to_string_lossy(),
        ],
    );
    let changed = reply["git_state"]["changed_files"].to_string();
    assert!(changed.contains("\"moved calc.py\""), "{changed}");
    let uncommitted = reply["git_state"]["files_edited_uncommitted"]
        .as_array()
        .unwrap();
    assert_eq!(uncommitted.len(), 2, "{uncommitted:?}");
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl")[0]["files_edited"],
        json!(["src/ñandú file.txt", "moved calc.py"])
    );
}

#[test]
fn w36_a_reader_that_went_away_is_no_error() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    success(&env, &repo, "Done", &["--files-edited", "calc.py"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = env
        .command(program("aictx"))
        .args(["resume", "--task", "x", "--json"])
        .current_dir(&repo)
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}

#[test]
fn w37_wm2_wm3_wm4_a_repeated_failure_is_one_pattern_with_a_count() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for n in 0..4 {
        let id = format!("s{n}");
        let who = Play::claude(&env, &repo, &id);
        who.start("startup");
        who.prompt("Make the tests pass");
        who.passes("ls", "calc.py");
        who.edit("calc.py", &format!("x = {n}\n"));
        who.fails(
            "python -m pytest -q",
            "FAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s",
        );
        who.end();
    }
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns.len(), 1);
    assert_eq!(
        (&patterns[0]["occurrences"], &patterns[0]["failed_command"]),
        (&json!(4), &json!("python -m pytest -q"))
    );
    assert!(
        patterns[0]["related_paths"].to_string().contains("calc.py"),
        "{}",
        patterns[0]
    );
    let told = resume(&env, &repo, &["--task", "Make the tests pass"]);
    assert_eq!(told["capsule"]["failures"].as_array().unwrap().len(), 1);
    // Seen, resolved, seen again: one pattern still, open, and counted on.
    let who = Play::claude(&env, &repo, "green");
    who.prompt("Make the tests pass");
    who.passes("python -m pytest -q", "1 passed in 0.01s");
    who.end();
    let who = Play::claude(&env, &repo, "red");
    who.prompt("Make the tests pass");
    who.fails(
        "python -m pytest -q",
        "FAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s",
    );
    who.end();
    let list = env
        .aictx(&repo, &["failures", "list", "--all", "--json"])
        .ok()
        .json();
    let [pattern] = &list["failures"].as_array().unwrap()[..] else {
        panic!("{list}")
    };
    assert_eq!(
        (&pattern["status"], &pattern["occurrences"]),
        (&json!("open"), &json!(5))
    );
}

#[test]
fn w42_no_command_of_the_environment_is_run() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let marker = env.path().join("marker");
    for name in [
        "AICTX_ENTRYPOINT_ARBITER_COMMAND",
        "AICTX_CLAUDE_ENTRYPOINT_ARBITER_COMMAND",
        "AICTX_GENERIC_ENTRYPOINT_ARBITER_COMMAND",
    ] {
        env.set(name, &format!("touch {}", marker.display()));
    }
    success(
        &env,
        &repo,
        "Token refresh works",
        &["--files-edited", "calc.py"],
    );
    resume(&env, &repo, &["--task", "continue the previous task"]);
    assert!(!marker.exists());
}

#[test]
fn w43_w3b_work_that_waits_for_its_commit_is_no_gap() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let who = Play::claude(&env, &repo, "s");
    who.start("startup");
    who.prompt("Fix add in calc.py");
    who.aictx(&["resume", "--task", "Fix add in calc.py"]);
    who.read("calc.py");
    who.edit("calc.py", "def add(a, b):\n    return a + b\n");
    who.passes("python -m pytest", "1 passed in 0.01s");
    let reply = who
        .aictx(&[
            "finalize",
            "--json",
            "--status",
            "success",
            "--summary",
            "Fixed add",
        ])
        .json();
    assert_eq!(
        reply["contract_gaps"],
        json!([]),
        "{}",
        reply["contract_compliance"]
    );
    assert!(
        !repo.join(".aictx/tasks/threads").exists(),
        "no thread of its own making"
    );
    for committed in [false, true] {
        if committed {
            env.git(&repo, &["commit", "-qam", "fix"]);
        }
        let next = resume(&env, &repo, &["--task", "Fix add in calc.py"]);
        assert_eq!(
            (&next["task_state"]["status"], &next["carryover_gaps"]),
            (&json!("completed"), &json!([]))
        );
    }
}

#[test]
fn wt5_wt7_said_is_not_proven_and_failures_are_no_strategies() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let run = [
        "internal",
        "run-execution",
        "--validated-learning",
        "--task",
        "Print it",
        "--",
        "sh",
        "-c",
        "echo 1 passed",
    ];
    env.aictx(&repo, &run).ok();
    let rows = env.rows(&repo, "strategy_memory/strategies.jsonl");
    assert!(
        rows.iter().all(|row| row["tests_executed"] == json!([])),
        "no test was run: {rows:?}"
    );
    fs::create_dir(repo.join("lib")).unwrap();
    failure(
        &env,
        &repo,
        "Broke",
        &[
            "--files-edited",
            "lib/a.py",
            "lib/b.py",
            "--commands-executed",
            "make",
            "--error",
            "make: *** [all] Error 2",
        ],
    );
    let areas = env.file(&repo, "area_memory/areas.json");
    let area = areas["areas"]
        .as_object()
        .unwrap()
        .values()
        .find(|a| a.to_string().contains("lib/a.py"))
        .unwrap();
    assert_eq!(
        (&area["strategy_count"], &area["failure_count"]),
        (&json!(0), &json!(1)),
        "{area}"
    );
}

#[test]
fn wt8_wt9_parts_and_notes_of_people_are_told() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    success(
        &env,
        &repo,
        "Described",
        &[
            "--semantic-json",
            r#"{"name": "billing", "description": "invoices", "key_paths": ["calc.py"], "fragile_areas": ["rounding of invoices"]}"#,
        ],
    );
    let notes = repo.join(".aictx/memory/source");
    fs::create_dir_all(&notes).unwrap();
    fs::write(
        notes.join("release.md"),
        "# Release checklist\n\nTag only after the quokka pipeline is green.\n",
    )
    .unwrap();
    wait_until("the note is told", || {
        resume(
            &env,
            &repo,
            &[
                "--task",
                "prepare the release checklist for the quokka pipeline",
            ],
        )["notes"]
            .to_string()
            .contains("quokka pipeline is green")
    });
    let next = env
        .aictx(&repo, &["next", "--json", "--request", "invoices"])
        .ok()
        .json();
    assert!(
        next["continuity_brief"]["known_risks"]
            .to_string()
            .contains("rounding of invoices"),
        "{next}"
    );
    assert_sound(&repo);
}
