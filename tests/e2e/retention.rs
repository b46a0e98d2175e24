//! `aictx internal compact` with the real programs.

use std::fs;
use std::io::Write as _;

use aictx_tests::memory::{assert_sound, files, history};
use aictx_tests::session::{edited, end, prompt, start};
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

#[test]
fn compact_says_what_it_would_do_and_then_does_it() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let memory = repo.join(".aictx");
    let write = |file: &str, rows: &[Value]| {
        let path = memory.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        fs::write(path, text).unwrap();
    };
    let old = "2020-01-01T00:00:00Z";
    let failure = |n: usize, status: &str| json!({ "failure_id": format!("failure::s{n}"), "signature": "s", "status": status, "timestamp": old, "n": n });
    let mut failures: Vec<Value> = (0..8).map(|n| failure(n, "resolved")).collect();
    failures.push(
        json!({ "failure_id": "failure::t", "signature": "t", "status": "open", "timestamp": old }),
    );
    write("failure_memory/failure_patterns.jsonl", &failures);
    let decision = |text: &str, path: &str| json!({ "decision": text, "related_paths": [path], "timestamp": old, "execution_id": text });
    let decisions = [
        decision("keep", "calc.py"),
        decision("past", "gone.py"),
        json!({ "decision": "dear", "related_paths": ["gone.py"], "timestamp": old, "pinned": true }),
    ];
    write("continuity/decisions.jsonl", &decisions);
    let log = memory.join("metrics/execution_logs.jsonl");
    write(
        "metrics/execution_logs.jsonl",
        &[
            json!({ "task_id": "e1", "timestamp": old }),
            json!({ "task_id": "e2" }),
        ],
    );
    fs::write(&log, fs::read_to_string(&log).unwrap() + "<<<<<<< ours\n").unwrap();
    let all = || -> Vec<(String, Vec<u8>)> {
        let files = files(&memory).into_iter();
        let kept = files.filter(|f| !f.starts_with("sessions") && !f.starts_with(".lock"));
        kept.map(|f| {
            (
                f.to_string_lossy().into_owned(),
                fs::read(memory.join(&f)).unwrap(),
            )
        })
        .collect()
    };

    let before = all();
    let compact = |more: &[&str]| {
        let arguments = [&["internal", "compact", "--repo", "."], more].concat();
        env.aictx(&repo, &arguments).ok().json()
    };
    let dry = compact(&[]);
    assert_eq!(dry["mode"], "dry_run");
    assert_eq!(all(), before, "a dry run writes nothing");
    let summary = &dry["summary"];
    assert_eq!(
        (&summary["rows_archived"], &summary["rows_skipped"]),
        (&json!(7), &json!(1))
    );

    let done = compact(&["--apply"]);
    assert_eq!(done["summary"], dry["summary"]);
    assert_eq!(done["archive_paths"].as_array().unwrap().len(), 3);
    let rows = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(rows.len(), 4, "three resolved ones and the open one");
    assert!(rows.iter().any(|row| row["status"] == "open"));
    let left: Vec<Value> = env.rows(&repo, "continuity/decisions.jsonl");
    let texts: Vec<&str> = left.iter().filter_map(|d| d["decision"].as_str()).collect();
    assert_eq!(texts, ["keep", "dear"]);
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        "{\"task_id\":\"e2\"}\n<<<<<<< ours\n"
    );
    for (file, count) in [
        ("failure_memory/failure_patterns.jsonl", 9),
        ("continuity/decisions.jsonl", 3),
    ] {
        assert_eq!(
            history(&repo, file).lines().count(),
            count,
            "{file}: nothing is lost"
        );
    }
    let index = env.file(&repo, "failure_memory/failure_index.json");
    assert_eq!(index["failure_count"], 2, "one of each signature");
    let manifest = done["manifest_path"].as_str().unwrap();
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(repo.join(manifest)).unwrap()).unwrap();
    assert_eq!(
        manifest["summary"], done["summary"],
        "W33: the manifest has its summary"
    );
    fs::write(&log, "").unwrap();
    assert_sound(&repo);
    let again = compact(&["--apply"]);
    assert_eq!(again["summary"]["rows_archived"], 0);
    env.stop_daemon();
}

#[test]
fn w33_what_is_compressed_can_still_be_asked_for() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let memory = repo.join(".aictx");
    let daemon = env.daemon();
    let work = |n: usize| {
        let session = format!("session-{n:03}");
        let caller = json!({ "session_id": session });
        let task = format!(
            "look into ticket {n}: rounding of amounts in invoice {}",
            n * 7
        );
        let resume = json!({ "repo": repo, "task": task, "caller": caller });
        assert!(env.rpc("resume", &resume)["result"].is_object());
        let finalize = json!({
            "repo": repo, "status": "success", "task": task, "caller": caller,
            "summary": format!("Amounts of invoice {} are rounded half to even.", n * 7),
            "files_opened": ["calc.py"], "files_edited": ["calc.py"],
            "tests_executed": ["python -m pytest -q"], "next_steps": [format!("see ticket {}", n + 1)],
        });
        assert!(env.rpc("finalize", &finalize)["result"].is_object());
    };
    let ledgers = || fs::read_dir(memory.join("sessions")).unwrap().count();
    let tidied = || wait_until("old ledgers are in the archive", || ledgers() < 96);
    (0..200).for_each(work);
    tidied();

    let ask = |arguments: &[&str]| {
        let all = [arguments, &["--json"]].concat();
        env.aictx(&repo, &all).ok().json()
    };
    let list = ask(&["session", "list", "--limit", "150"]);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 150);
    assert_eq!(list["truncated"], true);
    let list = ask(&["session", "list", "--limit", "500"]);
    assert_eq!(list["sessions"].as_array().unwrap().len(), 200);
    assert_eq!(list["truncated"], false);
    assert_eq!(list["sessions"][0]["session_id"], "session-199");
    let shown = ask(&["session", "show", "session-003", "--rows"]);
    let kinds: Vec<&Value> = shown["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["kind"])
        .collect();
    assert_eq!(kinds, ["told", "finalized"]);
    let why = ask(&["why", "--session", "session-003"]);
    assert_eq!(why["told"][0]["receipt"]["surface"], "resume");
    let many = env.aictx(&repo, &["session", "show", "session-00"]);
    assert!(many.stderr.contains("10 sessions begin with"), "{many:?}");
    let log = ask(&["log", "--limit", "500"]);
    assert_eq!(log["executions"].as_array().unwrap().len(), 200);
    let report = ask(&["report", "real-usage"]);
    assert_eq!(report["total_executions"], 200);
    assert_eq!(report["contract_compliance"]["evaluated"], 200);
    assert_sound(&repo);
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn a_session_that_is_resumed_has_its_ledger_again() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    for event in [
        start(&repo, "old", "startup"),
        prompt(&repo, "old", "fix add"),
        edited(&repo, "old", "calc.py"),
        end(&repo, "old"),
    ] {
        env.hook(&repo, &event).ok();
    }
    let ledger = repo.join(".aictx/sessions/old.jsonl");
    // The first line tells whose the file is, and belongs to that file.
    let rows = || {
        let text = fs::read_to_string(&ledger).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    };
    let before = rows();
    let mut n = 0;
    wait_until("it is in the archive", || {
        let caller = json!({ "session_id": format!("other-{n}") });
        n += 1;
        let resume = json!({ "repo": repo, "task": format!("task {n}"), "caller": caller });
        let finalize = json!({
            "repo": repo, "status": "success", "summary": "done", "task": format!("task {n}"),
            "caller": caller,
        });
        env.rpc("resume", &resume);
        env.rpc("finalize", &finalize);
        !ledger.exists()
    });
    env.hook(&repo, &start(&repo, "old", "resume")).ok();
    let after = rows();
    assert!(after.starts_with(&before), "{after}");
    assert!(after.len() > before.len());
    assert_eq!(daemon.stop(), 0);
}

#[test]
fn a_report_that_is_sent_again_is_known_after_many_others() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let report = |id: &str| {
        json!({
            "repo": repo, "status": "success", "summary": format!("did {id}"), "execution_id": id,
            "files_edited": ["calc.py"], "caller": { "session_id": format!("session-{id}") },
        })
    };
    let finalize = |id: &str| env.rpc("finalize", &report(id))["result"].clone();
    let log = repo.join(".aictx/metrics/agent_execution_log.jsonl");
    let others_work = |from: usize, to: usize| {
        let of_one = |n| {
            let row = json!({ "execution_id": format!("other-{n}"), "task": "x".repeat(1_000) });
            format!("{row}\n")
        };
        let rows: String = (from..to).map(of_one).collect();
        let mut file = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        file.write_all(rows.as_bytes()).unwrap();
    };
    assert_eq!(finalize("before all")["recorded"], true);
    others_work(0, 1_500);
    assert_eq!(finalize("the-first")["recorded"], true);
    others_work(1_500, 2_100);
    assert_eq!(finalize("later")["recorded"], true);
    wait_until("the first one is archived", || {
        let rows = fs::read_to_string(&log).unwrap();
        !rows.contains("the-first") && rows.contains("\"later\"")
    });
    let again = finalize("the-first");
    assert_eq!(again["recorded"], false);
    assert_eq!(again["execution_id"], "the-first");
    let once = env.once("finalize", &report("the-first")).ok().json();
    assert_eq!(once["recorded"], false);
    let rows = fs::read_to_string(&log).unwrap();
    assert!(!rows.contains("the-first"), "it is recorded once");
}
