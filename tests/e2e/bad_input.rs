//! Whatever comes in: a clear message or silence, and nothing lost.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use aictx_tests::memory::assert_sound;
use aictx_tests::session::{
    after_command, before_command, edited, end, failed_command, payload, prompt, start,
};
use aictx_tests::{Run, TestEnv, drain, program, wait_long_until};
use serde_json::{Value, json};

pub(crate) fn edits(env: &TestEnv, repo: &Path, session: &str) -> Vec<String> {
    env.rows(repo, &format!("sessions/{session}.jsonl"))
        .iter()
        .filter(|r| r["kind"] == "edit")
        .map(|r| r["paths"][0].as_str().unwrap_or_default().to_owned())
        .collect()
}

pub(crate) fn decision(run: &Run) -> String {
    if run.stdout.is_empty() {
        return String::new();
    }
    let answer = run.json();
    answer["hookSpecificOutput"]["permissionDecision"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// A file write of `size` bytes that the agent is about to do.
pub(crate) fn big_write(repo: &Path, event: &str, path: &str, size: usize) -> Value {
    payload(
        repo,
        "s",
        event,
        json!({
            "tool_name": "Write", "tool_use_id": aictx_tests::call_id(),
            "tool_input": { "file_path": repo.join(path), "content": "line\n".repeat(size / 5) },
        }),
    )
}

#[test]
fn garbage_is_met_with_silence_with_and_without_a_daemon() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let garbage: &[&[u8]] = &[
        b"",
        b"\n\n  \n",
        b"{",
        b"[]",
        b"null",
        b"\"text\"",
        b"\0\0\0\0",
        b"\xff\xfe\xfd{\"hook_event_name\":\"SessionStart\"}",
        b"{\"hook_event_name\":\"SessionStart\",\"hook_event_name\":\"Stop\"",
        b"{}}}}}",
        b"<html><body>502</body></html>",
        &[b'['; 60_000],
        &[b'{'; 60_000],
    ];
    let daemon = env.daemon();
    let silent = |env: &TestEnv, bytes: &[u8]| {
        let run = env.hook_bytes(&repo, bytes).ok();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    };
    garbage.iter().for_each(|bytes| silent(&env, bytes));
    assert_eq!(env.status().pid, daemon.pid(), "it lives");
    assert_eq!(daemon.stop(), 0);
    env.set("AICTX_NO_DAEMON", "1");
    garbage.iter().for_each(|bytes| silent(&env, bytes));
    assert!(!repo.join(".aictx/sessions").exists(), "nothing came of it");
    assert_sound(&repo);
}

#[test]
fn a_call_that_nobody_can_read_is_asked_about_and_counted() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let other = env.plain_repository("other");
    let unreadable: &[&[u8]] = &[
        b"{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"command\":\"rm -rf ~",
        b"{\"hook_event_name\":\"PreToolUse\" \"tool_name\":\"Bash\"}",
        b"\"hook_event_name\":\"PreToolUse\"",
    ];
    let daemon = env.daemon();
    let asked = |env: &TestEnv| {
        for bytes in unreadable {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(decision(&env.hook_bytes(&repo, bytes)), "ask", "{text}");
            assert_eq!(decision(&env.hook_bytes(&other, bytes)), "", "{text}");
        }
    };
    asked(&env);
    let after = b"{\"hook_event_name\":\"PostToolUse\",\"tool_input\":{";
    assert_eq!(decision(&env.hook_bytes(&repo, after)), "");
    let doctor = env.aictx(&repo, &["doctor"]).stdout;
    assert!(doctor.contains("hook events were lost"), "{doctor}");
    assert_eq!(daemon.stop(), 0);
    env.set("AICTX_NO_DAEMON", "1");
    asked(&env);
}

#[test]
fn a_payload_of_fifty_megabytes_is_judged_and_recorded() {
    let mut env = TestEnv::new();
    // Three times fifty megabytes, by a build that is not optimised, on a machine that is busy.
    env.set("AICTX_HOOK_TIMEOUT_MS", "120000");
    let repo = env.repository("demo");
    let daemon = env.daemon();
    let size = 50_000_000;
    let run = env
        .hook(&repo, &big_write(&repo, "PreToolUse", ".aictx/x", size))
        .ok();
    assert_eq!(decision(&run), "deny");
    let run = env
        .hook(&repo, &big_write(&repo, "PreToolUse", "big.txt", size))
        .ok();
    assert_eq!(decision(&run), "");
    let run = env
        .hook(&repo, &big_write(&repo, "PostToolUse", "big.txt", size))
        .ok();
    assert_eq!(run.stdout, "");
    wait_long_until("the edit is in the ledger", || {
        edits(&env, &repo, "s") == ["big.txt"]
    });
    // One that just fits into a line takes the ordinary way.
    let run = env
        .hook(
            &repo,
            &big_write(&repo, "PreToolUse", ".aictx/x", 12_000_000),
        )
        .ok();
    assert_eq!(decision(&run), "deny");
    let status = env.status();
    assert_eq!((status.pid, status.hooks_lost), (daemon.pid(), 0));
}

#[test]
fn with_the_real_deadline_a_huge_payload_costs_little_and_harms_nothing() {
    let mut env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    env.unset("AICTX_HOOK_TIMEOUT_MS");
    let garbage: Vec<u8> = br#"{"hook_event_name":"SessionStart","x":""#
        .iter()
        .copied()
        .chain(std::iter::repeat_n(b'z', 20_000_000))
        .collect();
    let large = big_write(&repo, "PreToolUse", ".aictx/x", 50_000_000).to_string();
    for bytes in [garbage.as_slice(), large.as_bytes()] {
        let begun = Instant::now();
        let run = env.hook_bytes(&repo, bytes).ok();
        // The deadline for large input is 600 to 1 000 ms and 350 for a process; the rest is the
        // reading of the input on a busy machine.
        assert!(
            begun.elapsed() < Duration::from_secs(6),
            "{:?}",
            begun.elapsed()
        );
        // One that was cut by the deadline cannot be read.
        let is_safe = run.stdout.is_empty() || matches!(decision(&run).as_str(), "deny" | "ask");
        assert!(is_safe, "{run:?}");
        assert_eq!(run.stderr, "");
    }
    assert_eq!(env.status().pid, daemon.pid());
    let run = env
        .hook(&repo, &before_command(&repo, "s", "rm -rf /"))
        .ok();
    assert!(run.stdout.is_empty() || decision(&run) == "deny");
}

#[test]
fn unknown_events_members_and_types_are_taken_for_what_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon();
    for odd in [
        payload(&repo, "s", "FutureEvent", json!({ "answer": 42 })),
        payload(&repo, "s", "", json!({})),
        payload(
            &repo,
            "s",
            "PreToolUse",
            json!({ "tool_name": 7, "tool_input": "x" }),
        ),
        payload(
            &repo,
            "s",
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_input": null, "tool_response": [1] }),
        ),
        payload(
            &repo,
            "s",
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_input": { "file_path": { "a": 1 } } }),
        ),
        payload(
            &repo,
            "s",
            "PostToolUse",
            json!({ "tool_name": "Edit", "tool_input": { "file_path": "a.py", "future": {} }, "duration_ms": "soon" }),
        ),
        payload(&repo, "s", "UserPromptSubmit", json!({ "prompt": [1, 2] })),
        json!({ "hook_event_name": "PostToolUse", "session_id": ["s"], "cwd": repo }),
        json!({ "hook_event_name": { "a": "Stop" }, "cwd": repo }),
        json!({ "hook_event_name": "SessionStart", "session_id": "s2", "cwd": 5 }),
        json!({ "hook_event_name": "SessionStart", "session_id": "s3", "cwd": "relative" }),
        json!({ "hook_event_name": "SessionStart", "session_id": "s4", "cwd": "/nowhere" }),
    ] {
        let run = env.hook(&repo, &odd).ok();
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("", ""),
            "{odd}"
        );
    }
    let rows = env.rows(&repo, "sessions/s.jsonl");
    let kinds: Vec<&str> = rows.iter().map(|r| r["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "session_start",
            "other",
            "other",
            "tool_intent",
            "command",
            "edit",
            "edit",
            "prompt"
        ]
    );
    assert_eq!(rows[1]["tool"], "FutureEvent");
    assert_eq!(edits(&env, &repo, "s"), ["", "a.py"]);
    assert_eq!(env.status().pid, daemon.pid());
    // An unknown runner is nobody's event.
    let run = env
        .command(program("aictx"))
        .args(["hook", "future-agent"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(run.status.success() && run.stdout.is_empty());
}

#[test]
fn bytes_that_are_no_text_are_recorded_as_far_as_they_are() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let event = after_command(&repo, "s", "cat BYTES", "BYTES").to_string();
    let (head, tail) = event.split_once("BYTES").unwrap();
    let mut bytes = head.as_bytes().to_vec();
    bytes.extend(b"caf\xe9 \xc3\x28 \xf0\x9f");
    bytes.extend(tail.as_bytes());
    env.hook_bytes(&repo, &bytes).ok();
    let rows = env.rows(&repo, "sessions/s.jsonl");
    let command = rows[1]["command"].as_str().unwrap();
    assert!(command.starts_with("cat caf"), "{command}");
    assert_sound(&repo);
}

#[test]
fn two_copies_of_every_hook_at_once_count_once() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    for event in [
        start(&repo, "s", "startup"),
        prompt(&repo, "s", "fix add"),
        before_command(&repo, "s", "make check"),
        failed_command(&repo, "s", "make check", "Exit code 2\nerror: no"),
        edited(&repo, "s", "calc.py"),
        end(&repo, "s"),
    ] {
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| env.hook(&repo, &event).ok());
            }
        });
    }
    let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
    assert_eq!(rows.len(), 1, "finalized once");
    assert_eq!(rows[0]["files_edited"], json!(["calc.py"]));
    assert_eq!(rows[0]["commands_executed"], json!(["make check"]));
    let patterns = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert_eq!(patterns.len(), 1);
    let next = env.hook(&repo, &start(&repo, "next", "startup")).ok();
    assert!(next.stdout.contains("session #2"), "counted once: {next:?}");
}

#[test]
fn no_session_id_leads_out_of_the_ledgers_or_into_another_ones() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let long = "x".repeat(10_000);
    let ids = [
        "../../../escaped",
        "/etc/passwd",
        "a/b",
        "a:b",
        "..",
        ".",
        ".hidden",
        "con\u{0}trol\nline",
        "ünï",
        long.as_str(),
        &format!("{long}y"),
        "plain",
    ];
    for (n, id) in ids.iter().enumerate() {
        env.hook(&repo, &edited(&repo, id, &format!("f{n}.py")))
            .ok();
        env.hook(&repo, &prompt(&repo, id, "go on")).ok();
    }
    // No id at all: the agent's process is the session.
    env.hook(&repo, &edited(&repo, "", "nameless.py")).ok();
    let names: Vec<String> = fs::read_dir(repo.join(".aictx/sessions"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), ids.len() + 1, "a ledger each: {names:?}");
    let mut edited_files = Vec::new();
    for name in &names {
        assert!(name.len() <= 110 && !name.starts_with('.'), "{name}");
        let rows = env.rows(&repo, &format!("sessions/{name}"));
        let kinds = rows.iter().filter(|r| r["kind"] == "edit").count();
        assert_eq!(kinds, 1, "{name} is one session's");
        edited_files.extend(
            rows.iter()
                .filter_map(|r| r["paths"][0].as_str())
                .map(str::to_owned),
        );
    }
    edited_files.sort();
    edited_files.dedup();
    assert_eq!(edited_files.len(), ids.len() + 1);
    assert_eq!(env.git(&repo, &["status", "--porcelain"]), "");
    // They end like any other.
    for id in ids {
        env.hook(&repo, &end(&repo, id)).ok();
    }
    assert_eq!(
        env.rows(&repo, "metrics/execution_logs.jsonl").len(),
        ids.len()
    );
    assert_sound(&repo);
}

#[test]
fn a_request_without_end_is_refused_and_others_are_served_meanwhile() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let idle: Vec<UnixStream> = (0..50)
        .map(|_| {
            let mut stream = UnixStream::connect(env.socket()).unwrap();
            std::io::Write::write_all(&mut stream, b"{\"jsonrpc\":\"2.0\",\"id\":").unwrap();
            stream
        })
        .collect();
    let run = env.hook(&repo, &start(&repo, "s", "startup")).ok();
    assert!(run.stdout.contains("session #1"));
    for stream in idle {
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(drain(stream).contains("-32700"));
    }
}

#[test]
fn rows_and_files_that_cannot_be_read_are_named_where_they_are_missed() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let _daemon = env.daemon();
    let done = ["finalize", "--status", "success", "--summary", "Did it"];
    env.aictx(&repo, &done).ok();
    env.aictx(&repo, &["task", "start", "Write it down"]).ok();
    let log = || env.aictx(&repo, &["log", "--json"]).ok().json();
    assert_eq!(log()["warnings"], serde_json::json!([]));
    let rows = repo.join(".aictx/metrics/execution_logs.jsonl");
    let sound = fs::read_to_string(&rows).unwrap();
    fs::write(&rows, format!("{{torn\n{sound}")).unwrap();
    let told = log();
    assert!(
        told["warnings"]
            .to_string()
            .contains("metrics/execution_logs.jsonl"),
        "{told}"
    );
    assert_eq!(told["executions"].as_array().unwrap().len(), 1);

    fs::write(
        repo.join(".aictx/tasks/threads/write-it-down.json"),
        "{torn",
    )
    .unwrap();
    let list = env.aictx(&repo, &["task", "list"]).ok();
    let told = format!("{}{}", list.stdout, list.stderr);
    assert!(told.contains("threads/write-it-down.json"), "{told}");
}

#[test]
fn a_bare_repository_the_home_and_an_unknown_session_are_named() {
    let env = TestEnv::new();
    let bare = env.path().join("bare.git");
    env.git(
        env.path(),
        &["init", "--quiet", "--bare", bare.to_str().unwrap()],
    );
    let refused = env.aictx(&bare, &["init"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("is a bare repository"),
        "{}",
        refused.stderr
    );
    let home = env.path().join("home");
    std::fs::create_dir_all(&home).unwrap();
    let refused = env.aictx(&home, &["init", "--force"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("is not accepted"),
        "{}",
        refused.stderr
    );
    assert!(!home.join(".aictx").exists());
    let repo = env.repository("demo");
    let unknown = env.aictx(&repo, &["log", "--session", "nosuch"]);
    assert_eq!(unknown.status, 1);
    assert!(unknown.stderr.contains("`nosuch`"), "{}", unknown.stderr);
}
