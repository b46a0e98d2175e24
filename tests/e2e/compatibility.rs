//! Compatibility with programs written for the Python package of the same name (docs/compatibility.md), and the
//! list of its promises (docs/claims.md).

use std::fs;
use std::path::Path;

use aictx_tests::TestEnv;
use aictx_tests::play::Play;
use serde_json::{Value, json};

fn has(value: &Value, members: &[&str]) {
    for member in members {
        assert!(value.pointer(member).is_some(), "{member}: {value}");
    }
}

#[test]
fn resume_has_the_members_of_the_package() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let task = [
        "task",
        "start",
        "Ship 1.2",
        "--initial-json",
        r#"{"next_action":"write notes"}"#,
    ];
    env.aictx(&repo, &task).ok();
    let finalize = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Fixed add.",
        "--decision-json",
        r#"{"decision":"Amounts are Decimal","rationale":"cents"}"#,
    ];
    let text = env.aictx(&repo, &finalize).ok().stdout;
    assert!(text.contains("Next: \"write notes\"."), "{text}");
    let resume = ["resume", "--task", "Ship 1.2", "--json"];
    let whole = env.aictx(&repo, &resume).ok().json();
    has(
        &whole,
        &[
            "/public_json_contract/stable_fields",
            "/runtime_text_policy/communication/mode",
            "/startup_banner_policy/instruction",
            "/startup_guard/forbidden_normal_flow",
            "/runner_contract/must_verify_mcp_once_per_session",
            "/runner_contract/required_tools",
            "/guard_triggers/0/condition",
            "/execution_contract/validation_policy/evidence",
            "/sources/final_summary",
            "/loaded_context",
        ],
    );
    assert_eq!(whole["continuity_view"]["exists"], false);
    let brief = env
        .aictx(&repo, &[&resume[..], &["--brief"]].concat())
        .ok()
        .json();
    assert_eq!(brief["active_task"]["next_action"], "write notes");
    assert_eq!(brief["handoff"]["summary"], "Fixed add.");
    assert_eq!(brief["decisions"].as_array().map(Vec::len), Some(1));
    assert!(brief.get("loaded_context").is_none());
    assert!(brief.to_string().len() < whole.to_string().len());
    let tasks = env.aictx(&repo, &["task", "status", "--all", "--json"]);
    assert_eq!(tasks.ok().json()["tasks"][0]["active"], true);
}

#[test]
fn finalize_has_the_members_of_the_package() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let finalize = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Done.",
        "--validated-learning",
    ];
    let edited = [
        "--files-edited",
        "src/a.py",
        "--tests-executed",
        "pytest -q",
        "--json",
    ];
    let reply = env
        .aictx(&repo, &[&finalize[..], &edited].concat())
        .ok()
        .json();
    has(
        &reply,
        &[
            "/agent_summary",
            "/agent_summary_text",
            "/continuity_value",
            "/prepared_task_type",
            "/final_task_type",
            "/effective_task_type",
            "/handoff_persisted/handoff/agent_id",
            "/handoff_persisted/handoff/adapter_id",
            "/handoff_persisted/handoff/session_id",
            "/handoff_persisted/handoff/evidence_quality",
        ],
    );
    let known = &reply["capture_quality"]["provenance"];
    assert_eq!(known["files_edited"], "explicit", "{known}");
    assert_eq!(known["files_opened"], "unknown", "{known}");
    let id = reply["execution_id"].as_str().unwrap();
    assert_eq!(reply["feedback_persisted"]["execution_id"], id);
    assert_eq!(
        reply["learning_persisted"]["record_id"],
        format!("execution_learning::{id}")
    );
    assert_eq!(reply["message_visibility"]["mode"], "unmuted");
    // From somewhere else a path is one of the repository.
    let elsewhere = ["--repo", repo.to_str().unwrap()];
    let again = [&finalize[..], &elsewhere, &edited].concat();
    let reply = env.aictx(env.path(), &again).ok().json();
    assert_eq!(reply["value_evidence"]["files_edited"], json!(["src/a.py"]));
}

#[test]
fn a_finalize_that_cannot_be_recorded_says_that_there_is_no_summary() {
    let env = TestEnv::new();
    let run = env.aictx(
        env.path(),
        &["finalize", "--status", "success", "--summary", "Done."],
    );
    assert_eq!(run.status, 1);
    assert_eq!(run.stdout, "AICTX summary unavailable\n");
    assert!(run.stderr.contains("is in no repository"), "{run:?}");
}

#[test]
fn a_command_under_observation_says_what_it_was_prepared_with() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let options = [
        "internal",
        "run-execution",
        "--task",
        "try",
        "--agent-id",
        "codex",
        "--json",
    ];
    let run = env.aictx(&repo, &[&options[..], &["--", "true"]].concat());
    let prepared = run.ok().json()["prepared"].take();
    assert_eq!(prepared["adapter_profile"]["adapter_id"], "codex");
    assert_eq!(
        prepared["execution_observation"]["commands_executed"],
        json!(["true"])
    );
}

#[test]
fn init_takes_the_folder_that_it_names() {
    let env = TestEnv::new();
    let folder = env.path().join("new/folder");
    let init = ["init", "--agents", "none", "--no-register", "--manual"];
    let named = [&init[..], &["--repo", folder.to_str().unwrap()]].concat();
    let dry = [&named[..], &["--dry-run"]].concat();
    assert_eq!(env.aictx(env.path(), &dry).status, 1);
    assert!(!folder.exists());
    env.aictx(env.path(), &named).ok();
    assert!(folder.join(".aictx/format.json").is_file());
    let boot = ["internal", "boot", "--repo", folder.to_str().unwrap()];
    let boot = env.aictx(env.path(), &boot).ok().json();
    assert_eq!(boot["repo_bootstrap"]["status"], "initialized");
    // A home is named by accident.
    let home = env.path().join("home");
    let run = env.aictx(&home, &[&init[..], &["--repo", "."]].concat());
    assert_eq!(run.status, 1, "{run:?}");
}

/// The rows that the Python package's finalize leaves, as 7.0.1 writes them.
fn package_finalizes(repo: &Path, summary: &str) {
    let id = "cli-finalize-2026-01-01T00:00:00Z";
    // The package writes its own clock; the last row of the ledger is as late.
    let ledger = fs::read_dir(repo.join(".aictx/sessions")).unwrap();
    let ledger = fs::read_to_string(ledger.last().unwrap().unwrap().path()).unwrap();
    let last: Value = serde_json::from_str(ledger.lines().last().unwrap()).unwrap();
    let now = &last["at"];
    let handoff = json!({
        "adapter_id": "generic", "agent_id": "generic", "execution_id": id,
        "session_id": "[redacted:session]", "status": "resolved", "summary": summary,
        "reason": summary, "task_type": "feature_work", "timestamp": now,
        "completed": [summary], "next_steps": [], "blocked": [], "risks": []
    });
    let log = json!({ "task_id": id, "timestamp": now, "success": true, "files_edited": [] });
    let row = json!({ "execution_id": id, "agent_id": "generic", "success": true,
        "result_summary": summary, "recorded_at": now });
    let append = |file: &str, row: &Value| {
        let path = repo.join(".aictx").join(file);
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{before}{row}\n")).unwrap();
    };
    append("metrics/execution_logs.jsonl", &log);
    append("metrics/agent_execution_log.jsonl", &row);
    append("continuity/handoffs.jsonl", &handoff);
    let newest = repo.join(".aictx/continuity/handoff.json");
    fs::write(newest, handoff.to_string()).unwrap();
}

#[test]
fn both_programs_in_one_session_make_one_execution() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let ann = Play::claude(&env, &repo, "ann");
    let work = |text: &str| {
        ann.prompt("Make add right");
        ann.edit("calc.py", text);
        ann.fails(
            "python -m pytest -q",
            "FAILED test_calc.py::test_add - AssertionError: assert 0 == 4\n1 failed in 0.01s\n",
        );
    };
    ann.start("startup");
    work("def add(a, b):\n    return a * b\n");
    package_finalizes(&repo, "Add multiplies; the test has to follow.");
    ann.passes("aictx finalize --repo . --status success", "{}");
    ann.end();
    let executions = || env.rows(&repo, "metrics/execution_logs.jsonl").len();
    assert_eq!(executions(), 1);
    assert_eq!(env.rows(&repo, "continuity/handoffs.jsonl").len(), 1);
    let bob = Play::claude(&env, &repo, "bob");
    let told = bob.start_and_continue();
    assert!(
        told.contains("Add multiplies; the test has to follow."),
        "{told}"
    );
    // What was seen is learned all the same.
    let failures = env
        .aictx(&repo, &["failures", "list", "--json"])
        .ok()
        .stdout;
    assert!(failures.contains("test_add"), "{failures}");
    // Work after the report is an execution of its own.
    package_finalizes(&repo, "Nothing yet.");
    bob.passes("aictx finalize --repo . --status success", "{}");
    bob.edit("calc.py", "def add(a, b):\n    return a + b\n");
    bob.end();
    assert_eq!(executions(), 3);
}

#[test]
fn the_list_of_promises_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/claims.md")).unwrap();
    let (mut promises, mut wrong) = (0, Vec::new());
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (state, shown) = match cells[..] {
            [_, "state", _] => continue,
            [_, state @ ("works" | "differs" | "not done"), shown] => (state, shown),
            _ => {
                wrong.push(format!("three cells and a known state: {row}"));
                continue;
            }
        };
        promises += 1;
        let code = shown.split('`').skip(1).step_by(2);
        let named: Vec<(&str, &str)> = code.filter_map(|c| c.split_once(".rs: ")).collect();
        if named.is_empty() && state == "works" && !shown.contains("no test") {
            wrong.push(format!("no test is named: {row}"));
        }
        for (file, test) in named {
            let source = fs::read_to_string(root.join(format!("{file}.rs"))).unwrap_or_default();
            if !source.contains(&format!("fn {test}(")) {
                wrong.push(format!("{file}.rs has no test {test}"));
            }
        }
    }
    assert!(promises > 150, "{promises} rows were read");
    assert_eq!(wrong, Vec::<String>::new());
}
