//! The same answer with and without the daemon: every method, once through the socket and once by
//! `aictxd once`, in two repositories that are alike.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use aictx_proto::methods::{METHODS, Scope};

use aictx_tests::memory::files;
use aictx_tests::session::{
    after_command, before_command, edited, end, failed_command, main_session, payload, prompt,
    start,
};
use aictx_tests::{TestEnv, program, wait_until};
use serde_json::{Map, Value, json};

/// A step: method and parameters, for a repository.
type Step = (&'static str, Value);

/// Every method that can run in both ways, in an order in which each has something to say.
fn steps(env: &TestEnv, repo: &Path) -> Vec<Step> {
    let hook = |event: Value| ("hook", json!({ "runner": "claude", "payload": event }));
    let here = json!({ "repo": repo });
    let around = json!({ "home": env.path().join("home"), "program": program("aictx") });
    let mut steps = vec![
        ("repo.list", json!({})),
        ("resume", here.clone()),
        (
            "init",
            json!({ "repo": repo, "runners": ["claude"], "program": program("aictx") }),
        ),
        ("init", here.clone()),
        ("init", json!({ "repo": env.path().join("nowhere") })),
        ("repo.remove", here.clone()),
        ("repo.remove", here.clone()),
        ("repo.add", here.clone()),
        ("repo.add", json!({ "repo": "relative" })),
        ("repo.list", json!({})),
        ("session.list", here.clone()),
        (
            "install",
            json!({ "surroundings": around, "agents": ["claude"], "dry_run": true }),
        ),
        (
            "install",
            json!({ "surroundings": around, "agents": ["codex"] }),
        ),
        ("install", json!({ "surroundings": {} })),
        ("doctor", json!({ "repo": repo, "surroundings": around })),
        (
            "portability.compact",
            json!({ "repo": repo, "apply": true }),
        ),
        ("portability.status", here.clone()),
        (
            "mcp.status",
            json!({ "repo": repo, "surroundings": around }),
        ),
        (
            "memory.decide",
            json!({ "repo": repo, "decision": { "decision": "keep it", "related_paths": ["calc.py", "/etc"] } }),
        ),
        ("memory.decide", json!({ "repo": repo, "decision": {} })),
        ("resume", json!({ "repo": repo, "look_only": true })),
        (
            "clean",
            json!({ "repo": repo, "surroundings": around, "dry_run": true }),
        ),
        (
            "uninstall",
            json!({ "surroundings": around, "dry_run": true, "verify": true }),
        ),
    ];
    steps.extend(
        main_session(repo, &env.path().join("home"))
            .into_iter()
            .map(|event| hook(event.payload)),
    );
    let failing = "Exit code 1\nFAILED test_calc.py::test_add - assert 0 == 4\n1 failed in 0.01s";
    steps.extend(
        [
            start(repo, "s2", "startup"),
            prompt(repo, "s2", "fix add"),
            before_command(repo, "s2", "rm -rf /"),
            before_command(repo, "s2", "git reset --hard"),
            failed_command(repo, "s2", "python -m pytest -q", failing),
            edited(repo, "s2", "calc.py"),
            after_command(repo, "s2", "python -m pytest -q", "4 passed in 0.01s"),
            payload(repo, "s2", "FutureEvent", json!({})),
            payload(repo, "s2", "PreCompact", json!({ "trigger": "auto" })),
        ]
        .map(hook),
    );
    let caller = json!({ "env": { "CLAUDE_CODE_SESSION_ID": "s2" } });
    let report = json!({
        "repo": repo, "status": "success", "summary": "Fixed add", "execution_id": "mine",
        "files_edited": ["calc.py", "/etc/passwd"], "next_steps": ["look at sub"],
        "decisions": [{ "decision": "keep it", "rationale": "short" }], "caller": caller,
    });
    steps.extend([
        ("finalize", report.clone()),
        ("finalize", report),
        hook(end(repo, "s2")),
        (
            "finalize",
            json!({
                "repo": repo, "status": "failure", "summary": "Tried", "caller": { "session_id": "s3" },
                "notable_errors": ["make: *** [all] Error 2"], "commands_executed": ["make"],
            }),
        ),
        ("finalize", json!({ "repo": repo, "status": "maybe" })),
        ("finalize", json!({ "repo": repo, "status": "success" })),
        ("finalize", json!({ "repo": 7 })),
        ("resume", json!({ "repo": repo, "task": "go on", "caller": { "session_id": "s4" } })),
        ("resume", json!({ "repo": repo, "full": true, "caller": { "session_id": "s4" } })),
        ("resume", json!({ "repo": repo, "brief": true, "caller": { "session_id": "s5" } })),
        ("resume", json!({ "repo": repo, "brief": true, "full": true })),
        ("guard", json!({ "repo": repo, "action": "risky_command", "command": "rm -rf /" })),
        ("guard", json!({ "repo": repo, "action": "edit", "paths": [".aictx/x", "calc.py"] })),
        ("guard", json!({ "repo": repo, "action": "final_answer" })),
        ("guard", json!({ "repo": repo, "action": "nonsense" })),
        ("session.list", json!({ "repo": repo, "limit": 1 })),
        ("session.list", here.clone()),
        ("session.show", json!({ "repo": repo, "session_id": "s2", "rows": true })),
        ("session.show", json!({ "repo": repo, "session_id": "nobody" })),
        ("session.show", json!({ "repo": repo, "session_id": "s" })),
        ("memory.recall", json!({ "repo": repo, "kinds": ["decision"] })),
        ("memory.recall", json!({ "repo": repo, "query": "add in calc.py", "limit": 3 })),
        ("memory.recall", json!({ "repo": repo, "kinds": ["handoff"], "file": "calc.py" })),
        ("memory.recall", json!({ "repo": repo, "kinds": ["dream"] })),
        (
            "memory.import",
            json!({ "repo": repo, "path": repo.join("README.md"), "dry_run": true }),
        ),
        ("memory.import", json!({ "repo": repo, "path": repo.join("calc.py") })),
        ("memory.import", json!({ "repo": repo, "sources": ["dream"] })),
        ("memory.import", json!({ "repo": repo, "remove": true })),
        ("memory.preview", json!({ "repo": repo, "prompt": "add in calc.py" })),
        ("memory.preview", json!({ "repo": repo, "runner": "nobody" })),
        ("failures.list", here.clone()),
        ("failures.list", json!({ "repo": repo, "status": "all", "command": "python -m pytest" })),
        ("failures.list", json!({ "repo": repo, "status": "none" })),
        ("failures.show", json!({ "repo": repo, "failure_id": "nothing" })),
        ("failures.resolve", json!({ "repo": repo, "failure_id": "make", "summary": "x" })),
        ("failures.reopen", json!({ "repo": repo, "failure_id": "make" })),
        ("failures.forget", json!({ "repo": repo, "failure_id": "" })),
        ("map.refresh", json!({ "repo": repo, "full": true })),
        ("map.query", json!({ "repo": repo, "text": "add two numbers", "wait_ms": 30_000 })),
        ("map.query", json!({ "repo": repo, "text": " " })),
        ("map.brief", json!({ "repo": repo, "wait_ms": 30_000 })),
        ("map.outline", json!({ "repo": repo, "path": "calc.py", "wait_ms": 30_000 })),
        ("map.outline", json!({ "repo": repo, "path": "nowhere.py", "wait_ms": 30_000 })),
        ("map.symbol", json!({ "repo": repo, "name": "add", "wait_ms": 30_000 })),
        ("map.refs", json!({ "repo": repo, "name": "add", "wait_ms": 30_000 })),
        ("map.related", json!({ "repo": repo, "path": "calc.py", "wait_ms": 30_000 })),
        ("map.impact", json!({ "repo": repo, "path": "calc.py", "wait_ms": 30_000 })),
        ("map.status", json!({ "repo": repo, "wait_ms": 30_000 })),
        ("map.export", json!({ "repo": repo, "wait_ms": 30_000 })),
    ]);
    steps.extend(about_memory(repo));
    steps.extend(about_tickets(repo));
    steps.extend(about_rules(repo));
    steps.extend(about_runs(repo));
    steps.extend([
        ("hook", json!({ "runner": "unknown", "payload": {} })),
        ("hook", json!({ "runner": "claude", "payload": [1] })),
        hook(start(repo, "s6", "startup")),
        ("spool.drain", json!({})),
        hook(end(repo, "s6")),
    ]);
    steps
}

/// Tasks, and what looks at memory or edits it.
fn about_memory(repo: &Path) -> Vec<Step> {
    let here = json!({ "repo": repo });
    let with = |more: Value| {
        let mut params = here.clone();
        let more = more.as_object().unwrap().clone();
        params.as_object_mut().unwrap().extend(more);
        params
    };
    let hand = with(json!({ "request": "fix add", "files_opened": ["./calc.py"] }));
    vec![
        ("task.status", here.clone()),
        (
            "task.start",
            with(json!({ "goal": "Make it add", "patch": { "next": "look" } })),
        ),
        ("task.start", with(json!({ "goal": "Make it add" }))),
        (
            "task.start",
            with(json!({ "goal": "Second", "task_id": "two" })),
        ),
        (
            "task.update",
            with(json!({ "patch": { "verified": ["a"], "risks": { "set": ["b"] } } })),
        ),
        ("task.update", with(json!({ "patch": { "colour": "red" } }))),
        ("task.resume", with(json!({ "task_id": "make-it-add" }))),
        ("task.show", with(json!({ "task_id": "ghost" }))),
        ("task.show", with(json!({ "task_id": "two" }))),
        ("task.list", here.clone()),
        (
            "task.close",
            with(json!({ "task_id": "two", "status": "blocked" })),
        ),
        ("task.status", with(json!({ "all": true }))),
        ("next", hand.clone()),
        ("prepare", with(json!({ "goal": "fix add" }))),
        ("suggest", hand.clone()),
        ("reuse", hand),
        ("reflect", here.clone()),
        ("report", here.clone()),
        ("log", here.clone()),
        ("log", with(json!({ "path": "calc.py", "limit": 1 }))),
        ("why", with(json!({ "session_id": "s2" }))),
        ("why", with(json!({ "session_id": "nobody" }))),
        ("memory.view", here.clone()),
        ("memory.view", with(json!({ "write": true }))),
        ("memory.list", here.clone()),
        ("memory.list", with(json!({ "kind": "task", "limit": 1 }))),
        ("memory.pin", with(json!({ "id": "task::two" }))),
        ("memory.unpin", with(json!({ "id": "task::two" }))),
        (
            "memory.wrong",
            with(json!({ "id": "handoff::mine", "reason": "no" })),
        ),
        ("memory.right", with(json!({ "id": "handoff::mine" }))),
        ("memory.forget", with(json!({ "id": "strategy::mine" }))),
        ("memory.forget", with(json!({ "id": "nothing" }))),
        ("messages", with(json!({ "action": "mute" }))),
        ("messages", with(json!({ "action": "unmute" }))),
        ("messages", with(json!({ "action": "shout" }))),
    ]
}

/// The queue of tickets.
fn about_tickets(repo: &Path) -> Vec<Step> {
    let with = |more: Value| {
        let mut params = json!({ "repo": repo });
        let more = more.as_object().unwrap().clone();
        params.as_object_mut().unwrap().extend(more);
        params
    };
    vec![
        ("ticket.next", with(json!({}))),
        (
            "ticket.new",
            with(json!({ "title": "First: it", "verify": ["make"], "scope": ["src/**"] })),
        ),
        (
            "ticket.new",
            with(json!({ "title": "Second", "after": ["1"], "agent": "Claude" })),
        ),
        ("ticket.new", with(json!({ "title": "Other", "number": 1 }))),
        ("ticket.new", with(json!({ "title": " " }))),
        (
            "ticket.insert",
            with(json!({ "title": "Before", "insert_before": 2 })),
        ),
        (
            "ticket.insert",
            with(json!({ "insert_before": 1, "insert_after": 1 })),
        ),
        (
            "ticket.move",
            with(json!({ "range": { "first": 3, "to": 1 } })),
        ),
        (
            "ticket.move",
            with(json!({ "range": { "first": 3, "to": 9 } })),
        ),
        (
            "ticket.set",
            with(json!({ "ticket": "1:2", "values": ["model=fast", "goal=a: b"] })),
        ),
        (
            "ticket.set",
            with(json!({ "ticket": "1", "values": ["done=true"] })),
        ),
        (
            "ticket.edit",
            with(json!({ "ticket": "2", "body": "- [ ] do it\n" })),
        ),
        (
            "ticket.edit",
            with(json!({ "ticket": "2", "text": "nothing", "digest": "" })),
        ),
        ("ticket.show", with(json!({ "ticket": "TICKET-002" }))),
        ("ticket.show", with(json!({ "ticket": "9" }))),
        ("ticket.lint", with(json!({}))),
        ("ticket.lint", with(json!({ "gate": "run", "fix": true }))),
        ("ticket.list", with(json!({ "filter": "open" }))),
        ("ticket.list", with(json!({ "filter": "blue" }))),
        (
            "ticket.claim",
            with(json!({ "ticket": "2", "holder": "one" })),
        ),
        (
            "ticket.claim",
            with(json!({ "ticket": "2", "holder": "two" })),
        ),
        (
            "ticket.claim",
            with(json!({ "ticket": "2", "holder": "one" })),
        ),
        ("ticket.next", with(json!({}))),
        ("next", with(json!({}))),
        (
            "ticket.release",
            with(json!({ "ticket": "2", "holder": "two" })),
        ),
        ("ticket.release", with(json!({ "holder": "one" }))),
        ("ticket.claim", with(json!({ "holder": "one" }))),
        (
            "ticket.done",
            with(json!({ "holder": "one", "evidence": "it ran" })),
        ),
        ("ticket.done", with(json!({ "ticket": "2" }))),
        ("ticket.reopen", with(json!({ "ticket": "2" }))),
        ("ticket.remove", with(json!({ "ticket": "2" }))),
        (
            "ticket.remove",
            with(json!({ "ticket": "2", "force": true })),
        ),
        (
            "ticket.import",
            with(json!({ "path": repo.join("nowhere") })),
        ),
        (
            "ticket.import",
            with(json!({ "path": repo.join(".aictx/tickets"), "dry_run": true })),
        ),
    ]
}

/// Agent runs, and the documents that requests belong to.
fn about_runs(repo: &Path) -> Vec<Step> {
    let caller = json!({ "env": { "CLAUDE_CODE_SESSION_ID": "s7" } });
    let with = |more: Value| {
        let mut params = json!({ "repo": repo, "caller": caller });
        let more = more.as_object().unwrap().clone();
        params.as_object_mut().unwrap().extend(more);
        params
    };
    let add = |entry: Value| ("run.add", with(json!({ "entry": entry })));
    let closing = json!({
        "summary": "Fixed", "verification": ["python -m pytest -q"], "risks": ["none seen"],
        "carry": ["H002"], "caller": caller,
    });
    vec![
        ("run.show", with(json!({}))),
        ("run.list", json!({ "repo": repo })),
        (
            "run.start",
            with(json!({ "request": "fix add", "run_id": "../evil" })),
        ),
        (
            "run.start",
            with(json!({ "request": "fix add in calc.py", "run_id": "one" })),
        ),
        (
            "run.start",
            with(json!({ "request": "fix add in calc.py", "run_id": "one" })),
        ),
        ("run.start", with(json!({ "request": "another" }))),
        add(json!({ "kind": "hypothesis", "text": "a sign is wrong", "confidence": "high" })),
        add(json!({ "kind": "hypothesis", "text": "the test is wrong" })),
        add(
            json!({ "kind": "evidence", "text": "it subtracts", "hypothesis": "H001", "file": "calc.py:2" }),
        ),
        add(json!({ "kind": "evidence", "text": "?", "hypothesis": "H009" })),
        add(json!({ "kind": "resolve", "id": "H001", "status": "accepted", "note": "seen" })),
        add(json!({ "kind": "command", "command": "python -m pytest -q", "status": "pass" })),
        add(
            json!({ "kind": "verify", "command": "make", "exit_code": 2, "duration_ms": 7, "output_sha256": "00" }),
        ),
        add(
            json!({ "kind": "learning", "learning": "test-gap", "summary": "no test of signs", "repo_action": "test", "path": "calc.py" }),
        ),
        add(
            json!({ "kind": "learning", "learning": "test-gap", "summary": "x", "repo_action": "none" }),
        ),
        add(json!({ "kind": "note", "text": "nearly done" })),
        add(json!({ "kind": "link", "to": "issue", "target": "52" })),
        add(json!({ "kind": "dream" })),
        ("run.show", with(json!({}))),
        ("run.handoff", with(json!({ "max_bytes": 900 }))),
        ("next", json!({ "repo": repo, "request": "fix add" })),
        ("run.close", with(json!({}))),
        ("run.park", with(json!({ "reason": "lunch" }))),
        ("run.resume", with(json!({ "run_id": "one" }))),
        ("run.close", with(closing.clone())),
        ("run.close", with(closing)),
        add(json!({ "kind": "note", "text": "late" })),
        (
            "run.reopen",
            with(json!({ "run_id": "one", "reason": "one more" })),
        ),
        ("run.abandon", with(json!({ "run_id": "one" }))),
        (
            "run.abandon",
            with(json!({ "run_id": "one", "reason": "no time left" })),
        ),
        ("run.list", json!({ "repo": repo })),
        ("run.list", json!({ "repo": repo, "status": "lost" })),
        ("run.gc", json!({ "repo": repo, "apply": true })),
        ("intake", json!({ "repo": repo, "request": "fix add" })),
        ("docs.check", json!({ "repo": repo })),
    ]
}

/// The user's rules and limits, verdicts, and what becomes history.
fn about_rules(repo: &Path) -> Vec<Step> {
    let caller = json!({ "session_id": "s4" });
    let here = json!({ "repo": repo });
    vec![
        (
            "steer",
            json!({ "repo": repo, "caller": caller, "message": "don't touch calc.py", "apply": true }),
        ),
        ("steer", json!({ "repo": repo, "message": "" })),
        (
            "guard",
            json!({ "repo": repo, "caller": caller, "action": "edit", "paths": ["calc.py"] }),
        ),
        ("verdicts", json!({ "repo": repo, "limit": 3 })),
        ("trust", here.clone()),
        (
            "trust",
            json!({ "repo": repo, "action": "trust", "hash": "other" }),
        ),
        ("compact", here.clone()),
        ("compact", json!({ "repo": repo, "apply": true })),
    ]
}

/// Lists the differences of two values: pointer and both sides.
fn differences(a: &Value, b: &Value) -> Vec<String> {
    match (a, b) {
        (Value::Object(left), Value::Object(right)) => {
            let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            let inner = names.into_iter().flat_map(|name| {
                let found = differences(&a[name], &b[name]);
                found.into_iter().map(move |d| format!("/{name}{d}"))
            });
            inner.collect()
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            let inner = pairs.flat_map(|(n, (a, b))| {
                let found = differences(a, b);
                found.into_iter().map(move |d| format!("/{n}{d}"))
            });
            inner.collect()
        }
        _ if a == b => Vec::new(),
        _ => vec![format!(": {a} against {b}")],
    }
}

/// Replaces what may differ between two runs of the same thing.
fn normal(env: &TestEnv, value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut out = Map::new();
            for (name, member) in map {
                // A snapshot's number and an agent's process say when and where, not what.
                if ["generation", "pid", "pid_start"].contains(&name.as_str()) {
                    continue;
                }
                // Estimated from texts with the home's random name and processes' numbers in them.
                if ["estimated_tokens", "text_tokens", "tokens", "bytes"].contains(&name.as_str()) {
                    continue;
                }
                // Rows say how long something took, in more digits or fewer.
                if name.ends_with("_bytes") || name.starts_with("bytes_") {
                    continue;
                }
                // How an index came to be what it is: in one go, or change by change.
                let how = [
                    "age_ms",
                    "duration_ms",
                    "files_reparsed",
                    // The names of temporary directories and executions are told as other tokens.
                    "estimated_tokens",
                ];
                if how.contains(&name.as_str()) || name == "last_refresh_ms" {
                    continue;
                }
                let clock = name.ends_with("execution_time_ms") && member.is_number();
                let member = if clock {
                    json!("<time>")
                } else {
                    normal(env, member)
                };
                out.insert(name.clone(), member);
            }
            Value::Object(out)
        }
        Value::Array(list) => {
            let mut list: Vec<Value> = list.iter().map(|v| normal(env, v)).collect();
            // Newest first is in whole seconds, which begin where they like.
            if list
                .iter()
                .any(|v| v["updated_at"].is_string() && v["task_id"].is_string())
            {
                list.sort_by_key(|v| v["task_id"].to_string());
            }
            Value::Array(list)
        }
        Value::String(text) => Value::String(normal_text(env, text)),
        Value::Number(n) if n.as_u64().is_some_and(|n| n > 1_000_000_000) => json!("<time>"),
        other => other.clone(),
    }
}

fn normal_text(env: &TestEnv, text: &str) -> String {
    let text = text.replace(&*env.path().to_string_lossy(), "<home>");
    let mut out = String::new();
    let mut rest = text.as_str();
    // Digits, dashes and letters that hang together: a word of that alphabet is looked at whole.
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        out.push_str(&rest[..at]);
        let word = &rest[at..];
        let length = word
            .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | ':'))
            .unwrap_or(word.len());
        out.push_str(&normal_word(&word[..length]));
        rest = &word[length..];
    }
    out + rest
}

fn normal_word(word: &str) -> String {
    let shape: String = word
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    // In names of files and directories, colons are dashes.
    for stamp in ["0000-00-00T00:00:00Z", "0000-00-00T00-00-00Z"] {
        if shape.contains(stamp) {
            return shape.replace(stamp, "<time>");
        }
    }
    // `exec-claude-20261121T025909Z-<nonce>`
    if let Some(at) = shape.find("00000000T000000Z") {
        return format!("{}<time>", &word[..at]);
    }
    let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    if word
        .strip_prefix("v-")
        .is_some_and(|rest| rest.len() == 12 && is_hex(rest))
    {
        return "<verdict>".to_owned();
    }
    // A decision's id is made of its time, too.
    if let Some(id) = word.strip_prefix("decision::") {
        let ends = if id.ends_with(':') { ":" } else { "" };
        return format!("decision::<id>{ends}");
    }
    // Each repository has calls of its own.
    if word
        .strip_prefix("call-")
        .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
    {
        return "<call>".to_owned();
    }
    let hexadecimal = is_hex(word);
    // Ids of tickets and claims are random.
    if hexadecimal && word.len() == 32 {
        return "<id>".to_owned();
    }
    // It holds for one file of one user.
    if hexadecimal && word.len() == 64 {
        return "<proof>".to_owned();
    }
    // Commits carry the time they were made at; one in a thousand short ones has no digit.
    if hexadecimal && matches!(word.len(), 7 | 12 | 40) {
        return "<commit>".to_owned();
    }
    word.to_owned()
}

/// The memory or the runs, file by file, with what may differ taken out.
fn tree(env: &TestEnv, memory: &Path) -> BTreeMap<String, Vec<Value>> {
    aictx_tests::memory::facts(memory)
        .into_iter()
        .map(|file| {
            let name = file.to_string_lossy().into_owned();
            let text = fs::read_to_string(memory.join(&file)).unwrap();
            let content = if name.ends_with(".json") {
                vec![normal(env, &serde_json::from_str(&text).unwrap())]
            } else if name.ends_with(".jsonl") {
                text.lines()
                    .map(|line| normal(env, &serde_json::from_str(line).unwrap()))
                    .collect()
            } else {
                vec![json!(normal_text(env, &text))]
            };
            (normal_text(env, &name), content)
        })
        .collect()
}

#[test]
fn every_method_answers_and_writes_the_same_with_and_without_the_daemon() {
    let with = TestEnv::new();
    let without = TestEnv::new();
    let prepare = |env: &TestEnv| {
        let repo = env.plain_repository("demo");
        env.plain_repository("another");
        env.once("init", &json!({ "repo": env.path().join("another") }))
            .ok();
        repo
    };
    let (repo_with, repo_without) = (prepare(&with), prepare(&without));
    let _daemon = with.daemon();

    let covered: BTreeSet<&str> = steps(&with, &repo_with).iter().map(|s| s.0).collect();
    for method in METHODS.iter().filter(|m| m.scope != Scope::Daemon) {
        assert!(
            covered.contains(method.name),
            "`{}` has no case here",
            method.name
        );
    }

    let pairs = steps(&with, &repo_with)
        .into_iter()
        .zip(steps(&without, &repo_without));
    for (n, ((method, params), (_, params_without))) in pairs.enumerate() {
        let served = with.rpc(method, &params);
        let served = match served.get("error") {
            Some(error) => json!({ "error": error }),
            None => json!({ "result": served["result"] }),
        };
        let run = without.once(method, &params_without);
        let alone = if run.status == 0 {
            json!({ "result": run.json() })
        } else {
            let error: Value = serde_json::from_str(run.stderr.trim()).unwrap();
            json!({ "error": error })
        };
        let (served, alone) = (normal(&with, &served), normal(&without, &alone));
        let different = differences(&served, &alone);
        assert!(
            different.is_empty(),
            "step {n}: {method} {params}: {different:#?}"
        );
        if method == "init" {
            // How much of an index there is when a hook asks is a matter of time, which only a
            // daemon has; what questions to it answer is compared all the same.
            for repo in [&repo_with, &repo_without] {
                let map = repo.join(".aictx/repo_map");
                fs::create_dir_all(&map).unwrap();
                fs::write(
                    map.join("config.json"),
                    r#"{"version": 1, "enabled": false}"#,
                )
                .unwrap();
            }
        }
        // Verdicts and what is observed are recorded after the answer; `once` waits for that, so must we.
        if method == "guard" || method == "hook" {
            wait_until("what was answered is recorded", || {
                recorded(&with, &repo_with) == recorded(&without, &repo_without)
            });
        }
        let (served, alone) = (
            tree_if_any(&with, &repo_with),
            tree_if_any(&without, &repo_without),
        );
        for (name, content) in &served {
            assert_eq!(Some(content), alone.get(name), "step {n}: {method}: {name}");
        }
        assert_eq!(
            served.keys().collect::<Vec<_>>(),
            alone.keys().collect::<Vec<_>>(),
            "step {n}: {method}"
        );
    }
    assert!(
        tree_if_any(&with, &repo_with).len() > 20,
        "something was compared"
    );
}

/// Rows of verdicts and of all sessions.
fn recorded(env: &TestEnv, repo: &Path) -> usize {
    let memory = repo.join(".aictx");
    let files = if memory.exists() {
        files(&memory)
    } else {
        Vec::new()
    };
    let recorded = files
        .iter()
        .filter_map(|file| file.to_str())
        .filter(|file| {
            *file == "metrics/verdicts.jsonl"
                || file.starts_with("sessions/") && file.ends_with(".jsonl")
        });
    recorded.map(|file| env.rows(repo, file).len()).sum()
}

fn tree_if_any(env: &TestEnv, repo: &Path) -> BTreeMap<String, Vec<Value>> {
    let directories = [".aictx", ".agents/runs"].map(|name| repo.join(name));
    let there = directories.iter().filter(|directory| directory.exists());
    there.flat_map(|directory| tree(env, directory)).collect()
}

#[test]
fn methods_of_a_running_daemon_say_so_without_one() {
    let env = TestEnv::new();
    for method in METHODS.iter().filter(|m| m.scope == Scope::Daemon) {
        let run = env.once(method.name, &json!({}));
        assert_eq!(run.status, 1, "{}", method.name);
        assert!(
            run.stderr.contains("does not run without a daemon"),
            "{}: {}",
            method.name,
            run.stderr
        );
    }
}
