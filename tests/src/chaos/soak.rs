//! Many sessions, one after another and side by side: nothing grows.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Outcome;
use crate::session::payload;
use crate::{TestEnv, exchange};

/// Resources of a process.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    files: u64,
    threads: u64,
    mappings: u64,
    rss: u64,
}

fn held(pid: u32) -> Held {
    let count = |name: &str| {
        let entries = fs::read_dir(format!("/proc/{pid}/{name}"));
        entries.map_or(0, |entries| entries.count() as u64)
    };
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    Held {
        files: count("fd"),
        threads: count("task"),
        mappings: maps.lines().count() as u64,
        rss: pages.unwrap_or(0) * 4096,
    }
}

/// Amount of work.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Sessions side by side in the first part.
    pub agents: usize,
    /// Duration of the first part.
    pub mixed: Duration,
    /// Sessions of the second part, one after another from one process.
    pub sessions: usize,
}

/// Sessions side by side for a time, then sessions one after another. Compared are the end and the
/// state after a tenth of the time.
pub fn soak(size: Size) -> Outcome {
    let env = TestEnv::new();
    let repository = env.repository("demo");
    let daemon = env.daemon();
    let hook = |session: &str, event: &str, more: Value| {
        let stream = std::os::unix::net::UnixStream::connect(env.socket()).unwrap();
        let params = json!({
            "runner": "claude", "pid": std::process::id(),
            "payload": payload(&repository, session, event, more),
        });
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": "hook", "params": params });
        exchange(stream, &line.to_string()).unwrap()
    };
    let mut errors = 0_u64;
    let mut one_session = |session: &str| {
        let file = repository.join("calc.py");
        let edit = json!({
            "tool_name": "Write", "tool_use_id": "t", "tool_response": {},
            "tool_input": { "file_path": file, "content": "x" },
        });
        let command = json!({ "tool_name": "Bash", "tool_input": { "command": "git status" } });
        for (event, more) in [
            ("SessionStart", json!({ "source": "startup" })),
            (
                "UserPromptSubmit",
                json!({ "prompt": "fix the add function" }),
            ),
            ("PreToolUse", command),
            ("PostToolUse", edit),
            ("Stop", json!({ "last_assistant_message": "done" })),
            ("SessionEnd", json!({ "reason": "exit" })),
        ] {
            errors += u64::from(hook(session, event, more).contains("\"error\""));
        }
    };
    let started = Instant::now();
    let mut first = Held::default();
    let mut sessions = 0_u64;
    while started.elapsed() < size.mixed {
        for agent in 0..size.agents {
            one_session(&format!("mixed{agent}-{}", sessions / 7));
            sessions += 1;
        }
        if first.files == 0 && started.elapsed() > size.mixed / 10 {
            first = held(daemon.pid());
        }
    }
    for n in 0..size.sessions {
        one_session(&format!("next{n}"));
        if first.files == 0 && n == size.sessions / 10 {
            first = held(daemon.pid());
        }
    }
    let last = held(daemon.pid());
    let mut outcome = Outcome {
        sent: (sessions + size.sessions as u64) * 6,
        notes: format!(
            "files {} -> {}, threads {} -> {}, mappings {} -> {}, RSS {} -> {} MiB",
            first.files,
            last.files,
            first.threads,
            last.threads,
            first.mappings,
            last.mappings,
            first.rss >> 20,
            last.rss >> 20,
        ),
        ..Outcome::default()
    };
    let grew = last.files > first.files + 10
        || last.threads > first.threads + 10
        || last.mappings > first.mappings * 2
        || last.rss * 10 > first.rss * 13;
    if grew {
        outcome.faults.push(outcome.notes.clone());
    }
    if errors > 0 {
        outcome
            .faults
            .push(format!("{errors} events were answered with an error"));
    }
    outcome
}
