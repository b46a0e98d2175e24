//! The product in one sentence: the agent did nothing, and the next agent knows.

use std::collections::BTreeSet;
use std::fs;

use aictx_tests::session::{
    after_command, before_command, edited, end, failed_command, main_session, payload, prompt,
    recorded, start,
};
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Value, json};

/// An agent in Python: calls the program named first with each payload behind it, then dies without
/// a word.
const AGENT: &str = r#"import subprocess, sys
for payload in sys.argv[2:]:
    subprocess.run([sys.argv[1], "hook", "claude"], input=payload.encode(), check=True, stdout=subprocess.DEVNULL)
"#;

fn context(run: &aictx_tests::Run) -> String {
    let answer = run.json();
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], "SessionStart");
    specific["additionalContext"].as_str().unwrap().to_owned()
}

#[test]
fn a_recorded_session_is_handed_over_to_the_next_one() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut first_context = String::new();
    for event in main_session(&repo, &env.path().join("home")) {
        let run = env.hook(&repo, &event.payload).ok();
        match event.event.as_str() {
            "SessionStart" => first_context = context(&run),
            // Files were edited and the check failed: the agent is asked once to see to it.
            "Stop" => {
                let asked = run.json();
                assert_eq!(asked["decision"], "block");
                let reason = asked["reason"].as_str().unwrap();
                assert!(reason.contains("`python -m pytest`"), "{reason}");
            }
            // Whatever is said must be in this event's own name, or nothing at all.
            name if !run.stdout.is_empty() => {
                assert_eq!(run.json()["hookSpecificOutput"]["hookEventName"], name);
            }
            _ => {}
        }
        assert_eq!(run.stderr, "");
    }
    assert!(
        first_context.contains("claude@demo · session #1"),
        "{first_context}"
    );
    assert!(first_context.contains("Demo calculator"), "{first_context}");

    let log = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(log.len(), 1);
    assert_eq!(
        log[0]["files_edited"],
        json!(["new.py", "README.md", "calc.py", "nb.ipynb"])
    );
    assert_eq!(
        log[0]["capture_provenance"]["files_edited"],
        "runtime_observed"
    );
    assert_eq!(log[0]["success"], false);
    let handoff = env.file(&repo, "continuity/handoff.json");
    assert_eq!(
        (&handoff["status"], &handoff["summary"]),
        (&json!("failed"), &json!("Fixed add()."))
    );
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns.len(), 1);
    assert_eq!(patterns[0]["status"], "open");
    assert_eq!(
        patterns[0]["failed_command"],
        "python3 -m pytest -q test_calc.py || python3 -c 'import nosuch'"
    );

    let next = env
        .hook(&repo, &start(&repo, "next-session", "startup"))
        .ok();
    let text = context(&next);
    assert!(
        text.contains("session #2") && text.contains("\"Fixed add().\""),
        "{text}"
    );
    let next = env.hook(&repo, &prompt(&repo, "next-session", "continue"));
    assert!(next.ok().stdout.contains("Open failure (seen 1x"));
}

#[test]
fn every_recorded_event_is_accepted_and_in_the_ledger() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let events = main_session(&repo, &env.path().join("home"));
    let id = events[0].payload["session_id"].as_str().unwrap().to_owned();
    for event in &events {
        env.hook(&repo, &event.payload).ok();
    }
    let rows = env.rows(&repo, &format!("sessions/{id}.jsonl"));
    let count = |kind: &str| rows.iter().filter(|r| r["kind"] == kind).count();
    let sent = |name: &str| events.iter().filter(|e| e.event == name).count();
    assert_eq!(count("session_start"), 1);
    assert_eq!(count("prompt"), sent("UserPromptSubmit"));
    assert_eq!(count("tool_intent"), sent("PreToolUse"));
    assert_eq!(
        count("read") + count("edit") + count("command") + count("tool"),
        sent("PostToolUse") + sent("PostToolUseFailure")
    );
    assert_eq!(
        (count("stop"), count("session_end"), count("finalized")),
        (1, 1, 1)
    );
    assert!(rows.iter().all(|r| r["provenance"] == "runtime_observed"));
    let failed: Vec<&Value> = rows
        .iter()
        .filter(|r| r["outcome"] == "failed" && r["kind"] == "command")
        .collect();
    assert_eq!(failed[0]["exit_status"], 1);
    assert_eq!(failed[0]["errors"][1]["code"], "ModuleNotFoundError");
    let sub_agent = rows
        .iter()
        .filter(|r| r["agent_id"] == "a81ac2e76c0878e00")
        .count();
    assert!(
        sub_agent >= 5,
        "what the sub-agent did is marked as its own"
    );
}

#[test]
fn all_recorded_sessions_replay_without_a_word_too_many() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut gated = BTreeSet::new();
    for event in recorded(&repo, &env.path().join("home")) {
        let run = env.hook(&repo, &event.payload).ok();
        let may_speak = match event.event.as_str() {
            "SessionStart" | "PreToolUse" => true,
            // The gate at the end of a turn, once in a session that nobody writes to in between.
            "Stop" => {
                let session = event.payload["session_id"].as_str().unwrap().to_owned();
                run.stdout.is_empty() || gated.insert(session)
            }
            _ => false,
        };
        assert!(
            may_speak || run.stdout.is_empty(),
            "{}: {}",
            event.event,
            run.stdout
        );
        if event.event == "WorktreeCreate" {
            assert_eq!(run.stdout, "", "an answer there would be taken for a path");
        }
    }
}

#[test]
fn a_check_that_passes_later_leaves_no_failure_and_resolves_an_old_one() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let failing = "Exit code 1\nFAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s";
    let play = |session: &str, last: Value| {
        for event in [
            start(&repo, session, "startup"),
            prompt(&repo, session, "fix add"),
            failed_command(&repo, session, "python -m pytest -q", failing),
            edited(&repo, session, "calc.py"),
            last,
            payload(
                &repo,
                session,
                "Stop",
                json!({ "last_assistant_message": "That is all." }),
            ),
            end(&repo, session),
        ] {
            env.hook(&repo, &event).ok();
        }
    };
    play(
        "s1",
        failed_command(&repo, "s1", "python -m pytest -q", failing),
    );
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(
        (patterns.len(), &patterns[0]["status"]),
        (1, &json!("open"))
    );
    assert_eq!(
        patterns[0]["error_events"][0]["test"],
        "test_calc.py::test_add"
    );

    play(
        "s2",
        after_command(&repo, "s2", "python -m pytest -q", "4 passed in 0.01s"),
    );
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(
        (patterns.len(), &patterns[0]["status"]),
        (1, &json!("resolved"))
    );
    assert_eq!(patterns[0]["resolution_evidence"], "command");
    assert_eq!(
        env.file(&repo, "continuity/handoff.json")["status"],
        "resolved"
    );
}

#[test]
fn a_failure_behind_a_pipe_is_a_failure() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for event in [
        prompt(&repo, "s", "run the tests"),
        after_command(
            &repo,
            "s",
            "python -m pytest -q | tail -n 5",
            "FAILED test_calc.py::test_add - assert 0 == 4\n1 failed, 3 passed in 0.01s",
        ),
        end(&repo, "s"),
    ] {
        env.hook(&repo, &event).ok();
    }
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl")[0]["success"],
        false
    );
    assert_eq!(
        env.rows(&repo, "failure_memory/failure_patterns.jsonl")
            .len(),
        1
    );
}

#[test]
fn finalized_exactly_once_also_when_the_agent_finalizes_itself() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s", "startup")).ok();
    env.hook(&repo, &prompt(&repo, "s", "fix add")).ok();
    env.hook(&repo, &edited(&repo, "s", "calc.py")).ok();
    let params = json!({
        "repo": repo, "status": "success", "summary": "Fixed add",
        "caller": { "env": { "CLAUDE_CODE_SESSION_ID": "s" } },
    });
    let reply = env.rpc("finalize", &params)["result"].clone();
    assert_eq!(
        (&reply["recorded"], &reply["session_id"]),
        (&json!(true), &json!("s"))
    );
    env.hook(
        &repo,
        &after_command(&repo, "s", "aictx finalize --status success", "ok"),
    )
    .ok();
    env.hook(
        &repo,
        &payload(
            &repo,
            "s",
            "Stop",
            json!({ "last_assistant_message": "Done." }),
        ),
    )
    .ok();
    env.hook(&repo, &end(&repo, "s")).ok();
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows.len(), 1);
    assert_eq!(
        rows[0]["files_edited"],
        json!(["calc.py"]),
        "the ledger adds what the report left out"
    );
    assert_eq!(
        env.file(&repo, "continuity/handoff.json")["summary"],
        "Fixed add"
    );

    // The same session goes on later: a new request is a new execution.
    env.hook(&repo, &start(&repo, "s", "resume")).ok();
    env.hook(&repo, &prompt(&repo, "s", "now fix sub")).ok();
    env.hook(&repo, &edited(&repo, "s", "test_calc.py")).ok();
    env.hook(&repo, &end(&repo, "s")).ok();
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["files_edited"], json!(["test_calc.py"]));
}

#[test]
fn a_session_whose_process_is_gone_is_finalized() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    // The agent: a process that calls the hook and dies without a word.
    let events = [
        start(&repo, "s", "startup"),
        prompt(&repo, "s", "fix add"),
        edited(&repo, "s", "calc.py"),
    ];
    let mut command = env.command("python3");
    command
        .arg("-c")
        .arg(AGENT)
        .arg(program("aictx"))
        .args(events.iter().map(Value::to_string));
    assert!(
        command
            .current_dir(&repo)
            .output()
            .unwrap()
            .status
            .success()
    );
    wait_until("the session is finalized", || {
        // The last write of the commit.
        let rows = env.rows(&repo, "sessions/s.jsonl");
        rows.iter().any(|row| row["kind"] == "finalized")
    });
    assert_eq!(
        env.file(&repo, "continuity/handoff.json")["recommended_starting_points"],
        json!(["calc.py"])
    );
}

/// On a busy machine an event is read when whoever sent it is gone. The session is over then, not one
/// of an unknown process that may go on for hours.
#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_process_was_gone_before_its_first_event_was_read_is_finalized() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut agent = env.command("true").spawn().unwrap();
    agent.wait().unwrap();
    for payload in [prompt(&repo, "s", "fix add"), edited(&repo, "s", "calc.py")] {
        env.rpc(
            "hook",
            &json!({ "runner": "claude", "pid": agent.id(), "payload": payload }),
        );
    }
    wait_until("the session is finalized", || {
        let rows = env.rows(&repo, "sessions/s.jsonl");
        rows.iter().any(|row| row["kind"] == "finalized")
    });
}

/// Only a shell between the agent and its hook was gone: the next event tells who the agent is.
#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_agent_was_missed_is_kept_when_it_is_heard_of_again() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let mut shell = env.command("true").spawn().unwrap();
    shell.wait().unwrap();
    let event = |pid: u32, payload: Value| {
        env.rpc(
            "hook",
            &json!({ "runner": "claude", "pid": pid, "payload": payload }),
        );
    };
    let owner = || env.rpc("status", &json!({}))["result"]["sessions"][0]["pid"].clone();
    event(shell.id(), prompt(&repo, "s", "fix add"));
    assert_eq!(owner(), shell.id());
    event(std::process::id(), edited(&repo, "s", "calc.py"));
    assert_eq!(owner(), std::process::id());
}

#[test]
fn a_session_left_open_by_a_killed_daemon_is_finalized_by_the_next_one() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let events = [
        start(&repo, "s", "startup"),
        prompt(&repo, "s", "fix add"),
        edited(&repo, "s", "calc.py"),
    ];
    let mut agent = env.command("python3");
    agent.args([
        "-c",
        &format!("{AGENT}\nimport time\nprint('done', flush=True)\ntime.sleep(600)"),
    ]);
    agent
        .arg(program("aictx"))
        .args(events.iter().map(Value::to_string));
    let mut agent = agent
        .current_dir(&repo)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut word = [0; 4];
    std::io::Read::read_exact(agent.stdout.as_mut().unwrap(), &mut word).unwrap();
    daemon.kill();
    agent.kill().unwrap();
    agent.wait().unwrap();
    let _next = env.daemon();
    wait_until("the session is finalized", || {
        // The last write of the commit.
        let rows = env.rows(&repo, "sessions/s.jsonl");
        rows.iter().any(|row| row["kind"] == "finalized")
    });
}

#[test]
fn verdicts_deny_by_json_and_stay_quiet_otherwise() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let verdict = |payload: &Value| {
        let run = env.hook(&repo, payload).ok();
        if run.stdout.is_empty() {
            "".to_owned()
        } else {
            run.json()["hookSpecificOutput"]["permissionDecision"]
                .as_str()
                .unwrap()
                .to_owned()
        }
    };
    for (command, want) in [
        ("rm -rf /", "deny"),
        ("git reset --hard HEAD~1", "ask"),
        ("git checkout -- .", "ask"),
        ("cargo test", ""),
        ("echo rm -rf /", ""),
        ("git commit -m 'rm -rf /'", ""),
    ] {
        assert_eq!(
            verdict(&before_command(&repo, "s", command)),
            want,
            "{command}"
        );
    }
    for (path, want) in [
        (".aictx/continuity/handoff.json", "deny"),
        ("calc.py", ""),
        (".git/config", "ask"),
    ] {
        let write = payload(
            &repo,
            "s",
            "PreToolUse",
            json!({
                "tool_name": "Write", "tool_use_id": aictx_tests::call_id(), "tool_input": { "file_path": repo.join(path), "content": "x" },
            }),
        );
        assert_eq!(verdict(&write), want, "{path}");
    }
    // A link inside the repository that leads into the recorded state is the state.
    std::os::unix::fs::symlink(repo.join(".aictx"), repo.join("state")).unwrap();
    let write = payload(
        &repo,
        "s",
        "PreToolUse",
        json!({
            "tool_name": "Write", "tool_use_id": aictx_tests::call_id(), "tool_input": { "file_path": repo.join("state/x"), "content": "x" },
        }),
    );
    assert_eq!(verdict(&write), "deny");
}

#[test]
fn secrets_never_reach_the_files() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let token = format!("ghp_{}", "abcdefghijklmnopqrstuvwxyz0123456789");
    let password = "correct-horse-7Battery";
    for event in [
        prompt(&repo, "s", &format!("use password: {password} please")),
        after_command(
            &repo,
            "s",
            &format!("curl -H 'Authorization: Bearer {token}' https://x.invalid"),
            "ok",
        ),
        failed_command(
            &repo,
            "s",
            "make deploy",
            &format!("Exit code 1\nerror: login failed for token={token}"),
        ),
        payload(
            &repo,
            "s",
            "Stop",
            json!({ "last_assistant_message": format!("Set GITHUB_TOKEN={token}.") }),
        ),
        end(&repo, "s"),
    ] {
        env.hook(&repo, &event).ok();
    }
    assert_eq!(env.rows(&repo, "metrics/execution_logs.jsonl").len(), 1);
    let mut looked_at = 0;
    let mut pending = vec![repo.join(".aictx")];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains(&token), "{}: {text}", path.display());
            assert!(!text.contains(password), "{}: {text}", path.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 5);
    let ledger = fs::read_to_string(repo.join(".aictx/sessions/s.jsonl")).unwrap();
    assert!(ledger.contains("[redacted:"), "{ledger}");
}

#[test]
fn unregistered_repositories_are_left_alone() {
    let env = TestEnv::new();
    env.repository("known");
    let repo = env.plain_repository("unknown");
    let _daemon = env.daemon();
    for event in main_session(&repo, &env.path().join("home")) {
        assert_eq!(env.hook(&repo, &event.payload).ok().stdout, "");
    }
    assert!(!repo.join(".aictx").exists());
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
}

#[test]
fn init_leaves_git_status_clean_and_changes_nothing_the_second_time() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    let settings = fs::read_to_string(repo.join(".claude/settings.local.json")).unwrap();
    let params = json!({ "repo": repo, "runners": ["claude"], "program": program("aictx") });
    let again = env.once("init", &params).ok().json();
    let actions: Vec<&Value> = again["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| &f["action"])
        .collect();
    assert!(actions.iter().all(|a| *a == "unchanged"), "{again}");
    assert_eq!(
        fs::read_to_string(repo.join(".claude/settings.local.json")).unwrap(),
        settings
    );
    // A file that does not parse is left as it is; comments stay where they are.
    let broken = "{ \"a\" 1 // mine\n}";
    fs::write(repo.join(".claude/settings.local.json"), broken).unwrap();
    let skipped = env.once("init", &params).ok().json();
    let warning = skipped["warnings"][0].as_str().unwrap();
    assert!(warning.contains("line 1, column "), "{warning}");
    assert_eq!(
        fs::read_to_string(repo.join(".claude/settings.local.json")).unwrap(),
        broken
    );
    fs::write(repo.join(".claude/settings.local.json"), "{ // mine\n}").unwrap();
    env.once("init", &params).ok();
    let commented = fs::read_to_string(repo.join(".claude/settings.local.json")).unwrap();
    assert!(
        commented.starts_with("{ // mine\n") && commented.contains("SessionStart"),
        "{commented}"
    );
}

#[test]
fn worktrees_share_the_memory_of_their_repository() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    env.git(&repo, &["worktree", "add", "-q", "-b", "side", "../side"]);
    let side = fs::canonicalize(env.path().join("side")).unwrap();
    let _daemon = env.daemon();
    for event in [
        prompt(&side, "s", "fix add"),
        edited(&side, "s", "calc.py"),
        end(&side, "s"),
    ] {
        env.hook(&side, &event).ok();
    }
    assert!(!side.join(".aictx").exists());
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl")[0]["files_edited"],
        json!(["calc.py"])
    );
    assert_eq!(env.rows(&repo, "sessions/s.jsonl")[0]["branch"], "side");
}

#[test]
fn whoever_names_a_live_session_speaks_as_its_agent() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    env.hook(&repo, &start(&repo, "s1", "startup")).ok();
    env.hook(&repo, &edited(&repo, "s1", "calc.py")).ok();
    let report = ["--status", "success", "--summary", "Changed calc"];
    let finalize = |session: &str| {
        let arguments = [&["finalize", "--session-id", session], &report[..]].concat();
        env.aictx(&repo, &arguments).ok();
        env.file(&repo, "continuity/handoff.json")["agent_id"].clone()
    };
    assert_eq!(finalize("s1"), "claude");
    assert_eq!(finalize("nobody"), "generic");
}

#[test]
fn whoever_only_looks_begins_no_session() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let sessions = || {
        let ledgers = fs::read_dir(repo.join(".aictx/sessions"));
        ledgers.map_or(0, |found| found.count())
    };
    for look in [
        &["resume"][..],
        &["resume", "--task", "fix add"],
        &["resume", "--json"],
        &["preview"],
        &["preview", "--prompt", "fix add"],
        &["recall", "add"],
        &["status"],
        &["next"],
    ] {
        env.aictx(&repo, look).ok();
        assert_eq!(sessions(), 0, "{look:?}");
        assert!(
            !repo.join(".aictx/continuity/session.json").exists(),
            "{look:?}"
        );
    }
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    let lines = lines.map(|line| format!("{line}\n")).concat();
    let mut server = env.command(program("aictxd"));
    server.args(["mcp", "--repo"]).arg(&repo);
    let listed = env.with_input(&mut server, lines.as_bytes()).ok();
    assert!(listed.stdout.contains("aictx_resume"), "{listed:?}");
    assert_eq!(sessions(), 0);
    let first = context(&env.hook(&repo, &start(&repo, "a", "startup")));
    assert!(first.contains("session #1"), "{first}");
    assert_eq!(daemon.stop(), 0);
    env.once("resume", &json!({ "repo": repo })).ok();
    let second = context(&env.hook(&repo, &start(&repo, "b", "startup")));
    assert!(second.contains("session #2"), "{second}");
}
