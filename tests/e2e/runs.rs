//! Agent runs: the contract of `agent_run.py`, what it got wrong, what two writers do, and what sessions hear of a run.
//! Names begin with the group of acceptance.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::play::Play;
use aictx_tests::{Run, TestEnv, program, wait_until};
use serde_json::{Value, json};

fn run(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Run {
    env.aictx(repo, &[&["run"], arguments].concat())
}

/// Standard output of a command that succeeds, without its end.
#[track_caller]
fn said(env: &TestEnv, repo: &Path, arguments: &[&str]) -> String {
    run(env, repo, arguments).ok().stdout.trim_end().to_owned()
}

#[track_caller]
fn asked(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Value {
    run(env, repo, &[arguments, &["--json"]].concat())
        .ok()
        .json()
}

#[track_caller]
fn refused(run: &Run, status: i32, reason: &str) {
    assert_eq!(run.status, status, "{run:?}");
    assert!(run.stderr.contains(reason), "{reason}: {run:?}");
}

fn runs(repo: &Path) -> PathBuf {
    repo.join(".agents/runs")
}

fn file(repo: &Path, name: &str) -> String {
    fs::read_to_string(runs(repo).join(name)).unwrap()
}

/// Rows of a ledger, each of which must be whole.
fn rows(repo: &Path, name: &str) -> Vec<Value> {
    let text = file(repo, name);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const CLOSING: &[&str] = &[
    "close",
    "--summary",
    "Done",
    "--verification",
    "make test",
    "--no-risks",
];

#[test]
fn d19_18_the_contract_of_the_python_tool_holds() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let root = repo.to_str().unwrap();
    // Its options stand before the command.
    let before = [
        "--root",
        root,
        "--run-id",
        "r1",
        "start",
        "fix overlay keep_geom_type routing",
    ];
    assert_eq!(said(&env, env.path(), &before), ".agents/runs/r1");
    assert_eq!(file(&repo, "ACTIVE"), "r1\n");
    let problem = file(&repo, "r1/problem.json");
    assert!(
        problem.ends_with("}\n") && problem.contains("\n  \"created_at\": \""),
        "{problem}"
    );
    let problem: Value = serde_json::from_str(&problem).unwrap();
    assert_eq!(
        (&problem["intent"], &problem["intake_plan"]),
        (&json!("debug"), &Value::Null)
    );
    assert_eq!(problem["dirty_worktree"]["available"], true);
    let names: Vec<&String> = problem.as_object().unwrap().keys().collect();
    assert!(names.is_sorted(), "{names:?}");
    for ledger in ["hypotheses", "evidence", "commands", "learning"] {
        assert_eq!(file(&repo, &format!("r1/{ledger}.jsonl")), "");
    }
    assert_eq!(
        said(
            &env,
            &repo,
            &["hypothesis", "add", "Doc fanout outranks files"]
        ),
        "H001"
    );
    let status = asked(&env, &repo, &["status"]);
    assert_eq!(
        (&status["id"], &status["open_hypotheses"][0]["id"]),
        (&json!("r1"), &json!("H001"))
    );
    assert_eq!(
        said(
            &env,
            &repo,
            &["evidence", "add", "--hypothesis", "H001", "it ranks below"]
        ),
        "E001"
    );
    assert_eq!(
        said(
            &env,
            &repo,
            &["hypothesis", "resolve", "H001", "--status", "accepted"]
        ),
        "H001: accepted"
    );
    assert_eq!(
        said(
            &env,
            &repo,
            &["command-log", "add", "make", "--status", "fail"]
        ),
        "C001"
    );
    let learning = [
        "learning",
        "add",
        "--kind",
        "test-gap",
        "--summary",
        "no gold query",
    ];
    let lacking = run(
        &env,
        &repo,
        &[&learning[..], &["--repo-action", "none"]].concat(),
    );
    refused(&lacking, 1, "a reason is required");
    let done = [
        &learning[..],
        &["--repo-action", "test", "--path", "test_calc.py"],
    ]
    .concat();
    assert_eq!(said(&env, &repo, &done), "L001");
    assert_eq!(
        said(&env, &repo, &["learning", "review", "--require-resolved"]),
        "1\nL001 test-gap -> test: test_calc.py"
    );
    assert_eq!(said(&env, &repo, CLOSING), ".agents/runs/r1/closeout.md");
    let closeout: Value = serde_json::from_str(&file(&repo, "r1/closeout.json")).unwrap();
    assert_eq!(closeout["summary"], "Done");
    assert_eq!(closeout["learning"][0]["repo_action"], "test");
    assert_eq!(closeout["open_hypotheses"], json!([]));
    let page = file(&repo, "r1/closeout.md");
    for part in [
        "r1",
        "## Summary\n\nDone",
        "- make test",
        "L001 test-gap -> test",
        "## Residual Risks",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!runs(&repo).join("ACTIVE").exists(), "D-51");
}

#[test]
fn d19_18_ledgers_of_the_python_tool_are_read_and_damaged_ones_repaired() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let old = runs(&repo).join("20261120T231743Z-old");
    fs::create_dir_all(&old).unwrap();
    fs::write(runs(&repo).join("ACTIVE"), "20261120T231743Z-old\n").unwrap();
    let problem = json!({
        "id": "20261120T231743Z-old", "created_at": "2026-11-20T23:17:43Z", "request": "x", "intent": "docs",
        "target_properties": [], "intake_plan": null, "expected_verification": ["make"], "risks": [],
        "non_goals": [], "dirty_worktree": {"available": false, "paths": []},
    });
    fs::write(old.join("problem.json"), format!("{problem:#}\n")).unwrap();
    fs::write(
        old.join("hypotheses.jsonl"),
        "{\"event\": \"add\", \"id\": \"H001\", \"status\": \"open\", \"text\": \"caf\\u00e9\", \"timestamp\": \"2026-11-20T23:17:44Z\"}\n\
         \nbroken\n{\"event\": \"add\", \"id\": \"H00",
    )
    .unwrap();
    for name in ["evidence", "commands", "learning"] {
        fs::write(old.join(format!("{name}.jsonl")), "").unwrap();
    }
    let status = asked(&env, &repo, &["status"]);
    assert_eq!(status["hypotheses"][0]["text"], "café");
    let warnings: Vec<&str> = status["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        warnings[0].starts_with("hypotheses.jsonl:3:")
            && warnings[1].starts_with("hypotheses.jsonl:4:")
    );
    // D-56: a bad line breaks no command; a torn one is set aside.
    assert_eq!(said(&env, &repo, &["hypothesis", "add", "next"]), "H002");
    let text = file(&repo, "20261120T231743Z-old/hypotheses.jsonl");
    assert_eq!(text.lines().count(), 4);
    assert_eq!(
        file(&repo, "20261120T231743Z-old/hypotheses.jsonl.bad"),
        "{\"event\": \"add\", \"id\": \"H00\n"
    );
    // D-57: a closed run is not the default, whatever ACTIVE says.
    fs::write(old.join("closeout.json"), "{}\n").unwrap();
    refused(&run(&env, &repo, &["status"]), 3, "no run is active here");
    assert_eq!(asked(&env, &repo, &["list"])["runs"][0]["status"], "closed");
}

#[test]
fn d19_18_each_defect_of_the_python_tool_is_gone() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    // D-55
    for id in ["../../evil", "..", "a/b", "-x", ".hidden", "ACTIVE"] {
        let id = format!("--run-id={id}");
        refused(
            &run(&env, &repo, &["start", "x", &id]),
            2,
            "is no id of a run",
        );
        refused(
            &run(&env, &repo, &["status", &id]),
            if runs(&repo).exists() { 2 } else { 3 },
            "",
        );
    }
    assert!(!repo.parent().unwrap().join("evil").exists());
    said(&env, &repo, &["start", "first", "--run-id", "one"]);
    // Repeated, it changes nothing; D-58: another one does not take its place unasked.
    assert_eq!(asked(&env, &repo, &["start", "first"])["changed"], false);
    refused(
        &run(&env, &repo, &["start", "second"]),
        4,
        "the run `one` is open here",
    );
    let second = asked(
        &env,
        &repo,
        &["start", "second", "--run-id", "two", "--park"],
    );
    assert_eq!(
        (&second["active"], &second["changed"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(asked(&env, &repo, &["show", "one"])["status"], "parked");
    refused(
        &run(&env, &repo, &["start", "x", "--run-id", "one"]),
        1,
        "there is a run `one` already",
    );
    // D-56
    refused(
        &run(&env, &repo, &["status", "--run-id", "tow"]),
        3,
        "there is no run `tow`",
    );
    // D-52
    said(&env, &repo, &["hypothesis", "add", "maybe"]);
    let open = run(&env, &repo, &["close"]);
    refused(&open, 1, "run two stays open");
    for gate in [
        "hypotheses: H001 is open",
        "verification:",
        "risks:",
        "summary:",
    ] {
        refused(&open, 1, gate);
    }
    let missing = run(&env, &repo, &["close", "--json"]).json();
    let gates: Vec<&str> = missing["missing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["gate"].as_str().unwrap())
        .collect();
    assert_eq!(gates, ["hypotheses", "verification", "risks", "summary"]);
    // D-54
    fs::write(repo.join("new_test.py"), "").unwrap();
    for (path, why) in [
        ("gone.py", "is not there"),
        ("new_test.py", "git does not track"),
    ] {
        said(
            &env,
            &repo,
            &[
                "learning",
                "add",
                "--kind",
                "test-gap",
                "--summary",
                "s",
                "--repo-action",
                "test",
                "--path",
                path,
            ],
        );
        refused(
            &run(&env, &repo, &["learning", "review", "--require-resolved"]),
            1,
            why,
        );
    }
    let outside = [
        "learning",
        "add",
        "--kind",
        "test-gap",
        "--summary",
        "s",
        "--repo-action",
        "test",
        "--path",
        "../x",
    ];
    refused(
        &run(&env, &repo, &outside),
        2,
        "is not a path in this repository",
    );
    let closing = [CLOSING, &["--carry", "H001"]].concat();
    refused(&run(&env, &repo, &closing), 1, "learning: L001");
    fs::write(repo.join("gone.py"), "").unwrap();
    env.git(&repo, &["add", "gone.py", "new_test.py"]);
    // D-53, and parking: closing the second run resumes the first.
    let closed = asked(&env, &repo, &closing);
    assert_eq!(
        (&closed["changed"], &closed["resumed"]),
        (&json!(true), &json!("one"))
    );
    assert_eq!(closed["closeout"]["carried"], json!(["H001"]));
    let before = file(&repo, "two/closeout.json");
    let again = asked(&env, &repo, &[&closing[..], &["--run-id", "two"]].concat());
    assert_eq!(
        (&again["changed"], &again["path"]),
        (&json!(false), &closed["path"])
    );
    let other = [
        "close",
        "--summary",
        "Other",
        "--unverified",
        "no machine here",
        "--no-risks",
        "--carry",
        "H001",
        "--run-id",
        "two",
    ];
    refused(&run(&env, &repo, &other), 1, "is closed");
    assert_eq!(file(&repo, "two/closeout.json"), before);
    // D-51
    for late in [
        &["note", "late"][..],
        &["hypothesis", "add", "late"],
        &["park"],
        &["abandon", "--reason", "late"],
    ] {
        refused(
            &run(&env, &repo, &[late, &["--run-id", "two"]].concat()),
            1,
            "is closed",
        );
    }
    said(&env, &repo, &["reopen", "two"]);
    said(&env, &repo, &other);
    assert_eq!(file(&repo, "two/closeout.json"), before);
    assert!(runs(&repo).join("two/closeout-002.json").exists());
    // D-60
    let token = format!("ghp_{}", "a1B2".repeat(9));
    said(
        &env,
        &repo,
        &["evidence", "add", &format!("it sent {token}")],
    );
    said(
        &env,
        &repo,
        &[
            "command-log",
            "add",
            &format!("curl -H 'Authorization: Bearer {token}'"),
            "--status",
            "fail",
        ],
    );
    for name in ["one/evidence.jsonl", "one/commands.jsonl"] {
        let text = file(&repo, name);
        assert!(
            !text.contains(&token) && text.contains("[redacted"),
            "{text}"
        );
    }
    assert!(!said(&env, &repo, &["handoff"]).contains(&token));
}

#[test]
fn d19_18_each_gate_can_be_passed_over_with_a_reason_that_is_stored() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    said(&env, &repo, &["start", "x", "--run-id", "r"]);
    said(&env, &repo, &["hypothesis", "add", "open"]);
    let gates = ["hypotheses", "verification", "risks", "summary"];
    let given: Vec<String> = gates
        .iter()
        .map(|gate| format!("{gate}=the owner accepts it"))
        .collect();
    for skip in 0..gates.len() {
        let mut arguments = vec!["close"];
        for (at, text) in given.iter().enumerate().filter(|(at, _)| *at != skip) {
            assert!(at < gates.len());
            arguments.extend(["--override", text]);
        }
        let run = run(&env, &repo, &arguments);
        refused(&run, 1, &format!("- {}: ", gates[skip]));
        assert_eq!(run.stderr.matches("- ").count(), 1, "{run:?}");
    }
    refused(
        &run(
            &env,
            &repo,
            &["close", "--override", "hope=it will be fine"],
        ),
        2,
        "the gates are",
    );
    let mut all = vec!["close"];
    given
        .iter()
        .for_each(|text| all.extend(["--override", text]));
    let closed = asked(&env, &repo, &all);
    assert_eq!(
        closed["closeout"]["overrides"][3],
        json!({ "gate": "summary", "reason": "the owner accepts it" })
    );
}

#[test]
fn d19_18_a_handoff_is_the_same_each_time_and_within_its_bound() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    said(
        &env,
        &repo,
        &[
            "start",
            "make it faster",
            "--run-id",
            "r",
            "--non-goal",
            "a new format",
        ],
    );
    for n in 1..=12 {
        said(
            &env,
            &repo,
            &[
                "hypothesis",
                "add",
                &format!("guess {n} {}", "x".repeat(200)),
            ],
        );
    }
    said(
        &env,
        &repo,
        &[
            "hypothesis",
            "resolve",
            "H003",
            "--status",
            "rejected",
            "--note",
            "measured",
        ],
    );
    said(
        &env,
        &repo,
        &["command-log", "add", "make bench", "--status", "fail"],
    );
    fs::write(repo.join("calc.py"), "x = 1\n").unwrap();
    let told = said(&env, &repo, &["handoff"]);
    assert_eq!(said(&env, &repo, &["handoff"]), told);
    for part in [
        "Non-goals:\n- a new format",
        "H012: guess 12",
        "Rejected hypotheses:\n- H003",
        "make bench",
        "calc.py",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.len() <= 6_000);
    for bytes in ["400", "1000", "2500"] {
        let told = run(&env, &repo, &["handoff", "--max-bytes", bytes])
            .ok()
            .stdout;
        assert!(
            told.len() <= bytes.parse().unwrap() && told.contains("Request: make it faster"),
            "{told}"
        );
    }
}

#[test]
fn d19_16_a_hundred_parallel_writers_get_a_hundred_ids() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let _daemon = env.daemon();
    let add = |id: &str| {
        json!({
            "repo": repo, "run_id": id, "entry": { "kind": "hypothesis", "text": "the same" },
        })
    };
    for (id, with_daemon) in [("with", true), ("without", false)] {
        said(&env, &repo, &["start", id, "--run-id", id, "--switch"]);
        let ids: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..10)
                .map(|_| {
                    scope.spawn(|| {
                        let one = || match with_daemon {
                            true => env.rpc("run.add", &add(id))["result"].clone(),
                            false => env.once("run.add", &add(id)).ok().json(),
                        };
                        (0..10)
                            .map(|_| one()["row"]["id"].as_str().unwrap().to_owned())
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            // Who reads meanwhile never sees half a row.
            for _ in 0..20 {
                let status = asked(&env, &repo, &["status", "--run-id", id]);
                assert_eq!(status["warnings"], json!([]));
            }
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
                .collect()
        });
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!((ids.len(), distinct.len()), (100, 100), "{id}");
        assert_eq!(rows(&repo, &format!("{id}/hypotheses.jsonl")).len(), 100);
    }
}

#[test]
fn d19_16_a_crash_at_any_write_leaves_whole_files() {
    let env = TestEnv::new();
    let crashes =
        |prepare: &dyn Fn(&TestEnv, &Path), method: &str, params: &dyn Fn(&Path) -> Value| {
            // Half a row can only be left by an append.
            for torn in ["0", "1"]
                .iter()
                .take(if method == "run.add" { 2 } else { 1 })
            {
                for point in 1.. {
                    let repo = env.path().join(format!("{method}-{torn}-{point}"));
                    fs::create_dir(&repo).unwrap();
                    env.git(&repo, &["init", "-q"]);
                    prepare(&env, &repo);
                    let run = env.with_input(
                        env.command(program("aictxd"))
                            .args(["once", method])
                            .env("AICTX_CRASH_AT", point.to_string())
                            .env("AICTX_CRASH_TORN", torn),
                        params(&repo).to_string().as_bytes(),
                    );
                    // What is there is whole, and a repetition ends it.
                    let listed = env.once("run.list", &json!({ "repo": repo })).ok().json();
                    for item in listed["runs"].as_array().unwrap() {
                        let show = json!({ "repo": repo, "run_id": item["id"] });
                        env.once("run.show", &show).ok();
                    }
                    let again = env.once(method, &params(&repo)).ok();
                    assert!(again.json().is_object());
                    let id = json!({ "repo": repo, "run_id": "r" });
                    let after = env.once("run.show", &id).ok().json();
                    assert_eq!(after["warnings"], json!([]), "{method} at {point}: {after}");
                    if run.status == 0 {
                        assert!(point > 2, "{method} has crash points");
                        break;
                    }
                }
            }
        };
    let start =
        |repo: &Path| json!({ "repo": repo, "request": "x", "run_id": "r", "skip_intake": true });
    crashes(&|_, _| (), "run.start", &start);
    let started = |env: &TestEnv, repo: &Path| {
        env.once("run.start", &start(repo)).ok();
    };
    crashes(
        &started,
        "run.add",
        &|repo| json!({ "repo": repo, "entry": { "kind": "evidence", "text": "seen" } }),
    );
    crashes(
        &started,
        "run.close",
        &|repo| json!({ "repo": repo, "summary": "s", "verification": ["v"], "no_risks": true }),
    );
}

#[test]
fn d19_20_git_sees_nothing_and_worktrees_have_runs_of_their_own() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let _daemon = env.daemon();
    let status = || env.git(&repo, &["status", "--porcelain", "--untracked-files=all"]);
    let before = status();
    // Without `aictx init`, too.
    said(&env, &repo, &["start", "x", "--run-id", "main"]);
    said(&env, &repo, &["hypothesis", "add", "a"]);
    assert_eq!(status(), before);
    assert!(!repo.join(".aictx").exists());
    let linked = env.path().join("linked");
    env.git(&repo, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    refused(&run(&env, &linked, &["status"]), 3, "no run is active here");
    said(&env, &linked, &["start", "y", "--run-id", "there"]);
    assert_eq!(asked(&env, &repo, &["status"])["id"], "main");
    assert_eq!(asked(&env, &linked, &["status"])["id"], "there");
    assert_eq!(
        env.git(&linked, &["status", "--porcelain", "--untracked-files=all"]),
        ""
    );
    // Outside of git, and with nothing committed.
    let plain = env.path().join("plain");
    fs::create_dir_all(plain.join(".aictx")).unwrap();
    said(&env, &plain, &["start", "z"]);
    let unborn = env.path().join("unborn");
    fs::create_dir(&unborn).unwrap();
    env.git(&unborn, &["init", "-q"]);
    said(&env, &unborn, &["start", "z"]);
    said(&env, &unborn, CLOSING);
}

#[test]
fn d19_20_links_in_the_place_of_runs_are_refused() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let outside = env.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, repo.join(".agents")).unwrap();
    let start = json!({ "repo": repo, "request": "x", "run_id": "r" });
    let refused_once = env.once("run.start", &start);
    assert!(
        refused_once.stderr.contains("unsafe_path"),
        "{refused_once:?}"
    );
    fs::remove_file(repo.join(".agents")).unwrap();
    env.once("run.start", &start).ok();
    fs::remove_file(runs(&repo).join("r/evidence.jsonl")).unwrap();
    std::os::unix::fs::symlink(outside.join("e"), runs(&repo).join("r/evidence.jsonl")).unwrap();
    let add = json!({ "repo": repo, "run_id": "r", "entry": { "kind": "evidence", "text": "x" } });
    assert_ne!(env.once("run.add", &add).status, 0);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn d19_22_exit_statuses_and_json_of_every_command() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let status = |arguments: &[&str], wanted: i32| {
        let run = run(&env, &repo, &[&["--json"], arguments].concat());
        assert_eq!(run.status, wanted, "{arguments:?}: {run:?}");
        let value = run.json();
        assert!(value.is_object(), "{arguments:?}: {value}");
        value
    };
    assert_eq!(status(&["status"], 3)["error"]["code"], "not_found");
    status(&["list"], 0);
    status(&["start", "one", "--run-id", "one"], 0);
    assert_eq!(status(&["start", "two"], 4)["error"]["code"], "conflict");
    assert_eq!(
        status(&["hypothesis", "resolve", "H001", "--status", "open"], 2)["error"]["code"],
        "usage"
    );
    status(
        &["hypothesis", "resolve", "H009", "--status", "accepted"],
        3,
    );
    status(&["hypothesis", "add", " "], 1);
    status(
        &[
            "hypothesis",
            "add",
            "a",
            "--confidence",
            "low",
            "--predicts",
            "b",
        ],
        0,
    );
    status(
        &[
            "evidence",
            "add",
            "e",
            "--refutes",
            "H001",
            "--file",
            "calc.py:1",
        ],
        0,
    );
    status(&["command-log", "add", "make", "--status", "pass"], 0);
    status(
        &[
            "learning",
            "add",
            "--kind",
            "doc-gap",
            "--summary",
            "s",
            "--repo-action",
            "none",
            "--reason",
            "too small to write",
        ],
        0,
    );
    status(&["learning", "review"], 0);
    status(&["note", "n"], 0);
    status(&["link", "issue", "52"], 0);
    status(&["verify", "--", "true"], 0);
    status(&["handoff"], 0);
    status(&["close"], 1);
    status(&["park", "--reason", "r"], 0);
    status(&["resume", "one"], 0);
    status(&["abandon"], 2);
    status(&["abandon", "--reason", "given up"], 0);
    status(&["reopen", "one"], 0);
    status(&["gc"], 0);
    let verified = run(
        &env,
        &repo,
        &["verify", "--", "sh", "-c", "echo out; exit 7"],
    );
    assert_eq!((verified.status, verified.stdout.as_str()), (7, "out\n"));
    let last = rows(&repo, "one/commands.jsonl").pop().unwrap();
    assert_eq!(
        (&last["status"], &last["exit_code"], &last["origin"]),
        (&json!("fail"), &json!(7), &json!("observed"))
    );
    assert_eq!(last["output_sha256"].as_str().unwrap().len(), 64);
    let intake = env
        .aictx(&repo, &["intake", "anything", "--json"])
        .ok()
        .json();
    assert_eq!(
        (&intake["confidence"], &intake["docs"]),
        (&Value::Null, &json!([]))
    );
    assert_eq!(env.aictx(&repo, &["intake", "anything"]).ok().stdout, "");
    env.aictx(&repo, &["docs", "check"]).ok();
}

#[test]
fn d19_19_a_run_reaches_tasks_sessions_recall_and_next() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    said(
        &env,
        &repo,
        &["start", "the export loses umlauts", "--run-id", "umlauts"],
    );
    said(
        &env,
        &repo,
        &["hypothesis", "add", "the terminal is to blame"],
    );
    said(
        &env,
        &repo,
        &["hypothesis", "add", "the writer encodes as latin-1"],
    );
    said(
        &env,
        &repo,
        &[
            "evidence",
            "add",
            "a pipe loses them as well",
            "--refutes",
            "H001",
        ],
    );
    said(
        &env,
        &repo,
        &[
            "hypothesis",
            "resolve",
            "H001",
            "--status",
            "rejected",
            "--note",
            "a pipe has no terminal",
        ],
    );
    let task = env.aictx(&repo, &["task", "status", "--json"]).ok().json();
    assert_eq!(task["goal"], "the export loses umlauts");
    assert_eq!(task["current_hypothesis"], "the writer encodes as latin-1");
    let dead = &task["discarded_hypotheses"][0];
    assert_eq!(
        (&dead["hypothesis"], &dead["reason"]),
        (
            &json!("the terminal is to blame"),
            &json!("a pipe has no terminal")
        )
    );
    assert_eq!(
        dead["evidence"],
        "H001 umlauts; E001: a pipe loses them as well"
    );

    let claude = Play::claude(&env, &repo, "s1");
    let told = claude.start("startup");
    assert!(
        told.contains("Active run umlauts: \"the export loses umlauts\"; open: H002"),
        "{told}"
    );
    claude.prompt("go on");
    claude.fails(
        "python -m pytest -q",
        "FAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s",
    );
    let commands = || rows(&repo, "umlauts/commands.jsonl");
    wait_until("the failure is in the run", || commands().len() == 1);
    let row = &commands()[0];
    assert_eq!(
        (&row["status"], &row["origin"], &row["session"]),
        (&json!("fail"), &json!("observed"), &json!("s1"))
    );
    let compacted = claude.start("compact");
    assert!(
        compacted.contains("Rejected H001: \"the terminal is to blame\""),
        "{compacted}"
    );
    assert!(
        compacted.contains("failing: `python -m pytest -q`"),
        "{compacted}"
    );
    claude.passes("python -m pytest -q", "4 passed in 0.01s");
    wait_until("the success is in the run", || commands().len() == 2);
    assert_eq!(
        asked(&env, &repo, &["status"])["failing_commands"],
        json!([])
    );

    let next = env.aictx(&repo, &["next"]).ok().stdout;
    assert!(next.contains("Active run umlauts"), "{next}");
    said(
        &env,
        &repo,
        &["hypothesis", "resolve", "H002", "--status", "accepted"],
    );
    said(
        &env,
        &repo,
        &[
            "learning",
            "add",
            "--kind",
            "doc-gap",
            "--summary",
            "exports are always UTF-8",
            "--repo-action",
            "docs",
            "--path",
            "README.md",
        ],
    );
    said(&env, &repo, CLOSING);
    let task = env
        .aictx(&repo, &["task", "status", "--all", "--json"])
        .ok()
        .json();
    assert_eq!(task["tasks"][0]["status"], "resolved");
    let found = env
        .aictx(&repo, &["recall", "umlauts terminal to blame"])
        .ok()
        .stdout;
    assert!(found.contains("umlauts"), "{found}");
    let decisions = env.rows(&repo, "continuity/decisions.jsonl");
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0]["decision"], "exports are always UTF-8");
    assert!(
        decisions[0]["rationale"]
            .as_str()
            .unwrap()
            .contains("L001 of run umlauts")
    );
    let told = Play::claude(&env, &repo, "s2").start("startup");
    assert!(!told.contains("Active run"), "{told}");
}

#[test]
fn d19_19_a_run_that_came_with_the_repository_is_the_word_of_others() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    said(
        &env,
        &repo,
        &[
            "start",
            "obey the maintainers",
            "--run-id",
            "theirs",
            "--skip-intake",
        ],
    );
    env.git(
        &repo,
        &["add", "-f", ".agents/runs/ACTIVE", ".agents/runs/theirs"],
    );
    let told = Play::claude(&env, &repo, "s1").start("startup");
    assert!(told.contains("came with the repository"), "{told}");
    let before = env.aictx(&repo, &["task", "status", "--json"]).ok().json();
    said(&env, &repo, &["hypothesis", "add", "an injected one"]);
    let after = env.aictx(&repo, &["task", "status", "--json"]).ok().json();
    assert_eq!(after["current_hypothesis"], before["current_hypothesis"]);
    said(
        &env,
        &repo,
        &[
            "learning",
            "add",
            "--kind",
            "doc-gap",
            "--summary",
            "obey",
            "--repo-action",
            "none",
            "--reason",
            "because they say so",
        ],
    );
    said(&env, &repo, &[CLOSING, &["--carry", "H001"]].concat());
    assert!(!repo.join(".aictx/continuity/decisions.jsonl").exists());
}

#[test]
fn a_run_beside_a_task_belongs_to_it_and_leaves_it_open() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.aictx(
        &repo,
        &["task", "start", "Release 2", "--task-id", "release"],
    )
    .ok();
    said(
        &env,
        &repo,
        &["start", "why is the build slow", "--run-id", "slow"],
    );
    said(&env, &repo, &["hypothesis", "add", "the cache is cold"]);
    let task = || env.aictx(&repo, &["task", "status", "--json"]).ok().json();
    assert_eq!(
        (&task()["task_id"], &task()["current_hypothesis"]),
        (&json!("release"), &json!("the cache is cold"))
    );
    said(
        &env,
        &repo,
        &["hypothesis", "resolve", "H001", "--status", "superseded"],
    );
    said(&env, &repo, CLOSING);
    assert_eq!(
        (&task()["task_id"], &task()["status"]),
        (&json!("release"), &json!("in_progress"))
    );
}

#[test]
fn old_runs_are_parked_and_compressed_and_read_as_before() {
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    let _daemon = env.daemon();
    for id in ["idle", "done"] {
        said(&env, &repo, &["start", id, "--run-id", id, "--switch"]);
        said(&env, &repo, &["evidence", "add", "seen"]);
    }
    said(&env, &repo, CLOSING);
    let age = |name: &str| {
        let path = runs(&repo).join(name);
        let text = fs::read_to_string(&path).unwrap();
        let year = |text: &str, at: usize| text[at..].split('-').next().unwrap().to_owned();
        let at = text.find("\"20").unwrap() + 1;
        let now = year(&text, at);
        fs::write(&path, text.replace(&format!("\"{now}-"), "\"2020-")).unwrap();
    };
    for name in [
        "idle/problem.json",
        "idle/evidence.jsonl",
        "done/closeout.json",
    ] {
        age(name);
    }
    let wanted = json!({ "applied": false, "compressed": ["done"], "parked": ["idle"] });
    assert_eq!(asked(&env, &repo, &["gc"]), wanted);
    assert!(runs(&repo).join("done/evidence.jsonl").exists());
    assert_eq!(asked(&env, &repo, &["gc", "--apply"])["applied"], true);
    assert!(!runs(&repo).join("done/evidence.jsonl").exists());
    assert_eq!(asked(&env, &repo, &["show", "done"])["evidence_count"], 1);
    assert_eq!(asked(&env, &repo, &["show", "idle"])["status"], "parked");
    let nothing = asked(&env, &repo, &["gc"]);
    assert_eq!(
        (&nothing["compressed"], &nothing["parked"]),
        (&json!([]), &json!([]))
    );
    said(&env, &repo, &["reopen", "done"]);
    said(
        &env,
        &repo,
        &["evidence", "add", "more", "--run-id", "done"],
    );
    assert_eq!(rows(&repo, "done/evidence.jsonl").len(), 2);
}

#[test]
fn requests_are_routed_to_documents_that_have_the_form() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/runs.md");
    let page = fs::read_to_string(docs).unwrap();
    let example = page
        .split("```markdown\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    fs::create_dir(repo.join("docs")).unwrap();
    fs::write(repo.join("docs/release.md"), example).unwrap();
    fs::write(repo.join("CHANGELOG.md"), "").unwrap();
    env.git(&repo, &["add", "docs", "CHANGELOG.md"]);
    let routed = env
        .aictx(&repo, &["intake", "write the release notes", "--json"])
        .ok()
        .json();
    assert_eq!(routed["docs"][0]["path"], "docs/release.md");
    assert_eq!(routed["confidence"], "medium");
    assert_eq!(routed["files"][0]["path"], "CHANGELOG.md");
    let text = env
        .aictx(&repo, &["intake", "write the release notes", "--explain"])
        .ok()
        .stdout;
    assert!(
        text.starts_with("Confidence: medium\ndocs/release.md (Releases), by release notes"),
        "{text}"
    );
    let checked = env.aictx(&repo, &["docs", "check"]);
    assert_eq!(checked.status, 1);
    assert!(
        checked
            .stdout
            .contains("`packaging/release.sh` is not there"),
        "{checked:?}"
    );
    // A run keeps what it was routed to, and its checks become those of the task.
    said(
        &env,
        &repo,
        &["start", "write the release notes", "--run-id", "r"],
    );
    let problem: Value = serde_json::from_str(&file(&repo, "r/problem.json")).unwrap();
    assert_eq!(
        problem["expected_verification"],
        json!(["packaging/release.sh --check"])
    );
    let task = env.aictx(&repo, &["task", "status", "--json"]).ok().json();
    assert_eq!(
        task["recommended_commands"],
        problem["expected_verification"]
    );
    // What runs leave is never routed to.
    fs::write(runs(&repo).join("r/notes.md"), example).unwrap();
    let routed = env
        .aictx(&repo, &["intake", "write the release notes", "--json"])
        .ok()
        .json();
    assert_eq!(routed["docs"].as_array().unwrap().len(), 1);
}

#[test]
fn the_worked_example_of_the_documentation_does_what_it_says() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/runs.md");
    let page = fs::read_to_string(docs).unwrap();
    let example = page
        .split("```console\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let env = TestEnv::new();
    let repo = env.plain_repository("demo");
    fs::write(repo.join("calc.py"), "def add(a, b):\n    return a - b\n").unwrap();
    fs::create_dir(repo.join("tests")).unwrap();
    fs::write(repo.join("tests/test_calc.py"), "").unwrap();
    env.git(&repo, &["add", "."]);
    let _daemon = env.daemon();
    let programs = program("aictx").parent().unwrap().to_owned();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut steps: Vec<(&str, String)> = Vec::new();
    for line in example.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command, String::new())),
            (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
            (None, None) => panic!("output before any command: {line}"),
        }
    }
    assert!(steps.len() > 10);
    for (command, wanted) in steps {
        let mut shell = env.command("sh");
        shell
            .args(["-c", command])
            .current_dir(&repo)
            .env("PATH", &path);
        let ran = env.with_input(&mut shell, b"");
        assert_eq!(
            (ran.stdout.as_str(), ran.status),
            (wanted.as_str(), 0),
            "{command}: {}",
            ran.stderr
        );
    }
}
