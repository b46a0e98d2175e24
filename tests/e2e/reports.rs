//! Reports are kept, or refused aloud; and later sessions are told of them.

use std::path::Path;

use aictx_tests::play::Play;
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

fn report(env: &TestEnv, repo: &Path, document: &Value) -> Value {
    let file = env.path().join("report.json");
    std::fs::write(&file, document.to_string()).unwrap();
    let file = file.to_str().unwrap().to_owned();
    let run = env.aictx(repo, &["finalize", "--from-file", &file, "--json"]);
    run.ok().json()
}

fn resume(env: &TestEnv, repo: &Path, task: &str) -> String {
    env.aictx(repo, &["resume", "--task", task]).ok().stdout
}

#[test]
fn what_of_a_report_was_not_kept_is_said() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let reply = report(
        &env,
        &repo,
        &json!({
            "status": "success", "summary": "Did it",
            "decisions": [
                { "decision": "Use cents" },
                { "decision": "Use UTC", "rationale": "servers move", "reason": "x", "supersedes": "nothing" },
            ],
            "resolved_failures": ["no-such-failure"],
            "work_state": { "next_action": "Release" },
            "error_events": [{ "tool": "pytest" }],
        }),
    );
    let warnings = reply["warnings"].to_string();
    for part in [
        "Use cents",
        "no member `reason`",
        "no-such-failure",
        "no task is active here",
        "1 error events",
        "supersedes",
    ] {
        assert!(warnings.contains(part), "{part}: {warnings}");
    }
    let kept = env.rows(&repo, "continuity/decisions.jsonl");
    assert_eq!(kept.len(), 1);
    assert_eq!(
        kept[0]["supersedes"],
        json!(["nothing"]),
        "one of them is a list of one"
    );
}

#[test]
fn risks_and_what_is_known_of_the_parts_reach_who_works_on_them() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    report(
        &env,
        &repo,
        &json!({
            "status": "success", "summary": "Made add faster",
            "files_edited": ["calc.py"],
            "risks": ["add rounds twice for decimals"],
            "semantic_updates": [{
                "name": "calc", "description": "Arithmetic on numbers",
                "key_paths": ["calc.py"], "fragile_areas": ["decimals"],
            }],
        }),
    );
    let told = resume(&env, &repo, "Make add in calc.py accept decimals");
    for part in [
        "add rounds twice for decimals",
        "calc: Arithmetic on numbers. Fragile: decimals",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let other = resume(&env, &repo, "Write a changelog entry");
    assert!(!other.contains("Fragile"), "{other}");
}

#[test]
fn a_request_about_something_else_is_not_sent_to_the_last_task() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    report(
        &env,
        &repo,
        &json!({
            "status": "success", "summary": "Added paging to the invoice list",
            "task": "Add paging to the invoice list",
            "files_edited": ["calc.py"],
            "next_steps": ["Page the credit notes"],
        }),
    );
    let next = env.aictx(
        &repo,
        &[
            "next",
            "--request",
            "Translate the README into Polish",
            "--json",
        ],
    );
    let next = next.ok().json();
    let steps = next.to_string();
    assert!(!steps.contains("Page the credit notes"), "{steps}");
}

#[test]
fn a_rule_that_its_user_takes_back_holds_no_longer() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let decisions = |session: &str, said: &str, count: usize| {
        let play = Play::claude(&env, &repo, session);
        play.start("startup");
        play.prompt(said);
        play.hook("SessionEnd", json!({ "reason": "exit" }));
        wait_until("the decision is kept", || {
            env.rows(&repo, "continuity/decisions.jsonl").len() == count
        });
    };
    decisions("ann", "From now on use pnpm instead of npm.", 1);
    let task = "Add a script that uses pnpm";
    assert!(resume(&env, &repo, task).contains("- \"From now on use pnpm"));
    decisions("bob", "Forget the rule about pnpm.", 2);
    let told = resume(&env, &repo, task);
    assert!(
        told.contains("- \"No longer: From now on use pnpm"),
        "{told}"
    );
    assert!(!told.contains("- \"From now on use pnpm"), "{told}");
}

#[test]
fn nobody_is_sent_to_a_file_that_was_only_said_to_exist() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let agent = Play::claude(&env, &repo, "s1");
    agent.start("startup");
    agent.prompt("Make add refuse text");
    agent.edit("calc.py", "def add(a, b):\n    return a + b\n");
    let told = ["--files-edited", "ghost.py", "README.md"];
    let all = ["finalize", "--status", "success", "--summary", "Done"];
    agent.aictx(&[&all[..], &told].concat()).ok();
    let handoff = env.file(&repo, "continuity/handoff.json");
    let points = &handoff["recommended_starting_points"];
    assert_eq!(*points, json!(["calc.py", "README.md"]), "seen, then said");
    let log = env.rows(&repo, "metrics/execution_logs.jsonl");
    let edited = json!(["ghost.py", "README.md", "calc.py"]);
    assert_eq!(log[0]["files_edited"], edited, "what was said is kept");
}

#[test]
fn what_is_only_said_is_no_evidence_of_a_strategy_nor_a_file_of_a_task() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.aictx(&repo, &["task", "start", "Refuse text"]).ok();
    let agent = Play::claude(&env, &repo, "s1");
    agent.start("startup");
    agent.prompt("Refuse text in add");
    agent.passes("python -m pytest -q", "4 passed in 0.01s");
    let told = ["--files-edited", "ghost.py", "calc.py"];
    let tests = ["--tests-executed", "python -m e2e"];
    let files = ["--work-state-json", r#"{"active_files":["to_come.py"]}"#];
    let all = ["finalize", "--status", "success", "--summary", "Done"];
    agent
        .aictx(&[&all[..], &told, &tests, &files].concat())
        .ok();
    let strategy = &env.rows(&repo, "strategy_memory/strategies.jsonl")[0];
    assert_eq!(strategy["files_used"], json!(["calc.py"]), "{strategy}");
    assert_eq!(strategy["evidence_quality"], "medium", "no edit was seen");
    let why = "`python -m pytest -q` passed after the last edit.";
    assert_eq!(strategy["why_it_worked"], why);
    for command in [&["next"][..], &["resume", "--task", "continue"]] {
        let told = env.aictx(&repo, command).ok().stdout;
        assert!(told.contains("calc.py"), "{told}");
        assert!(!told.contains("ghost.py"), "{told}");
        assert!(!told.contains("to_come.py"), "it is not there yet: {told}");
    }
}

/// Whatever brings a strategy up, and however many are newer.
#[test]
fn a_strategy_that_its_files_bring_up_is_known_to_be_of_other_code() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for at in 0..14 {
        let (file, what) = match at {
            0 => ("calc.py".to_owned(), "Refuse text".to_owned()),
            _ => (format!("part{at}.py"), format!("Speak language {at}")),
        };
        let id = format!("s{at}");
        let agent = Play::claude(&env, &repo, &id);
        agent.start("startup");
        agent.prompt(&what);
        agent.edit(&file, &format!("said = {at}\n"));
        agent.passes("python -m pytest -q", "4 passed in 0.01s");
        let said = ["--status", "success", "--summary", "Done"];
        agent.aictx(&[&["finalize"][..], &said].concat()).ok();
    }
    let asked = ["--request", "quote the sums", "--files-opened", "calc.py"];
    let ask = |command: &str| {
        let asked = [&[command][..], &asked, &["--json"]].concat();
        env.aictx(&repo, &asked).ok().json()
    };
    let fresh = ask("reuse");
    assert_eq!(fresh["reuse_confidence"], "high", "{fresh}");
    assert_eq!(fresh["changed_since"], Value::Null);
    std::fs::write(repo.join("calc.py"), "said = 1000\n").unwrap();
    for command in ["reuse", "suggest"] {
        let told = ask(command);
        assert_eq!(told["reuse_confidence"], "medium", "{told}");
        assert_eq!(told["changed_since"], json!(["calc.py changed"]));
    }
    let told = ask("next");
    let hint = &told["continuity_brief"]["strategy_hint"];
    assert_eq!(hint["reuse_confidence"], "medium", "{told}");
    let next = [&["next"][..], &asked].concat();
    let text = env.aictx(&repo, &next).ok().stdout;
    assert!(text.contains("since then \"calc.py changed\""), "{text}");
    // Nobody who resumes waits for the index of the files made a moment ago.
    env.aictx(&repo, &["map", "refresh"]).ok();
    let told = resume(&env, &repo, "quote the sums of calc.py");
    assert!(
        told.contains("(medium confidence) (dirty: 'calc.py"),
        "{told}"
    );
}

#[test]
fn a_task_is_not_resumed_by_who_asks_for_something_else() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.aictx(&repo, &["task", "start", "Ship the billing export"])
        .ok();
    let patch = r#"{"next_action":"Tag the release"}"#;
    env.aictx(&repo, &["task", "update", "--json-patch", patch])
        .ok();
    let told = resume(&env, &repo, "Rename the parser of the header");
    assert!(told.contains("the request is not about it"), "{told}");
    assert!(!told.contains("Tag the release"), "{told}");
    assert!(!told.contains("Resuming"), "{told}");
    let told = resume(&env, &repo, "continue");
    assert!(told.contains("Tag the release"), "{told}");
}

#[test]
fn f7_an_error_in_one_line_is_an_event() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let finalize = |summary: &str, error: &str| {
        let told = [
            "--status",
            "failure",
            "--summary",
            summary,
            "--error",
            error,
        ];
        env.aictx(&repo, &[&["finalize"][..], &told].concat()).ok()
    };
    finalize("No luck", "tests/test_core.py:2: AssertionError");
    let event = &env.rows(&repo, "failure_memory/failure_patterns.jsonl")[0]["error_events"][0];
    let told = [&event["file"], &event["line"], &event["code"]];
    assert_eq!(told, ["tests/test_core.py", "2", "AssertionError"]);
    assert_eq!(event["command"], "");
    finalize("Nor now", "the build server is down");
    let rows = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(
        rows[1]["error_events"][0]["message"],
        "the build server is down"
    );
}

#[test]
fn a_view_shows_what_is_remembered_on_one_page() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let empty = env.aictx(&repo, &["view"]).ok();
    assert!(
        empty.stdout.contains("Nothing is remembered yet"),
        "{empty:?}"
    );
    let decision = r#"{"decision":"keep <b> the \"signature\"","rationale":"callers"}"#;
    let said = [
        "finalize",
        "--status",
        "success",
        "--summary",
        "Add adds",
        "--decision-json",
        decision,
    ];
    env.aictx(&repo, &said).ok();
    let page = env.aictx(&repo, &["view"]).ok().stdout;
    assert!(
        page.contains("## Decisions") && page.contains("keep \\<b\\> the"),
        "{page}"
    );
    let diagram = env.aictx(&repo, &["view", "--mermaid"]).ok().stdout;
    assert!(
        diagram.starts_with("flowchart TD\n") && diagram.contains("&quot;signature&quot;"),
        "{diagram}"
    );
    let json = env.aictx(&repo, &["view", "--json"]).ok().json();
    assert_eq!(
        (&json["ok"], &json["summary"]["decisions"]),
        (&json!(true), &json!(1))
    );
    let file = env.path().join("page.md");
    env.aictx(&repo, &["view", "--output", file.to_str().unwrap()])
        .ok();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), page);
    let nowhere = env.aictx(&repo, &["view", "--output", "/no/such/page.md"]);
    assert_eq!(nowhere.status, 1, "{nowhere:?}");
    let listed = env.aictx(&repo, &["advanced"]).ok().stdout;
    assert!(
        listed.contains("  recall ") && listed.contains("  portability "),
        "{listed}"
    );
}

#[test]
fn what_has_no_meaning_here_names_what_takes_its_place() {
    let env = TestEnv::new();
    for (line, instead) in [
        (
            &["internal", "workspace", "add-root", "/x"][..],
            "aictx init",
        ),
        (
            &["doctor", "--release-readiness"],
            "aictx doctor --exit-code",
        ),
        (&["view", "--online"], "aictx view --output"),
        (&["--banner", "status"], "aictx version"),
    ] {
        let run = env.aictx(env.path(), line);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{run:?}");
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert!(run.stderr.contains(instead), "{run:?}");
        let json = env.aictx(env.path(), &[&["--json"], line].concat());
        assert_eq!(
            (json.status, &json.json()["error"]["code"]),
            (2, &json!("usage"))
        );
    }
}
