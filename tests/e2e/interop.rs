//! The same repository with the Python ancestor: each side reads what the other wrote, and both
//! write in turn without losing or breaking anything.
//!
//! Runs where `AICTX_TEST_ANCESTORS` names a directory with virtual environments `4.5.2` and `7.0.1`
//! (`tests/interop.sh` makes them); elsewhere it says that it did not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aictx_tests::memory::files;
use aictx_tests::{Run, TestEnv};
use serde_json::{Value, json};

use crate::format::{members, run_history, undocumented};

/// One release of the ancestor.
struct Ancestor {
    version: String,
    program: PathBuf,
}

/// The releases that are installed; says so when none is asked for.
fn ancestors() -> Vec<Ancestor> {
    let Some(directory) = std::env::var_os("AICTX_TEST_ANCESTORS") else {
        eprintln!("skipped: AICTX_TEST_ANCESTORS names no directory with ancestors");
        return Vec::new();
    };
    ["4.5.2", "7.0.1"]
        .into_iter()
        .map(|version| {
            let program = Path::new(&directory).join(version).join("bin/aictx");
            assert!(program.is_file(), "{} is missing", program.display());
            Ancestor {
                version: version.to_owned(),
                program,
            }
        })
        .collect()
}

impl Ancestor {
    fn run(&self, env: &TestEnv, repo: &Path, arguments: &[&str]) -> Run {
        let mut command = env.command(&self.program);
        command.args(arguments).current_dir(repo);
        let run = env.with_input(&mut command, b"");
        assert_eq!(run.status, 0, "{} {arguments:?}: {run:?}", self.version);
        assert!(
            !run.stderr.contains("Traceback"),
            "{} {arguments:?}: {run:?}",
            self.version
        );
        run
    }

    fn json(&self, env: &TestEnv, repo: &Path, arguments: &[&str]) -> Value {
        self.run(env, repo, arguments).json()
    }

    fn is_first(&self) -> bool {
        self.version.starts_with('4')
    }

    /// Prepares and finalizes an execution the long way, which both releases know.
    fn execute(
        &self,
        env: &TestEnv,
        repo: &Path,
        id: &str,
        request: &str,
        finalize: &[&str],
    ) -> Value {
        let goal = if self.is_first() {
            "--request"
        } else {
            "--task"
        };
        let prepared = self.run(
            env,
            repo,
            &[
                "internal",
                "execution",
                "prepare",
                goal,
                request,
                "--agent-id",
                "claude",
                "--execution-id",
                id,
                "--timestamp",
                "2026-01-02T03:04:05Z",
            ],
        );
        let file = env.path().join(format!("{id}.json"));
        fs::write(&file, prepared.stdout).unwrap();
        let file = file.to_string_lossy();
        self.json(
            env,
            repo,
            &[
                &["internal", "execution", "finalize", "--prepared", &file],
                finalize,
            ]
            .concat(),
        )
    }
}

fn ours(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Value {
    let run = env.aictx(repo, &[arguments, &["--json"]].concat()).ok();
    run.json()
}

fn has(value: &Value, text: &str) -> bool {
    value.to_string().contains(text)
}

/// Rows of a history, whoever wrote them.
fn ids(env: &TestEnv, repo: &Path, file: &str, member: &str) -> Vec<String> {
    env.rows(repo, file)
        .iter()
        .map(|row| row[member].as_str().unwrap_or_default().to_owned())
        .collect()
}

const DECISION: &str = r#"{"decision": "Tokens are checked in one module", "rationale": "one place to audit", "related_paths": ["calc.py"], "subsystem": "auth"}"#;
const SEMANTIC: &str = r#"{"name": "auth", "description": "login and tokens", "key_paths": ["calc.py"], "fragile_areas": ["token expiry"]}"#;
const FAILING: &str = "AssertionError: expected 3 got 2 in test_parser";

#[test]
fn what_the_ancestor_wrote_is_read() {
    for old in ancestors() {
        let env = TestEnv::new();
        let repo = env.plain_repository("demo");
        old.run(&env, &repo, &["init", "--yes", "--no-register"]);
        old.run(
            &env,
            &repo,
            &[
                "task",
                "start",
                "Renew the login",
                "--task-id",
                "login",
                "--initial-json",
                r#"{"next_action": "read calc.py", "active_files": ["calc.py"]}"#,
            ],
        );
        old.execute(
            &env,
            &repo,
            "old-1",
            "Fix the login token refresh",
            &[
                "--success",
                "--validated-learning",
                "--result-summary",
                "Tokens are refreshed.",
                "--files-edited",
                "calc.py",
                "--commands-executed",
                "python -m pytest -q",
                "--tests-executed",
                "python -m pytest -q",
                "--decision-json",
                DECISION,
                "--semantic-json",
                SEMANTIC,
            ],
        );
        old.execute(
            &env,
            &repo,
            "old-2",
            "Debug the parser recovery",
            &[
                "--result-summary",
                "Parser recovery broke.",
                "--files-edited",
                "test_calc.py",
                "--commands-executed",
                "python -m pytest -q test_calc.py",
                "--notable-errors",
                FAILING,
            ],
        );
        let _daemon = env.daemon();
        env.aictx(&repo, &["init"]).ok();

        let version = &old.version;
        let resume = ours(
            &env,
            &repo,
            &["resume", "--task", "Debug the parser recovery"],
        );
        assert!(
            has(
                &resume["capsule"]["decisions"],
                "Tokens are checked in one module"
            ),
            "{version}: {resume}"
        );
        assert!(
            has(&resume["capsule"]["failures"], "expected 3 got 2"),
            "{version}: {resume}"
        );
        assert!(
            !has(&resume["capsule"]["validated"], "Parser recovery broke"),
            "{version} w3: {resume}"
        );
        assert_eq!(resume["task_state"]["status"], "active", "{version}");
        assert!(
            !has(&resume["warnings"], "malformed"),
            "{version}: {}",
            resume["warnings"]
        );
        // The rest of memory comes with the requests that it fits.
        let session = aictx_tests::play::Play::claude(&env, &repo, "new");
        let started = session.start("startup");
        let asked =
            session.told_at("why did the parser recovery fail, and where are tokens checked?");
        for (told, part) in [
            (&started, "Parser recovery broke"),
            (&started, "failed"),
            (&started, "Renew the login"),
            (&started, "read calc.py"),
            (&asked, "expected 3 got 2"),
            (&asked, "Tokens are checked"),
        ] {
            assert!(told.contains(part), "{version}: {part}: {told}");
        }
        let next = ours(&env, &repo, &["next"]);
        assert!(
            has(&next, "read calc.py") && has(&next, "token expiry"),
            "{version}: {next}"
        );
        let list = ours(&env, &repo, &["task", "list"]);
        assert_eq!(list["tasks"][0]["task_id"], "login");
        let all = ours(&env, &repo, &["memory", "list"]);
        for kind in ["decision", "failure", "strategy", "handoff", "note", "task"] {
            assert!(
                all["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|i| i["kind"] == kind),
                "{version}: {kind}: {all}"
            );
        }
        let reuse = ours(
            &env,
            &repo,
            &["reuse", "--request", "Fix the login token refresh"],
        );
        assert_eq!(
            reuse["source"], "previous_successful_execution",
            "{version}: {reuse}"
        );
        let log = ours(&env, &repo, &["log"]);
        let seen: Vec<&Value> = log["executions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| &e["execution_id"])
            .collect();
        assert_eq!(seen, ["old-2", "old-1"], "{version}");
        assert_eq!(
            log["executions"][0]["outcome"], "failed",
            "{version}: {log}"
        );
        assert_eq!(
            ours(&env, &repo, &["report", "real-usage"])["total_executions"],
            2
        );
        // And it goes on: what failed there is seen to pass here.
        let done = ours(
            &env,
            &repo,
            &[
                "finalize",
                "--status",
                "success",
                "--summary",
                "Parser recovers",
                "--task",
                "Debug the parser recovery",
                "--files-edited",
                "test_calc.py",
                "--tests-executed",
                "python -m pytest -q test_calc.py",
            ],
        );
        assert_eq!(
            done["resolved_failures"].as_array().unwrap().len(),
            1,
            "{version}: {done}"
        );
        assert_eq!(done["work_state_updated"]["task_id"], "login", "{version}");
    }
}

/// One success with everything and one failure, by us.
fn we_work(env: &TestEnv, repo: &Path, n: usize) {
    let (good, bad) = (format!("new-{n}-good"), format!("new-{n}-bad"));
    env.aictx(
        repo,
        &[
            "finalize",
            "--status",
            "success",
            "--summary",
            &format!("Round {n}: tokens are refreshed."),
            "--task",
            "Fix the login token refresh",
            "--execution-id",
            &good,
            "--files-edited",
            "calc.py",
            "--tests-executed",
            "python -m pytest -q",
            "--decision-json",
            &DECISION.replace("one module", &format!("module {n}")),
            "--semantic-json",
            SEMANTIC,
            "--next-step",
            "check the expiry",
        ],
    )
    .ok();
    env.aictx(
        repo,
        &[
            "finalize",
            "--status",
            "failure",
            "--summary",
            &format!("Round {n}: the parser broke."),
            "--task",
            "Debug the parser recovery",
            "--execution-id",
            &bad,
            "--files-edited",
            "test_calc.py",
            "--commands-executed",
            "python -m pytest -q test_calc.py",
            "--error",
            FAILING,
        ],
    )
    .ok();
}

#[test]
fn what_we_wrote_is_read_by_the_ancestor() {
    for old in ancestors() {
        let env = TestEnv::new();
        let repo = env.repository("demo");
        let _daemon = env.daemon();
        env.aictx(
            &repo,
            &[
                "task",
                "start",
                "Renew the login",
                "--task-id",
                "login",
                "--initial-json",
                r#"{"next_action": "read calc.py", "verified": ["it builds"]}"#,
            ],
        )
        .ok();
        env.aictx(&repo, &["resume", "--task", "Fix the login token refresh"])
            .ok();
        we_work(&env, &repo, 1);
        let version = &old.version;
        let next = old.json(&env, &repo, &["next", "--json"]);
        let brief = &next["continuity_brief"];
        assert!(
            has(&brief["active_work_state"], "Renew the login"),
            "{version}: {next}"
        );
        assert!(
            has(&brief["active_decisions"], "Tokens are checked in module 1"),
            "{version}: {next}"
        );
        assert!(
            has(&brief["known_risks"], "token expiry"),
            "{version}: {next}"
        );
        assert!(
            has(&next["ranked_items"], "Round 1: the parser broke."),
            "{version}: {next}"
        );
        let list = old.json(&env, &repo, &["task", "list", "--json"]);
        assert_eq!(
            (&list["tasks"][0]["task_id"], &list["tasks"][0]["active"]),
            (&json!("login"), &json!(true)),
            "{version}"
        );
        let task = old.json(&env, &repo, &["task", "show", "login", "--json"]);
        assert!(has(&task["verified"], "it builds"), "{version}: {task}");
        let report = old.json(&env, &repo, &["report", "real-usage"]);
        assert_eq!(report["total_executions"], 2, "{version}: {report}");
        // Its own idea of the request's type (performance, for the word "token") would find nothing.
        let reuse = [
            "reuse",
            "--request",
            "Fix the login token refresh",
            "--task-type",
            "bug_fixing",
        ];
        let reuse = old.json(&env, &repo, &reuse);
        assert!(has(&reuse, "calc.py"), "{version}: {reuse}");
        old.json(
            &env,
            &repo,
            &["suggest", "--request", "Fix the login token refresh"],
        );
        old.json(&env, &repo, &["reflect"]);
        if !old.is_first() {
            let resume = old.json(
                &env,
                &repo,
                &["resume", "--task", "Debug the parser recovery", "--json"],
            );
            assert!(
                has(&resume, "Renew the login") && has(&resume, "expected 3 got 2"),
                "{version}: {resume}"
            );
            assert!(
                !has(&resume["warnings"], "malformed") && !has(&resume["warnings"], "invalid"),
                "{version}: {}",
                resume["warnings"]
            );
            let quality = &resume["continuity_quality"];
            assert!(quality["score"].is_number(), "{version}: {quality}");
        }
        if !old.is_first() {
            let done = [
                "finalize",
                "--status",
                "success",
                "--summary",
                "Looked around",
                "--json",
            ];
            assert!(
                old.json(&env, &repo, &done)["execution_id"].is_string(),
                "{version}"
            );
            old.run(&env, &repo, &["doctor"]);
        }
        // A success there resolves by its own rules and rewrites the file: our pattern is still one.
        old.execute(
            &env,
            &repo,
            "old-1",
            "Debug the parser recovery",
            &[
                "--success",
                "--result-summary",
                "Recovered.",
                "--files-edited",
                "test_calc.py",
                "--tests-executed",
                "python -m pytest -q test_calc.py",
            ],
        );
        let failures = ours(&env, &repo, &["failures", "list", "--status", "all"]);
        assert_eq!(
            failures["failures"].as_array().unwrap().len(),
            1,
            "{version}: {failures}"
        );
    }
}

#[test]
fn both_write_in_turn_and_nothing_is_lost() {
    for old in ancestors() {
        let version = old.version.clone();
        let env = TestEnv::new();
        let repo = env.repository("demo");
        let _daemon = env.daemon();
        env.aictx(
            &repo,
            &["task", "start", "Renew the login", "--task-id", "login"],
        )
        .ok();
        let mut expected: BTreeSet<String> = BTreeSet::new();
        for n in 1..=3 {
            we_work(&env, &repo, n);
            expected.extend([format!("new-{n}-good"), format!("new-{n}-bad")]);
            let (good, bad) = (format!("old-{n}-good"), format!("old-{n}-bad"));
            old.execute(
                &env,
                &repo,
                &good,
                "Speed up the search",
                &[
                    "--success",
                    "--validated-learning",
                    "--result-summary",
                    &format!("Turn {n}: the search is fast."),
                    "--files-edited",
                    "README.md",
                    "--tests-executed",
                    "python -m pytest -q",
                    "--decision-json",
                    &DECISION.replace("one module", &format!("turn {n}")),
                    "--semantic-json",
                    r#"{"name": "search", "description": "an index", "key_paths": ["README.md"]}"#,
                ],
            );
            old.execute(
                &env,
                &repo,
                &bad,
                "Repair the printer",
                &[
                    "--result-summary",
                    &format!("Turn {n}: the printer is on fire."),
                    "--files-edited",
                    "calc.py",
                    "--notable-errors",
                    &format!("OSError: fire number {n}"),
                ],
            );
            expected.extend([good, bad]);
            let patch = json!({ "verified": [format!("old check {n}")] }).to_string();
            old.run(&env, &repo, &["task", "update", "--json-patch", &patch]);
            let patch = json!({ "verified": [format!("new check {n}")] }).to_string();
            env.aictx(&repo, &["task", "update", "--json-patch", &patch])
                .ok();
        }
        for (file, member) in [
            ("metrics/execution_logs.jsonl", "task_id"),
            ("metrics/agent_execution_log.jsonl", "execution_id"),
        ] {
            let found = ids(&env, &repo, file, member);
            assert_eq!(found.len(), expected.len(), "{version}: {file}: {found:?}");
            assert_eq!(
                found.into_iter().collect::<BTreeSet<_>>(),
                expected,
                "{version}: {file}"
            );
        }
        let handoffs = ids(&env, &repo, "continuity/handoffs.jsonl", "execution_id");
        // The first release keeps ten of them whoever wrote them.
        let kept = if old.is_first() { 10 } else { expected.len() };
        assert_eq!(handoffs.len(), kept, "{version}: {handoffs:?}");
        let decisions = ids(&env, &repo, "continuity/decisions.jsonl", "decision");
        assert_eq!(decisions.len(), 6, "{version}: {decisions:?}");
        let anchored = env.rows(&repo, "continuity/decisions.jsonl");
        assert!(
            anchored.iter().any(|d| d["anchors"].is_array()),
            "{version}: what is ours stays"
        );
        let names = env.file(&repo, "continuity/semantic_repo.json");
        assert!(
            has(&names, "\"auth\"") && has(&names, "\"search\""),
            "{version}: {names}"
        );
        let thread = ours(&env, &repo, &["task", "show", "login"]);
        for n in 1..=3 {
            assert!(
                has(&thread["verified"], &format!("old check {n}")),
                "{version}: {thread}"
            );
            assert!(
                has(&thread["verified"], &format!("new check {n}")),
                "{version}: {thread}"
            );
        }
        let failures = ours(&env, &repo, &["failures", "list", "--status", "all"]);
        for n in 1..=3 {
            assert!(
                has(&failures, &format!("fire number {n}")),
                "{version}: {failures}"
            );
        }
        assert!(has(&failures, "expected 3 got 2"), "{version}: {failures}");
        let report = ours(&env, &repo, &["report", "real-usage"]);
        assert_eq!(report["total_executions"], expected.len(), "{version}");
        assert_eq!(
            old.json(&env, &repo, &["report", "real-usage"])["total_executions"],
            expected.len(),
            "{version}"
        );
        for file in files(&repo.join(".aictx")) {
            let name = file.to_string_lossy();
            assert!(
                !name.starts_with("quarantine/"),
                "{version}: {name} was put aside"
            );
        }
        let status = env.git(&repo, &["status", "--porcelain"]);
        assert!(!status.contains(".aictx/journal"), "{status}");
    }
}

/// All files and directories below, but git's.
fn everything(root: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.ends_with(".git") || path.ends_with(".aictx") {
                continue;
            }
            if path.is_dir() {
                open.push(path.clone());
            }
            found.insert(path);
        }
    }
    found
}

#[test]
fn replacing_the_ancestor_leaves_nothing_behind() {
    for ancestor in ancestors() {
        let env = TestEnv::new();
        let repo = env.plain_repository("demo");
        let home = env.path().join("home");
        let codex = home.join(".codex");
        fs::create_dir_all(&codex).unwrap();
        fs::write(codex.join("config.toml"), "model = \"x\"\n").unwrap();
        let before = (everything(&repo), everything(&codex));
        ancestor.run(&env, &repo, &["install", "--yes", "--install-codex-global"]);
        ancestor.run(&env, &repo, &["init", "--yes"]);
        assert_ne!(everything(&repo), before.0);
        let with = ["--replace-ancestor", "--agents", "none", "--yes"];
        env.aictx(&repo, &[&["install"], &with[..]].concat()).ok();
        env.aictx(&repo, &[&["init"], &with[..]].concat()).ok();
        assert_eq!(
            (everything(&repo), everything(&codex)),
            before,
            "{}",
            ancestor.version
        );
        let settings = fs::read_to_string(codex.join("config.toml")).unwrap();
        assert_eq!(settings, "model = \"x\"\n", "{}", ancestor.version);
    }
}

#[test]
fn the_table_of_the_format_names_what_the_ancestor_writes() {
    for old in ancestors() {
        let env = TestEnv::new();
        let repo = env.plain_repository("demo");
        old.run(&env, &repo, &["init", "--yes", "--no-register"]);
        let goal = if old.is_first() {
            "--request"
        } else {
            "--task"
        };
        let run = |arguments: &[&str]| old.run(&env, &repo, arguments).stdout;
        run_history(&repo, env.path(), goal, &run);
        if !old.is_first() {
            let task = "fix the auth test in src/app/auth.py";
            run(&["resume", "--task", task]);
            let edited = ["--files-edited", "src/app/auth.py"];
            let report = [
                "finalize",
                "--status",
                "success",
                "--summary",
                "done",
                "--task",
                task,
            ];
            run(&[&report[..], &edited].concat());
            run(&["internal", "compact", "--apply"]);
        }
        run(&["report", "real-usage"]);
        let found = members(&repo.join(".aictx"));
        assert_eq!(
            undocumented(&found, true),
            Vec::<String>::new(),
            "{}",
            old.version
        );
    }
}
