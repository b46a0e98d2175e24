//! No secret that an agent, a tool, a caller or a file of the repository tells stays anywhere on disk:
//! neither as it was, nor in lower case, nor as part of an id or of a file name.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use aictx_tests::session::{end, payload, start};
use aictx_tests::{TestEnv, wait_until};
use serde_json::{Value, json};

/// Seeds the secrets; another value gives other ones.
const SEED: u64 = 0x5eed_0001;

/// Texts around a secret, with the mark that it leaves. Each `{}` is replaced by it.
const CARRIERS: &[(&str, &str)] = &[
    ("address", "could not reach postgres://svc:{}@db/prod"),
    (
        "assignment",
        "make: *** [DB_PASSWORD={} ./manage.py migrate] Error 2",
    ),
    (
        "arguments",
        "Command '['mysql', '-u', 'root', '-p{}']' returned non-zero exit status 1.",
    ),
    ("header", "curl -H 'X-Api-Key: {}' https://x.example failed"),
    ("quotes", "bash -c \"mysql -uroot -p'{}' shop\" failed"),
    ("store", "gh secret set DEPLOY --body {} failed"),
    ("english", "Error: the password is {}"),
    ("spanish", "Error: la contraseña es {}"),
    ("german", "Fehler: das Passwort lautet {}"),
    ("json", "ValueError: {\"password\": \"{}\"}"),
];

/// Secrets by the text that they were put into.
#[derive(Default)]
struct Planted {
    secrets: BTreeMap<String, String>,
    state: u64,
    /// Of letters only, which the index keeps as one word.
    words: bool,
}

impl Planted {
    /// A new secret: 18 small letters and digits in turns, so that slugs and lower case leave it whole
    /// and nobody can take it for words.
    fn secret(&mut self, place: &str) -> String {
        let mut secret = String::new();
        while secret.len() < 18 {
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            let from: &[u8] = match secret.len() % 3 {
                2 if !self.words => b"23456789",
                _ => b"abcdefghijkmnpqrstuvwxyz",
            };
            let at = usize::try_from(self.state >> 40).unwrap() % from.len();
            secret.push(char::from(from[at]));
        }
        self.secrets.insert(secret.clone(), place.to_owned());
        secret
    }

    /// A carrier with a new secret in it.
    fn text(&mut self, carrier: (&str, &str), field: &str) -> String {
        let secret = self.secret(&format!("{} in {field}", carrier.0));
        carrier.1.replace("{}", &secret)
    }

    /// The places from which a secret came into these bytes.
    fn found_in(&self, bytes: &[u8]) -> Vec<&str> {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        let found = self
            .secrets
            .iter()
            .filter(|(secret, _)| text.contains(secret.as_str()));
        found.map(|(_, place)| place.as_str()).collect()
    }
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut pending) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(path) = pending.pop() {
        if path.file_name().is_some_and(|name| name == "spool") {
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => pending.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => found.push(path),
        }
    }
    found
}

fn contents(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap_or_default();
    let mut text = Vec::new();
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => {
            let mut archive = flate2::read::MultiGzDecoder::new(bytes.as_slice());
            archive.read_to_end(&mut text).unwrap();
            text
        }
        false => bytes,
    }
}

/// Fails the test where a secret stands in a file or its name.
#[track_caller]
fn assert_none_is_left(env: &TestEnv, repo: &Path, planted: &Planted) {
    let mut looked_at = 0;
    let mut leaks = Vec::new();
    for directory in [
        repo.join(".aictx"),
        env.path().join("state"),
        env.path().join("cache"),
    ] {
        for path in files(&directory) {
            looked_at += 1;
            let name = path.to_string_lossy().into_owned();
            for place in planted.found_in(name.as_bytes()) {
                leaks.push(format!("the name {name}: {place}"));
            }
            for place in planted.found_in(&contents(&path)) {
                leaks.push(format!("{name}: {place}"));
            }
        }
    }
    assert!(looked_at > 8, "{looked_at} files");
    assert!(
        leaks.is_empty(),
        "{} leaks:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
}

/// Everything that a hook can tell, a secret in each member.
fn events(repo: &Path, session: &str, mut text: impl FnMut(&str) -> String) -> Vec<Value> {
    let event = |name: &str, more: Value| payload(repo, session, name, more);
    let bash = |command: String| json!({ "command": command, "description": "x" });
    vec![
        event(
            "SessionStart",
            json!({ "source": text("source"), "transcript_path": text("transcript") }),
        ),
        event("UserPromptSubmit", json!({ "prompt": text("prompt") })),
        event(
            "UserPromptSubmit",
            json!({ "prompt": format!("remember: {}", text("remembered")) }),
        ),
        event(
            "PreToolUse",
            json!({ "tool_name": "Bash", "tool_use_id": text("id"), "tool_input":
                bash(format!("rm -rf /; {}", text("dangerous command"))) }),
        ),
        event(
            "PreToolUse",
            json!({ "tool_name": text("tool"), "tool_use_id": "t2", "tool_input": { "x": text("input") } }),
        ),
        event(
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_use_id": "t3", "agent_id": text("agent"),
                "tool_input": bash(text("command")),
                "tool_response": { "stdout": text("stdout"), "stderr": text("stderr") } }),
        ),
        event(
            "PostToolUse",
            json!({ "tool_name": "Bash", "tool_use_id": "t4", "tool_input": bash("pytest -q".to_owned()),
                "tool_response": { "stdout": format!(
                    "FAILED test_calc.py::test_add - AssertionError: {}\n1 failed in 0.1s", text("failure")) } }),
        ),
        event(
            "PostToolUseFailure",
            json!({ "tool_name": "Bash", "tool_use_id": "t5", "tool_input": bash(text("failed command")),
                "error": format!("Exit code 1\nTraceback (most recent call last):\n  File \"d.py\", line 3, in \
                    <module>\nValueError: {}", text("error")) }),
        ),
        event(
            "PostToolUseFailure",
            json!({ "tool_name": "Edit", "tool_use_id": "t6", "tool_input": { "file_path": repo.join("calc.py") },
                "error": text("edit error") }),
        ),
        event("PreCompact", json!({ "trigger": text("trigger") })),
        event(
            "SubagentStop",
            json!({ "last_assistant_message": text("subagent"), "agent_id": "a" }),
        ),
        event("Notification", json!({ "message": text("notification") })),
        event(&text("event"), json!({ "message": text("unknown event") })),
        event(
            "Stop",
            json!({ "last_assistant_message": text("last message") }),
        ),
        event("SessionEnd", json!({ "reason": text("reason") })),
    ]
}

#[test]
fn nothing_that_a_hook_tells_leaves_a_secret_on_disk() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon_with(&[("AICTX_LOG", "debug")]);
    let mut planted = Planted {
        state: SEED,
        ..Planted::default()
    };
    for carrier in CARRIERS {
        let session = format!("session-{}", carrier.0);
        for event in events(&repo, &session, |field| planted.text(*carrier, field)) {
            let answer = env.rpc("hook", &json!({ "runner": "claude", "payload": event }));
            assert!(answer.get("error").is_none(), "{answer}");
        }
        // A session may even be called by one.
        let session = planted.text(*carrier, "session id");
        for event in [start(&repo, &session, "startup"), end(&repo, &session)] {
            env.rpc("hook", &json!({ "runner": "claude", "payload": event }));
        }
    }
    // Of many sessions the older ones are in the archive.
    let last = format!("session-{}", CARRIERS[CARRIERS.len() - 1].0);
    wait_until("the last session is finalized", || {
        let rows = env.rows(&repo, "metrics/execution_logs.jsonl");
        rows.iter().any(|row| row["session_id"] == *last)
    });
    // What is recorded after an answer is on disk when the daemon is gone.
    assert_eq!(daemon.stop(), 0);
    let failures = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
    assert!(failures.len() > CARRIERS.len(), "{failures:?}");
    assert!(!env.rows(&repo, "metrics/verdicts.jsonl").is_empty());
    assert_none_is_left(&env, &repo, &planted);
}

#[test]
fn nothing_that_a_caller_tells_leaves_a_secret_on_disk() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let daemon = env.daemon_with(&[("AICTX_LOG", "debug")]);
    let mut planted = Planted {
        state: SEED + 1,
        ..Planted::default()
    };
    let call = |method: &str, mut params: Value| {
        params["repo"] = json!(repo);
        params["caller"] = json!({ "session_id": params["session_id"].as_str().unwrap_or("s") });
        env.rpc(method, &params)
    };
    for carrier in CARRIERS {
        let mut text = |field: &str| planted.text(*carrier, field);
        let started = call(
            "task.start",
            json!({ "goal": text("goal"), "force": true, "patch": {
            "current_hypothesis": text("hypothesis"), "next_action": text("next action"),
            "risks": [text("task risk")] } }),
        );
        assert!(started.get("error").is_none(), "{started}");
        call(
            "task.start",
            json!({ "goal": "x", "task_id": text("task id"), "force": true }),
        );
        call(
            "task.update",
            json!({ "patch": { "goal": text("new goal"), "notes": [text("note")] } }),
        );
        call("resume", json!({ "task": text("resume task") }));
        call("prepare", json!({ "goal": text("prepared goal") }));
        call(
            "steer",
            json!({ "message": format!("don't touch calc.py. {}", text("message")), "apply": true }),
        );
        call(
            "guard",
            json!({ "action": "risky_command", "command": format!("rm -rf /; {}", text("guarded")) }),
        );
        call("claim", json!({ "paths": [text("claimed")] }));
        call(
            "memory.decide",
            json!({ "decision": { "decision": text("decision"), "rationale": text("rationale"),
            "alternatives": [text("alternative")], "related_paths": [text("path")] } }),
        );
        let failed = call(
            "finalize",
            json!({
                "status": "failure", "summary": text("summary"), "task": text("task"), "cwd": repo,
                "task_type": text("task type"), "files_edited": ["calc.py", text("file")],
                "commands_executed": [text("command")], "tests_executed": [text("test")],
                "notable_errors": [text("notable")], "output": format!("error: {}", text("output")), "exit_code": 1,
                "error_events": [{ "toolchain": "python", "phase": "runtime", "message": text("event"),
                    "code": text("code"), "file": text("event file"), "fingerprint": text("fingerprint") }],
                "next_steps": [text("next step")], "blocked": [text("blocked")], "risks": [text("risk")],
                "decisions": [{ "decision": text("reported decision"), "rationale": text("why") }],
                "semantic_updates": [{ "name": text("area"), "description": text("area text"), "key_paths": ["calc.py"] }],
                "execution_id": text("execution id"), text("member"): 1,
            }),
        );
        assert!(
            failed["result"]["redacted"]
                .as_object()
                .is_some_and(|found| !found.is_empty()),
            "{failed}"
        );
        let failures = env.rows(&repo, "failure_memory/failure_patterns.jsonl");
        let id = &failures.last().unwrap()["failure_id"];
        let resolved = call(
            "failures.resolve",
            json!({ "failure_id": id, "summary": text("resolution") }),
        );
        assert!(resolved.get("error").is_none(), "{resolved}");
        let items = call("memory.list", json!({}));
        let id = &items["result"]["items"][0]["id"];
        call(
            "memory.wrong",
            json!({ "id": id, "reason": text("reason") }),
        );
        call("task.close", json!({ "status": text("status") }));
        // The log quotes what it cannot read.
        call("task.start", json!({ "goal": [text("wrong type")] }));
        call(&text("method"), json!({}));
    }
    assert_eq!(daemon.stop(), 0);
    assert_none_is_left(&env, &repo, &planted);
}

#[test]
fn nothing_that_a_repository_holds_leaves_a_secret_in_the_cache() {
    let env = TestEnv::new();
    let repo = env.repository("demo");
    let mut planted = Planted {
        state: SEED + 2,
        ..Planted::default()
    };
    let mut source = String::from("def planted_marker():\n");
    for (at, carrier) in CARRIERS.iter().enumerate() {
        // Address and assignment; others need digits to be taken for more than words.
        planted.words = at < 2;
        let (comment, value) = (
            planted.text(*carrier, "comment"),
            planted.text(*carrier, "value"),
        );
        source.push_str(&format!("    # {comment}\n    x = '''{value}'''\n"));
    }
    source.push_str(&format!("API_KEY = \"{}\"\n", planted.secret("constant")));
    fs::write(repo.join("settings.py"), source).unwrap();
    env.git(&repo, &["add", "-A"]);
    let message = planted.text(CARRIERS[1], "commit message");
    env.git(&repo, &["commit", "-q", "-m", &message]);
    let daemon = env.daemon();
    let query = |words: &str| env.rpc("map.query", &json!({ "repo": repo, "text": words }));
    let hits = |words: &str| {
        let answer = query(words);
        let found = answer["result"]["results"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        found.iter().any(|hit| hit["path"] == "settings.py")
    };
    wait_until("the file is indexed", || hits("planted_marker"));
    for secret in planted.secrets.keys() {
        assert!(!hits(secret), "{secret}: {}", query(secret));
    }
    assert_eq!(daemon.stop(), 0);
    assert_none_is_left(&env, &repo, &planted);
}
