//! Faults of the ancestor that are told apart best from outside, each under its number.

use std::fs;
use std::path::Path;

use aictx_tests::TestEnv;
use aictx_tests::memory::files;
use aictx_tests::play::Play;
use serde_json::{Value, json};

fn finalize(env: &TestEnv, repo: &Path, arguments: &[&str]) -> Value {
    let all = [&["finalize", "--json"], arguments].concat();
    env.aictx(repo, &all).ok().json()
}

pub(crate) fn success(env: &TestEnv, repo: &Path, summary: &str, more: &[&str]) -> Value {
    let all = [&["--status", "success", "--summary", summary], more].concat();
    finalize(env, repo, &all)
}

pub(crate) fn failure(env: &TestEnv, repo: &Path, summary: &str, more: &[&str]) -> Value {
    let all = [&["--status", "failure", "--summary", summary], more].concat();
    finalize(env, repo, &all)
}

pub(crate) fn resume(env: &TestEnv, repo: &Path, more: &[&str]) -> Value {
    let all = [&["resume", "--json"], more].concat();
    env.aictx(repo, &all).ok().json()
}

/// Everything that is stored, as one text.
fn everything(repo: &Path) -> String {
    let memory = repo.join(".aictx");
    let all = aictx_tests::memory::facts(&memory).into_iter();
    all.map(|f| String::from_utf8_lossy(&fs::read(memory.join(f)).unwrap()).into_owned())
        .collect()
}

#[test]
fn w2_wg3_what_cannot_be_read_stops_nothing_and_is_kept() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    success(
        &env,
        &repo,
        "first",
        &[
            "--files-edited",
            "calc.py",
            "--tests-executed",
            "pytest -q",
            "--decision-json",
            r#"{"decision": "d", "rationale": "r"}"#,
        ],
    );
    failure(
        &env,
        &repo,
        "second",
        &[
            "--commands-executed",
            "make",
            "--error",
            "make: *** [all] Error 2",
        ],
    );
    let memory = repo.join(".aictx");
    let histories: Vec<_> = aictx_tests::memory::facts(&memory)
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    assert!(histories.len() >= 6, "{histories:?}");
    for file in &histories {
        let mut bytes = fs::read(memory.join(file)).unwrap();
        bytes.splice(0..0, b"{\"torn\": \n\xff\xfe no text\n".iter().copied());
        fs::write(memory.join(file), bytes).unwrap();
    }
    for file in ["continuity/staleness.json", "continuity/session.json"] {
        fs::write(memory.join(file), "{bad").unwrap();
    }
    let told = resume(&env, &repo, &["--task", "x"]);
    assert!(told["capsule"]["decisions"].to_string().contains('d'));
    success(&env, &repo, "third", &["--files-edited", "calc.py"]);
    for command in [
        &["next"][..],
        &["reflect"],
        &["report", "real-usage"],
        &["log"],
        &["memory", "list"],
    ] {
        env.aictx(&repo, command).ok();
    }
    let report = env
        .aictx(&repo, &["report", "real-usage", "--json"])
        .ok()
        .json();
    assert_eq!(report["executions_read"], 3);
    assert_eq!(
        everything(&repo).matches("{\"torn\": ").count(),
        histories.len(),
        "every bad line is somewhere"
    );
}

#[test]
fn w6_staleness_is_of_a_record_and_of_now() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    fs::write(repo.join("gone.py"), "x = 1\n").unwrap();
    success(
        &env,
        &repo,
        "Work on what is gone",
        &["--files-edited", "gone.py"],
    );
    let flag =
        r#"{"handoff": {"stale": true, "reasons": ["missing_paths:gone.py"]}, "decisions": []}"#;
    fs::create_dir_all(repo.join(".aictx/continuity")).unwrap();
    fs::write(repo.join(".aictx/continuity/staleness.json"), flag).unwrap();
    let stale = |reply: &Value| reply["warnings"].to_string().contains("stale_handoff");
    assert!(
        !stale(&resume(&env, &repo, &["--task", "go on"])),
        "the file is there"
    );
    fs::remove_file(repo.join("gone.py")).unwrap();
    assert!(stale(&resume(&env, &repo, &["--task", "go on"])));
    success(
        &env,
        &repo,
        "Work on what is there",
        &["--files-edited", "calc.py"],
    );
    let reply = resume(&env, &repo, &["--task", "go on"]);
    assert!(
        !stale(&reply) && reply["capsule"]["resuming"] == "Work on what is there",
        "{reply}"
    );
}

#[test]
fn w13_w39_words_stay_and_secrets_do_not() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let goal = "Fix login session: expiry bug and token: abc handling";
    let secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    let reply = success(
        &env,
        &repo,
        &format!("Used {secret}"),
        &[
            "--task",
            goal,
            "--session-id",
            "my-session",
            "--commands-executed",
            &format!("curl -H 'Authorization: Bearer {secret}' x"),
        ],
    );
    let rows = env.rows(&repo, "continuity/handoffs.jsonl");
    assert_eq!(
        (&rows[0]["reason"], &rows[0]["session_id"]),
        (&json!(goal), &json!("my-session"))
    );
    assert!(!everything(&repo).contains(secret));
    assert!(
        !reply.to_string().contains(secret) && !reply["redacted"].as_object().unwrap().is_empty(),
        "{}",
        reply["redacted"]
    );
}

#[test]
fn w14_wm1_wm6_w31_success_elsewhere_resolves_and_claims_nothing() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    failure(
        &env,
        &repo,
        "Deadlock",
        &[
            "--task",
            "Fix the bug in the queue",
            "--error",
            "OperationalError: deadlock",
            "--commands-executed",
            "python worker.py",
        ],
    );
    let reply = success(
        &env,
        &repo,
        "Button is blue",
        &[
            "--task",
            "Fix broken button colour bug",
            "--files-edited",
            "site.css",
            "--commands-executed",
            "true",
        ],
    );
    assert_eq!(reply["resolved_failures"], json!([]));
    let summary = reply["agent_summary_text"].as_str().unwrap();
    assert!(
        !summary.contains("resolved") && !summary.contains("without repeating"),
        "{summary}"
    );
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(
        (patterns.len(), &patterns[0]["status"]),
        (1, &json!("open"))
    );
    assert_eq!(
        env.file(&repo, "continuity/continuity_metrics.json")["repeated_failure_avoidance_count"],
        0
    );
}

#[test]
fn w17_wg1_nothing_is_written_elsewhere() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let who = Play::claude(&env, &repo, "s");
    who.start("startup");
    who.prompt("Fix add");
    who.edit("calc.py", "x = 1\n");
    who.end();
    success(&env, &repo, "Done", &["--files-edited", "calc.py"]);
    daemon.stop();
    let outside: Vec<_> = files(env.path())
        .into_iter()
        .filter(|f| {
            let known = ["demo/", "state/aictx/", "cache/aictx/", "run/aictx/"];
            !known.iter().any(|k| f.to_string_lossy().starts_with(k))
        })
        .collect();
    assert_eq!(outside, Vec::<std::path::PathBuf>::new());
    assert_eq!(
        env.git(&repo, &["status", "--porcelain"]).trim(),
        "M calc.py"
    );
}

#[test]
fn w21_wg7_the_time_is_that_of_the_work() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let ago = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis()
        - 100_000;
    let ago = u64::try_from(ago).unwrap();
    let params = json!({
        "runner": "claude", "pid": 1, "spooled_at": ago,
        "payload": aictx_tests::session::edited(&repo, "s", "calc.py"),
    });
    env.spool(1, &params);
    env.once("spool.drain", &json!({})).ok();
    let reply = success(
        &env,
        &repo,
        "Done",
        &["--agent-id", "claude", "--session-id", "s"],
    );
    let took = reply["value_evidence"]["execution_time_ms"].as_u64();
    assert!(
        took.is_some_and(|ms| (100_000..200_000).contains(&ms)),
        "{took:?}"
    );
}

#[test]
fn w22_w25_sessions_have_times_and_one_banner_and_forms_agree() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    success(
        &env,
        &repo,
        "Token refresh works",
        &["--task", "Fix token refresh", "--files-edited", "calc.py"],
    );
    let of = |more: &[&str]| {
        resume(
            &env,
            &repo,
            &[&["--task", "continue", "--session-id", "s"], more].concat(),
        )
    };
    let first = of(&[]);
    assert!(
        first["startup_banner_text"]
            .as_str()
            .unwrap()
            .contains("session #2"),
        "{first}"
    );
    let (brief, full) = (of(&["--brief"]), of(&["--full"]));
    assert_eq!(
        (&brief["startup_banner_text"], &full["startup_banner_text"]),
        (&json!(""), &json!(""))
    );
    for reply in [&brief, &full] {
        assert_eq!(reply["request"], first["request"]);
        assert_eq!(
            reply["execution_contract"]["first_action"],
            first["execution_contract"]["first_action"]
        );
        assert_eq!(
            reply["execution_contract"]["test_command"],
            first["execution_contract"]["test_command"]
        );
    }
    let session = env.file(&repo, "continuity/session.json");
    assert_eq!(
        (&session["session_count"], &session["session_id"]),
        (&json!(2), &json!("s"))
    );
    assert_eq!(session["started_at"].as_str().unwrap().len(), 20);
}

#[test]
fn w23_nobodys_taste_is_built_in() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    success(&env, &repo, "Done", &["--files-edited", "calc.py"]);
    let reply = resume(&env, &repo, &["--task", "x"]).to_string();
    for word in ["yolo", "\"es\"", "resolvió", "contexto"] {
        assert!(
            !everything(&repo).contains(word) && !reply.contains(word),
            "{word}"
        );
    }
}

#[test]
fn wm7_wm8_there_is_one_memory_of_failures_and_it_speaks_english() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let run = ["internal", "run-execution", "--request", "Make it pass"];
    let run = |script: &str| {
        let command = ["--json", "--", "sh", "check.sh"];
        fs::write(repo.join("check.sh"), script).unwrap();
        env.aictx(&repo, &[&run[..], &command].concat())
    };
    run("echo 'sh: error: no such table: users' >&2; exit 1");
    let resolved = run("exit 0").ok().json();
    let rows = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["status"], "resolved", "{rows:?}");
    let said = everything(&repo) + &resolved.to_string();
    for word in ["resolvió", "fallo previo", "consideró", "repetirlo"] {
        assert!(!said.contains(word), "{word}");
    }
    // The ancestor's second memory is records one by one, with a summary in Markdown.
    let kept = files(&repo.join(".aictx/failure_memory"));
    let known = ["failure_patterns.jsonl", "failure_index.json"];
    assert!(
        kept.iter()
            .all(|f| known.contains(&f.to_str().unwrap_or_default())),
        "{kept:?}"
    );
}

#[test]
fn w35_what_has_nothing_to_do_with_an_execution_is_not_written_again() {
    use std::os::unix::fs::MetadataExt;
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for n in 0..4 {
        failure(&env, &repo, "Broke", &["--error", &format!("boom {n}")]);
    }
    success(&env, &repo, "Did", &["--files-edited", "calc.py"]);
    let patterns = repo.join(".aictx/failure_memory/failure_patterns.jsonl");
    let log = repo.join(".aictx/metrics/agent_execution_log.jsonl");
    let state = |path: &Path| {
        let now = fs::metadata(path).unwrap();
        (now.ino(), now.mtime(), now.mtime_nsec(), now.len())
    };
    let (failures, rows) = (state(&patterns), state(&log));
    success(&env, &repo, "Did more", &["--files-edited", "calc.py"]);
    assert_eq!(state(&patterns), failures, "no failure changed");
    let after = state(&log);
    assert_eq!(after.0, rows.0, "a row is appended");
    assert!(after.3 > rows.3);
}

#[test]
fn w24_the_budget_is_of_what_is_sent() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let long = "a decision that explains itself at length ".repeat(9);
    for n in 0..12 {
        let decision = json!({ "decision": format!("{n} {long}"), "rationale": long, "related_paths": ["calc.py"] });
        let error = format!("E{n}: {long}");
        failure(
            &env,
            &repo,
            &format!("{n} {long}"),
            &[
                "--decision-json",
                &decision.to_string(),
                "--error",
                &error,
                "--commands-executed",
                &format!("make {n}"),
            ],
        );
    }
    for form in ["--brief", "--full", "--task=x"] {
        let run = env.aictx(&repo, &["resume", "--json", form]).ok();
        let budget = &run.json()["budget"];
        let number = |name: &str| budget[name].as_u64().unwrap();
        assert!(
            number("estimated_tokens") <= number("target_tokens"),
            "{form}: {budget}"
        );
        assert!(
            number("text_tokens") <= number("text_target_tokens"),
            "{form}: {budget}"
        );
        let sent = run.stdout.len() as u64;
        assert!(
            sent < number("target_tokens") * 5 && sent < 50_000,
            "{form}: {sent} bytes, {budget}"
        );
    }
}
