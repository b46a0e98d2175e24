//! Payloads of Claude Code sessions: recorded ones with the repository's path put in, and small
//! ones made here.

use std::path::Path;

use serde_json::{Value, json};

/// Events recorded from Claude Code 2.1.197, one JSON object a line.
const RECORDED: &str = include_str!("../corpus/claude-code-2.1.197.jsonl");

/// One recorded event.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Event name.
    pub event: String,
    /// Standard input.
    pub payload: Value,
}

/// All recorded events with `repository` and `home` put in for the placeholders.
pub fn recorded(repository: &Path, home: &Path) -> Vec<Recorded> {
    RECORDED
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let line = line
                .replace("$REPO", &repository.to_string_lossy())
                .replace("$HOME", &home.to_string_lossy());
            let row: Value = serde_json::from_str(&line).expect("the corpus is JSON");
            Recorded {
                event: row["event"].as_str().unwrap_or_default().to_owned(),
                payload: row["stdin"].clone(),
            }
        })
        .collect()
}

/// The recorded main session: every tool once, failures, a sub-agent, from start to end.
pub fn main_session(repository: &Path, home: &Path) -> Vec<Recorded> {
    let all = recorded(repository, home);
    let id = all[0].payload["session_id"].clone();
    all.into_iter()
        .filter(|r| r.payload["session_id"] == id)
        .collect()
}

/// A payload of `event` in `session`, with more members.
pub fn payload(repository: &Path, session: &str, event: &str, more: Value) -> Value {
    let mut payload = json!({
        "session_id": session,
        "transcript_path": "/nowhere/transcript.jsonl",
        "cwd": repository,
        "hook_event_name": event,
    });
    if let (Some(to), Value::Object(more)) = (payload.as_object_mut(), more) {
        to.extend(more);
    }
    payload
}

/// A command that the agent is about to run.
pub fn before_command(repository: &Path, session: &str, command: &str) -> Value {
    payload(
        repository,
        session,
        "PreToolUse",
        json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": crate::call_id() }),
    )
}

/// A command that ran and was called a success.
pub fn after_command(repository: &Path, session: &str, command: &str, stdout: &str) -> Value {
    payload(
        repository,
        session,
        "PostToolUse",
        json!({
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": crate::call_id(),
            "tool_response": { "stdout": stdout, "stderr": "", "interrupted": false },
        }),
    )
}

/// A command that failed.
pub fn failed_command(repository: &Path, session: &str, command: &str, error: &str) -> Value {
    payload(
        repository,
        session,
        "PostToolUseFailure",
        json!({
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": crate::call_id(),
            "error": error, "is_interrupt": false,
        }),
    )
}

/// A file that was edited.
pub fn edited(repository: &Path, session: &str, file: &str) -> Value {
    payload(
        repository,
        session,
        "PostToolUse",
        json!({
            "tool_name": "Edit", "tool_use_id": crate::call_id(),
            "tool_input": { "file_path": repository.join(file), "old_string": "a", "new_string": "b" },
            "tool_response": { "filePath": repository.join(file) },
        }),
    )
}

/// The user's request.
pub fn prompt(repository: &Path, session: &str, text: &str) -> Value {
    payload(
        repository,
        session,
        "UserPromptSubmit",
        json!({ "prompt": text }),
    )
}

/// The session begins.
pub fn start(repository: &Path, session: &str, source: &str) -> Value {
    payload(
        repository,
        session,
        "SessionStart",
        json!({ "source": source }),
    )
}

/// The session ends.
pub fn end(repository: &Path, session: &str) -> Value {
    payload(
        repository,
        session,
        "SessionEnd",
        json!({ "reason": "other" }),
    )
}
